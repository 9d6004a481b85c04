// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "array/capi/guard.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

void check_size(const ArrayObject& self, size_t size) {
  const size_t bytes = static_cast<size_t>(self.count()) * size_of(self.dtype());
  if (size != bytes)
    throw Error(Status::INVALID_ARGUMENT,
                concat("size is ", size, "; the array has ", bytes, " bytes"));
}

template <class T>
T taken(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 31)
    return sign * (fraction ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity());
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

double real_value(Dtype dtype, const std::byte* bytes) {
  switch (real_of(dtype)) {
    case Dtype::FLOAT16:
      return half_value(taken<uint16_t>(bytes));
    case Dtype::BFLOAT16: {
      const uint32_t bits = uint32_t{taken<uint16_t>(bytes)} << 16;
      return double(taken<float>(reinterpret_cast<const std::byte*>(&bits)));
    }
    case Dtype::FLOAT32:
      return double(taken<float>(bytes));
    default:
      return taken<double>(bytes);
  }
}

int64_t integer_value(Dtype dtype, const std::byte* bytes) {
  switch (dtype) {
    case Dtype::BOOL:
    case Dtype::UINT8:
      return taken<uint8_t>(bytes);
    case Dtype::INT8:
      return taken<int8_t>(bytes);
    case Dtype::INT16:
      return taken<int16_t>(bytes);
    case Dtype::UINT16:
      return taken<uint16_t>(bytes);
    case Dtype::INT32:
      return taken<int32_t>(bytes);
    case Dtype::UINT32:
      return taken<uint32_t>(bytes);
    default:
      return taken<int64_t>(bytes);
  }
}

cucore_array_scalar scalar_of(Dtype dtype, const std::byte* bytes) {
  cucore_array_scalar scalar{};
  constexpr cucore_array_scalar_kind KINDS[] = {CUCORE_ARRAY_SCALAR_BOOL, CUCORE_ARRAY_SCALAR_INT,
                                                CUCORE_ARRAY_SCALAR_UINT, CUCORE_ARRAY_SCALAR_REAL,
                                                CUCORE_ARRAY_SCALAR_COMPLEX};
  const Kind kind = kind_of(dtype);
  scalar.kind = KINDS[size_t(kind)];
  if (!is_inexact(kind)) {
    scalar.integer = integer_value(dtype, bytes);
    scalar.real = kind == Kind::UNSIGNED ? double(static_cast<uint64_t>(scalar.integer))
                                         : double(scalar.integer);
    return scalar;
  }
  scalar.real = real_value(dtype, bytes);
  if (kind == Kind::COMPLEX) scalar.imag = real_value(dtype, bytes + size_of(dtype) / 2);
  return scalar;
}

}  // namespace

extern "C" {

cucore_status cucore_array_evaluate(cucore_array* const* arrays, size_t count,
                                    cucore_error** error) {
  return guard(error, [&] {
    std::vector<Ref<Cell>> cells;
    Context* context = nullptr;
    for (cucore_array* array : require_array(arrays, count, "arrays")) {
      const ArrayObject& self = use(array, "arrays");
      if (context && context != &self.context())
        throw Error(Status::INVALID_ARGUMENT, "evaluate: the arrays belong to several contexts");
      context = &self.context();
      cells.push_back(self.cell());
    }
    if (context) context->evaluate(cells, Reason::CALL);
  });
}

cucore_status cucore_array_read(const cucore_array* array, void* destination, size_t size,
                                cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(array, "array");
    check_size(self, size);
    if (size == 0) return;
    self.context().read(self.array(),
                        {static_cast<std::byte*>(require(destination, "destination")), size});
  });
}

cucore_status cucore_array_item(const cucore_array* array, cucore_array_scalar* out,
                                cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const ArrayObject& self = use(array, "array");
    if (self.count() != 1)
      throw Error(Status::SHAPE,
                  concat("item: the array has ", self.count(), " elements; expected 1"));
    std::array<std::byte, 16> bytes{};
    self.context().read(self.array(), std::span(bytes).first(size_of(self.dtype())));
    *out = scalar_of(self.dtype(), bytes.data());
  });
}

cucore_status cucore_array_write(cucore_array* array, const void* source, size_t size,
                                 cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(array, "array");
    check_size(self, size);
    check_writable(self.array());
    if (size == 0) return;
    Context& context = self.context();
    HeldArray held{context, context.from_host(
                                self.dtype(), self.view().shape,
                                {static_cast<const std::byte*>(require(source, "source")), size})};
    {
      const Context::Lock lock(context);
      assign(self.array(), {.array = &held.array}, "write");
    }
    context.after_recording(self.cell());
  });
}

}  // extern "C"
