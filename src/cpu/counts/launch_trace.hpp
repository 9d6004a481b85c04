// SPDX-License-Identifier: Apache-2.0
// Traces: the counts of launches as the C structs of kernel_trace.hpp.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cpu/counts/counts.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore::cpu {

// A launch and the memory that its struct points to.
struct LaunchTrace {
  const char* text(std::string_view value);

  cucore_cpu_trace_launch data = {};
  std::vector<cucore_cpu_trace_row> rows;
  std::vector<cucore_cpu_trace_region> regions;
  std::unordered_set<std::string> texts;  // each keeps its place
};

// The memory of a trace that a caller frees.
struct OwnedTrace : cucore_cpu_trace {
  std::vector<cucore_cpu_trace_launch> list;
  std::vector<std::unique_ptr<LaunchTrace>> owners;
};

struct TraceOptions {
  bool footprint = false;
  bool rows = true;
  size_t max_launches = 1024;
  uint64_t cache_bytes = 0;   // 0: no cache is modelled
  uint64_t row_launches = 0;  // of each kernel; 0: all
};

// Receives the launches of a trace from any thread.
class TraceCollector {
 public:
  explicit TraceCollector(const TraceOptions& options) : options_(options) {}

  const TraceOptions& options() const { return options_; }
  // Returns false if the trace has as many launches as it keeps; the launch is then dropped.
  bool admit();
  // Returns whether the next launch of the kernel has rows.
  bool wants_rows(std::string_view kernel);
  void add(std::unique_ptr<LaunchTrace> launch);  // after admit()
  void drop();                                    // also after admit()
  std::unique_ptr<OwnedTrace> take();

 private:
  const TraceOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<LaunchTrace>> launches_;
  std::unordered_map<std::string, uint64_t> with_rows_;  // launches of each kernel
  size_t admitted_ = 0;
  uint64_t dropped_ = 0;
};

// A launch that is only for its trace: global memory has no bytes.
struct TraceRequest {
  std::shared_ptr<TraceCollector> collector;
  uint64_t max_blocks = 0;  // 0: all
  uint64_t max_warp_instructions = 0;
};

// The trace of all launches of the process. Returns false if one is running.
bool start_trace(std::shared_ptr<TraceCollector> collector);
std::shared_ptr<TraceCollector> stop_trace();  // nullptr: none is running

// Returns the collector of a launch; nullptr: the launch is not counted.
std::shared_ptr<TraceCollector> collector_of(const Launch& launch);
// Begins the counts of a launch, and limits it to a sample of its blocks if that is requested.
std::unique_ptr<LaunchCounts> begin_counts(const TraceCollector* collector, LaunchState& state);
std::unique_ptr<LaunchTrace> trace_of(const LaunchCounts& counts, const LaunchState& state,
                                      bool rows);

}  // namespace cucore::cpu
