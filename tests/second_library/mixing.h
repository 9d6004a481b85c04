/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for a program without a test framework, and the objects of both libraries. */
#ifndef MIXING_H_INCLUDED
#define MIXING_H_INCLUDED

#include <cucore.h>

#include "second.h"

extern int failures;

void check(int holds, const char *text, int line);
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

/* The call failed with this status, and its message has both parts. Releases the error. */
void check_failure(cucore_status status, cucore_error *error, cucore_status expected,
                   const char *part, const char *other_part, int line);
#define FAILED(status, error, expected, part, other_part) \
  check_failure(status, error, expected, part, other_part, __LINE__)

/* Ends the program if a call that prepares a test fails. error may be NULL. */
void must(cucore_status status, cucore_error *const *error);

typedef struct objects {
  cucore_device *device;
  cucore_stream *stream;
  cucore_event *event;
  cucore_buffer *buffer;
  cucore_program *program;
  cucore_linker *linker;
  cucore_cache *cache;
  cucore_queue *queue;
  cucore_future *future;
  second_counter *counter;
} objects;

void make_objects(objects *all);
void release_objects(objects *all);

#endif
