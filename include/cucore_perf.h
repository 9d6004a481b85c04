/*
 * cucore_perf.h - limits of the machine, analysis of compiled code, and the time that work takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The conventions are those of cucore.h. Errors are its errors. Only the functions that run a
 * measurement or open a roof need a device, which may be the CPU device.
 *
 * - Occupancy: how many blocks of a kernel one multiprocessor runs at a time, for any architecture.
 * - Roof: the highest rates that a device reaches, measured once and kept.
 * - Analysis: the resources, instructions and loops of compiled kernels, and findings about what in
 *   them costs time, with source lines. Also what one launch moves and computes.
 * - Measurement: the time of a kernel or of any callable, with an interval, and comparisons.
 * - Profiler: records what a program does on its devices, from begin to end.
 * - Reports: what a profiled part of a program did, what holds its kernels back, and remedies.
 *
 * Any number of threads may call each function, also with one profiler, and with one roof, analysis,
 * measurement or report, which never change.
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

/** The highest rates that a device reaches, which kernels of this library have measured. */
typedef struct cucore_roof cucore_roof;

/** A rate of a roof. Later versions may add kinds. A fused multiply-add is two operations. */
typedef enum cucore_roof_kind {
  CUCORE_ROOF_KIND_NONE         = 0,  /**< not a rate; refused */
  CUCORE_ROOF_KIND_COPY         = 1,  /**< device memory, bytes read and written together, per second */
  CUCORE_ROOF_KIND_READ         = 2,  /**< device memory, bytes per second */
  CUCORE_ROOF_KIND_WRITE        = 3,  /**< device memory, bytes per second */
  CUCORE_ROOF_KIND_L2           = 4,  /**< bytes that the L2 cache returns per second */
  CUCORE_ROOF_KIND_SHARED       = 5,  /**< bytes read from shared memory per second */
  CUCORE_ROOF_KIND_F32          = 6,  /**< operations per second, of fused multiply-adds */
  CUCORE_ROOF_KIND_F64          = 7,  /**< the same */
  CUCORE_ROOF_KIND_F16          = 8,  /**< the same, of pairs */
  CUCORE_ROOF_KIND_INTEGER      = 9,  /**< operations per second, of 32-bit multiply-adds */
  CUCORE_ROOF_KIND_SPECIAL      = 10, /**< approximations of functions per second */
  CUCORE_ROOF_KIND_MATRIX_F16   = 11, /**< operations of tensor cores per second; sums in f32 */
  CUCORE_ROOF_KIND_MATRIX_BF16  = 12, /**< the same */
  CUCORE_ROOF_KIND_MATRIX_TF32  = 13, /**< the same */
  CUCORE_ROOF_KIND_MATRIX_F64   = 14, /**< the same; sums in f64 */
  CUCORE_ROOF_KIND_MATRIX_INT8  = 15, /**< the same; sums in 32-bit integers */
  CUCORE_ROOF_KIND_MATRIX_FP8   = 16, /**< the same, of e4m3 */
  CUCORE_ROOF_KIND_LAUNCH       = 17, /**< seconds per launch, of many empty kernels in a row */
  CUCORE_ROOF_KIND_EVENT_OFFSET = 18, /**< seconds between two events with nothing between them */
  CUCORE_ROOF_KIND_FORCE_INT32  = 0x7fffffff
} cucore_roof_kind;

/** The settings of a roof. The string is copied. */
typedef struct cucore_roof_options {
  size_t        struct_size; /**< sizeof(cucore_roof_options) */
  const char   *directory;   /**< in which roofs are kept; NULL: $XDG_CACHE_HOME/cucore/roof, or
                                  ~/.cache/cucore/roof; "": none */
  cucore_toggle refresh;     /**< ON measures again, and replaces the kept roof; default OFF */
  uint32_t      max_time_ms; /**< of all samples together, in milliseconds; 0: 2000. Each rate takes
                                  at least one sample, so that a slow device can need more */
} cucore_roof_options;

#define CUCORE_ROOF_OPTIONS_INIT \
  { sizeof(cucore_roof_options), NULL, CUCORE_TOGGLE_DEFAULT, 0 }

/**
 * Opens the roof of a device. If none is kept for this device, driver and clock limits, the device is
 * measured, which needs up to an eighth of its memory. Other work on the device makes the rates
 * lower. One roof is measured at a time.
 *
 * If the directory cannot be written, the call succeeds, and the log has a warning.
 *
 * @param device   the device
 * @param options  NULL for the defaults
 * @param out      receives the roof
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT      an option is out of its range
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  less than 1 MiB is free
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_roof_open(const cucore_device *device,
                                               const cucore_roof_options *options,
                                               cucore_roof **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param roof  the roof; NULL returns NULL
 * @since 0.2
 */
CUCORE_PERF_API cucore_roof *cucore_roof_retain(const cucore_roof *roof);

/**
 * Removes a reference. The last one frees the roof.
 *
 * @param roof  the roof, or NULL
 * @since 0.2
 */
CUCORE_PERF_API void cucore_roof_release(cucore_roof *roof);

/**
 * Returns one rate in bytes, operations or functions per second; in seconds for LAUNCH and
 * EVENT_OFFSET.
 *
 * @param roof   the roof
 * @param kind   the rate
 * @param out    receives the rate; NaN if the device lacks the operation
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kind is out of range
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_roof_value(const cucore_roof *roof, cucore_roof_kind kind,
                                                double *out, cucore_error **error);

/**
 * Writes the roof as JSON of the schema cucore.roof/1, without a NUL.
 *
 * @param roof      the roof
 * @param buffer    receives the bytes; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_roof_serialize(const cucore_roof *roof, void *buffer,
                                                    size_t capacity, size_t *size,
                                                    cucore_error **error);

/**
 * Reads a roof of cucore_roof_serialize(), of any machine. It needs no device. Untrusted bytes can
 * be read safely. Members that this version does not have are ignored.
 *
 * @param data   the JSON; copied
 * @param size   in bytes
 * @param out    receives the roof
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the data is not JSON, is of another schema, has more than
 *                                        64 KiB, or a rate is negative
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_roof_deserialize(const void *data, size_t size,
                                                      cucore_roof **out, cucore_error **error);

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
  CUCORE_REPORT_FORMAT_JSON = 2, /**< of the schema cucore.analysis/1, cucore.measurement/1 or
                                      cucore.report/1 */
  CUCORE_REPORT_FORMAT_CSV  = 3, /**< a line per measurement or kernel below one of names */
  CUCORE_REPORT_FORMAT_GNUPLOT = 4, /**< of measurements and reports: a script with its data */
  CUCORE_REPORT_FORMAT_TRACE = 5, /**< of reports: the timeline as Chrome's trace events, for
                                       Perfetto */
  CUCORE_REPORT_FORMAT_HTML = 6, /**< of reports: one page that needs no network */
  CUCORE_REPORT_FORMAT_FORCE_INT32 = 0x7fffffff
} cucore_report_format;

