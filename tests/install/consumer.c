/* SPDX-License-Identifier: Apache-2.0 */
/* A C89 program built against an installed tree: compiles and serializes, with no driver. */
#include <cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "extern \"C\" __global__ void f(int *p) { *p = 1; }";

static int fail(const char *step, cucore_error *error) {
  int status = (int)cucore_error_status(error);
  fprintf(stderr, "%s: %s\n%s", step, cucore_error_message(error), cucore_error_log(error));
  cucore_error_release(error);
  return status == CUCORE_ERROR_LIBRARY_MISSING ? 77 : 1;
}

static int round_trip(const cucore_objectcode *code) {
  cucore_error *error = NULL;
  cucore_objectcode *restored = NULL;
  size_t size = 0, before = 0, after = 0;
  void *bytes;
  int differs;
  if (cucore_objectcode_serialize(code, NULL, NULL, 0, &size, &error) != CUCORE_OK)
    return fail("size", error);
  bytes = malloc(size);
  if (bytes == NULL) return 1;
  if (cucore_objectcode_serialize(code, NULL, bytes, size, &size, &error) != CUCORE_OK)
    return fail("serialize", error);
  if (cucore_objectcode_deserialize(bytes, size, NULL, &restored, &error) != CUCORE_OK)
    return fail("deserialize", error);
  (void)cucore_objectcode_data(code, &before);
  (void)cucore_objectcode_data(restored, &after);
  differs = before != after || memcmp(cucore_objectcode_data(code, NULL),
                                      cucore_objectcode_data(restored, NULL), before) != 0;
  printf("%lu bytes stored and restored\n", (unsigned long)size);
  cucore_objectcode_release(restored);
  free(bytes);
  return differs;
}

int main(void) {
  cucore_error *error = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  int result;
  if (cucore_version() != CUCORE_VERSION) return 1;
  if (cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program,
                            &error) != CUCORE_OK)
    return fail("create", error);
  if (cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error) != CUCORE_OK)
    return fail("compile", error);
  result = round_trip(code);
  cucore_objectcode_release(code);
  cucore_program_release(program);
  return result;
}
