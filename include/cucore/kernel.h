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
  CUCORE_KERNEL_ATTRIBUTE_MAX_THREADS_PER_BLOCK                 = 0, /**< on this device */
  CUCORE_KERNEL_ATTRIBUTE_SHARED_SIZE_BYTES                     = 1, /**< static shared memory */
  CUCORE_KERNEL_ATTRIBUTE_CONST_SIZE_BYTES                      = 2, /**< constant memory */
  CUCORE_KERNEL_ATTRIBUTE_LOCAL_SIZE_BYTES                      = 3, /**< per thread */
  CUCORE_KERNEL_ATTRIBUTE_NUM_REGS                              = 4, /**< per thread */
  CUCORE_KERNEL_ATTRIBUTE_PTX_VERSION                           = 5, /**< major * 10 + minor */
  CUCORE_KERNEL_ATTRIBUTE_BINARY_VERSION                        = 6, /**< major * 10 + minor */
  CUCORE_KERNEL_ATTRIBUTE_CACHE_MODE_CA                         = 7, /**< 1 with ptxas -dlcm=ca */
  CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES         = 8, /**< settable, per block */
  CUCORE_KERNEL_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT      = 9, /**< settable, percent */
  CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET              = 10, /**< 0 or 1 */
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH                = 11, /**< settable, blocks */
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT               = 12, /**< settable, blocks */
  CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH                = 13, /**< settable, blocks */
  CUCORE_KERNEL_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED     = 14, /**< settable, 0 or 1 */
  CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE  = 15, /**< settable */
  CUCORE_KERNEL_ATTRIBUTE_FORCE_INT32                           = 0x7fffffff
} cucore_kernel_attribute_name;

/**
 * Wraps a CUkernel of another owner. The library never unloads it, and it must outlive the result
 * and all launches of it. A CUfunction of a module is not accepted.
 *
 * The name comes from the driver from CUDA 12.3 on; an older driver reports none, and the name is
 * "kernel". The parameters come from a driver of CUDA 12.4 or newer, without their classes.
 *
 * @param device  a device of the kernel's code
 * @param native  the CUkernel
 * @param out     receives the kernel; each call returns a new object
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  native is NULL
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_from_native(const cucore_device *device, void *native,
                                                   cucore_kernel **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param kernel  the kernel; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_kernel *cucore_kernel_retain(const cucore_kernel *kernel);

/**
 * Removes a reference. Earlier launches go on. The last one also releases the kernel's reference to
 * the object code: see cucore_objectcode_release().
 *
 * @param kernel  the kernel; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_kernel_release(cucore_kernel *kernel);

/**
 * Returns the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m".
 *
 * @param kernel  the kernel, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_kernel_name(const cucore_kernel *kernel);

/**
 * Returns the CUkernel, for other libraries. If the code is loaded once per architecture, it is the
 * kernel of the first image.
 *
 * @param kernel  the kernel, which keeps the CUkernel loaded; NULL for NULL
 * @since 0.1
 */
CUCORE_API void *cucore_kernel_native(const cucore_kernel *kernel);

/**
 * Returns the object code with the image that a device runs. For a bundle it is one image of it. For
 * LTOIR it is machine code, which each call links.
 *
 * @param kernel  the kernel
 * @param device  the device
 * @param out     receives the object code: that of the kernel, unless images differ by device
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED   the kernel is from cucore_kernel_from_native(), so its code is
 *                                    unknown
 * @retval CUCORE_ERROR_INVALID_CODE  no image is for the device
 * @since 0.2
 */
CUCORE_API cucore_status cucore_kernel_objectcode(const cucore_kernel *kernel,
                                                  const cucore_device *device,
                                                  cucore_objectcode **out, cucore_error **error);

