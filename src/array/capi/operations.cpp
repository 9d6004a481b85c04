// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "array/capi/guard.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

constexpr size_t FIRST_APPLY = offsetof(cucore_array_apply_options, where) + sizeof(void*);
constexpr size_t FIRST_REDUCE = sizeof(cucore_array_reduce_options);

void apply_simple(int32_t number, const Operands& operands, cucore_array** out) {
  const Op& op = elementwise_of_caller(number, operands.inputs().size());
  record(operands.context_ref(), out, [&](Graph& graph) {
    return apply_one(graph, op, operands.inputs(), Dtype::DEFAULT,
                     operands.context().settings().defaults);
  });
}

// Operands, then the parameters of the operation.
struct Call {
  const Op& op;
  Operands operands;
  std::vector<Number> parameters;

  Call(int32_t number, const cucore_array_operand* all, size_t count, Ref<Context> context)
      : op(op_of_caller(number)),
        operands(all, std::min<size_t>(count, op.arity), std::move(context)) {
    if (op.family == Family::REDUCE || op.family == Family::SCAN)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("op is ", op.name, ", which is not element by element"));
    if (count != size_t{op.arity} + op.scalars)
      throw Error(Status::INVALID_ARGUMENT,
                  concat(op.name, ": ", count, " operands and parameters; expected ",
                         op.arity + op.scalars));
    if (std::none_of(all, all + op.arity, [](const auto& each) { return each.array; }))
      throw Error(Status::INVALID_ARGUMENT, concat(op.name, ": no operand is an array"));
    for (size_t at = op.arity; at < count; ++at) {
      if (all[at].array)
        throw Error(Status::INVALID_ARGUMENT, concat(op.name, ": parameter ", at - op.arity,
                                                     " is an array; expected a number"));
      parameters.push_back(number_of(all[at].scalar));
    }
  }
  Context& context() const { return operands.context(); }
  std::vector<Array> results(Graph& graph, Dtype dtype) const {
    return apply(graph, op, operands.inputs(), dtype, parameters, context().settings().defaults);
  }
};

void apply_into(const Call& call, const cucore_array_apply_options& options, Dtype dtype) {
  const ArrayObject& out = use(options.out, "cucore_array_apply_options.out");
  std::optional<Guest> where;
  if (options.where)
    where.emplace(use(options.where, "cucore_array_apply_options.where"), call.context(),
                  "cucore_array_apply_options.where");
  if (call.op.outputs != 1)
    throw Error(Status::INVALID_ARGUMENT,
                concat(call.op.name, ": out with an operation of two results"));
  record_write(call.context(), out.cell(), [&](Graph& graph) {
    const Array result = std::move(call.results(graph, dtype)[0]);
    if (result.view.ndim() > out.array().view.ndim())  // an assignment would drop axes of size 1
      throw Error(Status::SHAPE,
                  concat(call.op.name, ": the result has the shape ", shape_text(result.view.shape),
                         "; out has ", shape_text(out.array().view.shape)));
    if (where)
      assign_where(out.array(), {.array = &result}, where->array(), call.op.name);
    else
      assign(out.array(), {.array = &result}, call.op.name);
  });
}

void apply_new(const Call& call, Dtype dtype, cucore_array** results, size_t count) {
  if (count != call.op.outputs)
    throw Error(Status::INVALID_ARGUMENT, concat(call.op.name, ": result_count is ", count,
                                                 "; expected ", int{call.op.outputs}));
  require(results, "results");
  std::vector<Ref<ArrayObject>> objects;
  {
    const Context::Lock lock(call.context());
    for (Array& array : call.results(lock.graph(), dtype))
      objects.push_back(make<ArrayObject>(call.operands.context_ref(), std::move(array)));
  }
  for (const Ref<ArrayObject>& object : objects) call.context().after_recording(object->cell());
  for (size_t at = 0; at < count; ++at) results[at] = wrap(objects[at]);
}

ReduceOptions options_of(const cucore_array_reduce_options& given) {
  ReduceOptions options;
  require_zero(given.reserved, "cucore_array_reduce_options.reserved");
  require_zero(given.reserved2, "cucore_array_reduce_options.reserved2");
  const auto axes = axes_of_caller(given.axes, given.axis_count);
  const bool all =
      axes.empty() && !require_flag(given.axes_given, "cucore_array_reduce_options.axes_given");
  if (!all) options.axes.emplace(axes.begin(), axes.end());
  options.keepdims = require_flag(given.keepdims, "cucore_array_reduce_options.keepdims");
  if (given.dtype != CUCORE_ARRAY_DTYPE_DEFAULT)
    options.dtype = dtype_of_caller(given.dtype, "cucore_array_reduce_options.dtype");
  options.correction = given.correction;
  if (given.order != 0 ||
      require_flag(given.order_given, "cucore_array_reduce_options.order_given"))
    options.order = given.order;
  return options;
}

}  // namespace

