/* SPDX-License-Identifier: Apache-2.0 */
/* How a test drives the driver that fails at random. Each function is looked up in the open library
 * as faulty_<name>. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAULTY_API __attribute__((visibility("default")))

/* Of so many calls one fails on average; 0: none. A new seed chooses other calls. */
FAULTY_API void faulty_arm(uint64_t one_in, uint64_t seed);

/* 1: calls of this thread never fail; -1 takes back one of these. */
FAULTY_API void faulty_spare(int32_t change);

/* Calls that have failed, of all threads and of the calling one. */
FAULTY_API uint64_t faulty_struck(void);
FAULTY_API uint64_t faulty_struck_here(void);

/* Objects that were made and have not ended: "stream", "event", "memory", "host_memory", "library",
 * "link", "graph", "graph_exec" and "pool". */
FAULTY_API int64_t faulty_live_objects(const char* kind);

/* Writes a line for each function: its name, how often it was called and how often it failed. */
FAULTY_API void faulty_report(FILE* file);

#ifdef __cplusplus
}
#endif
