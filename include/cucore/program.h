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

/** The language of a program's source. */
typedef enum cucore_source_type {
  CUCORE_SOURCE_TYPE_CUDA_CPP = 1, /**< CUDA C++, compiled by NVRTC */
  CUCORE_SOURCE_TYPE_PTX      = 2, /**< PTX, compiled by nvJitLink or the driver */
  CUCORE_SOURCE_TYPE_NVVM_IR  = 3, /**< NVVM IR, compiled by libNVVM */
  CUCORE_SOURCE_TYPE_FORCE_INT32 = 0x7fffffff
} cucore_source_type;

/** The format of object code. */
typedef enum cucore_code_type {
  CUCORE_CODE_TYPE_PTX     = 1, /**< text that the driver compiles for its device */
  CUCORE_CODE_TYPE_CUBIN   = 2, /**< machine code of one architecture */
  CUCORE_CODE_TYPE_LTOIR   = 3, /**< for link-time optimisation */
  CUCORE_CODE_TYPE_FATBIN  = 4, /**< several images; the driver selects one */
  CUCORE_CODE_TYPE_OBJECT  = 5, /**< a host object file with device code inside: linker input */
  CUCORE_CODE_TYPE_LIBRARY = 6, /**< an archive of such files: linker input */
  CUCORE_CODE_TYPE_BUNDLE  = 7, /**< several images of one program in a container */
  CUCORE_CODE_TYPE_FORCE_INT32 = 0x7fffffff
} cucore_code_type;

/** The library that does the work of a program or a linker. */
typedef enum cucore_backend {
  CUCORE_BACKEND_NVRTC     = 1, /**< compiles CUDA C++ */
  CUCORE_BACKEND_NVVM      = 2, /**< compiles NVVM IR */
  CUCORE_BACKEND_NVJITLINK = 3, /**< links, and compiles PTX */
  CUCORE_BACKEND_DRIVER    = 4, /**< the driver's linker, instead of nvJitLink */
  CUCORE_BACKEND_FORCE_INT32 = 0x7fffffff
} cucore_backend;

/**
 * The settings of a compile.
 *
 * A toggle in its DEFAULT passes nothing to the compiler. If the compiler has only a flag that
 * turns a setting on, OFF passes nothing either. A text in brackets is the flag of NVRTC that the
 * field becomes. NVRTC's documentation describes each flag and its default under "Supported Compile
 * Options"; names here are those of NVRTC 13.0. A flag that the NVRTC in use does not have fails
 * the compile. Every string and array is copied by cucore_program_create().
 */
