// SPDX-License-Identifier: Apache-2.0
// The output of printf and assert in kernels. The driver collects it and writes it only in some
// calls: launches, blocking copies and synchronisation, but no query. If a kernel may have printed,
// a wait of this library that ends with a query must therefore make such a call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "driver/cuda.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Returns whether kernels of an image can print or assert: both are functions that the driver
// provides. A fat binary counts as code that can, because its entries may be compressed.
bool may_print(image::CodeType type, std::span<const std::byte> bytes);

// The output of one context.
class PrintedOutput {
 public:
  // Call after the launch of a kernel that can print.
  void record_launch() noexcept { launches_.fetch_add(1, std::memory_order_release); }
  // Returns the number of such launches; 0 if nothing can have been printed.
  uint64_t launches() const noexcept { return launches_.load(std::memory_order_acquire); }

  // Makes the driver write the kernels' output so far. Does not wait for work. The context must be
  // current.
  CUresult write() noexcept;

 private:
  std::atomic<uint64_t> launches_{0};
  std::mutex making_;
  std::atomic<CUstream> idle_stream_{nullptr};  // destroyed with the context
};

// A mark of a polled stream or event. The first query that finds the work done writes the output,
// and later ones make no call of the driver.
class OutputMark {
 public:
  // `work` is the number before the query, which changes with every piece of work that may have
  // printed. The output of each number is written once, and 0 means no such work.
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
