/*
 * cucore/base.h - handle types, status codes and toggles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_BASE_H_INCLUDED
#define CUCORE_BASE_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#  if defined(CUCORE_BUILDING)
#    define CUCORE_API __declspec(dllexport)
#  else
#    define CUCORE_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define CUCORE_API __attribute__((visibility("default"), nothrow)) /* no exception passes */
#else
#  define CUCORE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cucore_error      cucore_error;      /**< the description of one failure */
typedef struct cucore_device     cucore_device;     /**< a GPU, or the CPU device */
typedef struct cucore_stream     cucore_stream;     /**< work that a device executes in order */
typedef struct cucore_event      cucore_event;      /**< a point in the work of a stream */
typedef struct cucore_pool       cucore_pool;       /**< where the memory of buffers comes from */
typedef struct cucore_buffer     cucore_buffer;     /**< device, pinned or managed memory */
typedef struct cucore_program    cucore_program;    /**< source and the options to compile it */
typedef struct cucore_linker     cucore_linker;     /**< combines several inputs to one image */
typedef struct cucore_objectcode cucore_objectcode; /**< compiled code that can be stored */
typedef struct cucore_kernel     cucore_kernel;     /**< a function that a grid of threads runs */
typedef struct cucore_prepared_launch cucore_prepared_launch; /**< a launch that is repeated */
typedef struct cucore_graph      cucore_graph;      /**< work and its order, to be run often */
typedef struct cucore_executable cucore_executable; /**< a graph made ready to launch */
typedef struct cucore_external   cucore_external;   /**< a semaphore of another library */
typedef struct cucore_cache      cucore_cache;      /**< a store of compiled and linked results */
typedef struct cucore_queue      cucore_queue;      /**< the receiver of completions */
typedef struct cucore_future     cucore_future;     /**< the end of work in a stream */
typedef struct cucore_checks     cucore_checks;     /**< checks of kernels on the CPU device */
typedef struct cucore_observer   cucore_observer;   /**< functions called around operations */

/** The result of a call. Numbers are permanent and have gaps; later versions may add numbers. */
typedef enum cucore_status {
  CUCORE_OK = 0, /**< the call succeeded */
  /* the call */
  CUCORE_ERROR_INVALID_ARGUMENT = 101, /**< an argument is out of its range, or NULL */
  CUCORE_ERROR_INVALID_HANDLE   = 102, /**< a released handle, or one of another type */
  CUCORE_ERROR_BUFFER_TOO_SMALL = 103, /**< the size output holds the needed size */
  CUCORE_ERROR_ABI_MISMATCH     = 104, /**< an options struct with fields of a later version */
  CUCORE_ERROR_INVALID_STATE    = 105, /**< the call is valid, but not at this moment */
  CUCORE_ERROR_NOT_FOUND        = 106, /**< a kernel, symbol or file; the message lists others */
  CUCORE_ERROR_UNSUPPORTED      = 107, /**< this device, driver or library does not have it */
  CUCORE_ERROR_NOT_UPDATABLE    = 108, /**< the change needs a new executable */
  CUCORE_ERROR_SHAPE            = 109, /**< shapes or dimensions do not fit together */
  CUCORE_ERROR_DTYPE            = 110, /**< an element type does not allow the operation */
  CUCORE_ERROR_INDEX            = 111, /**< an index is outside its axis */
  CUCORE_ERROR_NUMERIC          = 112, /**< singular, or not converged */
  /* the machine */
  CUCORE_ERROR_LIBRARY_MISSING      = 201, /**< the message lists every path tried */
  CUCORE_ERROR_DRIVER_TOO_OLD       = 202, /**< the message names both versions */
  CUCORE_ERROR_NO_DEVICE            = 203, /**< a driver, but no device */
  CUCORE_ERROR_OUT_OF_MEMORY        = 204, /**< host memory */
  CUCORE_ERROR_OUT_OF_DEVICE_MEMORY = 205, /**< device memory */
  CUCORE_ERROR_IO                   = 206, /**< a file could not be read or written */
  CUCORE_ERROR_NOT_PERMITTED        = 207, /**< the system denies this to the user */
  /* the user's CUDA code */
  CUCORE_ERROR_COMPILATION  = 301, /**< cucore_error_log() has the compiler's output */
  CUCORE_ERROR_LINKING      = 302, /**< cucore_error_log() has the linker's output */
  CUCORE_ERROR_INVALID_CODE = 303, /**< an image or a container that is not well formed */
  CUCORE_ERROR_LAUNCH       = 304, /**< this device cannot run the kernel with these options */
  CUCORE_ERROR_KERNEL_FAULT = 305, /**< a kernel broke its context; see cucore_device_reset() */
  CUCORE_ERROR_SIGNATURE    = 306, /**< a required signature is missing or wrong */
  CUCORE_ERROR_CHECKS       = 307, /**< checks of kernels have reports; the log has all */
  /* progress */
  CUCORE_ERROR_NOT_READY = 401, /**< the work is not complete yet */
  /* the driver, or this library */
  CUCORE_ERROR_CUDA     = 901, /**< any other driver error; see cucore_error_native_name() */
  CUCORE_ERROR_INTERNAL = 902, /**< a defect of this library: please report it */
  CUCORE_STATUS_FORCE_INT32 = 0x7fffffff
} cucore_status;

/**
 * Ends data that an object has kept for the program. It runs exactly once, also if the call that
 * takes it fails.
 *
 * @param user_data  as given together with the function
 */
typedef void (*cucore_destroy_fn)(void *user_data);

/** A setting that has a default in the compiler, the linker, the driver or this library. */
typedef enum cucore_toggle {
  CUCORE_TOGGLE_DEFAULT = 0, /**< the default of the component below, or the one documented */
  CUCORE_TOGGLE_ON      = 1, /**< on */
  CUCORE_TOGGLE_OFF     = 2, /**< off */
  CUCORE_TOGGLE_FORCE_INT32 = 0x7fffffff
} cucore_toggle;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_BASE_H_INCLUDED */
