/* SPDX-License-Identifier: Apache-2.0 */
#include "mixing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failures = 0;

void check(int holds, const char *text, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s does not hold\n", line, text);
}

void check_failure(cucore_status status, cucore_error *error, cucore_status expected,
                   const char *part, const char *other_part, int line) {
  const char *message = cucore_error_message(error);
  if (status != expected || cucore_error_status(error) != expected || !strstr(message, part) ||
      !strstr(message, other_part)) {
    ++failures;
    fprintf(stderr, "line %d: %s with '%s'; expected %s with '%s' and '%s'\n", line,
            cucore_status_name(status), message, cucore_status_name(expected), part, other_part);
  }
  cucore_error_release(error);
}

void must(cucore_status status, cucore_error *const *error) {
  if (status == CUCORE_OK) return;
  fprintf(stderr, "%s %s\n", cucore_status_name(status), error ? cucore_error_message(*error) : "");
  exit(1);
}

void make_objects(objects *all) {
  cucore_cache_options memory = CUCORE_CACHE_OPTIONS_INIT;
  cucore_error *error = NULL;
  memory.directory = "";
  must(cucore_device_open(0, &all->device, &error), &error);
  must(cucore_stream_create(all->device, NULL, &all->stream, &error), &error);
  must(cucore_event_create(all->device, NULL, &all->event, &error), &error);
  must(cucore_buffer_create(all->device, 64, all->stream, &all->buffer, &error), &error);
  must(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, NULL, &all->program, &error),
       &error);
  must(cucore_linker_create(NULL, &all->linker, &error), &error);
  must(cucore_cache_open(&memory, &all->cache, &error), &error);
  must(cucore_queue_create(NULL, &all->queue, &error), &error);
  must(cucore_future_from_stream(all->stream, all->queue, 1, &all->future, &error), &error);
  must(second_counter_create(NULL, &all->counter, &error), &error);
}

void release_objects(objects *all) {
  second_counter_release(all->counter);
  cucore_future_release(all->future);
  cucore_queue_release(all->queue);
  cucore_cache_release(all->cache);
  cucore_linker_release(all->linker);
  cucore_program_release(all->program);
  cucore_buffer_release(all->buffer);
  cucore_event_release(all->event);
  cucore_stream_release(all->stream);
  cucore_device_release(all->device);
}
