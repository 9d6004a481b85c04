/*
 * cucore.h - compile, store, load and launch CUDA code through one stable C ABI.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conventions. They hold for every declaration below and are not repeated there.
 * -----------------------------------------------------------------------------
 * Names      cucore_<type>_<verb>[_<object>]; the first parameter is the type. Properties are
 *            nouns; predicates is_, has_, can_ return int32_t 0 or 1.
 * Handles    cucore_stream * and the like are opaque and counted: cucore_<type>_retain() gives
 *            one more reference, cucore_<type>_release() gives one back, from any thread, in any
 *            order, never failing; release(NULL) is nothing. A released handle, or one of another
 *            type, is CUCORE_ERROR_INVALID_HANDLE (a slot is reused after 4096 further releases
 *            at the earliest); a pointer that never was a handle is undefined.
 * Failure    A function that can fail returns cucore_status and takes a nullable
 *            cucore_error **error last. On failure every output is NULL or 0 (except the needed
 *            size with CUCORE_ERROR_BUFFER_TOO_SMALL) and *error is a new error object, yours to
 *            release; on success *error is NULL. What *error held before is overwritten, not
 *            released. Functions without a status answer 0, NULL or "" to NULL and to dead
 *            handles. Every function with a status may, beyond the @retval lines, give
 *            INVALID_ARGUMENT (a NULL where none is allowed), INVALID_HANDLE, OUT_OF_MEMORY, and
 *            INTERNAL (our fault); every function that needs the driver LIBRARY_MISSING,
 *            DRIVER_TOO_OLD, NO_DEVICE, KERNEL_FAULT (an earlier kernel broke the context),
 *            INVALID_STATE (the process was forked after the driver was used, or the object's
 *            context was reset) and CUDA (any other driver error).
 * NULL       is allowed for options, for error, and for arrays whose count is 0. A NULL stream is
 *            INVALID_ARGUMENT: cucore_device_default_stream() gives the default streams.
 * Ownership  What comes out of T **out is yours: release it. A returned const pointer is borrowed
 *            from the first argument and lives as long as it. No function takes an argument over.
 *            Objects keep what they need alive: a kernel its object code, a buffer its stream.
 * Threads    Everything may be called from any number of threads at once. Races on one range of
 *            a buffer's bytes are yours. Keep your reference to every argument during a call.
 * Context    The calling thread's current CUDA context is the same after a call as before it. An
 *            object acts on its own device, whatever is current.
 * Options    Start from CUCORE_<TYPE>_OPTIONS_INIT, or pass NULL for all defaults. In every field
 *            0 or NULL is the default, for ever. Fields are only ever added at the end:
 *            struct_size says which ones you know; a part that this library does not know must
 *            be zero, else CUCORE_ERROR_ABI_MISMATCH. Structs that the library fills in begin
 *            with struct_size too, set by you.
 * Bytes      Data is pointer and size. Names, paths and flags are UTF-8 and end with a NUL.
 *            Returned strings are never NULL. A caller's buffer comes as (buffer, capacity,
 *            &size): size is always the size needed; NULL with capacity 0 asks for it.
 * Callbacks  take user_data last; destroy(user_data) runs exactly once whatever happens.
 * Units      Bytes, milliseconds where the name says so, blocks and threads for grids and blocks.
 */
#ifndef CUCORE_H_INCLUDED
#define CUCORE_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#define CUCORE_VERSION_MAJOR 0
#define CUCORE_VERSION_MINOR 1
#define CUCORE_VERSION_PATCH 0
/** The version of this header, as cucore_version() gives that of the library. */
#define CUCORE_VERSION \
  (CUCORE_VERSION_MAJOR * 10000 + CUCORE_VERSION_MINOR * 100 + CUCORE_VERSION_PATCH)

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

/* == Types ==================================================================================== */

typedef struct cucore_error      cucore_error;      /**< why a call failed */
typedef struct cucore_device     cucore_device;     /**< a GPU, or the CPU device */
typedef struct cucore_stream     cucore_stream;     /**< work that runs in order */
typedef struct cucore_event      cucore_event;      /**< a point in a stream's work */
typedef struct cucore_buffer     cucore_buffer;     /**< device, pinned or managed memory */
typedef struct cucore_program    cucore_program;    /**< source and the options to compile it */
typedef struct cucore_linker     cucore_linker;     /**< makes one image of several */
typedef struct cucore_objectcode cucore_objectcode; /**< compiled code that can be stored */
typedef struct cucore_kernel     cucore_kernel;     /**< a function that a grid of threads runs */
typedef struct cucore_cache      cucore_cache;      /**< what was compiled and linked before */
typedef struct cucore_queue      cucore_queue;      /**< where completions come out */
typedef struct cucore_future     cucore_future;     /**< work in a stream, to be told of its end */

/** How a call ended. Numbers are permanent and have gaps; later versions may give new ones. */
typedef enum cucore_status {
  CUCORE_OK = 0,
  /* the call */
  CUCORE_ERROR_INVALID_ARGUMENT = 101, /**< an argument is out of its range, or NULL */
  CUCORE_ERROR_INVALID_HANDLE   = 102, /**< a released handle, or one of another type */
  CUCORE_ERROR_BUFFER_TOO_SMALL = 103, /**< size says how much is needed */
  CUCORE_ERROR_ABI_MISMATCH     = 104, /**< an options struct that this library does not know */
  CUCORE_ERROR_INVALID_STATE    = 105, /**< right call, wrong moment */
  CUCORE_ERROR_NOT_FOUND        = 106, /**< a kernel, symbol or file; the message lists what is */
  CUCORE_ERROR_UNSUPPORTED      = 107, /**< this device, driver or library cannot do it */
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
  CUCORE_ERROR_LAUNCH       = 304, /**< the kernel cannot be launched so on this device */
  CUCORE_ERROR_KERNEL_FAULT = 305, /**< a kernel broke its context; see cucore_device_reset() */
  CUCORE_ERROR_SIGNATURE    = 306, /**< a required signature is missing or wrong */
  /* progress */
  CUCORE_ERROR_NOT_READY = 401, /**< the work is not complete yet */
  /* the driver, or this library */
  CUCORE_ERROR_CUDA     = 901, /**< any other driver error; see cucore_error_native_name() */
  CUCORE_ERROR_INTERNAL = 902, /**< a fault of this library: please report it */
  CUCORE_STATUS_FORCE_INT32 = 0x7fffffff
} cucore_status;

/** A choice for which the compiler, the linker or the driver has a default of its own. */
typedef enum cucore_toggle {
  CUCORE_TOGGLE_DEFAULT = 0,
  CUCORE_TOGGLE_ON      = 1,
  CUCORE_TOGGLE_OFF     = 2,
  CUCORE_TOGGLE_FORCE_INT32 = 0x7fffffff
} cucore_toggle;

/* == Version ================================================================================== */

/** The version of the library in use: major * 10000 + minor * 100 + patch. @since 0.1 */
CUCORE_API uint32_t cucore_version(void);

/** The same as text, "0.1.0". @since 0.1 */
CUCORE_API const char *cucore_version_string(void);

/* == Error ==================================================================================== */

/** "CUCORE_ERROR_COMPILATION"; "CUCORE_STATUS_UNKNOWN" for a number that is none. @since 0.1 */
CUCORE_API const char *cucore_status_name(cucore_status status);

/** One more reference to an error; gives back its argument. @since 0.1 */
CUCORE_API cucore_error *cucore_error_retain(const cucore_error *error);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_error_release(cucore_error *error);

/** The status that the failed call returned; CUCORE_OK for NULL. @since 0.1 */
CUCORE_API cucore_status cucore_error_status(const cucore_error *error);

/** What was attempted, on what, why it failed and what to do, in one sentence. @since 0.1 */
CUCORE_API const char *cucore_error_message(const cucore_error *error);

/** Whose code cucore_error_native_code() is: "cuda", "nvrtc", "nvjitlink", "nvvm", "cucore", or
 *  the name that another library passed for its own errors. @since 0.1 */
CUCORE_API const char *cucore_error_origin(const cucore_error *error);

/** The number that the driver or the compiler gave, 0 where the failure is our own.
 *  @since 0.1 */
CUCORE_API int32_t cucore_error_native_code(const cucore_error *error);

/** Its name, "CUDA_ERROR_INVALID_PTX"; "" where there is none. @since 0.1 */
CUCORE_API const char *cucore_error_native_name(const cucore_error *error);

/** The whole output of the compiler, the linker or the driver's PTX compiler. @since 0.1 */
CUCORE_API const char *cucore_error_log(const cucore_error *error);

/** How bad what a compiler or a linker says is. */
typedef enum cucore_severity {
  CUCORE_SEVERITY_NONE    = 0,
  CUCORE_SEVERITY_NOTE    = 1, /**< remarks and figures: registers, spills */
  CUCORE_SEVERITY_WARNING = 2,
  CUCORE_SEVERITY_ERROR   = 3,
  CUCORE_SEVERITY_FATAL   = 4, /**< an error after which nothing more was read */
  CUCORE_SEVERITY_FORCE_INT32 = 0x7fffffff
} cucore_severity;

/** One thing that a compiler or a linker said; strings live as long as what was asked. */
typedef struct cucore_diagnostic_info {
  size_t          struct_size; /**< set by you: sizeof(cucore_diagnostic_info) */
  cucore_severity severity;
  int32_t         line;   /**< from 1; 0: not said */
  int32_t         column; /**< from 1; 0: not said */
  int32_t         reserved;
  const char     *file; /**< "" where it is not said */
  const char     *text; /**< without the file, the line and the severity */
} cucore_diagnostic_info;

#define CUCORE_DIAGNOSTIC_INFO_INIT \
  { sizeof(cucore_diagnostic_info), CUCORE_SEVERITY_NONE, 0, 0, 0, NULL, NULL }

/** How many diagnostics cucore_error_log() holds. @since 0.1 */
CUCORE_API size_t cucore_error_diagnostic_count(const cucore_error *failure);

/** One diagnostic of the log, in its order.
 *  @param index  less than cucore_error_diagnostic_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_error_diagnostic_at(const cucore_error *failure, size_t index,
                                                    cucore_diagnostic_info *out,
                                                    cucore_error **error);

/** Optional parts of an error for cucore_error_create(). Each string is copied. */
typedef struct cucore_error_options {
  size_t      struct_size; /**< sizeof(cucore_error_options) */
  const char *origin;      /**< see cucore_error_origin(); default "cucore" */
  int32_t     native_code; /**< see cucore_error_native_code() */
  int32_t     reserved;
  const char *native_name; /**< see cucore_error_native_name(); default "" */
  const char *log;         /**< see cucore_error_log(); default "" */
  const cucore_error *cause; /**< why this failed: its message and its log are appended */
} cucore_error_options;

#define CUCORE_ERROR_OPTIONS_INIT \
  { sizeof(cucore_error_options), NULL, 0, 0, NULL, NULL, NULL }

/**
 * Creates an error, for libraries that are built on this one. Every function on errors accepts
 * it. The result is never NULL: without memory it is the static error that reports
 * CUCORE_ERROR_OUT_OF_MEMORY.
 *
 * The message of the cause follows the given one after ": ", the log of the cause on a new line.
 * The cause is not kept: release your reference as before. A cause that is not a live error adds
 * nothing.
 *
 * If an argument is not valid, the error reports that instead and ends with the given message. It
 * is CUCORE_ERROR_INVALID_ARGUMENT for a status below 1 or a reserved field, and
 * CUCORE_ERROR_ABI_MISMATCH for a wrong struct_size or an unknown field.
 *
 * @param status   a number of cucore_status, also one that only later versions define
 * @param message  one sentence: what was attempted, on what, why it failed, what to do. NULL: the
 *                 name of the status
 * @param options  NULL for the defaults
 * @since 0.1
 */
CUCORE_API cucore_error *cucore_error_create(cucore_status status, const char *message,
                                             const cucore_error_options *options);

/* == Log ====================================================================================== */

/** How much a message matters. */
typedef enum cucore_log_level {
  CUCORE_LOG_DEBUG   = 1, /**< each library tried, each module loaded and unloaded */
  CUCORE_LOG_INFO    = 2, /**< choices made for you: the driver in use, the linker in use */
  CUCORE_LOG_WARNING = 3, /**< something works, but not as well as it could */
  CUCORE_LOG_ERROR   = 4, /**< a failure that no call can report: in a release, in a callback */
  CUCORE_LOG_LEVEL_FORCE_INT32 = 0x7fffffff
} cucore_log_level;

/** Receives one message, valid during the call only. Runs on whichever thread has something to
 *  say, one call at a time; it must not call this library. */
typedef void (*cucore_log_fn)(cucore_log_level level, const char *message, void *user_data);

/**
 * Sets the one receiver of the library's messages. Without one nothing is ever printed.
 *
 * @param fn         NULL for none
 * @param least      messages below this level are dropped
 * @param user_data  given to fn
 * @param destroy    NULL, or called with user_data once the receiver is replaced, after its last
 *                   call has returned; also called if this function fails
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  least is not a level
 * @since 0.1
 */
