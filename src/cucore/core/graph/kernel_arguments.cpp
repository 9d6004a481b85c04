// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_arguments.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace cucore::core {

// The sizes are not checked yet, so those of the parameters count where they are known.
ParameterRoom KernelArguments::room_for(const KernelImage& image,
                                        std::span<const cucore_argument> given) {
  if (image.parameters) return image.room;
  ParameterRoom room;
  for (const cucore_argument& argument : given) {
    const size_t size = is_buffer(argument) ? sizeof(CUdeviceptr) : argument.size;
    if (size > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
    room.add(size, is_buffer(argument));
  }
  return room;
}

KernelArguments::KernelArguments(const ParameterRoom& room, const Kernel& kernel,
                                 const KernelImage& image, const Device& device,
                                 std::span<const cucore_argument> given,
                                 const BufferHandles& handles, ReferenceStock& stock,
                                 void** pointers)
    : KernelArguments(room) {
  const image::Parameter* const parameters = image.parameters ? image.parameters->data() : nullptr;
  std::byte* place = values();
  uint32_t* const list = parameters ? nullptr : sizes();
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
          stock.take(*find_buffer(kernel, image, device, "the graph", i, argument.data, handles)));
      ++buffer_count_;
      const CUdeviceptr address = (*buffer)->address();
      std::memcpy(place, &address, sizeof address);
    }
    if (list) list[i] = static_cast<uint32_t>(size);
    pointers[i] = place;
    place += ParameterRoom::place_of(size, 1);
  }
  count_ = static_cast<uint32_t>(given.size());
}

KernelArguments::KernelArguments(const KernelArguments& other, const KernelImage& from,
                                 const KernelImage& image)
    : KernelArguments(other.room()) {
  std::memcpy(values(), other.values(), value_bytes_);
  if (!image.parameters)
    for (size_t i = 0; i < other.count_; ++i)
      sizes()[i] = static_cast<uint32_t>(other.size_of(from, i));
  count_ = other.count_;
  std::uninitialized_copy_n(other.first_buffer(), other.buffer_count_, first_buffer());
  buffer_count_ = other.buffer_count_;
}

KernelArguments::KernelArguments(const ParameterRoom& room, size_t count, const std::byte* given,
                                 std::span<const Buffer* const> buffers,
                                 ReferenceStock& stock) noexcept
    : KernelArguments(room) {
  std::memcpy(values(), given, value_bytes_);
  for (const Buffer* const buffer : buffers)
    new (first_buffer() + buffer_count_++) Ref<const Buffer>(stock.take(*buffer));
  count_ = static_cast<uint32_t>(count);
}

void KernelArguments::set_pointers(const KernelImage& image, void** pointers) const {
  size_t end = 0;
  for (size_t i = 0; i < count_; ++i) {
    const size_t place = ParameterRoom::place_of(end, size_of(image, i));
    pointers[i] = values() + place;
    end = place + size_of(image, i);
  }
}

}  // namespace cucore::core
