// SPDX-License-Identifier: Apache-2.0
// The objects and numbers that Java passes.
#include "call.hpp"

#include "fields.hpp"
#include "text.hpp"

namespace cucore::java::arrays {

void Call::require(jobject object, const std::string& name) const {
  if (!object) throw bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT, name + " is null");
}

void* Call::enter(jobject object, jfieldID field, const char* type) {
  Use& use = uses_.emplace_front();
  const jlong lease = env_->GetLongField(object, field);
  if (lease == 0 || !use.enter(lease))
    throw bind::Failure(CUCORE_ERROR_INVALID_HANDLE,
                        "the " + std::string(type) + " has been closed");
  return use.object();
}

cucore_array* Call::array(jobject object, const char* name) {
  require(object, name);
  return static_cast<cucore_array*>(enter(object, fields.operand_lease, "NdArray"));
}

cucore_array_context* Call::context(jobject object) {
  require(object, "context");
  return static_cast<cucore_array_context*>(enter(object, fields.handle_lease, "Context"));
}

cucore_array_generator* Call::generator(jobject object) {
  require(object, "generator");
  return static_cast<cucore_array_generator*>(enter(object, fields.handle_lease, "Generator"));
}

cucore_array_scalar Call::number(jobject object, const char* name) {
  require(object, name);
  return {static_cast<cucore_array_scalar_kind>(env_->GetIntField(object, fields.kind)), 0,
          env_->GetLongField(object, fields.integer), env_->GetDoubleField(object, fields.real),
          env_->GetDoubleField(object, fields.imag)};
}

cucore_array_operand Call::operand(jobject object, const char* name) {
  const cucore_array_scalar scalar = number(object, name);
  if (scalar.kind != 0) return {nullptr, scalar};
  return {array(object, name), {}};
}

cucore_array_index Call::item(jobject object, const char* name) {
  require(object, name);
  const jobject indices = env_->GetObjectField(object, fields.item_array);
  const cucore_array_index item = {
      static_cast<cucore_array_index_kind>(env_->GetIntField(object, fields.item_kind)),
      static_cast<uint32_t>(env_->GetIntField(object, fields.item_given)),
      env_->GetLongField(object, fields.item_start),
      env_->GetLongField(object, fields.item_stop),
      env_->GetLongField(object, fields.item_step),
      indices ? array(indices, name) : nullptr};
  env_->DeleteLocalRef(indices);
  return item;
}

std::string Call::text(jstring text, const char* name) {
  require(text, name);
  std::string result;
  if (!from_java(env_, text, result)) throw Pending();
  return result;
}

size_t Call::count(jlong number, const char* name) const {
  if (number < 0)
    throw bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                        std::string(name) + " is " + std::to_string(number) + ", below 0");
  return static_cast<size_t>(number);
}

template <class Element, class Read>
std::vector<Element> Call::each_of(jobjectArray objects, const char* name, Read read) {
  require(objects, name);
  std::vector<Element> result(static_cast<size_t>(env_->GetArrayLength(objects)));
  for (size_t i = 0; i < result.size(); ++i) {
    const jobject object = env_->GetObjectArrayElement(objects, static_cast<jsize>(i));
    result[i] = read(object, (name + ("[" + std::to_string(i) + "]")).c_str());
    env_->DeleteLocalRef(object);
  }
  return result;
}

std::vector<cucore_array*> Call::arrays(jobjectArray objects, const char* name) {
  return each_of<cucore_array*>(
      objects, name, [&](jobject each, const char* which) { return array(each, which); });
}

std::vector<cucore_array_operand> Call::operands(jobjectArray objects, const char* name) {
  return each_of<cucore_array_operand>(
      objects, name, [&](jobject each, const char* which) { return operand(each, which); });
}

std::vector<cucore_array_index> Call::items(jobjectArray objects, const char* name) {
  return each_of<cucore_array_index>(
      objects, name, [&](jobject each, const char* which) { return item(each, which); });
}

std::vector<int64_t> Call::longs(jlongArray numbers, const char* name) {
  require(numbers, name);
  std::vector<int64_t> result(static_cast<size_t>(env_->GetArrayLength(numbers)));
  env_->GetLongArrayRegion(numbers, 0, static_cast<jsize>(result.size()),
                           reinterpret_cast<jlong*>(result.data()));
  return result;
}

std::vector<jint> Call::ints_of(jintArray numbers, const char* name) {
  require(numbers, name);
  std::vector<jint> result(static_cast<size_t>(env_->GetArrayLength(numbers)));
  env_->GetIntArrayRegion(numbers, 0, static_cast<jsize>(result.size()), result.data());
  return result;
}

void Call::check_length(size_t size, size_t expected, const char* name) const {
  if (size != expected)
    throw bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                        std::string(name) + " has " + std::to_string(size) + " numbers; expected " +
                            std::to_string(expected));
}

void Call::check_equal(size_t size, const char* name, size_t other_size, const char* other) const {
  if (size != other_size)
    throw bind::Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                        std::string(name) + " has " + std::to_string(size) +
                            " elements; expected " + std::to_string(other_size) + ", as many as " +
                            other);
}

void* Call::retained(jint type, const char* path, const char* get_lease, jobject object) {
  const jclass natives = env_->FindClass("io/cucore/Natives"), of = env_->FindClass(path);
  const jmethodID lease = env_->GetStaticMethodID(of, "getCPtr", get_lease);
  const jmethodID retain = env_->GetStaticMethodID(natives, "retained", "(IJ)J");
  const jlong number = env_->CallStaticLongMethod(of, lease, object);
  if (env_->ExceptionCheck()) throw Pending();
  const jlong address = env_->CallStaticLongMethod(natives, retain, type, number);
  if (env_->ExceptionCheck()) throw Pending();
  return reinterpret_cast<void*>(address);
}

}  // namespace cucore::java::arrays
