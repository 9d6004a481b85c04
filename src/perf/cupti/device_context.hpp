// SPDX-License-Identifier: Apache-2.0
// The primary context of a device, for calls of CUPTI, which use the current context.
#pragma once

#include "client/native.hpp"
#include "perf/cupti/headers.hpp"

namespace cucore::perf {

// Keeps the device.
class DeviceContext {
 public:
  explicit DeviceContext(const cucore_device* device);

  CUcontext get() const { return context_; }
  // Waits for the work of the context.
  void synchronize() const;

 private:
  client::Native<cucore_device, cucore_device_retain, cucore_device_release> device_;
  CUcontext context_;
};

// Makes a context the current one of this thread, until it ends.
class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  CUcontext before_ = nullptr;
};

}  // namespace cucore::perf
