/*
 * cucore/kernel.h - kernels: attributes, parameters, occupancy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_KERNEL_H_INCLUDED
#define CUCORE_KERNEL_H_INCLUDED

#include "base.h"
#include "objectcode.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_KERNEL_H_INCLUDED */
