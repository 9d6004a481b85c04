// SPDX-License-Identifier: Apache-2.0
// The file of a device's results: one line per row, with hashes; .approx rows with their values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case.hpp"

namespace cucore::cpu::ops {

struct Recorded {
  // hash of the row's text and operands, which identifies the results
  uint64_t stamp = 0;
  uint64_t bits = 0;             // hash of all results
  uint64_t loose = 0;            // the same with one NaN for all
  std::vector<uint64_t> values;  // .approx rows: the first result of each thread
};

struct Record {
  std::string device;  // the program, the machine and the date
  std::map<std::string, Recorded> rows;
};

Recorded recorded(const Case& row, const std::vector<Values>& operands,
                  const std::vector<Values>& results);

void write(const Record& record, const std::string& path);
Record read(const std::string& path);  // throws std::runtime_error

// Returns true for a NaN of this kind; for pairs of halves, if either is NaN.
bool is_nan(Kind kind, uint64_t bits);
// Returns `bits` with all NaNs replaced by one.
uint64_t with_one_nan(Kind kind, uint64_t bits);

}  // namespace cucore::cpu::ops
