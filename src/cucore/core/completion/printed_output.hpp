// SPDX-License-Identifier: Apache-2.0
// The output of printf and assert in kernels. The driver collects it and writes it only in some
// calls: launches, blocking copies and synchronisation, but no query. A wait of this library that
// ends with a query therefore ends with such a call, where a kernel may have printed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "driver/cuda.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Whether kernels of an image can print or assert: both are functions that the driver provides. A
// fat binary counts as code that can, since its entries may be compressed.
bool may_print(image::CodeType type, std::span<const std::byte> bytes);

// Of one context.
class PrintedOutput {
 public:
  // After the launch of a kernel that can print.
  void note_launch() noexcept { launches_.fetch_add(1, std::memory_order_release); }
  // How many such launches there were; 0 where nothing can have been printed.
  uint64_t launches() const noexcept { return launches_.load(std::memory_order_acquire); }

  // Makes the driver write what kernels have printed so far. Waits for no work. The context must be
  // current.
  CUresult write() noexcept;

 private:
  std::atomic<uint64_t> launches_{0};
  std::mutex making_;
  std::atomic<CUstream> idle_stream_{nullptr};  // goes with the context
};

// Of a stream or an event that is polled: the first query that finds the work done writes the
// output, and later ones cost no call of the driver.
class OutputMark {
 public:
  // `work` is a number that changes with every piece of work that may have printed, as it was
  // before the query. The output of each number is written once, and 0 stands for no such work.
  CUresult write_once(PrintedOutput& output, uint64_t work) noexcept {
    if (work == 0 || written_.load(std::memory_order_relaxed) == work) return CUDA_SUCCESS;
    return write(output, work);
  }
  void set(uint64_t work) noexcept { written_.store(work, std::memory_order_relaxed); }
  void clear() noexcept { set(NOTHING); }

 private:
  static constexpr uint64_t NOTHING = UINT64_MAX;
  CUresult write(PrintedOutput& output, uint64_t work) noexcept;

  std::atomic<uint64_t> written_{0};
};

}  // namespace cucore::core
