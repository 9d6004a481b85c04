/* SPDX-License-Identifier: Apache-2.0 */
/* 04: store object code as bytes and restore it, here or in another process. Needs no device. */
#include <cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] =
    "__device__ int counter;\n"
    "extern \"C\" __global__ void count(void) { atomicAdd(&counter, 1); }\n";

int main(void) {
  cucore_error *error = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL, *restored = NULL, *damaged = NULL;
  unsigned char *bytes = NULL;
  size_t size = 0, code_size = 0, restored_size = 0;
  const void *before, *after;
  int failed = 1;

  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, NULL, &program,
                            &error));
  TRY(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error));

  /* snippet: serialize */
  TRY(cucore_objectcode_serialize(code, NULL, NULL, 0, &size, &error)); /* queries the size */
  bytes = malloc(size);
  if (!bytes) goto done;
  TRY(cucore_objectcode_serialize(code, NULL, bytes, size, &size, &error));
  TRY(cucore_objectcode_deserialize(bytes, size, NULL, &restored, &error));
  /* end of snippet */

  before = cucore_objectcode_data(code, &code_size);
  after = cucore_objectcode_data(restored, &restored_size);
  failed = code_size != restored_size || memcmp(before, after, code_size) != 0;
  printf("%u bytes of PTX in a container of %u bytes; restored %s\n", (unsigned)code_size,
         (unsigned)size, failed ? "differently" : "equal");

  bytes[size / 2] ^= 1; /* a flipped bit: the container is refused with the reason */
  if (cucore_objectcode_deserialize(bytes, size, NULL, &damaged, &error) == CUCORE_OK) failed = 1;
  printf("damaged: %s\n", cucore_error_message(error));
  cucore_error_release(error);
  error = NULL;
done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  free(bytes);
  cucore_objectcode_release(damaged); cucore_objectcode_release(restored);
  cucore_objectcode_release(code); cucore_program_release(program); cucore_error_release(error);
  return failed;
}
