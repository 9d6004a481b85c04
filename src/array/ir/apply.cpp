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

Dims common_shape(const Op& op, Inputs inputs) {
  std::array<Dims, MOST_OPERANDS> shapes;
  size_t count = 0;
  const Dims* only = nullptr;
  bool equal = true;
  for (const Input& input : inputs) {
    if (!input.array) continue;
    equal = equal && (!only || *only == input.array->view.shape);
    only = &input.array->view.shape;
    shapes[count++] = *only;
  }
  if (count == 0) return {};
  return equal ? *only : broadcast_shape(std::span(shapes.data(), count), op.name);
}

// The operands as the operation meets them: with the shape of the result, and its order of memory.
struct Prepared {
  std::vector<Operand> operands;
  Dims order;
  Dims shape;  // in the order of the memory
};

View broadcast_to(const View& view, const Dims& shape, const Op& op) {
  View result = view.shape == shape ? view : broadcast(view, shape, op.name);
  result.read_only = false;
  return result;
}

// The order follows what the arrays show: a pending write does not change it.
Dims order_of(const Op& op, Inputs inputs, const Dims& shape) {
  std::array<View, MOST_OPERANDS> shown;
  std::array<const View*, MOST_OPERANDS> views{};
  size_t count = 0;
  for (size_t at = 0; at < inputs.size(); ++at) {
    if (!inputs[at].array) continue;
    const View& view = inputs[at].array->view;
    if (view.shape == shape) {
      views[count++] = &view;
    } else {
      shown[at] = broadcast_to(view, shape, op);
      views[count++] = &shown[at];
    }
  }
  return memory_order(shape.size(), std::span(views.data(), count));
}

Prepared prepared(const Op& op, Inputs inputs, const Types& types) {
  const Dims shape = common_shape(op, inputs);
  Prepared result{.operands = {}, .order = order_of(op, inputs, shape), .shape = shape};
  const bool standard = is_standard(result.order);
  if (!standard)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      result.shape[axis] = shape[size_t(result.order[axis])];
  result.operands.reserve(inputs.size());
  for (size_t at = 0; at < inputs.size(); ++at) {
    Operand& operand = result.operands.emplace_back();
    if (!inputs[at].array) {
      operand.constant = constant_of(inputs[at].number, types.operands[at], op.name);
      continue;
    }
    operand = captured(*inputs[at].array);
    if (operand.is_constant()) continue;
    operand.view = broadcast_to(operand.view, shape, op);
    if (!standard) operand.view = reordered(operand.view, result.order);
  }
  return result;
}

Array in_caller_order(ValueRef value, const Dims& order) {
  if (is_standard(order)) return array_of(std::move(value));
  View view = unordered(value->shape, order);
  return {.cell = make<Cell>(std::move(value)), .view = std::move(view)};
}

}  // namespace

OperandType Input::type() const noexcept {
  if (array) return {.dtype = array->dtype()};
  return {.weak = weak_of(number)};
}

std::vector<Array> apply(Graph& graph, const Op& op, Inputs inputs, Dtype dtype,
                         std::span<const Number> parameters, const Defaults& defaults) {
  check_count(op, inputs, parameters);
  MapDetail map{.op = &op, .types = chosen_types(op, inputs, dtype, defaults)};
  map.expression = class_of(op, map.types);
  for (const Number& number : parameters)
    map.parameters.push_back(constant_of(number, map.types.operands[0], op.name));
  Prepared call = prepared(op, inputs, map.types);
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

Array apply_one(Graph& graph, std::string_view op, Inputs inputs, Dtype dtype) {
  return std::move(apply(graph, *find_op(op), inputs, dtype)[0]);
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
