// SPDX-License-Identifier: Apache-2.0
// All values of a context, and what is known about them as a whole.
#pragma once

#include <cstdint>

#include "array/ir/value.hpp"

namespace cucore::array {

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  size_t pending() const noexcept { return pending_; }
  // The memory that pending values alone keep.
  int64_t retained_bytes() const noexcept { return retained_bytes_; }
  Value* first_pending() const noexcept { return first_; }  // the newest
  static Value* next_pending(const Value& value) noexcept { return value.next_; }

  // A number that no mark of a value has.
  uint32_t new_mark() noexcept { return ++mark_; }

 private:
  friend class Value;
  friend class ValueRef;
  void insert(Value& value) noexcept;
  void remove(Value& value) noexcept;
  void destroy(Value* value) noexcept;

  Value* first_ = nullptr;
  size_t pending_ = 0;
  int64_t retained_bytes_ = 0;
  uint32_t mark_ = 0;
  Value* dying_ = nullptr;  // without references, to be destroyed
  bool destroying_ = false;
};

}  // namespace cucore::array
