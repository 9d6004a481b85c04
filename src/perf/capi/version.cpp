// SPDX-License-Identifier: Apache-2.0
#include <cucore_perf.h>

extern "C" {

CUCORE_PERF_API uint32_t cucore_perf_version(void) { return cucore_version(); }

}  // extern "C"
