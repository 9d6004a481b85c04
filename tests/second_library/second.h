/* SPDX-License-Identifier: Apache-2.0 */
/*
 * second.h - the interface of libsecond, a library for tests that is built on cucore.h.
 *
 * The conventions are those of cucore.h. Errors are its errors.
 */
#ifndef SECOND_H_INCLUDED
#define SECOND_H_INCLUDED

#include <cucore.h>

#define SECOND_API __attribute__((visibility("default"), nothrow))

#ifdef __cplusplus
extern "C" {
#endif

/** Counts from one number up to another. */
typedef struct second_counter second_counter;

/** Options for a counter. */
typedef struct second_counter_options {
  size_t        struct_size; /**< sizeof(second_counter_options) */
  int32_t       first;
  int32_t       end;   /**< the first number that is not reached; 0: 10 */
  cucore_toggle wraps; /**< ON: first follows the last number; default OFF */
  int32_t       reserved;
} second_counter_options;

#define SECOND_COUNTER_OPTIONS_INIT \
  { sizeof(second_counter_options), 0, 0, CUCORE_TOGGLE_DEFAULT, 0 }

/** Makes a counter.
 *  @retval CUCORE_ERROR_SHAPE  first is not below end */
SECOND_API cucore_status second_counter_create(const second_counter_options *options,
                                               second_counter **out, cucore_error **error);

SECOND_API second_counter *second_counter_retain(const second_counter *counter);
SECOND_API void second_counter_release(second_counter *counter);

/** Returns the current number. */
SECOND_API int32_t second_counter_value(const second_counter *counter);

/** Counts to the next number.
 *  @retval CUCORE_ERROR_INDEX  the last number is reached */
SECOND_API cucore_status second_counter_step(second_counter *counter, int32_t *out,
                                             cucore_error **error);

/** Writes the number into a buffer of libcucore. Fails as cucore_buffer_write() does. */
SECOND_API cucore_status second_counter_write(const second_counter *counter, cucore_buffer *buffer,
                                              size_t offset, const cucore_stream *stream,
                                              cucore_error **error);

/** Fails by a fault of the library: 0 an exception with a text, 1 one without, 2 no memory. */
SECOND_API cucore_status second_counter_fault(const second_counter *counter, int32_t kind,
                                              cucore_error **error);

/** Returns 1 if an error of any library is due to the caller's code, else 0. */
SECOND_API int32_t second_error_is_of_caller(const cucore_error *error);

#ifdef __cplusplus
}
#endif

#endif
