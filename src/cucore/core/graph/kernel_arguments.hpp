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
  // Copies a value of a size that a type of C has. Returns false for other sizes. Most values have
  // one of the first two sizes, for which a call would take longer than the copy.
  static bool try_copy_value(void* to, const void* from, size_t size) {
    if (size == sizeof(uint64_t))
      std::memcpy(to, from, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
      std::memcpy(to, from, sizeof(uint32_t));
    else if (size == sizeof(uint16_t))
      std::memcpy(to, from, sizeof(uint16_t));
    else if (size == sizeof(uint8_t))
      std::memcpy(to, from, sizeof(uint8_t));
    else
      return false;
    return true;
  }
  // The same for all sizes.
  static void copy_value(void* to, const void* from, size_t size) {
    if (!try_copy_value(to, from, size)) std::memcpy(to, from, size);
  }
  // The buffers are at this distance from the values.
  static constexpr size_t start_of_buffers(size_t value_bytes) {
    return ParameterRoom::place_of(value_bytes, sizeof(Ref<const Buffer>));
  }

  // The number of the arguments has been checked.
  static ParameterRoom room_for(const KernelImage& image, std::span<const cucore_argument> given);
  ParameterRoom room() const { return {value_bytes_, buffer_room_}; }
  // Throws std::bad_alloc if no driver could take so many.
  static size_t bytes_of(const ParameterRoom& room, const KernelImage& image, size_t count) {
    if (room.bytes > std::numeric_limits<uint32_t>::max()) [[unlikely]]
      throw std::bad_alloc();
    return bytes_of(room) + (image.parameters ? 0 : count * sizeof(uint32_t));
  }
  // The same if the parameters are known.
  static size_t bytes_of(const ParameterRoom& room) {
    return start_of_buffers(room.bytes) + room.buffers * sizeof(Ref<const Buffer>);
  }

  // Throws as launch() does for the same arguments on a stream of the device. Sets the pointers to
  // the values.
  KernelArguments(const ParameterRoom& room, const Kernel& kernel, const KernelImage& image,
                  const Device& device, std::span<const cucore_argument> given,
                  const BufferHandles& handles, ReferenceStock& stock, void** pointers);
  // Has the room of the other ones, which are those of a kernel in the image `from`.
  KernelArguments(const KernelArguments& other, const KernelImage& from, const KernelImage& image);
  // Copies the values and the buffers of `count` arguments. The parameters are known.
  KernelArguments(const ParameterRoom& room, size_t count, const std::byte* values,
                  std::span<const Buffer* const> buffers, ReferenceStock& stock) noexcept;
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;
  ~KernelArguments() { std::destroy_n(first_buffer(), buffer_count_); }

  size_t size() const { return count_; }
  // The size of a value in bytes; the address of a buffer is one.
  size_t size_of(const KernelImage& image, size_t index) const {
    return image.parameters ? (*image.parameters)[index].size : sizes()[index];
  }
  void set_pointers(const KernelImage& image, void** pointers) const;
  std::span<const Ref<const Buffer>> buffers() const { return {first_buffer(), buffer_count_}; }
  // Gives the references to the buffers to the stock.
  void give(ReferenceStock& stock) noexcept {
    for (uint32_t i = 0; i < buffer_count_; ++i) stock.put(first_buffer()[i].detach());
    buffer_count_ = 0;
  }

 private:
  // Values are first, then come the buffers, then the sizes of the values unless the parameters are
  // known.
  std::byte* values() const {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(this + 1));
  }
  Ref<const Buffer>* first_buffer() const {
    return reinterpret_cast<Ref<const Buffer>*>(values() + start_of_buffers(value_bytes_));
  }
  uint32_t* sizes() const { return reinterpret_cast<uint32_t*>(first_buffer() + buffer_room_); }

  explicit KernelArguments(const ParameterRoom& room) noexcept
      : value_bytes_(static_cast<uint32_t>(room.bytes)),
        buffer_room_(static_cast<uint32_t>(room.buffers)) {}

  const uint32_t value_bytes_, buffer_room_;
  uint32_t count_ = 0, buffer_count_ = 0;
};

}  // namespace cucore::core