/** The blocks that the model of a launch runs. */
typedef enum cucore_model_mode {
  CUCORE_MODEL_MODE_DEFAULT = 0, /**< SAMPLE */
  CUCORE_MODEL_MODE_SAMPLE  = 1, /**< all blocks up to 64; else the first, the last, and 62 between
                                      them at equal distances */
  CUCORE_MODEL_MODE_FULL    = 2, /**< all blocks if the sample has at most 50 million instructions
                                      of warps in the grid, through a cache of the size of the L2 */
  CUCORE_MODEL_MODE_FORCE_INT32 = 0x7fffffff
} cucore_model_mode;

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
  cucore_toggle      disassembler; /**< ON: the analysis as text and JSON has the machine code as
                                       text, by nvdisasm of the CUDA toolkit. Without the tool,
                                       cucore_analysis_info.missing has the reason. Default OFF */
  cucore_model_mode  model;       /**< of cucore_analysis_model(); default SAMPLE */
  int32_t            reserved_1;  /**< 0 */
  const char        *kernel;      /**< in the code, whose launch block, shared and grid describe;
                                       NULL: that of each kernel */
  const cucore_roof *roof;        /**< whose measured rates cucore_analysis_model() uses; the analysis
                                       keeps a reference. NULL: those of a datasheet */
} cucore_analysis_options;

#define CUCORE_ANALYSIS_OPTIONS_INIT \
  { sizeof(cucore_analysis_options), NULL, 0, NULL, 0, 0, 0, 0, 0, CUCORE_TOGGLE_DEFAULT, \
    CUCORE_TOGGLE_DEFAULT, CUCORE_MODEL_MODE_DEFAULT, 0, NULL, NULL }

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
 * @retval CUCORE_ERROR_NOT_FOUND         the code has no kernel of the name in the options
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

/** How far the model of a launch agrees with its run. */
typedef enum cucore_model_quality {
  CUCORE_MODEL_QUALITY_NONE        = 0, /**< of a struct that is not filled in */
  CUCORE_MODEL_QUALITY_EXACT       = 1, /**< the counts are those of a run of the PTX */
  CUCORE_MODEL_QUALITY_SCALED      = 2, /**< the counts of a sample of the blocks, scaled to all */
  CUCORE_MODEL_QUALITY_LOWER_BOUND = 3, /**< addresses or branches depend on values in memory, which
                                             are zeros for the model; or a part is not counted */
  CUCORE_MODEL_QUALITY_FORCE_INT32 = 0x7fffffff
} cucore_model_quality;

/** The origin of the bytes between memory and the L2 cache. */
typedef enum cucore_model_source {
  CUCORE_MODEL_SOURCE_NONE       = 0, /**< of a struct that is not filled in */
  CUCORE_MODEL_SOURCE_UNKNOWN    = 1, /**< sectors are used again, and it is unknown how many of them
                                           stay in the cache */
  CUCORE_MODEL_SOURCE_COMPULSORY = 2, /**< each different sector once: few are used again, or all
                                           fit into the cache */
  CUCORE_MODEL_SOURCE_CACHE      = 3, /**< the misses of a modelled cache */
  CUCORE_MODEL_SOURCE_FORCE_INT32 = 0x7fffffff
} cucore_model_source;

/** The unit that a launch needs for the longest time. */
typedef enum cucore_model_bound {
  CUCORE_MODEL_BOUND_NONE    = 0, /**< no data about a device of the architecture */
  CUCORE_MODEL_BOUND_MEMORY  = 1, /**< the transfer of bytes from and to memory */
  CUCORE_MODEL_BOUND_F16     = 2, /**< arithmetic in f16 and bf16 */
  CUCORE_MODEL_BOUND_F32     = 3, /**< arithmetic in f32 */
  CUCORE_MODEL_BOUND_F64     = 4, /**< arithmetic in f64 */
  CUCORE_MODEL_BOUND_INTEGER = 5, /**< arithmetic of integers */
  CUCORE_MODEL_BOUND_MATRIX  = 6, /**< products on tensor cores */
  CUCORE_MODEL_BOUND_FORCE_INT32 = 0x7fffffff
} cucore_model_bound;

/**
 * The bytes and operations of one launch, from its PTX. Counts of more than 2^53 are rounded. Bytes are
 * those of global memory; an atomic operation reads and writes. The machine code of the same kernel
 * has other instructions, and the same accesses if the assembler has neither merged nor removed any.
 */
