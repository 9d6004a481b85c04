// SPDX-License-Identifier: Apache-2.0
#include "array/ir/assign.hpp"

#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

void check_cast(Dtype from, Dtype to, std::string_view what, Casting rule) {
  if (rule == Casting::UNSAFE) {
    if (kind_of(from) != Kind::COMPLEX || kind_of(to) == Kind::COMPLEX || to == Dtype::BOOL) return;
    throw Error(Status::DTYPE,
                concat(what, ": elements of ", name_of(from), " cannot be written to ", name_of(to),
                       "; write their real part"));
  }
  if (can_cast(from, to, rule)) return;
  throw Error(Status::DTYPE,
              concat(what, ": a result of ", name_of(from), " cannot be written to ", name_of(to),
                     " by the rule same_kind; convert it with astype first"));
}

// Without its fraction, if the type has none.
Number shortened(const Number& number, Dtype dtype, std::string_view what) {
  if (number.kind != NumberKind::REAL || !is_integer(kind_of(dtype))) return number;
  // The integer is compared with the type's limits later.
  if (number.real >= -0x1p63 && number.real < 0x1p63)
    return Number::of(static_cast<int64_t>(number.real));
  if (number.real >= 0x1p63 && number.real < 0x1p64)
    return {.kind = NumberKind::UINT,
            .integer = static_cast<int64_t>(static_cast<uint64_t>(number.real))};
  throw Error(Status::INVALID_ARGUMENT,
              concat(what, ": the number ", number.real, " is out of range for ", name_of(dtype)));
}

}  // namespace

Operand source_of(const Array& target, const Input& value, std::string_view what, Casting rule) {
  if (!value.array) {
    check_cast(dtype_of(weak_of(value.number), {}), target.dtype(), what, rule);
    return {.constant =
                constant_of(shortened(value.number, target.dtype(), what), target.dtype(), what)};
  }
  check_cast(value.array->dtype(), target.dtype(), what, rule);
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

void assign(const Array& target, const Input& value, std::string_view what, Casting rule) {
  check_writable(target);
  write(target, source_of(target, value, what, rule));
}

void assign_op(const Op& op, const Array& target, const Input& value, const Defaults& defaults) {
  check_writable(target);
  const Input inputs[] = {{.array = &target}, value};
  const Array result = apply_one(target.graph(), op, inputs, Dtype::DEFAULT, defaults);
  if (result.view.shape != target.view.shape)
    throw Error(Status::SHAPE, concat(op.name,
                                      ": the result has more elements than the array that it is "
                                      "written to"));
  write(target, source_of(target, {.array = &result}, op.name, Casting::SAME_KIND));
}

void assign_where(const Array& target, const Input& value, const Array& where,
                  std::string_view what, Casting rule) {
  check_writable(target);
  const Operand source = source_of(target, value, what, rule);
  Array kept = full(target.graph(), source.constant, {});
  if (!source.is_constant()) kept = {.cell = make<Cell>(source.value), .view = source.view};
  const Input inputs[] = {{.array = &where}, {.array = &kept}, {.array = &target}};
  const Array chosen = apply_one(target.graph(), "where", inputs);
  write(target, source_of(target, {.array = &chosen}, what, rule));
}

}  // namespace cucore::array
