// SPDX-License-Identifier: Apache-2.0
// One call of a native method of io.cucore.array: its objects are in use until it ends, and a
// failure becomes the exception of its status.
#pragma once

#include <cucore_array.h>
#include <jni.h>

#include <cstdint>
#include <forward_list>
#include <string>
#include <vector>

#include "failure.hpp"
#include "lease.hpp"
#include "raise.hpp"

namespace cucore::java::arrays {

using bind::made;
using bind::ok;

// Finds the fields of the Java classes; returns false with an exception pending.
bool prepare_fields(JNIEnv* env);

class Call {
 public:
  explicit Call(JNIEnv* env) : env_(env) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // A null object is refused by the name of the parameter.
  cucore_array* array(jobject object, const char* name);
  cucore_array* array_or_null(jobject object, const char* name);
  cucore_array_context* context(jobject object);
  cucore_array_generator* generator(jobject object);
  cucore_array_operand operand(jobject object, const char* name);
  cucore_array_scalar number(jobject object, const char* name);

  std::vector<cucore_array*> arrays(jobjectArray objects, const char* name);
  std::vector<cucore_array_operand> operands(jobjectArray objects, const char* name);
  std::vector<int64_t> longs(jlongArray numbers, const char* name);
  std::vector<int32_t> ints(jintArray numbers, const char* name);

  // An element of an array of objects.
  jobject element(jobjectArray objects, size_t index);

 private:
  void* enter(jobject object, jfieldID field, const char* type);
  void require(jobject object, const std::string& name);

  JNIEnv* env_;
  std::forward_list<Use> uses_;
};

// A new object becomes a lease, which its Java object owns.
jlong give(cucore_array* array);
jlong give(cucore_array_context* context);
jlong give(cucore_array_generator* generator);
jlongArray give(JNIEnv* env, const std::vector<cucore_array*>& arrays);

// Calls a function whose result is one array.
template <class Function, class... Arguments>
jlong give_array(Function* function, Arguments... arguments) {
  return give(made<cucore_array*>(function, arguments...));
}

// Runs a body with a Call; an exception is raised in Java, and the result is then 0.
template <class Body>
auto calling(JNIEnv* env, Body&& body) {
  return guarded(env, [&] {
    Call call(env);
    return body(call);
  });
}

}  // namespace cucore::java::arrays

#define ARRAY_NATIVE(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_io_cucore_array_Natives_##name
