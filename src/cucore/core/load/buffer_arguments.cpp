// SPDX-License-Identifier: Apache-2.0
#include "core/load/buffer_arguments.hpp"

#include <new>

#include "core/load/launch_arguments.hpp"
#include "core/objects/captured_work.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void throw_dead(const Kernel& kernel, size_t index) {
  throw Error(
      Status::INVALID_HANDLE,
      concat("argument ", index, " of kernel ", kernel.label(),
             " is a released buffer or a handle of another type; expected a cucore_buffer"));
}

[[noreturn, gnu::cold, gnu::noinline]] void throw_device(const Kernel& kernel, size_t index,
                                                         const Buffer& buffer, const Device& device,
                                                         const char* of) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("argument ", index, " of kernel ", kernel.label(), " is a buffer of ",
                     buffer.device().label(), "; expected one of ", device.label(),
                     ", the device of ", of, "; copy the buffer, or use managed memory"));
}

inline void check_device(const Kernel& kernel, size_t index, const Buffer& buffer,
                         const Device& device, const char* of) {
  buffer.require_usable();
  if (&buffer.device() == &device) [[likely]]
    return;
  // Pinned and managed memory has the same address on every device.
  const bool anywhere =
      buffer.kind() == Buffer::Kind::PINNED || buffer.kind() == Buffer::Kind::MANAGED;
  if (!anywhere) throw_device(kernel, index, buffer, device, of);
}

bool takes_addresses(const image::Parameter& parameter) {
  using image::ParameterClass;
  return parameter.size == sizeof(CUdeviceptr) &&
         (parameter.parameter_class == ParameterClass::POINTER ||
          parameter.parameter_class == ParameterClass::UNKNOWN);
}

[[noreturn, gnu::cold, gnu::noinline]] void throw_parameter(const Kernel& kernel, size_t index,
                                                            const image::Parameter& parameter) {
  throw Error(Status::INVALID_ARGUMENT, concat("argument ", index, " of kernel ", kernel.label(),
                                               " is a buffer; the kernel's parameter has ",
                                               describe(parameter), "; pass a value of that type"));
}

inline void check_parameter(const Kernel& kernel, size_t index, const image::Parameter& parameter) {
  if (!takes_addresses(parameter)) [[unlikely]]
    throw_parameter(kernel, index, parameter);
}

}  // namespace

Ref<const Buffer> find_buffer(const Kernel& kernel, const KernelImage& image, const Device& device,
                              const char* of, size_t index, const void* handle,
                              const BufferHandles& handles) {
  if (image.parameters) check_parameter(kernel, index, (*image.parameters)[index]);
  const HandleReference<const Buffer> reference(handle, handles);
  if (!reference.object()) throw_dead(kernel, index);
  check_device(kernel, index, *reference.object(), device, of);
  return Ref<const Buffer>(reference.object());
}

BufferArguments::~BufferArguments() {
  // A use ends before the release of the handle that keeps its buffer alive.
  for (size_t i = 0; i < count_; ++i) {
    Item* const item = place(i);
    const void* const handle = item->handle;
    item->~Item();
    if (handle) handles_->release(handle);
  }
}

void BufferArguments::resolve(const KernelImage& image, const cucore_argument* arguments,
                              size_t count, void** pointers) {
  stream_.require_usable();
  for (size_t i = 0; i < count; ++i) {
    if (!is_buffer(arguments[i]) || !arguments[i].data) {
      check_argument(kernel_, image, i, arguments[i]);
      pointers[i] = const_cast<void*>(arguments[i].data);
      continue;
    }
    if (image.parameters) check_parameter(kernel_, i, (*image.parameters)[i]);
    pointers[i] = add(arguments[i].data, i);
  }
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

void* BufferArguments::add(const void* handle, size_t index) {
  const Buffer* const buffer = handles_->acquire(handle);
  if (!buffer) throw_dead(kernel_, index);
  try {
    return add(handle, *buffer, index);
  } catch (...) {
    handles_->release(handle);
    throw;
  }
}

void* BufferArguments::add(const void* handle, const Buffer& buffer, size_t index) {
  if (count_ >= FEW && (count_ - FEW) % FEW == 0) more_.push_back(std::make_unique<Items>());
  check_device(kernel_, index, buffer, stream_.device(), "the stream");
  are_of_other_devices_ |= &buffer.device() != &stream_.device();
  Item* const item = new (place(count_)) Item(handle, buffer, stream_);
  ++count_;
  return &item->address;
}

}  // namespace cucore::core
