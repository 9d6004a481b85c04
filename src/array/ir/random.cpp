// SPDX-License-Identifier: Apache-2.0
#include "array/ir/random.hpp"

#include <cmath>

#include "array/ir/graph.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// Internal operations: of the element's number x and the key s0. BELOW has the size of the interval
// as its second operand.
constexpr uint16_t RANDOM_WEIGHT = 40;

constexpr Op random_op(int32_t number, uint8_t arity, std::string_view name,
                       std::string_view text) {
  return {.number = number,
          .family = Family::MORE,
          .arity = arity,
          .outputs = 1,
          .scalars = 1,
          .rule = Rule::SAME,
          .weight = RANDOM_WEIGHT,
          .name = name,
          .numpy_name = {},
          .standard_name = {},
          .doc = {},
          .expressions = {"", "", text, "", "", ""}};
}

constexpr int32_t FIRST_INTERNAL = 901;
constexpr Op BITS = random_op(FIRST_INTERNAL, 1, "random bits", "philox::bits(x, s0)");
constexpr Op BELOW = random_op(FIRST_INTERNAL + 1, 2, "random integers", "philox::below(y, x, s0)");

// An operation per precision: of 8, 11, 24 and 53 bits.
struct RealOps {
  Op bfloat16, float16, float32, float64;

  const Op& of(Dtype dtype) const {
    switch (dtype) {
      case Dtype::BFLOAT16:
        return bfloat16;
      case Dtype::FLOAT16:
        return float16;
      case Dtype::FLOAT32:
        return float32;
      default:
        return float64;
    }
  }
};
constexpr RealOps UNIFORM = {
    random_op(FIRST_INTERNAL + 2, 1, "random uniform", "philox::uniform32<8>(x, s0)"),
    random_op(FIRST_INTERNAL + 3, 1, "random uniform", "philox::uniform32<11>(x, s0)"),
    random_op(FIRST_INTERNAL + 4, 1, "random uniform", "philox::uniform32<24>(x, s0)"),
    random_op(FIRST_INTERNAL + 5, 1, "random uniform", "philox::uniform64(x, s0)")};
constexpr Op NORMAL32 =
    random_op(FIRST_INTERNAL + 6, 1, "random normal", "philox::normal32(x, s0)");
constexpr Op NORMAL64 =
    random_op(FIRST_INTERNAL + 7, 1, "random normal", "philox::normal64(x, s0)");
constexpr Op EXPONENTIAL32 =
    random_op(FIRST_INTERNAL + 8, 1, "random exponential", "philox::exponential32(x, s0)");
constexpr Op EXPONENTIAL64 =
    random_op(FIRST_INTERNAL + 9, 1, "random exponential", "philox::exponential64(x, s0)");
constexpr RealOps NORMAL = {NORMAL32, NORMAL32, NORMAL32, NORMAL64};
constexpr RealOps EXPONENTIAL = {EXPONENTIAL32, EXPONENTIAL32, EXPONENTIAL32, EXPONENTIAL64};

struct Row {
  std::string_view name;
  size_t parameters;
};
constexpr Row ROWS[] = {{},
                        {"random bits", 0},
                        {"random uniform", 2},
                        {"random normal", 2},
                        {"random integers", 2},
                        {"random bernoulli", 1},
                        {"random exponential", 1}};

Array arithmetic(std::string_view op, const Input& x, const Input& y, Dtype dtype) {
  const Input inputs[] = {x, y};
  Graph& graph = x.array ? x.array->graph() : y.array->graph();
  return apply_one(graph, op, inputs, dtype);
}

class Maker {
 public:
  Maker(Graph& graph, const Stream& stream, const Dims& shape)
      : graph_(graph), stream_(stream), shape_(shape) {}

  // The value of an internal operation for each element.
  Array made(const Op& op, Dtype dtype, const Array* second = nullptr) const {
    const Array numbers = cast(positions(graph_, shape_), Dtype::UINT64);
    const Array places = arithmetic(
        "add", {.array = &numbers},
        {.number = {.kind = NumberKind::UINT, .integer = static_cast<int64_t>(stream_.first)}},
        Dtype::UINT64);
    std::vector<Operand> operands{captured(places)};
    if (second) {
      operands.push_back(captured(*second));
      if (!operands[1].is_constant()) operands[1].view.read_only = false;
    }
    auto value = ValueRef(new Value(graph_, ValueKind::MAP, dtype, shape_, std::move(operands)));
    value->map.op = &op;
    value->map.types.operands = {Dtype::UINT64, Dtype::UINT64};
    value->map.types.results[0] = dtype;
    value->map.expression = ExpressionClass::UNSIGNED;
    value->map.parameters = {
        {.dtype = Dtype::UINT64, .integer = static_cast<int64_t>(stream_.seed)}};
    return array_of(std::move(value));
  }

  // A parameter with the shape of the result.
  Array parameter(const Input& input, Dtype dtype, std::string_view what) const {
    Array array = input.array ? cast(*input.array, dtype)
                              : full(graph_, constant_of(input.number, dtype, what), {});
    array.view = broadcast(array.view, shape_, what);
    array.view.read_only = false;
    return array;
  }

 private:
  Graph& graph_;
  const Stream& stream_;
  const Dims& shape_;
};

void check_real(Dtype dtype, std::string_view what) {
  if (kind_of(dtype) == Kind::REAL) return;
  throw Error(Status::DTYPE,
              concat(what, ": ", name_of(dtype), "; expected a floating-point type"));
}

