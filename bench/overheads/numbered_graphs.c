/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of graphs by number: repeated as calls of the driver or of cucore.h, and once per call for another language. */
#define EXPORT __attribute__((visibility("default")))
#define CALL(name, number, title) \
  double bare_##name(int count); \
  double c_##name(int count);    \
  int c_##name##_once(void);
#include "graph_rows.inc"
#undef CALL

/* Returns the nanoseconds of one row, by the driver alone or in C; a negative number for a failure. */
EXPORT double graphs_repeat(int number, int is_bare, int count) {
#define CALL(name, number, title) {c_##name, bare_##name},
  static double (*const all[][2])(int) = {
#include "graph_rows.inc"
  };
#undef CALL
  return all[number][is_bare != 0](count);
}

/* Returns 0 after a success: a row of one call, by hand of another language. */
EXPORT int graphs_once(int number) {
#define CALL(name, number, title) c_##name##_once,
  static int (*const all[])(void) = {
#include "graph_rows.inc"
  };
#undef CALL
  return all[number]();
}
