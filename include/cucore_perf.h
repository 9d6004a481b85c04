/*
 * cucore_perf.h - what the machine allows, and what compiled code would do on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The conventions are those of cucore.h. Errors are its errors. No function of this header needs a
 * device, a driver or a library of CUDA.
 *
 * - Occupancy: how many blocks of a kernel one multiprocessor runs at a time, for any architecture.
 * - Analysis: the resources, instructions and loops of compiled kernels, and findings about what in
 *   them costs time, with source lines.
 *
 * Any number of threads may call each function, also with one analysis, which never changes.
 */
#ifndef CUCORE_PERF_H_INCLUDED
#define CUCORE_PERF_H_INCLUDED

#include <cucore.h>

#if defined(_WIN32) && defined(CUCORE_PERF_BUILDING)
#  define CUCORE_PERF_API __declspec(dllexport)
#elif defined(_WIN32)
#  define CUCORE_PERF_API __declspec(dllimport)
#elif defined(__GNUC__)
#  define CUCORE_PERF_API __attribute__((visibility("default"), nothrow)) /* no exception passes */
#else
#  define CUCORE_PERF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The resource that a multiprocessor exhausts first. */
typedef enum cucore_occupancy_limiter {
  CUCORE_OCCUPANCY_LIMITER_NONE      = 0, /**< of a struct that is not filled in */
  CUCORE_OCCUPANCY_LIMITER_WARPS     = 1, /**< the warps that it runs */
  CUCORE_OCCUPANCY_LIMITER_BLOCKS    = 2, /**< the blocks that it runs, whatever their size */
  CUCORE_OCCUPANCY_LIMITER_REGISTERS = 3, /**< its registers */
  CUCORE_OCCUPANCY_LIMITER_SHARED    = 4, /**< its shared memory */
  CUCORE_OCCUPANCY_LIMITER_FORCE_INT32 = 0x7fffffff
} cucore_occupancy_limiter;

/** The resources that one block of a kernel needs. */
typedef struct cucore_occupancy_needs {
  size_t   struct_size; /**< sizeof(cucore_occupancy_needs) */
  uint32_t registers;   /**< per thread, 0 to 255 */
  uint32_t threads;     /**< per block, 1 to 1024 */
  uint32_t shared;      /**< bytes per block, static and dynamic together */
  uint32_t reserved;    /**< 0 */
} cucore_occupancy_needs;

#define CUCORE_OCCUPANCY_NEEDS_INIT \
  { sizeof(cucore_occupancy_needs), 0, 0, 0, 0 }

/** The number of blocks and warps that one multiprocessor runs at a time. */
typedef struct cucore_occupancy_info {
  size_t   struct_size; /**< set by the caller: sizeof(cucore_occupancy_info) */
  uint32_t blocks;      /**< per multiprocessor; 0: such a block cannot be launched */
  uint32_t warps;       /**< of these blocks */
  double   fraction;    /**< warps, divided by the largest number of warps of the architecture */
  cucore_occupancy_limiter limiter; /**< why no further block fits; the first in the order of its
                                         enumerators, if several allow the same number of blocks */
  int32_t  registers_for_more; /**< the largest number per thread with which a further block fits;
                                    -1: fewer registers alone do not help */
  int32_t  shared_for_more;    /**< the largest number of bytes per block with which a further block
                                    fits; -1: less shared memory alone does not help */
  int32_t  reserved;           /**< 0 */
} cucore_occupancy_info;

#define CUCORE_OCCUPANCY_INFO_INIT \
  { sizeof(cucore_occupancy_info), 0, 0, 0.0, CUCORE_OCCUPANCY_LIMITER_NONE, 0, 0, 0 }

/**
 * Computes how many blocks of a kernel one multiprocessor of an architecture runs at a time, as the
 * driver does. All shared memory of the multiprocessor is available to blocks, as if the kernel had
 * opted in to large blocks.
 *
 * @param arch   the architecture, "sm_90", "sm_90a" or "compute_90": from sm_70 to sm_121
 * @param needs  the resources of one block
 * @param out    receives the result; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a number of `needs` is out of its range, or arch is not
 *                                        the name of an architecture
 * @retval CUCORE_ERROR_UNSUPPORTED       the limits of the architecture are unknown; the message
 *                                        lists those that are known
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_occupancy_query(const char *arch,
                                                     const cucore_occupancy_needs *needs,
                                                     cucore_occupancy_info *out,
                                                     cucore_error **error);

/** Compiled code, analysed. */
typedef struct cucore_analysis cucore_analysis;

