// SPDX-License-Identifier: Apache-2.0
// Sums of products: of matrices, of tensors, of vectors.
#include <algorithm>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

Dtype common_dtype_of(const Array& x, const Array& y) {
  const Dtype dtypes[] = {x.dtype(), y.dtype()};
  return result_dtype(dtypes, {});
}

bool is_half_type(Dtype dtype) { return dtype == Dtype::FLOAT16 || dtype == Dtype::BFLOAT16; }

// The sum over an axis. Half precision is added and multiplied in float32, and rounded once.
Array sum_of_products(const Array& x, const Array& y, size_t axis) {
  Graph& graph = x.graph();
  const Dtype dtype = common_dtype_of(x, y);
  const Dtype inside = is_half_type(dtype) ? Dtype::FLOAT32 : dtype;
  const Array left = cast(x, inside), right = cast(y, inside);
  const Input factors[] = {{.array = &left}, {.array = &right}};
  const Array products = apply_one(graph, "multiply", factors);
  const ReduceOptions options{.axes = std::vector{static_cast<int32_t>(axis)},
                              .dtype = dtype == Dtype::BOOL ? Dtype::DEFAULT : inside};
  const Op& op = *find_op(dtype == Dtype::BOOL ? "any" : "sum");
  return cast(reduce(op, products, options), dtype);
}

void check_depth(int64_t x, int64_t y, std::string_view what, const Array& a, const Array& b) {
  if (x == y) return;
  throw Error(Status::SHAPE, concat(what, ": shapes ", shape_text(a.view.shape), " and ",
                                    shape_text(b.view.shape), " do not fit: ", x, " is not ", y));
}

View with_axis(const View& view, size_t axis) {
  const int32_t axes[] = {static_cast<int32_t>(axis)};
  return expanded(view, axes);
}

// The axes before the last two, broadcast to those of the result.
Operand factor_of(const Array& array, const Dims& batch, Dtype dtype) {
  const Array source = cast(array, dtype);
  Operand operand{.value = source.cell->value(), .view = source.view};
  Dims shape = batch;
  for (size_t axis = array.view.ndim() - 2; axis < array.view.ndim(); ++axis)
    shape.push_back(array.view.shape[axis]);
  operand.view = broadcast(operand.view, shape, "matmul");
  operand.view.read_only = false;
  return operand;
}

Dims batch_of(const Array& array) {
  const Dims& shape = array.view.shape;
  return Dims(std::span(shape.begin(), shape.end()).first(shape.size() - 2));
}

Array product_of_matrices(const Array& x, const Array& y) {
  const Dims batches[] = {batch_of(x), batch_of(y)};
  const Dims batch = broadcast_shape(batches, "matmul");
  const Dtype dtype = common_dtype_of(x, y);
  const size_t last = x.view.ndim() - 1;
  Dims shape = batch;
  shape.push_back(x.view.shape[last - 1]);
  shape.push_back(y.view.shape[y.view.ndim() - 1]);
  if (count_of(shape) == 0 || x.view.shape[last] == 0)
    return full(x.graph(), {.dtype = dtype}, shape);
  std::vector<Operand> operands;
  operands.push_back(factor_of(x, batch, dtype));
  operands.push_back(factor_of(y, batch, dtype));
  auto value = ValueRef(new Value(x.graph(), ValueKind::MATMUL, dtype, shape, std::move(operands)));
  return array_of(std::move(value));
}

Array as_matrix(const Array& array, std::span<const int64_t> axes, int64_t rows, int64_t columns) {
  std::vector<int32_t> order(axes.begin(), axes.end());
  const Array moved{.cell = array.cell, .view = permuted(array.view, order)};
  return reshaped_array(moved, {rows, columns});
}

}  // namespace

Array matmul(const Array& x, const Array& y) {
  if (x.view.ndim() == 0 || y.view.ndim() == 0)
    throw Error(Status::SHAPE, "matmul: an array has no dimension; expected at least 1");
  const size_t last_x = x.view.ndim() - 1;
  const size_t first_y = y.view.ndim() == 1 ? 0 : y.view.ndim() - 2;
  check_depth(x.view.shape[last_x], y.view.shape[first_y], "matmul", x, y);
  if (y.view.ndim() == 1) return sum_of_products(x, y, last_x);
  if (x.view.ndim() == 1) {
    const Array column{.cell = x.cell, .view = with_axis(x.view, 1)};
    return sum_of_products(column, y, first_y);
  }
  return product_of_matrices(x, y);
}

Array vecdot(const Array& x, const Array& y, int32_t axis) {
  const Dims shapes[] = {x.view.shape, y.view.shape};
  const size_t place_x = axis_of(axis, x.view.ndim(), "vecdot"),
               place_y = axis_of(axis, y.view.ndim(), "vecdot");
  check_depth(x.view.shape[place_x], y.view.shape[place_y], "vecdot", x, y);
  const size_t place = axis_of(axis, broadcast_shape(shapes, "vecdot").size(), "vecdot");
  const Input one[] = {{.array = &x}};
  const Array left = kind_of(x.dtype()) == Kind::COMPLEX ? apply_one(x.graph(), "conj", one) : x;
  return sum_of_products(left, y, place);
}

Array tensordot(const Array& x, const Array& y, std::span<const int32_t> x_axes,
                std::span<const int32_t> y_axes) {
  constexpr std::string_view WHAT = "tensordot";
  const Dims left = axes_of(x_axes, x.view.ndim(), WHAT),
             right = axes_of(y_axes, y.view.ndim(), WHAT);
  check_ndim(x.view.ndim() + y.view.ndim() - left.size() - right.size(), WHAT);
  int64_t depth = 1, rows = 1, columns = 1;
  for (size_t at = 0; at < left.size(); ++at) {
    const int64_t size = x.view.shape[size_t(left[at])];
    check_depth(size, y.view.shape[size_t(right[at])], WHAT, x, y);
    depth *= size;
  }
  std::vector<int64_t> x_order, y_order(right.begin(), right.end());
  Dims shape;
  const auto is_summed = [](const Dims& axes, size_t axis) {
    return std::find(axes.begin(), axes.end(), int64_t(axis)) != axes.end();
  };
  for (size_t axis = 0; axis < x.view.ndim(); ++axis) {
    if (is_summed(left, axis)) continue;
    x_order.push_back(int64_t(axis));
    shape.push_back(x.view.shape[axis]);
    rows *= x.view.shape[axis];
  }
  x_order.insert(x_order.end(), left.begin(), left.end());
  for (size_t axis = 0; axis < y.view.ndim(); ++axis) {
    if (is_summed(right, axis)) continue;
    y_order.push_back(int64_t(axis));
    shape.push_back(y.view.shape[axis]);
    columns *= y.view.shape[axis];
  }
  const Array a = as_matrix(x, x_order, rows, depth), b = as_matrix(y, y_order, depth, columns);
  return reshaped_array(product_of_matrices(a, b), shape);
}

}  // namespace cucore::array
