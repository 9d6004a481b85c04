// SPDX-License-Identifier: Apache-2.0
#include "array/capi/guard.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

std::vector<OperandType> types_of_caller(const cucore_array_operand* operands,
                                         const cucore_array_dtype* dtypes, size_t count) {
  std::vector<OperandType> types;
  if ((operands != nullptr) == (dtypes != nullptr))
    throw Error(Status::INVALID_ARGUMENT, "result_dtype: expected operands or dtypes, not both");
  for (size_t at = 0; at < count; ++at) {
    if (dtypes)
      types.push_back({.dtype = dtype_of_caller(dtypes[at], "dtypes")});
    else if (operands[at].array)
      types.push_back({.dtype = use(operands[at].array, "operands").dtype()});
    else
      types.push_back({.weak = weak_of(number_of(operands[at].scalar))});
  }
  return types;
}

Dtype common_type(std::span<const OperandType> types) {
  std::vector<Dtype> dtypes;
  std::vector<Weak> weak;
  for (const OperandType& type : types) {
    if (type.dtype == Dtype::DEFAULT)
      weak.push_back(type.weak);
    else
      dtypes.push_back(type.dtype);
  }
  return result_dtype(dtypes, weak);
}

}  // namespace

extern "C" {

cucore_status cucore_array_result_dtype(int32_t op, const cucore_array_operand* operands,
                                        const cucore_array_dtype* dtypes, size_t count,
                                        cucore_array_dtype* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const std::vector<OperandType> types = types_of_caller(operands, dtypes, count);
    if (types.empty()) throw Error(Status::INVALID_ARGUMENT, "result_dtype: no operand");
    if (op == 0) {
      *out = static_cast<cucore_array_dtype>(common_type(types));
      return;
    }
    const Op& row = op_of_caller(op);
    if (types.size() != row.arity)
      throw Error(Status::INVALID_ARGUMENT,
                  concat(row.name, ": ", types.size(), " operands; expected ", int{row.arity}));
    *out = static_cast<cucore_array_dtype>(types_of(row, types).results[0]);
  });
}

int32_t cucore_array_can_cast(cucore_array_dtype from, cucore_array_dtype to,
                              cucore_array_casting casting) {
  if (!is_dtype(from) || !is_dtype(to) || casting < 0 || casting > CUCORE_ARRAY_CASTING_UNSAFE)
    return 0;
  return can_cast(static_cast<Dtype>(from), static_cast<Dtype>(to), static_cast<Casting>(casting));
}

const char* cucore_array_dtype_name(cucore_array_dtype dtype) {
  return is_dtype(dtype) ? name_of(static_cast<Dtype>(dtype)).data() : "";
}

size_t cucore_array_dtype_size(cucore_array_dtype dtype) {
  return is_dtype(dtype) ? size_of(static_cast<Dtype>(dtype)) : 0;
}

size_t cucore_array_op_count(void) { return all_ops().size(); }

cucore_status cucore_array_op_at(size_t index, cucore_array_op_info* out, cucore_error** error) {
  return guard(error, [&] {
    const auto ops = all_ops();
    if (index >= ops.size())
      throw Error(Status::INVALID_ARGUMENT,
                  concat("index is ", index, "; the table has ", ops.size(), " operations"));
    const Op& op = ops[index];
    const cucore_array_op_info info{.struct_size = 0,
                                    .op = op.number,
                                    .family = static_cast<int32_t>(op.family),
                                    .arity = op.arity,
                                    .outputs = op.outputs,
                                    .parameters = op.scalars,
                                    .reserved = 0,
                                    .name = op.name.data(),
                                    .numpy_name = op.numpy_name.data(),
                                    .standard_name = op.standard_name.data(),
                                    .description = op.doc.data()};
    write_info(out, info, sizeof info, "cucore_array_op_info");
  });
}

cucore_status cucore_array_op_find(const char* name, int32_t* op, cucore_error** error) {
  return guard(error, [&] {
    clear(op);
    require(op, "op");
    const Op* found = find_op(std::string_view(require(name, "name")));
    if (!found) throw Error(Status::NOT_FOUND, concat("no operation has the name \"", name, "\""));
    *op = found->number;
  });
}

uint32_t cucore_array_version(void) { return cucore_version(); }

}  // extern "C"
