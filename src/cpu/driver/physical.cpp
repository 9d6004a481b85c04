// SPDX-License-Identifier: Apache-2.0
// References and budget of physical memory.
#include "cpu/driver/physical.hpp"

#include <mutex>

#include "cpu/driver/device.hpp"

namespace cucore::cpu {
namespace {

// Between the last release and a retain by address, the handle must not change.
std::mutex& references_mutex() {
  static std::mutex& mutex = *new std::mutex;  // never destroyed
  return mutex;
}

}  // namespace

std::shared_ptr<Physical> Physical::create(Device& device, uint64_t size, uint64_t handle_types) {
  require(device.charge(size), CUDA_ERROR_OUT_OF_MEMORY);
  auto memory = SharedMemory::create(SharedKind::MEMORY, size, device.ordinal(), handle_types);
  if (!memory) {
    device.refund(size);
    fail(CUDA_ERROR_OUT_OF_MEMORY);
  }
  return std::make_shared<Physical>(device, std::move(memory), size);
}

Physical::Physical(Device& device, std::shared_ptr<SharedMemory> memory, uint64_t charged)
    : device_(device), memory_(std::move(memory)), charged_(charged) {}

Physical::~Physical() { device_.refund(charged_); }

CUmemGenericAllocationHandle Physical::retain() {
  std::lock_guard lock(references_mutex());
  if (references_ == 0) Registry::instance().add(KIND, shared_from_this());
  ++references_;
  return handle_bits();
}

void Physical::release(CUmemGenericAllocationHandle handle) {
  std::shared_ptr<Physical> last;  // ends after the lock
  std::lock_guard lock(references_mutex());
  last = find(handle);
  if (--last->references_ == 0) Registry::instance().remove(KIND, handle);
}

std::shared_ptr<Physical> Physical::find(CUmemGenericAllocationHandle handle) {
  auto object = Registry::instance().find(KIND, handle);
  require(object != nullptr);
  return std::static_pointer_cast<Physical>(std::move(object));
}

}  // namespace cucore::cpu