/** The level of code. */
typedef enum cucore_code_level {
  CUCORE_CODE_LEVEL_NONE    = 0, /**< of a struct that is not filled in */
  CUCORE_CODE_LEVEL_MACHINE = 1, /**< machine code of a CUBIN */
  CUCORE_CODE_LEVEL_PTX     = 2, /**< PTX */
  CUCORE_CODE_LEVEL_FORCE_INT32 = 0x7fffffff
} cucore_code_level;

/** The effect of an instruction. Later versions may add classes. */
typedef enum cucore_instruction_class {
  CUCORE_INSTRUCTION_CLASS_ANY           = 0, /**< all classes together */
  CUCORE_INSTRUCTION_CLASS_F16           = 1, /**< arithmetic in f16 and bf16 */
  CUCORE_INSTRUCTION_CLASS_F32           = 2, /**< arithmetic and comparisons in f32 */
  CUCORE_INSTRUCTION_CLASS_F64           = 3, /**< arithmetic and comparisons in f64 */
  CUCORE_INSTRUCTION_CLASS_INTEGER       = 4, /**< arithmetic, logic and comparisons of integers */
  CUCORE_INSTRUCTION_CLASS_CONVERSION    = 5, /**< between types */
  CUCORE_INSTRUCTION_CLASS_SPECIAL       = 6, /**< approximations: square roots, sines, logarithms */
  CUCORE_INSTRUCTION_CLASS_LOAD_GLOBAL   = 7, /**< from global memory */
  CUCORE_INSTRUCTION_CLASS_STORE_GLOBAL  = 8, /**< to global memory */
  CUCORE_INSTRUCTION_CLASS_LOAD_SHARED   = 9, /**< from shared memory */
  CUCORE_INSTRUCTION_CLASS_STORE_SHARED  = 10, /**< to shared memory */
  CUCORE_INSTRUCTION_CLASS_LOAD_LOCAL    = 11, /**< from local memory */
  CUCORE_INSTRUCTION_CLASS_STORE_LOCAL   = 12, /**< to local memory */
  CUCORE_INSTRUCTION_CLASS_LOAD_CONSTANT = 13, /**< from constant banks and parameters */
  CUCORE_INSTRUCTION_CLASS_LOAD_GENERIC  = 14, /**< from an address of any space */
  CUCORE_INSTRUCTION_CLASS_STORE_GENERIC = 15, /**< to an address of any space */
  CUCORE_INSTRUCTION_CLASS_TEXTURE       = 16, /**< textures and surfaces */
  CUCORE_INSTRUCTION_CLASS_ATOMIC        = 17, /**< atomic operations and reductions in memory */
  CUCORE_INSTRUCTION_CLASS_MATRIX        = 18, /**< products on tensor cores */
  CUCORE_INSTRUCTION_CLASS_COPY          = 19, /**< asynchronous copies */
  CUCORE_INSTRUCTION_CLASS_SHUFFLE       = 20, /**< exchange and votes within a warp */
  CUCORE_INSTRUCTION_CLASS_BRANCH        = 21, /**< branches, calls, returns and their bookkeeping */
  CUCORE_INSTRUCTION_CLASS_BARRIER       = 22, /**< barriers, fences and waits */
  CUCORE_INSTRUCTION_CLASS_MOVE          = 23, /**< moves, selections and logic of predicates */
  CUCORE_INSTRUCTION_CLASS_OTHER         = 24, /**< known, and none of the above */
  CUCORE_INSTRUCTION_CLASS_UNKNOWN       = 25, /**< not in the tables of this library */
  CUCORE_INSTRUCTION_CLASS_FORCE_INT32 = 0x7fffffff
} cucore_instruction_class;

/** How much a finding matters. */
typedef enum cucore_finding_severity {
  CUCORE_FINDING_SEVERITY_NONE    = 0, /**< of a struct that is not filled in */
  CUCORE_FINDING_SEVERITY_NOTE    = 1, /**< may be intended */
  CUCORE_FINDING_SEVERITY_WARNING = 2, /**< costs time in most kernels */
  CUCORE_FINDING_SEVERITY_ERROR   = 3, /**< the kernel does not work as written; not in use yet */
  CUCORE_FINDING_SEVERITY_FORCE_INT32 = 0x7fffffff
} cucore_finding_severity;

/** The format of a report. */
typedef enum cucore_report_format {
  CUCORE_REPORT_FORMAT_NONE = 0, /**< not a format; refused */
  CUCORE_REPORT_FORMAT_TEXT = 1, /**< for people */
  CUCORE_REPORT_FORMAT_JSON = 2, /**< of the schema cucore.analysis/1 */
  CUCORE_REPORT_FORMAT_FORCE_INT32 = 0x7fffffff
} cucore_report_format;