typedef struct cucore_program_options {
  size_t             struct_size; /**< sizeof(cucore_program_options) */
  const char        *name;        /**< of the source file, in messages; quoted includes search
                                       its folder. Default "default_program" */
  const char        *arch; /**< "sm_90", "sm_90a", "compute_80"; default: that of device 0, or,
                                without a device, the lowest that the compiler has
                                [--gpu-architecture] */
  /* code generation */
  cucore_toggle      relocatable_device_code;    /**< code for a later link
                                                      [--relocatable-device-code=] */
  cucore_toggle      extensible_whole_program;   /**< [--extensible-whole-program] */
  cucore_toggle      debug;                      /**< information for a debugger; slower code
                                                      [--device-debug] */
  cucore_toggle      lineinfo;                   /**< source lines for profilers and fault messages
                                                      [--generate-line-info] */
  cucore_toggle      device_code_optimize;       /**< optimization with debug [--dopt=on] */
  cucore_toggle      ftz;                        /**< denormal floats become 0 [--ftz=] */
  cucore_toggle      prec_sqrt;                  /**< IEEE square roots [--prec-sqrt=] */
  cucore_toggle      prec_div;                   /**< IEEE divisions [--prec-div=] */
  cucore_toggle      fma;                        /**< fused multiply-add [--fmad=] */
  cucore_toggle      use_fast_math;              /**< fast, less accurate math [--use_fast_math] */
  cucore_toggle      extra_device_vectorization; /**< [--extra-device-vectorization] */
  cucore_toggle      link_time_optimization;     /**< only with the target LTOIR
                                                      [--dlink-time-opt] */
  cucore_toggle      gen_opt_lto;                /**< [--gen-opt-lto] */
  int32_t            max_register_count; /**< per thread; 0: no bound [--maxrregcount=] */
  int32_t            split_compile;      /**< compiler threads up to 1024, -1 for all cores
                                              [--split-compile=] */
  const char        *ofast_compile; /**< "0", "min", "mid" or "max" [--Ofast-compile=] */
  const char *const *ptxas_options; /**< passed to ptxas one by one [--ptxas-options] */
  size_t             ptxas_option_count; /**< of ptxas_options */
  /* preprocessor */
  const char *const *define_macros; /**< "NAME" or "NAME=value" [--define-macro=] */
  size_t             define_macro_count; /**< of define_macros */
  const char *const *undefine_macros; /**< names [--undefine-macro=] */
  size_t             undefine_macro_count; /**< of undefine_macros */
  const char *const *include_paths; /**< folders, searched in this order [--include-path=] */
  size_t             include_path_count; /**< of include_paths */
  const char *const *pre_includes; /**< files included before the source [--pre-include=] */
  size_t             pre_include_count; /**< of pre_includes */
  const char *const *header_names;   /**< headers in memory, as #include names them ... */
  const char *const *header_sources; /**< ... and their texts */
  size_t             header_count; /**< of header_names and of header_sources */
  cucore_toggle      source_include; /**< OFF: quoted includes do not search the folder of the
                                          file that includes them [--no-source-include] */
  cucore_toggle      bundled_headers; /**< NVRTC 13.3 and later [--use-bundled-headers] */
  /* language */
  const char        *standard;                 /**< "c++17", "c++20" [--std=] */
  cucore_toggle      builtin_move_forward;     /**< [--builtin-move-forward=] */
  cucore_toggle      builtin_initializer_list; /**< [--builtin-initializer-list=] */
  cucore_toggle      restrict_pointers;        /**< all pointer parameters are restrict
                                                    [--restrict] */
  cucore_toggle      device_as_default_execution_space; /**< functions without a space are for the
                                                             device [--device-as-default-...] */
  cucore_toggle      device_int128;                     /**< [--device-int128] */
  cucore_toggle      device_float128;                   /**< [--device-float128] */
  cucore_toggle      syntax_only;                       /**< [--fdevice-syntax-only] */
  cucore_toggle      minimal; /**< leaves out what few kernels need, to compile faster
                                   [--minimal] */
  /* diagnostics */
  cucore_toggle      warnings;              /**< OFF: no warnings [--disable-warnings] */
  cucore_toggle      display_error_numbers; /**< OFF: [--no-display-error-number] */
  cucore_toggle      brief_diagnostics;     /**< without source lines [--brief-diagnostics=] */
  const char        *optimization_info;     /**< "inline" [--optimization-info=] */
  const int32_t     *diag_errors; /**< numbers of diagnostics to make errors [--diag-error=] */
  size_t             diag_error_count; /**< of diag_errors */
  const int32_t     *diag_suppressions; /**< numbers to leave out [--diag-suppress=] */
  size_t             diag_suppression_count; /**< of diag_suppressions */
  const int32_t     *diag_warnings; /**< numbers to make warnings [--diag-warn=] */
  size_t             diag_warning_count; /**< of diag_warnings */
  const char        *time;       /**< file for times of the phases, "-": the log [--time=] */
  const char        *time_trace; /**< file for a trace [--fdevice-time-trace=] */
  /* reproducible output and the compiler's own caches */
  const char        *random_seed; /**< default: derived from the inputs, so that equal inputs give
                                       equal bytes in every process [--frandom-seed=] */
  cucore_toggle      compiler_cache; /**< ON: NVRTC 12.9 and later may keep results through the
                                          driver. OFF: the process keeps none [--no-cache] */
  /* precompiled headers */
  cucore_toggle      pch;           /**< automatic precompiled headers [--pch] */
  const char        *create_pch;    /**< file to write [--create-pch=] */
  const char        *use_pch;       /**< file to read [--use-pch=] */
  const char        *pch_directory; /**< folder of the files [--pch-dir=] */
  cucore_toggle      pch_verbose;   /**< [--pch-verbose=] */
  cucore_toggle      pch_messages;  /**< [--pch-messages=] */
  cucore_toggle      instantiate_templates_in_pch; /**< [--instantiate-templates-in-pch=] */
  /* anything else */
  const char *const *flags; /**< passed unchanged, after all others */
  size_t             flag_count; /**< of flags */
  /* NVVM IR */
  cucore_toggle      use_libdevice; /**< ON: link CUDA's device library, libdevice, as needed */
  int32_t            reserved;      /**< 0 */
  const char *const *extra_source_names; /**< further modules of NVVM IR: their names, ... */
  const void *const *extra_sources;      /**< ... their text or bitcode ... */
  const size_t      *extra_source_sizes; /**< ... and its size in bytes */
  size_t             extra_source_count; /**< of the three arrays of extra sources */
  /* headers of the toolkit */
  cucore_toggle      toolkit_headers; /**< default ON: `#include` also searches the headers of the
                                           CUDA toolkit that the NVRTC in use belongs to, after all
                                           include_paths. cucore_library_query() reports the
                                           folders. A source that includes no file has the same
                                           result with OFF [--include-path=] */
  int32_t            reserved_1;      /**< 0 */
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
    NULL, 0, CUCORE_TOGGLE_DEFAULT, 0, NULL, NULL, NULL, 0,                               \
    CUCORE_TOGGLE_DEFAULT, 0 }

