/* SPDX-License-Identifier: Apache-2.0 */
/* 01: compile CUDA C++ at run time and print the result. Needs no device and no driver. */
#include <cucore.h>
#include <stdio.h>

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

static void print_kernel(const cucore_objectcode *code, size_t index) {
  cucore_symbol_info symbol = CUCORE_SYMBOL_INFO_INIT;
  size_t offset = 0, size = 0;
  if (cucore_objectcode_symbol_at(code, index, &symbol, NULL) != CUCORE_OK) return;
  if (symbol.kind != CUCORE_SYMBOL_KERNEL) return;
  printf("kernel %s, %u parameters\n", symbol.lowered_name, (unsigned)symbol.parameter_count);
  for (size_t i = 0; i < symbol.parameter_count; ++i)
    if (cucore_objectcode_symbol_parameter_at(code, index, i, &offset, &size, NULL) == CUCORE_OK)
      printf("  parameter %u: %u bytes at %u\n", (unsigned)i, (unsigned)size, (unsigned)offset);
}

int main(void) {
  /* snippet: compile */
  cucore_error *error = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "saxpy.cu";
  if (cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, &options,
                            &program, &error) != CUCORE_OK ||
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error) != CUCORE_OK) {
    fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  } else {
    size_t size = 0;
    cucore_objectcode_data(code, &size);
    printf("compiled %s to %u bytes of PTX for %s\n", cucore_objectcode_name(code), (unsigned)size,
           cucore_objectcode_arch(code));
  }
  /* end of snippet */
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) print_kernel(code, i);

  int failed = error != NULL;
  cucore_objectcode_release(code);
  cucore_program_release(program);
  cucore_error_release(error);
  return failed;
}
