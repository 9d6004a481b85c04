// SPDX-License-Identifier: Apache-2.0
// Results, as Java takes them.
#include <cstring>

#include "call.hpp"
#include "host.hpp"
#include "text.hpp"

namespace cucore::java::arrays {
namespace {

void release_array(void* array) { cucore_array_release(static_cast<cucore_array*>(array)); }
void release_context(void* context) {
  cucore_array_context_release(static_cast<cucore_array_context*>(context));
}
void release_generator(void* generator) {
  cucore_array_generator_release(static_cast<cucore_array_generator*>(generator));
}

}  // namespace

jlong Call::give(cucore_array* array) { return Lease::open(array, release_array); }
jlong Call::give(cucore_array_context* context) { return Lease::open(context, release_context); }
jlong Call::give(cucore_array_generator* generator) {
  return Lease::open(generator, release_generator);
}

jlongArray Call::give(const std::vector<cucore_array*>& arrays) {
  std::vector<int64_t> leases;
  java_size(arrays.size());
  for (cucore_array* each : arrays) leases.push_back(give(each));
  const jlongArray result = give(leases.data(), leases.size());
  if (!result)
    for (const int64_t each : leases) Lease::close(each);
  return result;
}

jlongArray Call::give(const cucore_array_scalar& scalar) {
  int64_t numbers[4] = {static_cast<int64_t>(scalar.kind), scalar.integer};
  std::memcpy(&numbers[2], &scalar.real, sizeof scalar.real);
  std::memcpy(&numbers[3], &scalar.imag, sizeof scalar.imag);
  return give(numbers, 4);
}

jlongArray Call::give(const int64_t* numbers, size_t count) {
  const jlongArray result = env_->NewLongArray(static_cast<jsize>(java_size(count)));
  if (result)
    env_->SetLongArrayRegion(result, 0, static_cast<jsize>(count),
                             reinterpret_cast<const jlong*>(numbers));
  return result;
}

jlongArray Call::give(const uint64_t* numbers, size_t count) {
  return give(reinterpret_cast<const int64_t*>(numbers), count);
}

jlongArray Call::give_numbers(std::initializer_list<uint64_t> numbers) {
  return give(numbers.begin(), numbers.size());
}

jstring Call::give_text(const char* text) { return to_java(env_, text); }

jbyteArray Call::give_bytes(const std::vector<char>& bytes) {
  const jbyteArray result = env_->NewByteArray(static_cast<jsize>(java_size(bytes.size())));
  if (result)
    env_->SetByteArrayRegion(result, 0, static_cast<jsize>(bytes.size()),
                             reinterpret_cast<const jbyte*>(bytes.data()));
  return result;
}

jobjectArray Call::give_record(std::initializer_list<jobject> values) {
  if (env_->ExceptionCheck()) throw Pending();
  const jobjectArray result = env_->NewObjectArray(static_cast<jsize>(values.size()),
                                                   env_->FindClass("java/lang/Object"), nullptr);
  if (!result) throw Pending();
  jsize at = 0;
  for (const jobject each : values) env_->SetObjectArrayElement(result, at++, each);
  return result;
}

jobject Call::boxed(jlong number) {
  const jclass type = env_->FindClass("java/lang/Long");
  const jmethodID value_of = env_->GetStaticMethodID(type, "valueOf", "(J)Ljava/lang/Long;");
  const jobject result = env_->CallStaticObjectMethod(type, value_of, number);
  env_->DeleteLocalRef(type);
  if (env_->ExceptionCheck()) throw Pending();
  return result;
}

jobject Call::given(jint type, const char* path, void* handle) {
  const jclass natives = env_->FindClass("io/cucore/Natives"), of = env_->FindClass(path);
  const jmethodID leased = env_->GetStaticMethodID(natives, "leaseOf", "(IJ)J");
  const jmethodID make = env_->GetMethodID(of, "<init>", "(JZ)V");
  const jlong lease =
      env_->CallStaticLongMethod(natives, leased, type, reinterpret_cast<jlong>(handle));
  if (env_->ExceptionCheck()) throw Pending();
  return env_->NewObject(of, make, lease, jboolean{JNI_TRUE});
}

}  // namespace cucore::java::arrays
