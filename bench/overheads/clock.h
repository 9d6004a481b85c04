/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the measurements. */
#ifndef OVERHEADS_CLOCK_H
#define OVERHEADS_CLOCK_H

#include <time.h>

/* Returns nanoseconds. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#endif
