// SPDX-License-Identifier: Apache-2.0
// The driver's state in this process: not initialised, ready, forked child, or exiting.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/driver/settings.hpp"

namespace cucore::cpu {

class Device;

inline constexpr int DRIVER_VERSION = 13000;

enum class Life : uint8_t { UNINITIALISED, READY, FORKED_CHILD, EXITING };
Life life() noexcept;

class Process {
 public:
  static CUresult init();  // cuInit; may be called repeatedly
  static Process& get();   // only in the state READY

  const DriverSettings settings;
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  Device& device(CUdevice ordinal) const;  // INVALID_DEVICE: no such device
  // Limits the memory of each device; without a limit, a device has the memory of the settings.
  void limit_memory(std::optional<uint64_t> limit) const;

 private:
  explicit Process(DriverSettings s);
  std::vector<std::unique_ptr<Device>> devices_;
};

// The device of an ordinal; another one is CUDA_ERROR_INVALID_DEVICE.
inline Device& find_device(CUdevice ordinal) { return Process::get().device(ordinal); }

}  // namespace cucore::cpu
