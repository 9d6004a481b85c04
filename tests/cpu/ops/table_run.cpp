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

TableRun::TableRun(const Driver& driver, const TableOptions& options)
    : driver_(driver), options_(options) {
  if (!options.expect.empty()) expected_ = read(options.expect);
  made_.device = described(driver, options);
  if (options.differences.empty()) return;
  std::ifstream file(options.differences);
  if (!file) throw std::runtime_error("cannot read " + options.differences);
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) wanted_.insert(line.substr(0, line.find(" | ")));
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
    std::printf("; against the record: %d differ, %d known to differ, %d unrecorded", differ_,
                known_, unrecorded_);
  std::printf("\n");
  return failed_ + refused_ + differ_ + unrecorded_ == 0 && rows_ > 0 ? 0 : 1;
}

}  // namespace cucore::cpu::ops