typedef struct cucore_model_info {
  size_t      struct_size;        /**< set by the caller: sizeof(cucore_model_info) */
  cucore_model_quality quality;   /**< never NONE after a call */
  cucore_model_source  source;    /**< of bytes_read and bytes_written; never NONE after a call */
  const char *reason;             /**< of LOWER_BOUND, for people; else "" */
  const char *file;               /**< of the first access or branch of LOWER_BOUND; "" if it is
                                       unknown. The analysis owns the strings */
  uint32_t    line;               /**< of the source; 0 without line information */
  uint32_t    ptx_line;           /**< of the PTX; 0: none */
  uint64_t    blocks;             /**< of the launch */
  uint64_t    blocks_run;         /**< of these, those that the model ran */
  double      requested_read;     /**< bytes that the threads ask for */
  double      requested_written;  /**< the same of stores */
  double      sector_read;        /**< bytes of the sectors that each request touches, added */
  double      sector_written;     /**< the same of stores */
  double      compulsory_read;    /**< bytes of different sectors. Scaled from a sample, they are an
                                       estimate */
  double      compulsory_written; /**< the same of stores */
  double      bytes_read;         /**< from memory; NaN: unknown, between compulsory and sector */
  double      bytes_written;      /**< to memory; NaN: unknown */
  double      operations_f16;     /**< additions and products, a fused one is two */
  double      operations_f32;     /**< the same */
  double      operations_f64;     /**< the same */
  double      operations_integer; /**< the same */
  double      operations_matrix;  /**< 2 m n k of each product of matrices */
  double      intensity;          /**< operations per byte from and to memory; those of integers only
                                       without any others. NaN: the bytes are unknown */
  double      warp_instructions;  /**< of PTX */
  double      thread_instructions; /**< of the active threads */
  double      divergent_branches; /**< at which the threads of a warp part */
  double      barriers;           /**< arrivals of warps */
  double      shared_wavefronts;  /**< of accesses to shared memory */
  double      shared_bank_conflicts; /**< of these, those beyond what the widths require */
  double      local_bytes;        /**< of the sectors of local memory that each request touches */
  double      least_seconds;      /**< with the data in memory, if the busiest unit works at its rate
                                       of the roof of the options, else of the datasheet. NaN: the
                                       architecture has no datasheet here, or the roof lacks the
                                       rate of memory */
  const char *device;             /**< of the roof, or of the datasheet, "H100 SXM"; "" without one */
  cucore_model_bound bound;       /**< the busiest unit */
  int32_t     is_measured;        /**< 1: the rates are those of the roof of the options; 0: those
                                       of a datasheet */
} cucore_model_info;

#define CUCORE_MODEL_INFO_INIT \
  { sizeof(cucore_model_info), CUCORE_MODEL_QUALITY_NONE, CUCORE_MODEL_SOURCE_NONE, NULL, NULL, 0, \
    0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, \
    0.0, 0.0, 0.0, 0.0, 0.0, NULL, CUCORE_MODEL_BOUND_NONE, 0 }

/**
 * Computes what one launch of a kernel moves and computes, without a device and without memory. The
 * PTX of the kernel runs on the processor for a sample of the blocks: addresses count, loads return
 * zero, and stores have no effect. The option `model` of the analysis selects the blocks. The cache
 * and the rates are those of the first architecture of the analysis, else of the code.
 *
 * The call opens the library of the CPU device if the process does not use it yet.
 *
 * @param analysis   the analysis, which owns the strings of `out`
 * @param kernel     less than cucore_analysis_kernel_count()
 * @param launch     grid, block, cluster and dynamic_shared are used; grid[0] and block[0] must be set
 * @param arguments  as for cucore_kernel_launch(). A buffer may be NULL with the size
 *                   CUCORE_ARGUMENT_OBJECT, and stands for memory of its own. Addresses have any value
 * @param count      of arguments
 * @param out        receives the model; its struct_size must be set
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the launch or the arguments do not fit the kernel, or kernel
 *                                        is out of range
 * @retval CUCORE_ERROR_INVALID_HANDLE    an argument is a buffer that was released
 * @retval CUCORE_ERROR_NOT_FOUND         the code does not contain the PTX of the kernel
 * @retval CUCORE_ERROR_INVALID_CODE      the PTX cannot be run
 * @retval CUCORE_ERROR_UNSUPPORTED       an instruction of the kernel needs memory, as textures and
 *                                        tensor copies do
 * @retval CUCORE_ERROR_KERNEL_FAULT      the kernel fails
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the CPU device is not installed
 * @retval CUCORE_ERROR_CUDA              the CPU device does not start
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_analysis_model(const cucore_analysis *analysis, size_t kernel,
                                                    const cucore_launch_options *launch,
                                                    const cucore_argument *arguments, size_t count,
                                                    cucore_model_info *out, cucore_error **error);

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

/** A series of times of one work, with its statistics. */
typedef struct cucore_measurement cucore_measurement;

/**
 * A callable that is measured. It adds its work to the stream and returns without a wait. If it
 * waits for its work, this is detected, and the host's clock times it. It returns CUCORE_OK; any
 * other status ends the measurement, which fails with it.
 *
 * @param stream     the stream of the measurement
 * @param user_data  of the caller
 * @param error      receives an error if the callable fails, as from cucore_error_create()
 */
typedef cucore_status (*cucore_work_fn)(const cucore_stream *stream, void *user_data,
                                        cucore_error **error);

/** A callable of a pair. */
typedef struct cucore_work {
  size_t         struct_size; /**< sizeof(cucore_work) */
  const char    *name;        /**< in reports; NULL: "a" or "b". Copied */
  cucore_work_fn call;        /**< called on the thread of the caller, once per sample at least */
  void          *user_data;   /**< for `call` */
} cucore_work;

#define CUCORE_WORK_INIT \
  { sizeof(cucore_work), NULL, NULL, NULL }

/** The condition that ends a measurement. */
typedef enum cucore_criterion {
  CUCORE_CRITERION_DEFAULT = 0, /**< CI */
  CUCORE_CRITERION_CI      = 1, /**< the 95 % interval of the median is narrower than `noise` times
                                     the median, or than 20 ns */
  CUCORE_CRITERION_STDREL  = 2, /**< the relative deviation is below `noise`, or is stable to 5 %
                                     over the second half of the samples */
  CUCORE_CRITERION_ENTROPY = 3, /**< the entropy of the distinct times has become stable */
  CUCORE_CRITERION_COUNT   = 4, /**< there are min_samples samples; min_time has no effect */
  CUCORE_CRITERION_FORCE_INT32 = 0x7fffffff
} cucore_criterion;

/** The clock of the samples. */
typedef enum cucore_clock {
  CUCORE_CLOCK_AUTO     = 0, /**< EVENTS; HOST for a work that synchronises */
  CUCORE_CLOCK_EVENTS   = 1, /**< events around the work; on the CPU device the executor's time */
  CUCORE_CLOCK_ACTIVITY = 2, /**< records of CUPTI, from the start of the first kernel, copy or fill
                                  of a sample to the end of the last; all work of the device
                                  between them counts. A GPU alone has them */
  CUCORE_CLOCK_HOST     = 3, /**< the host's steady clock, from an idle stream to an idle stream */
  CUCORE_CLOCK_FORCE_INT32 = 0x7fffffff
} cucore_clock;

