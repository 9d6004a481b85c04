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

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LIBRARY_H_INCLUDED */
