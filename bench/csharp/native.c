/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of C that bench.cs compares with, on the same objects: each returns the nanoseconds of one. */
#define _POSIX_C_SOURCE 199309L
#include <cucore.h>
#include <time.h>

#define BENCH __attribute__((visibility("default")))

/* The time that the calling thread has run, without other load on the machine. */
BENCH double bench_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

BENCH int bench_nothing(const void *pointer) { return pointer != NULL; }

BENCH double bench_property(const cucore_device *device, int count) {
  volatile int32_t sink;
  const double began = bench_now();
  for (int i = 0; i < count; ++i) sink = cucore_device_ordinal(device);
  (void)sink;
  return (bench_now() - began) / count;
}

BENCH double bench_is_loaded(const cucore_objectcode *code, int count) {
  volatile int32_t sink;
  const double began = bench_now();
  for (int i = 0; i < count; ++i) sink = cucore_objectcode_is_loaded(code);
  (void)sink;
  return (bench_now() - began) / count;
}

BENCH double bench_query(const cucore_stream *stream, int count) {
  int32_t done = 0;
  const double began = bench_now();
  for (int i = 0; i < count; ++i)
    if (cucore_stream_query(stream, &done, NULL) != CUCORE_OK) return -1;
  return (bench_now() - began) / count;
}

BENCH double bench_cache_get(cucore_cache *cache, const unsigned char *key, int count) {
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_objectcode *code = NULL;
    if (cucore_cache_get(cache, key, &code, NULL) != CUCORE_OK) return -1;
    cucore_objectcode_release(code);
  }
  return (bench_now() - began) / count;
}

BENCH double bench_cache_compile(cucore_cache *cache, const cucore_program *program, int count) {
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_objectcode *code = NULL;
    if (cucore_cache_compile(cache, program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, NULL, NULL) != CUCORE_OK) return -1;
    cucore_objectcode_release(code);
  }
  return (bench_now() - began) / count;
}

BENCH double bench_launch(const cucore_kernel *kernel, const cucore_stream *stream, uint64_t address, int count) {
  float a = 2;
  int32_t n = 0;
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
    if (cucore_kernel_launch(kernel, stream, &options, arguments, 3, NULL) != CUCORE_OK) return -1;
  }
  return (bench_now() - began) / count;
}

/* As bench_launch, but the buffer is passed as an object. */
BENCH double bench_launch_buffer(const cucore_kernel *kernel, const cucore_stream *stream, const cucore_buffer *buffer, int count) {
  float a = 2;
  int32_t n = 0;
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_argument arguments[] = {CUCORE_ARGUMENT(a), {buffer, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n)};
    if (cucore_kernel_launch(kernel, stream, &options, arguments, 3, NULL) != CUCORE_OK) return -1;
  }
  return (bench_now() - began) / count;
}

BENCH double bench_launch_buffers(const cucore_kernel *kernel, const cucore_stream *stream, const cucore_buffer *buffer, int count) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_argument arguments[4];
    for (int k = 0; k < 4; ++k) arguments[k].data = buffer, arguments[k].size = CUCORE_ARGUMENT_OBJECT;
    if (cucore_kernel_launch(kernel, stream, &options, arguments, 4, NULL) != CUCORE_OK) return -1;
  }
  return (bench_now() - began) / count;
}

BENCH double bench_event(const cucore_device *device, int count) {
  const double began = bench_now();
  for (int i = 0; i < count; ++i) {
    cucore_event *event = NULL;
    if (cucore_event_create(device, NULL, &event, NULL) != CUCORE_OK) return -1;
    cucore_event_release(event);
  }
  return (bench_now() - began) / count;
}
