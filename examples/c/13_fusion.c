/* SPDX-License-Identifier: Apache-2.0 */
/* 13: sqrt(sin(x) * cos(x) + exp(-x * x) + log(x + 1)) as one kernel, and its plan. */
#include <cucore_array.h>
#include <stdio.h>

#define OP(name) CUCORE_ARRAY_OP_##name
#define X cucore_array_retain(x)
static cucore_error *error;

/* The result of an operation, which takes its operands over. After a failure it is NULL. */
static cucore_array *one(cucore_array_op op, cucore_array *x) {
  cucore_array *result = NULL;
  if (!error) cucore_array_unary(op, x, &result, &error);
  return cucore_array_release(x), result;
}
static cucore_array *two(cucore_array_op op, cucore_array *x, cucore_array *y) {
  cucore_array *result = NULL;
  if (!error) cucore_array_binary(op, x, y, &result, &error);
  return cucore_array_release(x), cucore_array_release(y), result;
}

int main(void) {
  const cucore_array_scalar step = {CUCORE_ARRAY_SCALAR_REAL, 0, 0, 1e-5, 0};
  char plan[2000] = "";
  size_t size = 0;
  cucore_array_context *context = NULL;
  cucore_array *x = NULL, *next = NULL;
  if (cucore_array_context_default(NULL, &context, &error) == CUCORE_OK)
    cucore_array_arange(context, CUCORE_ARRAY_DTYPE_FLOAT32, NULL, &step, 100000, &x, &error);
  if (!error) cucore_array_binary_scalar(OP(ADD), x, 1, 0, &next, &error);
  cucore_array *r = two(OP(ADD), two(OP(MULTIPLY), one(OP(SIN), X), one(OP(COS), X)),
                        one(OP(EXP), one(OP(NEGATIVE), one(OP(SQUARE), X))));
  const cucore_array *root = r = one(OP(SQRT), two(OP(ADD), r, one(OP(LOG), next)));
  if (!error) cucore_array_explain(&root, 1, CUCORE_ARRAY_EXPLAIN_PLAN, plan, 2000, &size, &error);
  if (!error) cucore_array_evaluate(&r, 1, &error);
  puts(error ? cucore_error_message(error) : plan);
  cucore_array_release(x), cucore_array_release(r), cucore_array_context_release(context);
  return error != NULL;
}
