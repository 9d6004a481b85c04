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

KernelArguments::KernelArguments(const KernelArguments& other) : KernelArguments(other.room()) {
  std::memcpy(values(), other.values(), value_bytes_);
  std::copy_n(other.sizes(), other.count_, sizes());
  count_ = other.count_;
  std::uninitialized_copy_n(other.first_buffer(), other.buffer_count_, first_buffer());
  buffer_count_ = other.buffer_count_;
}

void KernelArguments::set_pointers(void** pointers) const {
  size_t end = 0;
  for (size_t i = 0; i < count_; ++i) {
    const size_t place = ParameterRoom::place_of(end, size_of(i));
    pointers[i] = values() + place;
    end = place + size_of(i);
  }
}

}  // namespace cucore::core
