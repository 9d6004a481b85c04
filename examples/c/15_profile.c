/* SPDX-License-Identifier: Apache-2.0 */
/* 15: profile a block of work, and print the memory and compute efficiency of its kernels. */
#include <cucore_perf.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

int main(void) {
  enum { calls = 20 };
  static const float zero = 0;
  cucore_error *error = NULL;
  cucore_device *device = NULL;
  cucore_stream *stream = NULL;
  cucore_buffer *x = NULL, *y = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_kernel *kernel = NULL;
  cucore_roof *roof = NULL;
  cucore_profiler *profiler = NULL;
  cucore_report *report = NULL;
  cucore_kernel_row row = CUCORE_KERNEL_ROW_INIT;
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  double memory = 0, compute = 0, instructions = 0;
  float a = 2;
  int32_t devices = 0, n = 1 << 26, wrong = 0;

  TRY(cucore_device_count(&devices, &error));
  if (devices == 0) { puts("profiles need a device"); goto done; }
  TRY(cucore_device_open(0, &device, &error));
  TRY(cucore_stream_create(device, NULL, &stream, &error));
  if (cucore_device_is_emulated(device))
    n = 1 << 16;
  else /* measured once, and kept; percentages need it */
    TRY(cucore_roof_open(device, NULL, &roof, &error));
  TRY(cucore_buffer_create(device, sizeof a * (size_t)n, stream, &x, &error));
  TRY(cucore_buffer_create(device, sizeof a * (size_t)n, stream, &y, &error));
  TRY(cucore_buffer_fill(x, 0, sizeof a * (size_t)n, &zero, sizeof zero, stream, &error));
  TRY(cucore_buffer_fill(y, 0, sizeof a * (size_t)n, &zero, sizeof zero, stream, &error));
  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program,
                            &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error));
  TRY(cucore_objectcode_find_kernel(code, "saxpy", &kernel, &error));

  cucore_argument arguments[] = {CUCORE_ARGUMENT(a), {x, CUCORE_ARGUMENT_OBJECT},
                                 {y, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n)};
  launch.block[0] = 256;
  launch.grid[0] = (uint32_t)n / 256;
  launch.bytes_read = 8 * (uint64_t)n; /* hints, for devices without counters */
  launch.bytes_written = 4 * (uint64_t)n;
  launch.operations = 2 * (uint64_t)n;
  /* snippet: profile */
  TRY(cucore_profiler_create(NULL, &profiler, &error));
  TRY(cucore_profiler_begin(profiler, &error));
  for (int i = 0; i < calls; ++i)
    TRY(cucore_kernel_launch(kernel, stream, &launch, arguments, 4, &error));
  TRY(cucore_profiler_end(profiler, &report, &error));
  TRY(cucore_report_efficiency(report, NULL, &memory, &compute, &error));
  /* end of snippet */

  TRY(cucore_report_kernel_at(report, 0, &row, &error));
  printf("%d calls of %s read %.1f MB and write %.1f MB\n", (int)row.calls, row.name,
         row.bytes_read / 1e6, row.bytes_written / 1e6);
  if (cucore_report_source(report) == CUCORE_PROFILER_SOURCE_EMULATED) {
    TRY(cucore_report_counter(report, 0, "cpu.instructions", &instructions, &error));
    printf("exact counts of the CPU device: %.0f instructions, %.0f sectors per request; a GPU also has times\n",
           instructions, row.sectors_per_request);
  } else {
    printf("memory efficiency %.0f%%, compute efficiency %.0f%%\n", 100 * memory, 100 * compute);
  }
  wrong = row.calls != calls || row.bytes_read != 8.0 * calls * n || row.bytes_written != 4.0 * calls * n;
  if (wrong) puts("expected 20 calls that read 8 bytes per element and write 4");
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  wrong += error != NULL;
  cucore_report_release(report); cucore_profiler_release(profiler); cucore_roof_release(roof);
  cucore_kernel_release(kernel); cucore_objectcode_release(code); cucore_program_release(program);
  cucore_buffer_release(x); cucore_buffer_release(y);
  cucore_stream_release(stream); cucore_device_release(device); cucore_error_release(error);
  return wrong != 0;
}
