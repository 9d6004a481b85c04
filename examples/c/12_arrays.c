/* SPDX-License-Identifier: Apache-2.0 */
/* 12: change a picture through views that share its memory. */
#include <cucore_array.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done
#define REAL(number) {NULL, {CUCORE_ARRAY_SCALAR_REAL, 0, 0, number, 0}}
#define SLICE(first, last) {CUCORE_ARRAY_INDEX_SLICE, 3, first, last, 0, NULL}

int main(void) {
  static const int64_t shape[] = {120, 160};
  static const int32_t columns[] = {1};
  const cucore_array_operand grey = REAL(0.5), white = REAL(1.0), half = REAL(0.5);
  const cucore_array_index top[] = {SLICE(0, 4)}, left[] = {SLICE(0, 120), SLICE(0, 4)};
  const cucore_array_index corner[] = {SLICE(0, 50), SLICE(0, 50)};
  cucore_error *error = NULL;
  cucore_array_context *context = NULL;
  cucore_array *picture = NULL, *part = NULL, *mirrored = NULL, *sum = NULL;
  cucore_array_scalar total = {CUCORE_ARRAY_SCALAR_REAL, 0, 0, 0, 0};

  TRY(cucore_array_context_default(NULL, &context, &error));
  TRY(cucore_array_full(context, CUCORE_ARRAY_DTYPE_FLOAT32, shape, 2, &grey.scalar, &picture,
                        &error));
  TRY(cucore_array_assign_select(picture, top, 1, 0, &white, &error)); /* rows, and columns */
  TRY(cucore_array_assign_select(picture, left, 2, 0, &white, &error));
  TRY(cucore_array_select(picture, corner, 2, &part, &error)); /* shares the memory */
  TRY(cucore_array_assign_op(CUCORE_ARRAY_OP_MULTIPLY, part, &half, &error));
  TRY(cucore_array_flip(picture, columns, 1, &mirrored, &error));
  TRY(cucore_array_sum(mirrored, NULL, &sum, &error));
  TRY(cucore_array_item(sum, &total, &error));
  printf("sum of the picture: %.1f\n", total.real);
done:
  if (error) fprintf(stderr, "%s\n", cucore_error_message(error));
  cucore_array_release(picture), cucore_array_release(part), cucore_array_release(mirrored);
  cucore_array_release(sum), cucore_array_context_release(context);
  return error != NULL;
}
