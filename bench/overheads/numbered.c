/* SPDX-License-Identifier: Apache-2.0 */
/* The rows by number: repeated in C, and once per call for another language. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define EXPORT __attribute__((visibility("default")))
#define CALL(name, number, title) \
  double c_##name(int count);     \
  int c_##name##_once(void);
#include "rows.inc"
#undef CALL

int overheads_open(const void* data, size_t size, int type);
int overheads_store(const void* data, size_t size, int type);
int compiles_open(const char* source, const char* arch, const char* folder);
const char* overheads_failure(void);

/* Returns the nanoseconds of one call in C; a negative number for a failure. */
EXPORT double overheads_repeat(int number, int count) {
#define CALL(name, number, title) c_##name,
  static double (*const all[])(int) = {
#include "rows.inc"
  };
#undef CALL
  return all[number](count);
}

/* Returns 0 after a success: a call by hand of another language. */
EXPORT int overheads_once(int number) {
#define CALL(name, number, title) c_##name##_once,
  static int (*const all[])(void) = {
#include "rows.inc"
  };
#undef CALL
  return all[number]();
}

/* Opens all rows; the last two need NVRTC. Returns 0, or 1 for a failure, or 2 without NVRTC. */
EXPORT int overheads_begin(const char* ptx, const char* source, const char* folder) {
  const size_t size = strlen(ptx);
  char* kept = malloc(size + 1); /* which the rows need until the process ends */
  if (!kept) return 1;
  memcpy(kept, ptx, size + 1);
  if (overheads_open(kept, size, 1) || overheads_store(kept, size, 1)) return 1;
  return compiles_open(source, "sm_90", folder) ? 2 : 0;
}

/* Returns nanoseconds. */
EXPORT double overheads_now(void) { return now(); }
