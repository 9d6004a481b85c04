/* SPDX-License-Identifier: Apache-2.0 */
/* 06: a complete job: compile, serialize, restore, find, launch, time with two events, check. */
#define _POSIX_C_SOURCE 199309L
#include <cucore.h>
#include <stdio.h>
#include <time.h>

static const char src[] = "extern \"C\" __global__ void scale(float a, float *data, int n) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) data[i] *= a;\n"
                          "}\n";
enum { n = 1 << 20, bytes = n * sizeof(float) };
static float host[n]; static unsigned char stored[1 << 16];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}
/* Calls a function, leaves if it fails, else prints its name and time. */
#define STEP(function, ...)                                 \
  began = now();                                            \
  if (function(__VA_ARGS__, &error) != CUCORE_OK) goto out; \
  printf("  %-32s %9.3f ms\n", #function, now() - began)

int main(void) {
  cucore_error *error = NULL; cucore_program *program = NULL; cucore_kernel *kernel = NULL;
  cucore_objectcode *code = NULL, *copy = NULL; cucore_device *device = NULL;
  cucore_stream *stream = NULL; cucore_event *start = NULL, *end = NULL; cucore_buffer *data = NULL;
  cucore_event_options timed = {.struct_size = sizeof timed, .timing = 1};
  cucore_launch_options grid = {.struct_size = sizeof grid, .grid = {n / 256}, .block = {256}};
  int32_t devices = 0, count = n, wrong = 0; size_t size = 0; float a = 2, elapsed; double began;
  for (int i = 0; i < n; ++i) host[i] = (float)i;
  STEP(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, src, sizeof src - 1, NULL, &program);
  STEP(cucore_program_compile, program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code);
  STEP(cucore_objectcode_serialize, code, NULL, stored, sizeof stored, &size);
  STEP(cucore_objectcode_deserialize, stored, size, NULL, &copy);
  STEP(cucore_device_count, &devices);
  if (devices == 0) { puts("compiled, stored and restored; launching needs a device"); goto out; }
  STEP(cucore_device_open, 0, &device);
  STEP(cucore_stream_create, device, NULL, &stream);
  STEP(cucore_event_create, device, &timed, &start);
  STEP(cucore_event_create, device, &timed, &end);
  STEP(cucore_objectcode_find_kernel, copy, "scale", &kernel);
  STEP(cucore_buffer_create, device, bytes, stream, &data);
  STEP(cucore_buffer_write, data, 0, host, bytes, stream);
  uint64_t to = cucore_buffer_address(data);
  cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(to), CUCORE_ARGUMENT(count)};
  STEP(cucore_event_record, start, stream);
  STEP(cucore_kernel_launch, kernel, stream, &grid, arguments, 3);
  STEP(cucore_event_record, end, stream);
  STEP(cucore_buffer_read, data, 0, host, bytes, stream);
  STEP(cucore_event_elapsed, start, end, &elapsed);
  for (int i = 0; i < n; ++i) wrong += host[i] != a * (float)i;
  printf("%s: kernel %.3f ms, %d of %d wrong\n", cucore_device_name(device), elapsed, wrong, n);
out: if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  wrong += error != NULL; cucore_buffer_release(data); cucore_kernel_release(kernel);
  cucore_event_release(end); cucore_event_release(start); cucore_stream_release(stream);
  cucore_objectcode_release(copy); cucore_objectcode_release(code); cucore_device_release(device);
  cucore_program_release(program); cucore_error_release(error); return wrong != 0;
}