/**
 * Returns one property of a kernel on a device. Code that is not loaded there is loaded.
 *
 * @param kernel  the kernel
 * @param name    an enumerator, or another number of the driver's CUfunction_attribute
 * @param device  the device
 * @param out     receives the value, in the unit that the enumerator documents
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the driver does not have the attribute
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_attribute(const cucore_kernel *kernel,
                                                 cucore_kernel_attribute_name name,
                                                 const cucore_device *device, int32_t *out,
                                                 cucore_error **error);

/**
 * Sets a settable property of a kernel on a device, for all later launches of it in the process.
 *
 * A launch sets MAX_DYNAMIC_SHARED_SIZE_BYTES itself if it needs more.
 *
 * @param kernel  the kernel
 * @param name    an enumerator that is settable
 * @param device  the device
 * @param value   the new value, in the unit that the enumerator documents
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the attribute or the value cannot be set
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_set_attribute(const cucore_kernel *kernel,
                                                     cucore_kernel_attribute_name name,
                                                     const cucore_device *device, int32_t value,
                                                     cucore_error **error);

/**
 * Returns the name that messages use for the kernel: the first one under which it was found, such
 * as "axpy<float>".
 *
 * @param kernel  the kernel, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_kernel_label(const cucore_kernel *kernel);

/**
 * Returns the number of parameters.
 *
 * @param kernel  the kernel; 0 for NULL. SIZE_MAX if neither the code nor the driver (before 12.4)
 *                records it
 * @since 0.1
 */
CUCORE_API size_t cucore_kernel_parameter_count(const cucore_kernel *kernel);

/**
 * Returns the place of one parameter in the parameter block. Layouts may differ between
 * architectures.
 *
 * @param kernel  the kernel
 * @param index   less than cucore_kernel_parameter_count()
 * @param device  the device of the launch; NULL: the first image
 * @param offset  receives the bytes before the parameter
 * @param size    receives the bytes of the parameter
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_UNSUPPORTED       neither the code nor the driver records the parameters
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
 * The library reads struct_size of element 0, which must be the size of one element
 * (sizeof(cucore_parameter_info)), and sets struct_size of every element.
 *
 * @param kernel    the kernel
 * @param device    the device of the launch; NULL: the first image
 * @param out       an array of `capacity` elements; NULL with capacity 0 queries the count
 * @param capacity  elements that `out` can hold
 * @param count     receives the number of parameters, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
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
 * Returns how many blocks of the kernel fit on one multiprocessor at a time.
 *
 * @param kernel                     the kernel
 * @param device                     the device
 * @param block_size                 threads per block
 * @param dynamic_shared             bytes per block
 * @param blocks_per_multiprocessor  receives the number of blocks
 * @param error                      NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_occupancy(const cucore_kernel *kernel,
                                                 const cucore_device *device, int32_t block_size,
                                                 size_t dynamic_shared,
                                                 int32_t *blocks_per_multiprocessor,
                                                 cucore_error **error);

/**
 * Returns the block size with the highest occupancy, and the smallest grid that fills the device
 * with such blocks.
 *
 * @param kernel            the kernel
 * @param device            the device
 * @param dynamic_shared    bytes per block, for every block size
 * @param block_size_limit  threads per block at most; 0: the device's limit
 * @param min_grid_size     receives the number of blocks
 * @param block_size        receives the threads per block
 * @param error             NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_max_potential_block_size(
    const cucore_kernel *kernel, const cucore_device *device, size_t dynamic_shared,
    int32_t block_size_limit, int32_t *min_grid_size, int32_t *block_size, cucore_error **error);

/**
 * Returns the dynamic shared memory that a block may use if a given number of blocks is to run on
 * one multiprocessor.
 *
 * @param kernel                     the kernel
 * @param device                     the device
 * @param blocks_per_multiprocessor  the number of blocks
 * @param block_size                 threads per block
 * @param dynamic_shared             receives the bytes per block
 * @param error                      NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_kernel_available_dynamic_shared(
    const cucore_kernel *kernel, const cucore_device *device, int32_t blocks_per_multiprocessor,
    int32_t block_size, size_t *dynamic_shared, cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_KERNEL_H_INCLUDED */
