/* SPDX-License-Identifier: Apache-2.0 */
/* A program of arrays in C89. Without a device, it reports that. */
#include <cucore_array.h>
#include <stdio.h>

static int sums(cucore_array_context *context) {
  static const cucore_array_scalar one = { CUCORE_ARRAY_SCALAR_REAL, 0, 0, 1.0, 0.0 };
  const int64_t shape[1] = { 5 };
  cucore_array *x = NULL, *sum = NULL;
  cucore_array_scalar total;
  int failed = cucore_array_full(context, CUCORE_ARRAY_DTYPE_FLOAT32, shape, 1, &one, &x, NULL) ||
               cucore_array_sum(x, NULL, &sum, NULL) || cucore_array_item(sum, &total, NULL) ||
               total.real != 5.0;
  if (!failed) printf("sum %g\n", total.real);
  cucore_array_release(sum);
  cucore_array_release(x);
  return failed;
}

int main(void) {
  cucore_array_context *context = NULL;
  cucore_error *error = NULL;
  int failed = 0;
  if (cucore_array_context_default(NULL, &context, &error) != CUCORE_OK) {
    printf("no context: %s\n", cucore_error_message(error));
    cucore_error_release(error);
    return 0;
  }
  failed = sums(context);
  cucore_array_context_release(context);
  return failed;
}
