// SPDX-License-Identifier: Apache-2.0
#include "capi/observed.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace cucore::capi {
namespace {

template <class Handle, class Object>
void add_handle(Handle*& handle, const Object* object) {
  if (object && !handle) handle = wrap(*object);
}

template <class Handle>
void drop(Handle* handle) noexcept {
  release(const_cast<std::remove_const_t<Handle>*>(handle));
}

constinit std::mutex keeping;  // guards the devices whose handles are kept

std::vector<const core::Device*>& kept_devices() {
  static auto* const devices = new std::vector<const core::Device*>;
  return *devices;
}

// The handle is kept while the process has an observer, so that operations need not count it.
const cucore_device* keep_handle(const core::Device& device) {
  const std::lock_guard lock(keeping);
  std::atomic<void*>& kept = device.observed_handle();
  if (!kept.load(std::memory_order_relaxed)) {
    auto& devices = kept_devices();
    devices.reserve(devices.size() + 1);  // so that nothing fails after the handle is made
    kept.store(wrap(device), std::memory_order_release);
    devices.push_back(&device);
  }
  return static_cast<const cucore_device*>(kept.load(std::memory_order_relaxed));
}

void forget_devices() noexcept {
  const std::lock_guard lock(keeping);
  for (const core::Device* device : kept_devices())
    drop(static_cast<cucore_device*>(device->observed_handle().exchange(nullptr)));
  kept_devices().clear();
}

void add_results(const core::Operation& operation, cucore_operation& out) {
  add_handle(out.program, operation.program);
  add_handle(out.code, operation.code);
  if (operation.executable && !out.graph) out.graph = wrap(*operation.executable);
  out.address = operation.address;
  out.size = operation.size;
}

void release_handles(const cucore_operation& out) noexcept {
  drop(out.stream);
  drop(out.kernel);
  drop(out.program);
  drop(out.code);
  drop(static_cast<const cucore_executable*>(out.graph));
}

// Releases the handles of an operation, unless all of them could be made.
class HandlesInMaking {
 public:
  explicit HandlesInMaking(const cucore_operation& of) : of_(&of) {}
  ~HandlesInMaking() {
    if (of_) release_handles(*of_);
  }
  HandlesInMaking(const HandlesInMaking&) = delete;
  HandlesInMaking& operator=(const HandlesInMaking&) = delete;

  void keep() noexcept { of_ = nullptr; }

 private:
  const cucore_operation* of_;
};

void describe(const core::Operation& operation, cucore_operation& out) {
  const core::Device* device = operation.device;
  if (!device && operation.stream) device = &operation.stream->device();
  out = CUCORE_OPERATION_INIT;
  out.kind = operation.kind;
  out.launch = operation.launch;
  out.arguments = operation.arguments;
  out.argument_count = operation.argument_count;
  out.packed = operation.packed;
  out.packed_size = operation.packed_size;
  HandlesInMaking made(out);
  if (device) out.device = device_handle(*device);
  add_handle(out.stream, operation.stream);
  add_handle(out.kernel, operation.kernel);
  add_results(operation, out);
  made.keep();
}

// Memory of others is not freed.
void drop_buffer(cucore::Object* object) noexcept {
  const auto* buffer = static_cast<const core::Buffer*>(object);
  if (!core::is_observed(CUCORE_OPERATION_FREE) || buffer->kind() == core::Buffer::Kind::BORROWED)
    return buffer->drop_reference();
  core::observe({.kind = CUCORE_OPERATION_FREE,
                 .device = &buffer->device(),
                 .address = buffer->address(),
                 .size = buffer->size()},
                [&](core::Operation&) { buffer->drop_reference(); });
}

}  // namespace

const cucore_device* device_handle(const core::Device& device) {
  const void* const kept = device.observed_handle().load(std::memory_order_acquire);
  return kept ? static_cast<const cucore_device*>(kept) : keep_handle(device);
}

void observe_released_buffers() noexcept {
  HandleTraits<cucore_buffer>::pool.set_drop(drop_buffer);
}

constinit const core::OperationHandles OPERATION_HANDLES{describe, add_results, release_handles,
                                                         forget_devices};

}  // namespace cucore::capi