extern "C" {

cucore_status cucore_array_unary(int32_t op, const cucore_array* x, cucore_array** out,
                                 cucore_error** error) {
  return guard(error, [&] { apply_simple(op, Operands({x}), out); });
}

cucore_status cucore_array_binary(int32_t op, const cucore_array* x, const cucore_array* y,
                                  cucore_array** out, cucore_error** error) {
  return guard(error, [&] { apply_simple(op, Operands({x, y}), out); });
}

cucore_status cucore_array_binary_scalar(int32_t op, const cucore_array* x, double y,
                                         int32_t reversed, cucore_array** out,
                                         cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    cucore_array_operand operands[2] = {{.array = require(x, "x"), .scalar = {}},
                                        {.array = nullptr, .scalar = {}}};
    operands[1].scalar = {
        .kind = CUCORE_ARRAY_SCALAR_REAL, .reserved = 0, .integer = 0, .real = y, .imag = 0};
    if (require_flag(reversed, "reversed")) std::swap(operands[0], operands[1]);
    apply_simple(op, Operands(operands, 2), out);
  });
}

cucore_status cucore_array_apply(int32_t op, const cucore_array_operand* operands, size_t count,
                                 const cucore_array_apply_options* options, cucore_array** results,
                                 size_t result_count, cucore_error** error) {
  return guard(error, [&] {
    for (size_t at = 0; results && at < result_count; ++at) results[at] = nullptr;
    const auto all = read_options(options, FIRST_APPLY, "cucore_array_apply_options");
    require_zero(all.reserved, "cucore_array_apply_options.reserved");
    Ref<Context> context;
    if (all.out) context = use(all.out, "cucore_array_apply_options.out").context_ref();
    const Call call(op, operands, count, std::move(context));
    const Dtype dtype = all.dtype == CUCORE_ARRAY_DTYPE_DEFAULT
                            ? Dtype::DEFAULT
                            : dtype_of_caller(all.dtype, "cucore_array_apply_options.dtype");
    if (all.out) return apply_into(call, all, dtype);
    if (all.where)
      throw Error(Status::INVALID_ARGUMENT, concat(call.op.name, ": where without out"));
    apply_new(call, dtype, results, result_count);
  });
}

cucore_status cucore_array_cast(const cucore_array* x, cucore_array_dtype dtype, cucore_toggle copy,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Dtype type = dtype_of_caller(dtype, "dtype");
    const bool copies = require_toggle(copy, false, "copy");
    record(self.context_ref(), out, [&](Graph&) {
      return copies && type == self.dtype() ? copied(self.array()) : cast(self.array(), type);
    });
  });
}

cucore_status cucore_array_assign(cucore_array* x, const cucore_array_operand* value,
                                  cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Operands source(require(value, "value"), 1, self.context_ref());
    record_write(self.context(), self.cell(), [&](Graph&) {
      assign(self.array(), source.inputs()[0], "assign", Casting::UNSAFE);
    });
  });
}

cucore_status cucore_array_assign_op(int32_t op, cucore_array* x, const cucore_array_operand* value,
                                     cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Op& row = elementwise_of_caller(op, 2);
    const Operands source(require(value, "value"), 1, self.context_ref());
    record_write(self.context(), self.cell(), [&](Graph&) {
      assign_op(row, self.array(), source.inputs()[0], self.context().settings().defaults);
    });
  });
}

cucore_status cucore_array_reduce(int32_t op, const cucore_array* x,
                                  const cucore_array_reduce_options* options, cucore_array** out,
                                  cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Op& row = op_of_caller(op);
    if (row.family != Family::REDUCE)
      throw Error(Status::INVALID_ARGUMENT, concat("op is ", row.name, "; expected a reduction"));
    const ReduceOptions all =
        options_of(read_options(options, FIRST_REDUCE, "cucore_array_reduce_options"));
    record(self.context_ref(), out, [&](Graph&) {
      return reduce(row, self.array(), all, self.context().settings().defaults);
    });
  });
}

cucore_status cucore_array_scan(int32_t op, const cucore_array* x, int32_t axis,
                                cucore_array_dtype dtype, int32_t include_initial, int32_t reverse,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Op& row = op_of_caller(op);
    if (row.family != Family::SCAN)
      throw Error(Status::INVALID_ARGUMENT, concat("op is ", row.name, "; expected a scan"));
    const ScanOptions options{.axis = axis,
                              .dtype = dtype == CUCORE_ARRAY_DTYPE_DEFAULT
                                           ? Dtype::DEFAULT
                                           : dtype_of_caller(dtype, "dtype"),
                              .include_initial = require_flag(include_initial, "include_initial"),
                              .reverse = require_flag(reverse, "reverse")};
    record(self.context_ref(), out, [&](Graph&) {
      return scan(row, self.array(), options, self.context().settings().defaults);
    });
  });
}

}  // extern "C"
