// SPDX-License-Identifier: Apache-2.0
// The arguments of a launch with buffers: each buffer is held, and its use recorded, until the
// driver has the launch.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "core/load/kernel.hpp"
#include "core/load/launch_arguments.hpp"
#include "core/load/launch_handles.hpp"
#include "core/objects/buffer.hpp"
#include "core/objects/capture_gate.hpp"
#include "core/objects/context_access.hpp"

namespace cucore::core {

[[noreturn, gnu::cold]] void throw_dead_buffer(const Kernel& kernel, size_t index);
[[noreturn, gnu::cold]] void throw_buffer_parameter(const Kernel& kernel, size_t index,
                                                    const image::Parameter& parameter);
// Throws unless the memory of the buffer has its address on every device.
[[gnu::cold]] void require_buffer_anywhere(const Kernel& kernel, size_t index, const Buffer& buffer,
                                           const Device& device, const char* of);

// Throws unless the argument may be a buffer.
inline void check_buffer_parameter(const Kernel& kernel, const KernelImage& image, size_t index) {
  if (!image.parameters) return;
  const image::Parameter& parameter = (*image.parameters)[index];
  if (!takes_addresses(parameter)) [[unlikely]]
    throw_buffer_parameter(kernel, index, parameter);
}

// Throws unless the device can use the buffer; `of` is "the stream" or "the graph".
inline void check_buffer_device(const Kernel& kernel, size_t index, const Buffer& buffer,
                                const Device& device, const char* of) {
  buffer.require_usable();
  if (&buffer.device() != &device) [[unlikely]]
    require_buffer_anywhere(kernel, index, buffer, device, of);
}

// Returns the buffer of a handle after these checks. Throws INVALID_HANDLE for a dead handle.
Ref<const Buffer> find_buffer(const Kernel& kernel, const KernelImage& image, const Device& device,
                              const char* of, size_t index, const void* handle,
                              const BufferHandles& handles);

class BufferArguments {
 public:
  BufferArguments(const Kernel& kernel, const Stream& stream, const BufferHandles& handles)
      : kernel_(kernel), stream_(stream), handles_(&handles) {}
  // For buffers that the caller keeps alive.
  BufferArguments(const Kernel& kernel, const Stream& stream) : kernel_(kernel), stream_(stream) {}
  ~BufferArguments();
  BufferArguments(const BufferArguments&) = delete;
  BufferArguments& operator=(const BufferArguments&) = delete;

  // Points each element of `pointers` from `first` on at its value. Throws unless these values fit
  // the parameters.
  void resolve(const KernelImage& image, const cucore_argument* arguments, size_t first,
               size_t count, void** pointers);

  // Adds a buffer that the caller keeps alive.
  void add(const Buffer& buffer, size_t index) { add(nullptr, buffer, index); }

  // Lets the graph of captured work keep the buffers.
  void hold_in(CapturedWork& work);
  // Whether the capture keeps all of them for certain.
  bool are_kept(const CaptureGate& gate) const {
    for (size_t i = 0; i < count_; ++i)
      if (!gate.keeps(place(i)->buffer)) return false;
    return true;
  }

  // Returns whether a buffer belongs to another device than the stream's. Its context must be alive
  // during the call of the driver.
  bool are_of_other_devices() const { return are_of_other_devices_; }
  void begin_accesses();
  void end_accesses() noexcept;

 private:
  struct Item {
    Item(const void* handle, const Buffer& buffer, const Stream& stream)
        : handle(handle), address(buffer.address()), buffer(buffer), use(buffer, stream) {}
    const void* handle;  // null: the caller keeps the buffer alive
    CUdeviceptr address;
    const Buffer& buffer;
    std::optional<ContextAccess> access;
    BufferUse use;
  };
  // Not initialised, because most launches use one or two.
  static constexpr size_t FEW = 16;
  struct Items {
    alignas(Item) std::byte bytes[FEW * sizeof(Item)];
  };

  void* add(const void* handle, size_t index);
  void* add(const void* handle, const Buffer& buffer, size_t index);
  Item* place(size_t index) {
    return const_cast<Item*>(static_cast<const BufferArguments*>(this)->place(index));
  }
  const Item* place(size_t index) const {
    const Items& items = index < FEW ? first_ : *more_[index / FEW - 1];
    return reinterpret_cast<const Item*>(items.bytes) + index % FEW;
  }

  void grow();

  const Kernel& kernel_;
  const Stream& stream_;
  const BufferHandles* const handles_ = nullptr;
  size_t count_ = 0;
  bool are_of_other_devices_ = false;
  Items first_;
  std::vector<std::unique_ptr<Items>> more_;
};

// Inline, because the cost of each launch matters. A use ends before the release of the handle
// that keeps its buffer alive.
[[gnu::always_inline]] inline BufferArguments::~BufferArguments() {
  for (size_t i = 0; i < count_; ++i) {
    Item* const item = place(i);
    const void* const handle = item->handle;
    item->~Item();
    if (handle) handles_->release(handle);
  }
}

[[gnu::always_inline]] inline void* BufferArguments::add(const void* handle, const Buffer& buffer,
                                                         size_t index) {
  if (count_ >= FEW && (count_ - FEW) % FEW == 0) [[unlikely]]
    grow();
  check_buffer_device(kernel_, index, buffer, stream_.device(), "the stream");
  are_of_other_devices_ |= &buffer.device() != &stream_.device();
  Item* const item = new (place(count_)) Item(handle, buffer, stream_);
  ++count_;
  return &item->address;
}

[[gnu::always_inline]] inline void* BufferArguments::add(const void* handle, size_t index) {
  const Buffer* const buffer = handles_->acquire(handle);
  if (!buffer) [[unlikely]]
    throw_dead_buffer(kernel_, index);
  try {
    return add(handle, *buffer, index);
  } catch (...) {
    handles_->release(handle);
    throw;
  }
}

[[gnu::always_inline]] inline void BufferArguments::resolve(const KernelImage& image,
                                                            const cucore_argument* arguments,
                                                            size_t first, size_t count,
                                                            void** pointers) {
  stream_.require_usable();
  for (size_t i = first; i < count; ++i) {
    if (!is_buffer(arguments[i]) || !arguments[i].data) {
      check_argument(kernel_, image, i, arguments[i]);
      pointers[i] = const_cast<void*>(arguments[i].data);
      continue;
    }
    check_buffer_parameter(kernel_, image, i);
    pointers[i] = add(arguments[i].data, i);
  }
}

}  // namespace cucore::core
