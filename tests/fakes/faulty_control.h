/* SPDX-License-Identifier: Apache-2.0 */
/* How a test controls the driver that fails at random. Each function is looked up in the open
 * library as faulty_<name>. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAULTY_API __attribute__((visibility("default")))

/* One of this many calls fails on average; 0: none. A new seed chooses other calls. */
FAULTY_API void faulty_arm(uint64_t one_in, uint64_t seed);

/* 1: calls of this thread never fail; -1 cancels one of these. */
FAULTY_API void faulty_spare(int32_t change);

/* Returns the number of failed calls, of all threads and of the calling one. */
FAULTY_API uint64_t faulty_struck(void);
FAULTY_API uint64_t faulty_struck_here(void);

/* Returns the number of live objects of a kind: "stream", "event", "memory", "host_memory",
 * "library", "link", "graph", "graph_exec" or "pool". */
FAULTY_API int64_t faulty_live_objects(const char* kind);

/* Writes a line per function: its name, the number of calls and the number of failures. */
FAULTY_API void faulty_report(FILE* file);

#ifdef __cplusplus
}
#endif
