// SPDX-License-Identifier: Apache-2.0
// The file of results that a device gave: a line a row, with hashes; .approx rows with their
// values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case.hpp"

namespace cucore::cpu::ops {

struct Recorded {
  uint64_t stamp = 0;            // hash of the row's text and operands: what the results belong to
  uint64_t bits = 0;             // hash of all results
  uint64_t loose = 0;            // the same with one NaN for all
  std::vector<uint64_t> values;  // .approx rows: the first result of each thread
};

struct Record {
  std::string device;  // what was run, where and when
  std::map<std::string, Recorded> rows;
};

Recorded recorded(const Case& row, const std::vector<Values>& operands,
                  const std::vector<Values>& results);

void write(const Record& record, const std::string& path);
Record read(const std::string& path);  // throws std::runtime_error

// True for a NaN of this kind; for pairs of halves when either is.
bool is_nan(Kind kind, uint64_t bits);
// `bits` with NaNs replaced by one.
uint64_t with_one_nan(Kind kind, uint64_t bits);

}  // namespace cucore::cpu::ops