/** The type of the operations that a work does. */
typedef enum cucore_operation_type {
  CUCORE_OPERATION_TYPE_NONE    = 0, /**< not stated */
  CUCORE_OPERATION_TYPE_F16     = 1, /**< f16 or bf16 */
  CUCORE_OPERATION_TYPE_F32     = 2, /**< f32 */
  CUCORE_OPERATION_TYPE_F64     = 3, /**< f64 */
  CUCORE_OPERATION_TYPE_INTEGER = 4, /**< of integers */
  CUCORE_OPERATION_TYPE_MATRIX  = 5, /**< of tensor cores */
  CUCORE_OPERATION_TYPE_FORCE_INT32 = 0x7fffffff
} cucore_operation_type;

/** Why a measurement ended. */
typedef enum cucore_stop_reason {
  CUCORE_STOP_REASON_NONE        = 0, /**< of a struct that is not filled in */
  CUCORE_STOP_REASON_CRITERION   = 1, /**< the criterion was met */
  CUCORE_STOP_REASON_MAX_SAMPLES = 2, /**< there are max_samples samples */
  CUCORE_STOP_REASON_MAX_TIME    = 3, /**< max_time has passed */
  CUCORE_STOP_REASON_FORCE_INT32 = 0x7fffffff
} cucore_stop_reason;

/** The form of a series. One number describes a steady series only. */
typedef enum cucore_series_shape {
  CUCORE_SERIES_SHAPE_NONE      = 0, /**< of a struct that is not filled in */
  CUCORE_SERIES_SHAPE_STEADY    = 1, /**< none of the following; always below 30 samples */
  CUCORE_SERIES_SHAPE_DRIFTING  = 2, /**< the times rise or fall */
  CUCORE_SERIES_SHAPE_STEPPED   = 3, /**< the times change once, and stay changed */
  CUCORE_SERIES_SHAPE_BIMODAL   = 4, /**< the times lie in two groups */
  CUCORE_SERIES_SHAPE_THROTTLED = 5, /**< the clock was below 75 % of its highest value in three
                                          samples in a row */
  CUCORE_SERIES_SHAPE_FORCE_INT32 = 0x7fffffff
} cucore_series_shape;

/** The result of a comparison, from the view of the first. */
typedef enum cucore_comparison_verdict {
  CUCORE_COMPARISON_VERDICT_NONE          = 0, /**< of a struct that is not filled in */
  CUCORE_COMPARISON_VERDICT_NO_DIFFERENCE = 1, /**< the interval contains 1, or the ratio is within
                                                    0.5 % of 1 */
  CUCORE_COMPARISON_VERDICT_FASTER        = 2, /**< the first takes less time */
  CUCORE_COMPARISON_VERDICT_SLOWER        = 3, /**< the first takes more time */
  CUCORE_COMPARISON_VERDICT_FORCE_INT32 = 0x7fffffff
} cucore_comparison_verdict;

/** The settings of a measurement. The name is copied. */
typedef struct cucore_measurement_options {
  size_t               struct_size; /**< sizeof(cucore_measurement_options) */
  const char          *name;        /**< in reports; NULL: the kernel's name, or "work" */
  const cucore_stream *stream;      /**< of the work; NULL: a new one */
  cucore_criterion     criterion;   /**< default CI */
  cucore_clock         clock;       /**< default AUTO */
  uint32_t             min_samples; /**< at most max_samples; 0: 10, or max_samples if that is less */
  uint32_t             max_samples; /**< 0: 1,000,000, or min_samples if that is more */
  double               min_time;    /**< of the work, all samples together, in seconds; 0: 0.1 */
  double               max_time;    /**< of the samples of the measurement, in seconds; 0: 15. A
                                         sample that has begun is completed */
  double               noise;       /**< of the criterion, a fraction; 0: 0.005 */
  cucore_toggle        flush;       /**< ON empties the L2 cache before each sample; default ON,
                                         on the CPU device OFF */
  cucore_toggle        block;       /**< ON holds the stream until a whole sample is in it; default
                                         ON. Has no effect where the driver cannot wait for values */
  cucore_toggle        batch;       /**< ON also measures many calls at once if one takes less than
                                         50 microseconds; default ON */
  cucore_toggle        check_clock; /**< ON drops samples of a low clock; default ON. Has no effect
                                         on the CPU device */
  double               bytes;       /**< that one call moves; 0: unknown */
  double               operations;  /**< that one call does; 0: unknown */
  double               items;       /**< that one call handles; 0: unknown */
  cucore_operation_type operation_type; /**< of `operations` */
  int32_t              reserved;    /**< 0 */
  cucore_work_fn       setup;       /**< called before each sample, not timed; NULL: none */
  void                *user_data;   /**< for `setup` */
} cucore_measurement_options;

#define CUCORE_MEASUREMENT_OPTIONS_INIT \
  { sizeof(cucore_measurement_options), NULL, NULL, CUCORE_CRITERION_DEFAULT, CUCORE_CLOCK_AUTO, \
    0, 0, 0.0, 0.0, 0.0, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, \
    CUCORE_TOGGLE_DEFAULT, 0.0, 0.0, 0.0, CUCORE_OPERATION_TYPE_NONE, 0, NULL, NULL }

/** The statistics of a measurement. Times are seconds of one call. Unknown numbers are NaN. */
typedef struct cucore_measurement_info {
  size_t   struct_size;   /**< set by the caller: sizeof(cucore_measurement_info) */
  const char *name;       /**< of the work; the measurement owns it */
  double   median;        /**< of the samples, which are cold if the L2 cache is flushed */
  double   low;           /**< lower end of the 95 % interval of the median */
  double   high;          /**< upper end */
  double   mean;          /**< of the samples */
  double   deviation;     /**< standard deviation */
  double   min;           /**< the shortest */
  double   max;           /**< the longest */
  double   p05;           /**< 5 % of the samples are below */
  double   p95;           /**< 95 % of the samples are below */
  double   noise;         /**< deviation / mean */
  double   hot;           /**< one call of a batch; NaN if no batch was measured */
  double   clock_mhz;     /**< of the multiprocessors, the median */
  double   bytes_per_second;      /**< at the median */
  double   memory_percent;        /**< of COPY of the kept roof; NaN without cucore_roof_open() */
  double   operations_per_second; /**< at the median */
  double   compute_percent;       /**< of the kept roof for operation_type; NaN without one. MATRIX
                                       is compared with the faster of f16 and bf16 */
  double   items_per_second;      /**< at the median */
  double   event_offset;  /**< time of two events around nothing, subtracted from each sample */
  uint64_t samples;       /**< number of samples */
  uint64_t outliers;      /**< of these, outside three interquartile ranges; not dropped */
  uint64_t throttled;     /**< samples that were dropped because of a low clock */
  uint32_t batch;         /**< calls of a batch; 0: no batch was measured */
  int32_t  is_blocked;    /**< 1: the stream was held while a sample was added */
  int32_t  is_flushed;    /**< 1: the L2 cache was emptied before each sample */
  int32_t  synchronises;  /**< 1: the work waits for the stream, or needs more than a second to be
                               added; it was measured unblocked */
  cucore_clock        clock;       /**< EVENTS or HOST */
  cucore_stop_reason  stop_reason; /**< never NONE after a query */
  cucore_series_shape shape;       /**< never NONE after a query */
  int32_t             reserved;    /**< 0 */
} cucore_measurement_info;

