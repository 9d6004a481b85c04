// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

namespace sweep {
namespace {

constexpr int64_t SHAPE[] = {ROWS, COLUMNS}, FLAT[] = {ROWS * COLUMNS};
constexpr int32_t FIRST_AXIS[] = {0}, LAST_AXIS[] = {1}, SWAPPED[] = {1, 0};
constexpr cucore_array_dtype FLOAT32 = CUCORE_ARRAY_DTYPE_FLOAT32;

cucore_array_scalar number(double value) { return {CUCORE_ARRAY_SCALAR_REAL, 0, 0, value, 0.0}; }
cucore_array_operand operand(const cucore_array* array) { return {array, {}}; }
cucore_array_operand operand(double value) { return {nullptr, number(value)}; }

cucore_array_index slice() { return {CUCORE_ARRAY_INDEX_SLICE, 7, 1, 3, 1, nullptr}; }
cucore_array_index at(const cucore_array* array) {
  return {CUCORE_ARRAY_INDEX_ARRAY, 0, 0, 0, 0, array};
}

std::vector<Scenario> context_scenarios() {
  return {
      {"cucore_array_context_create",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_context_create(w.device, nullptr, &out.context, error);
       }},
      {"cucore_array_context_default",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_context_default(w.device, &out.context, error);
       }},
      {"cucore_array_context_device",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_context_device(w.context, &out.device, error);
       }},
      {"cucore_array_context_stream",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_context_stream(w.context, &out.stream, error);
       }},
      {"cucore_array_context_evaluate",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_context_evaluate(w.context, error);
       }},
      {"cucore_array_context_synchronize",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_context_synchronize(w.context, error);
       }},
      {"cucore_array_context_trim",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_context_trim(w.context, 0, error);
       }},
      {"cucore_array_context_query",
       [](World& w, Outputs&, auto** error) {
         cucore_array_context_info info = CUCORE_ARRAY_CONTEXT_INFO_INIT;
         return cucore_array_context_query(w.context, &info, error);
       }},
      {"cucore_array_context_of",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_context_of(w.x, &out.context, error);
       }},
      {"cucore_array_generator_create",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_generator_create(w.context, 5, &out.generator, error);
       }},
      {"cucore_array_generator_state",
       [](World& w, Outputs&, auto** error) {
         uint64_t state[4];
         return cucore_array_generator_state(w.generator, state, error);
       }},
      {"cucore_array_generator_set_state",
       [](World& w, Outputs&, auto** error) {
         const uint64_t state[4] = {5, 0, 0, 0};
         return cucore_array_generator_set_state(w.generator, state, error);
       }},
      {"cucore_array_random",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_random(w.generator, CUCORE_ARRAY_DISTRIBUTION_UNIFORM, FLOAT32,
                                    nullptr, 0, SHAPE, 2, out.arrays.data(), error);
       }},
  };
}

std::vector<Scenario> creation_scenarios() {
  return {
      {"cucore_array_empty",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_empty(w.context, FLOAT32, SHAPE, 2, out.arrays.data(), error);
       }},
      {"cucore_array_full",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array_scalar value = number(2);
         return cucore_array_full(w.context, FLOAT32, SHAPE, 2, &value, out.arrays.data(), error);
       }},
      {"cucore_array_arange",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_arange(w.context, FLOAT32, nullptr, nullptr, 9, out.arrays.data(),
                                    error);
       }},
      {"cucore_array_linspace",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array_scalar first = number(0), last = number(1);
         return cucore_array_linspace(w.context, FLOAT32, &first, &last, 9, 1, out.arrays.data(),
                                      error);
       }},
      {"cucore_array_eye",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_eye(w.context, FLOAT32, 3, 4, 1, out.arrays.data(), error);
       }},
      {"cucore_array_from_host",
       [](World& w, Outputs& out, auto** error) {
         const float data[ROWS * COLUMNS] = {};
         const int64_t strides[] = {4, 4 * ROWS};
         return cucore_array_from_host(w.context, FLOAT32, data, SHAPE, 2, strides,
                                       out.arrays.data(), error);
       }},
      {"cucore_array_from_npy",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_from_npy(w.context, w.npy.data(), w.npy.size(), out.arrays.data(),
                                      error);
       }},
      {"cucore_array_copy",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_copy(w.x, out.arrays.data(), error);
       }},
  };
}

