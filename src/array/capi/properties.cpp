// SPDX-License-Identifier: Apache-2.0
#include "array/capi/guard.hpp"
#include "array/model/overlap.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

bool covers_base(const ArrayObject& self) {
  const Context::Lock lock(self.context());
  return self.view().part == Part::WHOLE && self.count() == self.cell()->current().count;
}

}  // namespace

extern "C" {

cucore_array* cucore_array_retain(const cucore_array* array) { return retain(array); }
void cucore_array_release(cucore_array* array) { release(array); }

size_t cucore_array_ndim(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? self->view().ndim() : 0;
}

const int64_t* cucore_array_shape(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? self->view().shape.data() : nullptr;
}

const int64_t* cucore_array_strides(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? self->byte_strides().data() : nullptr;
}

int64_t cucore_array_size(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? self->count() : 0;
}

size_t cucore_array_bytes(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? static_cast<size_t>(self->count()) * size_of(self->dtype()) : 0;
}

cucore_array_dtype cucore_array_dtype_of(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self ? static_cast<cucore_array_dtype>(self->dtype()) : CUCORE_ARRAY_DTYPE_DEFAULT;
}

int32_t cucore_array_is_pending(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  if (!self) return 0;
  const Context::Lock lock(self->context());
  return self->cell()->current().is_pending();
}

int32_t cucore_array_is_view(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self && !(covers_base(*self) && is_contiguous(self->view()));
}

int32_t cucore_array_is_contiguous(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self && self->view().part == Part::WHOLE && is_contiguous(self->view());
}

int32_t cucore_array_is_writable(const cucore_array* array) {
  const ArrayObject* self = peek(array);
  return self && self->array().is_writable();
}

int32_t cucore_array_shares_memory(const cucore_array* array, const cucore_array* other) {
  const ArrayObject *a = peek(array), *b = peek(other);
  return a && b && a->cell() == b->cell() && overlap_of(a->view(), b->view(), 0) == Overlap::SOME;
}

cucore_status cucore_array_context_of(const cucore_array* array, cucore_array_context** out,
                                      cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(use(array, "array").context_ref());
  });
}

}  // extern "C"
