// SPDX-License-Identifier: Apache-2.0
#include "array/ops/rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

using enum Dtype;

struct Call {
  const Op& op;
  std::span<const OperandType> operands;
  const Defaults& defaults;

  [[noreturn]] void refuse(std::string_view expected) const {
    std::string given;
    for (const OperandType& operand : operands)
      given += concat(
          given.empty() ? "" : " and ",
          name_of(operand.dtype == DEFAULT ? dtype_of(operand.weak, defaults) : operand.dtype));
    throw Error(Status::DTYPE,
                concat(op.name, ": the operands are ", given, "; expected ", expected));
  }

  Dtype common(size_t first = 0) const {
    std::array<Dtype, MOST_OPERANDS> dtypes;
    std::array<Weak, MOST_OPERANDS> weak;
    size_t typed = 0, numbers = 0;
    for (const OperandType& operand : operands.subspan(first))
      if (operand.dtype == DEFAULT)
        weak[numbers++] = operand.weak;
      else
        dtypes[typed++] = operand.dtype;
    return result_dtype(std::span(dtypes.data(), typed), std::span(weak.data(), numbers), defaults);
  }
  Dtype own(size_t at) const {
    const OperandType& operand = operands[at];
    return operand.dtype == DEFAULT ? dtype_of(operand.weak, defaults) : operand.dtype;
  }
};

Types all_of(Dtype operands, Dtype results) {
  return {{operands, operands, operands}, {results, results}};
}

bool is_complex(Dtype dtype) { return kind_of(dtype) == Kind::COMPLEX; }
Dtype counted(Dtype dtype) { return dtype == BOOL ? INT8 : dtype; }

Dtype real_only(const Call& call, Dtype dtype) {
  if (is_complex(dtype)) call.refuse("real numbers");
  return dtype;
}

// Each integer becomes its float first: int8 and uint8 are float16, although together they are
// int16.
Dtype floating(const Call& call) {
  Dtype result = DEFAULT;
  for (const OperandType& operand : call.operands) {
    if (operand.dtype == DEFAULT) return float_of(call.common());
    const Dtype own = float_of(operand.dtype);
    result = result == DEFAULT ? own : promote(result, own);
  }
  return result;
}

Types comparison(const Call& call) {
  const Dtype common = call.common();
  const bool integers =
      std::all_of(call.operands.begin(), call.operands.end(), [](const OperandType& each) {
        return each.dtype != DEFAULT && is_integer(kind_of(each.dtype));
      });
  // No integer holds both, and float64 would round: each keeps its sign and 64 bits.
  if (integers && common == FLOAT64) {
    const auto wide = [&](size_t at) {
      return kind_of(call.operands[at].dtype) == Kind::SIGNED ? INT64 : UINT64;
    };
    return {{wide(0), wide(1), DEFAULT}, {BOOL, BOOL}};
  }
  return all_of(common, BOOL);
}

Types divided(const Call& call) {
  const Dtype common = call.common();
  const Dtype dtype = is_inexact(kind_of(common)) ? common : FLOAT64;
  return all_of(dtype, dtype);
}

Types ldexp(const Call& call) {
  const Dtype exponent = counted(call.own(1));
  if (!is_integer(kind_of(exponent)) || exponent == UINT64)
    call.refuse("a real number and an integer that int64 holds");
  const Dtype dtype = float_of(real_only(call, call.own(0)));
  const bool fits = promote(exponent, INT32) == INT32;
  return {{dtype, fits ? INT32 : INT64, DEFAULT}, {dtype, dtype}};
}

Types logical(const Call& call) {
  Types types = all_of(BOOL, BOOL);
  for (size_t at = 0; at < call.operands.size(); ++at) types.operands[at] = call.own(at);
  return types;
}

Types bits(const Call& call, Dtype dtype) {
  if (is_inexact(kind_of(dtype))) call.refuse("integers of a common type");
  return all_of(dtype, dtype);
}

