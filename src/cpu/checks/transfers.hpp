// SPDX-License-Identifier: Apache-2.0
// The checks of copies, fills and frees. They initialise bytes, and other work of streams that uses
// the bytes needs an order with them.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/checks/joined_reads.hpp"
#include "cpu/checks/lane_checks.hpp"
#include "cpu/checks/segments.hpp"

namespace cucore::cpu {

// A copy, fill or free while it runs. Does nothing if no check needs it.
class Transfer {
 public:
  explicit Transfer(std::shared_ptr<StreamWork> operation);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void reads(uint64_t address, uint64_t size);
  void writes(uint64_t address, uint64_t size);
  void frees(uint64_t address);
  // The bytes become initialised, or as those of the source.
  static void initialises(uint64_t address, uint64_t size);
  static void copies(uint64_t to, uint64_t from, uint64_t size);

 private:
  enum class Use : uint8_t { READ, WRITE, FREE };
  void visit(uint64_t address, uint64_t size, Use use);
  // Checks one record, if `good`, and writes it. Returns false after a report.
  bool visit_record(const Records& records, uint64_t k, uint64_t at, Use use, bool good);
  bool check(uint32_t cell, uint16_t site, uint64_t address, Use use, bool wrote);
  // Checks the access of one operation.
  bool check_order(const StreamWork& other, uint16_t site, uint64_t address, Use use, bool wrote);
  // Returns the new record of the reader of a cell.
  uint32_t record_of_read(const Records& records, uint64_t k);

  const std::shared_ptr<StreamWork> operation_;
  uint32_t id_ = 0;  // of its first segment; 0: nothing to check
  ReadJoiner joiner_;
};

}  // namespace cucore::cpu
