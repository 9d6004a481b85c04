/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two libraries in one process: each refuses the handles of the other by name, and each reads the
 * errors of the other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mixing.h"

static const char *const LIVE = "it is a second_counter";
static const char *const DEAD = "it is a released second_counter";

/* A handle of the second library, passed as each type of libcucore. */
static void cucore_refuses(const objects *all, void *foreign, const char *got) {
  cucore_error *e = NULL;
  cucore_status s;
  int32_t done = 7;
  cucore_stream *stream = all->stream;
  cucore_objectcode *code = (cucore_objectcode *)all;

  s = cucore_device_synchronize(foreign, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "device is not a live cucore_device", got);
  s = cucore_stream_query(foreign, &done, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "stream is not a live cucore_stream", got);
  CHECK(done == 0);
  s = cucore_event_synchronize(foreign, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "event is not a live cucore_event", got);
  s = cucore_event_record(all->event, foreign, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "stream is not a live cucore_stream", got);
  s = cucore_buffer_set_stream(foreign, stream, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "buffer is not a live cucore_buffer", got);
  s = cucore_program_compile(foreign, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "program is not a live cucore_program", got);
  CHECK(code == NULL);
  s = cucore_linker_add(all->linker, foreign, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "code is not a live cucore_objectcode", got);
  s = cucore_cache_trim(foreign, 0, NULL, NULL, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "cache is not a live cucore_cache", got);
  s = cucore_queue_close(foreign, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "queue is not a live cucore_queue", got);
  s = cucore_future_wait(foreign, 0, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "future is not a live cucore_future", got);
  s = cucore_kernel_set_attribute(foreign, CUCORE_KERNEL_ATTRIBUTE_NUM_REGS, all->device, 1, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "kernel is not a live cucore_kernel", got);
}

static void cucore_answers_nothing(void *foreign) {
  CHECK(strcmp(cucore_device_name(foreign), "") == 0);
  CHECK(cucore_buffer_size(foreign) == 0);
  CHECK(cucore_stream_native(foreign) == NULL);
  CHECK(strcmp(cucore_kernel_name(foreign), "") == 0);
  CHECK(cucore_error_status(foreign) == CUCORE_OK);
  CHECK(strcmp(cucore_error_message(foreign), "") == 0);
  CHECK(cucore_stream_retain(foreign) == foreign);
  cucore_stream_release(foreign);
  cucore_error_release(foreign);
  cucore_buffer_release(foreign);
}

static void test_cucore_refuses_handles_of_the_second(objects *all) {
  int32_t value = 0;
  second_counter *released = NULL;
  must(second_counter_create(NULL, &released, NULL), NULL);
  second_counter_release(released);
  cucore_refuses(all, all->counter, LIVE);
  cucore_refuses(all, released, DEAD);
  cucore_answers_nothing(all->counter);
  cucore_answers_nothing(released);
  CHECK(second_counter_step(all->counter, &value, NULL) == CUCORE_OK);
  CHECK(value == second_counter_value(all->counter));
}

/* A handle of libcucore, passed as a counter. */
static void second_refuses(const objects *all, void *foreign, const char *got) {
  cucore_error *e = NULL;
  int32_t value = 7;
  cucore_status s = second_counter_step(foreign, &value, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "counter is not a live second_counter", got);
  CHECK(value == 0);
  s = second_counter_write(foreign, all->buffer, 0, all->stream, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "counter is not a live second_counter", got);
  CHECK(second_counter_value(foreign) == 0);
  CHECK(second_counter_retain(foreign) == foreign);
  second_counter_release(foreign);
}

static void test_the_second_refuses_handles_of_cucore(objects *all) {
  cucore_error *error = NULL;
  cucore_event *released = NULL;
  second_refuses(all, all->device, "it is a cucore_device");
  second_refuses(all, all->stream, "it is a cucore_stream");
  second_refuses(all, all->event, "it is a cucore_event");
  second_refuses(all, all->buffer, "it is a cucore_buffer");
  second_refuses(all, all->program, "it is a cucore_program");
  second_refuses(all, all->linker, "it is a cucore_linker");
  second_refuses(all, all->cache, "it is a cucore_cache");
  second_refuses(all, all->queue, "it is a cucore_queue");
  second_refuses(all, all->future, "it is a cucore_future");
  CHECK(second_counter_step(all->counter, NULL, &error) == CUCORE_ERROR_INVALID_ARGUMENT);
  second_refuses(all, error, "it is a cucore_error");
  CHECK(strstr(cucore_error_message(error), "out must not be NULL") != NULL);
  cucore_error_release(error);
  must(cucore_event_create(all->device, NULL, &released, NULL), NULL);
  cucore_event_release(released);
  second_refuses(all, released, "it is a released cucore_event");
  CHECK(cucore_stream_synchronize(all->stream, NULL) == CUCORE_OK);
  CHECK(cucore_buffer_size(all->buffer) == 64);
}

