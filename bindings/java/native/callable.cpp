// SPDX-License-Identifier: Apache-2.0
// Calls Java from inside a native method, on its own thread. A Java exception is stored until the
// library has returned, because JNI allows no calls while one is pending.
#include "callable.hpp"

#include "lease.hpp"
#include "raise.hpp"

namespace cucore::java {
namespace {

void raise_class(JNIEnv* env, const char* name, const char* message) {
  jclass exception = env->FindClass(name);
  if (exception) env->ThrowNew(exception, message);
}

}  // namespace

bool Callable::open(JNIEnv* env, jobject callable) {
  env_ = env;
  callable_ = callable;
  if (!callable) raise_class(env, "java/lang/NullPointerException", "build");
  return callable != nullptr;
}

cucore_objectcode* Callable::build() {
  cucore_objectcode* code = call();
  if (!code) {
    thrown_ = env_->ExceptionOccurred();
    env_->ExceptionClear();
  }
  return code;
}

// Returns null with an exception pending.
cucore_objectcode* Callable::call() {
  jclass type = env_->FindClass("java/util/concurrent/Callable");
  jmethodID method = type ? env_->GetMethodID(type, "call", "()Ljava/lang/Object;") : nullptr;
  jobject code = method ? env_->CallObjectMethod(callable_, method) : nullptr;
  if (env_->ExceptionCheck()) return nullptr;
  if (!code) {
    raise_class(env_, "java/lang/NullPointerException", "the builder gave null");
    return nullptr;
  }
  cucore_objectcode* shared = share(code);
  env_->DeleteLocalRef(code);
  return shared;
}

cucore_objectcode* Callable::share(jobject code) {
  jclass type = env_->FindClass("io/cucore/ObjectCode");
  if (!type) return nullptr;
  if (!env_->IsInstanceOf(code, type)) {
    raise_class(env_, "java/lang/ClassCastException", "the builder gave no ObjectCode");
    return nullptr;
  }
  jmethodID method = env_->GetStaticMethodID(type, "getCPtr", "(Lio/cucore/ObjectCode;)J");
  if (!method) return nullptr;
  const jlong lease = env_->CallStaticLongMethod(type, method, code);
  if (env_->ExceptionCheck()) return nullptr;
  Use use;
  if (!use.enter(lease)) {
    raise_closed(env_, "ObjectCode");
    return nullptr;
  }
  return cucore_objectcode_retain(static_cast<cucore_objectcode*>(use.object()));
}

void Callable::rethrow() { env_->Throw(thrown_); }

}  // namespace cucore::java
