// SPDX-License-Identifier: Apache-2.0
// A node's settings as Java's NodeInfo reads them: a long[], and two texts. Null with an exception
// pending if no memory is left.
#pragma once

#include <jni.h>

#include <cstdint>
#include <vector>

#include "longs.hpp"
#include "text.hpp"

namespace cucore::java {

// In the order of Java's NodeInfo.
inline std::vector<jlong> numbers_of(const cucore_node_info& info) {
  std::vector<jlong> numbers{static_cast<jlong>(info.kind)};
  for (const auto* extents : {info.grid, info.block, info.cluster})
    numbers.insert(numbers.end(), extents, extents + 3);
  for (const uint64_t each : {uint64_t{info.dynamic_shared},
                              info.destination,
                              info.source,
                              info.size,
                              info.pattern,
                              info.pattern_size,
                              info.dependency_count,
                              info.dependent_count,
                              info.tools_id,
                              reinterpret_cast<uint64_t>(info.event),
                              reinterpret_cast<uint64_t>(info.native),
                              info.condition,
                              static_cast<uint64_t>(info.comparison),
                              info.width,
                              info.height,
                              info.depth,
                              info.destination_row_bytes,
                              info.destination_slice_rows,
                              info.source_row_bytes,
                              info.source_slice_rows})
    numbers.push_back(static_cast<jlong>(each));
  return numbers;
}

inline jobjectArray to_objects(JNIEnv* env, const cucore_node_info& info) {
  jclass const object = env->FindClass("java/lang/Object");
  jobjectArray const result = object ? env->NewObjectArray(3, object, nullptr) : nullptr;
  jlongArray const numbers = result ? to_longs(env, numbers_of(info)) : nullptr;
  jstring const label = numbers ? to_java(env, info.label) : nullptr;
  jstring const kernel = label ? to_java(env, info.kernel) : nullptr;
  if (!kernel) return nullptr;
  env->SetObjectArrayElement(result, 0, numbers);
  env->SetObjectArrayElement(result, 1, label);
  env->SetObjectArrayElement(result, 2, kernel);
  return result;
}

}  // namespace cucore::java
