/* SPDX-License-Identifier: Apache-2.0 */
/* How a test controls the fake CUDA libraries: their properties, the calls that fail, the calls
 * made, and the live objects. Each fake exports these functions. A test opens the fake by its path
 * and looks them up, before or after the library under test has opened it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_API __attribute__((visibility("default")))
#define FAKE_MAX_ARGUMENT_BYTES 4096
#define FAKE_MAX_ATTRIBUTES 48

typedef struct fake_launch {
  char kernel[256];
  uint32_t grid[3], block[3], cluster[3]; /* cluster 0: none asked for */
  uint32_t dynamic_shared;
  int32_t cooperative, programmatic_serialization, priority, has_priority;
  void *stream;
  void *context;
  size_t argument_size; /* up to the end of the last parameter */
  int32_t packed;       /* given as one buffer */
  int32_t is_function;  /* launched by a function of the context, not by a kernel */
  unsigned char arguments[FAKE_MAX_ARGUMENT_BYTES];
  uint32_t attribute_count; /* of all attributes of the launch */
  struct {
    int32_t id, reserved;
    unsigned char value[64];
  } attributes[FAKE_MAX_ATTRIBUTES];
} fake_launch;

/* == Every fake ================================================================================ */

/* Drops failures, delays, the log, settings and scripted kernels; live objects stay. */
FAKE_API void fake_reset(void);

/* Makes one call fail with this result, once. With a name, it is the nth call of that function from
 * now (1 is the next). With NULL, it is the nth call by this thread of any function that can fail
 * and is not a release. A release still does its work. */
FAKE_API void fake_fail_call(const char *name, uint64_t nth, int32_t result);

/* Returns 1 if every requested failure has occurred. */
FAKE_API int32_t fake_failures_used(void);

/* Cancels requested failures that have not occurred. */
FAKE_API void fake_forget_failures(void);

/* Returns the function that failed last, "" if none since the reset. */
FAKE_API const char *fake_last_failed(void);

/* Delays a named function by this time from now on. */
FAKE_API void fake_delay_call(const char *name, uint32_t milliseconds);

FAKE_API uint64_t fake_call_count(const char *name);
FAKE_API uint64_t fake_total_calls(void); /* without questions for the name or text of a result */

/* The log: "cuStreamSynchronize", one name per call, in order. */
FAKE_API uint64_t fake_log_size(void);
FAKE_API const char *fake_log_at(uint64_t index); /* lives as long as the fake */
FAKE_API void fake_set_logging(int32_t on);       /* off: calls are counted and not listed */

/* Returns the number of live objects of a kind: "context" (active primary contexts),
 * "context_reference", "stream", "event", "memory", "host_memory", "library", "kernel", "link",
 * "graph", "graph_exec", "user_object", "pool", "program". NULL means all but kernels, which end
 * with their library. */
FAKE_API uint64_t fake_live_objects(const char *kind);
FAKE_API uint64_t fake_created_objects(const char *kind);

/* Returns the number of calls that crash a real library: use of a destroyed handle, memory freed twice. */
FAKE_API uint64_t fake_violations(void);
FAKE_API const char *fake_last_violation(void);

/* Called around every entry, so that a test that makes memory fail excludes the fake's own. */
FAKE_API void fake_set_boundary(void (*enter)(void), void (*leave)(void));

/* 13000; negative: a query fails with this result. */
FAKE_API void fake_set_version(int32_t version);

/* == The driver ================================================================================ */

FAKE_API void fake_set_device_count(int32_t count);
/* Whether the devices can use memory of each other: 1 unless set. */
FAKE_API void fake_set_peer_access(int32_t has_access);
FAKE_API void fake_set_attribute(int32_t device, int32_t attribute, int32_t value);
FAKE_API void fake_set_memory(uint64_t total_bytes);

/* From now on every use of a context returns this result, as after a kernel's fault, until the
 * context is reset. 0 ends it. */
FAKE_API void fake_set_fault(int32_t result);

/* Sets the fault text of the fake that poses as the CPU device. */
FAKE_API void fake_set_fault_text(const char *text);

/* While held, no work of streams completes. */
FAKE_API void fake_hold_streams(int32_t hold);

/* While held, a stream has room for this many waits and frees; one without room blocks. */
FAKE_API void fake_set_queue_size(uint64_t places);

/* The next questions for the time between two events have these answers, in milliseconds. Later ones
 * have the real time. */
FAKE_API void fake_script_elapsed(const float *milliseconds, size_t count);

/* Adds this kernel to every library loaded from now on. */
FAKE_API void fake_define_kernel(const char *name, size_t parameter_count, const size_t *sizes);
FAKE_API void fake_define_global(const char *name, size_t size);
FAKE_API void fake_set_kernel_attribute(const char *kernel, int32_t attribute, int32_t value);

FAKE_API uint64_t fake_launch_count(void);
FAKE_API int32_t fake_launch_at(uint64_t index, fake_launch *out); /* 0: no such launch */
FAKE_API void fake_set_launch_hook(void (*hook)(const fake_launch *, void *), void *user_data);

/* == The compiler and the linker =============================================================== */

FAKE_API uint64_t fake_compile_count(void);
FAKE_API size_t fake_option_count(void); /* of the last compile or link */
FAKE_API const char *fake_option_at(size_t index);
FAKE_API const char *fake_last_source(void);
FAKE_API size_t fake_header_count(void); /* in-memory headers of the last compile */
FAKE_API const char *fake_header_at(size_t index);

#ifdef __cplusplus
}
#endif
