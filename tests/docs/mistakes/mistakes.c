/* SPDX-License-Identifier: Apache-2.0 */
/* Makes ten mistakes of beginners and prints the message of each, on one line. */
#include <cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE                                                          \
  "__global__ void scale(float factor, float *data, int n) {\n"        \
  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                 \
  "  if (i < n) data[i] *= factor;\n"                                  \
  "}\n"
#define SOURCE "extern \"C\" " SCALE

static cucore_device *device;
static cucore_stream *stream;
static cucore_kernel *scale;
static float host[1000];
static const float factor = 2.0f;
static const int32_t n = 1000;

/* Prints the first line of a message, and releases the error. */
static void print(const char *name, cucore_error *error) {
  const char *message = error ? cucore_error_message(error) : "no message";
  printf("%s: %.*s\n", name, (int)strcspn(message, "\n"), message);
  cucore_error_release(error);
}

static cucore_objectcode *compile(const char *source, const char *arch, cucore_error **error) {
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "scale.cu";
  options.arch = arch;
  if (cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, strlen(source), &options, &program, error) == CUCORE_OK)
    cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, error);
  cucore_program_release(program);
  return code;
}

static void find_kernel(cucore_objectcode *code, const char *name, cucore_kernel **kernel, cucore_error **error) {
  cucore_objectcode_find_kernel(code, name, kernel, error);
}

/* Launches the kernel with these arguments in 4 blocks, and waits for it. */
static void launch(cucore_stream *in, uint32_t block, cucore_argument *arguments, cucore_error **error) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 8;
  options.block[0] = block;
  if (cucore_kernel_launch(scale, in, &options, arguments, 3, error) == CUCORE_OK) cucore_stream_synchronize(in, error);
}

static void fail(cucore_error *error) {
  if (!error) return;
  fprintf(stderr, "%s\n", cucore_error_message(error));
  exit(1);
}

int main(void) {
  cucore_error *error = NULL;
  cucore_buffer *buffer = NULL;
  cucore_kernel *kernel = NULL;
  cucore_objectcode *code = NULL;
  cucore_device_open(0, &device, &error);
  fail(error);
  cucore_stream_create(device, NULL, &stream, &error);
  fail(error);
  code = compile(SOURCE, NULL, &error);
  fail(error);
  find_kernel(code, "scale", &scale, &error);
  fail(error);
  cucore_buffer_create(device, sizeof host, stream, &buffer, &error);
  fail(error);

  const double wrong_type = 2.0;
  const uint64_t address = cucore_buffer_address(buffer);
  const void *host_array = host;
  const int32_t too_many = 2000; /* the buffer has 1000 elements */
  cucore_argument good[] = {CUCORE_ARGUMENT(factor), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
  cucore_argument doubles[] = {CUCORE_ARGUMENT(wrong_type), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n)};
  cucore_argument of_host[] = {CUCORE_ARGUMENT(factor), CUCORE_ARGUMENT(host_array), CUCORE_ARGUMENT(n)};
  cucore_argument beyond[] = {CUCORE_ARGUMENT(factor), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(too_many)};

  launch(stream, 256, doubles, &error);
  print("wrong type", error);
  launch(stream, 2048, good, &error);
  print("grid", error);
  find_kernel(code, "scal", &kernel, &error);
  print("kernel name", error);
  find_kernel(compile(SCALE, NULL, &error), "scale", &kernel, &error);
  print("extern \"C\"", error);
  compile("extern \"C\" __global__ void scale(float *data) { data[0] = 1 }", NULL, &error);
  print("syntax", error);
  compile(SOURCE, "sm_30", &error);
  print("architecture", error);
  launch(NULL, 256, good, &error);
  print("missing stream", error);
  compile("#include \"mine.h\"\n" SOURCE, NULL, &error);
  print("missing header", error);
  launch(stream, 256, of_host, &error);
  print("host array", error);
  cucore_device_reset(device, &error);
  fail(error);
  cucore_stream_create(device, NULL, &stream, &error);
  cucore_buffer_create(device, sizeof host, stream, &buffer, &error);
  fail(error);
  const uint64_t renewed = cucore_buffer_address(buffer);
  beyond[1].data = &renewed;
  launch(stream, 256, beyond, &error);
  print("out of bounds", error);
  return 0;
}
