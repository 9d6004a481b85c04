// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_arguments.hpp"

#include <algorithm>
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

// The bytes of arguments that do not fit into an object. The sizes have been checked.
size_t room_for(std::span<const cucore_argument> given, size_t alignment) {
  size_t bytes = 0;
  for (const cucore_argument& argument : given)
    bytes += names_an_object(argument) ? alignment + sizeof(Ref<const Buffer>)
                                       : argument.size + alignment;
  return bytes;
}

}  // namespace

inline void KernelArguments::open(size_t count, size_t bytes) {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= PARAMETER_ALIGNMENT);
  bytes = aligned(bytes);
  if (bytes > FEW) many_.reset(new std::byte[bytes]);
  std::byte* const start = many_ ? many_.get() : few_;
  list_ = reinterpret_cast<cucore_argument*>(start);
  pointers_ = reinterpret_cast<void**>(list_ + count);
  values_ = start + size_of_lists(count);
  buffers_ = reinterpret_cast<Ref<const Buffer>*>(start + bytes);
  count_ = 0;
}

[[gnu::always_inline]] inline bool KernelArguments::add(const void* value, size_t size) {
  const auto room = static_cast<size_t>(reinterpret_cast<std::byte*>(buffers_) - values_);
  if (size > room) [[unlikely]]
    return false;
  copy_value(values_, value, size);
  list_[count_] = {values_, size};
  pointers_[count_++] = values_;
  values_ += std::min(aligned(size), room);
  return true;
}

[[gnu::always_inline]] inline bool KernelArguments::add(Ref<const Buffer> buffer) {
  const CUdeviceptr address = buffer->address();
  if (values_ + sizeof *buffers_ + sizeof address > reinterpret_cast<std::byte*>(buffers_))
      [[unlikely]]
    return false;
  new (--buffers_) Ref(std::move(buffer));
  ++buffer_count_;
  return add(&address, sizeof address);
}

inline bool KernelArguments::add_all(const Kernel& kernel, const KernelImage& image,
                                     const Device& device, std::span<const cucore_argument> given,
                                     const BufferHandles& handles) {
  for (size_t i = 0; i < given.size(); ++i) {
    const cucore_argument& argument = given[i];
    if (names_an_object(argument)) {
      if (!add(find_buffer(kernel, image, device, "the graph", i, argument.data, handles)))
        return false;
    } else {
      check_argument(kernel, image, i, argument);
      if (!add(argument.data, argument.size)) return false;
    }
  }
  return true;
}

KernelArguments::KernelArguments(const Kernel& kernel, const KernelImage& image,
                                 const Device& device, std::span<const cucore_argument> given,
                                 const BufferHandles& handles)
    : KernelArguments((require_count(kernel, image, given.size()), given.size())) {
  if (add_all(kernel, image, device, given, handles)) [[likely]]
    return;
  for (size_t i = 0; i < given.size(); ++i)
    if (!names_an_object(given[i])) check_argument(kernel, image, i, given[i]);
  close();
  open(given.size(), size_of_lists(given.size()) + room_for(given, PARAMETER_ALIGNMENT));
  (void)add_all(kernel, image, device, given, handles);
}

KernelArguments::KernelArguments(const KernelArguments& other) : KernelArguments(other.count_) {
  size_t bytes = size_of_lists(other.count_) + other.buffer_count_ * sizeof *buffers_;
  for (const cucore_argument& argument : other.list()) bytes += aligned(argument.size);
  open(other.count_, std::max(bytes, FEW));
  for (const cucore_argument& argument : other.list()) add(argument.data, argument.size);
  for (const auto& buffer : other.buffers()) {
    new (buffers_ - 1) Ref(buffer);
    --buffers_, ++buffer_count_;
  }
}

KernelArguments::~KernelArguments() { close(); }

}  // namespace cucore::core
