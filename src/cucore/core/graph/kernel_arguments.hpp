// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel node: copies of the values, and the buffers among them. A graph may
// have thousands of nodes, so all of it is in one block of memory.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <memory>
#include <span>

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
  struct Room {
    size_t count = 0, buffers = 0, bytes = 0;
  };
  explicit KernelArguments(const Room& room);
  static size_t aligned(size_t size) {
    return (size + PARAMETER_ALIGNMENT - 1) & ~(PARAMETER_ALIGNMENT - 1);
  }
  void add(const void* value, size_t size);
  void add(Ref<const Buffer> buffer);

  // The greatest alignment of a parameter.
  static constexpr size_t PARAMETER_ALIGNMENT = 16;
  static constexpr size_t FEW = 160;  // the bytes of three arguments, one of them a buffer

  alignas(PARAMETER_ALIGNMENT) std::byte few_[FEW];
  std::unique_ptr<std::byte[]> many_;
  cucore_argument* list_ = nullptr;
  void** pointers_ = nullptr;
  Ref<const Buffer>* buffers_ = nullptr;
  std::byte* values_ = nullptr;  // where the next one goes
  size_t count_ = 0, buffer_count_ = 0;

  static Room room_for(const Kernel& kernel, const KernelImage& image,
                       std::span<const cucore_argument> given);
  static Room room_of(const KernelArguments& other);
};

}  // namespace cucore::core
