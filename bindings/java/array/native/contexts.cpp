// SPDX-License-Identifier: Apache-2.0
// Contexts, and the streams that they share with the classes of io.cucore.
#include <cstring>

#include "call.hpp"

namespace cucore::java::arrays {
namespace {

struct StreamClass {
  explicit StreamClass(JNIEnv* env)
      : natives(env->FindClass("io/cucore/Natives")),
        type(env->FindClass("io/cucore/CudaStream")) {}
  jclass natives, type;
};

// Returns the stream of a Java object with a new reference; null with an exception pending.
cucore_stream* stream_of(JNIEnv* env, jobject object) {
  const StreamClass classes(env);
  const jmethodID lease =
      env->GetStaticMethodID(classes.type, "getCPtr", "(Lio/cucore/CudaStream;)J");
  const jmethodID retained = env->GetStaticMethodID(classes.natives, "retainedStream", "(J)J");
  const jlong number = env->CallStaticLongMethod(classes.type, lease, object);
  if (env->ExceptionCheck()) return nullptr;
  const jlong address = env->CallStaticLongMethod(classes.natives, retained, number);
  return env->ExceptionCheck() ? nullptr : reinterpret_cast<cucore_stream*>(address);
}

// Gives a stream to a new Java object.
jobject to_java_stream(JNIEnv* env, cucore_stream* stream) {
  const StreamClass classes(env);
  const jmethodID leased = env->GetStaticMethodID(classes.natives, "leaseOfStream", "(J)J");
  const jmethodID make = env->GetMethodID(classes.type, "<init>", "(JZ)V");
  const jlong lease =
      env->CallStaticLongMethod(classes.natives, leased, reinterpret_cast<jlong>(stream));
  if (env->ExceptionCheck()) return nullptr;
  return env->NewObject(classes.type, make, lease, jboolean{JNI_TRUE});
}

struct Device {
  explicit Device(jint ordinal) : handle(made<cucore_device*>(cucore_device_open, ordinal)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cucore_device_release(handle); }
  cucore_device* const handle;
};

}  // namespace
}  // namespace cucore::java::arrays

using namespace cucore::java::arrays;

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  auto* const java = static_cast<JNIEnv*>(env);
  return cucore::java::prepare_exceptions(java) && prepare_fields(java) ? JNI_VERSION_1_8 : JNI_ERR;
}

ARRAY_NATIVE(void, close)(JNIEnv*, jclass, jlong lease) { cucore::java::Lease::close(lease); }

ARRAY_NATIVE(jint, version)(JNIEnv*, jclass) { return static_cast<jint>(cucore_array_version()); }

ARRAY_NATIVE(void, refuse)(JNIEnv* env, jclass, jint status, jstring message) {
  const char* const text = env->GetStringUTFChars(message, nullptr);
  if (!text) return;
  cucore::java::raise(env,
                      cucore::bind::Failure(static_cast<cucore_status>(status), std::string(text)));
  env->ReleaseStringUTFChars(message, text);
}

ARRAY_NATIVE(jlong, contextDefault)(JNIEnv* env, jclass, jint ordinal) {
  return calling(env, [&](Call&) {
    const Device device(ordinal);
    return give(made<cucore_array_context*>(cucore_array_context_default, device.handle));
  });
}

// The numbers: policy, math, default float, max bytes, max pending, max depth, max retained bytes.
ARRAY_NATIVE(jlong, contextCreate)
(JNIEnv* env, jclass, jint ordinal, jobject stream, jlongArray numbers) {
  return calling(env, [&](Call& call) -> jlong {
    const std::vector<int64_t> given = call.longs(numbers, "options");
    cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
    options.policy = static_cast<cucore_array_policy>(given[0]);
    options.math = static_cast<cucore_array_math>(given[1]);
    options.default_float = static_cast<cucore_array_dtype>(given[2]);
    options.max_bytes = static_cast<size_t>(given[3]);
    options.max_pending = static_cast<uint32_t>(given[4]);
    options.max_depth = static_cast<uint32_t>(given[5]);
    options.max_retained_bytes = static_cast<size_t>(given[6]);
    const Device device(ordinal);
    cucore_stream* const own = stream ? stream_of(env, stream) : nullptr;
    if (env->ExceptionCheck()) return 0;
    options.stream = own;
    cucore_error* error = nullptr;
    cucore_array_context* context = nullptr;
    const cucore_status status =
        cucore_array_context_create(device.handle, &options, &context, &error);
    cucore_stream_release(own);
    if (status != CUCORE_OK) throw cucore::bind::Failure(status, error);
    return give(context);
  });
}

ARRAY_NATIVE(jint, contextDevice)(JNIEnv* env, jclass, jobject context) {
  return calling(env, [&](Call& call) {
    cucore_device* const device =
        made<cucore_device*>(cucore_array_context_device, call.context(context));
    const int ordinal = cucore_device_ordinal(device);
    cucore_device_release(device);
    return static_cast<jint>(ordinal);
  });
}

ARRAY_NATIVE(jobject, contextStream)(JNIEnv* env, jclass, jobject context) {
  return calling(env, [&](Call& call) {
    return to_java_stream(env,
                          made<cucore_stream*>(cucore_array_context_stream, call.context(context)));
  });
}

ARRAY_NATIVE(void, contextEvaluate)(JNIEnv* env, jclass, jobject context) {
  calling(env, [&](Call& call) { ok(cucore_array_context_evaluate, call.context(context)); });
}

ARRAY_NATIVE(void, contextSynchronize)(JNIEnv* env, jclass, jobject context) {
  calling(env, [&](Call& call) { ok(cucore_array_context_synchronize, call.context(context)); });
}

// The fields of the struct, in its order.
ARRAY_NATIVE(jlongArray, contextQuery)(JNIEnv* env, jclass, jobject context) {
  return calling(env, [&](Call& call) {
    const auto info = cucore::bind::info_of<cucore_array_context_info>(cucore_array_context_query,
                                                                       call.context(context));
    constexpr size_t COUNT = (sizeof info - sizeof info.struct_size) / sizeof(uint64_t);
    jlong numbers[COUNT];
    std::memcpy(numbers, &info.pending, sizeof numbers);
    jlongArray result = env->NewLongArray(COUNT);
    if (result) env->SetLongArrayRegion(result, 0, COUNT, numbers);
    return result;
  });
}
