// SPDX-License-Identifier: Apache-2.0
// The start of the library, memory, objects of io.cucore, and the functions that C calls.
#include <cucore_perf.h>

#include <type_traits>

#include "failure.hpp"
#include "held.hpp"
#include "java_class.hpp"
#include "raise.hpp"
#include "text.hpp"

namespace cucore::java::perf {
namespace {

JavaVM* machine;
// A strong reference to a class of this jar would keep its class loader alive.
jweak works_class;
jmethodID run_work, compute_amounts, remove_work;

bool find_works(JNIEnv* env) {
  const jclass works = env->FindClass("io/cucore/perf/Works");
  if (!works || !(works_class = env->NewWeakGlobalRef(works))) return false;
  run_work = env->GetStaticMethodID(works, "run", "(JJ)I");
  compute_amounts = env->GetStaticMethodID(works, "compute", "(JJ[I)[D");
  remove_work = env->GetStaticMethodID(works, "remove", "(J)V");
  return run_work && compute_amounts && remove_work;
}

// Calls the body with the environment of this thread, which may be one of another language.
template <class Body>
void in_java(Body&& body) {
  void* env = nullptr;
  const bool is_foreign = machine->GetEnv(&env, JNI_VERSION_1_8) == JNI_EDETACHED;
  if (is_foreign) machine->AttachCurrentThreadAsDaemon(&env, nullptr);
  if (!env) return;  // the machine ends
  auto* const java = static_cast<JNIEnv*>(env);
  const auto works = static_cast<jclass>(java->NewLocalRef(works_class));
  if (works) body(java, works);
  java->DeleteLocalRef(works);
  if (is_foreign) machine->DetachCurrentThread();
}

// Methods of Works throw nothing, unless the machine itself fails.
bool is_done(JNIEnv* env) {
  if (!env->ExceptionCheck()) return true;
  env->ExceptionClear();
  return false;
}

cucore_status work(const cucore_stream* stream, void* number, cucore_error** error) {
  cucore_status status = CUCORE_ERROR_INVALID_STATE;
  in_java([&](JNIEnv* env, jclass works) {
    const jint result = env->CallStaticIntMethod(works, run_work, reinterpret_cast<jlong>(number),
                                                 reinterpret_cast<jlong>(stream));
    if (is_done(env)) status = static_cast<cucore_status>(result);
  });
  if (status != CUCORE_OK && error)
    *error = cucore_error_create(status, "the work threw an exception", nullptr);
  return status;
}

void amounts(const cucore_operation* launch, cucore_declaration* out, void* number) {
  in_java([&](JNIEnv* env, jclass works) {
    const cucore_launch_options& of = *launch->launch;
    const jintArray numbers = env->NewIntArray(7);
    if (!numbers) return env->ExceptionClear();
    env->SetIntArrayRegion(numbers, 0, 3, reinterpret_cast<const jint*>(of.grid));
    env->SetIntArrayRegion(numbers, 3, 3, reinterpret_cast<const jint*>(of.block));
    const auto shared = static_cast<jint>(of.dynamic_shared);
    env->SetIntArrayRegion(numbers, 6, 1, &shared);
    const auto found = static_cast<jdoubleArray>(
        env->CallStaticObjectMethod(works, compute_amounts, reinterpret_cast<jlong>(number),
                                    reinterpret_cast<jlong>(launch->kernel), numbers));
    double given[3] = {};
    if (is_done(env) && found) env->GetDoubleArrayRegion(found, 0, 3, given);
    out->bytes_read = given[0], out->bytes_written = given[1], out->operations = given[2];
    env->DeleteLocalRef(found);
    env->DeleteLocalRef(numbers);
  });
}

void destroy(void* number) {
  in_java([&](JNIEnv* env, jclass works) {
    env->CallStaticVoidMethod(works, remove_work, reinterpret_cast<jlong>(number));
    (void)is_done(env);
  });
}

// The handle types that the layer passes, by the numbers of Frame.java.
template <class Body>
void with_kind(jint kind, Body&& body) {
  switch (kind) {
    case 0:
      return body(std::type_identity<cucore_device>());
    case 1:
      return body(std::type_identity<cucore_stream>());
    case 2:
      return body(std::type_identity<cucore_kernel>());
    case 3:
      return body(std::type_identity<cucore_objectcode>());
    default:
      return body(std::type_identity<cucore_buffer>());
  }
}

jlong retained(JNIEnv* env, jint type, const char* path, const char* get_lease, jobject object) {
  const jclass natives = env->FindClass("io/cucore/Natives"), of = env->FindClass(path);
  const jlong lease =
      env->CallStaticLongMethod(of, env->GetStaticMethodID(of, "getCPtr", get_lease), object);
  if (env->ExceptionCheck()) return 0;
  const jmethodID retain = env->GetStaticMethodID(natives, "retained", "(IJ)J");
  return env->CallStaticLongMethod(natives, retain, type, lease);
}

// An object of Java takes a reference over.
jobject made(JNIEnv* env, jint type, const char* path, jlong address) {
  const jclass natives = env->FindClass("io/cucore/Natives"), of = env->FindClass(path);
  const jmethodID leased = env->GetStaticMethodID(natives, "leaseOf", "(IJ)J");
  const jmethodID make = env->GetMethodID(of, "<init>", "(JZ)V");
  const jlong lease = env->CallStaticLongMethod(natives, leased, type, address);
  return env->ExceptionCheck() ? nullptr : env->NewObject(of, make, lease, jboolean{JNI_TRUE});
}

}  // namespace
}  // namespace cucore::java::perf

