// SPDX-License-Identifier: Apache-2.0
// The device text of an operation of the table.
#pragma once

#include <string>

#include "array/model/dtype.hpp"
#include "array/ops/op.hpp"

namespace cucore::array {

// The type that a kernel computes with: "f32" of float16 and bfloat16 too.
std::string_view compute_type(Dtype dtype) noexcept;

// The expression over x, y, z with the functions of the type: sinf(x) for float32.
std::string expression_text(const Op& op, ExpressionClass expression_class, Dtype dtype);

}  // namespace cucore::array
