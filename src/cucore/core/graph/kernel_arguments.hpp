// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel node: copies of the values, and the buffers among them. A graph may
// have thousands of nodes, so all of it is in one block of memory.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/load/buffer_arguments.hpp"

namespace cucore::core {

class KernelArguments {
 public:
  // Throws as launch() does for the same arguments on a stream of the device.
  KernelArguments(const Kernel& kernel, const KernelImage& image, const Device& device,
                  std::span<const cucore_argument> given, const BufferHandles& handles);
  KernelArguments(const KernelArguments& other);
  KernelArguments& operator=(const KernelArguments&) = delete;
  ~KernelArguments();

  // The values; the address of a buffer is one.
  std::span<const cucore_argument> list() const { return {list_, count_}; }
  // The places of the values. Null without values. The driver's type of the list is not const.
  void** pointers() const { return count_ == 0 ? nullptr : pointers_; }
  std::span<const Ref<const Buffer>> buffers() const { return {buffers_, buffer_count_}; }

 private:
  // Has room for so many arguments of common sizes.
  explicit KernelArguments(size_t count) {
    const size_t of_one = aligned(sizeof(CUdeviceptr)) + sizeof(Ref<const Buffer>);
    const size_t bytes = size_of_lists(count) + count * of_one;
    open(count, bytes > FEW ? bytes : FEW);
  }
  static constexpr size_t aligned(size_t size) {
    return (size + PARAMETER_ALIGNMENT - 1) & ~(PARAMETER_ALIGNMENT - 1);
  }
  // The bytes for so many arguments without their values and buffers.
  static constexpr size_t size_of_lists(size_t count) {
    return aligned(count * (sizeof *list_ + sizeof *pointers_));
  }
  // Begins to add, with room for so many arguments and bytes in all.
  void open(size_t count, size_t bytes);
  void close() noexcept { std::destroy_n(buffers_, std::exchange(buffer_count_, 0)); }
  // Return false if the room is not enough.
  bool add(const void* value, size_t size);
  bool add(Ref<const Buffer> buffer);
  bool add_all(const Kernel& kernel, const KernelImage& image, const Device& device,
               std::span<const cucore_argument> given, const BufferHandles& handles);

  // The greatest alignment of a parameter.
  static constexpr size_t PARAMETER_ALIGNMENT = 16;
  static constexpr size_t FEW = 160;  // the bytes of three arguments, one of them a buffer

  // The lists of values and pointers are first. Values follow, and buffers grow towards them from
  // the end.
  alignas(PARAMETER_ALIGNMENT) std::byte few_[FEW];
  std::unique_ptr<std::byte[]> many_;
  cucore_argument* list_;
  void** pointers_;
  Ref<const Buffer>* buffers_;  // the first
  std::byte* values_;           // where the next one goes
  uint32_t count_ = 0, buffer_count_ = 0;
};

}  // namespace cucore::core