using namespace cucore::java::perf;

#define PERF_NATIVE(type, name) extern "C" JNIEXPORT type JNICALL Java_io_cucore_perf_Natives_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  machine = vm;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  auto* const java = static_cast<JNIEnv*>(env);
  return cucore::java::prepare_exceptions(java) && find_works(java) ? JNI_VERSION_1_8 : JNI_ERR;
}

PERF_NATIVE(jlong, address)(JNIEnv* env, jclass, jobject direct) {
  return reinterpret_cast<jlong>(env->GetDirectBufferAddress(direct));
}

PERF_NATIVE(jstring, text)(JNIEnv* env, jclass, jlong address) {
  const auto* text = reinterpret_cast<const char*>(address);
  return cucore::java::to_java(env, text ? text : "");
}

PERF_NATIVE(jbyteArray, bytes)(JNIEnv* env, jclass, jlong address, jlong size) {
  const jbyteArray result = env->NewByteArray(static_cast<jsize>(size));
  if (result)
    env->SetByteArrayRegion(result, 0, static_cast<jsize>(size),
                            reinterpret_cast<const jbyte*>(address));
  return result;
}

PERF_NATIVE(jdoubleArray, doubles)(JNIEnv* env, jclass, jlong address, jlong count) {
  const jdoubleArray result = env->NewDoubleArray(static_cast<jsize>(count));
  if (result)
    env->SetDoubleArrayRegion(result, 0, static_cast<jsize>(count),
                              reinterpret_cast<const jdouble*>(address));
  return result;
}

PERF_NATIVE(void, refuse)(JNIEnv* env, jclass, jint status, jlong error) {
  cucore::java::guarded(env, [&] {
    throw cucore::bind::Failure(static_cast<cucore_status>(status),
                                reinterpret_cast<cucore_error*>(error));
  });
}

PERF_NATIVE(jlong, retained)(JNIEnv* env, jclass, jint kind, jobject object) {
  jlong result = 0;
  with_kind(kind, [&]<class Handle>(std::type_identity<Handle>) {
    using Class = cucore::java::JavaClass<Handle>;
    result = retained(env, Class::NUMBER, Class::PATH, Class::GET_LEASE, object);
  });
  return result;
}

PERF_NATIVE(void, released)(JNIEnv*, jclass, jint kind, jlong address) {
  with_kind(kind, [&]<class Handle>(std::type_identity<Handle>) {
    cucore::bind::release(reinterpret_cast<Handle*>(address));
  });
}

PERF_NATIVE(jobject, object)(JNIEnv* env, jclass, jint kind, jlong address) {
  jobject result = nullptr;
  with_kind(kind, [&]<class Handle>(std::type_identity<Handle>) {
    using Class = cucore::java::JavaClass<Handle>;
    auto* const handle = reinterpret_cast<Handle*>(address);
    cucore::bind::retain(handle);
    result = made(env, Class::NUMBER, Class::PATH, address);
  });
  return result;
}

PERF_NATIVE(jlong, work)(JNIEnv*, jclass) { return reinterpret_cast<jlong>(&work); }
PERF_NATIVE(jlong, amounts)(JNIEnv*, jclass) { return reinterpret_cast<jlong>(&amounts); }
PERF_NATIVE(jlong, destroy)(JNIEnv*, jclass) { return reinterpret_cast<jlong>(&destroy); }
