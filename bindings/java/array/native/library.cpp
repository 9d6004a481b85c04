// SPDX-License-Identifier: Apache-2.0
// The start of the library, the end of leases, and exceptions by status.
#include "call.hpp"
#include "fields.hpp"
#include "text.hpp"

namespace cucore::java::arrays {

Fields fields;

namespace {

struct Field {
  jfieldID* id;
  const char* name;
  const char* type;
};

bool find_fields(JNIEnv* env, const char* path, std::initializer_list<Field> wanted) {
  const jclass type = env->FindClass(path);
  if (!type) return false;
  for (const Field& each : wanted)
    if (!(*each.id = env->GetFieldID(type, each.name, each.type))) return false;
  return true;
}

}  // namespace

bool prepare_fields(JNIEnv* env) {
  return find_fields(env, "io/cucore/array/Operand",
                     {{&fields.operand_lease, "lease", "J"},
                      {&fields.kind, "kind", "I"},
                      {&fields.integer, "integer", "J"},
                      {&fields.real, "real", "D"},
                      {&fields.imag, "imag", "D"}}) &&
         find_fields(env, "io/cucore/array/Slice",
                     {{&fields.item_kind, "kind", "I"},
                      {&fields.item_given, "given", "I"},
                      {&fields.item_start, "start", "J"},
                      {&fields.item_stop, "stop", "J"},
                      {&fields.item_step, "step", "J"},
                      {&fields.item_array, "array", "Lio/cucore/array/NdArray;"}}) &&
         find_fields(env, "io/cucore/array/Handle", {{&fields.handle_lease, "lease", "J"}});
}

}  // namespace cucore::java::arrays

using namespace cucore::java::arrays;

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  auto* const java = static_cast<JNIEnv*>(env);
  return cucore::java::prepare_exceptions(java) && prepare_fields(java) ? JNI_VERSION_1_8 : JNI_ERR;
}

ARRAY_NATIVE(void, close)(JNIEnv*, jclass, jlong lease) { cucore::java::Lease::close(lease); }

ARRAY_NATIVE(void, refuse)(JNIEnv* env, jclass, jint status, jstring message) {
  calling(env, [&](Call& call) {
    throw cucore::bind::Failure(static_cast<cucore_status>(status), call.text(message, "message"));
  });
}