CUCORE_API cucore_status cucore_log_set_callback(cucore_log_fn fn, cucore_log_level least,
                                                 void *user_data, void (*destroy)(void *user_data),
                                                 cucore_error **error);

/**
 * Writes one message to the receiver, for libraries that are built on this one. Without a receiver
 * for this level it does nothing. It waits while the receiver takes a message of another thread.
 *
 * @param level    a number that is not a level drops the message
 * @param message  NULL drops it
 * @since 0.1
 */
CUCORE_API void cucore_log_write(cucore_log_level level, const char *message);

/** Whether a receiver takes messages of this level: 1 or 0, at the cost of one load. Query it
 *  before you build a message. 0 for a number that is not a level. @since 0.1 */
CUCORE_API int32_t cucore_log_enabled(cucore_log_level level);

/* == Library ================================================================================== */

/** The libraries that are opened at run time, each on first use; none is linked. */
typedef enum cucore_library {
  CUCORE_LIBRARY_DRIVER    = 1, /**< libcuda.so.1, or the CPU device libcucore-cpu.so */
  CUCORE_LIBRARY_NVRTC     = 2, /**< the compiler, libnvrtc.so */
  CUCORE_LIBRARY_NVJITLINK = 3, /**< the linker, libnvJitLink.so */
  CUCORE_LIBRARY_NVVM      = 4, /**< the compiler of NVVM IR, libnvvm.so; its version is its own */
  /* This library calls nothing of the following ones: see cucore_library_symbol(). The version of
     each is its own. */
  CUCORE_LIBRARY_CUBLAS    = 5,  /**< linear algebra, libcublas.so */
  CUCORE_LIBRARY_CUBLASLT  = 6,  /**< matrix products, libcublasLt.so */
  CUCORE_LIBRARY_CUFFT     = 7,  /**< Fourier transforms, libcufft.so */
  CUCORE_LIBRARY_CUSOLVER  = 8,  /**< solvers and factorizations, libcusolver.so */
  CUCORE_LIBRARY_CURAND    = 9,  /**< random numbers, libcurand.so */
  CUCORE_LIBRARY_CUSPARSE  = 10, /**< sparse linear algebra, libcusparse.so */
  CUCORE_LIBRARY_NCCL      = 11, /**< communication between devices, libnccl.so */
  CUCORE_LIBRARY_CUPTI     = 12, /**< profiling, libcupti.so */
  CUCORE_LIBRARY_NVML      = 13, /**< management of devices, libnvidia-ml.so.1 of the driver */
  CUCORE_LIBRARY_FORCE_INT32 = 0x7fffffff
} cucore_library;

/** What cucore_library_query() tells. Strings live until the process ends. */
typedef struct cucore_library_info {
  size_t      struct_size;   /**< set by you: sizeof(cucore_library_info) */
  const char *path;          /**< the file in use, "" while unavailable */
  int32_t     version_major; /**< the driver's is the highest CUDA version it serves */
  int32_t     version_minor;
  int32_t     available;     /**< 1 if it is open and usable */
  const char *reason;        /**< why it is unavailable, with every path tried; else "" */
} cucore_library_info;

#define CUCORE_LIBRARY_INFO_INIT \
  { sizeof(cucore_library_info), NULL, 0, 0, 0, NULL }

/**
 * Opens a library if it is not open yet and tells what it is, or why it cannot be used.
 * A library that is missing is not a failure of this call: available is 0 and reason says why.
 *
 * @param library  which one
 * @param out      filled in; struct_size must be set
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is not one of the enumerators
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is smaller than the first release's
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_query(cucore_library library, cucore_library_info *out,
                                              cucore_error **error);

/**
 * Names the file of a library, or the folder that holds it, before its first use. It is tried
 * after what the process has already loaded, after the environment (CUCORE_NVRTC and so on: the
 * enumerator without LIBRARY) and after the system's search path, and before CUDA_HOME, CUDA_PATH
 * and /usr/local/cuda. Bindings pass the folders of NVIDIA's Python wheels.
 *
 * @param path  a file or a folder; it need not exist yet
 * @retval CUCORE_ERROR_INVALID_STATE     the library is already open
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is the driver: see cucore_driver_select()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_set_path(cucore_library library, const char *path,
                                                 cucore_error **error);

/**
 * The address of a function of a library. Opens the library if it is not open yet. The address
 * stays valid until the process ends.
 *
 * The name is the exported one, as the system's loader finds it: "cuMemAlloc_v2", not the
 * "cuMemAlloc" that cuda.h maps to it. Functions of the driver are those of the driver in use, the
 * CPU device included; cucore_driver_select() chooses it. Functions of nvJitLink are also found
 * by the name without a version.
 *
 * @param library  which one
 * @param name     of the function
 * @param out      the address: convert it to the function's type
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is not one of the enumerators
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the library cannot be opened; every path tried is listed
 * @retval CUCORE_ERROR_NOT_FOUND         the library has no such function
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_symbol(cucore_library library, const char *name, void **out,
                                               cucore_error **error);

/**
 * Chooses the driver, before its first use; beats the environment variable CUCORE_DRIVER. If the
 * driver in use is already the chosen one, the call succeeds and changes nothing.
 *
 * "nvidia" is libcuda.so.1; "cpu" the CPU device, which runs PTX on the processor; "auto", the
 * default, takes NVIDIA's where it opens and has a device, else the CPU device, and says so
 * once through the log. Anything with a slash is the path of a driver library.
 *
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  neither a known name nor a path
 * @retval CUCORE_ERROR_INVALID_STATE     another driver is already in use
 * @since 0.1
 */
CUCORE_API cucore_status cucore_driver_select(const char *name_or_path, cucore_error **error);

/* == Device =================================================================================== */

/** Properties of a device, by the driver's numbers (CUdevice_attribute of CUDA's driver API);
 *  any number that the driver knows may be asked for, named here or not. */
typedef enum cucore_device_attribute_name {
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK              = 1,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X                    = 2,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y                    = 3,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z                    = 4,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X                     = 5,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y                     = 6,
  CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z                     = 7,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK        = 8,
  CUCORE_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY              = 9,
  CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE                          = 10,
  CUCORE_DEVICE_ATTRIBUTE_MAX_PITCH                          = 11,
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK            = 12,
  CUCORE_DEVICE_ATTRIBUTE_CLOCK_RATE                         = 13, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT               = 16,
  CUCORE_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT                = 17,
  CUCORE_DEVICE_ATTRIBUTE_INTEGRATED                         = 18,
  CUCORE_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY                = 19,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_MODE                       = 20,
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS                 = 31,
  CUCORE_DEVICE_ATTRIBUTE_ECC_ENABLED                        = 32,
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE                  = 36, /**< kHz */
  CUCORE_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH            = 37, /**< bits */
  CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE                      = 38,
  CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR     = 39,
  CUCORE_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT                 = 40,
  CUCORE_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING                 = 41,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR           = 75,
  CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR           = 76,
  CUCORE_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED        = 78,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR   = 82,
  CUCORE_DEVICE_ATTRIBUTE_MANAGED_MEMORY                     = 83,
  CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS          = 89,
  CUCORE_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH                 = 95,
  CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN  = 97,
  CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR      = 106,
  CUCORE_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK   = 111,
  CUCORE_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED             = 115,
  CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH                     = 120,
  CUCORE_DEVICE_ATTRIBUTE_FORCE_INT32                        = 0x7fffffff
} cucore_device_attribute_name;

/** The two streams that every context has without creating one. */
typedef enum cucore_default_stream {
  CUCORE_DEFAULT_STREAM_LEGACY     = 1, /**< waits for, and is waited for by, blocking streams */
  CUCORE_DEFAULT_STREAM_PER_THREAD = 2, /**< one for each host thread */
  CUCORE_DEFAULT_STREAM_FORCE_INT32 = 0x7fffffff
} cucore_default_stream;

/**
 * How many devices the driver in use has; 0, and CUCORE_OK, where there is no driver.
 * @retval CUCORE_ERROR_DRIVER_TOO_OLD  there is a driver, older than CUDA 12.0
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_count(int32_t *out, cucore_error **error);

/**
 * Opens a device. Its primary context is made on the first call that needs it, and kept. Opening
 * one device several times gives the same handle, one reference each time.
 *
 * @param ordinal  0 to cucore_device_count() - 1
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  no such ordinal; the message says how many there are
 * @retval CUCORE_ERROR_LIBRARY_MISSING   no driver
 * @retval CUCORE_ERROR_NO_DEVICE         a driver without a device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_open(int32_t ordinal, cucore_device **out,
                                            cucore_error **error);

/** One more reference to a device; gives back its argument. @since 0.1 */
CUCORE_API cucore_device *cucore_device_retain(const cucore_device *device);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_device_release(cucore_device *device);

/** Its number; 0 for NULL. @since 0.1 */
CUCORE_API int32_t cucore_device_ordinal(const cucore_device *device);

/** "NVIDIA H200". @since 0.1 */
CUCORE_API const char *cucore_device_name(const cucore_device *device);

/** The architecture to compile for, "sm_90". @since 0.1 */
CUCORE_API const char *cucore_device_arch(const cucore_device *device);

/** The address on the PCI bus, "0000:1b:00.0". @since 0.1 */
CUCORE_API const char *cucore_device_pci_bus_id(const cucore_device *device);

/** 1 for the CPU device, which runs PTX and no machine code. @since 0.1 */
CUCORE_API int32_t cucore_device_is_emulated(const cucore_device *device);

/** The compute capability, 9 and 0 for sm_90. @since 0.1 */
CUCORE_API cucore_status cucore_device_compute_capability(const cucore_device *device,
                                                          int32_t *major, int32_t *minor,
                                                          cucore_error **error);

/**
 * One property of a device.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver does not know the attribute
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_attribute(const cucore_device *device,
                                                 cucore_device_attribute_name name, int32_t *out,
                                                 cucore_error **error);

/** The 16 bytes that name this device on every machine and in every process. @since 0.1 */
CUCORE_API cucore_status cucore_device_uuid(const cucore_device *device, uint8_t out[16],
                                            cucore_error **error);

/** Device memory, in bytes, free at this moment and in all. @since 0.1 */
CUCORE_API cucore_status cucore_device_memory(const cucore_device *device, size_t *free_bytes,
                                              size_t *total_bytes, cucore_error **error);

/** Whether kernels on device may use the memory of peer directly. @since 0.1 */
CUCORE_API cucore_status cucore_device_can_access_peer(const cucore_device *device,
                                                       const cucore_device *peer, int32_t *out,
                                                       cucore_error **error);

/** The range of stream priorities: least is the default, greatest (a lower number) goes first.
 *  @since 0.1 */
CUCORE_API cucore_status cucore_device_stream_priorities(const cucore_device *device,
                                                         int32_t *least, int32_t *greatest,
                                                         cucore_error **error);

/**
 * Waits until all work of the device is complete.
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_device_reset()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_synchronize(const cucore_device *device,
                                                   cucore_error **error);

/**
 * One of the device's default streams. PER_THREAD means the calling thread's at each use.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kind is not one of the enumerators
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_default_stream(const cucore_device *device,
                                                      cucore_default_stream kind,
                                                      cucore_stream **out, cucore_error **error);

/**
 * Destroys the device's primary context and everything in it, for this process, and makes a new
 * one. Streams, events and buffers made before answer CUCORE_ERROR_INVALID_STATE from then on;
 * object code and kernels load again by themselves. Other users of the primary context in the
 * process lose it too.
 *
 * The reset begins when the calls of other threads that use the context have returned. Each call
 * that comes later fails with CUCORE_ERROR_INVALID_STATE.
 *
 * The CPU device goes on after CUCORE_ERROR_KERNEL_FAULT in this way. NVIDIA's driver does not
 * after most faults: the process has to be restarted, and this call says so.
 * @retval CUCORE_ERROR_KERNEL_FAULT  the driver makes no new context in this process
 * @since 0.1
 */
CUCORE_API cucore_status cucore_device_reset(const cucore_device *device, cucore_error **error);

/* == Stream =================================================================================== */

/** How to make a stream. */
typedef struct cucore_stream_options {
  size_t        struct_size; /**< sizeof(cucore_stream_options) */
  cucore_toggle nonblocking; /**< OFF: synchronises with the legacy default stream; default ON */
  int32_t       priority;    /**< see cucore_device_stream_priorities(); 0 is the default */
} cucore_stream_options;

#define CUCORE_STREAM_OPTIONS_INIT \
  { sizeof(cucore_stream_options), CUCORE_TOGGLE_DEFAULT, 0 }

/**
 * Makes a stream on a device.
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  priority is out of the range that the message gives
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_create(const cucore_device *device,
                                              const cucore_stream_options *options,
                                              cucore_stream **out, cucore_error **error);

/**
 * Wraps a CUstream that somebody else made; it is borrowed, never destroyed, and must outlive
 * the result. NULL and the driver's special values mean the default streams.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream belongs to another device or context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_stream_from_native(const cucore_device *device, void *native,
                                                   cucore_stream **out, cucore_error **error);

/** One more reference to a stream; gives back its argument. @since 0.1 */
CUCORE_API cucore_stream *cucore_stream_retain(const cucore_stream *stream);