Dtype summed(Dtype dtype) {
  const Kind kind = kind_of(dtype);
  if (is_inexact(kind)) return dtype;
  return kind == Kind::UNSIGNED ? UINT64 : INT64;
}

Dtype averaged(Dtype dtype) { return is_inexact(kind_of(dtype)) ? dtype : FLOAT64; }

}  // namespace

Types types_of(const Op& op, std::span<const OperandType> operands, const Defaults& defaults) {
  const Call call{op, operands, defaults};
  const auto same = [](Dtype dtype) { return all_of(dtype, dtype); };
  switch (op.rule) {
    case Rule::SAME:
      return same(call.common());
    case Rule::NUMBER:
      if (call.common() == BOOL) call.refuse("numbers");
      return same(call.common());
    case Rule::ARITHMETIC:
      return same(counted(call.common()));
    case Rule::ARITHMETIC_REAL:
      return same(counted(real_only(call, call.common())));
    case Rule::ROUNDING:
      return same(real_only(call, call.common()));
    case Rule::FLOATING:
      return same(floating(call));
    case Rule::FLOATING_REAL:
      return same(real_only(call, floating(call)));
    case Rule::DIVIDE:
      return divided(call);
    case Rule::FLOAT_POWER:
      return same(is_complex(call.common()) ? COMPLEX128 : FLOAT64);
    case Rule::MAGNITUDE:
    case Rule::PART:
      return all_of(call.common(), real_of(call.common()));
    case Rule::ANGLE: {
      const Dtype dtype = call.common() == BOOL ? FLOAT64 : float_of(call.common());
      return all_of(dtype, real_of(dtype));
    }
    case Rule::PREDICATE:
      return all_of(call.common(), BOOL);
    case Rule::PREDICATE_REAL:
      return all_of(real_only(call, call.common()), BOOL);
    case Rule::COMPARISON:
      return comparison(call);
    case Rule::LOGICAL:
      return logical(call);
    case Rule::ISCLOSE:
      return all_of(float_of(call.common()), BOOL);
    case Rule::BITS:
      return bits(call, call.common());
    case Rule::INTEGER:
      return bits(call, counted(call.common()));
    case Rule::INTEGER_NUMBER:
      if (call.common() == BOOL) call.refuse("integers of a common type");
      return bits(call, call.common());
    case Rule::COUNT:
      return all_of(bits(call, counted(call.common())).results[0], UINT8);
    case Rule::LDEXP:
      return ldexp(call);
    case Rule::FREXP:
      return {same(float_of(real_only(call, call.common()))).operands,
              {float_of(call.common()), INT32}};
    case Rule::WHERE: {
      const Dtype dtype = call.common(1);
      return {{call.own(0), dtype, dtype}, {dtype, dtype}};
    }
    case Rule::CLIP:
      if (is_complex(call.common()) && !is_complex(call.own(0)))
        call.refuse("bounds that are not complex");
      return all_of(call.common(), call.own(0));
    case Rule::SUM:
      return same(summed(call.common()));
    case Rule::POSITION:
      return all_of(call.common(), INT64);
    case Rule::MEAN:
      return same(averaged(call.common()));
    case Rule::VARIANCE:
    case Rule::NORM:
      return all_of(averaged(call.common()), real_of(averaged(call.common())));
  }
  call.refuse("types of the table");
}

ExpressionClass class_of(const Op& op, const Types& types) noexcept {
  if (op.rule == Rule::COMPARISON && types.operands[0] != types.operands[1])
    return ExpressionClass::MIXED;
  // The first operand of where() is a condition.
  switch (kind_of(types.operands[op.rule == Rule::WHERE ? 1 : 0])) {
    case Kind::BOOL:
      return ExpressionClass::BOOL;
    case Kind::SIGNED:
      return ExpressionClass::SIGNED;
    case Kind::UNSIGNED:
      return ExpressionClass::UNSIGNED;
    case Kind::REAL:
      return ExpressionClass::REAL;
    case Kind::COMPLEX:
      return ExpressionClass::COMPLEX;
  }
  return ExpressionClass::REAL;
}

}  // namespace cucore::array
