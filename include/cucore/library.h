/*
 * cucore/library.h - the libraries that are opened at run time, and the choice of the driver.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_LIBRARY_H_INCLUDED
#define CUCORE_LIBRARY_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The libraries that are opened at run time, each on first use; none is linked. */
typedef enum cucore_library {
  CUCORE_LIBRARY_DRIVER    = 1, /**< libcuda.so.1, or the CPU device libcucore-cpu.so */
  CUCORE_LIBRARY_NVRTC     = 2, /**< the compiler, libnvrtc.so */
  CUCORE_LIBRARY_NVJITLINK = 3, /**< the linker, libnvJitLink.so */
  CUCORE_LIBRARY_NVVM      = 4, /**< the compiler of NVVM IR, libnvvm.so; its version is its own */
  /* This library calls no function of the following ones: see cucore_library_symbol(). The version
     of each is its own. */
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

/** The state of a library. Strings live until the process ends. */
typedef struct cucore_library_info {
  size_t      struct_size;   /**< set by the caller: sizeof(cucore_library_info) */
  const char *path;          /**< the file in use, "" while unavailable */
  int32_t     version_major; /**< of the driver: of the highest CUDA version that it supports */
  int32_t     version_minor; /**< the same; 0 while unavailable */
  int32_t     available;     /**< 1 if it is open and usable */
  const char *reason;        /**< the reason if unavailable, with every path tried; else "" */
  const char *header_folders; /**< of NVRTC: the folders of the toolkit's headers that compiles
                                   search, with ':' between them (cucore_program_options.
                                   toolkit_headers); "" if no folder was found, and for the
                                   other libraries */
} cucore_library_info;

#define CUCORE_LIBRARY_INFO_INIT \
  { sizeof(cucore_library_info), NULL, 0, 0, 0, NULL, NULL }

/**
 * Opens a library if it is not open yet, and reports its file and version, or why it is not
 * usable.
 *
 * A missing library is not a failure of this call: available is 0, and reason contains the message
 * that other functions fail with. A later call tries again.
 *
 * @param library  one of the enumerators
 * @param out      receives the state; its struct_size must be set
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is not one of the enumerators
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_query(cucore_library library, cucore_library_info *out,
                                              cucore_error **error);

/**
 * Sets the file of a library, or the folder that contains it, before its first use. A second call
 * replaces the path of the first.
 *
 * These places come first: libraries that the process has already loaded, the environment variable
 * of the library, the system's search path. The variable is CUCORE_NVRTC and so on, the enumerator
 * without LIBRARY. After the path come CUDA_HOME, CUDA_PATH and /usr/local/cuda. Bindings pass the
 * folders of NVIDIA's Python wheels.
 *
 * @param library  any enumerator except CUCORE_LIBRARY_DRIVER
 * @param path     a file or a folder, not empty; it need not exist yet
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE     the library is already open
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is the driver: see cucore_driver_select()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_set_path(cucore_library library, const char *path,
                                                 cucore_error **error);

/**
 * Returns the address of a function of a library. Opens the library if it is not open yet. The
 * address stays valid until the process ends.
 *
 * The name is the exported one, as the system's loader finds it: "cuMemAlloc_v2", not the
 * "cuMemAlloc" that cuda.h maps to it. Functions of the driver are those of the driver in use, the
 * CPU device included; cucore_driver_select() chooses it. Functions of nvJitLink are also found
 * by the name without a version.
 *
 * @param library  one of the enumerators
 * @param name     the name of the function
 * @param out      receives the address: convert it to the function's type
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  library is not one of the enumerators
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the library cannot be opened; every path tried is listed
 * @retval CUCORE_ERROR_NOT_FOUND         the library has no such function
 * @since 0.1
 */
CUCORE_API cucore_status cucore_library_symbol(cucore_library library, const char *name, void **out,
                                               cucore_error **error);

/**
 * Chooses the driver, before its first use; overrides the environment variable CUCORE_DRIVER. If
 * the driver in use is already the chosen one, the call succeeds and changes nothing. The driver
 * is not opened yet, so a missing one fails the first call that needs it.
 *
 * "nvidia" is libcuda.so.1; "cpu" is the CPU device, which runs PTX on the processor. "auto", the
 * default, selects NVIDIA's driver if it opens and has a device. Otherwise it selects the CPU
 * device and writes one message to the log. A name with a slash is the path of a driver library.
 *
 * @param name_or_path  "nvidia", "cpu", "auto", or a path
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  neither a known name nor a path
 * @retval CUCORE_ERROR_INVALID_STATE     another driver is already in use
 * @since 0.1
 */
CUCORE_API cucore_status cucore_driver_select(const char *name_or_path, cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LIBRARY_H_INCLUDED */
