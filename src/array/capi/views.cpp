// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "array/capi/guard.hpp"
#include "array/capi/selection.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

// A view of the same cell.
template <class Transform>
void make_view(const ArrayObject& self, cucore_array** out, Transform&& transform) {
  record(self.context_ref(), out,
         [&](Graph&) { return Array{.cell = self.cell(), .view = transform(self.view())}; });
}

}  // namespace

extern "C" {

cucore_status cucore_array_select(const cucore_array* x, const cucore_array_index* items,
                                  size_t count, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    clear(out);
    Selection selection(items, count, self);
    selection.replace_masks();
    record(self.context_ref(), out, [&](Graph&) { return selection.elements(); });
  });
}

cucore_status cucore_array_assign_select(cucore_array* x, const cucore_array_index* items,
                                         size_t count, int32_t op,
                                         const cucore_array_operand* value, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Operands source(require(value, "value"), 1, self.context_ref());
    Selection selection(items, count, self);
    const Op* const row = op == 0 ? nullptr : &elementwise_of_caller(op, 2);
    Write write(self.context(), self.cell());
    selection.assign(row, source.inputs()[0], write);
    write.finish();
  });
}

cucore_status cucore_array_reshape(const cucore_array* x, const int64_t* shape, size_t ndim,
                                   cucore_toggle copy, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Dims sizes = resolved_shape(require_array(shape, ndim, "shape"), self.count());
    const bool copies = require_toggle(copy, false, "copy");
    record(self.context_ref(), out, [&](Graph&) {
      if (copies) {
        Array result = copied_in_order(self.array());
        result.view = dense(sizes);
        return result;
      }
      if (copy == CUCORE_TOGGLE_OFF && !reshaped(self.view(), sizes))
        throw Error(Status::INVALID_STATE,
                    "reshape: the strides do not permit a view, and copies are switched off");
      return reshaped_array(self.array(), sizes);
    });
  });
}

cucore_status cucore_array_permute(const cucore_array* x, const int32_t* axes, size_t count,
                                   cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const auto order = axes_of_caller(axes, axes ? count : 0);
    make_view(use(x, "x"), out, [&](const View& view) {
      if (axes && count != view.ndim())
        throw Error(Status::INVALID_ARGUMENT,
                    concat("permute: ", count, " axes for an array of ", view.ndim()));
      return permuted(view, order);
    });
  });
}

cucore_status cucore_array_broadcast(const cucore_array* x, const int64_t* shape, size_t ndim,
                                     cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const Dims sizes = shape_of(shape, ndim);
    make_view(use(x, "x"), out,
              [&](const View& view) { return broadcast(view, sizes, "broadcast"); });
  });
}

cucore_status cucore_array_expand(const cucore_array* x, const int32_t* axes, size_t count,
                                  cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const auto places = axes_of_caller(axes, count);
    make_view(use(x, "x"), out, [&](const View& view) { return expanded(view, places); });
  });
}

cucore_status cucore_array_squeeze(const cucore_array* x, const int32_t* axes, size_t count,
                                   cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const auto places = axes_of_caller(axes, count);
    make_view(use(x, "x"), out, [&](const View& view) { return squeezed(view, places); });
  });
}

cucore_status cucore_array_flip(const cucore_array* x, const int32_t* axes, size_t count,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const auto places = axes_of_caller(axes, count);
    make_view(use(x, "x"), out, [&](const View& view) { return flipped(view, places); });
  });
}

cucore_status cucore_array_diagonal(const cucore_array* x, int64_t offset, int32_t axis1,
                                    int32_t axis2, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    make_view(use(x, "x"), out,
              [&](const View& view) { return diagonal(view, offset, axis1, axis2); });
  });
}

cucore_status cucore_array_part(const cucore_array* x, cucore_array_part_kind part,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    if (part != CUCORE_ARRAY_PART_REAL && part != CUCORE_ARRAY_PART_IMAG)
      throw Error(Status::INVALID_ARGUMENT, concat("part is ", int{part}, "; expected 1 or 2"));
    if (kind_of(self.dtype()) != Kind::COMPLEX)
      throw Error(Status::DTYPE, concat("part: the elements are ", name_of(self.dtype()),
                                        "; expected complex numbers"));
    make_view(self, out, [&](const View& view) { return part_of(view, static_cast<Part>(part)); });
  });
}

}  // extern "C"