// An empty interval of arrays, which nothing checks, has its lower bound.
Array at_least_one(const Array& span, const Array& low, const Array& high) {
  const Array holds = arithmetic("less", {.array = &low}, {.array = &high}, Dtype::DEFAULT);
  const Input inputs[] = {{.array = &holds}, {.array = &span}, {.number = Number::of(int64_t{1})}};
  return apply_one(span.graph(), "where", inputs);
}

// low + number in [0, high - low), modulo 2^64.
Array integers(const Maker& maker, std::span<const Input> parameters, Dtype dtype,
               std::string_view what) {
  if (!is_integer(kind_of(dtype)))
    throw Error(Status::DTYPE, concat(what, ": ", name_of(dtype), "; expected integers"));
  const Dtype wide = kind_of(dtype) == Kind::UNSIGNED ? Dtype::UINT64 : Dtype::INT64;
  const Array first = maker.parameter(parameters[0], wide, what);
  const Array last = maker.parameter(parameters[1], wide, what);
  const Array low = cast(first, Dtype::UINT64), high = cast(last, Dtype::UINT64);
  Array span = arithmetic("subtract", {.array = &high}, {.array = &low}, Dtype::UINT64);
  if (parameters[0].array || parameters[1].array) span = at_least_one(span, first, last);
  const Array number = maker.made(BELOW, Dtype::UINT64, &span);
  const Array sum = arithmetic("add", {.array = &number}, {.array = &low}, Dtype::UINT64);
  return cast(sum, dtype);
}

// first + number * second, each rounded to the type.
Array scaled(const Array& number, const Array& factor, const Array* shift, Dtype dtype) {
  const Array product = arithmetic("multiply", {.array = &number}, {.array = &factor}, dtype);
  return shift ? arithmetic("add", {.array = &product}, {.array = shift}, dtype) : product;
}

// Bounds of the type, whose distance is computed in a type that may be wider.
void check_span(std::span<const Input> bounds, Dtype dtype, Dtype wide, std::string_view what) {
  if (bounds[0].array || bounds[1].array) return;
  const double low = constant_of(bounds[0].number, dtype, what).real;
  const double high = constant_of(bounds[1].number, dtype, what).real;
  if (!std::isfinite(rounded(high - low, wide)))
    throw Error(Status::INVALID_ARGUMENT, concat(what, ": low is ", low, " and high ", high,
                                                 "; expected a finite high - low"));
}

// In [low, high). Sums that the type rounds to `high` become the number before it.
Array uniform(const Array& number, std::span<const Input> bounds, const Maker& maker, Dtype dtype,
              std::string_view what) {
  const Dtype wide = size_of(dtype) < size_of(Dtype::FLOAT32) ? Dtype::FLOAT32 : dtype;
  check_span(bounds, dtype, wide, what);
  const Array low = maker.parameter(bounds[0], dtype, what);
  const Array high = maker.parameter(bounds[1], dtype, what);
  const Array first = cast(low, wide), last = cast(high, wide);
  const Array span = arithmetic("subtract", {.array = &last}, {.array = &first}, wide);
  const Array sum = cast(scaled(cast(number, wide), span, &first, wide), dtype);
  const Array is_high = arithmetic("equal", {.array = &sum}, {.array = &high}, Dtype::DEFAULT);
  const Array before = arithmetic("nextafter", {.array = &high}, {.array = &low}, dtype);
  const Input inputs[] = {{.array = &is_high}, {.array = &before}, {.array = &sum}};
  return apply_one(sum.graph(), "where", inputs);
}

}  // namespace

std::string_view name_of(Distribution distribution) noexcept {
  return ROWS[static_cast<size_t>(distribution)].name;
}
size_t parameters_of(Distribution distribution) noexcept {
  return ROWS[static_cast<size_t>(distribution)].parameters;
}

Array random(Graph& graph, Distribution distribution, Dtype dtype, const Stream& stream,
             std::span<const Input> parameters, const Dims& shape) {
  const Maker maker(graph, stream, shape);
  const std::string_view what = name_of(distribution);
  switch (distribution) {
    case Distribution::BITS:
      if (kind_of(dtype) != Kind::UNSIGNED)
        throw Error(Status::DTYPE,
                    concat(what, ": ", name_of(dtype), "; expected unsigned integers"));
      return cast(maker.made(BITS, Dtype::UINT64), dtype);
    case Distribution::INTEGERS:
      return integers(maker, parameters, dtype, what);
    case Distribution::BERNOULLI: {
      const Array number = maker.made(UNIFORM.float64, Dtype::FLOAT64);
      const Array probability = maker.parameter(parameters[0], Dtype::FLOAT64, what);
      return cast(arithmetic("less", {.array = &number}, {.array = &probability}, Dtype::DEFAULT),
                  dtype);
    }
    default:
      break;
  }
  check_real(dtype, what);
  const RealOps& ops = distribution == Distribution::UNIFORM  ? UNIFORM
                       : distribution == Distribution::NORMAL ? NORMAL
                                                              : EXPONENTIAL;
  const Array number = maker.made(ops.of(dtype), dtype);
  if (parameters.empty()) return number;
  if (distribution == Distribution::UNIFORM) return uniform(number, parameters, maker, dtype, what);
  const Array first = maker.parameter(parameters[0], dtype, what);
  if (distribution == Distribution::EXPONENTIAL) return scaled(number, first, nullptr, dtype);
  const Array second = maker.parameter(parameters[1], dtype, what);
  return scaled(number, second, &first, dtype);
}

}  // namespace cucore::array
