// SPDX-License-Identifier: Apache-2.0
// Views, joins, indices, sorting, and products of matrices.
#include "call.hpp"

namespace cucore::java::arrays {
namespace {

constexpr size_t NUMBERS_PER_ITEM = 5;  // kind, given, start, stop, step

std::vector<cucore_array_index> items_of(Call& call, jlongArray numbers, jobjectArray arrays) {
  const auto given = call.longs(numbers, "items");
  std::vector<cucore_array_index> items(given.size() / NUMBERS_PER_ITEM);
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t* const item = &given[i * NUMBERS_PER_ITEM];
    items[i] = {static_cast<cucore_array_index_kind>(item[0]),
                static_cast<uint32_t>(item[1]),
                item[2],
                item[3],
                item[4],
                call.array_or_null(call.element(arrays, i), "items")};
  }
  return items;
}

cucore_toggle no_preference() { return CUCORE_TOGGLE_DEFAULT; }

}  // namespace
}  // namespace cucore::java::arrays

using namespace cucore::java::arrays;

ARRAY_NATIVE(jlong, select)
(JNIEnv* env, jclass, jobject x, jlongArray numbers, jobjectArray arrays) {
  return calling(env, [&](Call& call) {
    const auto items = items_of(call, numbers, arrays);
    return give_array(cucore_array_select, call.array(x, "x"), items.data(), items.size());
  });
}

ARRAY_NATIVE(void, assignSelect)
(JNIEnv* env, jclass, jobject x, jlongArray numbers, jobjectArray arrays, jint op, jobject value) {
  calling(env, [&](Call& call) {
    const auto items = items_of(call, numbers, arrays);
    const cucore_array_operand given = call.operand(value, "value");
    ok(cucore_array_assign_select, call.array(x, "x"), items.data(), items.size(), op, &given);
  });
}

ARRAY_NATIVE(jlong, cast)(JNIEnv* env, jclass, jobject x, jint dtype) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_cast, call.array(x, "x"), static_cast<cucore_array_dtype>(dtype),
                      no_preference());
  });
}

ARRAY_NATIVE(jlong, copy)(JNIEnv* env, jclass, jobject x) {
  return calling(env,
                 [&](Call& call) { return give_array(cucore_array_copy, call.array(x, "x")); });
}

ARRAY_NATIVE(jlong, toContext)(JNIEnv* env, jclass, jobject x, jobject context) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_to_context, call.array(x, "x"), call.context(context));
  });
}

ARRAY_NATIVE(jlong, reshape)(JNIEnv* env, jclass, jobject x, jlongArray shape) {
  return calling(env, [&](Call& call) {
    const auto sizes = call.longs(shape, "shape");
    return give_array(cucore_array_reshape, call.array(x, "x"), sizes.data(), sizes.size(),
                      no_preference());
  });
}

ARRAY_NATIVE(jlong, broadcast)(JNIEnv* env, jclass, jobject x, jlongArray shape) {
  return calling(env, [&](Call& call) {
    const auto sizes = call.longs(shape, "shape");
    return give_array(cucore_array_broadcast, call.array(x, "x"), sizes.data(), sizes.size());
  });
}

ARRAY_NATIVE(jlong, permute)(JNIEnv* env, jclass, jobject x, jintArray axes) {
  return calling(env, [&](Call& call) {
    std::vector<int32_t> order;
    if (axes) order = call.ints(axes, "axes");
    return give_array(cucore_array_permute, call.array(x, "x"), axes ? order.data() : nullptr,
                      order.size());
  });
}

// Functions of an array and axes.
#define NATIVE_OF_AXES(name)                                                                  \
  ARRAY_NATIVE(jlong, name)(JNIEnv * env, jclass, jobject x, jintArray axes) {                \
    return calling(env, [&](Call& call) {                                                     \
      const auto along = call.ints(axes, "axes");                                             \
      return give_array(cucore_array_##name, call.array(x, "x"), along.data(), along.size()); \
    });                                                                                       \
  }
NATIVE_OF_AXES(expand)
NATIVE_OF_AXES(squeeze)
NATIVE_OF_AXES(flip)
#undef NATIVE_OF_AXES

ARRAY_NATIVE(jlong, diagonal)
(JNIEnv* env, jclass, jobject x, jlong offset, jint axis1, jint axis2) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_diagonal, call.array(x, "x"), offset, axis1, axis2);
  });
}

ARRAY_NATIVE(jlong, part)(JNIEnv* env, jclass, jobject x, jint part) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_part, call.array(x, "x"),
                      static_cast<cucore_array_part_kind>(part));
  });
}

// Functions of several arrays and an axis.
#define NATIVE_OF_ARRAYS(name)                                                                   \
  ARRAY_NATIVE(jlong, name)(JNIEnv * env, jclass, jobjectArray arrays, jint axis) {              \
    return calling(env, [&](Call& call) {                                                        \
      const auto all = call.arrays(arrays, "arrays");                                            \
      return give_array(cucore_array_##name, const_cast<const cucore_array* const*>(all.data()), \
                        all.size(), axis);                                                       \
    });                                                                                          \
  }
