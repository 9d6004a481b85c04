// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/ir/order.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

using Inputs = std::span<const Input>;

void check_count(const Op& op, Inputs inputs, std::span<const Number> parameters) {
  if (inputs.size() != op.arity)
    throw Error(Status::INVALID_ARGUMENT,
                concat(op.name, ": ", inputs.size(), " operands; expected ", int{op.arity}));
  if (parameters.size() != op.scalars)
    throw Error(Status::INVALID_ARGUMENT, concat(op.name, ": ", parameters.size(),
                                                 " parameters; expected ", int{op.scalars}));
}

Types chosen_types(const Op& op, Inputs inputs, Dtype dtype, const Defaults& defaults) {
  std::array<OperandType, MOST_OPERANDS> given;
  for (size_t at = 0; at < inputs.size(); ++at) given[at] = inputs[at].type();
  const std::span operands(given.data(), inputs.size());
  if (dtype == Dtype::DEFAULT) return types_of(op, operands, defaults);
  // Operands of the wanted type, if the operation computes that type from itself.
  std::array<OperandType, MOST_OPERANDS> wanted = given;
  const size_t first = op.rule == Rule::WHERE ? 1 : 0;
  for (size_t at = first; at < inputs.size(); ++at) wanted[at] = {.dtype = dtype};
  const Types types = types_of(op, std::span(wanted.data(), inputs.size()), defaults);
  if (types.results[0] != dtype)
    throw Error(Status::DTYPE,
                concat(op.name, ": the result of ", name_of(dtype), " operands is ",
                       name_of(types.results[0]), "; ", name_of(dtype), " was asked for"));
  for (size_t at = first; at < inputs.size(); ++at)
    if (given[at].dtype != Dtype::DEFAULT && !can_cast(given[at].dtype, dtype, Casting::SAME_KIND))
      throw Error(Status::DTYPE,
                  concat(op.name, ": ", name_of(given[at].dtype), " cannot be cast to ",
                         name_of(dtype), " by the rule same_kind"));
  return types;
}

// The shape of all arrays, or nothing if they differ.
const Dims* equal_shape(Inputs inputs) {
  const Dims* shape = nullptr;
  for (const Input& input : inputs) {
    if (!input.array) continue;
    if (shape && *shape != input.array->view.shape) return nullptr;
    shape = &input.array->view.shape;
  }
  return shape;
}

Dims common_shape(const Op& op, Inputs inputs) {
  std::array<Dims, MOST_OPERANDS> shapes;
  size_t count = 0;
  for (const Input& input : inputs)
    if (input.array) shapes[count++] = input.array->view.shape;
  return count == 0 ? Dims() : broadcast_shape(std::span(shapes.data(), count), op.name);
}

// The operands as the operation meets them: with the shape of the result, and its order of memory.
struct Prepared {
  std::vector<Operand> operands;
  Dims order;  // empty: that of the axes
  Dims shape;  // in the order of the memory
};

using Views = std::array<const View*, MOST_OPERANDS>;

Dims order_of(const Views& views, size_t count, size_t ndim) {
  if (ndim < 2) return {};
  Dims order = memory_order(ndim, std::span(views.data(), count));
  return is_standard(order) ? Dims() : order;
}

// The order follows what the arrays show: a pending write does not change it.
Dims order_of_equal(Inputs inputs, size_t ndim) {
  Views views{};
  size_t count = 0;
  for (const Input& input : inputs)
    if (input.array) views[count++] = &input.array->view;
  return order_of(views, count, ndim);
}

Dims order_of_broadcast(const Op& op, Inputs inputs, const Dims& shape) {
  std::array<View, MOST_OPERANDS> shown;
  Views views{};
  size_t count = 0;
  for (const Input& input : inputs) {
    if (!input.array) continue;
    shown[count] = broadcast(input.array->view, shape, op.name);
    views[count] = &shown[count];
    ++count;
  }
  return order_of(views, count, shape.size());
}

Operand prepared_operand(const Op& op, const Input& input, Dtype dtype, const Dims& shape,
                         const Dims& order) {
  if (!input.array) return {.constant = constant_of(input.number, dtype, op.name)};
  Operand operand = captured(*input.array);
  if (operand.is_constant()) return operand;
  if (operand.view.shape != shape) operand.view = broadcast(operand.view, shape, op.name);
  operand.view.read_only = false;
  if (!order.empty()) operand.view = reordered(operand.view, order);
  return operand;
}

