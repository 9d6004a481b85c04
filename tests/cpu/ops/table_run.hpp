// SPDX-License-Identifier: Apache-2.0
// The common part of the programs that run a table of rows: options, hashes of results, the
// comparison with a record, and counts.
#pragma once

#include <set>
#include <string>

#include "driver.hpp"
#include "record.hpp"

namespace cucore::cpu::ops {

struct TableOptions {
  std::string driver, expect, record, note, only;
  // A file of lines "name | reason": rows whose results may not be those of the record.
  std::string differences;
  // A file of names: rows that no GPU has run yet, so that the record lacks them.
  std::string unrecorded;

  // Returns the member that the option, for example "--driver", sets; nullptr for other options.
  std::string* member(const std::string& option);
};

// The device, and the note, as a record contains them.
std::string described(const Driver& driver, const TableOptions& options);

// Returns the names in a file of TableOptions; lines that begin with '#' are comments.
std::set<std::string> names_in(const std::string& path);

inline constexpr uint64_t HASH_START = 0xcbf29ce484222325;
uint64_t hashed(uint64_t hash, const void* data, size_t bytes);  // FNV-1a

// Counts rows, and compares each with the record of another device.
class TableRun {
 public:
  TableRun(const Driver& driver, const TableOptions& options);

  // Returns whether the row is run. Throws if two rows have the name.
  bool begin(const std::string& name);
  void refuse(const std::string& name, const DriverError& error);
  void fail() { ++failed_; }
  void add(const std::string& name, const Recorded& made);

  // Writes the record and prints the counts; returns the exit code.
  int finish() const;

 private:
  void compare(const std::string& name, const Recorded& made);

  const Driver& driver_;
  const TableOptions& options_;
  std::set<std::string> names_, wanted_, pending_;
  Record expected_, made_;
  int rows_ = 0, failed_ = 0, refused_ = 0, differ_ = 0, unrecorded_ = 0, known_ = 0, waiting_ = 0;
};

}  // namespace cucore::cpu::ops
