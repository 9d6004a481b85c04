// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel node: copies of the values, and the buffers among them. A graph may
// have thousands of nodes, so all of it directly follows the object in memory.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "core/load/buffer_arguments.hpp"
#include "core/load/launch_arguments.hpp"
#include "support/reference_stock.hpp"

namespace cucore::core {

// The owner has room_for() bytes behind the object.
class alignas(ParameterRoom::GREATEST_ALIGNMENT) KernelArguments {
 public:
  // The number of the arguments has been checked.
  static ParameterRoom room_for(const KernelImage& image, std::span<const cucore_argument> given);
  ParameterRoom room() const { return {value_bytes_, buffer_room_}; }
  // Throws std::bad_alloc if no driver could take so many.
  static size_t bytes_of(const ParameterRoom& room, size_t count) {
    if (room.bytes > std::numeric_limits<uint32_t>::max()) [[unlikely]]
      throw std::bad_alloc();
    return start_of_buffers(room.bytes) + room.buffers * sizeof(Ref<const Buffer>) +
           count * sizeof(uint32_t);
  }

  // Throws as launch() does for the same arguments on a stream of the device. Sets the pointers to
  // the values. Inline, because the cost of each node matters.
  KernelArguments(const ParameterRoom& room, const Kernel& kernel, const KernelImage& image,
                  const Device& device, std::span<const cucore_argument> given,
                  const BufferHandles& handles, ReferenceStock& stock, void** pointers);
  // Has the room of the other ones.
  KernelArguments(const KernelArguments& other);
  KernelArguments& operator=(const KernelArguments&) = delete;
  ~KernelArguments() { std::destroy_n(first_buffer(), buffer_count_); }

  size_t size() const { return count_; }
  // The size of a value in bytes; the address of a buffer is one.
  size_t size_of(size_t index) const { return sizes()[index]; }
  void set_pointers(void** pointers) const;
  std::span<const Ref<const Buffer>> buffers() const { return {first_buffer(), buffer_count_}; }
  // Gives the references to the buffers to the stock.
  void give(ReferenceStock& stock) noexcept {
    for (uint32_t i = 0; i < buffer_count_; ++i) stock.put(first_buffer()[i].detach());
    buffer_count_ = 0;
  }

 private:
  // Without arguments, but with places for those to come.
  explicit KernelArguments(const ParameterRoom& room) noexcept
      : value_bytes_(static_cast<uint32_t>(room.bytes)),
        buffer_room_(static_cast<uint32_t>(room.buffers)) {}

  // Values are first, then come the buffers, then the sizes of the values.
  std::byte* values() const {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(this + 1));
  }
  static constexpr size_t start_of_buffers(size_t value_bytes) {
    return ParameterRoom::place_of(value_bytes, sizeof(Ref<const Buffer>));
  }
  Ref<const Buffer>* first_buffer() const {
    return reinterpret_cast<Ref<const Buffer>*>(values() + start_of_buffers(value_bytes_));
  }
  uint32_t* sizes() const { return reinterpret_cast<uint32_t*>(first_buffer() + buffer_room_); }

  // Most values have one of two sizes, for which a call would take longer than the copy.
  static void copy_value(void* to, const void* from, size_t size) {
    if (size == sizeof(uint64_t))
      std::memcpy(to, from, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
      std::memcpy(to, from, sizeof(uint32_t));
    else
      std::memcpy(to, from, size);
  }

  const uint32_t value_bytes_, buffer_room_;
  uint32_t count_ = 0, buffer_count_ = 0;
};

// Takes the reference from the stock. The stock keeps its objects alive, so that their
// handles need no reference.
[[gnu::always_inline]] inline Ref<const Buffer> find_buffer_of_graph(
    const Kernel& kernel, const KernelImage& image, const Device& device, size_t index,
    const void* handle, const BufferHandles& handles, ReferenceStock& stock) {
  check_buffer_parameter(kernel, image, index);
  if (const Buffer* const named = handles.peek(handle))
    if (Ref<const Buffer> buffer = stock.take_known(named)) [[likely]] {
      check_buffer_device(kernel, index, *buffer, device, "the graph");
      return buffer;
    }
  const auto found = find_buffer(kernel, image, device, "the graph", index, handle, handles);
  return stock.take(*found);
}

[[gnu::always_inline]] inline KernelArguments::KernelArguments(
    const ParameterRoom& room, const Kernel& kernel, const KernelImage& image, const Device& device,
    std::span<const cucore_argument> given, const BufferHandles& handles, ReferenceStock& stock,
    void** pointers)
    : KernelArguments(room) {
  const image::Parameter* const parameters = image.parameters ? image.parameters->data() : nullptr;
  std::byte* place = values();
  uint32_t* const list = sizes();
  for (size_t i = 0; i < given.size(); ++i) {
    const cucore_argument& argument = given[i];
    size_t size = parameters ? parameters[i].size : argument.size;
    const bool is_value = argument.data && argument.size == size && !is_buffer(argument);
    if (!is_value) size = sizeof(CUdeviceptr);
    if (size > sizeof(uint64_t)) [[unlikely]]
      place = values() + ParameterRoom::place_of(static_cast<size_t>(place - values()), size);
    if (is_value) [[likely]] {
      copy_value(place, argument.data, size);
    } else {
      if (!is_buffer(argument) || !argument.data) [[unlikely]]
        throw_argument(kernel, image, i, argument);
      const auto* const buffer = new (first_buffer() + buffer_count_) Ref<const Buffer>(
          find_buffer_of_graph(kernel, image, device, i, argument.data, handles, stock));
      ++buffer_count_;
      const CUdeviceptr address = (*buffer)->address();
      std::memcpy(place, &address, sizeof address);
    }
    list[i] = static_cast<uint32_t>(size);
    pointers[i] = place;
    place += ParameterRoom::place_of(size, 1);
  }
  count_ = static_cast<uint32_t>(given.size());
}

}  // namespace cucore::core