/** Gives one reference back. Work already in the stream goes on. @since 0.1 */
CUCORE_API void cucore_stream_release(cucore_stream *stream);

/** The stream's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_stream_device(const cucore_stream *stream, cucore_device **out,
                                              cucore_error **error);

/** Waits until all work in the stream is complete.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context @since 0.1 */
CUCORE_API cucore_status cucore_stream_synchronize(const cucore_stream *stream,
                                                   cucore_error **error);

/** Whether all work in the stream is complete: 1 or 0, at once. The query that first returns 1
 *  writes what kernels have printed, as a wait does.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context @since 0.1 */
CUCORE_API cucore_status cucore_stream_query(const cucore_stream *stream, int32_t *done,
                                             cucore_error **error);

/** Work added to the stream from now on waits for the event as it is recorded now; an event
 *  never recorded is waited for by nobody. @since 0.1 */
CUCORE_API cucore_status cucore_stream_wait_event(const cucore_stream *stream,
                                                  const cucore_event *event, cucore_error **error);

/** Work added to the stream from now on waits for what is in other now. @since 0.1 */
CUCORE_API cucore_status cucore_stream_wait_stream(const cucore_stream *stream,
                                                   const cucore_stream *other,
                                                   cucore_error **error);

/** The CUstream. @since 0.1 */
CUCORE_API void *cucore_stream_native(const cucore_stream *stream);

/* == Event ==================================================================================== */

/** How to make an event; each field 0 or 1. */
typedef struct cucore_event_options {
  size_t  struct_size;   /**< sizeof(cucore_event_options) */
  int32_t timing;        /**< 1: cucore_event_elapsed() works; costs a little on each record */
  int32_t blocking_sync; /**< 1: synchronize sleeps instead of spinning */
  int32_t interprocess;  /**< 1: may be shared with other processes; not with timing */
  int32_t reserved;      /**< 0 */
} cucore_event_options;

#define CUCORE_EVENT_OPTIONS_INIT \
  { sizeof(cucore_event_options), 0, 0, 0, 0 }

/**
 * Makes an event on a device, not recorded yet. It is recorded later, on any stream of the
 * device, as often as wanted.
 * @param options  NULL for the defaults: no timing
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is neither 0 nor 1, or interprocess with timing
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_create(const cucore_device *device,
                                             const cucore_event_options *options,
                                             cucore_event **out, cucore_error **error);

/** One more reference to an event; gives back its argument. @since 0.1 */
CUCORE_API cucore_event *cucore_event_retain(const cucore_event *event);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_event_release(cucore_event *event);

/** The event's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_event_device(const cucore_event *event, cucore_device **out,
                                             cucore_error **error);

/** 1 if the event was made with timing. @since 0.1 */
CUCORE_API int32_t cucore_event_has_timing(const cucore_event *event);

/**
 * Records the event: it completes when everything now in the stream has. Recording again moves
 * the event.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  event and stream belong to different devices
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_record(cucore_event *event, const cucore_stream *stream,
                                             cucore_error **error);

/** Waits until the event is complete; an event never recorded is. @since 0.1 */
CUCORE_API cucore_status cucore_event_synchronize(const cucore_event *event, cucore_error **error);

/** Whether the event is complete: 1 or 0, at once; an event never recorded is. The query that first
 *  returns 1 writes what kernels have printed, as a wait does. @since 0.1 */
CUCORE_API cucore_status cucore_event_query(const cucore_event *event, int32_t *done,
                                            cucore_error **error);

/**
 * The time between two events, in milliseconds, with a resolution of about half a microsecond.
 * @retval CUCORE_ERROR_INVALID_STATE  one was made without timing, or was never recorded, or
 *                                     they belong to different devices: three messages
 * @retval CUCORE_ERROR_NOT_READY      one is not complete: synchronize it first
 * @since 0.1
 */
CUCORE_API cucore_status cucore_event_elapsed(const cucore_event *start, const cucore_event *end,
                                              float *milliseconds, cucore_error **error);

/** The CUevent. @since 0.1 */
CUCORE_API void *cucore_event_native(const cucore_event *event);

/* == Buffer =================================================================================== */

/**
 * Device memory from the device's stream-ordered pool: usable by work that comes after this in
 * the stream, or after synchronising with it. The buffer keeps the stream, and is freed in its
 * order once the last reference is gone: see cucore_buffer_release(). If the memory is exhausted,
 * the call waits for the work of the device and for what is about to be freed, and tries again.
 * @param size  in bytes; 0 is allowed and has the address 0
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the message says how much was asked for and is free
 * @retval CUCORE_ERROR_INVALID_STATE         the stream is captured into a graph, or its context
 *                                            was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_create(const cucore_device *device, size_t size,
                                              const cucore_stream *stream, cucore_buffer **out,
                                              cucore_error **error);

/** Pinned host memory that the device reads and writes over the bus; copies to and from it are
 *  asynchronous. @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  it cannot be had @since 0.1 */
CUCORE_API cucore_status cucore_buffer_create_pinned(const cucore_device *device, size_t size,
                                                     cucore_buffer **out, cucore_error **error);

/** Managed memory, which moves between host and device by itself.
 *  @retval CUCORE_ERROR_UNSUPPORTED           the device has none
 *  @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  it cannot be had @since 0.1 */
CUCORE_API cucore_status cucore_buffer_create_managed(const cucore_device *device, size_t size,
                                                      cucore_buffer **out, cucore_error **error);

/** Wraps memory that somebody else allocated; it is borrowed, never freed, and must outlive the
 *  result. @retval CUCORE_ERROR_INVALID_ARGUMENT  address is 0 and size is not @since 0.1 */
CUCORE_API cucore_status cucore_buffer_from_native(const cucore_device *device, uint64_t address,
                                                   size_t size, cucore_buffer **out,
                                                   cucore_error **error);

/** One more reference to a buffer; gives back its argument. @since 0.1 */
CUCORE_API cucore_buffer *cucore_buffer_retain(const cucore_buffer *buffer);

/**
 * Releases one reference. The last one frees the memory after all work that uses the buffer: the
 * work in the buffer's stream, and the work on each stream of which a use was recorded. The device
 * waits for that work. Neither the calling thread nor any stream of the program waits.
 *
 * In these cases a thread of the library waits for the work and then frees the memory:
 * - the memory is pinned or managed, or the device has no memory pools,
 * - the buffer's stream or a recorded stream is captured into a graph,
 * - some hundred releases wait already for work that has not ended.
 *
 * A graph that uses the buffer keeps its memory until the graph and all that was instantiated from
 * it are destroyed; with a driver before 12.3 for ever. The memory of a buffer on a default stream
 * is freed in the order of the legacy default stream, which orders all blocking streams.
 *
 * Uses are recorded by every function of this library that takes the buffer and a stream, and by
 * launches that take it as CUCORE_ARGUMENT_OBJECT. Launches that take its address, and work of
 * other libraries, must stay in the order of the buffer's stream, or be recorded by
 * cucore_buffer_record_use().
 * @since 0.1
 */
CUCORE_API void cucore_buffer_release(cucore_buffer *buffer);

/**
 * Records that work on a stream uses the buffer, so that its memory is freed after that work. Call
 * it after the work was added to the stream. On the buffer's own stream, for borrowed memory, and
 * for a stream that is recorded already it does next to nothing; the first call for a stream made
 * by cucore_stream_create() costs no call of the driver, each call for another one an event.
 *
 * @retval CUCORE_ERROR_INVALID_STATE  the context of the buffer or of the stream was reset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_record_use(const cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/** Moves the freeing of the memory to another stream of the same device; the stream before counts
 *  as a recorded use. Pinned, managed and borrowed memory: INVALID_STATE. @since 0.1 */
CUCORE_API cucore_status cucore_buffer_set_stream(cucore_buffer *buffer,
                                                  const cucore_stream *stream,
                                                  cucore_error **error);

/** The buffer's device, one more reference to it. @since 0.1 */
CUCORE_API cucore_status cucore_buffer_device(const cucore_buffer *buffer, cucore_device **out,
                                              cucore_error **error);

/** The address on the device: what a kernel gets for a pointer parameter. @since 0.1 */
CUCORE_API uint64_t cucore_buffer_address(const cucore_buffer *buffer);

/** The address on the host of pinned and managed memory; NULL for device memory. @since 0.1 */
CUCORE_API void *cucore_buffer_host_pointer(const cucore_buffer *buffer);

/** The size in bytes. @since 0.1 */
CUCORE_API size_t cucore_buffer_size(const cucore_buffer *buffer);

/**
 * Copies from host memory into the buffer, in the stream's order. Returns when source may be used
 * again.
 * @param offset  in bytes, in the buffer
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, or the stream
 *                                        belongs to another device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_write(cucore_buffer *buffer, size_t offset,
                                             const void *source, size_t size,
                                             const cucore_stream *stream, cucore_error **error);

/**
 * Copies from the buffer to host memory, in the stream's order. Returns when destination is
 * filled.
 * @param offset  in bytes, in the buffer
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write()
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel before it in the stream broke the context
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_read(const cucore_buffer *buffer, size_t offset,
                                            void *destination, size_t size,
                                            const cucore_stream *stream, cucore_error **error);

/** Copies between buffers of any kind and any device, in the stream's order, asynchronously. The
 *  ranges must not overlap. @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_buffer_write()
 *  @since 0.1 */
CUCORE_API cucore_status cucore_buffer_copy(cucore_buffer *destination, size_t destination_offset,
                                            const cucore_buffer *source, size_t source_offset,
                                            size_t size, const cucore_stream *stream,
                                            cucore_error **error);

/**
 * Fills a range with a repeated pattern, in the stream's order, asynchronously. A pattern of 8 bytes
 * whose halves differ takes several driver calls, every other pattern takes one.
 *
 * @param size          in bytes, a multiple of pattern_size
 * @param pattern       copied before this returns
 * @param pattern_size  in bytes: 1, 2, 4 or 8; offset and address must be multiples of it also
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the range is not inside the buffer, a size, offset or address
 *                                        does not fit the pattern, or the stream belongs to another
 *                                        device
 * @since 0.1
 */
CUCORE_API cucore_status cucore_buffer_fill(cucore_buffer *buffer, size_t offset, size_t size,
                                            const void *pattern, size_t pattern_size,
                                            const cucore_stream *stream, cucore_error **error);

/** The address as a pointer, as cucore_buffer_address(). @since 0.1 */
CUCORE_API void *cucore_buffer_native(const cucore_buffer *buffer);

/* == Program ================================================================================== */

/** What a program's source is written in. */
typedef enum cucore_source_type {
  CUCORE_SOURCE_TYPE_CUDA_CPP = 1, /**< CUDA C++, compiled by NVRTC */
  CUCORE_SOURCE_TYPE_PTX      = 2, /**< PTX, compiled by nvJitLink or the driver */
  CUCORE_SOURCE_TYPE_NVVM_IR  = 3, /**< NVVM IR, compiled by libNVVM */
  CUCORE_SOURCE_TYPE_FORCE_INT32 = 0x7fffffff
} cucore_source_type;

/** What object code holds. */
typedef enum cucore_code_type {
  CUCORE_CODE_TYPE_PTX     = 1, /**< text that the driver compiles for its device */
  CUCORE_CODE_TYPE_CUBIN   = 2, /**< machine code of one architecture */
  CUCORE_CODE_TYPE_LTOIR   = 3, /**< for link-time optimisation */
  CUCORE_CODE_TYPE_FATBIN  = 4, /**< several images, of which the driver picks one */
  CUCORE_CODE_TYPE_OBJECT  = 5, /**< a host object file with device code inside: linker input */
  CUCORE_CODE_TYPE_LIBRARY = 6, /**< an archive of such files: linker input */
  CUCORE_CODE_TYPE_BUNDLE  = 7, /**< several images of one program in a container */
  CUCORE_CODE_TYPE_FORCE_INT32 = 0x7fffffff
} cucore_code_type;

/** Which library does the work of a program or a linker. */
typedef enum cucore_backend {
  CUCORE_BACKEND_NVRTC     = 1,
  CUCORE_BACKEND_NVVM      = 2,
  CUCORE_BACKEND_NVJITLINK = 3,
  CUCORE_BACKEND_DRIVER    = 4,
  CUCORE_BACKEND_FORCE_INT32 = 0x7fffffff
} cucore_backend;

/**
 * How to compile. A toggle in its DEFAULT passes nothing to the compiler; where the compiler has
 * only a flag that turns a thing on, OFF passes nothing either. Text in brackets is what the
 * field becomes on NVRTC's command line (NVRTC 13.0 documentation, "Supported Compile Options").
 */
