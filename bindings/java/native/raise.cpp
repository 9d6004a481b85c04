// SPDX-License-Identifier: Apache-2.0
#include "raise.hpp"

#include <cctype>
#include <string>
#include <vector>

#include "text.hpp"

namespace cucore::java {
namespace {

// Set by JNI_OnLoad. A strong reference to a class of this jar would keep its class loader alive,
// which owns the library. A call of a native method keeps it alive as well.
jweak exception_class;
jclass string_class;
jmethodID exception_make;

constexpr const char* MAKE_SIGNATURE =
    "(ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;ILjava/lang/String;[I[Ljava/lang/"
    "String;)"
    "Lio/cucore/CucoreException;";

// Severity, line and column of each diagnostic; file and text are separate.
struct Diagnostics {
  jintArray numbers = nullptr;
  jobjectArray texts = nullptr;
};

bool put_text(JNIEnv* env, jobjectArray texts, size_t at, const char* text) {
  jstring string = to_java(env, text);
  if (!string) return false;
  env->SetObjectArrayElement(texts, static_cast<jsize>(at), string);
  env->DeleteLocalRef(string);
  return !env->ExceptionCheck();
}

bool fill(JNIEnv* env, const bind::Failure& failure, size_t count, Diagnostics& out) {
  out.numbers = env->NewIntArray(static_cast<jsize>(3 * count));
  if (!out.numbers) return false;
  out.texts = env->NewObjectArray(static_cast<jsize>(2 * count), string_class, nullptr);
  if (!out.texts) return false;
  for (size_t i = 0; i < count; ++i) {
    const cucore_diagnostic_info info = failure.diagnostic(i);
    const jint numbers[] = {static_cast<jint>(info.severity), info.line, info.column};
    env->SetIntArrayRegion(out.numbers, static_cast<jsize>(3 * i), 3, numbers);
    if (!put_text(env, out.texts, 2 * i, info.file) ||
        !put_text(env, out.texts, 2 * i + 1, info.text))
      return false;
  }
  return true;
}

// Arguments have other names in Java.
std::string in_camel_case(const char* name) {
  std::string result;
  for (; *name; ++name) {
    const bool raised = *name == '_' && name[1] != 0;
    if (raised) ++name;
    result += raised ? static_cast<char>(std::toupper(*name)) : *name;
  }
  return result;
}

}  // namespace

bool prepare_exceptions(JNIEnv* env) {
  jclass exceptions = env->FindClass("io/cucore/CucoreException");
  if (!exceptions || !(exception_class = env->NewWeakGlobalRef(exceptions))) return false;
  exception_make = env->GetStaticMethodID(exceptions, "make", MAKE_SIGNATURE);
  if (!exception_make) return false;
  if (string_class) return true;  // by an earlier class loader
  jclass strings = env->FindClass("java/lang/String");
  string_class = strings ? static_cast<jclass>(env->NewGlobalRef(strings)) : nullptr;
  return string_class != nullptr;
}

void raise(JNIEnv* env, const bind::Failure& failure) {
  if (env->PushLocalFrame(16) != 0) return;
  jthrowable exception = nullptr;
  jstring texts[4] = {};
  const char* const from[4] = {failure.message(), failure.log(), failure.origin(),
                               failure.native_name()};
  bool good = true;
  for (int i = 0; i < 4 && good; ++i) good = (texts[i] = to_java(env, from[i])) != nullptr;
  Diagnostics diagnostics;
  const size_t count = good ? failure.diagnostic_count() : 0;
  if (count != 0) good = fill(env, failure, count, diagnostics);
  const auto exceptions = static_cast<jclass>(env->NewLocalRef(exception_class));
  if (good && exceptions)
    exception = static_cast<jthrowable>(env->CallStaticObjectMethod(
        exceptions, exception_make, static_cast<jint>(failure.status()), texts[0], texts[1],
        texts[2], static_cast<jint>(failure.native_code()), texts[3], diagnostics.numbers,
        diagnostics.texts));
  if (env->ExceptionCheck()) exception = nullptr;  // that exception continues: memory is exhausted
  exception = static_cast<jthrowable>(env->PopLocalFrame(exception));
  if (exception) env->Throw(exception);
}

void raise_closed(JNIEnv* env, const char* type) {
  raise(env, bind::Failure(CUCORE_ERROR_INVALID_HANDLE,
                           "the " + std::string(type) + " has been closed"));
}

void raise_closed(JNIEnv* env, jobject object) {
  const jmethodID method =
      env->GetMethodID(env->FindClass("java/lang/Class"), "getSimpleName", "()Ljava/lang/String;");
  if (!method) return;
  const auto name =
      static_cast<jstring>(env->CallObjectMethod(env->GetObjectClass(object), method));
  if (env->ExceptionCheck()) return;
  const char* const type = env->GetStringUTFChars(name, nullptr);
  if (!type) return;
  raise_closed(env, type);
  env->ReleaseStringUTFChars(name, type);
}

void raise_negative(JNIEnv* env, const char* name, int64_t given) {
  raise(env, bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                           in_camel_case(name) + " is " + std::to_string(given) + ", below 0"));
}

void raise_null(JNIEnv* env, const char* name, int64_t at) {
  const std::string index = at < 0 ? "" : "[" + std::to_string(at) + "]";
  raise(env,
        bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT, in_camel_case(name) + index + " is null"));
}

void raise_out_of_memory(JNIEnv* env) {
  jclass error = env->FindClass("java/lang/OutOfMemoryError");
  if (error) env->ThrowNew(error, "no native memory left");
}

void raise_unexpected(JNIEnv* env, const std::exception& unexpected) try {
  raise(env, bind::Failure(CUCORE_ERROR_INTERNAL, unexpected.what()));
} catch (const std::bad_alloc&) {
  raise_out_of_memory(env);
}

}  // namespace cucore::java