#define CUCORE_MEASUREMENT_INFO_INIT \
  { sizeof(cucore_measurement_info), NULL, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, \
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0, CUCORE_CLOCK_AUTO, \
    CUCORE_STOP_REASON_NONE, CUCORE_SERIES_SHAPE_NONE, 0 }

/** A comparison of two measurements. */
typedef struct cucore_comparison_info {
  size_t struct_size; /**< set by the caller: sizeof(cucore_comparison_info) */
  double ratio;       /**< time of the first, divided by that of the second: the Hodges-Lehmann
                           estimate, from differences of logarithms */
  double low;         /**< lower end of the 99 % interval of the ratio */
  double high;        /**< upper end */
  cucore_comparison_verdict verdict; /**< never NONE after a comparison */
  int32_t reserved;   /**< 0 */
} cucore_comparison_info;

#define CUCORE_COMPARISON_INFO_INIT \
  { sizeof(cucore_comparison_info), 0.0, 0.0, 0.0, CUCORE_COMPARISON_VERDICT_NONE, 0 }

/**
 * Measures how long a callable takes on a device.
 *
 * First the callable is called until two successive times differ by less than 10 %, for a second at
 * most. Then samples are taken until the criterion is met. The callable runs on the calling thread.
 * A work that waits for its stream blocks for one second once, and is then timed by the host.
 *
 * @param device     the device
 * @param work       the callable
 * @param user_data  for `work`
 * @param options    NULL for the defaults
 * @param out        receives the measurement
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an option is out of its range, or the stream belongs to
 *                                        another device
 * @retval CUCORE_ERROR_UNSUPPORTED       the clock is ACTIVITY, and the device is the CPU device,
 *                                        CUPTI is too old, or it recorded no work of a sample
 * @retval CUCORE_ERROR_LIBRARY_MISSING   the clock is ACTIVITY, and CUPTI is missing
 * @retval CUCORE_ERROR_INVALID_STATE     the stream is captured, or the clock is ACTIVITY and
 *                                        another profiler has the records
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel of the work failed
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_run(const cucore_device *device,
                                                     cucore_work_fn work, void *user_data,
                                                     const cucore_measurement_options *options,
                                                     cucore_measurement **out,
                                                     cucore_error **error);

/**
 * Measures launches of a kernel as cucore_measurement_run() does. All launches have the same
 * arguments, so a kernel that adds to a buffer does so many times.
 *
 * @param kernel     the kernel
 * @param launch     as for cucore_kernel_launch()
 * @param arguments  as for cucore_kernel_launch(); read until the call returns
 * @param count      of arguments
 * @param options    NULL for the defaults. The device is that of its stream; without one device 0
 * @param out        receives the measurement
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_kernel_launch(), or as cucore_measurement_run()
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_measurement_run()
 * @retval CUCORE_ERROR_LIBRARY_MISSING   as cucore_measurement_run()
 * @retval CUCORE_ERROR_INVALID_STATE     as cucore_measurement_run()
 * @retval CUCORE_ERROR_KERNEL_FAULT      the kernel failed
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_run_kernel(
    const cucore_kernel *kernel, const cucore_launch_options *launch,
    const cucore_argument *arguments, size_t count, const cucore_measurement_options *options,
    cucore_measurement **out, cucore_error **error);

/**
 * Measures two callables, with their samples in turn: A B B A. Drift of the device changes both, and
 * leaves their ratio. The comparison is that of the pairs. Both use one clock: if one of them
 * synchronises, the host times both.
 *
 * @param device   the device
 * @param a        the first callable
 * @param b        the second
 * @param options  NULL for the defaults; name has no effect
 * @param out_a    receives the measurement of `a`
 * @param out_b    receives the measurement of `b`
 * @param out      receives the comparison of `a` with `b`; its struct_size must be set
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  as cucore_measurement_run()
 * @retval CUCORE_ERROR_UNSUPPORTED       as cucore_measurement_run()
 * @retval CUCORE_ERROR_LIBRARY_MISSING   as cucore_measurement_run()
 * @retval CUCORE_ERROR_INVALID_STATE     as cucore_measurement_run()
 * @retval CUCORE_ERROR_KERNEL_FAULT      a kernel of the work failed
 * @retval CUCORE_ERROR_ABI_MISMATCH      a struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_run_pair(
    const cucore_device *device, const cucore_work *a, const cucore_work *b,
    const cucore_measurement_options *options, cucore_measurement **out_a,
    cucore_measurement **out_b, cucore_comparison_info *out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param measurement  the measurement; NULL returns NULL
 * @since 0.2
 */
CUCORE_PERF_API cucore_measurement *cucore_measurement_retain(const cucore_measurement *measurement);

/**
 * Removes a reference. The last one frees the measurement with its strings and samples.
 *
 * @param measurement  the measurement, or NULL
 * @since 0.2
 */
CUCORE_PERF_API void cucore_measurement_release(cucore_measurement *measurement);