/** The settings of an analysis. Each string is copied. */
typedef struct cucore_analysis_options {
  size_t             struct_size; /**< sizeof(cucore_analysis_options) */
  const char *const *archs;       /**< for which the occupancy is listed; default: of the code */
  size_t             arch_count;  /**< of archs */
  const char *const *allow;       /**< findings that are not listed, "A103" */
  size_t             allow_count; /**< of allow */
  uint32_t           block;       /**< threads per block of the launch; 0: unknown */
  uint32_t           shared;      /**< bytes of dynamic shared memory per block */
  uint32_t           grid;        /**< blocks of the launch; 0: unknown */
  uint32_t           multiprocessors; /**< of the device, for A111; 0: unknown */
  cucore_toggle      sources;     /**< ON reads the source files that the code names, for comments
                                       "// cucore: allow(A103)"; default OFF */
  int32_t            reserved;    /**< 0 */
} cucore_analysis_options;

#define CUCORE_ANALYSIS_OPTIONS_INIT \
  { sizeof(cucore_analysis_options), NULL, 0, NULL, 0, 0, 0, 0, 0, CUCORE_TOGGLE_DEFAULT, 0 }

/** One kernel of one image. The analysis owns the strings. Numbers are -1 if the code does not
 *  record them. PTX has no registers, stack, spills and constant banks. */
typedef struct cucore_analysis_info {
  size_t            struct_size;  /**< set by the caller: sizeof(cucore_analysis_info) */
  const char       *name;         /**< in the code, "_Z5saxpyIfEvT_PKS0_PS0_m" */
  const char       *arch;         /**< "sm_90" of machine code, "compute_90" of PTX */
  const char       *file;         /**< of the source; "" without line information */
  const char       *missing;      /**< why a part of the analysis is missing; "" if it is complete */
  cucore_code_level level;        /**< never NONE after a query */
  uint32_t          line;         /**< of the first instruction; 0 without line information */
  int32_t           registers;    /**< per thread */
  int32_t           shared;       /**< bytes per block, static */
  int32_t           local;        /**< bytes per thread of variables in local memory */
  int32_t           stack;        /**< bytes per thread */
  int32_t           spill_loads;  /**< bytes per thread; of CUDA 13.0 and later */
  int32_t           spill_stores; /**< bytes per thread; the same */
  int32_t           constant;     /**< bytes of the constant bank, the parameters included */
  int32_t           parameters;   /**< bytes */
  int32_t           code_size;    /**< bytes of instructions */
  uint32_t          max_threads;  /**< per block, from __launch_bounds__; else 1024 */
  uint32_t          instructions; /**< number of instructions, without filler at the end */
  uint32_t          loops;        /**< number of loops */
} cucore_analysis_info;

#define CUCORE_ANALYSIS_INFO_INIT \
  { sizeof(cucore_analysis_info), NULL, NULL, NULL, NULL, CUCORE_CODE_LEVEL_NONE, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0 }

/** How many instructions of one class a kernel has. The numbers are of the code, not of a run. */
typedef struct cucore_instruction_info {
  size_t   struct_size; /**< set by the caller: sizeof(cucore_instruction_info) */
  uint32_t count;       /**< of instructions */
  uint32_t in_loops;    /**< of these, inside a loop */
  uint32_t widths[6];   /**< loads and stores by the bytes of one thread: 1, 2, 4, 8, 16, 32 */
} cucore_instruction_info;

#define CUCORE_INSTRUCTION_INFO_INIT \
  { sizeof(cucore_instruction_info), 0, 0, { 0, 0, 0, 0, 0, 0 } }

/** Something in the code that costs time. The analysis owns the strings. */
typedef struct cucore_finding {
  size_t      struct_size; /**< set by the caller: sizeof(cucore_finding) */
  const char *id;          /**< "A103", permanent; docs/analyze.md describes each */
  const char *name;        /**< "accidental f64" */
  const char *kernel;      /**< the kernel that has it */
  const char *arch;        /**< of the image */
  const char *file;        /**< of the source; "" without line information */
  const char *message;     /**< with its figures */
  const char *advice;      /**< a remedy */
  cucore_finding_severity severity; /**< never NONE after a query */
  uint32_t    line;        /**< of the source; 0 without line information */
  uint32_t    ptx_line;    /**< of the PTX, which a CUBIN may contain; 0: unknown */
  uint32_t    count;       /**< how often it occurs at this line */
} cucore_finding;

#define CUCORE_FINDING_INIT \
  { sizeof(cucore_finding), NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
    CUCORE_FINDING_SEVERITY_NONE, 0, 0, 0 }

