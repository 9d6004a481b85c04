// SPDX-License-Identifier: Apache-2.0
// Runs every row of the table of matrix instructions on a driver. The results are compared with the
// reference computed here, and with what another device gave.
//   matrix_table --driver PATH [--expect FILE] [--record FILE [--note TEXT]] [--only PART]
//   [--probe] [--fit]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "../ops/driver.hpp"
#include "../ops/record.hpp"
#include "kernel_text.hpp"
#include "probe.hpp"
#include "reference.hpp"

namespace {

using namespace cucore::cpu::matrix;
using cucore::cpu::ops::Driver;
using cucore::cpu::ops::DriverError;
using cucore::cpu::ops::Record;
using cucore::cpu::ops::Recorded;

constexpr unsigned SETS = 6;  // of random operands per row
constexpr int SHOWN_DIFFERENCES = 3;

struct Options {
  std::string driver, expect, record, note, only;
  bool probes = false;
  bool fits = false;  // searches the best model of rows that differ
};

struct Tally {
  int rows = 0, failed = 0, refused = 0, differ = 0, unrecorded = 0;
};

uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> 8 * i & 0xFF)) * 0x100000001b3;
  return hash;
}

uint64_t hash_of(const Words& words, uint64_t start = 0xcbf29ce484222325) {
  for (uint32_t word : words) start = mixed(start, word);
  return start;
}

// The operands of a row are the same in each run.
Words operands_of(const Case& row) {
  uint64_t seed = 0xcbf29ce484222325;
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
    const bool good = t.failed + t.refused + t.differ + t.unrecorded == 0;
    return good && t.rows > 0 ? 0 : 1;
  }

 private:
  void run_row(const Case& row) {
    ++tally_.rows;
    const Words in = operands_of(row);
    Words out;
    try {
      out = results_of(driver_, row, in, SETS);
    } catch (const DriverError& error) {
      ++tally_.refused;
      std::printf("REFUSED %s: %s\n", row.name.c_str(), error.what());
      driver_.reset();
      return;
    }
    compare(row, in, out);
    Recorded made;
    made.stamp = mixed(hash_of(in), hash_of(Words(row.body.begin(), row.body.end())));
    made.bits = made.loose = hash_of(out);
    if (!options_.expect.empty()) compare_record(row, made);
    made_.rows[row.name] = made;
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
    tally_.failed += count != 0;
    if (count != 0 && options_.fits) fit(row, in, out);
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
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--probe" || name == "--fit") {
      (name == "--probe" ? options.probes : options.fits) = true;
      continue;
    }
    std::string* value = name == "--driver"   ? &options.driver
                         : name == "--expect" ? &options.expect
                         : name == "--record" ? &options.record
                         : name == "--note"   ? &options.note
                         : name == "--only"   ? &options.only
                                              : nullptr;
    if (value == nullptr || ++i == count) return false;
    *value = arguments[i];
  }
  return !options.driver.empty();
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: matrix_table --driver PATH [--expect FILE] [--record FILE] "
                 "[--note TEXT] [--only PART] [--probe] [--fit]\n");
    return 2;
  }
  try {
    Driver driver(options.driver);
    if (options.probes) return print_probes(driver);
    return Runner(driver, options).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "matrix_table: %s\n", error.what());
    return 2;
  }
}