/**
 * Creates a program with a copy of the source and of all options. The call compiles nothing and
 * opens no library. A program never changes; one program can be compiled by several threads.
 *
 * CUDA C++ accepts every option except those of NVVM IR. PTX accepts arch, name, debug, lineinfo,
 * device_code_optimize, ftz, prec_sqrt, prec_div, fma, max_register_count, split_compile,
 * ptxas_options, time ("-" only), compiler_cache and flags (nvJitLink's). NVVM IR accepts arch,
 * name, debug, lineinfo, device_code_optimize, ftz, prec_sqrt, prec_div, fma, use_libdevice, the
 * extra sources and flags (libNVVM's). Other fields that are set are INVALID_ARGUMENT, and the
 * message names all of them.
 *
 * @param type     the language of the source
 * @param source   the text; it need not end with a NUL. NVVM IR is text or bitcode
 * @param size     in bytes, without a NUL at the end
 * @param options  NULL for the defaults
 * @param out      receives the program
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the message names the field that is wrong
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @retval CUCORE_ERROR_INVALID_CODE      the PTX has no .version or .target, or ends too early
 * @since 0.1
 */
CUCORE_API cucore_status cucore_program_create(cucore_source_type type, const char *source,
                                               size_t size, const cucore_program_options *options,
                                               cucore_program **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param program  the program; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_program *cucore_program_retain(const cucore_program *program);

/**
 * Removes a reference. Object code that was compiled from the program remains.
 *
 * @param program  the program; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_program_release(cucore_program *program);

/**
 * Compiles a program in this process and returns when the code exists. Equal inputs give equal
 * bytes.
 *
 * The compile needs no device and no driver, with two exceptions. Without an arch the driver is
 * queried for device 0. PTX needs the driver if its linker compiles it: see
 * cucore_program_backend().
 *
 * Several threads may compile at once. NVRTC runs most of its work one program at a time per
 * process; cucore_program_compile_batch() compiles in parallel.
 *
 * @param program                the program
 * @param target                 PTX, CUBIN or LTOIR for CUDA C++; CUBIN for PTX. NVVM IR compiles
 *                               to PTX or LTOIR
 * @param name_expressions       of CUDA C++: templates and overloads to instantiate,
 *                               "saxpy<float>". cucore_objectcode_find_kernel() finds them under
 *                               these names
 * @param name_expression_count  of name_expressions; 0 for PTX and NVVM IR
 * @param out                    receives the object code; its log has the compiler's warnings
 * @param error                  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_COMPILATION       cucore_error_log() has the compiler's whole output
 * @retval CUCORE_ERROR_LINKING           the same for PTX, which a linker compiles
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the target is not one of those, or it is CUBIN and no real
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

/**
 * Returns the cucore_backend that compiles the program. For PTX the call opens nvJitLink, to
 * choose between it and the driver's linker.
 *
 * @param program  the program; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_program_backend(const cucore_program *program);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PROGRAM_H_INCLUDED */
