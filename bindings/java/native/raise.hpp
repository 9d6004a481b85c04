// SPDX-License-Identifier: Apache-2.0
// Converts a failed call to the Java exception of its status.
#pragma once

#include <jni.h>

#include <exception>
#include <new>

#include "failure.hpp"

namespace cucore::java {

// Finds io.cucore.CucoreException; returns false with an exception pending.
bool prepare_exceptions(JNIEnv* env);

void raise(JNIEnv* env, const bind::Failure& failure);
// Raises the exception for a closed object, by its class or by the object.
void raise_closed(JNIEnv* env, const char* type);
void raise_closed(JNIEnv* env, jobject object);
void raise_negative(JNIEnv* env, const char* name, int64_t given);
// Raises the exception for a null argument, or for a null element of an array.
void raise_null(JNIEnv* env, const char* name, int64_t at = -1);
void raise_out_of_memory(JNIEnv* env);
// Raises the exception for a defect of this library.
void raise_unexpected(JNIEnv* env, const std::exception& unexpected);

// Runs a body, and raises its exception; the result is then 0.
template <class Body>
auto guarded(JNIEnv* env, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const bind::Failure& failure) {
    raise(env, failure);
  } catch (const std::bad_alloc&) {
    raise_out_of_memory(env);
  } catch (const std::exception& unexpected) {
    raise_unexpected(env, unexpected);
  }
  return decltype(body())();
}

}  // namespace cucore::java
