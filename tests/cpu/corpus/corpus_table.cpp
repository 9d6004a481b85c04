// SPDX-License-Identifier: Apache-2.0
// Runs the shared kernels on a driver, from their PTX. The results are compared with those of
// another device.
//   corpus_table --driver PATH --kernels FOLDER [--expect FILE] [--record FILE [--note TEXT]]
//   [--only PART]
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../ops/table_run.hpp"
#include "case.hpp"

namespace {

using namespace cucore::cpu::corpus;
using cucore::cpu::ops::Driver;
using cucore::cpu::ops::DriverError;
using cucore::cpu::ops::HASH_START;
using cucore::cpu::ops::hashed;
using cucore::cpu::ops::read;
using cucore::cpu::ops::Record;
using cucore::cpu::ops::Recorded;
using cucore::cpu::ops::TableOptions;
using cucore::cpu::ops::TableRun;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Runner {
 public:
  Runner(Driver& driver, const TableOptions& options, const std::string& kernels)
      : driver_(driver), kernels_(kernels), run_(driver, options) {
    if (!options.expect.empty()) expected_ = read(options.expect);
  }

  int run() {
    for (unsigned target : {75u, 90u})
      for (const Case& row : make_cases()) {
        if (broken_ || row.min_target > target || target > driver_.target()) continue;
        std::string name = row.file + "." + std::to_string(target) + ": " + row.kernel;
        if (!row.name.empty()) name += ", " + row.name;
        if (run_.begin(name)) run_row(row, name, target);
      }
    return run_.finish();
  }

 private:
  void run_row(const Case& row, const std::string& name, unsigned target) {
    const std::string ptx =
        text_of(kernels_ + "/" + row.file + "." + std::to_string(target) + ".ptx");
    Recorded made;
    made.stamp = hashed(HASH_START, ptx.data(), ptx.size());
    for (const Bytes& array : row.arrays)
      made.stamp = hashed(made.stamp, array.data(), array.size());
    for (const auto& argument : row.arguments)
      made.stamp = hashed(made.stamp, argument.bytes.data(), argument.bytes.size());
    made.bits = HASH_START;
    try {
      run_on_device(row, row.fuses ? with_fused_products(ptx) : ptx, made);
    } catch (const DriverError& error) {
      run_.refuse(name, error);
      reset();
      return;
    }
    made.loose = made.bits;
    if (!made.values.empty()) agree(row, name, made);
    run_.add(name, made);
  }

  void run_on_device(const Case& row, const std::string& ptx, Recorded& made) {
    CUmodule module = driver_.load(ptx);
    for (const auto& [name, bytes] : row.variables) driver_.write_variable(module, name, bytes);
    std::vector<Bytes> arrays = row.arrays;
    driver_.launch(module, row.kernel, row.shape, row.arguments, arrays);
    if (!row.counter.empty()) arrays.push_back(driver_.read_variable(module, row.counter));
    driver_.unload(module);
    for (const Output& output : row.outputs) add(output, arrays[output.array], made);
    if (!row.counter.empty())
      made.bits = hashed(made.bits, arrays.back().data(), arrays.back().size());
  }

  static void add(const Output& output, const Bytes& bytes, Recorded& made) {
    const size_t width = output.type == Type::F64 ? 8 : 4;
    if (output.tolerance == 0) {
      made.bits = hashed(made.bits, bytes.data(), bytes.size());
      return;
    }
    for (size_t at = 0; at < bytes.size(); at += width) {
      uint64_t value = 0;
      std::memcpy(&value, &bytes[at], width);
      made.values.push_back(value);
    }
  }

  // Prints how far approximate results are from those of the record.
  void agree(const Case& row, const std::string& name, const Recorded& made) {
    const auto found = expected_.rows.find(name);
    if (found == expected_.rows.end() || found->second.values.size() != made.values.size()) return;
    const Output& output = row.outputs.front();
    size_t beyond = 0, equal = 0;
    double most = 0;
    for (size_t i = 0; i < made.values.size(); ++i) {
      if (made.values[i] == found->second.values[i] && ++equal) continue;
      const double a = number(output.type, made.values[i]);
      const double b = number(output.type, found->second.values[i]);
      const double error = std::fabs(a - b) / std::fmax(std::fabs(a), std::fabs(b));
      most = std::fmax(most, error);
      beyond += !(error <= output.tolerance);
    }
    if (beyond == 0) return;
    std::printf("BEYOND THE BOUND %s: %zu of %zu, %zu are equal, the largest error is %g\n",
                name.c_str(), beyond, made.values.size(), equal, most);
    run_.fail();
  }

  static double number(Type type, uint64_t bits) {
    return type == Type::F64 ? std::bit_cast<double>(bits)
                             : double{std::bit_cast<float>(uint32_t(bits))};
  }

  // An error that outlives the reset ends the run; the rows before it are written.
  void reset() {
    try {
      driver_.reset();
    } catch (const DriverError& error) {
      std::printf("NO FURTHER ROWS: %s\n", error.what());
      broken_ = true;
    }
  }

  Driver& driver_;
  std::string kernels_;
  bool broken_ = false;
  TableRun run_;
  Record expected_;
};

bool parse(int count, char** arguments, TableOptions& options, std::string& kernels) {
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    std::string* value = name == "--kernels" ? &kernels : options.member(name);
    if (value == nullptr || i + 1 == count) return false;
    *value = arguments[i + 1];
  }
  return !options.driver.empty() && !kernels.empty();
}

}  // namespace

int main(int count, char** arguments) {
  TableOptions options;
  std::string kernels;
  if (!parse(count, arguments, options, kernels)) {
    std::fprintf(
        stderr,
        "usage: corpus_table --driver PATH --kernels FOLDER [--expect FILE] [--record FILE] "
        "[--note TEXT] [--only PART]\n");
    return 2;
  }
  try {
    Driver driver(options.driver);
    return Runner(driver, options, kernels).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "corpus_table: %s\n", error.what());
    return 2;
  }
}
