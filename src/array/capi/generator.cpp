// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "array/capi/guard.hpp"
#include "array/ir/random.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

Distribution distribution_of_caller(cucore_array_distribution distribution) {
  if (distribution < CUCORE_ARRAY_DISTRIBUTION_BITS ||
      distribution > CUCORE_ARRAY_DISTRIBUTION_EXPONENTIAL)
    throw Error(Status::INVALID_ARGUMENT,
                concat("distribution is ", int{distribution}, "; expected 1 to 6"));
  return static_cast<Distribution>(distribution);
}

Dtype dtype_of_numbers(Distribution distribution, cucore_array_dtype dtype,
                       const Context& context) {
  if (dtype != CUCORE_ARRAY_DTYPE_DEFAULT) return dtype_of_caller(dtype, "dtype");
  switch (distribution) {
    case Distribution::BITS:
      return Dtype::UINT64;
    case Distribution::INTEGERS:
      return Dtype::INT64;
    case Distribution::BERNOULLI:
      return Dtype::BOOL;
    default:
      return context.settings().defaults.real;
  }
}

void check_interval(const std::vector<Input>& inputs, Distribution distribution) {
  if (distribution != Distribution::INTEGERS) return;
  const auto is_small = [](const Input& input) {
    return !input.array && input.number.kind == NumberKind::INT;
  };
  if (!is_small(inputs[0]) || !is_small(inputs[1])) return;
  const int64_t low = inputs[0].number.integer, high = inputs[1].number.integer;
  if (low >= high)
    throw Error(Status::INVALID_ARGUMENT, concat("random integers: low is ", low, " and high ",
                                                 high, "; expected low < high"));
}

}  // namespace

extern "C" {

cucore_status cucore_array_generator_create(cucore_array_context* context, uint64_t seed,
                                            cucore_array_generator** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(make<Generator>(share(context, "context"), seed));
  });
}

cucore_array_generator* cucore_array_generator_retain(const cucore_array_generator* generator) {
  return retain(generator);
}

void cucore_array_generator_release(cucore_array_generator* generator) { release(generator); }

cucore_status cucore_array_generator_state(const cucore_array_generator* generator,
                                           uint64_t state[4], cucore_error** error) {
  return guard(error, [&] {
    const Generator& self = use(generator, "generator");
    require(state, "state");
    const Stream stream = self.stream();
    state[0] = stream.seed;
    state[1] = stream.first;
    state[2] = state[3] = 0;
  });
}

cucore_status cucore_array_generator_set_state(cucore_array_generator* generator,
                                               const uint64_t state[4], cucore_error** error) {
  return guard(error, [&] {
    Generator& self = use(generator, "generator");
    require(state, "state");
    if (state[2] != 0 || state[3] != 0)
      throw Error(Status::INVALID_ARGUMENT, "state[2] and state[3] are reserved; expected 0");
    self.set_stream({.seed = state[0], .first = state[1]});
  });
}

cucore_status cucore_array_random(cucore_array_generator* generator,
                                  cucore_array_distribution distribution, cucore_array_dtype dtype,
                                  const cucore_array_operand* parameters, size_t count,
                                  const int64_t* shape, size_t ndim, cucore_array** out,
                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    Generator& self = use(generator, "generator");
    const Distribution kind = distribution_of_caller(distribution);
    const bool optional = kind != Distribution::INTEGERS && kind != Distribution::BERNOULLI;
    if (count != parameters_of(kind) && !(optional && count == 0))
      throw Error(Status::INVALID_ARGUMENT, concat(name_of(kind), ": ", count,
                                                   " parameters; expected ", parameters_of(kind)));
    const Operands operands(parameters, count, self.context());
    const std::vector<Input> inputs(operands.inputs().begin(), operands.inputs().end());
    check_interval(inputs, kind);
    const Dims sizes = shape_of(shape, ndim);
    const Dtype type = dtype_of_numbers(kind, dtype, *self.context());
    const auto numbers = uint64_t(count_of(sizes));
    const Stream stream = self.advance(numbers);
    try {
      record(self.context(), out,
             [&](Graph& graph) { return random(graph, kind, type, stream, inputs, sizes); });
    } catch (...) {
      self.give_back(stream, numbers);
      throw;
    }
  });
}

}  // extern "C"
