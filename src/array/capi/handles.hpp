// SPDX-License-Identifier: Apache-2.0
// The handle types of this library, and the array behind a handle.
#pragma once

#include <cucore_array.h>

#include <memory>

#include "array/run/context.hpp"
#include "array/run/generator.hpp"
#include "support/handles.hpp"

struct cucore_array : cucore::HandleHead {};
struct cucore_array_context : cucore::HandleHead {};
struct cucore_array_generator : cucore::HandleHead {};

namespace cucore::array {

// The object behind a handle: a cell, and the view of it. Neither changes.
class ArrayObject final : public Object {
 public:
  ArrayObject(Ref<Context> context, Array array);
  ~ArrayObject() override;

  Context& context() const noexcept { return *context_; }
  const Ref<Context>& context_ref() const noexcept { return context_; }
  const Array& array() const noexcept { return array_; }
  const Ref<Cell>& cell() const noexcept { return array_.cell; }
  const View& view() const noexcept { return array_.view; }
  Dtype dtype() const noexcept { return dtype_; }
  int64_t count() const noexcept { return count_; }
  const Dims& byte_strides() const noexcept { return byte_strides_; }

 private:
  const Ref<Context> context_;
  Array array_;
  const Dtype dtype_;
  const int64_t count_;
  Dims byte_strides_;
};

}  // namespace cucore::array

namespace cucore {

template <>
struct HandleTraits<cucore_array> {
  using Object = array::ArrayObject;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::ARRAY, 1);
  static constexpr const char* NAME = "cucore_array";
  static HandlePool pool;
};
template <>
struct HandleTraits<array::ArrayObject> {
  using Handle = cucore_array;
};

template <>
struct HandleTraits<cucore_array_context> {
  using Object = array::Context;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::ARRAY, 2);
  static constexpr const char* NAME = "cucore_array_context";
  static HandlePool pool;
};
template <>
struct HandleTraits<array::Context> {
  using Handle = cucore_array_context;
};

template <>
struct HandleTraits<cucore_array_generator> {
  using Object = array::Generator;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::ARRAY, 3);
  static constexpr const char* NAME = "cucore_array_generator";
  static HandlePool pool;
};
template <>
struct HandleTraits<array::Generator> {
  using Handle = cucore_array_generator;
};

}  // namespace cucore
