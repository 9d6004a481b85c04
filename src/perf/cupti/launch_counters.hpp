// SPDX-License-Identifier: Apache-2.0
// The hardware counters of single launches. CUPTI runs a kernel several times if the metrics need
// several passes, and restores the memory in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "perf/cupti/chip.hpp"

namespace cucore::perf {

// Returns CUPTI's name of the chip of a device.
std::string chip_name(int ordinal, const char* attempt);

// The range profiler of a context, enabled.
class RangeProfiler {
 public:
  RangeProfiler(const CuptiTarget& cupti, CUcontext context, const char* attempt);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  CUpti_RangeProfiler_Object* get() const { return object_; }

 private:
  const CuptiTarget& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

// Not for use by several threads at a time. A context has one of these at a time.
class LaunchCounters {
 public:
  // The names are static. Throws what check_cupti() throws.
  LaunchCounters(CUcontext context, const Chip& chip, std::vector<const char*> metrics,
                 const char* attempt);
  size_t passes() const { return plan_.passes; }
  const std::vector<const char*>& metrics() const { return metrics_; }

  // The next launches in the context are counted until end(), which waits for them. Returns the
  // values of the metrics for each launch, in their order. MOST are counted; further ones are lost.
  static constexpr size_t MOST = 64;
  void begin();
  std::vector<std::vector<double>> end();

  // Counts all launches in the context during a work as one range. The work waits for its launches,
  // and runs once per pass. Passes the exception of the work on. Use an object for launches or for
  // a range, because CUPTI refuses the change.
  std::vector<double> count_range(const std::function<void()>& work);

 private:
  void reset(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode replay, size_t most);
  void start();
  bool stop();  // whether all passes have run
  std::vector<std::vector<double>> decode();

  const CuptiTarget& cupti_;
  const char* const attempt_;
  const Chip& chip_;
  std::vector<const char*> metrics_;
  CounterPlan plan_;
  const RangeProfiler profiler_;
  std::vector<uint8_t> counters_;
};

}  // namespace cucore::perf
