// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/ir/order.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

struct Primitive {
  std::string_view name;
  Reduction op;
};
constexpr Primitive PRIMITIVES[] = {
    {"sum", Reduction::SUM}, {"prod", Reduction::PROD},     {"min", Reduction::MIN},
    {"max", Reduction::MAX}, {"argmin", Reduction::ARGMIN}, {"argmax", Reduction::ARGMAX},
    {"any", Reduction::ANY}, {"all", Reduction::ALL},
};

bool is_argument(Reduction op) { return op == Reduction::ARGMIN || op == Reduction::ARGMAX; }

Number identity_of(Reduction op) {
  return Number::of(int64_t{op == Reduction::PROD || op == Reduction::ALL});
}

struct Axes {
  Dims reduced;  // sorted, of the array
  Dims kept;
  int64_t count = 1;  // elements that become one
};

Axes axes_to_reduce(const Op& op, const Array& array, const ReduceOptions& options) {
  Axes axes;
  if (options.axes) {
    axes.reduced = axes_of(*options.axes, array.view.ndim(), op.name);
    std::sort(axes.reduced.begin(), axes.reduced.end());
  } else {
    for (size_t axis = 0; axis < array.view.ndim(); ++axis) axes.reduced.push_back(int64_t(axis));
  }
  size_t next = 0;
  for (size_t axis = 0; axis < array.view.ndim(); ++axis) {
    if (next < axes.reduced.size() && axes.reduced[next] == int64_t(axis)) {
      axes.count *= array.view.shape[axis];
      ++next;
    } else {
      axes.kept.push_back(int64_t(axis));
    }
  }
  return axes;
}

