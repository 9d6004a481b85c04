// SPDX-License-Identifier: Apache-2.0
#include "array/capi/guard.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

// A function of two arrays of one context.
template <class Body>
void record_pair(const cucore_array* x, const cucore_array* y, cucore_array** out, Body&& body) {
  clear(out);
  const Operands operands({x, y});
  record(operands.context_ref(), out,
         [&](Graph&) { return body(*operands.inputs()[0].array, *operands.inputs()[1].array); });
}

}  // namespace

extern "C" {

cucore_status cucore_array_matmul(const cucore_array* x, const cucore_array* y, cucore_array** out,
                                  cucore_error** error) {
  return guard(error, [&] { record_pair(x, y, out, matmul); });
}

cucore_status cucore_array_tensordot(const cucore_array* x, const cucore_array* y,
                                     const int32_t* x_axes, const int32_t* y_axes, size_t count,
                                     cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const auto left = require_array(x_axes, count, "x_axes");
    const auto right = require_array(y_axes, count, "y_axes");
    record_pair(x, y, out,
                [&](const Array& a, const Array& b) { return tensordot(a, b, left, right); });
  });
}

cucore_status cucore_array_vecdot(const cucore_array* x, const cucore_array* y, int32_t axis,
                                  cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    record_pair(x, y, out, [&](const Array& a, const Array& b) { return vecdot(a, b, axis); });
  });
}

}  // extern "C"
