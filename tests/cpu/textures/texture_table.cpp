// SPDX-License-Identifier: Apache-2.0
// Runs every row of the table of texture reads on a driver. The results are compared with the model
// of this folder, and with what another device gave.
//   texture_table --driver PATH [--expect FILE] [--record FILE [--note TEXT]] [--only PART]
//     [--values FILE]
// The last option writes all results, one row in a line.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "../ops/table_run.hpp"
#include "images.hpp"

namespace {

using namespace cucore::cpu::textures;
using cucore::cpu::ops::Driver;
using cucore::cpu::ops::DriverError;
using cucore::cpu::ops::HASH_START;
using cucore::cpu::ops::hashed;
using cucore::cpu::ops::Recorded;
using cucore::cpu::ops::TableOptions;
using cucore::cpu::ops::TableRun;

constexpr int SHOWN_DIFFERENCES = 2;
constexpr unsigned LEAST_TARGET = 75;

class Runner {
 public:
  Runner(Driver& driver, const TableOptions& options, const std::string& values)
      : driver_(driver), options_(options), run_(driver, options) {
    if (!values.empty()) values_.open(values);
  }

  int run() {
    for (const Case& row : make_table())
      if (run_.begin(row.name)) run_row(row);
    const int code = run_.finish();
    if (values_.is_open() && !values_.flush()) throw DriverError("the values cannot be written");
    return code;
  }

 private:
  void run_row(const Case& row) {
    const Texels texels = texels_of(row);
    const std::vector<Operands> operands = operands_of(row);
    std::vector<Result> results;
    try {
      results = results_of(row, texels, operands);
    } catch (const DriverError& error) {
      run_.refuse(row.name, error);
      driver_.reset();
      return;
    }
    compare(row, texels, operands, results);
    write(row, results);
    Recorded made;
    made.stamp = hashed(HASH_START, operands.data(), operands.size() * sizeof(Operands));
    for (const auto& level : texels) made.stamp = hashed(made.stamp, level.data(), level.size());
    made.bits = made.loose = hashed(HASH_START, results.data(), results.size() * sizeof(Result));
    run_.add(row.name, made);
  }

  std::vector<Result> results_of(const Case& row, const Texels& texels,
                                 const std::vector<Operands>& operands) {
    const Image image(options_.driver, row, texels);
    std::vector<uint64_t> packed(1 + operands.size() * sizeof(Operands) / 8);
    packed[0] = image.object();
    std::memcpy(&packed[1], operands.data(), operands.size() * sizeof(Operands));
    CUmodule module = driver_.load(module_text(row, LEAST_TARGET));
    const auto raw = driver_.run(module, "k", packed, operands.size() * 2, operands.size(), 8);
    driver_.unload(module);
    std::vector<Result> results(operands.size());
    std::memcpy(results.data(), raw.data(), results.size() * sizeof(Result));
    return results;
  }

  void write(const Case& row, const std::vector<Result>& results) {
    if (!values_.is_open()) return;
    values_ << row.name << std::hex;
    for (const Result& result : results)
      for (uint32_t word : result) values_ << ' ' << word;
    values_ << '\n';
  }

  void compare(const Case& row, const Texels& texels, const std::vector<Operands>& operands,
               const std::vector<Result>& results) {
    int count = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const Result want = expected(row, texels, operands[i], i);
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
    if (count) run_.fail();
  }

  Driver& driver_;
  const TableOptions& options_;
  TableRun run_;
  std::ofstream values_;
};

bool parse(int count, char** arguments, TableOptions& options, std::string& values) {
  for (int i = 1; i < count; i += 2) {
    const bool is_values = std::strcmp(arguments[i], "--values") == 0;
    std::string* value = is_values ? &values : options.member(arguments[i]);
    if (value == nullptr || i + 1 == count) return false;
    *value = arguments[i + 1];
  }
  return !options.driver.empty();
}

}  // namespace

int main(int count, char** arguments) {
  TableOptions options;
  std::string values;
  if (!parse(count, arguments, options, values)) {
    std::fprintf(stderr,
                 "usage: texture_table --driver PATH [--expect FILE] [--record FILE] "
                 "[--note TEXT] [--only PART] [--values FILE]\n");
    return 2;
  }
  try {
    Driver driver(options.driver);
    return Runner(driver, options, values).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "texture_table: %s\n", error.what());
    return 2;
  }
}
