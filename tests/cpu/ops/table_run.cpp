// SPDX-License-Identifier: Apache-2.0
#include "table_run.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace cucore::cpu::ops {

std::string* TableOptions::member(const std::string& option) {
  return option == "--driver"        ? &driver
         : option == "--expect"      ? &expect
         : option == "--record"      ? &record
         : option == "--note"        ? &note
         : option == "--only"        ? &only
         : option == "--differences" ? &differences
         : option == "--unrecorded"  ? &unrecorded
                                     : nullptr;
}

std::string described(const Driver& driver, const TableOptions& options) {
  return driver.device_name() + ", driver " + std::to_string(driver.version()) +
         (options.note.empty() ? "" : ", " + options.note);
}

uint64_t hashed(uint64_t hash, const void* data, size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ from[i]) * 0x100000001b3;
  return hash;
}

std::set<std::string> names_in(const std::string& path) {
  std::set<std::string> names;
  if (path.empty()) return names;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) names.insert(line.substr(0, line.find(" | ")));
  return names;
}

TableRun::TableRun(const Driver& driver, const TableOptions& options)
    : driver_(driver), options_(options) {
  if (!options.expect.empty()) expected_ = read(options.expect);
  made_.device = described(driver, options);
  wanted_ = names_in(options.differences);
  pending_ = names_in(options.unrecorded);
}

bool TableRun::begin(const std::string& name) {
  if (!names_.insert(name).second) throw std::runtime_error("two rows named " + name);
  const bool chosen = name.find(options_.only) != std::string::npos;
  rows_ += chosen;
  return chosen;
}

void TableRun::refuse(const std::string& name, const DriverError& error) {
  ++refused_;
  std::printf("REFUSED %s: %s\n", name.c_str(), error.what());
}

void TableRun::add(const std::string& name, const Recorded& made) {
  if (!options_.expect.empty()) compare(name, made);
  made_.rows[name] = made;
}

void TableRun::compare(const std::string& name, const Recorded& made) {
  const auto found = expected_.rows.find(name);
  if (pending_.contains(name)) {
    ++(found == expected_.rows.end() ? waiting_ : unrecorded_);
    if (found != expected_.rows.end()) std::printf("RECORDED, BUT IN THE LIST %s\n", name.c_str());
    return;
  }
  if (found != expected_.rows.end() && wanted_.erase(name) != 0) {
    if (found->second.stamp == made.stamp && found->second.bits != made.bits) {
      ++known_;
    } else {
      ++differ_;
      std::printf("NO LONGER DIFFERENT %s\n", name.c_str());
    }
    return;
  }
  if (found == expected_.rows.end() || found->second.stamp != made.stamp) {
    ++unrecorded_;
    std::printf("UNRECORDED %s\n", name.c_str());
  } else if (found->second.bits != made.bits) {
    ++differ_;
    std::printf("OTHER THAN RECORDED %s\n", name.c_str());
  }
}

int TableRun::finish() const {
  if (!options_.record.empty()) write(made_, options_.record);
  std::printf("%s: %d rows, %d failed, %d refused", driver_.device_name().c_str(), rows_, failed_,
              refused_);
  if (!options_.expect.empty())
    std::printf(
        "; against the record: %d differ, %d known to differ, %d not recorded yet, %d unrecorded",
        differ_, known_, waiting_, unrecorded_);
  std::printf("\n");
  return failed_ + refused_ + differ_ + unrecorded_ == 0 && rows_ > 0 ? 0 : 1;
}

}  // namespace cucore::cpu::ops
