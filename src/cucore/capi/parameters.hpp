// SPDX-License-Identifier: Apache-2.0
// Writes the parameters of a kernel into an array of the caller.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "capi/guard.hpp"
#include "image/image.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::capi {

// The caller's header decides the size of an element. The struct_size of element 0 is the distance
// between two elements, and shows which fields the caller has.
class ParameterArray {
 public:
  // Checks the arguments and clears the array, as a failure must leave it.
  ParameterArray(cucore_parameter_info* out, size_t capacity, size_t* count)
      : out_(reinterpret_cast<std::byte*>(out)), capacity_(capacity), count_(count) {
    if (capacity != 0) {
      require(out, "out");
      stride_ = detail::checked_struct_size(out, FIRST_RELEASE, "cucore_parameter_info");
      for (size_t i = 0; i < capacity; ++i) put(i, {});
    }
    require(count, "count");
  }

  void write(std::span<const image::Parameter> parameters) {
    *count_ = parameters.size();
    if (!out_) return;
    if (capacity_ < parameters.size())
      throw Error(Status::BUFFER_TOO_SMALL, concat("capacity is ", counted(capacity_, "element"),
                                                   "; expected at least ", parameters.size()));
    for (size_t i = 0; i < parameters.size(); ++i)
      put(i, {.struct_size = 0,
              .offset = parameters[i].offset,
              .size = parameters[i].size,
              .parameter_class = static_cast<cucore_parameter_class>(parameters[i].parameter_class),
              .reserved = 0});
  }

 private:
  static constexpr size_t FIRST_RELEASE =
      offsetof(cucore_parameter_info, reserved) + sizeof(int32_t);

  // Sets fields that only a newer header has to 0.
  void put(size_t index, cucore_parameter_info info) {
    std::byte* const element = out_ + index * stride_;
    info.struct_size = stride_;
    std::memset(element, 0, stride_);
    std::memcpy(element, &info, std::min(stride_, sizeof info));
  }

  std::byte* const out_;
  const size_t capacity_;
  size_t* const count_;
  size_t stride_ = 0;
};

}  // namespace cucore::capi