/**
 * Returns the statistics of a measurement.
 *
 * @param measurement  the measurement, which owns the strings of `out`
 * @param out          receives the statistics; its struct_size must be set
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_query(const cucore_measurement *measurement,
                                                       cucore_measurement_info *out,
                                                       cucore_error **error);

/**
 * Returns the samples in the order in which they were taken, in seconds. They live as long as the
 * measurement.
 *
 * @param measurement  the measurement; NULL returns NULL
 * @param count        NULL, or receives the number of samples; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API const double *cucore_measurement_samples(const cucore_measurement *measurement,
                                                         size_t *count);

/**
 * Compares two measurements. cucore_measurement_run_pair() also removes drift between them.
 *
 * @param a      the first
 * @param b      the second
 * @param out    receives the comparison of `a` with `b`; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_compare(const cucore_measurement *a,
                                                         const cucore_measurement *b,
                                                         cucore_comparison_info *out,
                                                         cucore_error **error);

/**
 * Writes measurements as a text with a NUL at its end. JSON is an array of objects of the schema
 * cucore.measurement/1.
 *
 * @param list      the measurements
 * @param count     of list, at least 1
 * @param format    TEXT, JSON, CSV or GNUPLOT
 * @param buffer    receives the text; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size with the NUL, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  count is 0, or format is out of range
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_measurement_write(const cucore_measurement *const *list,
                                                       size_t count, cucore_report_format format,
                                                       char *buffer, size_t capacity, size_t *size,
                                                       cucore_error **error);

/** Kernels, ranges, other operations and findings of a profiled part of a program. */
typedef struct cucore_report cucore_report;

/** The origin of the times and amounts of a report. cucore_profiler_begin() describes each. */
typedef enum cucore_profiler_source {
  CUCORE_PROFILER_SOURCE_AUTO     = 0, /**< never of a report */
  CUCORE_PROFILER_SOURCE_EVENTS   = 1, /**< events around sampled launches */
  CUCORE_PROFILER_SOURCE_ACTIVITY = 2, /**< records of CUPTI */
  CUCORE_PROFILER_SOURCE_COUNTERS = 3, /**< counters of the hardware */
  CUCORE_PROFILER_SOURCE_EMULATED = 4, /**< counts of the CPU device */
  CUCORE_PROFILER_SOURCE_FORCE_INT32 = 0x7fffffff
} cucore_profiler_source;

/** The limit that a kernel reaches first. */
typedef enum cucore_kernel_bound {
  CUCORE_KERNEL_BOUND_UNKNOWN = 0, /**< its time, bytes or operations are unknown */
  CUCORE_KERNEL_BOUND_MEMORY  = 1, /**< at least 60 % of the memory rate, and more than of compute */
  CUCORE_KERNEL_BOUND_COMPUTE = 2, /**< at least 60 % of the compute rate */
  CUCORE_KERNEL_BOUND_LAUNCH  = 3, /**< a call takes less than two launches of an empty kernel */
  CUCORE_KERNEL_BOUND_GRID    = 4, /**< fewer blocks than multiprocessors */
  CUCORE_KERNEL_BOUND_LATENCY = 5, /**< none of these: it waits */
  CUCORE_KERNEL_BOUND_FORCE_INT32 = 0x7fffffff
} cucore_kernel_bound;

/** The origin of bytes and operations, the best first. */
typedef enum cucore_amount_source {
  CUCORE_AMOUNT_SOURCE_NONE     = 0, /**< unknown */
  CUCORE_AMOUNT_SOURCE_COUNTER  = 1, /**< counted by the device */
  CUCORE_AMOUNT_SOURCE_DECLARED = 2, /**< stated by the caller */
  CUCORE_AMOUNT_SOURCE_MODEL    = 3, /**< computed from the code and the arguments */
  CUCORE_AMOUNT_SOURCE_FORCE_INT32 = 0x7fffffff
} cucore_amount_source;

/** All calls of one kernel with one geometry. The report owns the string. Unknown doubles are NaN,
 *  other unknown numbers -1. Times are seconds. */
typedef struct cucore_kernel_row {
  size_t      struct_size; /**< set by the caller: sizeof(cucore_kernel_row) */
  const char *name;        /**< in the code */
  uint32_t    grid[3];     /**< blocks */
  uint32_t    block[3];    /**< threads */
  int32_t     registers;   /**< per thread */
  int32_t     shared;      /**< bytes per block, static and dynamic */
  int32_t     spills;      /**< bytes per thread that are spilled: loads and stores */
  cucore_kernel_bound  bound;        /**< the limit that it reaches */
  cucore_amount_source bytes_source; /**< of bytes_read and bytes_written */
  int32_t     reserved;    /**< 0 */
  uint64_t    calls;       /**< launches */
  uint64_t    timed;       /**< of these, with a time */
  double      total;       /**< of all calls, scaled if only some are timed */
  double      mean;        /**< of the timed calls */
  double      min;         /**< the shortest */
  double      max;         /**< the longest */
  double      bytes_read;    /**< of all calls */
  double      bytes_written; /**< of all calls */
  double      sectors_per_request; /**< of 32 bytes, of loads and stores of global memory */
  double      operations;    /**< of all calls */
  double      memory_percent;  /**< of the roof */
  double      compute_percent; /**< of the roof, of the pipe that is used most */
  double      intensity;     /**< operations per byte */
  double      occupancy;     /**< 0 to 1 */
} cucore_kernel_row;

#define CUCORE_KERNEL_ROW_INIT \
  { sizeof(cucore_kernel_row), NULL, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0, \
    CUCORE_KERNEL_BOUND_UNKNOWN, CUCORE_AMOUNT_SOURCE_NONE, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, \
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0 }

/**
 * Adds a reference and returns its argument.
 *
 * @param report  the report; NULL returns NULL
 * @since 0.2
 */
CUCORE_PERF_API cucore_report *cucore_report_retain(const cucore_report *report);

/**
 * Removes a reference. The last one frees the report and its strings.
 *
 * @param report  the report, or NULL
 * @since 0.2
 */
CUCORE_PERF_API void cucore_report_release(cucore_report *report);

