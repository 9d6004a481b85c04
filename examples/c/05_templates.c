/* SPDX-License-Identifier: Apache-2.0 */
/* 05: instantiate templates by name expression; the names remain valid after storing. */
#include <cucore.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "template <typename T, int N>\n"
    "__global__ void fill(T *out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }\n";
static const char *const expressions[] = {"fill<float, 4>", "fill<int, 8>"};

int main(void) {
  cucore_error *error = NULL;
  cucore_device *device = NULL;
  cucore_stream *stream = NULL;
  cucore_buffer *buffer = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_kernel *kernel = NULL;
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  int32_t devices = 0, value = 42, out[8] = {0}, wrong = 0;
  launch.grid[0] = 1;
  launch.block[0] = 32;

  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program,
                            &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, expressions, 2, &code, &error));
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info symbol = CUCORE_SYMBOL_INFO_INIT;
    TRY(cucore_objectcode_symbol_at(code, i, &symbol, &error));
    printf("%-14s is %s in the code\n", symbol.expression, symbol.lowered_name);
  }

  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("launching needs a device"); goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &stream, &error));
  TRY(cucore_buffer_create(device, sizeof out, stream, &buffer, &error));
  TRY(cucore_objectcode_find_kernel(code, "fill<int, 8>", &kernel, &error));
  uint64_t address = cucore_buffer_address(buffer);
  cucore_argument arguments[] = {CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(value)};
  TRY(cucore_kernel_launch(kernel, stream, &launch, arguments, 2, &error));
  TRY(cucore_buffer_read(buffer, 0, out, sizeof out, stream, &error));
  for (int i = 0; i < 8; ++i) wrong += out[i] != value;
  printf("%d of 8 values are wrong\n", (int)wrong);
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  wrong += error != NULL;
  cucore_buffer_release(buffer); cucore_kernel_release(kernel);
  cucore_objectcode_release(code); cucore_program_release(program);
  cucore_stream_release(stream); cucore_device_release(device); cucore_error_release(error);
  return wrong != 0;
}