std::vector<Scenario> element_scenarios() {
  return {
      {"cucore_array_evaluate",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_evaluate(&w.pending, 1, error);
       }},
      {"cucore_array_read",
       [](World& w, Outputs&, auto** error) {
         float data[ROWS * COLUMNS];
         return cucore_array_read(w.pending, data, sizeof data, error);
       }},
      {"cucore_array_item",
       [](World& w, Outputs& out, auto** error) {
         cucore_array_index items[] = {slice(), slice()};
         items[0].stop = items[1].stop = 2;
         const cucore_status status =
             cucore_array_select(w.pending, items, 2, out.arrays.data(), error);
         if (status != CUCORE_OK) return status;
         cucore_array_scalar scalar;
         const cucore_status last = cucore_array_item(out.arrays[0], &scalar, error);
         if (last != CUCORE_OK) out.release();
         return last;
       }},
      {"cucore_array_write",
       [](World& w, Outputs&, auto** error) {
         const float data[ROWS * COLUMNS] = {};
         return cucore_array_write(w.target, data, sizeof data, error);
       }},
      {"cucore_array_explain",
       [](World& w, Outputs&, auto** error) {
         static char text[1 << 16];
         size_t size = 0;
         return cucore_array_explain(&w.pending, 1, CUCORE_ARRAY_EXPLAIN_PLAN, text, sizeof text,
                                     &size, error);
       }},
      {"cucore_array_set_name",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_set_name(w.target, "a name that is long enough to be allocated",
                                      error);
       }},
      {"cucore_array_print",
       [](World& w, Outputs&, auto** error) {
         static char text[1 << 12];
         size_t size = 0;
         return cucore_array_print(w.pending, nullptr, text, sizeof text, &size, error);
       }},
      {"cucore_array_to_npy",
       [](World& w, Outputs&, auto** error) {
         static char data[1 << 12];
         size_t size = 0;
         return cucore_array_to_npy(w.pending, data, sizeof data, &size, error);
       }},
  };
}

std::vector<Scenario> exchange_scenarios() {
  return {
      {"cucore_array_from_buffer",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_from_buffer(w.context, FLOAT32, w.memory, 0, SHAPE, 2, nullptr,
                                         out.arrays.data(), error);
       }},
      {"cucore_array_buffer",
       [](World& w, Outputs& out, auto** error) {
         size_t offset = 0;
         return cucore_array_buffer(w.target, &out.buffer, &offset, error);
       }},
      {"cucore_array_read_into",
       [](World& w, Outputs&, auto** error) {
         return cucore_array_read_into(w.pending, w.memory, 0, error);
       }},
      {"cucore_array_to_context",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_to_context(w.pending, w.other, out.arrays.data(), error);
       }},
      {"cucore_array_to_dlpack",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_to_dlpack(w.pending, nullptr, 1, CUCORE_TOGGLE_DEFAULT, &out.tensor,
                                       error);
       }},
      {"cucore_array_from_dlpack",
       [](World& w, Outputs& out, auto** error) {
         const cucore_status status = cucore_array_from_dlpack(
             w.context, w.tensor, 1, CUCORE_TOGGLE_DEFAULT, out.arrays.data(), error);
         if (status == CUCORE_OK) w.tensor = nullptr;
         return status;
       }},
  };
}

