// SPDX-License-Identifier: Apache-2.0
// Makes a context current for a scope, so that an object acts on its own device whatever the caller
// had current, and the caller finds his own context again.
#pragma once

#include <new>

#include "driver/cuda.hpp"

namespace cucore::driver {

class ContextGuard {
 public:
  // Throws if the context cannot be made current; then nothing has changed. Costs one driver call
  // where it is current already.
  explicit ContextGuard(CUcontext context);

  // For releases: a context that cannot be made current leaves the guard false.
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
