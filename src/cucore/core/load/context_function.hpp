// SPDX-License-Identifier: Apache-2.0
// The function that the driver made of a kernel for one context. The driver launches a function
// 30 ns earlier than a kernel, for which it searches the function. It adds a node as much earlier.
// All else is equal, also what the driver returns about a node (measured on an H200, driver 580).
#pragma once

#include <atomic>

#include "core/objects/context.hpp"

namespace cucore::core {

// Of one device. Its contexts follow each other: a new one exists only after the accesses to the
// one before have ended.
class ContextFunction {
 public:
  ContextFunction() = default;
  ~ContextFunction();
  ContextFunction(const ContextFunction&) = delete;
  ContextFunction& operator=(const ContextFunction&) = delete;

  // Whether the function in the context was found, or is not needed there.
  bool is_found_in(const Context& context) const noexcept {
    return context_.load(std::memory_order_acquire) == &context;
  }
  // Returns null if the driver needs the kernel. The caller accesses the context in which it is
  // found, and which is alive: no thread replaces the function before the end of the access.
  CUfunction get() const noexcept { return function_.load(std::memory_order_relaxed); }
  // Finds the function, which loads the code of the kernel into the context. Does nothing after a
  // failure, which a launch reports, and for a context that is lost.
  [[gnu::cold, gnu::noinline]] void find(CUkernel kernel, const Context& context) noexcept;

 private:
  // It has a reference, so that no later context has its address. Only for comparisons.
  std::atomic<const Context*> context_{nullptr};
  std::atomic<CUfunction> function_{nullptr};
};

}  // namespace cucore::core
