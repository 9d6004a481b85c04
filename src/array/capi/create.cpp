// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "array/capi/guard.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

Dtype dtype_or(cucore_array_dtype dtype, Dtype otherwise) {
  return dtype == CUCORE_ARRAY_DTYPE_DEFAULT ? otherwise : dtype_of_caller(dtype, "dtype");
}

Number number_or(const cucore_array_scalar* scalar, int64_t otherwise) {
  return scalar ? number_of(*scalar) : Number::of(otherwise);
}

// start + step * position, in the type of the result.
Array arange(Graph& graph, Dtype dtype, const Number& start, const Number& step, int64_t count) {
  const Array numbers = cast(positions(graph, {count}), dtype);
  const Input scaled[] = {{.array = &numbers}, {.number = step}};
  const Array product = apply_one(graph, "multiply", scaled);
  const Input moved[] = {{.array = &product}, {.number = start}};
  return apply_one(graph, "add", moved);
}

// Elements of the caller's strides, one after another.
class Gathered {
 public:
  Gathered(const void* data, const Dims& shape, std::span<const int64_t> strides, size_t size)
      : size_(size) {
    bytes_.reserve(static_cast<size_t>(count_of(shape)) * size);
    if (count_of(shape) > 0) append(static_cast<const std::byte*>(data), shape, strides, 0);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void append(const std::byte* at, const Dims& shape, std::span<const int64_t> strides,
              size_t axis) {
    if (axis == shape.size()) {
      bytes_.insert(bytes_.end(), at, at + size_);
      return;
    }
    for (int64_t index = 0; index < shape[axis]; ++index)
      append(at + index * strides[axis], shape, strides, axis + 1);
  }

  const size_t size_;
  std::vector<std::byte> bytes_;
};

}  // namespace

extern "C" {

cucore_status cucore_array_empty(cucore_array_context* context, cucore_array_dtype dtype,
                                 const int64_t* shape, size_t ndim, cucore_array** out,
                                 cucore_error** error) {
  return guard(error, [&] {
    const Ref<Context> owner = share(context, "context");
    record(owner, out, [&](Graph& graph) {
      return empty(graph, dtype_or(dtype, owner->settings().defaults.real), shape_of(shape, ndim));
    });
  });
}

cucore_status cucore_array_full(cucore_array_context* context, cucore_array_dtype dtype,
                                const int64_t* shape, size_t ndim, const cucore_array_scalar* value,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const Ref<Context> owner = share(context, "context");
    const Number number = number_of(*require(value, "value"));
    const Dtype type = dtype_or(dtype, dtype_of(weak_of(number), owner->settings().defaults));
    record(owner, out, [&](Graph& graph) {
      return full(graph, constant_of(number, type, "full"), shape_of(shape, ndim));
    });
  });
}

cucore_status cucore_array_arange(cucore_array_context* context, cucore_array_dtype dtype,
                                  const cucore_array_scalar* start, const cucore_array_scalar* step,
                                  int64_t count, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const Ref<Context> owner = share(context, "context");
    const Number first = number_or(start, 0), distance = number_or(step, 1);
    const Weak weak[] = {weak_of(first), weak_of(distance)};
    const Dtype type = dtype_or(dtype, result_dtype({}, weak, owner->settings().defaults));
    if (count < 0)
      throw Error(Status::SHAPE, concat("arange: the count is ", count, "; expected at least 0"));
    record(owner, out, [&](Graph& graph) { return arange(graph, type, first, distance, count); });
  });
}

cucore_status cucore_array_from_host(cucore_array_context* context, cucore_array_dtype dtype,
                                     const void* data, const int64_t* shape, size_t ndim,
                                     const int64_t* byte_strides, cucore_array** out,
                                     cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const Ref<Context> owner = share(context, "context");
    const Dtype type = dtype_of_caller(dtype, "dtype");
    const Dims sizes = shape_of(shape, ndim);
    const size_t bytes = static_cast<size_t>(count_of(sizes)) * size_of(type);
    if (bytes != 0) require(data, "data");
    Ref<ArrayObject> object;
    const auto transfer = [&](std::span<const std::byte> source) {
      Array array = owner->from_host(type, sizes, source);
      const Context::Lock lock(*owner);
      object = make<ArrayObject>(owner, std::move(array));
    };
    if (byte_strides)
      transfer(Gathered(data, sizes, std::span(byte_strides, ndim), size_of(type)).bytes());
    else
      transfer({static_cast<const std::byte*>(data), bytes});
    *out = wrap(object);
  });
}

cucore_status cucore_array_copy(const cucore_array* array, cucore_array** out,
                                cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(array, "array");
    record(self.context_ref(), out, [&](Graph&) { return copied(self.array()); });
  });
}

}  // extern "C"
