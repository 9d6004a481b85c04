// SPDX-License-Identifier: Apache-2.0
#include "core/load/buffer_arguments.hpp"

#include <new>

#include "core/load/launch_arguments.hpp"
#include "core/objects/captured_work.hpp"
#include "support/concat.hpp"

namespace cucore::core {
void throw_dead_buffer(const Kernel& kernel, size_t index) {
  throw Error(
      Status::INVALID_HANDLE,
      concat("argument ", index, " of kernel ", kernel.label(),
             " is a released buffer or a handle of another type; expected a cucore_buffer"));
}

void require_buffer_anywhere(const Kernel& kernel, size_t index, const Buffer& buffer,
                             const Device& device, const char* of) {
  // Pinned and managed memory has the same address on every device.
  const bool anywhere =
      buffer.kind() == Buffer::Kind::PINNED || buffer.kind() == Buffer::Kind::MANAGED;
  if (anywhere) return;
  throw Error(Status::INVALID_ARGUMENT,
              concat("argument ", index, " of kernel ", kernel.label(), " is a buffer of ",
                     buffer.device().label(), "; expected one of ", device.label(),
                     ", the device of ", of, "; copy the buffer, or use managed memory"));
}

void throw_buffer_parameter(const Kernel& kernel, size_t index, const image::Parameter& parameter) {
  throw Error(Status::INVALID_ARGUMENT, concat("argument ", index, " of kernel ", kernel.label(),
                                               " is a buffer; the kernel's parameter has ",
                                               describe(parameter), "; pass a value of that type"));
}

Ref<const Buffer> find_buffer(const Kernel& kernel, const KernelImage& image, const Device& device,
                              const char* of, size_t index, const void* handle,
                              const BufferHandles& handles) {
  check_buffer_parameter(kernel, image, index);
  const HandleReference<const Buffer> reference(handle, handles);
  if (!reference.object()) throw_dead_buffer(kernel, index);
  check_buffer_device(kernel, index, *reference.object(), device, of);
  return Ref<const Buffer>(reference.object());
}

void BufferArguments::hold_in(CapturedWork& work) {
  for (size_t i = 0; i < count_; ++i) place(i)->buffer.hold_in(work);
}

void BufferArguments::begin_accesses() try {
  for (size_t i = 0; i < count_; ++i) {
    Item& item = *place(i);
    if (&item.buffer.device() != &stream_.device())
      item.access.emplace(*item.buffer.context(), "buffer");
  }
} catch (...) {
  end_accesses();
  throw;
}

// In reverse order, as scopes end.
void BufferArguments::end_accesses() noexcept {
  for (size_t i = count_; i-- != 0;) place(i)->access.reset();
}

void BufferArguments::grow() { more_.push_back(std::make_unique<Items>()); }

}  // namespace cucore::core
