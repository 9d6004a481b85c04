// SPDX-License-Identifier: Apache-2.0
// A failed call becomes the Java exception of its status.
#pragma once

#include <jni.h>

#include <new>

#include "failure.hpp"

namespace cucore::java {

// Finds io.cucore.CucoreException; false with an exception pending.
bool prepare_exceptions(JNIEnv* env);

void raise(JNIEnv* env, const bind::Failure& failure);
// A closed object, by its class or by the object.
void raise_closed(JNIEnv* env, const char* type);
void raise_closed(JNIEnv* env, jobject object);
void raise_negative(JNIEnv* env, const char* name, int64_t given);
// An argument, or of an array the element at an index, is null.
void raise_null(JNIEnv* env, const char* name, int64_t at = -1);
void raise_out_of_memory(JNIEnv* env);

// Runs a body, and raises what it throws; the result is then 0.
template <class Body>
auto guarded(JNIEnv* env, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const bind::Failure& failure) {
    raise(env, failure);
  } catch (const std::bad_alloc&) {
    raise_out_of_memory(env);
  }
  return decltype(body())();
}

}  // namespace cucore::java