bool contains(const Dims& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// float16 and bfloat16 are added as float32 between the stages.
Dtype accumulated(Dtype dtype) {
  return dtype == Dtype::FLOAT16 || dtype == Dtype::BFLOAT16 ? Dtype::FLOAT32 : dtype;
}

// One reduction of a run of neighbouring axes, [first, last) in the order of the memory.
struct Stage {
  Reduction op;
  size_t first, last;
  Dtype dtype;
};

ValueRef reduced_value(Graph& graph, const Stage& stage, std::vector<Operand> operands) {
  Dims shape;
  const View& view = operands[0].view;
  for (size_t axis = 0; axis < view.ndim(); ++axis)
    if (axis < stage.first || axis >= stage.last) shape.push_back(view.shape[axis]);
  auto value =
      ValueRef(new Value(graph, ValueKind::REDUCE, stage.dtype, shape, std::move(operands)));
  value->reduce = {stage.op, static_cast<uint8_t>(stage.first), static_cast<uint8_t>(stage.last)};
  return value;
}

// The number of each element among the reduced ones, in the caller's order of the axes.
Operand numbers_of(Graph& graph, const Array& array, const Axes& axes, const Dims& order) {
  Dims shape;
  for (const int64_t axis : axes.reduced) shape.push_back(array.view.shape[size_t(axis)]);
  const Array numbers = positions(graph, shape);
  View view{.shape = array.view.shape, .strides = Dims(array.view.ndim())};
  for (size_t at = 0; at < axes.reduced.size(); ++at)
    view.strides[size_t(axes.reduced[at])] = numbers.view.strides[at];
  return {.value = numbers.cell->value(), .view = reordered(view, order)};
}

// Operands are full-size here: a constant that was forwarded becomes a value.
Operand as_value(Graph& graph, Operand operand, const Dims& shape) {
  if (!operand.is_constant()) return operand;
  const Array value = full(graph, operand.constant, {});
  return {.value = value.cell->value(), .view = broadcast(value.view, shape, "reduce")};
}

Array with_kept_axes(ValueRef value, const Axes& axes, const Dims& order, size_t ndim,
                     bool keepdims) {
  const Dims dense = dense_strides(value->shape);
  View view{.shape = Dims(keepdims ? ndim : axes.kept.size(), 1),
            .strides = Dims(keepdims ? ndim : axes.kept.size())};
  size_t from = 0;
  for (const int64_t axis : order) {
    if (contains(axes.reduced, axis)) continue;
    const auto place = std::find(axes.kept.begin(), axes.kept.end(), axis) - axes.kept.begin();
    const size_t to = keepdims ? size_t(axis) : size_t(place);
    view.shape[to] = value->shape[from];
    view.strides[to] = dense[from++];
  }
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

Array filled_result(Graph& graph, const Array& array, const Axes& axes, bool keepdims,
                    const Constant& constant) {
  Dims shape;
  for (size_t axis = 0; axis < array.view.ndim(); ++axis) {
    if (!contains(axes.reduced, int64_t(axis)))
      shape.push_back(array.view.shape[axis]);
    else if (keepdims)
      shape.push_back(1);
  }
  return full(graph, constant, shape);
}

// Reduced axes of size 1 need no reduction.
Dims order_for(const Array& array, const Axes& axes) {
  const View* const views[] = {&array.view};
  Dims order;
  for (const int64_t axis : memory_order(array.view.ndim(), views))
    if (array.view.shape[size_t(axis)] != 1 || !contains(axes.reduced, axis)) order.push_back(axis);
  return order;
}

// The runs are reduced from the fastest axes to the slowest ones.
Array reduced_array(Reduction op, const Array& array, const Axes& axes, bool keepdims,
                    Dtype dtype) {
  Graph& graph = array.graph();
  const Dims order = order_for(array, axes);
  Operand operand = as_value(graph, captured(array), array.view.shape);
  operand.view = reordered(operand.view, order);
  operand.view.read_only = false;
  Dims left;  // the axes of the operand, by their numbers in the array
  for (const int64_t axis : order) left.push_back(axis);
  while (true) {
    size_t last = left.size();
    while (!contains(axes.reduced, left[last - 1])) --last;
    size_t first = last;
    while (first > 0 && contains(axes.reduced, left[first - 1])) --first;
    for (size_t axis = last; axis-- > first;) left.erase(axis);
    const bool ends = std::none_of(left.begin(), left.end(),
                                   [&](int64_t axis) { return contains(axes.reduced, axis); });
    std::vector<Operand> operands;
    operands.push_back(std::move(operand));
    if (is_argument(op)) operands.push_back(numbers_of(graph, array, axes, order));
    ValueRef value = reduced_value(graph, {op, first, last, ends ? dtype : accumulated(dtype)},
                                   std::move(operands));
    if (ends) return with_kept_axes(std::move(value), axes, order, array.view.ndim(), keepdims);
    View view = dense(value->shape);
    operand = {.value = std::move(value), .view = std::move(view)};
  }
}

// One element is its own sum.
Array single_elements(Reduction op, const Array& array, const Axes& axes, bool keepdims,
                      Dtype dtype) {
  if (is_argument(op)) return filled_result(array.graph(), array, axes, keepdims, {.dtype = dtype});
  Array result = copied(cast(array, dtype));
  if (keepdims || axes.reduced.empty()) return result;
  const std::vector<int32_t> gone(axes.reduced.begin(), axes.reduced.end());
  result.view = squeezed(result.view, gone);
  return result;
}

[[noreturn]] void refuse_empty(const Op& op) {
  throw Error(Status::SHAPE,
              concat(op.name, ": the array has no elements, and the operation has no identity"));
}

Array primitive(const Op& op, Reduction reduction, const Array& array, const ReduceOptions& options,
                const Types& types) {
  const Axes axes = axes_to_reduce(op, array, options);
  Dtype dtype = types.results[0];
  Array operand = array;
  switch (reduction) {
    case Reduction::ANY:
    case Reduction::ALL:
      operand = cast(array, Dtype::BOOL);
      break;
    case Reduction::SUM:
    case Reduction::PROD:
      if (options.dtype != Dtype::DEFAULT) dtype = options.dtype;
      operand = cast(array, dtype);
      break;
    default:
      break;
  }
  if (axes.count == 0) {
    const bool has_identity =
        reduction <= Reduction::PROD || reduction == Reduction::ANY || reduction == Reduction::ALL;
    if (!has_identity) refuse_empty(op);
    return filled_result(array.graph(), array, axes, options.keepdims,
                         constant_of(identity_of(reduction), dtype, op.name));
  }
  if (axes.count == 1) return single_elements(reduction, operand, axes, options.keepdims, dtype);
  return reduced_array(reduction, operand, axes, options.keepdims, dtype);
}

// ---- operations made of others

Array number_op(std::string_view op, const Array& array, double number) {
  const Input inputs[] = {{.array = &array}, {.number = Number::of(number)}};
  return apply_one(array.graph(), op, inputs);
}

Array pair_op(std::string_view op, const Array& a, const Array& b) {
  const Input inputs[] = {{.array = &a}, {.array = &b}};
  return apply_one(a.graph(), op, inputs);
}

Array single_op(std::string_view op, const Array& array) {
  const Input inputs[] = {{.array = &array}};
  return apply_one(array.graph(), op, inputs);
}

Array reduced(std::string_view op, const Array& array, ReduceOptions options, bool keepdims,
              Dtype dtype) {
  options.keepdims = keepdims;
  options.dtype = dtype;
  return reduce(*find_op(op), array, options);
}

int64_t count_of_reduced(const Op& op, const Array& array, const ReduceOptions& options) {
  return axes_to_reduce(op, array, options).count;
}

// The mean in the type of the sum; 0 / 0 of no elements, as in NumPy.
Array mean_of(const Op& op, const Array& array, const ReduceOptions& options, bool keepdims,
              Dtype dtype) {
  const Array sum = reduced("sum", array, options, keepdims, accumulated(dtype));
  return number_op("divide", sum, double(count_of_reduced(op, array, options)));
}

// Whether one pass is better: rows whose kernel keeps them read their elements once anyway.
bool takes_moments(const Array& array, const Axes& axes) {
  const Dims order = order_for(array, axes);
  const auto is_reduced = [&](int64_t axis) { return contains(axes.reduced, axis); };
  const auto first = std::find_if(order.begin(), order.end(), is_reduced);
  const auto last = std::find_if_not(first, order.end(), is_reduced);
  if (axes.count < 2 || std::any_of(last, order.end(), is_reduced)) return false;
  const bool has_columns = std::any_of(
      last, order.end(), [&](int64_t axis) { return array.view.shape[size_t(axis)] > 1; });
  return has_columns || axes.count > ROW_LIMIT;
}

// The sum of the squared differences from the mean, in one pass.
Array moment(const Array& array, const Axes& axes, bool keepdims) {
  if (kind_of(array.dtype()) != Kind::COMPLEX)
    return reduced_array(Reduction::MOMENT, array, axes, keepdims, array.dtype());
  return pair_op("add", moment(single_op("real", array), axes, keepdims),
                 moment(single_op("imag", array), axes, keepdims));
}

Array squared_differences(const Op& op, const Array& array, const ReduceOptions& options,
                          Dtype dtype) {
  const Array wide = cast(array, accumulated(dtype));
  const Axes axes = axes_to_reduce(op, wide, options);
  if (takes_moments(wide, axes)) return moment(wide, axes, options.keepdims);
  const Array mean = mean_of(op, wide, options, true, dtype);
  const Array away = pair_op("subtract", wide, mean);
  const bool complex = kind_of(away.dtype()) == Kind::COMPLEX;
  const Array squares = complex ? pair_op("add", single_op("square", single_op("real", away)),
                                          single_op("square", single_op("imag", away)))
                                : single_op("square", away);
  return reduced("sum", squares, options, options.keepdims, Dtype::DEFAULT);
}

Array variance(const Op& op, const Array& array, const ReduceOptions& options, Dtype dtype) {
  const Array sum = squared_differences(op, array, options, dtype);
  const double divisor =
      std::max(double(count_of_reduced(op, array, options)) - options.correction, 0.0);
  return number_op("divide", sum, divisor);
}

Array norm(const Op& op, const Array& array, const ReduceOptions& options, Dtype dtype) {
  const double order = options.order;
  const Array wide = cast(array, dtype);
  const Array sizes = single_op("abs", wide);
  const bool keep = options.keepdims;
  const bool infinite = std::isinf(order);
  if (infinite && count_of_reduced(op, array, options) > 0)
    return reduced(order > 0 ? "max" : "min", sizes, options, keep, Dtype::DEFAULT);
  if (infinite) return reduced("sum", sizes, options, keep, Dtype::DEFAULT);
  if (order == 0)
    return cast(reduced("count_nonzero", wide, options, keep, Dtype::DEFAULT), sizes.dtype());
  if (order == 1) return reduced("sum", sizes, options, keep, Dtype::DEFAULT);
  if (order == 2)
    return single_op("sqrt",
                     reduced("sum", single_op("square", sizes), options, keep, Dtype::DEFAULT));
  return number_op("power",
                   reduced("sum", number_op("power", sizes, order), options, keep, Dtype::DEFAULT),
                   1 / order);
}

Array logsumexp(const Op& op, const Array& array, const ReduceOptions& options, Dtype dtype) {
  const Array wide = cast(array, dtype);
  if (count_of_reduced(op, array, options) == 0)
    return single_op("log", reduced("sum", wide, options, options.keepdims, Dtype::DEFAULT));
  const Array most = reduced("max", wide, options, true, Dtype::DEFAULT);
  // The difference of equal infinities is NaN.
  const Array finite = single_op("isfinite", most);
  const Input inputs[] = {{.array = &finite}, {.array = &most}, {.number = Number::of(0.0)}};
  const Array base = apply_one(array.graph(), "where", inputs);
  const Array sum = reduced("sum", single_op("exp", pair_op("subtract", wide, base)), options, true,
                            Dtype::DEFAULT);
  const Array result = pair_op("add", single_op("log", sum), base);
  if (options.keepdims) return result;
  const Axes axes = axes_to_reduce(op, array, options);
  std::vector<int32_t> gone(axes.reduced.begin(), axes.reduced.end());
  if (gone.empty()) return result;
  return {.cell = result.cell, .view = squeezed(result.view, gone)};
}

Array composite(const Op& op, const Array& array, const ReduceOptions& options,
                const Types& types) {
  const Dtype wanted = options.dtype == Dtype::DEFAULT ? types.operands[0] : options.dtype;
  if (op.name == "count_nonzero")
    return reduced("sum", cast(array, Dtype::BOOL), options, options.keepdims, Dtype::INT64);
  if (op.name == "mean") return cast(mean_of(op, array, options, options.keepdims, wanted), wanted);
  if (op.name == "var") return cast(variance(op, array, options, wanted), real_of(wanted));
  if (op.name == "std")
    return cast(single_op("sqrt", variance(op, array, options, wanted)), real_of(wanted));
  if (op.name == "norm")
    return cast(norm(op, array, options, accumulated(wanted)), real_of(wanted));
  return cast(logsumexp(op, array, options, accumulated(wanted)), wanted);
}

}  // namespace

Array reduce(const Op& op, const Array& array, const ReduceOptions& options,
             const Defaults& defaults) {
  const OperandType operand[] = {{.dtype = array.dtype()}};
  const Types types = types_of(op, operand, defaults);
  for (const Primitive& row : PRIMITIVES)
    if (row.name == op.name) return primitive(op, row.op, array, options, types);
  return composite(op, array, options, types);
}

}  // namespace cucore::array
