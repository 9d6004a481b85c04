/*
 * cucore/program.h - source code, its options, and the compile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_PROGRAM_H_INCLUDED
#define CUCORE_PROGRAM_H_INCLUDED

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PROGRAM_H_INCLUDED */