/**
 * Analyses all kernels of object code: CUBIN, PTX, fat binaries and bundles of them. The call needs
 * no device. Code with line information has source lines. A CUBIN with line information also contains
 * the PTX from which it was made, which most findings need.
 *
 * Untrusted code can be analysed safely.
 *
 * @param code     the object code
 * @param options  NULL for the defaults
 * @param out      receives the analysis
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an option is out of its range, or names no finding
 * @retval CUCORE_ERROR_INVALID_CODE      the code is not well formed; cucore_error_log() has the
 *                                        errors of PTX
 * @retval CUCORE_ERROR_UNSUPPORTED       the code contains neither machine code nor PTX, or the
 *                                        limits of an architecture in archs are unknown
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_create(const cucore_objectcode *code,
                                                     const cucore_analysis_options *options,
                                                     cucore_analysis **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param analysis  the analysis; NULL is allowed
 * @since 0.2
 */
CUCORE_PERF_API cucore_analysis *cucore_analysis_retain(const cucore_analysis *analysis);

/**
 * Removes a reference. The last one frees the analysis and its strings.
 *
 * @param analysis  the analysis; NULL is allowed
 * @since 0.2
 */
CUCORE_PERF_API void cucore_analysis_release(cucore_analysis *analysis);

/**
 * Returns the number of kernels. A kernel in several images counts once per image.
 *
 * @param analysis  the analysis; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API size_t cucore_analysis_kernel_count(const cucore_analysis *analysis);

/**
 * Describes one kernel, in the order of the images.
 *
 * @param analysis  the analysis, which owns the strings of `out`
 * @param index     less than cucore_analysis_kernel_count()
 * @param out       receives the description; its struct_size must be set
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_kernel_at(const cucore_analysis *analysis,
                                                        size_t index, cucore_analysis_info *out,
                                                        cucore_error **error);

/**
 * Counts the instructions of one class. Machine code is read without a disassembler; instructions
 * that this library does not have in its table are of the class UNKNOWN.
 *
 * @param analysis  the analysis
 * @param kernel    less than cucore_analysis_kernel_count()
 * @param level     MACHINE or PTX; a kernel of machine code also has PTX if it was compiled with
 *                  line information
 * @param instruction_class  the class, or ANY
 * @param out       receives the counts; its struct_size must be set
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kernel, level or class is out of range
 * @retval CUCORE_ERROR_NOT_FOUND         the image does not have this level
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_instructions(
    const cucore_analysis *analysis, size_t kernel, cucore_code_level level,
    cucore_instruction_class instruction_class, cucore_instruction_info *out,
    cucore_error **error);

/**
 * Computes the occupancy of one kernel of machine code, as cucore_occupancy_query() does. For
 * another architecture than that of the code, the numbers of registers may differ after a compile.
 *
 * @param analysis  the analysis
 * @param kernel    less than cucore_analysis_kernel_count()
 * @param arch      the architecture; NULL for that of the code
 * @param block     threads per block; 0 for the largest block of the kernel
 * @param shared    bytes of dynamic shared memory per block, in addition to the static ones
 * @param out       receives the result; its struct_size must be set
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a number is out of its range
 * @retval CUCORE_ERROR_INVALID_STATE     the kernel is PTX, which has no registers
 * @retval CUCORE_ERROR_UNSUPPORTED       the limits of the architecture are unknown
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_occupancy(const cucore_analysis *analysis,
                                                        size_t kernel, const char *arch,
                                                        uint32_t block, uint32_t shared,
                                                        cucore_occupancy_info *out,
                                                        cucore_error **error);

/**
 * Returns the number of findings, without those that an option or a comment allows.
 *
 * @param analysis  the analysis; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API size_t cucore_analysis_finding_count(const cucore_analysis *analysis);

/**
 * Describes one finding. The most severe come first, then those of one file in the order of the
 * lines.
 *
 * @param analysis  the analysis, which owns the strings of `out`
 * @param index     less than cucore_analysis_finding_count()
 * @param out       receives the finding; its struct_size must be set
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_finding_at(const cucore_analysis *analysis,
                                                         size_t index, cucore_finding *out,
                                                         cucore_error **error);

/**
 * Writes the analysis as a text with a NUL at its end.
 *
 * @param analysis  the analysis
 * @param format    TEXT or JSON
 * @param buffer    receives the text; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size with the NUL, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  format is out of range
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_write(const cucore_analysis *analysis,
                                                    cucore_report_format format, char *buffer,
                                                    size_t capacity, size_t *size,
                                                    cucore_error **error);

/**
 * Returns the version of the library: major * 10000 + minor * 100 + patch.
 *
 * @since 0.2
 */
CUCORE_PERF_API uint32_t cucore_perf_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PERF_H_INCLUDED */
