// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "array/capi/guard.hpp"
#include "array/text/element.hpp"
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

cucore_array_scalar scalar_of(Dtype dtype, const std::byte* bytes) {
  cucore_array_scalar scalar{};
  constexpr cucore_array_scalar_kind KINDS[] = {CUCORE_ARRAY_SCALAR_BOOL, CUCORE_ARRAY_SCALAR_INT,
                                                CUCORE_ARRAY_SCALAR_UINT, CUCORE_ARRAY_SCALAR_REAL,
                                                CUCORE_ARRAY_SCALAR_COMPLEX};
  const Kind kind = kind_of(dtype);
  scalar.kind = KINDS[size_t(kind)];
  if (!is_inexact(kind)) {
    scalar.integer = integer_at(dtype, bytes);
    scalar.real = kind == Kind::UNSIGNED ? double(static_cast<uint64_t>(scalar.integer))
                                         : double(scalar.integer);
    return scalar;
  }
  scalar.real = real_at(dtype, bytes);
  if (kind == Kind::COMPLEX) scalar.imag = imag_at(dtype, bytes);
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
    if (size > 0) require(destination, "destination");
    self.context().read(self.array(), {static_cast<std::byte*>(destination), size});
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
    record_write(context, self.cell(),
                 [&](Graph&) { assign(self.array(), {.array = &held.array}, "write"); });
  });
}

}  // extern "C"
