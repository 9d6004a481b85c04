/* SPDX-License-Identifier: Apache-2.0 */
/* A program of cucore_perf.h in C89. */
#include <cucore_perf.h>
#include <stdio.h>

int main(void) {
  cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
  cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
  needs.registers = 32;
  needs.threads = 256;
  if (cucore_perf_version() != cucore_version()) return 1;
  if (cucore_occupancy_query("sm_90", &needs, &info, NULL) != CUCORE_OK) return 1;
  printf("%u blocks, limited by %s\n", (unsigned)info.blocks,
         info.limiter == CUCORE_OCCUPANCY_LIMITER_WARPS ? "warps" : "another resource");
  return 0;
}
