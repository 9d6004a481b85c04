/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of overheads_open(), entry points of the driver, and failures, for all rows in C. */
#ifndef OVERHEADS_WORLD_H
#define OVERHEADS_WORLD_H

#include <cucore.h>
#include <cuda.h>

#define EXPORT __attribute__((visibility("default")))

extern struct world {
  cucore_device *device;
  cucore_stream *stream;
  cucore_kernel *kernel; /* "k" of (float, pointer, int) */
  cucore_buffer *buffer; /* its pointer */
  CUstream bare_stream;
  CUkernel bare_kernel;
} world;

/* Returns an entry point of the driver, which the program finds by itself; NULL if the driver lacks it. */
void *driver_call(const char *name, int version);

/* Each returns whether its call failed, and keeps the reason for overheads_failure(). */
int refused(cucore_status status, cucore_error *error);
int failed_bare(int status, const char *call);
#define FAILED(call) failed_bare((int)(call), #call)


/* The launch of the kernel by the driver alone. */
int launch_bare(void);
/* Waits for both streams. */
int synchronize_both(void);

#endif
