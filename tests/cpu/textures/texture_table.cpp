// SPDX-License-Identifier: Apache-2.0
// Runs every row of the table of texture reads on a driver. The results are compared with the model
// of this folder, and with what another device gave.
//   texture_table --driver PATH [--expect FILE] [--record FILE [--note TEXT]] [--only PART]
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "../ops/record.hpp"
#include "images.hpp"

namespace {

using namespace cucore::cpu::textures;
using cucore::cpu::ops::Driver;
using cucore::cpu::ops::DriverError;
using cucore::cpu::ops::Record;
using cucore::cpu::ops::Recorded;

constexpr int SHOWN_DIFFERENCES = 2;
constexpr unsigned LEAST_TARGET = 75;

struct Options {
  std::string driver, expect, record, note, only;
};

struct Tally {
  int rows = 0, failed = 0, refused = 0, differ = 0, unrecorded = 0;
};

uint64_t mixed(uint64_t hash, const void* data, size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ from[i]) * 0x100000001b3;
  return hash;
}
constexpr uint64_t START = 0xcbf29ce484222325;

class Runner {
 public:
  Runner(Driver& driver, const Options& options) : driver_(driver), options_(options) {
    if (!options.expect.empty()) expected_ = cucore::cpu::ops::read(options.expect);
    made_.device = driver.device_name() + ", driver " + std::to_string(driver.version()) +
                   (options.note.empty() ? "" : ", " + options.note);
  }

  int run() {
    std::set<std::string> names;
    for (const Case& row : make_table()) {
      if (!names.insert(row.name).second) throw std::runtime_error("two rows named " + row.name);
      if (row.name.find(options_.only) != std::string::npos) run_row(row);
    }
    if (!options_.record.empty()) cucore::cpu::ops::write(made_, options_.record);
    const Tally& t = tally_;
    std::printf("%s: %d rows, %d failed, %d refused", driver_.device_name().c_str(), t.rows,
                t.failed, t.refused);
    if (!options_.expect.empty())
      std::printf("; against the record: %d differ, %d unrecorded", t.differ, t.unrecorded);
    std::printf("\n");
    return t.failed + t.refused + t.differ + t.unrecorded == 0 && t.rows > 0 ? 0 : 1;
  }

 private:
  void run_row(const Case& row) {
    ++tally_.rows;
    const Texels texels = texels_of(row);
    const std::vector<Operands> operands = operands_of(row);
    std::vector<Result> results;
    try {
      results = results_of(row, texels, operands);
    } catch (const DriverError& error) {
      ++tally_.refused;
      std::printf("REFUSED %s: %s\n", row.name.c_str(), error.what());
      driver_.reset();
      return;
    }
    compare(row, texels, operands, results);
    Recorded made;
    made.stamp = mixed(START, operands.data(), operands.size() * sizeof(Operands));
    for (const auto& level : texels) made.stamp = mixed(made.stamp, level.data(), level.size());
    made.bits = made.loose = mixed(START, results.data(), results.size() * sizeof(Result));
    if (!options_.expect.empty()) compare_record(row, made);
    made_.rows[row.name] = made;
  }

  std::vector<Result> results_of(const Case& row, const Texels& texels,
                                 const std::vector<Operands>& operands) {
    const Image image(options_.driver, row, texels);
    std::vector<uint64_t> packed(1 + operands.size() * sizeof(Operands) / 8);
    packed[0] = image.texture();
    std::memcpy(&packed[1], operands.data(), operands.size() * sizeof(Operands));
    CUmodule module = driver_.load(module_text(row, LEAST_TARGET));
    const auto raw = driver_.run(module, "k", packed, operands.size() * 2, operands.size(), 8);
    driver_.unload(module);
    std::vector<Result> results(operands.size());
    std::memcpy(results.data(), raw.data(), results.size() * sizeof(Result));
    return results;
  }

  void compare(const Case& row, const Texels& texels, const std::vector<Operands>& operands,
               const std::vector<Result>& results) {
    int count = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const Result want = expected(row, texels, operands[i]);
      if (results[i] == want || ++count > SHOWN_DIFFERENCES) continue;
      std::printf(
          "DIFFERS %s: thread %zu at %g %g %g: want %08x %08x %08x %08x, got %08x %08x "
          "%08x %08x\n",
          row.name.c_str(), i, double{operands[i].at[0]}, double{operands[i].at[1]},
          double{operands[i].at[2]}, want[0], want[1], want[2], want[3], results[i][0],
          results[i][1], results[i][2], results[i][3]);
    }
    if (count)
      std::printf("DIFFERS %s: %d of %zu in all\n", row.name.c_str(), count, results.size());
    tally_.failed += count != 0;
  }

  void compare_record(const Case& row, const Recorded& made) {
    const auto found = expected_.rows.find(row.name);
    if (found == expected_.rows.end() || found->second.stamp != made.stamp) {
      ++tally_.unrecorded;
      std::printf("UNRECORDED %s\n", row.name.c_str());
    } else if (found->second.bits != made.bits) {
      ++tally_.differ;
      std::printf("OTHER THAN RECORDED %s\n", row.name.c_str());
    }
  }

  Driver& driver_;
  const Options& options_;
  Record expected_, made_;
  Tally tally_;
};

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    std::string* value = name == "--driver"   ? &options.driver
                         : name == "--expect" ? &options.expect
                         : name == "--record" ? &options.record
                         : name == "--note"   ? &options.note
                         : name == "--only"   ? &options.only
                                              : nullptr;
    if (value == nullptr || i + 1 == count) return false;
    *value = arguments[i + 1];
  }
  return !options.driver.empty();
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: texture_table --driver PATH [--expect FILE] [--record FILE] "
                 "[--note TEXT] [--only PART]\n");
    return 2;
  }
  try {
    Driver driver(options.driver);
    return Runner(driver, options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "texture_table: %s\n", error.what());
    return 2;
  }
}
