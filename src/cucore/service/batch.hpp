// SPDX-License-Identifier: Apache-2.0
// A batch: many compiles at once, in worker processes, with a cache or without.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <span>

#include "service/cached_compile.hpp"

namespace cucore::service {

// One of the two is null.
struct BatchResult {
  Ref<const core::ObjectCode> code;
  std::exception_ptr failure;
};

// Receives the result of one item, and the number of results so far. The calls come from any
// thread, one at a time.
using BatchReport = std::function<void(size_t index, size_t done, const BatchResult& result)>;

struct BatchOptions {
  cache::Cache* cache = nullptr;
  size_t workers = 0;                       // 0: one per core
  std::chrono::milliseconds time_limit{0};  // of one compile; 0: none
};

// Reports the result of every item. Throws NOT_FOUND if the program of the workers is missing.
void compile_batch(std::span<const CompileRequest> items, const BatchOptions& options,
                   const BatchReport& report);

}  // namespace cucore::service
