// SPDX-License-Identifier: Apache-2.0
// The calls of Bench.java in C, in the same process: the difference is the cost of Java.
#include <cucore.h>
#include <jni.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct World {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_buffer* buffer = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_kernel* four = nullptr;
} world;

void must(cucore_status status, const cucore_error* error) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "%s\n", cucore_error_message(error));
  std::exit(2);
}

#define MUST(function, ...)                     \
  do {                                          \
    cucore_error* error = nullptr;              \
    must(function(__VA_ARGS__, &error), error); \
  } while (0)

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_CCalls_open(JNIEnv* env, jclass, jstring ptx) {
  const char* text = env->GetStringUTFChars(ptx, nullptr);
  MUST(cucore_device_open, 0, &world.device);
  MUST(cucore_stream_create, world.device, nullptr, &world.stream);
  MUST(cucore_buffer_create, world.device, 4096, world.stream, &world.buffer);
  MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, text, std::strlen(text), nullptr,
       &world.code);
  MUST(cucore_objectcode_find_kernel, world.code, "three", &world.kernel);
  MUST(cucore_objectcode_find_kernel, world.code, "four", &world.four);
  env->ReleaseStringUTFChars(ptx, text);
}

// Returns a sum, so that the compiler removes no call.
JNIEXPORT jlong JNICALL Java_CCalls_property(JNIEnv*, jclass, jint times) {
  jlong sum = 0;
  for (jint i = 0; i < times; ++i)
    sum += static_cast<jlong>(cucore_kernel_parameter_count(world.kernel));
  return sum;
}

JNIEXPORT jlong JNICALL Java_CCalls_isLoaded(JNIEnv*, jclass, jint times) {
  jlong sum = 0;
  for (jint i = 0; i < times; ++i) sum += cucore_objectcode_is_loaded(world.code);
  return sum;
}

JNIEXPORT void JNICALL Java_CCalls_launch(JNIEnv*, jclass, jint times) {
  for (jint i = 0; i < times; ++i) {
    float a = 2;
    jint n = i;
    const cucore_argument arguments[] = {
        CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(n), {world.buffer, CUCORE_ARGUMENT_OBJECT}};
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = 1;
    options.block[0] = 32;
    MUST(cucore_kernel_launch, world.kernel, world.stream, &options, arguments, 3);
  }
}

JNIEXPORT void JNICALL Java_CCalls_launchBuffers(JNIEnv*, jclass, jint times) {
  const cucore_argument buffer{world.buffer, CUCORE_ARGUMENT_OBJECT};
  for (jint i = 0; i < times; ++i) {
    const cucore_argument arguments[] = {buffer, buffer, buffer, buffer};
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = 1;
    options.block[0] = 32;
    MUST(cucore_kernel_launch, world.four, world.stream, &options, arguments, 4);
  }
}

JNIEXPORT void JNICALL Java_CCalls_event(JNIEnv*, jclass, jint times) {
  for (jint i = 0; i < times; ++i) {
    cucore_event* event = nullptr;
    MUST(cucore_event_create, world.device, nullptr, &event);
    cucore_event_release(event);
  }
}

JNIEXPORT void JNICALL Java_CCalls_synchronize(JNIEnv*, jclass) {
  MUST(cucore_device_synchronize, world.device);
}
}
