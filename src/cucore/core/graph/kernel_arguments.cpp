// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_arguments.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "core/load/launch.hpp"
#include "core/load/launch_arguments.hpp"

namespace cucore::core {
namespace {

// Most values have one of two sizes, for which a call would take longer than the copy.
void copy_value(void* to, const void* from, size_t size) {
  if (size == sizeof(uint64_t))
    std::memcpy(to, from, sizeof(uint64_t));
  else if (size == sizeof(uint32_t))
    std::memcpy(to, from, sizeof(uint32_t));
  else
    std::memcpy(to, from, size);
}

bool names_an_object(const cucore_argument& argument) {
  return is_buffer(argument) && argument.data != nullptr;
}

}  // namespace

KernelArguments::Room KernelArguments::room_for(const Kernel& kernel, const KernelImage& image,
                                                std::span<const cucore_argument> given) {
  require_count(kernel, image, given.size());
  Room room{given.size()};
  for (size_t i = 0; i < given.size(); ++i) {
    if (names_an_object(given[i])) {
      ++room.buffers;
      room.bytes += aligned(sizeof(CUdeviceptr));
    } else {
      check_argument(kernel, image, i, given[i]);
      room.bytes += aligned(given[i].size);
    }
  }
  return room;
}

KernelArguments::Room KernelArguments::room_of(const KernelArguments& other) {
  Room room{other.count_, other.buffer_count_};
  for (const cucore_argument& argument : other.list()) room.bytes += aligned(argument.size);
  return room;
}

// The values are first, because their alignment is the greatest.
KernelArguments::KernelArguments(const Room& room) {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= PARAMETER_ALIGNMENT);
  if (room.count == 0) return;
  const size_t bytes = room.bytes + room.count * (sizeof *list_ + sizeof *pointers_) +
                       room.buffers * sizeof *buffers_;
  if (bytes > FEW) many_.reset(new std::byte[bytes]);
  values_ = many_ ? many_.get() : few_;
  list_ = reinterpret_cast<cucore_argument*>(values_ + room.bytes);
  pointers_ = reinterpret_cast<void**>(list_ + room.count);
  buffers_ = reinterpret_cast<Ref<const Buffer>*>(pointers_ + room.count);
}

KernelArguments::KernelArguments(const Kernel& kernel, const KernelImage& image,
                                 const Device& device, std::span<const cucore_argument> given,
                                 const BufferHandles& handles)
    : KernelArguments(room_for(kernel, image, given)) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (names_an_object(given[i]))
      add(find_buffer(kernel, image, device, "the graph", i, given[i].data, handles));
    else
      add(given[i].data, given[i].size);
  }
}

KernelArguments::KernelArguments(const KernelArguments& other) : KernelArguments(room_of(other)) {
  for (const cucore_argument& argument : other.list()) add(argument.data, argument.size);
  for (const auto& buffer : other.buffers()) new (&buffers_[buffer_count_++]) Ref(buffer);
}

KernelArguments::~KernelArguments() { std::destroy_n(buffers_, buffer_count_); }

void KernelArguments::add(const void* value, size_t size) {
  copy_value(values_, value, size);
  list_[count_] = {values_, size};
  pointers_[count_++] = values_;
  values_ += aligned(size);
}

void KernelArguments::add(Ref<const Buffer> buffer) {
  const CUdeviceptr address = buffer->address();
  new (&buffers_[buffer_count_++]) Ref(std::move(buffer));
  add(&address, sizeof address);
}

}  // namespace cucore::core
