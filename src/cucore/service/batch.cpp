// SPDX-License-Identifier: Apache-2.0
#include "service/batch.hpp"

#include <mutex>

#include "core/compile/batch.hpp"
#include "core/compile/worker.hpp"

namespace cucore::service {
namespace {

Ref<const core::ObjectCode> compile_item(cache::Cache* cache, const CompileRequest& item,
                                         core::NvrtcRunner& runner) {
  if (cache) return compile(*cache, item, runner).code;
  return item.program->compile(item.target, item.expressions, runner);
}

// A failure belongs to its item, and does not end the batch.
BatchResult result_of(cache::Cache* cache, const CompileRequest& item,
                      core::NvrtcRunner& runner) noexcept {
  try {
    return {compile_item(cache, item, runner), nullptr};
  } catch (...) {
    return {nullptr, std::current_exception()};
  }
}

}  // namespace

void compile_batch(std::span<const CompileRequest> items, const BatchOptions& options,
                   const BatchReport& report) {
  if (!items.empty()) core::Worker::find_program();
  std::mutex mutex;
  size_t done = 0;
  const cache::Building* const callers = cache::Building::current();
  core::run_batch(items.size(), options.workers, options.time_limit,
                  [&](size_t index, core::NvrtcRunner& runner) {
                    const cache::BuildsFor caller(callers);
                    const BatchResult result = result_of(options.cache, items[index], runner);
                    std::lock_guard lock(mutex);
                    report(index, ++done, result);
                  });
}

}  // namespace cucore::service
