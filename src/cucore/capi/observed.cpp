// SPDX-License-Identifier: Apache-2.0
#include "capi/observed.hpp"

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

void add(const core::Operation& operation, cucore_operation& out) {
  const core::Device* device = operation.device;
  if (!device && operation.stream) device = &operation.stream->device();
  add_handle(out.device, device);
  add_handle(out.stream, operation.stream);
  add_handle(out.kernel, operation.kernel);
  add_handle(out.program, operation.program);
  add_handle(out.code, operation.code);
  if (operation.executable && !out.graph) out.graph = wrap(*operation.executable);
  out.launch = operation.launch;
  out.arguments = operation.arguments;
  out.argument_count = operation.argument_count;
  out.packed = operation.packed;
  out.packed_size = operation.packed_size;
  out.address = operation.address;
  out.size = operation.size;
}

void release_handles(const cucore_operation& out) noexcept {
  drop(out.device);
  drop(out.stream);
  drop(out.kernel);
  drop(out.program);
  drop(out.code);
  drop(static_cast<const cucore_executable*>(out.graph));
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

void observe_released_buffers() noexcept {
  HandleTraits<cucore_buffer>::pool.set_drop(drop_buffer);
}

constinit const core::OperationHandles OPERATION_HANDLES{add, release_handles};

}  // namespace cucore::capi