std::vector<Scenario> operation_scenarios() {
  return {
      {"cucore_array_unary",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_unary(CUCORE_ARRAY_OP_SQRT, w.x, out.arrays.data(), error);
       }},
      {"cucore_array_binary",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_binary(CUCORE_ARRAY_OP_ADD, w.x, w.z, out.arrays.data(), error);
       }},
      {"cucore_array_binary_scalar",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_binary_scalar(CUCORE_ARRAY_OP_ADD, w.x, 2.5, 1, out.arrays.data(),
                                           error);
       }},
      {"cucore_array_apply",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array_operand operands[] = {operand(w.mask), operand(w.x), operand(2)};
         return cucore_array_apply(CUCORE_ARRAY_OP_WHERE, operands, 3, nullptr, out.arrays.data(),
                                   1, error);
       }},
      {"cucore_array_cast",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_cast(w.x, CUCORE_ARRAY_DTYPE_INT8, CUCORE_TOGGLE_DEFAULT,
                                  out.arrays.data(), error);
       }},
      {"cucore_array_assign",
       [](World& w, Outputs&, auto** error) {
         const cucore_array_operand value = operand(w.y);
         return cucore_array_assign(w.target, &value, error);
       }},
      {"cucore_array_assign_op",
       [](World& w, Outputs&, auto** error) {
         const cucore_array_operand value = operand(w.y);
         return cucore_array_assign_op(CUCORE_ARRAY_OP_ADD, w.target, &value, error);
       }},
      {"cucore_array_reduce",
       [](World& w, Outputs& out, auto** error) {
         cucore_array_reduce_options options = CUCORE_ARRAY_REDUCE_OPTIONS_INIT;
         options.axes = LAST_AXIS;
         options.axis_count = 1;
         return cucore_array_reduce(CUCORE_ARRAY_OP_VAR, w.x, &options, out.arrays.data(), error);
       }},
      {"cucore_array_scan",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_scan(CUCORE_ARRAY_OP_CUMULATIVE_SUM, w.x, 1,
                                  CUCORE_ARRAY_DTYPE_DEFAULT, 1, 1, out.arrays.data(), error);
       }},
      {"cucore_array_matmul",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_matmul(w.indices, w.indices, out.arrays.data(), error);
       }},
      {"cucore_array_tensordot",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_tensordot(w.x, w.y, FIRST_AXIS, FIRST_AXIS, 1, out.arrays.data(),
                                       error);
       }},
      {"cucore_array_vecdot",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_vecdot(w.x, w.y, -1, out.arrays.data(), error);
       }},
      {"cucore_array_result_dtype",
       [](World& w, Outputs&, auto** error) {
         const cucore_array_operand operands[] = {operand(w.x), operand(w.z)};
         cucore_array_dtype dtype;
         return cucore_array_result_dtype(0, operands, nullptr, 2, &dtype, error);
       }},
      {"cucore_array_op_at",
       [](World&, Outputs&, auto** error) {
         cucore_array_op_info info = CUCORE_ARRAY_OP_INFO_INIT;
         return cucore_array_op_at(3, &info, error);
       }},
      {"cucore_array_op_find",
       [](World&, Outputs&, auto** error) {
         int32_t op = 0;
         return cucore_array_op_find("logical_xor", &op, error);
       }},
  };
}

std::vector<Scenario> view_scenarios() {
  return {
      {"cucore_array_select",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array_index items[] = {slice(), at(w.indices)};
         return cucore_array_select(w.x, items, 2, out.arrays.data(), error);
       }},
      {"cucore_array_assign_select",
       [](World& w, Outputs&, auto** error) {
         const cucore_array_index items[] = {at(w.mask)};
         const cucore_array_operand value = operand(3);
         return cucore_array_assign_select(w.target, items, 1, 0, &value, error);
       }},
      {"cucore_array_reshape",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_reshape(w.x, FLAT, 1, CUCORE_TOGGLE_DEFAULT, out.arrays.data(), error);
       }},
      {"cucore_array_permute",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_permute(w.x, SWAPPED, 2, out.arrays.data(), error);
       }},
      {"cucore_array_broadcast",
       [](World& w, Outputs& out, auto** error) {
         const int64_t shape[] = {2, ROWS, COLUMNS};
         return cucore_array_broadcast(w.x, shape, 3, out.arrays.data(), error);
       }},
      {"cucore_array_expand",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_expand(w.x, FIRST_AXIS, 1, out.arrays.data(), error);
       }},
      {"cucore_array_squeeze",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_squeeze(w.x, nullptr, 0, out.arrays.data(), error);
       }},
      {"cucore_array_flip",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_flip(w.x, FIRST_AXIS, 1, out.arrays.data(), error);
       }},
      {"cucore_array_diagonal",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_diagonal(w.x, 1, 0, 1, out.arrays.data(), error);
       }},
      {"cucore_array_part",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_part(w.z, CUCORE_ARRAY_PART_IMAG, out.arrays.data(), error);
       }},
  };
}

