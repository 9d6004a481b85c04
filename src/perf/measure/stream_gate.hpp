// SPDX-License-Identifier: Apache-2.0
// Holds a stream until all work of a sample is in it, so that the device never waits for the host.
#pragma once

#include <cucore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "perf/measure/device.hpp"

namespace cucore::perf {

class StreamGate {
 public:
  // Returns null if the driver has no waits for a value in memory.
  static std::unique_ptr<StreamGate> create(const DeviceOwner& device, const StreamOwner& stream,
                                            std::chrono::milliseconds longest);
  ~StreamGate();
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  // Later work of the stream waits. A watchdog opens the gate after `longest`, because a work that
  // synchronises waits without end otherwise.
  void close();
  // Returns false if the watchdog opened the gate before.
  bool open() noexcept;

 private:
  struct Driver;

  StreamGate(const StreamOwner& stream, std::chrono::milliseconds longest);
  void watch();
  void set_word(uint32_t value) noexcept;

  const StreamOwner stream_;
  const std::chrono::milliseconds longest_;
  std::unique_ptr<Driver> driver_;
  BufferOwner word_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closed_ = false;
  bool has_timed_out_ = false;
  bool ends_ = false;
  std::chrono::steady_clock::time_point deadline_;
  std::thread watchdog_;
};

}  // namespace cucore::perf
