// SPDX-License-Identifier: Apache-2.0
// Counted launches for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "../exec/text.hpp"
#include "cpu/counts/launch_trace.hpp"

namespace cucore::cpu::test {

// The trace of one launch.
class Counted {
 public:
  explicit Counted(std::unique_ptr<OwnedTrace> trace) : trace_(std::move(trace)) {
    EXPECT_EQ(trace_->launch_count, 1u);
    EXPECT_EQ(launch().result, CUDA_SUCCESS) << launch().fault;
    check_sums();
  }

  const cucore_cpu_trace_launch& launch() const { return trace_->launches[0]; }
  const cucore_cpu_counts& totals() const { return launch().totals; }
  const cucore_cpu_class_counts& of(cucore_cpu_class group) const {
    return launch().classes[group];
  }
  uint64_t warps_of(cucore_cpu_class group) const { return of(group).warp_instructions; }

  // Returns the row whose instruction begins with the text.
  const cucore_cpu_trace_row& row(const std::string& text) const {
    for (size_t i = 0; i < launch().row_count; ++i)
      if (std::string(launch().rows[i].text).starts_with(text)) return launch().rows[i];
    ADD_FAILURE() << "no row " << text;
    return launch().rows[0];
  }

 private:
  // The rows must add up to the totals, field by field, and the classes to the instructions.
  void check_sums() const {
    constexpr size_t FIELDS = sizeof(cucore_cpu_counts) / sizeof(uint64_t);
    uint64_t sum[FIELDS] = {}, total[FIELDS] = {};
    for (size_t i = 0; i < launch().row_count; ++i) {
      uint64_t row[FIELDS];
      std::memcpy(row, &launch().rows[i].counts, sizeof row);
      for (size_t k = 0; k < FIELDS; ++k) sum[k] += row[k];
    }
    std::memcpy(total, &totals(), sizeof total);
    for (size_t k = 0; k < FIELDS; ++k) EXPECT_EQ(sum[k], total[k]) << "field " << k;
    uint64_t warps = 0, threads = 0;
    for (const auto& group : launch().classes) {
      warps += group.warp_instructions;
      threads += group.thread_instructions;
    }
    EXPECT_EQ(warps, totals().warp_instructions);
    EXPECT_EQ(threads, totals().thread_instructions);
  }

  std::unique_ptr<OwnedTrace> trace_;
};

// Counts all launches of a scope.
class Tracing {
 public:
  explicit Tracing(bool footprint = false) {
    EXPECT_TRUE(start_trace(std::make_shared<TraceCollector>(TraceOptions{footprint})));
  }
  ~Tracing() { stop_trace(); }
  std::unique_ptr<OwnedTrace> end() { return stop_trace()->take(); }
};

template <class... A>
Counted count_launch(const Kernel& kernel, const Shape& shape, const A&... arguments) {
  Tracing tracing(true);
  const auto fault = launch(kernel, shape, nullptr, arguments...);
  EXPECT_FALSE(fault.has_value()) << fault->text;
  return Counted(tracing.end());
}

}  // namespace cucore::cpu::test
