// SPDX-License-Identifier: Apache-2.0
// Compares one argument of a launch with the kernel's parameter.
#pragma once

#include <cucore.h>

#include <memory>

#include "core/load/kernel.hpp"

namespace cucore::core {

inline bool is_buffer(const cucore_argument& argument) {
  return argument.size == CUCORE_ARGUMENT_OBJECT;
}

// The addresses of the values, from which the driver reads them.
class ArgumentPointers {
 public:
  explicit ArgumentPointers(size_t count) {
    if (count > FEW) [[unlikely]] {
      many_ = std::make_unique<void*[]>(count);
      data_ = many_.get();
    }
  }
  ArgumentPointers(const ArgumentPointers&) = delete;
  ArgumentPointers& operator=(const ArgumentPointers&) = delete;

  void** data() { return data_; }

 private:
  static constexpr size_t FEW = 32;
  void* few_[FEW];
  std::unique_ptr<void*[]> many_;
  void** data_ = few_;
};

// Returns "4 bytes (float)", for messages.
std::string describe(const image::Parameter& parameter);

[[noreturn]] void throw_argument(const Kernel& kernel, const KernelImage& image, size_t index,
                                 const cucore_argument& given);

// Returns whether a value fits its parameter. A buffer does not: its bytes are not the value. If
// the kernel's parameters are not known, every size is accepted.
inline bool fits(const KernelImage& image, size_t index, const cucore_argument& given) {
  const auto& parameters = image.parameters;
  const bool as_wanted = parameters ? given.size == (*parameters)[index].size : !is_buffer(given);
  return given.data && as_wanted;
}

inline void check_argument(const Kernel& kernel, const KernelImage& image, size_t index,
                           const cucore_argument& given) {
  if (!fits(image, index, given)) [[unlikely]]
    throw_argument(kernel, image, index, given);
}

}  // namespace cucore::core