typedef struct cucore_program_options {
  size_t             struct_size; /**< sizeof(cucore_program_options) */
  const char        *name;        /**< shown in diagnostics; default "default_program" */
  const char        *arch; /**< "sm_90", "compute_80"; default: that of device 0, or, without a
                                driver, the lowest that the compiler knows [--gpu-architecture] */
  /* code generation */
  cucore_toggle      relocatable_device_code;    /**< [--relocatable-device-code=] */
  cucore_toggle      extensible_whole_program;   /**< [--extensible-whole-program] */
  cucore_toggle      debug;                      /**< [--device-debug] */
  cucore_toggle      lineinfo;                   /**< [--generate-line-info] */
  cucore_toggle      device_code_optimize;       /**< [--dopt=on] */
  cucore_toggle      ftz;                        /**< [--ftz=] denormal floats become 0 */
  cucore_toggle      prec_sqrt;                  /**< [--prec-sqrt=] */
  cucore_toggle      prec_div;                   /**< [--prec-div=] */
  cucore_toggle      fma;                        /**< [--fmad=] */
  cucore_toggle      use_fast_math;              /**< [--use_fast_math] */
  cucore_toggle      extra_device_vectorization; /**< [--extra-device-vectorization] */
  cucore_toggle      link_time_optimization;     /**< [--dlink-time-opt] */
  cucore_toggle      gen_opt_lto;                /**< [--gen-opt-lto] */
  int32_t            max_register_count; /**< registers a thread; 0: no bound [--maxrregcount=] */
  int32_t            split_compile;      /**< threads; -1: all cores [--split-compile=] */
  const char        *ofast_compile; /**< "0", "min", "mid", "max" [--Ofast-compile=] */
  const char *const *ptxas_options; /**< passed to ptxas one by one [--ptxas-options] */
  size_t             ptxas_option_count;
  /* preprocessor */
  const char *const *define_macros; /**< "NAME" or "NAME=value" [--define-macro=] */
  size_t             define_macro_count;
  const char *const *undefine_macros; /**< [--undefine-macro=] */
  size_t             undefine_macro_count;
  const char *const *include_paths; /**< searched in this order [--include-path=] */
  size_t             include_path_count;
  const char *const *pre_includes; /**< included before the source [--pre-include=] */
  size_t             pre_include_count;
  const char *const *header_names;   /**< headers in memory, as #include names them ... */
  const char *const *header_sources; /**< ... and their texts */
  size_t             header_count;
  cucore_toggle      source_include; /**< OFF: quoted includes do not search the folder of the
                                          file that includes them [--no-source-include] */
  cucore_toggle      bundled_headers; /**< NVRTC 13.3 and later [--use-bundled-headers] */
  /* language */
  const char        *standard;                 /**< "c++20" [--std=] */
  cucore_toggle      builtin_move_forward;     /**< [--builtin-move-forward=] */
  cucore_toggle      builtin_initializer_list; /**< [--builtin-initializer-list=] */
  cucore_toggle      restrict_pointers;        /**< [--restrict] */
  cucore_toggle      device_as_default_execution_space; /**< the same [--device-as-default-...] */
  cucore_toggle      device_int128;                     /**< [--device-int128] */
  cucore_toggle      device_float128;                   /**< [--device-float128] */
  cucore_toggle      syntax_only;                       /**< [--fdevice-syntax-only] */
  cucore_toggle      minimal; /**< leave out what few kernels need, to compile faster
                                   [--minimal] */
  /* diagnostics */
  cucore_toggle      warnings;              /**< OFF: [--disable-warnings] */
  cucore_toggle      display_error_numbers; /**< OFF: [--no-display-error-number] */
  cucore_toggle      brief_diagnostics;     /**< [--brief-diagnostics=] */
  const char        *optimization_info;     /**< "inline" [--optimization-info=] */
  const int32_t     *diag_errors; /**< numbers of diagnostics to make errors [--diag-error=] */
  size_t             diag_error_count;
  const int32_t     *diag_suppressions; /**< [--diag-suppress=] */
  size_t             diag_suppression_count;
  const int32_t     *diag_warnings; /**< [--diag-warn=] */
  size_t             diag_warning_count;
  const char        *time;       /**< file for times of the phases, "-" the log [--time=] */
  const char        *time_trace; /**< file for a trace [--fdevice-time-trace=] */
  /* reproducible output and the compiler's own caches */
  const char        *random_seed; /**< default: derived from the inputs, so that equal inputs give
                                       equal bytes in every process [--frandom-seed=] */
  cucore_toggle      compiler_cache; /**< ON: let NVRTC 12.9 and later keep results through the
                                          driver; default OFF [--no-cache] */
  /* precompiled headers */
  cucore_toggle      pch;           /**< [--pch] */
  const char        *create_pch;    /**< [--create-pch=] */
  const char        *use_pch;       /**< [--use-pch=] */
  const char        *pch_directory; /**< [--pch-dir=] */
  cucore_toggle      pch_verbose;   /**< [--pch-verbose=] */
  cucore_toggle      pch_messages;  /**< [--pch-messages=] */
  cucore_toggle      instantiate_templates_in_pch; /**< [--instantiate-templates-in-pch=] */
  /* anything else, passed as it is, last */
  const char *const *flags;
  size_t             flag_count;
  /* NVVM IR */
  cucore_toggle      use_libdevice; /**< ON: link CUDA's device library, libdevice, as needed */
  int32_t            reserved;      /**< 0 */
  const char *const *extra_source_names; /**< further modules of NVVM IR: their names, ... */
  const void *const *extra_sources;      /**< ... their text or bitcode ... */
  const size_t      *extra_source_sizes; /**< ... and its size in bytes */
  size_t             extra_source_count;
} cucore_program_options;

#define CUCORE_PROGRAM_OPTIONS_INIT                                                       \
  { sizeof(cucore_program_options), NULL, NULL,                                           \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, 0, 0, NULL, NULL, 0,                                           \
    NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, 0,                                    \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                                         \
    NULL, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,            \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                                         \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, NULL,            \
    NULL, 0, NULL, 0, NULL, 0, NULL, NULL,                                                \
    NULL, CUCORE_TOGGLE_DEFAULT,                                                          \
    CUCORE_TOGGLE_DEFAULT, NULL, NULL, NULL,                                              \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    NULL, 0, CUCORE_TOGGLE_DEFAULT, 0, NULL, NULL, NULL, 0 }

/**
 * Makes a program: a copy of the source and of all options. Nothing is compiled or opened yet.
 *
 * CUDA C++ takes every option but those of NVVM IR. PTX takes arch, name, debug, lineinfo,
 * device_code_optimize, ftz, prec_sqrt, prec_div, fma, max_register_count, split_compile,
 * ptxas_options, time, compiler_cache and flags (nvJitLink's). NVVM IR takes arch, name, debug,
 * lineinfo, device_code_optimize, ftz, prec_sqrt, prec_div, fma, use_libdevice, the extra sources
 * and flags (libNVVM's). Others that are set are INVALID_ARGUMENT, all named at once.
 *
 * @param source   size bytes; it need not end with a NUL. NVVM IR is text or bitcode
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @retval CUCORE_ERROR_INVALID_CODE      the PTX has no .version or .target, or ends too early
 * @since 0.1
 */
CUCORE_API cucore_status cucore_program_create(cucore_source_type type, const char *source,
                                               size_t size, const cucore_program_options *options,
                                               cucore_program **out, cucore_error **error);

/** One more reference to a program; gives back its argument. @since 0.1 */
CUCORE_API cucore_program *cucore_program_retain(const cucore_program *program);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_program_release(cucore_program *program);

/**
 * Compiles a program. No device and no driver is needed, unless the driver's linker has to compile
 * PTX. Equal inputs give equal bytes.
 *
 * @param target            of CUDA C++ PTX, CUBIN or LTOIR; of PTX a CUBIN; of NVVM IR PTX or LTOIR
 * @param name_expressions  of CUDA C++: templates and overloads to instantiate, "saxpy<float>",
 *                          under which cucore_objectcode_find_kernel() finds them
 * @param out               the object code; its log has the compiler's warnings
 * @retval CUCORE_ERROR_COMPILATION       cucore_error_log() has the compiler's whole output
 * @retval CUCORE_ERROR_LINKING           the same for PTX, which a linker compiles
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the target is none of those, or it is CUBIN and no real
 *                                        architecture is known
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the compiler was not found; the message lists every path
 *                                        tried
 * @since 0.1
 */
CUCORE_API cucore_status cucore_program_compile(const cucore_program *program,
                                                cucore_code_type target,
                                                const char *const *name_expressions,
                                                size_t name_expression_count,
                                                cucore_objectcode **out, cucore_error **error);

/** The cucore_backend that compiles it. @since 0.1 */
CUCORE_API int32_t cucore_program_backend(const cucore_program *program);

/* == Linker =================================================================================== */

/**
 * How to link. A toggle in its DEFAULT passes nothing to the linker; where the linker has only a
 * flag that turns a thing on, OFF passes nothing either. Text in brackets is what the field becomes
 * for nvJitLink (nvJitLink 13.0 documentation, "Supported Link Options"); the driver's linker has
 * arch, max_register_count, verbose, optimization_level, debug and lineinfo alone.
 */
typedef struct cucore_linker_options {
  size_t        struct_size; /**< sizeof(cucore_linker_options) */
  const char   *name;        /**< of the result; default: that of the first input */
  const char   *arch; /**< "sm_90"; default: as for a program [-arch=] */
  cucore_toggle link_time_optimization; /**< default: on where an input is LTOIR or the target is
                                             PTX [-lto] */
  cucore_toggle ptx;                    /**< ON: refuse to link to anything but PTX [-ptx] */
  cucore_toggle time;                   /**< times of the phases into the log [-time] */
  cucore_toggle verbose;                /**< more into the log [-verbose] */
  cucore_toggle debug;                  /**< [-g] */
  cucore_toggle lineinfo;               /**< [-lineinfo] */
  cucore_toggle ftz;                    /**< denormal floats become 0 [-ftz=] */
  cucore_toggle prec_div;               /**< [-prec-div=] */
  cucore_toggle prec_sqrt;              /**< [-prec-sqrt=] */
  cucore_toggle fma;                    /**< [-fma=] */
  cucore_toggle optimize_unused_variables; /**< drop variables that no device code refers to
                                                [-optimize-unused-variables] */
  cucore_toggle linker_cache; /**< ON: let nvJitLink 12.9 and later keep results through the driver;
                                   default OFF [-no-cache] */
  int32_t       max_register_count;     /**< registers a thread; 0: no bound [-maxrregcount=] */
  int32_t       split_compile;          /**< threads; -1: all cores [-split-compile=] */
  int32_t       split_compile_extended; /**< the same [-split-compile-extended=] */
  const char   *optimization_level;     /**< "0" or "3" [-O] */
  const char *const *kernels_used; /**< the only kernels to keep [-kernels-used=] */
  size_t             kernels_used_count;
  const char *const *variables_used; /**< the only variables to keep [-variables-used=] */
  size_t             variables_used_count;
  const char *const *ptxas_options; /**< passed to ptxas one by one [-Xptxas=] */
  size_t             ptxas_option_count;
  const char *const *flags; /**< anything else, passed as it is, last */
  size_t             flag_count;
} cucore_linker_options;

#define CUCORE_LINKER_OPTIONS_INIT                                                        \
  { sizeof(cucore_linker_options), NULL, NULL,                                            \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    0, 0, 0, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0 }

/**
 * Makes a linker: a copy of the options, and no inputs. Nothing is opened yet.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @par Threads  a linker belongs to one thread at a time
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_create(const cucore_linker_options *options,
                                              cucore_linker **out, cucore_error **error);

/** One more reference to a linker; gives back its argument. @since 0.1 */
CUCORE_API cucore_linker *cucore_linker_retain(const cucore_linker *linker);

/** Gives one reference back. @since 0.1 */
CUCORE_API void cucore_linker_release(cucore_linker *linker);

/**
 * Adds an input of any kind; kinds may be mixed. Of a bundle the image is taken that a device of
 * the linker's architecture would get.
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_add(cucore_linker *linker, const cucore_objectcode *code,
                                           cucore_error **error);

/**
 * Links what has been added. The name expressions of the inputs find their kernels in the result
 * too. Equal inputs give equal bytes. May be called again.
 *
 * @param target  CUBIN, or PTX, which link-time optimisation makes
 * @param out     the object code; its log has the linker's warnings
 * @retval CUCORE_ERROR_LINKING           cucore_error_log() has the linker's whole output; or two
 *                                        inputs define one name: the message names both inputs
 * @retval CUCORE_ERROR_INVALID_STATE     nothing has been added
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  another target, or options that exclude each other
 * @retval CUCORE_ERROR_UNSUPPORTED       link-time optimisation without a fitting nvJitLink, or an
 *                                        option that the driver's linker does not have; the message
 *                                        names the versions of what made the inputs and of nvJitLink
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_link(cucore_linker *linker, cucore_code_type target,
                                            cucore_objectcode **out, cucore_error **error);

/**
 * Which linker does the work of the inputs added so far: CUCORE_BACKEND_NVJITLINK where it is of
 * CUDA 12.3 or later and not older than what made the inputs, else CUCORE_BACKEND_DRIVER. Why is
 * told through the log (CUCORE_LOG_INFO). 0 for NULL.
 * @since 0.1
 */
CUCORE_API int32_t cucore_linker_backend(const cucore_linker *linker);

/** The whole output of the last link, whether it succeeded or not. @since 0.1 */
CUCORE_API const char *cucore_linker_log(const cucore_linker *linker);