std::vector<Scenario> join_scenarios() {
  return {
      {"cucore_array_concat",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array* arrays[] = {w.x, w.y};
         return cucore_array_concat(arrays, 2, 0, out.arrays.data(), error);
       }},
      {"cucore_array_stack",
       [](World& w, Outputs& out, auto** error) {
         const cucore_array* arrays[] = {w.x, w.y};
         return cucore_array_stack(arrays, 2, 0, out.arrays.data(), error);
       }},
      {"cucore_array_unstack",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_unstack(w.x, 0, out.arrays.data(), ROWS, error);
       }},
      {"cucore_array_roll",
       [](World& w, Outputs& out, auto** error) {
         const int64_t shifts[] = {1};
         return cucore_array_roll(w.x, shifts, FIRST_AXIS, 1, out.arrays.data(), error);
       }},
      {"cucore_array_tile",
       [](World& w, Outputs& out, auto** error) {
         const int64_t repeats[] = {2, 2};
         return cucore_array_tile(w.x, repeats, 2, out.arrays.data(), error);
       }},
      {"cucore_array_pad",
       [](World& w, Outputs& out, auto** error) {
         const int64_t widths[] = {1, 1, 0, 2};
         const cucore_array_scalar value = number(1);
         return cucore_array_pad(w.x, widths, 0, &value, out.arrays.data(), error);
       }},
      {"cucore_array_repeat",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_repeat(w.x, nullptr, 2, 0, out.arrays.data(), error);
       }},
      {"cucore_array_take",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_take(w.x, w.indices, 0, out.arrays.data(), error);
       }},
      {"cucore_array_take_along",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_take_along(w.x, w.places, 1, out.arrays.data(), error);
       }},
      {"cucore_array_put_along",
       [](World& w, Outputs&, auto** error) {
         const cucore_array_operand value = operand(3);
         return cucore_array_put_along(w.target, w.places, &value, 1, error);
       }},
      {"cucore_array_nonzero",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_nonzero(w.mask, out.arrays.data(), 2, error);
       }},
      {"cucore_array_compress",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_compress(w.x, w.rows, 0, out.arrays.data(), error);
       }},
      {"cucore_array_sort",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_sort(w.x, 1, 0, out.arrays.data(), error);
       }},
      {"cucore_array_argsort",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_argsort(w.x, 1, 1, out.arrays.data(), error);
       }},
      {"cucore_array_searchsorted",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_searchsorted(w.indices, w.x, 1, nullptr, out.arrays.data(), error);
       }},
      {"cucore_array_unique",
       [](World& w, Outputs& out, auto** error) {
         return cucore_array_unique(w.x, 7, &out.arrays[0], &out.arrays[1], &out.arrays[2],
                                    &out.arrays[3], error);
       }},
  };
}

}  // namespace

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& part :
       {context_scenarios(), creation_scenarios(), element_scenarios(), exchange_scenarios(),
        operation_scenarios(), view_scenarios(), join_scenarios()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::pair<const char*, std::function<void(World&)>>> infallible() {
  return {
      {"cucore_array_retain", [](World& w) { cucore_array_retain(w.x); }},
      {"cucore_array_release", [](World& w) { cucore_array_release(w.x); }},
      {"cucore_array_context_retain", [](World& w) { cucore_array_context_retain(w.context); }},
      {"cucore_array_context_release", [](World& w) { cucore_array_context_release(w.context); }},
      {"cucore_array_generator_retain",
       [](World& w) { cucore_array_generator_retain(w.generator); }},
      {"cucore_array_generator_release",
       [](World& w) { cucore_array_generator_release(w.generator); }},
      {"cucore_array_ndim", [](World& w) { cucore_array_ndim(w.x); }},
      {"cucore_array_shape", [](World& w) { cucore_array_shape(w.x); }},
      {"cucore_array_strides", [](World& w) { cucore_array_strides(w.x); }},
      {"cucore_array_size", [](World& w) { cucore_array_size(w.x); }},
      {"cucore_array_bytes", [](World& w) { cucore_array_bytes(w.x); }},
      {"cucore_array_dtype_of", [](World& w) { cucore_array_dtype_of(w.x); }},
      {"cucore_array_is_pending", [](World& w) { cucore_array_is_pending(w.pending); }},
      {"cucore_array_is_view", [](World& w) { cucore_array_is_view(w.x); }},
      {"cucore_array_is_contiguous", [](World& w) { cucore_array_is_contiguous(w.x); }},
      {"cucore_array_is_writable", [](World& w) { cucore_array_is_writable(w.x); }},
      {"cucore_array_shares_memory", [](World& w) { cucore_array_shares_memory(w.x, w.y); }},
      {"cucore_array_can_cast",
       [](World&) {
         cucore_array_can_cast(FLOAT32, CUCORE_ARRAY_DTYPE_INT8, CUCORE_ARRAY_CASTING_SAFE);
       }},
      {"cucore_array_dtype_name", [](World&) { cucore_array_dtype_name(FLOAT32); }},
      {"cucore_array_dtype_size", [](World&) { cucore_array_dtype_size(FLOAT32); }},
      {"cucore_array_op_count", [](World&) { cucore_array_op_count(); }},
      {"cucore_array_version", [](World&) { cucore_array_version(); }},
  };
}

}  // namespace sweep
