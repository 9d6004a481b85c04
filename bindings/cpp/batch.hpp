// SPDX-License-Identifier: Apache-2.0
// The compiles of a batch and their results, added and read one at a time.
#pragma once

#include <cucore/program.hpp>
#include <deque>
#include <string>
#include <vector>

namespace cucore::bind {

class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(const cucore_program* program, cucore_code_type target, const char* const* names,
           size_t name_count);
  // Call once, after the last add().
  void run(int64_t workers, int64_t time_limit_ms, cucore_cache* cache);
  // Returns a new reference; null if the item failed.
  cucore_objectcode* code(size_t index) const;
  // Throws the item's failure, if it failed.
  void check(size_t index) const;

 private:
  struct Item {
    Program program;
    cucore_code_type target;
    std::vector<std::string> names;
    std::vector<const char*> pointers;
  };

  void require_done(size_t index) const;

  std::deque<Item> items_;
  std::vector<ObjectCode> codes_;
  std::vector<Error> errors_;
};

}  // namespace cucore::bind