/* == Object code ============================================================================== */

/** What goes with the bytes of object code made elsewhere. */
typedef struct cucore_objectcode_options {
  size_t             struct_size;   /**< sizeof(cucore_objectcode_options) */
  const char        *name;          /**< shown in messages; default "" */
  const char        *arch;          /**< where the bytes do not say it themselves */
  const char *const *expressions;   /**< names under which kernels are to be found ... */
  const char *const *lowered_names; /**< ... and the names that they have in the code */
  size_t             expression_count;
} cucore_objectcode_options;

#define CUCORE_OBJECTCODE_OPTIONS_INIT \
  { sizeof(cucore_objectcode_options), NULL, NULL, NULL, NULL, 0 }

/** What a symbol of object code is. */
typedef enum cucore_symbol_kind {
  CUCORE_SYMBOL_NONE            = 0,
  CUCORE_SYMBOL_KERNEL          = 1,
  CUCORE_SYMBOL_GLOBAL          = 2,
  CUCORE_SYMBOL_CONSTANT        = 3,
  CUCORE_SYMBOL_MANAGED         = 4,
  CUCORE_SYMBOL_DEVICE_FUNCTION = 5,
  CUCORE_SYMBOL_FORCE_INT32     = 0x7fffffff
} cucore_symbol_kind;

/** One symbol; strings live as long as the object code. */
typedef struct cucore_symbol_info {
  size_t             struct_size;  /**< set by you: sizeof(cucore_symbol_info) */
  const char        *expression;   /**< the name as written, "saxpy<float>"; "" where unknown */
  const char        *lowered_name; /**< the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m" */
  cucore_symbol_kind kind;
  size_t             parameter_count; /**< of a kernel; SIZE_MAX: the code does not say */
  size_t             size;            /**< of data, in bytes */
} cucore_symbol_info;

#define CUCORE_SYMBOL_INFO_INIT \
  { sizeof(cucore_symbol_info), NULL, NULL, CUCORE_SYMBOL_NONE, 0, 0 }

/** Which values a kernel parameter accepts. The class comes from the PTX of the kernel. PTX does not
 *  record whether an integer is signed. Later versions may add classes. */
typedef enum cucore_parameter_class {
  CUCORE_PARAMETER_CLASS_UNKNOWN   = 0, /**< no PTX, or PTX that leaves the class open */
  CUCORE_PARAMETER_CLASS_INTEGER   = 1, /**< an integer, bool, character or enumerator */
  CUCORE_PARAMETER_CLASS_FLOAT     = 2, /**< a floating-point number */
  CUCORE_PARAMETER_CLASS_POINTER   = 3, /**< an address in device memory, or a reference */
  CUCORE_PARAMETER_CLASS_AGGREGATE = 4, /**< a struct, union, vector, __half or __int128: bytes */
  CUCORE_PARAMETER_CLASS_FORCE_INT32 = 0x7fffffff
} cucore_parameter_class;

/** One parameter of a kernel. */
typedef struct cucore_parameter_info {
  size_t                 struct_size; /**< of element 0, set by you; see the functions */
  size_t                 offset;      /**< bytes from the start of the parameter block */
  size_t                 size;        /**< bytes */
  cucore_parameter_class parameter_class;
  int32_t                reserved; /**< 0 */
} cucore_parameter_info;

#define CUCORE_PARAMETER_INFO_INIT \
  { sizeof(cucore_parameter_info), 0, 0, CUCORE_PARAMETER_CLASS_UNKNOWN, 0 }

/** What a kernel needs, as its machine code says; -1 where it does not. */
typedef struct cucore_resource_info {
  size_t  struct_size;   /**< set by you: sizeof(cucore_resource_info) */
  int32_t registers;     /**< of a thread */
  int32_t static_shared; /**< bytes of a block */
  int32_t stack;         /**< bytes of a thread, where spilled registers are too */
  int32_t max_threads;   /**< of a block, from __launch_bounds__ */
  int32_t constant;      /**< bytes of the constant bank, the parameters included */
  int32_t code_size;     /**< bytes of instructions */
  int32_t spill_stores;  /**< bytes of registers that a thread spills: CUDA 13.0 and later tell */
  int32_t spill_loads;   /**< the same */
} cucore_resource_info;

