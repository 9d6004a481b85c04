// SPDX-License-Identifier: Apache-2.0
#include "array/ir/build.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

void check_cast(Dtype from, Dtype to, std::string_view what) {
  if (can_cast(from, to, Casting::SAME_KIND)) return;
  throw Error(Status::DTYPE,
              concat(what, ": a result of ", name_of(from), " cannot be written to ", name_of(to),
                     " by the rule same_kind; convert it with astype first"));
}

// The operand of a write: with the shape and the type of the target.
Operand source_of(const Array& target, const Input& value, std::string_view what) {
  if (!value.array) {
    check_cast(dtype_of(weak_of(value.number), {}), target.dtype(), what);
    return {.constant = constant_of(value.number, target.dtype(), what)};
  }
  check_cast(value.array->dtype(), target.dtype(), what);
  Operand operand = captured(cast(*value.array, target.dtype()));
  if (operand.is_constant()) return operand;
  // Leading axes of size 1 may be left away, as in NumPy.
  while (operand.view.ndim() > target.view.ndim() && operand.view.shape[0] == 1) {
    operand.view.shape.erase(0);
    operand.view.strides.erase(0);
  }
  operand.view = broadcast(operand.view, target.view.shape, what);
  operand.view.read_only = false;
  return operand;
}

}  // namespace

void assign(const Array& target, const Input& value, std::string_view what) {
  check_writable(target);
  write(target, source_of(target, value, what));
}

void assign_op(const Op& op, const Array& target, const Input& value, const Defaults& defaults) {
  check_writable(target);
  const Input inputs[] = {{.array = &target}, value};
  const Array result =
      std::move(apply(target.graph(), op, inputs, Dtype::DEFAULT, {}, defaults)[0]);
  if (result.view.shape != target.view.shape)
    throw Error(Status::SHAPE, concat(op.name,
                                      ": the result has more elements than the array that it is "
                                      "written to"));
  write(target, source_of(target, {.array = &result}, op.name));
}

void assign_where(const Array& target, const Array& value, const Array& where,
                  std::string_view what) {
  check_writable(target);
  check_cast(value.dtype(), target.dtype(), what);
  const Input inputs[] = {{.array = &where}, {.array = &value}, {.array = &target}};
  const Array chosen = apply_one(target.graph(), "where", inputs);
  write(target, source_of(target, {.array = &chosen}, what));
}

}  // namespace cucore::array