static void test_errors_are_read_by_both(objects *all) {
  cucore_error *e = NULL;
  cucore_status s = CUCORE_OK;
  int32_t value = 0, steps = 0;
  second_counter_options options = SECOND_COUNTER_OPTIONS_INIT;
  second_counter *none = all->counter;
  while (s == CUCORE_OK && ++steps < 100) s = second_counter_step(all->counter, &value, &e);
  CHECK(s == CUCORE_ERROR_INDEX && value == 0 && second_error_is_of_caller(e));
  CHECK(strcmp(cucore_error_origin(e), "second") == 0);
  FAILED(s, e, CUCORE_ERROR_INDEX, "the counter is 9", "expected less than 9");

  options.first = options.end = 3;
  s = second_counter_create(&options, &none, &e);
  FAILED(s, e, CUCORE_ERROR_SHAPE, "second_counter_options.first is 3", "expected less than 3");
  CHECK(none == NULL);
  options.struct_size = 1;
  s = second_counter_create(&options, &none, &e);
  FAILED(s, e, CUCORE_ERROR_ABI_MISMATCH, "second_counter_options.struct_size", "is 1");

  s = cucore_stream_query(NULL, &value, &e);
  CHECK(s == CUCORE_ERROR_INVALID_ARGUMENT && second_error_is_of_caller(e));
  cucore_error_release(e);
  CHECK(!second_error_is_of_caller(e) && !second_error_is_of_caller(NULL));
  CHECK(!second_error_is_of_caller((cucore_error *)all->counter));
}

/* A failure of libcucore inside the second library keeps its own message and adds the cause's. */
static void test_a_failure_passes_through(objects *all) {
  cucore_error *e = NULL;
  int32_t value = 0;
  cucore_status s = second_counter_write(all->counter, all->buffer, 1000, all->stream, &e);
  CHECK(strcmp(cucore_error_origin(e), "second") == 0);
  FAILED(s, e, CUCORE_ERROR_INVALID_ARGUMENT, "write the counter: ", "1000");
  s = second_counter_write(all->counter, (cucore_buffer *)all->counter, 0, all->stream, &e);
  FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "write the counter: buffer is not a live", LIVE);
  CHECK(second_counter_write(all->counter, all->buffer, 8, all->stream, NULL) == CUCORE_OK);
  must(cucore_buffer_read(all->buffer, 8, &value, sizeof value, all->stream, &e), &e);
  CHECK(value == second_counter_value(all->counter));
}

static void test_faults_stop_at_the_barrier(objects *all) {
  cucore_error *e = NULL;
  cucore_status s = second_counter_fault(all->counter, 0, &e);
  FAILED(s, e, CUCORE_ERROR_INTERNAL, "a fault inside libsecond: ", "as asked");
  s = second_counter_fault(all->counter, 1, &e);
  FAILED(s, e, CUCORE_ERROR_INTERNAL, "a fault inside libsecond", "");
  s = second_counter_fault(all->counter, 2, &e);
  FAILED(s, e, CUCORE_ERROR_OUT_OF_MEMORY, "out of host memory", "");
  CHECK(second_counter_fault(all->counter, 0, NULL) == CUCORE_ERROR_INTERNAL);
}

static void count_messages(cucore_log_level level, const char *message, void *count) {
  if (level == CUCORE_LOG_INFO && strcmp(message, "made a counter") == 0) ++*(int *)count;
}

static void test_the_log_is_one(void) {
  int count = 0;
  second_counter *counter = NULL;
  must(cucore_log_set_callback(count_messages, CUCORE_LOG_INFO, &count, NULL, NULL), NULL);
  must(second_counter_create(NULL, &counter, NULL), NULL);
  must(cucore_log_set_callback(NULL, CUCORE_LOG_ERROR, NULL, NULL, NULL), NULL);
  second_counter_release(counter);
  CHECK(count == 1);
}

/* The child of a fork uses the handles of both libraries, old ones and new ones. */
static void test_a_fork_keeps_both(objects *all) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    const int before = failures;
    second_counter *counter = NULL;
    cucore_queue *queue = NULL;
    cucore_refuses(all, all->counter, LIVE);
    second_refuses(all, all->queue, "it is a cucore_queue");
    CHECK(second_counter_create(NULL, &counter, NULL) == CUCORE_OK);
    CHECK(cucore_queue_create(NULL, &queue, NULL) == CUCORE_OK);
    second_refuses(all, queue, "it is a cucore_queue");
    second_counter_release(counter);
    cucore_queue_release(queue);
    _exit(failures == before ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *mix(void *shared) {
  const objects *all = shared;
  int round;
  for (round = 0; round < 500; ++round) {
    second_counter *counter = NULL;
    cucore_queue *queue = NULL;
    cucore_error *e = NULL;
    int32_t value = 0;
    cucore_status s;
    must(second_counter_create(NULL, &counter, &e), &e);
    must(cucore_queue_create(NULL, &queue, &e), &e);
    s = cucore_queue_close((cucore_queue *)counter, &e);
    FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "cucore_queue", LIVE);
    s = second_counter_step((second_counter *)queue, &value, &e);
    FAILED(s, e, CUCORE_ERROR_INVALID_HANDLE, "second_counter", "it is a cucore_queue");
    second_counter_release((second_counter *)queue);
    second_counter_retain(all->counter);
    second_counter_release(counter);
    cucore_queue_release(queue);
    second_counter_release(all->counter);
  }
  return NULL;
}

static void test_threads_mix_them(objects *all) {
  pthread_t threads[4];
  size_t i;
  for (i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, mix, all) != 0) abort();
  for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK(second_counter_value(all->counter) == 9);
}

int main(void) {
  objects all;
  make_objects(&all);
  test_cucore_refuses_handles_of_the_second(&all);
  test_the_second_refuses_handles_of_cucore(&all);
  test_errors_are_read_by_both(&all);
  test_a_failure_passes_through(&all);
  test_faults_stop_at_the_barrier(&all);
  test_the_log_is_one();
  test_threads_mix_them(&all);
  test_a_fork_keeps_both(&all);
  release_objects(&all);
  if (failures == 0) puts("handles and errors of two libraries do not mix up");
  return failures == 0 ? 0 : 1;
}
