/*
 * cucore/linker.h - the link of several inputs to one image.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_LINKER_H_INCLUDED
#define CUCORE_LINKER_H_INCLUDED

#include "base.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The settings of a link.
 *
 * A toggle in its DEFAULT passes nothing to the linker. If the linker has only a flag that turns a
 * setting on, OFF passes nothing either. A text in brackets is the flag of nvJitLink that the field
 * becomes; names are those of nvJitLink 13.0, "Supported Link Options". The driver's linker has
 * only arch, max_register_count, verbose, optimization_level, debug and lineinfo. Every string and
 * array is copied by cucore_linker_create().
 */
typedef struct cucore_linker_options {
  size_t        struct_size; /**< sizeof(cucore_linker_options) */
  const char   *name;        /**< of the result; default: that of the first input */
  const char   *arch; /**< "sm_90"; default: as for a program [-arch=] */
  cucore_toggle link_time_optimization; /**< default: ON if an input is LTOIR or the target is
                                             PTX; OFF is then an error [-lto] */
  cucore_toggle ptx;                    /**< ON: refuse to link to anything but PTX [-ptx] */
  cucore_toggle time;                   /**< times of the phases into the log [-time] */
  cucore_toggle verbose;                /**< more into the log [-verbose] */
  cucore_toggle debug;                  /**< information for a debugger [-g] */
  cucore_toggle lineinfo;               /**< source lines [-lineinfo] */
  cucore_toggle ftz;                    /**< denormal floats become 0 [-ftz=] */
  cucore_toggle prec_div;               /**< IEEE divisions [-prec-div=] */
  cucore_toggle prec_sqrt;              /**< IEEE square roots [-prec-sqrt=] */
  cucore_toggle fma;                    /**< fused multiply-add [-fma=] */
  cucore_toggle optimize_unused_variables; /**< drop variables that no device code refers to
                                                [-optimize-unused-variables] */
  cucore_toggle linker_cache; /**< ON: nvJitLink 12.9 and later may keep results through the
                                   driver; default OFF [-no-cache] */
  int32_t       max_register_count;     /**< per thread; 0: no bound [-maxrregcount=] */
  int32_t       split_compile;          /**< threads up to 1024, -1 for all cores
                                             [-split-compile=] */
  int32_t       split_compile_extended; /**< the same [-split-compile-extended=] */
  const char   *optimization_level;     /**< "0" or "3" [-O] */
  const char *const *kernels_used; /**< the only kernels to keep [-kernels-used=] */
  size_t             kernels_used_count; /**< of kernels_used; 0: keep all */
  const char *const *variables_used; /**< the only variables to keep [-variables-used=] */
  size_t             variables_used_count; /**< of variables_used; 0: keep all */
  const char *const *ptxas_options; /**< passed to ptxas one by one [-Xptxas=] */
  size_t             ptxas_option_count; /**< of ptxas_options */
  const char *const *flags; /**< anything else, passed unchanged, last */
  size_t             flag_count; /**< of flags */
} cucore_linker_options;

#define CUCORE_LINKER_OPTIONS_INIT                                                        \
  { sizeof(cucore_linker_options), NULL, NULL,                                            \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT,                  \
    0, 0, 0, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0 }

/**
 * Creates a linker with a copy of the options and without inputs. The call opens no library. A
 * linker belongs to one thread at a time.
 *
 * @param options  NULL for the defaults
 * @param out      receives the linker
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_create(const cucore_linker_options *options,
                                              cucore_linker **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param linker  the linker; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_linker *cucore_linker_retain(const cucore_linker *linker);

/**
 * Removes a reference. Results of the linker remain.
 *
 * @param linker  the linker; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_linker_release(cucore_linker *linker);

/**
 * Adds an input of any kind; kinds may be mixed. The order of inputs is the order of these calls.
 *
 * The call may follow a link: the next link combines all inputs, the earlier ones included. An
 * input cannot be removed. A bundle adds the image that a device of the linker's architecture would
 * use.
 *
 * @param linker  the linker, which holds the object code
 * @param code    the input; it is not inspected before the link
 * @param error   NULL, or receives a new error on failure
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_add(cucore_linker *linker, const cucore_objectcode *code,
                                           cucore_error **error);

/**
 * Links all inputs and returns when the code exists. The name expressions of the inputs find their
 * kernels in the result also. Equal inputs give equal bytes.
 *
 * The linker keeps its inputs, also after a failure. It can link again, also for another target.
 *
 * @param linker  the linker
 * @param target  CUBIN, or PTX, which link-time optimisation makes
 * @param out     receives the object code; its log has the linker's warnings
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_LINKING           cucore_error_log() has the linker's whole output; or two
 *                                        inputs define one name, and the message names both inputs
 * @retval CUCORE_ERROR_INVALID_STATE     the linker has no inputs
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  another target, or options that exclude each other
 * @retval CUCORE_ERROR_UNSUPPORTED       link-time optimisation without a suitable nvJitLink, an
 *                                        option that the driver's linker does not have, or the
 *                                        target LTOIR. The message names the versions of the
 *                                        producers of the inputs and of nvJitLink
 * @since 0.1
 */
CUCORE_API cucore_status cucore_linker_link(cucore_linker *linker, cucore_code_type target,
                                            cucore_objectcode **out, cucore_error **error);

/**
 * Returns the cucore_backend that links the inputs added so far.
 *
 * It is CUCORE_BACKEND_NVJITLINK if nvJitLink is of CUDA 12.3 or later and not older than the
 * producers of the inputs. Otherwise it is CUCORE_BACKEND_DRIVER. The log (CUCORE_LOG_INFO)
 * contains the reason.
 *
 * @param linker  the linker; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_linker_backend(const cucore_linker *linker);

/**
 * Returns the whole output of the last link, also of one that failed.
 *
 * @param linker  the linker, which owns the string until the next link; "" for NULL, and before the
 *                first link
 * @since 0.1
 */
CUCORE_API const char *cucore_linker_log(const cucore_linker *linker);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LINKER_H_INCLUDED */
