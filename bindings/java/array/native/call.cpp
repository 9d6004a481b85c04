// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

namespace cucore::java::arrays {
namespace {

// Fields of a class of this jar. The class loader owns this library, so they live as long.
struct Fields {
  jfieldID operand_lease, kind, integer, real, imag, handle_lease;
};
Fields fields;

void release_array(void* array) { cucore_array_release(static_cast<cucore_array*>(array)); }
void release_context(void* context) {
  cucore_array_context_release(static_cast<cucore_array_context*>(context));
}
void release_generator(void* generator) {
  cucore_array_generator_release(static_cast<cucore_array_generator*>(generator));
}

}  // namespace

bool prepare_fields(JNIEnv* env) {
  jclass operand = env->FindClass("io/cucore/array/Operand");
  jclass handle = operand ? env->FindClass("io/cucore/array/Handle") : nullptr;
  if (!handle) return false;
  return (fields.operand_lease = env->GetFieldID(operand, "lease", "J")) &&
         (fields.kind = env->GetFieldID(operand, "kind", "I")) &&
         (fields.integer = env->GetFieldID(operand, "integer", "J")) &&
         (fields.real = env->GetFieldID(operand, "real", "D")) &&
         (fields.imag = env->GetFieldID(operand, "imag", "D")) &&
         (fields.handle_lease = env->GetFieldID(handle, "lease", "J"));
}

void Call::require(jobject object, const std::string& name) {
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

cucore_array* Call::array_or_null(jobject object, const char* name) {
  return object ? array(object, name) : nullptr;
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

jobject Call::element(jobjectArray objects, size_t index) {
  return env_->GetObjectArrayElement(objects, static_cast<jsize>(index));
}

std::vector<cucore_array*> Call::arrays(jobjectArray objects, const char* name) {
  require(objects, name);
  std::vector<cucore_array*> result(static_cast<size_t>(env_->GetArrayLength(objects)));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = array(element(objects, i), (name + ("[" + std::to_string(i) + "]")).c_str());
  return result;
}

std::vector<cucore_array_operand> Call::operands(jobjectArray objects, const char* name) {
  require(objects, name);
  std::vector<cucore_array_operand> result(static_cast<size_t>(env_->GetArrayLength(objects)));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = operand(element(objects, i), (name + ("[" + std::to_string(i) + "]")).c_str());
  return result;
}

std::vector<int64_t> Call::longs(jlongArray numbers, const char* name) {
  require(numbers, name);
  std::vector<int64_t> result(static_cast<size_t>(env_->GetArrayLength(numbers)));
  env_->GetLongArrayRegion(numbers, 0, static_cast<jsize>(result.size()),
                           reinterpret_cast<jlong*>(result.data()));
  return result;
}

std::vector<int32_t> Call::ints(jintArray numbers, const char* name) {
  require(numbers, name);
  std::vector<int32_t> result(static_cast<size_t>(env_->GetArrayLength(numbers)));
  env_->GetIntArrayRegion(numbers, 0, static_cast<jsize>(result.size()),
                          reinterpret_cast<jint*>(result.data()));
  return result;
}

jlong give(cucore_array* array) { return Lease::open(array, release_array); }
jlong give(cucore_array_context* context) { return Lease::open(context, release_context); }
jlong give(cucore_array_generator* generator) { return Lease::open(generator, release_generator); }

jlongArray give(JNIEnv* env, const std::vector<cucore_array*>& arrays) {
  std::vector<jlong> leases;
  for (cucore_array* each : arrays) leases.push_back(give(each));
  jlongArray result = env->NewLongArray(static_cast<jsize>(leases.size()));
  if (!result) {
    for (const jlong each : leases) Lease::close(each);
    return nullptr;
  }
  env->SetLongArrayRegion(result, 0, static_cast<jsize>(leases.size()), leases.data());
  return result;
}

}  // namespace cucore::java::arrays
