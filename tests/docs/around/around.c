/* SPDX-License-Identifier: Apache-2.0 */
/* The program around a fragment of a page: the objects that fragments use exist. */
#include <cucore.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
@HEADS@

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";
static const char part[] = "extern \"C\" __device__ float twice(float x) { return x + x; }\n";
static const char whole[] = "extern \"C\" __device__ float twice(float x);\n"
                            "extern \"C\" __global__ void k(float *x) { *x = twice(*x); }\n";

static void check(cucore_status status, const cucore_error *error) {
  if (status == CUCORE_OK) return;
  fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  exit(1);
}

static cucore_objectcode *compile(const char *text, cucore_toggle relocatable) {
  cucore_error *error = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_90";
  options.relocatable_device_code = relocatable;
  check(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, text, strlen(text), &options, &program, &error), error);
  check(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error), error);
  cucore_program_release(program);
  return code;
}

@DECLARATIONS@

int main(void) {
  cucore_error *given_error = NULL;
  cucore_device *device = NULL;
  cucore_stream *stream = NULL;
  cucore_buffer *given_buffer = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = compile(source, CUCORE_TOGGLE_DEFAULT), *linked = NULL;
  cucore_objectcode *caller = compile(whole, CUCORE_TOGGLE_ON), *callee = compile(part, CUCORE_TOGGLE_ON);
  cucore_linker *linker = NULL;
  cucore_kernel *kernel = NULL;
  cucore_queue *queue = NULL;
  cucore_future *future = NULL;
  cucore_completion completions[64];
  cucore_launch_options grid = CUCORE_LAUNCH_OPTIONS_INIT;
  size_t count = 1024, capacity = 0;
  int32_t n = 1024;
  float factor = 2.0f;
  void *handle = NULL, *buffer = NULL;
  check(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program, &given_error), given_error);
  check(cucore_device_open(0, &device, &given_error), given_error);
  check(cucore_stream_create(device, NULL, &stream, &given_error), given_error);
  check(cucore_objectcode_find_kernel(code, "saxpy", &kernel, &given_error), given_error);
  check(cucore_buffer_create(device, 4 * count, stream, &given_buffer, &given_error), given_error);
  check(cucore_queue_create(NULL, &queue, &given_error), given_error);
  check(cucore_objectcode_serialize(code, NULL, NULL, 0, &capacity, NULL), NULL);
  buffer = malloc(capacity);
  uint64_t address = cucore_buffer_address(given_buffer);
  cucore_argument given_arguments[] = {CUCORE_ARGUMENT(factor), CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(address),
                                       CUCORE_ARGUMENT(n)};
  cucore_argument *arguments = given_arguments;
  cucore_error *error = NULL;
  grid.grid[0] = 4;
  grid.block[0] = 256;
  check(cucore_future_from_stream(stream, queue, 7, &future, &given_error), given_error);
  {
    @BLOCK@
    if (error && cucore_error_status(error) != CUCORE_ERROR_LIBRARY_MISSING && cucore_error_status(error) != CUCORE_ERROR_NOT_FOUND)
      check(cucore_error_status(error), error);
  }
  check(cucore_stream_synchronize(stream, &given_error), given_error);
  return 0;
}
