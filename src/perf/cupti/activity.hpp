// SPDX-License-Identifier: Apache-2.0
// Records of all kernels, copies and fills of the process, and of its ranges of NVTX, for callers
// without the headers of CUPTI.
#pragma once

#include <cucore.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace cucore::perf {

// WRITE is from the host.
enum class ActivityKind { KERNEL, COPY, WRITE, READ, FILL, RANGE_BEGIN, RANGE_END };

struct Activity {
  ActivityKind kind = ActivityKind::KERNEL;
  const char* name = "";        // of kernels, in the code, and of RANGE_BEGIN; valid in the call
  uint64_t start = 0, end = 0;  // nanoseconds of the feed's clock
  uint32_t device = 0;          // ordinal
  uint32_t stream = 0;          // CUPTI's number
  bool is_in_graph = false;
  uint64_t bytes = 0;  // of copies and fills
  uint32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  uint32_t dynamic_shared = 0, static_shared = 0, registers = 0;
  // Of a begin and its end; `start` is the time.
  uint32_t range = 0;
  uint32_t thread = 0;      // number of the system; 0: the range is of the process
  const char* domain = "";  // of RANGE_BEGIN; "": the default one
};

// The process has one at a time.
class ActivityFeed {
 public:
  // Called by threads of CUPTI and by flush(), one at a time. It must not call the feed.
  using Receiver = std::function<void(const Activity&)>;

  // Throws what CUPTI refuses: see library.hpp. Records nothing before enable().
  static std::unique_ptr<ActivityFeed> open(Receiver receiver);
  virtual ~ActivityFeed() = default;  // the receiver is called no more
  ActivityFeed(const ActivityFeed&) = delete;
  ActivityFeed& operator=(const ActivityFeed&) = delete;

  virtual void enable() = 0;
  virtual void disable() = 0;
  // Records ranges of NVTX from now on, also while the others are disabled.
  virtual void enable_ranges() = 0;
  // Waits for the work of a device.
  virtual void wait(const cucore_device* device) = 0;
  // Delivers all records.
  virtual void flush() = 0;
  virtual uint64_t now() = 0;
  virtual uint64_t dropped() = 0;  // records that CUPTI could not keep

 protected:
  ActivityFeed() = default;
};

}  // namespace cucore::perf