NATIVE_OF_ARRAYS(concat)
NATIVE_OF_ARRAYS(stack)
#undef NATIVE_OF_ARRAYS

ARRAY_NATIVE(jlongArray, unstack)(JNIEnv* env, jclass, jobject x, jint axis, jint count) {
  return calling(env, [&](Call& call) {
    std::vector<cucore_array*> made(static_cast<size_t>(count));
    ok(cucore_array_unstack, call.array(x, "x"), axis, made.data(), made.size());
    return give(env, made);
  });
}

ARRAY_NATIVE(jlong, roll)(JNIEnv* env, jclass, jobject x, jlong shift, jint axis) {
  return calling(env, [&](Call& call) {
    const int64_t by = shift;
    const int32_t along = axis;
    return give_array(cucore_array_roll, call.array(x, "x"), &by, &along, size_t{1});
  });
}

ARRAY_NATIVE(jlong, tile)(JNIEnv* env, jclass, jobject x, jlongArray repeats) {
  return calling(env, [&](Call& call) {
    const auto counts = call.longs(repeats, "repeats");
    return give_array(cucore_array_tile, call.array(x, "x"), counts.data(), counts.size());
  });
}

ARRAY_NATIVE(jlong, repeat)(JNIEnv* env, jclass, jobject x, jlong count, jint axis) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_repeat, call.array(x, "x"), nullptr, count, axis);
  });
}

ARRAY_NATIVE(jlong, take)(JNIEnv* env, jclass, jobject x, jobject indices, jint axis) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_take, call.array(x, "x"), call.array(indices, "indices"), axis);
  });
}

ARRAY_NATIVE(jlong, takeAlong)(JNIEnv* env, jclass, jobject x, jobject indices, jint axis) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_take_along, call.array(x, "x"), call.array(indices, "indices"),
                      axis);
  });
}

ARRAY_NATIVE(void, putAlong)
(JNIEnv* env, jclass, jobject x, jobject indices, jobject value, jint axis) {
  calling(env, [&](Call& call) {
    const cucore_array_operand given = call.operand(value, "value");
    ok(cucore_array_put_along, call.array(x, "x"), call.array(indices, "indices"), &given, axis);
  });
}

ARRAY_NATIVE(jlong, compress)(JNIEnv* env, jclass, jobject x, jobject mask, jint axis) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_compress, call.array(x, "x"), call.array(mask, "mask"), axis);
  });
}

ARRAY_NATIVE(jlongArray, nonzero)(JNIEnv* env, jclass, jobject x) {
  return calling(env, [&](Call& call) {
    const cucore_array* const of = call.array(x, "x");
    std::vector<cucore_array*> made(cucore_array_ndim(of));
    ok(cucore_array_nonzero, of, made.data(), made.size());
    return give(env, made);
  });
}

ARRAY_NATIVE(jlong, sort)(JNIEnv* env, jclass, jobject x, jint axis, jboolean descending) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_sort, call.array(x, "x"), axis, int32_t{descending});
  });
}

ARRAY_NATIVE(jlong, argsort)(JNIEnv* env, jclass, jobject x, jint axis, jboolean descending) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_argsort, call.array(x, "x"), axis, int32_t{descending});
  });
}

ARRAY_NATIVE(jlong, searchsorted)
(JNIEnv* env, jclass, jobject sorted, jobject values, jboolean right) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_searchsorted, call.array(sorted, "sorted"),
                      call.array(values, "values"), int32_t{right}, nullptr);
  });
}

ARRAY_NATIVE(jlongArray, unique)(JNIEnv* env, jclass, jobject x) {
  return calling(env, [&](Call& call) {
    std::vector<cucore_array*> made(4);
    ok(cucore_array_unique, call.array(x, "x"), uint32_t{7}, &made[0], &made[1], &made[2],
       &made[3]);
    return give(env, made);
  });
}

ARRAY_NATIVE(jlong, matmul)(JNIEnv* env, jclass, jobject x, jobject y) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_matmul, call.array(x, "x"), call.array(y, "y"));
  });
}

ARRAY_NATIVE(jlong, tensordot)
(JNIEnv* env, jclass, jobject x, jobject y, jintArray x_axes, jintArray y_axes) {
  return calling(env, [&](Call& call) {
    const auto left = call.ints(x_axes, "xAxes"), right = call.ints(y_axes, "yAxes");
    if (left.size() != right.size())
      throw cucore::bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                                  "xAxes has " + std::to_string(left.size()) + " axes, yAxes " +
                                      std::to_string(right.size()) + "; they are pairs");
    return give_array(cucore_array_tensordot, call.array(x, "x"), call.array(y, "y"), left.data(),
                      right.data(), left.size());
  });
}

ARRAY_NATIVE(jlong, vecdot)(JNIEnv* env, jclass, jobject x, jobject y, jint axis) {
  return calling(env, [&](Call& call) {
    return give_array(cucore_array_vecdot, call.array(x, "x"), call.array(y, "y"), axis);
  });
}
