// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

Array linear(Graph& graph, std::string_view op, const Array& x, const Number& y, Dtype dtype) {
  const Input inputs[] = {{.array = &x}, {.number = y}};
  return apply_one(graph, op, inputs, dtype);
}

Number difference(const Number& a, const Number& b) {
  const auto real = [](const Number& number) {
    return number.kind >= NumberKind::REAL ? number.real : double(number.integer);
  };
  Number result = Number::of(real(a) - real(b));
  if (a.kind == NumberKind::COMPLEX || b.kind == NumberKind::COMPLEX) {
    result.kind = NumberKind::COMPLEX;
    result.imag = a.imag - b.imag;
  }
  return result;
}

// Computed in float64 or complex128, as NumPy does. The last element is the end itself.
Array linspace(Graph& graph, Dtype dtype, const Number& start, const Number& stop, int64_t count,
               bool endpoint) {
  Number step = difference(stop, start);
  const Dtype wide = step.kind == NumberKind::COMPLEX || kind_of(dtype) == Kind::COMPLEX
                         ? Dtype::COMPLEX128
                         : Dtype::FLOAT64;
  const auto parts = static_cast<double>(std::max<int64_t>(endpoint ? count - 1 : count, 1));
  step.real /= parts;
  step.imag /= parts;
  const Array places = positions(graph, {count});
  const Array moved = linear(graph, "multiply", cast(places, wide), step, wide);
  Array result = linear(graph, "add", moved, start, wide);
  if (endpoint && count > 1) {
    const Array is_last = linear(graph, "equal", places, Number::of(count - 1), Dtype::DEFAULT);
    const Input choice[] = {{.array = &is_last}, {.number = stop}, {.array = &result}};
    result = apply_one(graph, "where", choice, wide);
  }
  if (!is_integer(kind_of(dtype))) return cast(result, dtype);
  const Input whole[] = {{.array = &result}};
  return cast(apply_one(graph, "floor", whole), dtype);
}

// 1 where the column is the row plus `diagonal`.
Array eye(Graph& graph, Dtype dtype, int64_t rows, int64_t columns, int64_t diagonal) {
  Array row = positions(graph, {rows}), column = positions(graph, {columns});
  row.view = {.shape = {rows, 1}, .strides = {1, 0}};
  const Array first = linear(graph, "add", row, Number::of(diagonal), Dtype::DEFAULT);
  const Input pair[] = {{.array = &first}, {.array = &column}};
  return cast(apply_one(graph, "equal", pair), dtype);
}

// Elements of the caller's strides, one after another.
class Gathered {
 public:
  Gathered(const void* data, const Dims& shape, std::span<const int64_t> strides, size_t size)
      : size_(size) {
    bytes_.reserve(static_cast<size_t>(count_of(shape, size)) * size);
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

cucore_status cucore_array_linspace(cucore_array_context* context, cucore_array_dtype dtype,
                                    const cucore_array_scalar* start,
                                    const cucore_array_scalar* stop, int64_t count,
                                    int32_t endpoint, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const Ref<Context> owner = share(context, "context");
    const Number first = number_of(*require(start, "start"));
    const Number last = number_of(*require(stop, "stop"));
    const bool includes = require_flag(endpoint, "endpoint");
    const bool complex = first.kind == NumberKind::COMPLEX || last.kind == NumberKind::COMPLEX;
    const Weak weak[] = {complex ? Weak::COMPLEX : Weak::REAL};
    const Dtype type = dtype_or(dtype, result_dtype({}, weak, owner->settings().defaults));
    if (count < 0)
      throw Error(Status::SHAPE, concat("linspace: the count is ", count, "; expected at least 0"));
    record(owner, out,
           [&](Graph& graph) { return linspace(graph, type, first, last, count, includes); });
  });
}

cucore_status cucore_array_eye(cucore_array_context* context, cucore_array_dtype dtype,
                               int64_t rows, int64_t columns, int64_t diagonal, cucore_array** out,
                               cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const Ref<Context> owner = share(context, "context");
    const Dtype type = dtype_or(dtype, owner->settings().defaults.real);
    const int64_t sizes[] = {rows, columns};
    shape_of(sizes, 2);
    record(owner, out, [&](Graph& graph) { return eye(graph, type, rows, columns, diagonal); });
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
    const size_t bytes = static_cast<size_t>(count_of(sizes, size_of(type))) * size_of(type);
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
