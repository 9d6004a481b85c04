// SPDX-License-Identifier: Apache-2.0
// Runs every row of the conformance table on a driver and compares with the reference computed
// here, and with what another device gave.
//   op_table --driver PATH [--expect FILE [--unrecorded FILE] [--differences FILE]] [--record FILE
//   [--note TEXT]]
//     [--only PART]
//   op_table --list | --print TARGET
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "driver.hpp"
#include "kernel_text.hpp"
#include "table_run.hpp"
#include "typed.hpp"

namespace {

using namespace cucore::cpu::ops;

constexpr size_t ROWS_OF_MODULE = 48;
constexpr int SHOWN_DIFFERENCES = 3;

struct Options : TableOptions {
  bool list = false;
  unsigned print = 0;  // writes the rows' PTX for this target instead of running it
};

struct Tally {
  int rows = 0, passed = 0, failed = 0, refused = 0, against_record = 0, nan_only = 0,
      unrecorded = 0, waiting = 0, known = 0;
};

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string listed(const Values& values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i ? " " : "") + hex(values[i]);
  return text;
}

double number(Kind kind, uint64_t bits) {
  if (kind == Kind::f64 || kind == Kind::unit64) return from_bits<double>(bits);
  if (kind == Kind::f16) {
    double fraction = double(bits & 0x3FF), exponent = double(bits >> 10 & 31);
    double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, int(exponent) - 25);
    return bits & 0x8000 ? -size : size;
  }
  if (kind == Kind::bf16) return from_bits<float>(bits << 16);
  return from_bits<float>(bits);
}

// Within the row's bound; NaN equals NaN, infinity equals itself.
bool near(const Case& row, Kind kind, uint64_t want, uint64_t got, double factor) {
  if (want == got) return true;
  if (is_nan(kind, want) || is_nan(kind, got)) return is_nan(kind, want) && is_nan(kind, got);
  double a = number(kind, want), b = number(kind, got);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  double difference = std::fabs(a - b);
  return difference <= factor * row.absolute || difference <= factor * row.relative * std::fabs(a);
}

bool agrees(const Case& row, const Values& want, const Values& got) {
  for (size_t i = 0; i < row.out.size(); ++i) {
    Kind kind = row.out[i];
    bool same = want[i] == got[i];
    if (row.compare == Compare::approx) same = near(row, kind, want[i], got[i], 1.0);
    if (!same) return false;
  }
  return true;
}

std::vector<Values> references(const Case& row, const std::vector<Values>& operands) {
  std::vector<Values> results(operands.size(), Values{});
  for (size_t i = 0; i < operands.size(); i += row.warp_reference ? WARP : 1)
    if (row.warp_reference)
      row.warp_reference(&operands[i], &results[i]);
    else
      row.reference(operands[i], results[i]);
  return results;
}

class Runner {
 public:
  Runner(Driver& driver, const Options& options) : driver_(driver), options_(options) {
    if (!options.expect.empty()) expected_ = read(options.expect);
    pending_ = names_in(options.unrecorded);
    wanted_ = names_in(options.differences);
    made_.device = described(driver, options);
  }

  void run(const std::vector<Case>& rows) {
    for (size_t first = 0; first < rows.size(); first += ROWS_OF_MODULE) {
      size_t count = std::min(ROWS_OF_MODULE, rows.size() - first);
      run_module(std::span(rows).subspan(first, count), first);
    }
    if (!options_.record.empty()) write(made_, options_.record);
  }

  const Tally& tally() const { return tally_; }

 private:
  unsigned target() const { return std::min(driver_.target(), 100u); }

  // The rows of a refused module run one by one, so that one bad row hides no other.
  void run_module(std::span<const Case> rows, size_t first) {
    CUmodule module = nullptr;
    try {
      module = driver_.load(module_text(rows, first, target()));
    } catch (const DriverError& error) {
      if (rows.size() > 1) {
        for (size_t i = 0; i < rows.size(); ++i) run_module(rows.subspan(i, 1), first + i);
        return;
      }
      ++tally_.rows;
      ++tally_.refused;
      std::printf("REFUSED %s: %s\n", rows[0].name.c_str(), error.what());
      return;
    }
    for (size_t i = 0; i < rows.size(); ++i)
      if (!run_row(module, rows[i], first + i)) {
        // The context is lost, so the rest of the module is loaded again.
        driver_.reset();
        if (i + 1 < rows.size()) run_module(rows.subspan(i + 1), first + i + 1);
        return;
      }
    driver_.unload(module);
  }

  bool run_row(CUmodule module, const Case& row, size_t number) {
    ++tally_.rows;
    std::vector<Values> operands = operands_of(row);
    std::vector<uint64_t> flat;
    for (const Values& values : operands) flat.insert(flat.end(), values.begin(), values.end());
    std::vector<uint64_t> raw;
    try {
      raw = driver_.run(module, "c" + std::to_string(number), flat, flat.size(), operands.size(),
                        operands.size() * SCRATCH_BYTES);
    } catch (const DriverError& error) {
      ++tally_.failed;
      std::printf("FAULT %s: %s\n", row.name.c_str(), error.what());
      return false;
    }
    std::vector<Values> results(operands.size());
    for (size_t i = 0; i < results.size(); ++i)
      std::memcpy(results[i].data(), &raw[i * MAX_VALUES], sizeof(Values));
    judge(row, operands, results);
    return true;
  }

  void judge(const Case& row, const std::vector<Values>& operands,
             const std::vector<Values>& results) {
    bool ok = matches_reference(row, operands, results);
    Recorded made = recorded(row, operands, results);
    if (!options_.expect.empty()) ok = matches_record(row, operands, made) && ok;
    made_.rows[row.name] = std::move(made);
    ++(ok ? tally_.passed : tally_.failed);
  }

