// SPDX-License-Identifier: Apache-2.0
// Makes a context current for a scope, and then restores the caller's. An object therefore acts on
// its own device, whatever context the caller has.
#pragma once

#include <new>

#include "driver/cuda.hpp"

namespace cucore::driver {

class ContextGuard {
 public:
  // Throws if the context cannot be made current; then nothing has changed. Costs one driver call
  // if it is already current.
  explicit ContextGuard(CUcontext context);

  // For releases: if the context cannot be made current, the guard converts to false.
  ContextGuard(CUcontext context, std::nothrow_t) noexcept;

  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

  explicit operator bool() const noexcept { return entered_; }

 private:
  CUresult enter(const CudaTable& table, CUcontext context) noexcept;

  const CudaTable* table_ = nullptr;
  bool entered_ = false;
  bool pushed_ = false;
};

}  // namespace cucore::driver
