// SPDX-License-Identifier: Apache-2.0
// The real clock of a multiprocessor, from a kernel of one thread that compares its cycles with the
// time. No permission is needed.
#pragma once

#include <memory>

#include "perf/measure/device.hpp"

namespace cucore::perf {

class ClockProbe {
 public:
  // Returns null if the kernel cannot be loaded on the device.
  static std::unique_ptr<ClockProbe> create(const DeviceOwner& device, const StreamOwner& stream);

  // Runs the kernel for 20 microseconds, after the work in the stream. Waits for it.
  double mhz();

 private:
  ClockProbe() = default;

  StreamOwner stream_;
  KernelOwner kernel_;
  BufferOwner counts_;
};

}  // namespace cucore::perf