  bool matches_reference(const Case& row, const std::vector<Values>& operands,
                         const std::vector<Values>& results) {
    if (!row.reference && !row.warp_reference) return true;
    std::vector<Values> wanted = references(row, operands);
    int differences = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (agrees(row, wanted[i], results[i]) || ++differences > SHOWN_DIFFERENCES) continue;
      std::printf("DIFFERS %s (%s): want %s, got %s\n", row.name.c_str(),
                  listed(operands[i], row.in.size()).c_str(),
                  listed(wanted[i], row.out.size()).c_str(),
                  listed(results[i], row.out.size()).c_str());
    }
    if (differences > SHOWN_DIFFERENCES)
      std::printf("DIFFERS %s: %d of %zu in all\n", row.name.c_str(), differences, results.size());
    return differences == 0;
  }

  bool matches_record(const Case& row, const std::vector<Values>& operands, const Recorded& made) {
    auto found = expected_.rows.find(row.name);
    if (pending_.contains(row.name) && found == expected_.rows.end()) {
      ++tally_.waiting;
      return true;
    }
    if (pending_.contains(row.name))
      std::printf("RECORDED, BUT IN THE LIST %s\n", row.name.c_str());
    if (pending_.contains(row.name)) return false;
    if (found == expected_.rows.end() || found->second.stamp != made.stamp) {
      ++tally_.unrecorded;
      std::printf("UNRECORDED %s\n", row.name.c_str());
      return false;
    }
    const Recorded& want = found->second;
    if (row.compare == Compare::approx) return approximates(row, operands, want, made);
    if (wanted_.contains(row.name)) return is_known_difference(row, want, made);
    if (want.bits == made.bits) return true;
    bool nan_only = want.loose == made.loose;
    ++(nan_only ? tally_.nan_only : tally_.against_record);
    std::printf("OTHER THAN RECORDED %s%s\n", row.name.c_str(), nan_only ? " (only NaN)" : "");
    return false;
  }

  bool is_known_difference(const Case& row, const Recorded& want, const Recorded& made) {
    const bool differs = want.bits != made.bits;
    ++(differs ? tally_.known : tally_.against_record);
    if (!differs) std::printf("NO LONGER DIFFERENT %s\n", row.name.c_str());
    return differs;
  }

  // Both devices are within the bound of the true value, so within twice the bound of each other.
  bool approximates(const Case& row, const std::vector<Values>& operands, const Recorded& want,
                    const Recorded& made) {
    for (size_t i = 0; i < made.values.size(); ++i) {
      bool same =
          i < want.values.size() && near(row, row.out[0], want.values[i], made.values[i], 2.0);
      if (same) continue;
      ++tally_.against_record;
      std::printf("OTHER THAN RECORDED %s (%s): recorded %s, got %s\n", row.name.c_str(),
                  listed(operands[i], row.in.size()).c_str(),
                  i < want.values.size() ? hex(want.values[i]).c_str() : "nothing",
                  hex(made.values[i]).c_str());
      return false;
    }
    return true;
  }

  Driver& driver_;
  const Options& options_;
  Record expected_, made_;
  std::set<std::string> pending_, wanted_;
  Tally tally_;
};

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    std::string name = arguments[i];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    if (name == "--print" && i + 1 < count) {
      options.print = static_cast<unsigned>(std::atoi(arguments[++i]));
      continue;
    }
    std::string* value = options.member(name);
    if (value == nullptr || ++i == count) return false;
    *value = arguments[i];
  }
  return options.list || options.print != 0 || !options.driver.empty();
}

// The rows that this device can run; names must be unique.
std::vector<Case> chosen(const Options& options, unsigned target) {
  std::set<std::string> names;
  std::vector<Case> rows;
  Table table = make_table();
  for (const Case& row : table.rows()) {
    if (!names.insert(row.name).second) throw std::runtime_error("two rows named " + row.name);
    if (row.min_target <= target && row.name.find(options.only) != std::string::npos)
      rows.push_back(row);
  }
  return rows;
}

// The device would use the next lower level, which another test covers.
bool can_run_level() {
  const char* level = std::getenv("CUCORE_CPU_SIMD");
  const std::string_view wanted = level ? level : "";
  if (wanted == "avx512") return __builtin_cpu_supports("avx512vl") != 0;
  return wanted != "avx2" || __builtin_cpu_supports("avx2") != 0;
}

int run(const Options& options) {
  if (options.list) {
    for (const Case& row : chosen(options, 1000)) std::printf("%s\n", row.name.c_str());
    return 0;
  }
  if (options.print != 0) {
    std::vector<Case> rows = chosen(options, options.print);
    std::fputs(module_text(rows, 0, options.print).c_str(), stdout);
    return 0;
  }
  if (!can_run_level()) {
    std::printf("skipped: this processor has no %s\n", std::getenv("CUCORE_CPU_SIMD"));
    return 77;
  }
  Driver driver(options.driver);
  Runner runner(driver, options);
  runner.run(chosen(options, driver.target()));
  const Tally& t = runner.tally();
  std::printf("%s: %d rows, %d passed, %d failed, %d refused", driver.device_name().c_str(), t.rows,
              t.passed, t.failed, t.refused);
  if (!options.expect.empty())
    std::printf(
        "; against the record: %d differ, %d known to differ, %d only in NaN, %d not recorded yet, "
        "%d unrecorded",
        t.against_record, t.known, t.nan_only, t.waiting, t.unrecorded);
  std::printf("\n");
  return t.failed + t.refused == 0 && t.rows > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: op_table --driver PATH [--expect FILE] [--record FILE] "
                 "[--note TEXT] [--only PART] [--list]\n");
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "op_table: %s\n", error.what());
    return 2;
  }
}
