/* SPDX-License-Identifier: Apache-2.0 */
/* Measures calls in C: loops that the benchmarks of the bindings run together with their own. */
#define _POSIX_C_SOURCE 200809L

#include <cucore.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static cucore_device *device;
static cucore_stream *stream;
static cucore_kernel *kernel, *four;
static cucore_buffer *buffer;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Opens what the loops use; 0 if all is well. code: PTX with a kernel "k" of (float, pointer, int) and a kernel "four" of
   four pointers. */
EXPORT int bench_open(const char *code, size_t size) {
  cucore_objectcode *object = NULL;
  int failed = cucore_device_open(0, &device, NULL) != CUCORE_OK ||
               cucore_stream_create(device, NULL, &stream, NULL) != CUCORE_OK ||
               cucore_buffer_create(device, 64, stream, &buffer, NULL) != CUCORE_OK ||
               cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, code, size, NULL, &object, NULL) != CUCORE_OK ||
               cucore_objectcode_find_kernel(object, "k", &kernel, NULL) != CUCORE_OK ||
               cucore_objectcode_find_kernel(object, "four", &four, NULL) != CUCORE_OK;
  cucore_objectcode_release(object);
  return failed;
}

EXPORT double bench_property(int count) {
  volatile int32_t sink = 0;
  const double began = now();
  for (int i = 0; i < count; ++i) sink = cucore_device_ordinal(device);
  (void)sink;
  return (now() - began) / count;
}

EXPORT double bench_event(int count) {
  cucore_event *event = NULL;
  const double began = now();
  for (int i = 0; i < count; ++i) {
    cucore_event_create(device, NULL, &event, NULL);
    cucore_event_release(event);
  }
  return (now() - began) / count;
}

EXPORT double bench_launch(int count) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  double took;
  const double began = now();
  for (int i = 0; i < count; ++i) {
    float a = 1.0f;
    uint64_t address = cucore_buffer_address(buffer);
    int32_t n = 1;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
    cucore_kernel_launch(kernel, stream, &options, arguments, 3, NULL);
  }
  took = (now() - began) / count;
  cucore_stream_synchronize(stream, NULL);
  return took;
}

/* With buffers as objects, as the bindings pass them. */
EXPORT double bench_launch_buffers(int count) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  double took;
  const double began = now();
  options.grid[0] = options.block[0] = 1;
  for (int i = 0; i < count; ++i) {
    cucore_argument arguments[4];
    for (int k = 0; k < 4; ++k) {
      arguments[k].data = buffer;
      arguments[k].size = CUCORE_ARGUMENT_OBJECT;
    }
    cucore_kernel_launch(four, stream, &options, arguments, 4, NULL);
  }
  took = (now() - began) / count;
  cucore_stream_synchronize(stream, NULL);
  return took;
}

/* A thread that only reads a word and records the time at which a kernel wrote it. */
static const volatile uint32_t *watched;
static atomic_uint awaited;       /* the value that ends the look; 0: none, UINT32_MAX: the thread ends */
static _Atomic uint64_t seen_ns;
static pthread_t watcher;

static void *watch(void *unused) {
  (void)unused;
  const int has_own_core = sysconf(_SC_NPROCESSORS_ONLN) >= 4;
  for (;;) {
    const unsigned value = atomic_load(&awaited);
    if (value == UINT32_MAX) return NULL;
    if (value == 0 || *watched != value) {
      if (value == 0 || !has_own_core) sched_yield();
      continue;
    }
    atomic_store(&seen_ns, (uint64_t)now());
    atomic_store(&awaited, 0);
  }
}

EXPORT int bench_watch(const uint32_t *word) {
  watched = word;
  return pthread_create(&watcher, NULL, watch, NULL);
}

EXPORT void bench_expect(uint32_t value) {
  atomic_store(&seen_ns, 0);
  atomic_store(&awaited, value);
}

/* Returns the time at which the word had the value, in ns of CLOCK_MONOTONIC. */
EXPORT uint64_t bench_seen(void) {
  uint64_t time = 0;
  while ((time = atomic_load(&seen_ns)) == 0) sched_yield();
  return time;
}

EXPORT void bench_watch_end(void) {
  atomic_store(&awaited, UINT32_MAX);
  pthread_join(watcher, NULL);
}