/**
 * Returns the origin of the times, a cucore_profiler_source.
 *
 * @param report  the report; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API int32_t cucore_report_source(const cucore_report *report);

/**
 * Returns the part of the roof that the kernels of a range reach, from 0 to 1. It is the mean of
 * their percentages, weighted by time. It is NaN if the kernels with a known percentage have less
 * than half of the time.
 *
 * @param report   the report
 * @param range    the name of a range, of several the one that began first; NULL or "" is the whole
 *                 session
 * @param memory   NULL, or receives the part of the memory rate
 * @param compute  NULL, or receives the part of the compute rate
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  no range has this name
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_report_efficiency(const cucore_report *report,
                                                       const char *range, double *memory,
                                                       double *compute, cucore_error **error);

/**
 * Returns the number of rows of kernels. A kernel with several geometries has several rows.
 *
 * @param report  the report; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API size_t cucore_report_kernel_count(const cucore_report *report);

/**
 * Describes one row of kernels. The longest total time comes first.
 *
 * @param report  the report, which owns the strings of `out`
 * @param index   less than cucore_report_kernel_count()
 * @param out     receives the row; its struct_size must be set
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_report_kernel_at(const cucore_report *report, size_t index,
                                                      cucore_kernel_row *out,
                                                      cucore_error **error);

/**
 * Returns a counter of a row, of all calls together. Percentages and averages are means. Counters of
 * the hardware have the names of Nsight Compute, and those of the CPU device begin with "cpu.".
 *
 * @param report  the report
 * @param kernel  less than cucore_report_kernel_count()
 * @param name    of the counter, "dram__bytes_read.sum", "cpu.divergent_branches"
 * @param out     receives the value
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  kernel is not less than the count
 * @retval CUCORE_ERROR_NOT_FOUND         the row does not have this counter
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_report_counter(const cucore_report *report, size_t kernel,
                                                    const char *name, double *out,
                                                    cucore_error **error);

/**
 * Returns the number of findings.
 *
 * @param report  the report; 0 for NULL
 * @since 0.2
 */
CUCORE_PERF_API size_t cucore_report_finding_count(const cucore_report *report);

/**
 * Describes one finding. The most severe come first, and of equal ones those of kernels with more
 * time. Findings of the whole session have "" as the kernel. docs/report.md describes each id.
 *
 * @param report  the report, which owns the strings of `out`
 * @param index   less than cucore_report_finding_count()
 * @param out     receives the finding; its struct_size must be set
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_report_finding_at(const cucore_report *report, size_t index,
                                                       cucore_finding *out, cucore_error **error);

/**
 * Writes the report as a text with a NUL at its end.
 *
 * @param report    the report
 * @param format    TEXT, JSON, CSV, GNUPLOT, TRACE or HTML
 * @param buffer    receives the text; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size with the NUL, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  format is out of range
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_report_write(const cucore_report *report,
                                                  cucore_report_format format, char *buffer,
                                                  size_t capacity, size_t *size,
                                                  cucore_error **error);

/**
 * Returns in how many passes the metrics of a preset are read. The hardware counts only some of them
 * at a time, so a kernel runs once per pass. The call needs CUPTI of CUDA 13, no GPU and no driver.
 *
 * - "quick": time, and bytes read and written in device memory.
 * - "balanced": those, bytes of the L2 and L1 caches, instructions, and active warps.
 * - "flops": operations in f32, f64 and f16. A fused multiply-add is two.
 * - "memory": bytes of device memory, and requests and sectors of global accesses. Then hits of the
 *   L2 cache, and wavefronts and bank conflicts of shared memory.
 * - "roof": percent of the peak of the multiprocessors, of each memory and of the tensor cores.
 * - "all": those of the first four.
 *
 * A chip leaves out the metrics that it lacks. Some integrated GPUs have none of device memory.
 *
 * @param chip    the name of the GPU's chip, "GH100"
 * @param preset  the name of the preset
 * @param passes  receives the number of passes
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT   preset is not the name of a preset
 * @retval CUCORE_ERROR_NOT_FOUND          CUPTI has no such chip; the message lists all
 * @retval CUCORE_ERROR_LIBRARY_MISSING    CUPTI cannot be opened; the cause lists every path tried
 * @retval CUCORE_ERROR_UNSUPPORTED        CUPTI is too old or has no metrics of the chip, or this
 *                                         library was built without support of CUPTI
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_preset_passes(const char *chip, const char *preset,
                                                   int32_t *passes, cucore_error **error);

/**
 * Returns the version of the library: major * 10000 + minor * 100 + patch.
 *
 * @since 0.2
 */
CUCORE_PERF_API uint32_t cucore_perf_version(void);

/** Records what a program does on its devices, from begin to end. */
typedef struct cucore_profiler cucore_profiler;

/** The settings of a profiler. */
typedef struct cucore_profiler_options {
  size_t      struct_size; /**< sizeof(cucore_profiler_options) */
  cucore_profiler_source source; /**< default AUTO: EMULATED on the CPU device. Else COUNTERS if a
                                      preset or metrics are set, ACTIVITY with a timeline, and
                                      EVENTS without, which becomes ACTIVITY at the first launch
                                      of a graph. If CUPTI refuses, the report contains the times
                                      of EVENTS and the reason */
  const char *preset;      /**< NULL, or a preset of cucore_preset_passes(). With COUNTERS and
                                neither preset nor metrics it is "quick" */
  const char *const *metrics; /**< names of hardware counters, in addition to the preset */
  size_t      metric_count;   /**< of metrics */
  double      overhead;    /**< the part of the time of the program that the session may take, 0
                                to 1; 0: 0.02. A tenth is for events */
  uint32_t    counted_launches; /**< launches of each kernel and geometry that the hardware counts;
                                     0: 5 */
  uint32_t    reserved;    /**< 0 */
  size_t      max_records; /**< entries of the timeline, launches that the CPU device counts, and
                                ranges of different names; 0: 65536. The report has a finding or
                                a missing part about those beyond it */
  cucore_toggle model;     /**< bytes and operations of rows without counters and declarations, from
                                the code and the arguments, as cucore_analysis_model() computes
                                them when the report is made. Default: on, from a sample of the
                                blocks. ON: the same, with all blocks if the reuse of data is
                                unknown, and the report contains which kernels have no model. The
                                CPU device then also counts different sectors */
  cucore_toggle timeline;  /**< ON: the report has a timeline; default OFF */
  const cucore_device *device; /**< the device, or NULL for all; AUTO then looks at device 0 */
} cucore_profiler_options;

#define CUCORE_PROFILER_OPTIONS_INIT                                                            \
  { sizeof(cucore_profiler_options), CUCORE_PROFILER_SOURCE_AUTO, NULL, NULL, 0, 0.0, 0, 0, 0,  \
    CUCORE_TOGGLE_DEFAULT, CUCORE_TOGGLE_DEFAULT, NULL }

