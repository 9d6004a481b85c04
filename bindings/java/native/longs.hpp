// SPDX-License-Identifier: Apache-2.0
// Several numbers as a long[]. Null with an exception pending if no memory is left.
#pragma once

#include <jni.h>

#include <vector>

#include "nodes.hpp"
#include "parameters.hpp"

namespace cucore::java {

inline jlongArray to_longs(JNIEnv* env, const std::vector<jlong>& numbers) {
  const auto size = static_cast<jsize>(numbers.size());
  jlongArray result = env->NewLongArray(size);
  if (result) env->SetLongArrayRegion(result, 0, size, numbers.data());
  return result;
}

inline jlongArray to_longs(JNIEnv* env, const bind::Pair& pair) {
  return to_longs(env, std::vector<jlong>{pair.first, pair.second});
}

inline jlongArray to_longs(JNIEnv* env, const bind::ParameterInfos& infos) {
  std::vector<jlong> numbers;
  for (const cucore_parameter_info& each : infos)
    numbers.insert(numbers.end(), {static_cast<jlong>(each.offset), static_cast<jlong>(each.size),
                                   static_cast<jlong>(each.parameter_class)});
  return to_longs(env, numbers);
}

inline jlongArray to_longs(JNIEnv* env, const bind::Nodes& nodes) {
  return to_longs(env, std::vector<jlong>(nodes.begin(), nodes.end()));
}

// Java has no null here.
inline bind::Nodes to_nodes(JNIEnv* env, jlongArray numbers) {
  std::vector<jlong> found(static_cast<size_t>(env->GetArrayLength(numbers)));
  env->GetLongArrayRegion(numbers, 0, static_cast<jsize>(found.size()), found.data());
  return bind::Nodes(found.begin(), found.end());
}

}  // namespace cucore::java
