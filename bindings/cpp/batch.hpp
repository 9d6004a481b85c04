// SPDX-License-Identifier: Apache-2.0
// The compiles of a batch and their results, added and read one at a time.
#pragma once

#include <cucore/batch.hpp>
#include <vector>

#include "caching.hpp"
#include "failure.hpp"

namespace cucore::bind {

class Batch {
 public:
  void add(const cucore_program* program, cucore_code_type target, const char* const* names,
           size_t name_count) {
    items_.push_back(
        {Program::share(program), static_cast<CodeType>(target), {names, names + name_count}});
  }

  // Call once, after the last add().
  void run(int64_t workers, int64_t time_limit_ms, const cucore_cache* cache) {
    BatchOptions options;
    options.workers = to_uint32(workers, "workers");
    options.time_limit = std::chrono::milliseconds(to_uint32(time_limit_ms, "time_limit_ms"));
    options.cache = Cache::share(cache);
    try {
      results_ = Program::compile_batch(items_, options);
    } catch (const Error& error) {
      throw Failure(error);
    }
  }

  // Returns a new reference; null if the item failed.
  cucore_objectcode* code(size_t index) const { return ObjectCode(at(index).code).release(); }

  // Throws the item's failure, if it failed.
  void check(size_t index) const {
    if (at(index).error) throw Failure(at(index).error);
  }

 private:
  const BatchResult& at(size_t index) const {
    if (index >= results_.size())
      throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, "the index exceeds the results of the batch");
    return results_[index];
  }

  std::vector<BatchItem> items_;
  std::vector<BatchResult> results_;
};

}  // namespace cucore::bind