#define CUCORE_RESOURCE_INFO_INIT \
  { sizeof(cucore_resource_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/** How a container is signed. */
typedef enum cucore_key_algorithm {
  CUCORE_KEY_NONE        = 0,
  CUCORE_KEY_HMAC_SHA256 = 1, /**< one shared secret signs and verifies; 1 byte or more */
  CUCORE_KEY_ED25519     = 2, /**< 32 bytes: the private key's seed signs, the public key verifies */
  CUCORE_KEY_FORCE_INT32 = 0x7fffffff
} cucore_key_algorithm;

/** A key. */
typedef struct cucore_key {
  const void          *data;
  size_t               size;
  cucore_key_algorithm algorithm;
  int32_t              reserved; /**< 0 */
} cucore_key;

/** Whether a signature is asked for. */
typedef enum cucore_signature_policy {
  CUCORE_SIGNATURE_POLICY_NONE     = 0, /**< signed or not; one by a known key must be right */
  CUCORE_SIGNATURE_POLICY_REQUIRED = 1, /**< signed, rightly, by one of the keys */
  CUCORE_SIGNATURE_POLICY_FORCE_INT32 = 0x7fffffff
} cucore_signature_policy;

/** What is known of the signature of the container that object code was read from. */
typedef enum cucore_signature_state {
  CUCORE_SIGNATURE_UNSIGNED    = 0, /**< none, or not read from a container */
  CUCORE_SIGNATURE_UNKNOWN_KEY = 1, /**< signed by a key that was not given: nothing is proven */
  CUCORE_SIGNATURE_VALID       = 2, /**< signed, rightly, by one of the keys given */
  CUCORE_SIGNATURE_FORCE_INT32 = 0x7fffffff
} cucore_signature_state;

/** How to write object code to bytes. */
typedef struct cucore_serialize_options {
  size_t            struct_size; /**< sizeof(cucore_serialize_options) */
  cucore_toggle     compression; /**< ON: zstd; default OFF: the bytes as they are */
  int32_t           reserved;    /**< 0 */
  const cucore_key *signing_key; /**< NULL: unsigned */
} cucore_serialize_options;

#define CUCORE_SERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_serialize_options), CUCORE_TOGGLE_DEFAULT, 0, NULL }

/** What to ask of bytes that are read. */
typedef struct cucore_deserialize_options {
  size_t                  struct_size;   /**< sizeof(cucore_deserialize_options) */
  uint64_t                max_code_size; /**< refuse images above this many bytes; 0: 1 GiB */
  cucore_signature_policy signature_policy;
  int32_t                 reserved;  /**< 0 */
  const cucore_key       *keys;      /**< that verify */
  size_t                  key_count; /**< REQUIRED needs one or more */
} cucore_deserialize_options;

#define CUCORE_DESERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_deserialize_options), 0, CUCORE_SIGNATURE_POLICY_NONE, 0, NULL, 0 }

/**
 * Makes object code from bytes that a compiler wrote. They are copied and checked: nothing whose
 * size is not proven ever reaches the driver. The driver is not touched.
 *
 * @param type     any but BUNDLE: PTX is text with .version and .target; CUBIN an ELF file of
 *                 CUDA's, every table inside the bytes; FATBIN has every entry inside; LTOIR is
 *                 opaque and not empty; OBJECT is a relocatable ELF or COFF file; LIBRARY an
 *                 archive. OBJECT and LIBRARY are for linkers: asking them for a kernel is
 *                 INVALID_STATE. LTOIR is linked for its device when it is first loaded
 * @param data     for PTX a NUL at the end is optional and never counted
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_CODE  the bytes are not what type says; the message gives the
 *                                    offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_create(cucore_code_type type, const void *data,
                                                  size_t size,
                                                  const cucore_objectcode_options *options,
                                                  cucore_objectcode **out, cucore_error **error);

/**
 * The same from a file.
 * @param path  its last part is the default name
 * @retval CUCORE_ERROR_NOT_FOUND     no such file
 * @retval CUCORE_ERROR_IO            it cannot be read
 * @retval CUCORE_ERROR_INVALID_CODE  as cucore_objectcode_create()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_from_file(cucore_code_type type, const char *path,
                                                     const cucore_objectcode_options *options,
                                                     cucore_objectcode **out,
                                                     cucore_error **error);

/** One more reference to object code; gives back its argument. @since 0.1 */
CUCORE_API cucore_objectcode *cucore_objectcode_retain(const cucore_objectcode *code);

/** Gives one reference back. What was loaded is unloaded once nothing uses it any more: after the
 *  last reference to the code and its kernels, a thread of the library waits for the launches made
 *  so far, then unloads. A graph that a launch was captured into is a reference, too, and so is
 *  what was instantiated from it; with drivers before 12.3, which do not tell of graphs, what was
 *  captured stays loaded. @since 0.1 */
CUCORE_API void cucore_objectcode_release(cucore_objectcode *code);

/** What the bytes are; 0 for NULL. @since 0.1 */
CUCORE_API cucore_code_type cucore_objectcode_type(const cucore_objectcode *code);

/** The bytes, and their number; a PTX has a NUL after the last, which is not counted. size may be
 *  NULL. @since 0.1 */
CUCORE_API const void *cucore_objectcode_data(const cucore_objectcode *code, size_t *size);

/** The name of the program, or the one given. @since 0.1 */
CUCORE_API const char *cucore_objectcode_name(const cucore_objectcode *code);

/** The architecture: "sm_90" of a CUBIN, "compute_90" of a PTX, "" of a FATBIN. @since 0.1 */
CUCORE_API const char *cucore_objectcode_arch(const cucore_objectcode *code);

/** Warnings of the compile or link that made it. @since 0.1 */
CUCORE_API const char *cucore_objectcode_log(const cucore_objectcode *code);

/** How many diagnostics cucore_objectcode_log() holds. @since 0.1 */
CUCORE_API size_t cucore_objectcode_diagnostic_count(const cucore_objectcode *code);

/** One diagnostic of the log, in its order.
 *  @param index  less than cucore_objectcode_diagnostic_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_diagnostic_at(const cucore_objectcode *code,
                                                         size_t index, cucore_diagnostic_info *out,
                                                         cucore_error **error);

/** How many facts about how it was made cucore_objectcode_metadata_key() names. @since 0.1 */
CUCORE_API size_t cucore_objectcode_metadata_count(const cucore_objectcode *code);

/** The name of one, "producer", sorted; "" for an index that is none. @since 0.1 */
CUCORE_API const char *cucore_objectcode_metadata_key(const cucore_objectcode *code, size_t index);

/** The value of one as text, the items of a list a line each; "" for an index that is none.
 *  @since 0.1 */
CUCORE_API const char *cucore_objectcode_metadata_value(const cucore_objectcode *code,
                                                        size_t index);

/** A cucore_signature_state. @since 0.1 */
CUCORE_API int32_t cucore_objectcode_signature(const cucore_objectcode *code);

/** Which key signed the container it was read from: the first 16 hexadecimal digits of the SHA-256
 *  of its algorithm, a byte, and the key that verifies; "" where unsigned. @since 0.1 */
CUCORE_API const char *cucore_objectcode_signature_key(const cucore_objectcode *code);

/** How many symbols cucore_objectcode_symbol_at() tells of. Those of LTOIR, which is opaque, are
 *  found by linking it to PTX, once, where nvJitLink can; else only those named at the compile are
 *  known. Those of a bundle are of all its images. @since 0.1 */
CUCORE_API size_t cucore_objectcode_symbol_count(const cucore_objectcode *code);

/** One symbol: kernels first, in the order of the code. No driver is needed.
 *  @param index  less than cucore_objectcode_symbol_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_at(const cucore_objectcode *code, size_t index,
                                                     cucore_symbol_info *out,
                                                     cucore_error **error);

/** Where one parameter of a kernel lies in its parameter block, with no driver.
 *  @param symbol  the kernel's index among the symbols
 *  @param index   less than its parameter_count
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_parameter_at(const cucore_objectcode *code,
                                                               size_t symbol, size_t index,
                                                               size_t *offset, size_t *size,
                                                               cucore_error **error);

/**
 * Describes all parameters of a kernel, in order, without a driver.
 *
 * @param symbol    the kernel's index among the symbols
 * @param out       an array of `capacity` elements; NULL with capacity 0 queries the count. The
 *                  library reads struct_size of element 0, which must be the size of one element
 *                  (sizeof(cucore_parameter_info)), and sets struct_size of every element
 * @param capacity  elements that `out` can hold
 * @param count     the number of parameters, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_UNSUPPORTED       the symbol is not a kernel, or the code does not record
 *                                        its parameters
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  `capacity` is less than *count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out[0].struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_symbol_parameters(const cucore_objectcode *code,
                                                             size_t symbol,
                                                             cucore_parameter_info *out,
                                                             size_t capacity, size_t *count,
                                                             cucore_error **error);

/** What a kernel needs, with no driver.
 *  @param symbol  the kernel's index among the symbols
 *  @param out     filled in; struct_size must be set
 *  @retval CUCORE_ERROR_UNSUPPORTED   the code does not say: it is not machine code
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_resources(const cucore_objectcode *code,
                                                            size_t symbol,
                                                            cucore_resource_info *out,
                                                            cucore_error **error);

/**
 * Puts several images of one program together, of which each device gets the one that fits best:
 * machine code of its own architecture ("sm_90a"), of its family, of its major version; LTOIR; PTX.
 *
 * @param images  PTX, CUBIN, LTOIR and bundles, two images or more in all; the name is the first's
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  there are fewer than two images, one is of another kind, or
 *                                        two are equal; the message names the positions
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_bundle(const cucore_objectcode *const *images,
                                                  size_t count, cucore_objectcode **out,
                                                  cucore_error **error);

/** How many images it holds: those of a bundle, the entries of a fat binary, else 1. @since 0.1 */
CUCORE_API size_t cucore_objectcode_image_count(const cucore_objectcode *code);

/** One image of a bundle or a fat binary as object code of its own, decompressed; what is neither
 *  gives itself for 0.
 *  @param index  less than cucore_objectcode_image_count()
 *  @retval CUCORE_ERROR_UNSUPPORTED  an entry of a fat binary that is scrambled, or of a kind that
 *                                    this library does not know
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_image_at(const cucore_objectcode *code, size_t index,
                                                    cucore_objectcode **out, cucore_error **error);

/**
 * Writes object code, names included, in the container format that every language reads. Equal
 * objects give equal bytes.
 *
 * @param options   NULL for the defaults
 * @param buffer    NULL with capacity 0 asks for the size
 * @param size      the size needed, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_serialize(const cucore_objectcode *code,
                                                     const cucore_serialize_options *options,
                                                     void *buffer, size_t capacity, size_t *size,
                                                     cucore_error **error);

/**
 * Reads what cucore_objectcode_serialize() wrote, in any language, on any machine. Safe on bytes
 * from strangers; but object code is code: run only what you trust, which a required signature
 * tells.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_SIGNATURE     the signature is wrong or, where required, missing or of a key
 *                                    that was not given
 * @retval CUCORE_ERROR_INVALID_CODE  not a container, damaged, or of a later version; the message
 *                                    gives the offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_deserialize(const void *data, size_t size,
                                                       const cucore_deserialize_options *options,
                                                       cucore_objectcode **out,
                                                       cucore_error **error);

/**
 * Loads the code now rather than at the first question for a kernel or a global.
 * @retval CUCORE_ERROR_INVALID_CODE  the driver refused it; cucore_error_log() has what its
 *                                    compiler said
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_load(const cucore_objectcode *code,
                                                const cucore_device *device,
                                                cucore_error **error);

/** 1 if it is loaded. @since 0.1 */
CUCORE_API int32_t cucore_objectcode_is_loaded(const cucore_objectcode *code);

/**
 * Finds a kernel, loading the code if nothing has yet. One kernel object serves all devices, and
 * asking again gives the same one.
 *
 * @param name  a name expression given to the compile, a name in the code, or an extern "C" name
 * @retval CUCORE_ERROR_NOT_FOUND     the message lists the kernels there are
 * @retval CUCORE_ERROR_INVALID_CODE  the driver refused the code; see cucore_error_log()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_kernel(const cucore_objectcode *code,
                                                       const char *name, cucore_kernel **out,
                                                       cucore_error **error);

/**
 * Finds a __device__, __constant__ or __managed__ variable on a device, loading the code if
 * nothing has yet.
 * @param address  where it is on that device; good while the code is loaded
 * @param size     in bytes
 * @retval CUCORE_ERROR_NOT_FOUND  the message lists the variables there are
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_global(const cucore_objectcode *code,
                                                       const char *name,
                                                       const cucore_device *device,
                                                       uint64_t *address, size_t *size,
                                                       cucore_error **error);

/** The CUlibrary, loading the code if nothing has yet; NULL if that fails (cucore_objectcode_load()
 *  says why). @since 0.1 */
CUCORE_API void *cucore_objectcode_native(const cucore_objectcode *code);

/* == Kernel =================================================================================== */

/** Properties of a kernel, by the driver's numbers (CUfunction_attribute). */
typedef enum cucore_kernel_attribute_name {
  CUCORE_KERNEL_ATTRIBUTE_MAX_THREADS_PER_BLOCK                 = 0,
  CUCORE_KERNEL_ATTRIBUTE_SHARED_SIZE_BYTES                     = 1, /**< static shared memory */
  CUCORE_KERNEL_ATTRIBUTE_CONST_SIZE_BYTES                      = 2,
  CUCORE_KERNEL_ATTRIBUTE_LOCAL_SIZE_BYTES                      = 3, /**< a thread */
  CUCORE_KERNEL_ATTRIBUTE_NUM_REGS                              = 4, /**< a thread */
  CUCORE_KERNEL_ATTRIBUTE_PTX_VERSION                           = 5, /**< major * 10 + minor */
  CUCORE_KERNEL_ATTRIBUTE_BINARY_VERSION                        = 6, /**< major * 10 + minor */
  CUCORE_KERNEL_ATTRIBUTE_CACHE_MODE_CA                         = 7,
  CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES         = 8, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT      = 9, /**< settable, percent */
  CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET              = 10,
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH                = 11, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT               = 12, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH                = 13, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED     = 14, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE  = 15, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_FORCE_INT32                           = 0x7fffffff
} cucore_kernel_attribute_name;

/** One more reference to a kernel; gives back its argument. @since 0.1 */
CUCORE_API cucore_kernel *cucore_kernel_retain(const cucore_kernel *kernel);

/** Gives one reference back. A launch already made goes on. @since 0.1 */
CUCORE_API void cucore_kernel_release(cucore_kernel *kernel);

/** The name in the code. @since 0.1 */
CUCORE_API const char *cucore_kernel_name(const cucore_kernel *kernel);

/** The CUkernel; of code that is loaded anew for each architecture, that of the first. @since 0.1 */
CUCORE_API void *cucore_kernel_native(const cucore_kernel *kernel);

/**
 * One property of a kernel on a device.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver does not know the attribute
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_attribute(const cucore_kernel *kernel,
                                                 cucore_kernel_attribute_name name,
                                                 const cucore_device *device, int32_t *out,
                                                 cucore_error **error);

/**
 * Sets a settable property of a kernel on a device, for all later launches of it in the process.
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the attribute or the value cannot be set
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_set_attribute(const cucore_kernel *kernel,
                                                     cucore_kernel_attribute_name name,
                                                     const cucore_device *device, int32_t value,
                                                     cucore_error **error);

/** The name that messages use for the kernel: the first one under which it was found, such as
 *  "axpy<float>". Valid as long as the kernel. @since 0.1 */
CUCORE_API const char *cucore_kernel_label(const cucore_kernel *kernel);

/** How many parameters it has; SIZE_MAX where neither the code nor the driver (before 12.4) says.
 *  @since 0.1 */
CUCORE_API size_t cucore_kernel_parameter_count(const cucore_kernel *kernel);

/**
 * Where one parameter lies in the parameter block. Layouts may differ between architectures.
 * @param index   less than cucore_kernel_parameter_count()
 * @param device  NULL: the first image
 * @retval CUCORE_ERROR_UNSUPPORTED  neither the code nor the driver says
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_parameter_at(const cucore_kernel *kernel, size_t index,
                                                    const cucore_device *device, size_t *offset,
                                                    size_t *size, cucore_error **error);

/**
 * Describes all parameters of a kernel, in order. Layouts may differ between architectures; classes
 * do not. A launch checks sizes only: compare the classes with your arguments once per kernel, then
 * launch.
 *
 * @param device    NULL: the first image
 * @param out       an array of `capacity` elements; NULL with capacity 0 queries the count. The
 *                  library reads struct_size of element 0, which must be the size of one element
 *                  (sizeof(cucore_parameter_info)), and sets struct_size of every element
 * @param capacity  elements that `out` can hold
 * @param count     the number of parameters, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_UNSUPPORTED       neither the code nor the driver records the parameters
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  `capacity` is less than *count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out[0].struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_parameters(const cucore_kernel *kernel,
                                                  const cucore_device *device,
                                                  cucore_parameter_info *out, size_t capacity,
                                                  size_t *count, cucore_error **error);

/**
 * How many blocks of it fit on one multiprocessor at a time.
 * @param block_size      threads a block
 * @param dynamic_shared  bytes a block
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_occupancy(const cucore_kernel *kernel,
                                                 const cucore_device *device, int32_t block_size,
                                                 size_t dynamic_shared,
                                                 int32_t *blocks_per_multiprocessor,
                                                 cucore_error **error);

/**
 * The block size that fills the device best, and the least grid that does.
 * @param dynamic_shared    bytes a block
 * @param block_size_limit  threads; 0: the device's limit
 * @param min_grid_size     blocks
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_max_potential_block_size(
    const cucore_kernel *kernel, const cucore_device *device, size_t dynamic_shared,
    int32_t block_size_limit, int32_t *min_grid_size, int32_t *block_size, cucore_error **error);

/** The dynamic shared memory, in bytes a block, that lets so many blocks run on a multiprocessor.
 *  @since 0.1 */
CUCORE_API cucore_status cucore_kernel_available_dynamic_shared(
    const cucore_kernel *kernel, const cucore_device *device, int32_t blocks_per_multiprocessor,
    int32_t block_size, size_t *dynamic_shared, cucore_error **error);

/* == Launch =================================================================================== */

/** How to launch a kernel. */
typedef struct cucore_launch_options {
  size_t   struct_size; /**< sizeof(cucore_launch_options) */
  uint32_t grid[3];     /**< blocks, also with a cluster; grid[0] must be set, the others 0 is 1 */
  uint32_t block[3];    /**< threads a block; block[0] must be set, the others 0 is 1 */
  uint32_t cluster[3];  /**< blocks a cluster; 0: none, or what the kernel was compiled with */
  uint32_t dynamic_shared; /**< bytes a block; above 48 KiB the kernel's attribute is raised */
  int32_t  cooperative;    /**< 1: all blocks run at once and may synchronise */
  int32_t  programmatic_serialization; /**< 1: may start before the kernel before it ends */
  int32_t  priority; /**< 0: the stream's; else one of cucore_device_stream_priorities() */
  int32_t  reserved;                   /**< 0 */
} cucore_launch_options;

#define CUCORE_LAUNCH_OPTIONS_INIT \
  { sizeof(cucore_launch_options), { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, 0, 0 }

/**
 * How many clusters of such a launch fit on the device at a time.
 * @param options  as for cucore_kernel_launch(), cluster set
 * @retval CUCORE_ERROR_UNSUPPORTED  the device has no clusters
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_max_active_clusters(const cucore_kernel *kernel,
                                                           const cucore_device *device,
                                                           const cucore_launch_options *options,
                                                           int32_t *clusters,
                                                           cucore_error **error);

/** The size of an argument whose data is a cucore_buffer handle, not a value: the kernel gets the
 *  buffer's address. The launch checks that the parameter is a pointer, if its class is known, and
 *  that the stream's device can use the buffer. It holds the buffer and records the use: see
 *  cucore_buffer_release(). Another thread may release the handle at any time: the launch then
 *  either holds the buffer or fails with INVALID_HANDLE. */
#define CUCORE_ARGUMENT_OBJECT ((size_t)-1)

/** One argument: where its value is, and its size in bytes. */
typedef struct cucore_argument {
  const void *data; /**< the value; a cucore_buffer * if size is CUCORE_ARGUMENT_OBJECT */
  size_t      size; /**< in bytes, or CUCORE_ARGUMENT_OBJECT */
} cucore_argument;

/** An argument from a variable. In C89 only for static objects; else CUCORE_ARGUMENT_SET. */
#define CUCORE_ARGUMENT(value) { &(value), sizeof(value) }

/** Sets an argument from a variable. */
#define CUCORE_ARGUMENT_SET(argument, value) \
  ((argument).data = &(value), (argument).size = sizeof(value))

/**
 * Launches a kernel on a stream. Before the driver is called, the number of arguments and the
 * size of each are checked against the kernel's parameters, the grid and block against the
 * device. Classes are not checked: see cucore_kernel_parameters(). The values are copied: arguments
 * may go once this returns.
 *
 * On a stream that cucore_stream_create() made this is exactly one driver call. More calls are made
 * in these cases:
 * - the code is not loaded on the device yet,
 * - the stream may be captured: its native handle was taken, or it waited for such a stream,
 * - dynamic_shared exceeds 48 KiB and each earlier value, or the priority is the device's first,
 * - the code or a buffer has been used on 16 streams or more,
 * - the driver refuses the launch, and the message names the reason.
 *
 * @param options    grid[0] and block[0] must be set, so NULL is INVALID_ARGUMENT
 * @param arguments  one a parameter, in order; a pointer parameter takes an address (uint64_t) or
 *                   a buffer (CUCORE_ARGUMENT_OBJECT)
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message says which argument or size is wrong
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_LAUNCH            too many registers, threads or shared memory for this
 *                                        kernel, or more blocks than a cooperative launch can hold
 * @retval CUCORE_ERROR_UNSUPPORTED       clusters or cooperative launches on a device without
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_launch(const cucore_kernel *kernel,
                                              const cucore_stream *stream,
                                              const cucore_launch_options *options,
                                              const cucore_argument *arguments, size_t count,
                                              cucore_error **error);

/**
 * The same with the arguments already laid out as the kernel's parameter block.
 * @param arguments  every parameter at its offset; see cucore_kernel_parameters()
 * @param size       bytes up to the end of the last parameter, or that number rounded up to a
 *                   multiple of 2, 4, 8 or 16, as sizeof of a struct is
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_launch_packed(const cucore_kernel *kernel,
                                                     const cucore_stream *stream,
                                                     const cucore_launch_options *options,
                                                     const void *arguments, size_t size,
                                                     cucore_error **error);

/* == Cache ==================================================================================== */

/** Where a result came from. */
typedef enum cucore_cache_outcome {
  CUCORE_CACHE_OUTCOME_NONE       = 0, /**< there is no result */
  CUCORE_CACHE_OUTCOME_HIT_MEMORY = 1, /**< this process had it */
  CUCORE_CACHE_OUTCOME_HIT_DISK   = 2, /**< some process of this machine had built it */
  CUCORE_CACHE_OUTCOME_HIT_REMOTE = 3, /**< some machine had */
  CUCORE_CACHE_OUTCOME_JOINED     = 4, /**< another thread was building it and was waited for */
  CUCORE_CACHE_OUTCOME_BUILT      = 5, /**< built now, and kept for the next time */
  CUCORE_CACHE_OUTCOME_NOT_STORED = 6, /**< built now; it could not, or must not, be kept */
  CUCORE_CACHE_OUTCOME_BYPASSED   = 7, /**< built without a look: options with side effects */
  CUCORE_CACHE_OUTCOME_FORCE_INT32 = 0x7fffffff
} cucore_cache_outcome;

/** How to open a cache. */
typedef struct cucore_cache_options {
  size_t        struct_size; /**< sizeof(cucore_cache_options) */
  const char   *directory;   /**< default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
                                  ~/.cache/cucore; "": memory alone */
  uint64_t      max_bytes;   /**< on disk; 0: 1 GiB */
  uint64_t      max_entries; /**< on disk; 0: 20000 */
  uint64_t      max_memory;  /**< bytes of object code in memory; 0: 64 MiB */
  uint64_t      max_age_seconds;      /**< older entries are built anew; 0: none is too old */
  uint32_t      lock_timeout_ms;      /**< how long to wait for another's build before building
                                           too; 0: 30000 */
  int32_t       read_only;            /**< 1: nothing is written to the disk */
  int32_t       hermetic;             /**< 1: programs that read files from the disk are refused */
  int32_t       durable;              /**< 1: an entry survives a power failure, at a price */
  cucore_toggle trust_toolkit;        /**< headers of a CUDA toolkit are looked at one by one once a
                                           process, then by the toolkit's version; ON: by that
                                           alone. OFF is the default */
  cucore_toggle locking;              /**< one build a key among processes; default: ON, but OFF on
                                           network file systems */
  const char   *name_space;           /**< keeps those of different name spaces apart */
  const cucore_key *signing_key;      /**< signs what goes to remotes; NULL: nothing goes there */
  const cucore_key *keys;             /**< verify what comes from remotes */
  size_t            key_count;        /**< 0: nothing is taken from remotes */
} cucore_cache_options;

#define CUCORE_CACHE_OPTIONS_INIT                                                         \
  { sizeof(cucore_cache_options), NULL, 0, 0, 0, 0, 0, 0, 0, 0,                           \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, NULL, NULL, NULL, 0 }

/** What a cache has done and holds. */
typedef struct cucore_cache_statistics_info {
  size_t   struct_size;    /**< set by you: sizeof(cucore_cache_statistics_info) */
  uint64_t entries;        /**< on disk now */
  uint64_t bytes;          /**< on disk now */
  uint64_t max_entries;    /**< the most that may be on disk */
  uint64_t max_bytes;      /**< the most that may be on disk */
  uint64_t hits_memory;    /**< this process had it */
  uint64_t hits_disk;      /**< some process of this machine had it */
  uint64_t hits_remote;    /**< a remote had it */
  uint64_t joins;          /**< waits for another thread's build that brought its result */
  uint64_t misses;         /**< nobody had it */
  uint64_t bypasses;       /**< never looked for: options with side effects, or switched off */
  uint64_t builds;         /**< compiles and links, misses and bypasses together */
  uint64_t build_failures; /**< compiles and links that failed */
  uint64_t stores;         /**< entries written to the disk */
  uint64_t store_failures; /**< entries that the disk did not take */
  uint64_t not_storable;   /**< results that vary with the time, or whose headers were changing */
  uint64_t corrupt;        /**< damaged files found, and removed */
  uint64_t evictions;      /**< removed to stay below the bounds */
  uint64_t lock_timeouts;  /**< builds that were not waited for any longer */
  uint64_t bytes_read;     /**< from the disk */
  uint64_t bytes_written;  /**< to the disk */
  /* why misses were misses: the first difference from the last build of that name */
  uint64_t misses_new;         /**< nothing of that name and kind of code was built before */
  uint64_t misses_source;  /**< another source */
  uint64_t misses_options; /**< other options */
  uint64_t misses_compiler;    /**< another compiler or linker, or another build of it */
  uint64_t misses_target;      /**< another architecture */
  uint64_t misses_expressions; /**< other name expressions */
  uint64_t misses_headers;     /**< another header in memory */
  uint64_t misses_files;       /**< an included file changed, went, or would now be another */
  uint64_t misses_inputs;      /**< another input of a link */
  uint64_t misses_environment; /**< a variable that the compiler reads, the directory, the name
                                    space */
  uint64_t misses_removed;     /**< built before, and evicted or removed since */
  uint64_t remote_misses;  /**< remotes asked in vain */
  uint64_t remote_stores;  /**< entries sent to remotes */
  uint64_t remote_errors;  /**< requests that failed, or took too long */
  uint64_t remote_refused;     /**< what came had no valid signature, or was damaged */
} cucore_cache_statistics_info;

#define CUCORE_CACHE_STATISTICS_INFO_INIT                                                 \
  { sizeof(cucore_cache_statistics_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** What a file of a cache is. */
typedef enum cucore_cache_file {
  CUCORE_CACHE_FILE_NONE     = 0,
  CUCORE_CACHE_FILE_ENTRY    = 1, /**< object code, a container */
  CUCORE_CACHE_FILE_MANIFEST = 2, /**< which headers a program includes */
  CUCORE_CACHE_FILE_LAST     = 3, /**< what the last build of a name was made of */
  CUCORE_CACHE_FILE_FORCE_INT32 = 0x7fffffff
} cucore_cache_file;

/** One file of a cache; strings live during the call that reports it. */
typedef struct cucore_cache_entry_info {
  size_t            struct_size; /**< set by the library */
  uint8_t           key[32];     /**< its name in the folder, in hexadecimal */
  cucore_cache_file kind;
  int32_t           is_sound; /**< 0: damaged, and removed where the cache may write */
  uint64_t          size;     /**< bytes of the file */
  int64_t           made_ns;  /**< since 1970 */
  int64_t           used_ns;
  cucore_code_type  type; /**< of an entry, where it was read; else 0 */
  int32_t           reserved;
  const char       *name;    /**< of the object code; "" where it was not read */
  const char       *arch;    /**< "sm_90" */
  const char       *problem; /**< what is wrong; "" */
  size_t            done;    /**< how many entries have been looked at ... */
  size_t            total;   /**< ... of about so many */
} cucore_cache_entry_info;

#define CUCORE_CACHE_ENTRY_INFO_INIT                                                      \
  { sizeof(cucore_cache_entry_info), { 0 }, CUCORE_CACHE_FILE_NONE, 0, 0, 0, 0,           \
    (cucore_code_type)0, 0, NULL, NULL, NULL, 0, 0 }

/** Is told of one file after the other, on the thread that asked. Gives 1 to go on, 0 to stop. */
typedef int32_t (*cucore_cache_report_fn)(const cucore_cache_entry_info *entry, void *user_data);

/** Builds what is not in a cache: as a function of this library would, with its status and error.
 *  Runs on the thread that asked, and may release the cache. */
typedef cucore_status (*cucore_cache_build_fn)(cucore_objectcode **out, cucore_error **error,
                                               void *user_data);

/**
 * Opens a cache; nothing is cached without one. Any number of caches, processes and languages may
 * have one folder at a time. A folder that cannot be made or written to is no failure: the cache
 * then works in memory, or reads only, and says so through the log. With CUCORE_CACHE=off in the
 * environment it does nothing: everything is built. In the child of a fork a cache goes on with
 * nothing in memory and without its remotes.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_IO                the folder belongs to another user, or others can write to
 *                                        it: what is in it would be theirs
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_open(const cucore_cache_options *options, cucore_cache **out,
                                           cucore_error **error);

/** One more reference to a cache; gives back its argument. @since 0.1 */
CUCORE_API cucore_cache *cucore_cache_retain(const cucore_cache *cache);

/** Gives one reference back. What came from the cache stays. @since 0.1 */
CUCORE_API void cucore_cache_release(cucore_cache *cache);

/** The folder in use; "" where everything is in memory. @since 0.1 */
CUCORE_API const char *cucore_cache_directory(const cucore_cache *cache);

/**
 * Gives what cucore_program_compile() would, and compiles only what has not been compiled before:
 * with the same source, options, headers, name expressions, compiler and environment. Failures of
 * the cache are never failures of this. Of any number of threads and processes that ask for the
 * same at once, one compiles. A hit in memory is the same object again.
 *
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_COMPILATION       and all others: as cucore_program_compile()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_compile(cucore_cache *cache, const cucore_program *program,
                                              cucore_code_type target,
                                              const char *const *name_expressions,
                                              size_t name_expression_count,
                                              cucore_objectcode **out,
                                              cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Returns the object code that cucore_cache_compile() would return without a compile, from memory or
 * from disk. Compiles nothing, requests nothing from remotes and counts no miss.
 *
 * @param out      receives the object code; NULL, and the call succeeds, if it is not there
 * @param outcome  NULL, or receives CUCORE_CACHE_OUTCOME_HIT_MEMORY or
 *                 CUCORE_CACHE_OUTCOME_HIT_DISK; CUCORE_CACHE_OUTCOME_NONE if it is not there
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_find(cucore_cache *cache, const cucore_program *program,
                                           cucore_code_type target,
                                           const char *const *name_expressions,
                                           size_t name_expression_count, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Gives what cucore_linker_link() would, and links only what has not been linked before.
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_LINKING           and all others: as cucore_linker_link()
 * @par Threads  a linker belongs to one thread at a time
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_link(cucore_cache *cache, cucore_linker *linker,
                                           cucore_code_type target, cucore_objectcode **out,
                                           cucore_cache_outcome *outcome, cucore_error **error);

/**
 * Finds object code under a key of your own: 32 bytes that say all it depends on.
 * @param out  NULL, and the call succeeds, where there is none
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get(cucore_cache *cache, const uint8_t key[32],
                                          cucore_objectcode **out, cucore_error **error);

/** Keeps object code under a key of your own. That it could not be kept is no failure.
 *  @since 0.1 */
CUCORE_API cucore_status cucore_cache_put(cucore_cache *cache, const uint8_t key[32],
                                          const cucore_objectcode *code, cucore_error **error);

/**
 * Finds object code under a key of your own, or builds it: once, however many threads and processes
 * ask for it; the others wait.
 *
 * @param build    called where there is none; must not request this key, nor any other key that the
 *                 calling thread is building
 * @param outcome  NULL, or receives where it came from
 * @retval CUCORE_ERROR_INVALID_STATE  the calling thread, or a thread that waits for it in
 *                                     cucore_program_compile_batch(), is already building the key
 * @return what build returned where it failed
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_get_or_build(cucore_cache *cache, const uint8_t key[32],
                                                   cucore_cache_build_fn build, void *user_data,
                                                   cucore_objectcode **out,
                                                   cucore_cache_outcome *outcome,
                                                   cucore_error **error);

/** What this cache has done since it was opened, and what its folder holds.
 *  @param out  filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_cache_statistics(cucore_cache *cache,
                                                 cucore_cache_statistics_info *out,
                                                 cucore_error **error);

/** The same of all caches that have ever had this folder, as far as they could say so before their
 *  end. @since 0.1 */
CUCORE_API cucore_status cucore_cache_statistics_of_all(cucore_cache *cache,
                                                        cucore_cache_statistics_info *out,
                                                        cucore_error **error);

/**
 * Removes what was used least recently until no more than max_bytes are left; 0 removes all.
 * @param report     NULL, or told of each file removed
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_trim(cucore_cache *cache, uint64_t max_bytes,
                                           cucore_cache_report_fn report, void *user_data,
                                           cucore_error **error);

/**
 * Reads every file and removes what is damaged.
 * @param report  NULL, or told of each file
 * @param bad     NULL, or receives how many were damaged
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_verify(cucore_cache *cache, cucore_cache_report_fn report,
                                             void *user_data, uint64_t *bad, cucore_error **error);

/** Tells of each entry. @since 0.1 */
CUCORE_API cucore_status cucore_cache_query(cucore_cache *cache, cucore_cache_report_fn report,
                                            void *user_data, cucore_error **error);

/**
 * Says why cucore_cache_compile() would have to compile: a text of several lines, of which the first
 * begins with "hit", "miss" or "bypassed".
 *
 * @param buffer  NULL with capacity 0 asks for the size
 * @param size    the size needed with its NUL, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_explain_miss(cucore_cache *cache,
                                                   const cucore_program *program,
                                                   cucore_code_type target,
                                                   const char *const *name_expressions,
                                                   size_t name_expression_count, char *buffer,
                                                   size_t capacity, size_t *size,
                                                   cucore_error **error);

/** What a remote answers. */
typedef enum cucore_cache_answer {
  CUCORE_CACHE_ANSWER_DONE   = 0,
  CUCORE_CACHE_ANSWER_ABSENT = 1, /**< it does not have it */
  CUCORE_CACHE_ANSWER_FAILED = 2, /**< it cannot be reached, or not in time */
  CUCORE_CACHE_ANSWER_FORCE_INT32 = 0x7fffffff
} cucore_cache_answer;

/** Takes the bytes of one get(), at most 64 MiB; may be called once, during the call. */
typedef void (*cucore_cache_receive_fn)(const void *data, size_t size, void *receiver);

/** Gives the bytes of a name, through receive. */
typedef cucore_cache_answer (*cucore_cache_get_fn)(void *context, const char *name,
                                                   cucore_cache_receive_fn receive,
                                                   void *receiver);

/** Keeps bytes under a name. */
typedef cucore_cache_answer (*cucore_cache_put_fn)(void *context, const char *name,
                                                   const void *data, size_t size);

/** The last call: nothing is asked of the remote any more. */
typedef void (*cucore_cache_close_fn)(void *context);

/** A place beyond this machine where results may be. Functions are called from any thread, several
 *  at a time; a name is a path such as "v1/ab/<62 digits>.cuco". */
typedef struct cucore_cache_remote {
  size_t                struct_size; /**< sizeof(cucore_cache_remote) */
  void                 *context;     /**< given to each function */
  cucore_cache_get_fn   get;
  cucore_cache_put_fn   put;   /**< NULL: read-only */
  cucore_cache_close_fn close; /**< NULL, or called once, after the last of the others */
  const char           *name;  /**< for messages */
} cucore_cache_remote;

#define CUCORE_CACHE_REMOTE_INIT \
  { sizeof(cucore_cache_remote), NULL, NULL, NULL, NULL, NULL }

/**
 * Adds a remote: asked where memory and disk have nothing, told of what was built, on a thread of
 * the library. Only entries with a valid signature by one of the cache's keys are taken from it. One
 * that fails three times in a row is left alone. In its functions this cache gives INVALID_STATE.
 *
 * @param remote  copied; close is called also where this fails
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  there is no get
 * @retval CUCORE_ERROR_ABI_MISMATCH      it holds fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache *cache,
                                                 const cucore_cache_remote *remote,
                                                 cucore_error **error);

/** How to reach a remote that a URL names. */
typedef struct cucore_cache_remote_options {
  size_t   struct_size;        /**< sizeof(cucore_cache_remote_options) */
  int32_t  read_only;          /**< 1: nothing is sent to it */
  uint32_t connect_timeout_ms; /**< 0: 100 */
  uint32_t timeout_ms;         /**< of one request as a whole; 0: 1000 */
  int32_t  reserved;           /**< 0 */
} cucore_cache_remote_options;

#define CUCORE_CACHE_REMOTE_OPTIONS_INIT \
  { sizeof(cucore_cache_remote_options), 0, 0, 0, 0 }

/**
 * Adds a remote that a URL names, as cucore_cache_add_remote(): file:///shared/folder,
 * http://host/path and https:// (GET and PUT), redis://user:password@host:port/database. Each is a
 * library of its own, cucore-remote-directory.so, -http and -redis, looked for beside this one and in
 * its folder cucore.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the plug-in is not there; the message lists every path tried
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the URL names no such place; the message says why
 * @retval CUCORE_ERROR_ABI_MISMATCH      options hold fields that this library does not know
 * @since 0.1
 */
CUCORE_API cucore_status cucore_cache_add_remote_url(cucore_cache *cache, const char *url,
                                                     const cucore_cache_remote_options *options,
                                                     cucore_error **error);

/* == Batch ==================================================================================== */

/** One compile of many. */
typedef struct cucore_batch_item {
  const cucore_program *program;
  cucore_code_type      target;
  int32_t               reserved; /**< 0 */
  const char *const    *name_expressions;
  size_t                name_expression_count;
} cucore_batch_item;

/** Is told that one item is done: its index, how many are, of how many, and why it failed, or NULL;
 *  the error lives during the call. Runs on threads of the batch, one call at a time. */
typedef void (*cucore_batch_report_fn)(size_t index, size_t done, size_t count,
                                       const cucore_error *failure, void *user_data);

/** How to compile many programs at once. */
typedef struct cucore_batch_options {
  size_t                 struct_size;   /**< sizeof(cucore_batch_options) */
  size_t                 workers;       /**< processes; 0: one a core */
  uint32_t               time_limit_ms; /**< of each compile; 0: none */
  int32_t                reserved;      /**< 0 */
  cucore_cache          *cache;         /**< NULL: none */
  cucore_batch_report_fn report;        /**< NULL: nobody is told */
  void                  *user_data;     /**< given to report */
} cucore_batch_options;

#define CUCORE_BATCH_OPTIONS_INIT \
  { sizeof(cucore_batch_options), 0, 0, 0, NULL, NULL, NULL }

/**
 * Compiles many programs in worker processes: NVRTC does one at a time in a process for most of its
 * work. One that fails, takes too long, or crashes the compiler, is no failure of the call and does
 * not touch the others. Programs in PTX and NVVM IR are compiled in this process.
 *
 * @param items     any number; the programs may be the same
 * @param out       count of them: the object code, or NULL for an item that failed
 * @param failures  NULL, or count of them: why an item failed, else NULL
 * @param options   NULL for the defaults
 * @retval CUCORE_ERROR_NOT_FOUND  the workers' program, cucore-worker, is not beside the library;
 *                                 the message lists every path tried
 * @since 0.1
 */
CUCORE_API cucore_status cucore_program_compile_batch(const cucore_batch_item *items, size_t count,
                                                      const cucore_batch_options *options,
                                                      cucore_objectcode **out,
                                                      cucore_error **failures,
                                                      cucore_error **error);
/* == Queue ==================================================================================== */

/** How eagerly the end of the work is looked for: nothing wakes a thread when a GPU has finished,
 *  so one thread a device asks, while futures are pending and never else. Time against CPU use. */
typedef struct cucore_queue_options {
  size_t  struct_size; /**< sizeof(cucore_queue_options) */
  int64_t spin_ns;     /**< asks without a pause for so long after the last future made or
                            completed, and waiters spin as long before they sleep; 0: 50 000;
                            -1: never; at most 1 000 000 000 */
  int64_t sweep_ns;    /**< then asks once in so long; 0: 20 000; 1 000 to 1 000 000 000 */
} cucore_queue_options;

#define CUCORE_QUEUE_OPTIONS_INIT \
  { sizeof(cucore_queue_options), 0, 0 }

/** What comes out of a queue: 32 bytes, for ever. */
typedef struct cucore_completion {
  uint64_t      token;  /**< as given to cucore_future_from_stream() */
  cucore_status status; /**< CUCORE_OK, or how the work failed: see cucore_future_error() */
  uint32_t      reserved[5];
} cucore_completion;

/** What cucore_queue_query() tells. */
typedef struct cucore_queue_info {
  size_t   struct_size; /**< set by you: sizeof(cucore_queue_info) */
  uint64_t pending;     /**< futures whose work is not complete, detached ones too */
  uint64_t waiting;     /**< completions that nobody has taken yet */
  uint64_t completed;   /**< completions that ever came to the queue */
  uint64_t cpu_ns;      /**< CPU time that asking has cost, for all queues of the process */
  int32_t  is_closed;   /**< 1 after cucore_queue_close() */
  int32_t  reserved;
} cucore_queue_info;

#define CUCORE_QUEUE_INFO_INIT \
  { sizeof(cucore_queue_info), 0, 0, 0, 0, 0, 0 }

/**
 * Makes a queue. Futures of any stream of any device may complete into it, and any number of
 * threads may take completions out: each comes out once, those of a stream in the stream's order.
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a field is out of its range
 * @retval CUCORE_ERROR_IO                the process has no file descriptor left
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_create(const cucore_queue_options *options,
                                             cucore_queue **out, cucore_error **error);

/** One more reference to a queue; gives back its argument. @since 0.1 */
CUCORE_API cucore_queue *cucore_queue_retain(const cucore_queue *queue);

/** Gives one reference back. With the last one, completions that were not taken are dropped;
 *  futures still pending complete by themselves. @since 0.1 */
CUCORE_API void cucore_queue_release(cucore_queue *queue);

/** A file descriptor that is readable while a completion waits, and once the queue is closed: for
 *  poll, epoll and event loops. It belongs to the queue: never read, write or close it. -1 for
 *  NULL and dead handles. @since 0.1 */
CUCORE_API int32_t cucore_queue_descriptor(const cucore_queue *queue);

/**
 * Waits until a completion is there, and takes as many as are, up to capacity, oldest first.
 * That the time is over is no failure: *count is 0.
 *
 * @param timeout_ns  0 never waits, a negative number has no end
 * @param out         NULL only with a capacity of 0: then nothing is taken
 * @param count       how many were taken
 * @retval CUCORE_ERROR_INVALID_STATE  the queue was closed and is empty, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_wait(const cucore_queue *queue, int64_t timeout_ns,
                                           cucore_completion *out, size_t capacity, size_t *count,
                                           cucore_error **error);

/**
 * Ends a queue for all who wait: what is in it can still be taken, nothing more comes in, and then
 * cucore_queue_wait() is INVALID_STATE. Futures that are pending complete by themselves. Closing
 * again does nothing.
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_close(cucore_queue *queue, cucore_error **error);

/**
 * Tells how much a queue holds, and what asking for it costs.
 * @param out  filled in; struct_size must be set
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 * @since 0.1
 */
CUCORE_API cucore_status cucore_queue_query(const cucore_queue *queue, cucore_queue_info *out,
                                            cucore_error **error);

/* == Future =================================================================================== */

/**
 * A future of all the work that is in a stream now. When that is complete, or has failed, one
 * completion with the token comes out of the queue, whether the future was released before or not;
 * none if this call fails. If a kernel has broken the context, the call succeeds and the future
 * has that fault as its outcome. Nothing is added to the stream but an event, and no function of
 * the caller is ever called.
 *
 * @param token  yours; comes back in the completion
 * @retval CUCORE_ERROR_INVALID_STATE  the queue is closed, or the stream is being captured
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_from_stream(const cucore_stream *stream,
                                                   cucore_queue *queue, uint64_t token,
                                                   cucore_future **out, cucore_error **error);

/** One more reference to a future; gives back its argument. @since 0.1 */
CUCORE_API cucore_future *cucore_future_retain(const cucore_future *future);

/** Gives one reference back. Its completion comes all the same: see cucore_future_detach().
 *  @since 0.1 */
CUCORE_API void cucore_future_release(cucore_future *future);

/** The token that it was made with. @since 0.1 */
CUCORE_API uint64_t cucore_future_token(const cucore_future *future);

/** Whether the work is complete: 1 or 0, at once; the driver is asked if need be.
 *  @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 *  @since 0.1 */
CUCORE_API cucore_status cucore_future_query(const cucore_future *future, int32_t *done,
                                             cucore_error **error);

/**
 * Waits until the work is complete, in any number of threads at once. Takes nothing out of the
 * queue.
 * @param timeout_ns  0 never waits, a negative number has no end
 * @retval CUCORE_ERROR_NOT_READY     the time is over
 * @retval CUCORE_ERROR_KERNEL_FAULT  a kernel broke the context; see cucore_future_error()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_wait(const cucore_future *future, int64_t timeout_ns,
                                            cucore_error **error);

/**
 * How the work ended, without asking the driver: CUCORE_OK, or why it failed.
 * @retval CUCORE_ERROR_NOT_READY      it has not ended, as far as is known
 * @retval CUCORE_ERROR_KERNEL_FAULT   a kernel broke the context; the message has the fault's text
 * @retval CUCORE_ERROR_INVALID_STATE  the context was reset, or the process is exiting
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_error(const cucore_future *future, cucore_error **error);

/**
 * Parts a future from its queue, for a waiter who does not wait any more. The work goes on, and the
 * future itself still completes.
 * @param detached  1: its completion will never come out of the queue; 0: it is in the queue, or
 *                  was taken out
 * @since 0.1
 */
CUCORE_API cucore_status cucore_future_detach(const cucore_future *future, int32_t *detached,
                                              cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_H_INCLUDED */
