// SPDX-License-Identifier: Apache-2.0
// Runs every row of the table of matrix instructions on a driver. The results are compared with the
// reference computed here, and with what another device gave.
//   matrix_table --driver PATH [--expect FILE] [--record FILE [--note TEXT]] [--only PART]
//   [--unrecorded FILE] [--probe] [--fit]
//   matrix_table --ptx FOLDER [--only PART]
// The second form writes the modules of the rows for sm_90, NUMBER.ptx, so that ptxas can check
// them.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "../ops/table_run.hpp"
#include "kernel_text.hpp"
#include "probe.hpp"
#include "reference.hpp"

namespace {

using namespace cucore::cpu::matrix;
using cucore::cpu::ops::Driver;
using cucore::cpu::ops::DriverError;
using cucore::cpu::ops::HASH_START;
using cucore::cpu::ops::hashed;
using cucore::cpu::ops::Recorded;
using cucore::cpu::ops::TableOptions;
using cucore::cpu::ops::TableRun;

constexpr unsigned SETS = 6;  // of random operands per row
constexpr int SHOWN_DIFFERENCES = 3;

struct Options : TableOptions {
  bool probes = false;
  bool fits = false;  // searches the best model of rows that differ
  std::string ptx;    // the folder to write modules to
};

uint64_t mixed(uint64_t hash, uint64_t value) { return hashed(hash, &value, sizeof value); }

uint64_t hash_of(const Words& words, uint64_t start = HASH_START) {
  for (uint32_t word : words) start = mixed(start, word);
  return start;
}

// The operands of a row are the same in each run.
Words operands_of(const Case& row) {
  uint64_t seed = HASH_START;
  for (char c : row.name) seed = mixed(seed, static_cast<unsigned char>(c));
  Random random(seed);
  Words all;
  for (unsigned set = 0; set < SETS; ++set) {
    Words in(size_t{row.in} * row.threads);
    row.fill(random, in);
    all.insert(all.end(), in.begin(), in.end());
  }
  return all;
}

class Runner {
 public:
  Runner(Driver& driver, const Options& options)
      : driver_(driver), options_(options), run_(driver, options) {}

  int run() {
    const unsigned sm = driver_.target();
    use_architecture(sm);
    for (const Case& row : make_table())
      if (row.first_sm <= sm && (sm == 90 || !row.needs_variant) && run_.begin(row.name))
        run_row(row);
    return run_.finish();
  }

 private:
  void run_row(const Case& row) {
    const Words in = operands_of(row);
    Words out;
    try {
      out = results_of(driver_, row, in, SETS);
    } catch (const DriverError& error) {
      run_.refuse(row.name, error);
      driver_.reset();
      return;
    }
    compare(row, in, out);
    Recorded made;
    made.stamp = mixed(hash_of(in), hash_of(Words(row.body.begin(), row.body.end())));
    made.bits = made.loose = hash_of(out);
    run_.add(row.name, made);
  }

  // Counts the words of one set that differ from the reference.
  static int differences(const Case& row, const Words& in, const Words& out, unsigned set) {
    const size_t in_size = size_t{row.in} * row.threads, out_size = size_t{row.out} * row.threads;
    const auto first = in.begin() + static_cast<long>(set * in_size);
    Words want(out_size);
    row.reference(Words(first, first + static_cast<long>(in_size)), want);
    int count = 0;
    for (size_t i = 0; i < out_size; ++i) count += out[set * out_size + i] != want[i];
    return count;
  }

  static void fit(const Case& row, const Words& in, const Words& out) {
    Model best;
    int least = INT32_MAX;
    for (unsigned block : {2u, 4u, 8u, 16u, 32u})
      for (unsigned bits = 11; bits <= 28; ++bits)
        for (unsigned result : {13u, 23u}) {
          const Model model = {block, bits, result};
          use_model(&model);
          const int count = differences(row, in, out, 0) + differences(row, in, out, 1);
          if (count < least) best = model;
          least = std::min(least, count);
        }
    use_model(nullptr);
    std::printf("FIT %s: blocks of %u, %u bits, result %u: %d words differ\n", row.name.c_str(),
                best.block, best.fraction_bits, best.result_bits, least);
  }

  void compare(const Case& row, const Words& in, const Words& out) {
    const size_t in_size = size_t{row.in} * row.threads, out_size = size_t{row.out} * row.threads;
    int count = 0;
    for (unsigned set = 0; set < SETS; ++set) {
      const auto first = in.begin() + static_cast<long>(set * in_size);
      Words want(out_size);
      row.reference(Words(first, first + static_cast<long>(in_size)), want);
      for (size_t i = 0; i < out_size; ++i) {
        const uint32_t got = out[set * out_size + i];
        if (got == want[i] || ++count > SHOWN_DIFFERENCES) continue;
        std::printf("DIFFERS %s: set %u word %zu thread %zu: want %08x, got %08x\n",
                    row.name.c_str(), set, i / row.threads, i % row.threads, want[i], got);
      }
    }
    if (count > SHOWN_DIFFERENCES)
      std::printf("DIFFERS %s: %d of %zu in all\n", row.name.c_str(), count, out.size());
    if (count == 0) return;
    run_.fail();
    if (options_.fits) fit(row, in, out);
  }

  Driver& driver_;
  const Options& options_;
  TableRun run_;
};

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--probe" || name == "--fit") {
      (name == "--probe" ? options.probes : options.fits) = true;
      continue;
    }
    std::string* value = name == "--ptx" ? &options.ptx : options.member(name);
    if (value == nullptr || ++i == count) return false;
    *value = arguments[i];
  }
  return options.driver.empty() != options.ptx.empty();
}

int write_modules(const Options& options) {
  int number = 0;
  for (const Case& row : make_table()) {
    if (row.name.find(options.only) == std::string::npos) continue;
    std::ofstream file(options.ptx + "/" + std::to_string(number++) + ".ptx");
    file << "// " << row.name << "\n" << module_text(row, 90);
    if (!file.flush()) throw std::runtime_error("cannot write to " + options.ptx);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: matrix_table --driver PATH [--expect FILE] [--record FILE] [--note TEXT] "
                 "[--only PART] [--unrecorded FILE] [--probe] [--fit]\n"
                 "       matrix_table --ptx FOLDER [--only PART]\n");
    return 2;
  }
  try {
    if (!options.ptx.empty()) return write_modules(options);
    Driver driver(options.driver);
    if (options.probes) return print_probes(driver);
    return Runner(driver, options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "matrix_table: %s\n", error.what());
    return 2;
  }
}
