/// @file cucore/batch.hpp
/// The compile of many programs in worker processes.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_BATCH_HPP_INCLUDED
#define CUCORE_BATCH_HPP_INCLUDED

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cache.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// One compile of many.
struct BatchItem {
  Program program{};
  CodeType target = CodeType::ptx;
  std::vector<std::string> name_expressions{};
};

/// The result of one item: the object code, or the error.
struct BatchResult {
  ObjectCode code{};
  Error error{};
};

/// How to compile many programs at once.
struct BatchOptions {
  /// Reports the end of an item: its index, how many have ended, of how many, and its failure or
  /// null. Runs on threads of the batch, one call at a time. An exception passes through the call.
  using Report = std::function<void(std::size_t index, std::size_t done, std::size_t count,
                                    const Error* failure)>;

  std::size_t workers = 0;                 ///< processes; 0: one per core
  std::chrono::milliseconds time_limit{};  ///< of each compile; 0: unlimited
  Cache cache{};                           ///< empty: none
  Report report{};                         ///< empty: none
};

namespace detail {

struct BatchReport {
  static void deliver(std::size_t index, std::size_t done, std::size_t count,
                      const cucore_error* failure, void* data) {
    auto& self = *static_cast<BatchReport*>(data);
    self.captured.run([&] {
      const Error error = Error::share(failure);
      self.report(index, done, count, failure ? &error : nullptr);
    });
  }

  const BatchOptions::Report& report;
  Captured captured{};
};

}  // namespace detail

inline Returned<std::vector<BatchResult>> Program::compile_batch(Span<const BatchItem> items,
                                                                 const BatchOptions& options) {
  using All = std::vector<BatchResult>;
  std::vector<Names> names;
  std::vector<cucore_batch_item> list;
  names.reserve(items.size());
  list.reserve(items.size());
  for (const BatchItem& item : items) {
    const Names& each = names.emplace_back(item.name_expressions);
    list.push_back({item.program.get(), static_cast<cucore_code_type>(item.target), 0, each.data(),
                    each.size()});
  }
  detail::BatchReport report{options.report};
  cucore_batch_options c = CUCORE_BATCH_OPTIONS_INIT;
  c.workers = options.workers;
  c.time_limit_ms = detail::milliseconds(options.time_limit);
  c.cache = options.cache.get();
  c.report = options.report ? detail::BatchReport::deliver : nullptr;
  c.user_data = &report;
  std::vector<cucore_objectcode*> codes(items.size());
  std::vector<cucore_error*> failures(items.size());
  All results(items.size());
  cucore_error* error = nullptr;
  const cucore_status status = cucore_program_compile_batch(list.data(), list.size(), &c,
                                                            codes.data(), failures.data(), &error);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].code.reset(codes[i]);
    results[i].error = Error::adopt(failures[i]);
  }
  Error failure(status, error);
  report.captured.rethrow();
  if (failure) return detail::failed<All>(std::move(failure));
  return results;
}

inline Returned<std::vector<BatchResult>> Program::compile_batch(Span<const BatchItem> items) {
  return compile_batch(items, BatchOptions());
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_BATCH_HPP_INCLUDED