/** Bytes and operations of one launch. */
typedef struct cucore_declaration {
  size_t struct_size;   /**< set by the library: sizeof(cucore_declaration) */
  double bytes_read;    /**< from device memory; 0: unknown */
  double bytes_written; /**< to device memory; 0: unknown */
  double operations;    /**< arithmetic operations; 0: unknown */
} cucore_declaration;

#define CUCORE_DECLARATION_INIT \
  { sizeof(cucore_declaration), 0.0, 0.0, 0.0 }

/**
 * Computes the amounts of a launch from its geometry and arguments. It runs on the thread of the
 * launch, any number of threads at a time.
 *
 * @param launch     the launch, valid during the call
 * @param out        receives the amounts, which are 0
 * @param user_data  of cucore_profiler_declare()
 */
typedef void (*cucore_declare_fn)(const cucore_operation *launch, cucore_declaration *out,
                                  void *user_data);

/**
 * Creates a profiler. It records nothing before cucore_profiler_begin().
 *
 * @param options  NULL for the defaults
 * @param out      receives the profiler
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an option is out of its range
 * @retval CUCORE_ERROR_ABI_MISMATCH      options have fields that this library does not have
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_create(const cucore_profiler_options *options,
                                                     cucore_profiler **out, cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param profiler  the profiler; NULL returns NULL
 * @since 0.2
 */
CUCORE_PERF_API cucore_profiler *cucore_profiler_retain(const cucore_profiler *profiler);

/**
 * Removes a reference. The last one drops a session that has not ended.
 *
 * @param profiler  the profiler, or NULL
 * @since 0.2
 */
CUCORE_PERF_API void cucore_profiler_release(cucore_profiler *profiler);

/**
 * Begins a session, which observes the operations of all threads of the process.
 *
 * EVENTS records two events around some launches and reads them when later work has passed, so
 * that no launch waits. The first 8 launches of each kernel and geometry are timed, then some at
 * random, as the overhead allows. Copies, fills and launches of graphs are timed in the same way.
 * Launches into graphs are counted and not timed. EVENTS and COUNTERS do not see the kernels of
 * graphs. A report that lacks them has the missing part "kernels of graphs".
 *
 * EMULATED counts each launch on the CPU device, graphs included. Launches then take up to four
 * times as long, so they have no times.
 *
 * ACTIVITY has the start and end of each kernel, copy and fill, also of graphs and of other
 * libraries. CUPTI records them in windows of 200 ms, with gaps of 50 ms. In the gaps, events time
 * the launches. Recording slows down some kernels, so that the two times of a row differ by more
 * than 1 % and 2 microseconds. Such a row has the time of the events and a note. The process has one user
 * of these records at a time.
 *
 * COUNTERS reads the hardware counters of the first launches of each kernel and geometry. CUPTI runs
 * such a launch once per pass and restores the memory in between, and the launch waits for it. The
 * times of the rows are gpu__time_duration of these launches. Counters need a permission of the
 * driver. A launch at the same time on another thread spoils the counters; both are left out.
 *
 * A session does not fail if CUPTI refuses. EVENTS takes its place, and the report contains the
 * reason and a remedy. Reasons are the permission, another profiler in the process or around it, and
 * a library that is missing or too old.
 *
 * A session keeps the kernels that it has observed, and their code, until its end.
 *
 * @param profiler  the profiler
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the profiler has a session, another profiler counts on the
 *                                     CPU device, or the process has 16 observers
 * @retval CUCORE_ERROR_UNSUPPORTED    EMULATED without the CPU device
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_begin(cucore_profiler *profiler,
                                                    cucore_error **error);

/**
 * Ends the session, waits for the work that was timed, and returns the report. Open ranges end.
 *
 * @param profiler  the profiler
 * @param out       receives the report
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the profiler has no session
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_end(cucore_profiler *profiler, cucore_report **out,
                                                  cucore_error **error);

/**
 * Begins a range. Launches of this thread count in it until it ends. Ranges nest; ranges of one
 * name in one range are one row of the report.
 *
 * @param profiler  the profiler
 * @param name      the name, copied
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the profiler has no session
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_begin_range(cucore_profiler *profiler,
                                                          const char *name, cucore_error **error);

/**
 * Ends the innermost range of this thread.
 *
 * @param profiler  the profiler
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the thread has no range, or the profiler has no session
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_end_range(cucore_profiler *profiler,
                                                        cucore_error **error);

/**
 * Calls a work in a range, with a new stream, and waits for the stream. A session of COUNTERS then
 * calls the work again, once for each pass that the counters need. These calls count all launches of
 * the work together, also those that run at the same time. They are the counters of the range in
 * the JSON, and the session records no operation of any thread meanwhile.
 *
 * @param profiler   the profiler
 * @param range      the name of the range
 * @param work       the work; its error becomes the cause of that of this call
 * @param user_data  for work
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the profiler has no session
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_run(cucore_profiler *profiler, const char *range,
                                                  cucore_work_fn work, void *user_data,
                                                  cucore_error **error);

/**
 * Declares how many bytes and operations the launches of a kernel have. It takes precedence over
 * the hints of cucore_launch_options. In a running session it holds for kernels and geometries that
 * were not launched yet.
 *
 * @param profiler   the profiler
 * @param kernel     the name in the code, cucore_kernel_name()
 * @param fn         computes the amounts of a launch
 * @param user_data  for fn
 * @param destroy    NULL, or called with user_data when neither the profiler nor a session uses fn
 *                   any more; not called if this call fails
 * @param error      NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_profiler_declare(cucore_profiler *profiler,
                                                      const char *kernel, cucore_declare_fn fn,
                                                      void *user_data, cucore_destroy_fn destroy,
                                                      cucore_error **error);

/**
 * Starts the profile that the environment variable CUCORE_PROFILE names. It is FILE.html, FILE.json,
 * FILE.trace, FILE.csv or FILE.text, or several of these with colons between them. libcucore calls
 * this function at the driver's first use. The files are written at the exit of the process. Without the variable, in a set-user-ID program, and at the second call it does nothing.
 *
 * @param error  NULL, or receives a new error on failure, which the log contains also
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  a file has another ending
 * @since 0.2
 */
CUCORE_PERF_API cucore_status cucore_perf_start_from_environment(cucore_error **error);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_PERF_H_INCLUDED */
