// SPDX-License-Identifier: Apache-2.0
// Physical memory of cuMemCreate: it lives as long as a handle or a mapping refers to it.
#pragma once

#include <cuda.h>

#include <memory>

#include "cpu/driver/registry.hpp"
#include "cpu/exec/shared_memory.hpp"

namespace cucore::cpu {

class Device;

class Physical : public Object, public std::enable_shared_from_this<Physical> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::PHYSICAL;
  // Creates memory that the device's budget is charged for. Throws OUT_OF_MEMORY.
  static std::shared_ptr<Physical> create(Device& device, uint64_t size, uint64_t handle_types);
  Physical(Device& device, std::shared_ptr<SharedMemory> memory, uint64_t charged);
  ~Physical() override;

  Device& device() const { return device_; }
  const std::shared_ptr<SharedMemory>& memory() const { return memory_; }
  uint64_t size() const { return memory_->size(); }
  uint64_t handle_types() const { return memory_->header().handle_types; }

  // Adds a reference to the handle and returns it; without references there is a new handle.
  CUmemGenericAllocationHandle retain();
  // Ends one reference. Throws INVALID_VALUE for an unknown handle.
  static void release(CUmemGenericAllocationHandle handle);
  static std::shared_ptr<Physical> find(CUmemGenericAllocationHandle handle);

 private:
  Device& device_;
  const std::shared_ptr<SharedMemory> memory_;
  const uint64_t charged_;
  unsigned references_ = 0;
};

}  // namespace cucore::cpu
