// SPDX-License-Identifier: Apache-2.0
// Properties of arrays, operations of the table, and random numbers.
#include "call.hpp"

namespace cucore::java::arrays {
namespace {

enum Fact { PENDING = 1, VIEW = 2, CONTIGUOUS = 4, WRITABLE = 8 };

jlongArray to_java_longs(JNIEnv* env, const int64_t* numbers, size_t count) {
  jlongArray result = env->NewLongArray(static_cast<jsize>(count));
  if (result)
    env->SetLongArrayRegion(result, 0, static_cast<jsize>(count),
                            reinterpret_cast<const jlong*>(numbers));
  return result;
}

}  // namespace
}  // namespace cucore::java::arrays

using namespace cucore::java::arrays;

ARRAY_NATIVE(jlongArray, shape)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(array, "array");
    return to_java_longs(env, cucore_array_shape(of), cucore_array_ndim(of));
  });
}

ARRAY_NATIVE(jlongArray, strides)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(array, "array");
    return to_java_longs(env, cucore_array_strides(of), cucore_array_ndim(of));
  });
}

ARRAY_NATIVE(jint, dtype)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    return static_cast<jint>(cucore_array_dtype_of(call.array(array, "array")));
  });
}

ARRAY_NATIVE(jint, facts)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(array, "array");
    return static_cast<jint>((cucore_array_is_pending(of) ? PENDING : 0) |
                             (cucore_array_is_view(of) ? VIEW : 0) |
                             (cucore_array_is_contiguous(of) ? CONTIGUOUS : 0) |
                             (cucore_array_is_writable(of) ? WRITABLE : 0));
  });
}

ARRAY_NATIVE(jboolean, sharesMemory)(JNIEnv* env, jclass, jobject array, jobject other) {
  return calling(env, [&](Call& call) {
    return static_cast<jboolean>(
        cucore_array_shares_memory(call.array(array, "array"), call.array(other, "other")));
  });
}

ARRAY_NATIVE(jlong, contextOf)(JNIEnv* env, jclass, jobject array) {
  return calling(env, [&](Call& call) {
    return give(made<cucore_array_context*>(cucore_array_context_of, call.array(array, "array")));
  });
}

// One result, or the results of an operation with several.
ARRAY_NATIVE(jlongArray, apply)
(JNIEnv* env, jclass, jint op, jobjectArray operands, jint dtype, jint results) {
  return calling(env, [&](Call& call) {
    const auto values = call.operands(operands, "operands");
    cucore_array_apply_options options = CUCORE_ARRAY_APPLY_OPTIONS_INIT;
    options.dtype = static_cast<cucore_array_dtype>(dtype);
    std::vector<cucore_array*> made(static_cast<size_t>(results));
    ok(cucore_array_apply, op, values.data(), values.size(), &options, made.data(), made.size());
    return give(env, made);
  });
}

ARRAY_NATIVE(void, applyInto)
(JNIEnv* env, jclass, jint op, jobjectArray operands, jobject out, jobject where) {
  calling(env, [&](Call& call) {
    const auto values = call.operands(operands, "operands");
    cucore_array_apply_options options = CUCORE_ARRAY_APPLY_OPTIONS_INIT;
    options.out = call.array(out, "out");
    options.where = call.array_or_null(where, "where");
    ok(cucore_array_apply, op, values.data(), values.size(), &options, nullptr, size_t{0});
  });
}

ARRAY_NATIVE(jlong, unary)(JNIEnv* env, jclass, jint op, jobject x) {
  return calling(
      env, [&](Call& call) { return give_array(cucore_array_unary, op, call.array(x, "x")); });
}

ARRAY_NATIVE(jlong, binary)(JNIEnv* env, jclass, jint op, jobject x, jobject y) {
  return calling(env, [&](Call& call) {
    const cucore_array_operand values[] = {call.operand(x, "x"), call.operand(y, "y")};
    if (values[0].array && values[1].array)
      return give_array(cucore_array_binary, op, values[0].array, values[1].array);
    const cucore_array_apply_options options = CUCORE_ARRAY_APPLY_OPTIONS_INIT;
    cucore_array* result = nullptr;
    ok(cucore_array_apply, op, values, size_t{2}, &options, &result, size_t{1});
    return give(result);
  });
}

ARRAY_NATIVE(void, assign)(JNIEnv* env, jclass, jint op, jobject x, jobject value) {
  calling(env, [&](Call& call) {
    cucore_array* const target = call.array(x, "x");
    const cucore_array_operand given = call.operand(value, "value");
    if (op == 0)
      ok(cucore_array_assign, target, &given);
    else
      ok(cucore_array_assign_op, op, target, &given);
  });
}

ARRAY_NATIVE(jlong, reduce)
(JNIEnv* env, jclass, jint op, jobject x, jintArray axes, jboolean keepdims, jint dtype,
 jdouble correction, jdouble order) {
  return calling(env, [&](Call& call) {
    std::vector<int32_t> along;
    if (axes) along = call.ints(axes, "axes");
    cucore_array_reduce_options options = CUCORE_ARRAY_REDUCE_OPTIONS_INIT;
    options.axes = along.data();
    options.axis_count = along.size();
    options.axes_given = axes != nullptr;
    options.keepdims = keepdims;
    options.dtype = static_cast<cucore_array_dtype>(dtype);
    options.correction = correction;
    options.order = order;
    options.order_given = 1;
    return give_array(cucore_array_reduce, op, call.array(x, "x"), &options);
  });
}

ARRAY_NATIVE(jlong, scan)
(JNIEnv* env, jclass, jint op, jobject x, jint axis, jint dtype, jboolean include_initial) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_scan, op, call.array(x, "x"), axis,
                      static_cast<cucore_array_dtype>(dtype), int32_t{include_initial}, int32_t{0});
  });
}

ARRAY_NATIVE(jlong, generatorCreate)(JNIEnv* env, jclass, jobject context, jlong seed) {
  return calling(env, [&](Call& call) {
    return give(made<cucore_array_generator*>(cucore_array_generator_create, call.context(context),
                                              static_cast<uint64_t>(seed)));
  });
}

ARRAY_NATIVE(jlong, random)
(JNIEnv* env, jclass, jobject generator, jint distribution, jint dtype, jobjectArray parameters,
 jlongArray shape) {
  return calling(env, [&](Call& call) {
    const auto values = call.operands(parameters, "parameters");
    const auto sizes = call.longs(shape, "shape");
    return give_array(cucore_array_random, call.generator(generator),
                      static_cast<cucore_array_distribution>(distribution),
                      static_cast<cucore_array_dtype>(dtype), values.data(), values.size(),
                      sizes.data(), sizes.size());
  });
}
