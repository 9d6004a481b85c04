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

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_LINKER_H_INCLUDED */
