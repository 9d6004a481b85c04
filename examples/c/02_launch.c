/* SPDX-License-Identifier: Apache-2.0 */
/* 02: find a kernel in object code, launch it on a device and read the result back. */
#include <cucore.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "extern \"C\" __global__ void scale(float factor, float *data, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) data[i] *= factor;\n"
    "}\n";

int main(void) {
  enum { count = 1000 };
  static float data[count];
  cucore_error *error = NULL;
  cucore_device *device = NULL;
  cucore_stream *stream = NULL;
  cucore_buffer *buffer = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_kernel *kernel = NULL;
  int32_t devices = 0, n = count, wrong = 0;
  float factor = 3.0f;
  for (int i = 0; i < count; ++i) data[i] = (float)i;

  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program,
                            &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error));
  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("compiled; launching needs a device"); goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &stream, &error));
  TRY(cucore_objectcode_find_kernel(code, "scale", &kernel, &error));
  TRY(cucore_buffer_create(device, sizeof data, stream, &buffer, &error));
  TRY(cucore_buffer_write(buffer, 0, data, sizeof data, stream, &error));

  uint64_t address = cucore_buffer_address(buffer);
  cucore_argument arguments[] = {CUCORE_ARGUMENT(factor), CUCORE_ARGUMENT(address),
                                 CUCORE_ARGUMENT(n)};
  /* snippet: classes */
  static const cucore_parameter_class given[] = {CUCORE_PARAMETER_CLASS_FLOAT,
                                                 CUCORE_PARAMETER_CLASS_POINTER,
                                                 CUCORE_PARAMETER_CLASS_INTEGER};
  cucore_parameter_info parameters[3] = {CUCORE_PARAMETER_INFO_INIT};
  size_t parameter_count = 0;
  TRY(cucore_kernel_parameters(kernel, device, parameters, 3, &parameter_count, &error));
  for (size_t i = 0; i < parameter_count; ++i) {
    const cucore_parameter_class wanted = parameters[i].parameter_class;
    if (wanted == given[i] || wanted == CUCORE_PARAMETER_CLASS_UNKNOWN) continue;
    fprintf(stderr, "argument %u has class %d, the parameter %d\n", (unsigned)i, given[i], wanted);
    ++wrong;
  }
  /* end of snippet */
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  launch.block[0] = 256;
  launch.grid[0] = (count + 255) / 256;
  TRY(cucore_kernel_launch(kernel, stream, &launch, arguments, 3, &error));
  TRY(cucore_buffer_read(buffer, 0, data, sizeof data, stream, &error));
  for (int i = 0; i < count; ++i) wrong += data[i] != factor * (float)i;
  printf("%s: %d of %d values are wrong\n", cucore_device_name(device), (int)wrong, count);
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  wrong += error != NULL;
  cucore_buffer_release(buffer); cucore_kernel_release(kernel);
  cucore_objectcode_release(code); cucore_program_release(program);
  cucore_stream_release(stream); cucore_device_release(device); cucore_error_release(error);
  return wrong != 0;
}