Prepared prepared(const Op& op, Inputs inputs, const Types& types) {
  const Dims* const equal = equal_shape(inputs);
  Prepared result{.operands = {}, .order = {}, .shape = equal ? *equal : common_shape(op, inputs)};
  result.order =
      equal ? order_of_equal(inputs, equal->size()) : order_of_broadcast(op, inputs, result.shape);
  const Dims shape = result.shape;
  for (size_t axis = 0; axis < result.order.size(); ++axis)
    result.shape[axis] = shape[size_t(result.order[axis])];
  result.operands.reserve(inputs.size());
  for (size_t at = 0; at < inputs.size(); ++at)
    result.operands.push_back(
        prepared_operand(op, inputs[at], types.operands[at], shape, result.order));
  return result;
}

Array in_caller_order(ValueRef value, const Dims& order) {
  if (order.empty() || is_standard(order)) return array_of(std::move(value));
  View view = unordered(value->shape, order);
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

}  // namespace

OperandType Input::type() const noexcept {
  if (array) return {.dtype = array->dtype()};
  return {.weak = weak_of(number)};
}

namespace {

bool is_number(const Number& number, int value) {
  if (number.kind == NumberKind::REAL) return number.real == value;
  return number.kind == NumberKind::INT && number.integer == value;
}

// NumPy computes the exponent 2 as x * x. The exponents 1 and -1 of floating-point numbers become
// x and 1 / x. Powers of the device round less exactly. nullptr: the power remains one.
const Op* simpler_power(const Op& op, Inputs inputs, Dtype computed) {
  static const Op& power = *find_op("power");
  if (&op != &power || !inputs[0].array || inputs[1].array) return nullptr;
  const Number& exponent = inputs[1].number;
  if (is_number(exponent, 2)) return find_op("square");
  if (!is_inexact(kind_of(computed))) return nullptr;
  if (is_number(exponent, 1)) return find_op("positive");
  return is_number(exponent, -1) ? find_op("reciprocal") : nullptr;
}

// The operation may be a simpler one, of the first operands.
MapDetail map_of(const Op& op, Inputs inputs, Dtype dtype, std::span<const Number> parameters,
                 const Defaults& defaults) {
  check_count(op, inputs, parameters);
  MapDetail map{.op = &op, .types = chosen_types(op, inputs, dtype, defaults)};
  if (const Op* const simpler = simpler_power(op, inputs, map.types.results[0]))
    return map_of(*simpler, inputs.first(1), map.types.results[0], {}, defaults);
  map.expression = class_of(op, map.types);
  for (const Number& number : parameters)
    map.parameters.push_back(constant_of(number, map.types.operands[0], op.name));
  return map;
}

}  // namespace

std::vector<Array> apply(Graph& graph, const Op& op, Inputs inputs, Dtype dtype,
                         std::span<const Number> parameters, const Defaults& defaults) {
  MapDetail map = map_of(op, inputs, dtype, parameters, defaults);
  Prepared call = prepared(*map.op, inputs.first(map.op->arity), map.types);
  std::vector<Array> results;
  for (uint8_t output = 0; output < op.outputs; ++output) {
    map.output = output;
    auto value =
        ValueRef(new Value(graph, ValueKind::MAP, map.types.results[output], call.shape,
                           output + 1 == op.outputs ? std::move(call.operands) : call.operands));
    value->map = map;
    results.push_back(in_caller_order(std::move(value), call.order));
  }
  return results;
}

Array apply_one(Graph& graph, const Op& op, Inputs inputs, Dtype dtype, const Defaults& defaults) {
  MapDetail map = map_of(op, inputs, dtype, {}, defaults);
  Prepared call = prepared(*map.op, inputs.first(map.op->arity), map.types);
  auto value = ValueRef(new Value(graph, ValueKind::MAP, map.types.results[0],
                                  std::move(call.shape), std::move(call.operands)));
  value->map = std::move(map);
  return in_caller_order(std::move(value), call.order);
}

Array apply_one(Graph& graph, std::string_view op, Inputs inputs, Dtype dtype) {
  return apply_one(graph, *find_op(op), inputs, dtype);
}

Array cast(const Array& array, Dtype dtype) {
  if (array.dtype() == dtype) return array;
  const View* const views[] = {&array.view};
  const Dims order = memory_order(array.view.ndim(), views);
  const Dims shape = reordered(array.view, order).shape;
  Operand operand = captured(array);
  if (!operand.is_constant()) operand.view = reordered(operand.view, order);
  operand.view.read_only = false;
  std::vector<Operand> operands;
  operands.push_back(std::move(operand));
  auto value =
      ValueRef(new Value(array.graph(), ValueKind::MAP, dtype, shape, std::move(operands)));
  value->map.types.operands[0] = value->map.types.results[0] = dtype;
  return in_caller_order(std::move(value), order);
}

}  // namespace cucore::array
