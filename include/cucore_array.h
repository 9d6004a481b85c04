/*
 * cucore_array.h - N-dimensional arrays whose operations are recorded and run as few kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The conventions are those of cucore.h. Errors are its errors.
 *
 * An operation checks its operands, records what to compute, and returns an array at once. The
 * elements are computed when they are read or evaluated, or when much work is pending. One
 * generated kernel computes as many operations as possible. The results do not depend on that:
 * each operation rounds to its own type. Semantics and types are those of NumPy 2.
 *
 * Views share their memory as in NumPy: a write through one of them is visible in all others. An
 * array that was computed before a write keeps the old elements.
 *
 * Any number of threads may use the arrays of a context. Two writes of one array happen one after
 * the other. A call that fails can be repeated: it has not changed its arrays, except that a write
 * which replaces all elements may still happen.
 */
#ifndef CUCORE_ARRAY_H_INCLUDED
#define CUCORE_ARRAY_H_INCLUDED

#include <cucore.h>

#if defined(_WIN32) && defined(CUCORE_ARRAY_BUILDING)
#  define CUCORE_ARRAY_API __declspec(dllexport)
#elif defined(_WIN32)
#  define CUCORE_ARRAY_API __declspec(dllimport)
#elif defined(__GNUC__)
#  define CUCORE_ARRAY_API __attribute__((visibility("default"), nothrow)) /* no exception passes */
#else
#  define CUCORE_ARRAY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cucore_array         cucore_array;         /**< elements, or a view of some */
typedef struct cucore_array_context cucore_array_context; /**< where arrays are computed */
typedef struct cucore_array_generator cucore_array_generator; /**< a stream of random numbers */

/** The type of an element. */
typedef enum cucore_array_dtype {
  CUCORE_ARRAY_DTYPE_DEFAULT    = 0,  /**< by the rule of the operation */
  CUCORE_ARRAY_DTYPE_BOOL       = 1,  /**< a byte, 0 or 1 */
  CUCORE_ARRAY_DTYPE_INT8       = 2,  /**< signed, 8 bits */
  CUCORE_ARRAY_DTYPE_INT16      = 3,  /**< signed, 16 bits */
  CUCORE_ARRAY_DTYPE_INT32      = 4,  /**< signed, 32 bits */
  CUCORE_ARRAY_DTYPE_INT64      = 5,  /**< signed, 64 bits */
  CUCORE_ARRAY_DTYPE_UINT8      = 6,  /**< unsigned, 8 bits */
  CUCORE_ARRAY_DTYPE_UINT16     = 7,  /**< unsigned, 16 bits */
  CUCORE_ARRAY_DTYPE_UINT32     = 8,  /**< unsigned, 32 bits */
  CUCORE_ARRAY_DTYPE_UINT64     = 9,  /**< unsigned, 64 bits */
  CUCORE_ARRAY_DTYPE_FLOAT16    = 10, /**< IEEE, 16 bits */
  CUCORE_ARRAY_DTYPE_BFLOAT16   = 11, /**< the upper half of a float32 */
  CUCORE_ARRAY_DTYPE_FLOAT32    = 12, /**< IEEE, 32 bits */
  CUCORE_ARRAY_DTYPE_FLOAT64    = 13, /**< IEEE, 64 bits */
  CUCORE_ARRAY_DTYPE_COMPLEX64  = 14, /**< two float32: real, imaginary */
  CUCORE_ARRAY_DTYPE_COMPLEX128 = 15, /**< two float64: real, imaginary */
  CUCORE_ARRAY_DTYPE_FORCE_INT32 = 0x7fffffff
} cucore_array_dtype;

/** The kind of a number without a type of its own. */
typedef enum cucore_array_scalar_kind {
  CUCORE_ARRAY_SCALAR_BOOL    = 1, /**< integer is 0 or 1 */
  CUCORE_ARRAY_SCALAR_INT     = 2, /**< integer */
  CUCORE_ARRAY_SCALAR_UINT    = 3, /**< the bits of integer, unsigned */
  CUCORE_ARRAY_SCALAR_REAL    = 4, /**< real */
  CUCORE_ARRAY_SCALAR_COMPLEX = 5, /**< real and imag */
  CUCORE_ARRAY_SCALAR_KIND_FORCE_INT32 = 0x7fffffff
} cucore_array_scalar_kind;

/** A number without a type of its own. It takes the type of the arrays in the same operation. */
typedef struct cucore_array_scalar {
  cucore_array_scalar_kind kind;
  int32_t reserved; /**< 0 */
  int64_t integer;
  double  real;
  double  imag;
} cucore_array_scalar;

/** An operand: an array, or a number where array is NULL. */
typedef struct cucore_array_operand {
  const cucore_array *array;
  cucore_array_scalar scalar;
} cucore_array_operand;

/** When operations are computed. */
typedef enum cucore_array_policy {
  CUCORE_ARRAY_POLICY_LAZY  = 0, /**< when they are needed, as few kernels */
  CUCORE_ARRAY_POLICY_EAGER = 1, /**< at once, one kernel each */
  CUCORE_ARRAY_POLICY_FORCE_INT32 = 0x7fffffff
} cucore_array_policy;

/** How exactly functions are computed. */
typedef enum cucore_array_math {
  CUCORE_ARRAY_MATH_ACCURATE = 0, /**< each operation rounds; bits do not depend on fusion */
  CUCORE_ARRAY_MATH_CONTRACT = 1, /**< a * b + c may round once */
  CUCORE_ARRAY_MATH_FAST     = 2, /**< approximate functions, denormal numbers are 0 */
  CUCORE_ARRAY_MATH_FORCE_INT32 = 0x7fffffff
} cucore_array_math;

/** The rules of NumPy for conversions. */
typedef enum cucore_array_casting {
  CUCORE_ARRAY_CASTING_SAME_KIND = 0, /**< safe, or to a smaller type of the same kind */
  CUCORE_ARRAY_CASTING_NONE      = 1, /**< equal types alone */
  CUCORE_ARRAY_CASTING_SAFE      = 2, /**< no value changes */
  CUCORE_ARRAY_CASTING_UNSAFE    = 3, /**< any */
  CUCORE_ARRAY_CASTING_FORCE_INT32 = 0x7fffffff
} cucore_array_casting;

/** A part of complex elements. */
typedef enum cucore_array_part_kind {
  CUCORE_ARRAY_PART_REAL = 1,
  CUCORE_ARRAY_PART_IMAG = 2,
  CUCORE_ARRAY_PART_KIND_FORCE_INT32 = 0x7fffffff
} cucore_array_part_kind;

/** A description of cucore_array_explain(). */
typedef enum cucore_array_explanation {
  CUCORE_ARRAY_EXPLAIN_PLAN   = 1, /**< the kernels, what they move, and their formulas */
  CUCORE_ARRAY_EXPLAIN_GRAPH  = 2, /**< the operations that wait, in the language DOT */
  CUCORE_ARRAY_EXPLAIN_SOURCE = 3, /**< the CUDA C++ of the kernels */
  CUCORE_ARRAY_EXPLAIN_PTX    = 4, /**< the PTX of the kernels, which are compiled for it */
  CUCORE_ARRAY_EXPLAIN_COUNTS = 5, /**< JSON: kernels, temporaries, temporary_bytes, bytes_read,
                                        bytes_written, flops; these in units of an addition */
  CUCORE_ARRAY_EXPLANATION_FORCE_INT32 = 0x7fffffff
} cucore_array_explanation;

/** How random numbers are distributed. Parameters in brackets may be left out, all together. */
typedef enum cucore_array_distribution {
  CUCORE_ARRAY_DISTRIBUTION_BITS        = 1, /**< unsigned integers of random bits */
  CUCORE_ARRAY_DISTRIBUTION_UNIFORM     = 2, /**< [low 0, high 1]: low, and less than high */
  CUCORE_ARRAY_DISTRIBUTION_NORMAL      = 3, /**< [mean 0, standard deviation 1] */
  CUCORE_ARRAY_DISTRIBUTION_INTEGERS    = 4, /**< low, high: without a bias, less than high */
  CUCORE_ARRAY_DISTRIBUTION_BERNOULLI   = 5, /**< probability of 1 */
  CUCORE_ARRAY_DISTRIBUTION_EXPONENTIAL = 6, /**< [mean 1] */
  CUCORE_ARRAY_DISTRIBUTION_FORCE_INT32 = 0x7fffffff
} cucore_array_distribution;

/** The kind of an item of x[...]. */
typedef enum cucore_array_index_kind {
  CUCORE_ARRAY_INDEX_INTEGER  = 1, /**< start */
  CUCORE_ARRAY_INDEX_SLICE    = 2, /**< start:stop:step */
  CUCORE_ARRAY_INDEX_NEWAXIS  = 3, /**< a new axis of size 1 */
  CUCORE_ARRAY_INDEX_ELLIPSIS = 4, /**< all axes that the other items leave */
  CUCORE_ARRAY_INDEX_ARRAY    = 5, /**< integers, or a mask */
  CUCORE_ARRAY_INDEX_KIND_FORCE_INT32 = 0x7fffffff
} cucore_array_index_kind;

/** An item of x[...]. */
typedef struct cucore_array_index {
  cucore_array_index_kind kind;
  uint32_t given; /**< of a slice: bit 0 start, 1 stop, 2 step; others as in Python. Of an array:
                       bit 3, if start is its least and stop its greatest index */
  int64_t             start;
  int64_t             stop;
  int64_t             step;
  const cucore_array *array; /**< of CUCORE_ARRAY_INDEX_ARRAY */
} cucore_array_index;

/** The settings of a new context. */
typedef struct cucore_array_context_options {
  size_t               struct_size; /**< sizeof(cucore_array_context_options) */
  const cucore_stream *stream;      /**< NULL: a stream of its own */
  cucore_cache        *cache;       /**< of kernels; NULL: the cache of the user */
  cucore_array_policy  policy;
  cucore_array_math    math;
  cucore_array_dtype   default_float; /**< of numbers with a fraction; default float64 */
  int32_t              reserved;      /**< 0 */
  size_t               max_bytes;     /**< of arrays and temporary ones; 0: no limit */
  uint32_t             max_pending;   /**< operations that wait; 0: 2048. In a loop, up to 16 more
                                           may wait for the end of a round */
  uint32_t             max_depth;     /**< operations one after another; 0: 64. In a loop, up to 24
                                           more may wait for the end of a round */
  size_t               max_retained_bytes; /**< that waiting operations alone keep; 0: a quarter of
                                                the device memory, and at least 64 MiB */
} cucore_array_context_options;

#define CUCORE_ARRAY_CONTEXT_OPTIONS_INIT \
  { sizeof(cucore_array_context_options), NULL, NULL, CUCORE_ARRAY_POLICY_LAZY, \
    CUCORE_ARRAY_MATH_ACCURATE, CUCORE_ARRAY_DTYPE_DEFAULT, 0, 0, 0, 0, 0 }

/** The statistics of a context. */
typedef struct cucore_array_context_info {
  size_t   struct_size;        /**< sizeof(cucore_array_context_info) */
  uint64_t pending;            /**< operations that wait */
  uint64_t live_bytes;         /**< of arrays and temporary ones now */
  uint64_t peak_bytes;         /**< the most at a time */
  uint64_t evaluations;        /**< times that operations were computed */
  uint64_t by_read;            /**< of these, because elements were read */
  uint64_t by_call;            /**< because of an evaluate call, or of the policy eager */
  uint64_t by_depth;           /**< because max_depth waited for one another */
  uint64_t by_count;           /**< because more than max_pending waited */
  uint64_t by_export;          /**< because others got the memory */
  uint64_t by_write;           /**< because others see memory that was written */
  uint64_t kernels_launched;
  uint64_t kernels_compiled;
  uint64_t kernels_from_memory; /**< launches of kernels that were used before */
  uint64_t kernels_from_disk;   /**< kernels that the cache had */
  uint64_t compile_ms;          /**< the time of compiles and of reading the cache */
  uint64_t recomputed;          /**< named results that were computed without being stored */
  uint64_t copies_for_readers;  /**< copies of memory, because others needed the old elements */
  uint64_t bytes_read;          /**< by kernels */
  uint64_t bytes_written;       /**< by kernels */
  uint64_t arrays;              /**< that exist, with views */
  uint64_t retained_bytes;      /**< of live_bytes: memory that waiting operations alone keep */
  uint64_t by_retained;         /**< evaluations, because they kept more than max_retained_bytes */
  uint64_t temporary_bytes;     /**< allocated so far for results that no array had */
  uint64_t plans_cached;        /**< plans of earlier evaluations that are kept, at most 1024 */
  uint64_t reserved_bytes;      /**< bytes that the pool of the context has of the device */
} cucore_array_context_info;

#define CUCORE_ARRAY_CONTEXT_INFO_INIT \
  { sizeof(cucore_array_context_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0 }

/** The settings of an operation. */
typedef struct cucore_array_apply_options {
  size_t              struct_size; /**< sizeof(cucore_array_apply_options) */
  cucore_array_dtype  dtype;       /**< of the computation and the result; default: the rule */
  int32_t             reserved;    /**< 0 */
  cucore_array       *out;         /**< is written by the rule same_kind; NULL: a new array */
  const cucore_array *where;       /**< only these elements of out; NULL: all */
} cucore_array_apply_options;

#define CUCORE_ARRAY_APPLY_OPTIONS_INIT \
  { sizeof(cucore_array_apply_options), CUCORE_ARRAY_DTYPE_DEFAULT, 0, NULL, NULL }

/** The settings of a reduction. */
typedef struct cucore_array_reduce_options {
  size_t             struct_size; /**< sizeof(cucore_array_reduce_options) */
  const int32_t     *axes;        /**< the axes; negative ones count from the end */
  size_t             axis_count;  /**< of axes; see axes_given */
  int32_t            axes_given;  /**< 1: exactly these axes, also none; 0: all if none is given */
  int32_t            keepdims;    /**< 1: reduced axes stay, with size 1 */
  cucore_array_dtype dtype;       /**< of the sum; default: the rule */
  int32_t            reserved;    /**< 0 */
  double             correction;  /**< of var and std: the divisor is the count less this */
  double             order;       /**< of norm; default 2 */
  int32_t            order_given; /**< 1: the order is used, also if it is 0 */
  int32_t            reserved2;   /**< 0 */
} cucore_array_reduce_options;

#define CUCORE_ARRAY_REDUCE_OPTIONS_INIT \
  { sizeof(cucore_array_reduce_options), NULL, 0, 0, 0, CUCORE_ARRAY_DTYPE_DEFAULT, 0, 0.0, 0.0, \
    0, 0 }

/** The format of cucore_array_print(). */
typedef struct cucore_array_print_options {
  size_t  struct_size;    /**< sizeof(cucore_array_print_options) */
  int64_t threshold;      /**< arrays of more elements are shown by their edges; 0: 1000 */
  int32_t precision;      /**< digits after the point, at most; 0: 8, -1: none */
  int32_t edge_items;     /**< elements at each end of an axis; 0: 3 */
  int32_t line_width;     /**< characters; 0: 75 */
  int32_t suppress_small; /**< 1: small numbers are shown without an exponent */
} cucore_array_print_options;

#define CUCORE_ARRAY_PRINT_OPTIONS_INIT { sizeof(cucore_array_print_options), 0, 0, 0, 0, 0 }

/** A row of the table of operations. */
typedef struct cucore_array_op_info {
  size_t      struct_size; /**< sizeof(cucore_array_op_info) */
  int32_t     op;
  int32_t     family;  /**< 1: one operand, 2: two, 3: more, 4: a reduction, 5: a scan */
  int32_t     arity;   /**< operands */
  int32_t     outputs; /**< results */
  int32_t     parameters; /**< numbers besides the operands */
  int32_t     reserved;
  const char *name;
  const char *numpy_name;    /**< "" if NumPy has no such function */
  const char *standard_name; /**< in the Array API; "" if it has none */
  const char *description;
} cucore_array_op_info;

#define CUCORE_ARRAY_OP_INFO_INIT \
  { sizeof(cucore_array_op_info), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL }

/* == Contexts ================================================================================ */

/**
 * Creates a context: a device, a stream and the pending operations of its arrays. Kernels of all
 * arrays of a context run in the order of its stream. Memory comes from the device's pool if it
 * keeps memory without use, else from a pool of the context, which keeps up to 256 MiB.
 *
 * @param device   the device
 * @param options  NULL for the defaults
 * @param out      receives the context
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the stream is of another device, or a field has an
 *         unknown value
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_create(
    const cucore_device *device,
    const cucore_array_context_options *options,
    cucore_array_context **out,
    cucore_error **error);

/**
 * Returns the context of a device that all callers of this process share. It uses the cache of
 * the user, unless CUCORE_CACHE is "off".
 *
 * @param device  the device; NULL: device 0
 * @param out     receives the context
 * @param error   NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_default(const cucore_device *device,
                                                            cucore_array_context **out,
                                                            cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param context  the context; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_array_context *cucore_array_context_retain(
    const cucore_array_context *context);

/**
 * Removes a reference. Arrays keep their context, so that it ends with the last of them.
 *
 * @param context  the context; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API void cucore_array_context_release(cucore_array_context *context);

/**
 * Returns the device with a new reference.
 *
 * @param context  the context
 * @param out      receives the device
 * @param error    NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_device(const cucore_array_context *context,
                                                           cucore_device **out,
                                                           cucore_error **error);

/**
 * Returns the stream with a new reference. Work that the caller adds to it is ordered with the
 * kernels of the arrays.
 *
 * @param context  the context
 * @param out      receives the stream
 * @param error    NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_stream(const cucore_array_context *context,
                                                           cucore_stream **out,
                                                           cucore_error **error);

/**
 * Queues the kernels of all pending arrays. Does not wait for them.
 *
 * @param context  the context
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the stream of the context is captured
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the arrays stay pending, and a later call tries
 *         again
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_evaluate(cucore_array_context *context,
                                                             cucore_error **error);

/**
 * Evaluates all pending arrays and waits for the stream.
 *
 * @param context  the context
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an index that was computed on the device is out of range. Each such
 *         index is reported by one call, up to 1024 of them. Reading an array that was computed with
 *         it fails, and all other arrays stay valid
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_synchronize(cucore_array_context *context,
                                                                cucore_error **error);

/**
 * Gives back what the context keeps for later evaluations: cached plans, its working memory, and
 * memory of its pool without use. Waits for the stream before, unless the stream is
 * captured. Arrays and compiled kernels stay.
 *
 * @param context     the context
 * @param keep_bytes  the bytes of the pool that may stay reserved; see cucore_pool_trim()
 * @param error       NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_trim(cucore_array_context *context,
                                                         size_t keep_bytes, cucore_error **error);

/**
 * Reads the statistics of the context.
 *
 * @param context  the context
 * @param out      receives the statistics; struct_size is set by the caller
 * @param error    NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_query(cucore_array_context *context,
                                                          cucore_array_context_info *out,
                                                          cucore_error **error);

/* == New arrays ============================================================================== */

/**
 * Creates an array whose elements are not set. Memory is allocated when it is first needed.
 *
 * @param context  the context
 * @param dtype    the type of the elements
 * @param shape    the size of each axis, slowest first
 * @param ndim     the number of axes, at most 32
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  a size is negative, or the number of elements exceeds int64
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_empty(cucore_array_context *context,
                                                  cucore_array_dtype dtype, const int64_t *shape,
                                                  size_t ndim, cucore_array **out,
                                                  cucore_error **error);

/**
 * Creates an array of equal elements.
 *
 * @param context  the context
 * @param dtype    the type; CUCORE_ARRAY_DTYPE_DEFAULT: that of the value
 * @param shape    the size of each axis, slowest first
 * @param ndim     the number of axes, at most 32
 * @param value    the element
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an integer does not fit the type
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_full(cucore_array_context *context,
                                                 cucore_array_dtype dtype, const int64_t *shape,
                                                 size_t ndim, const cucore_array_scalar *value,
                                                 cucore_array **out, cucore_error **error);

/**
 * Creates the numbers start, start + step, start + 2 * step, and so on.
 *
 * @param context  the context
 * @param dtype    the type; CUCORE_ARRAY_DTYPE_DEFAULT: that of both numbers
 * @param start    the first number; NULL: 0
 * @param step     the difference of neighbours; NULL: 1
 * @param count    the number of elements
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the count is negative
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_arange(cucore_array_context *context,
                                                   cucore_array_dtype dtype,
                                                   const cucore_array_scalar *start,
                                                   const cucore_array_scalar *step, int64_t count,
                                                   cucore_array **out, cucore_error **error);

/**
 * Makes an array of numbers at equal distances. They are computed in float64 or complex128.
 *
 * @param context   the context
 * @param dtype     the type; DEFAULT: the context's default for numbers with a fraction
 * @param start     the first element
 * @param stop      the end
 * @param count     the number of elements
 * @param endpoint  1: the last element is the end; 0: one more element would be it
 * @param out       receives the array
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the count is negative
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_linspace(cucore_array_context *context,
                                                     cucore_array_dtype dtype,
                                                     const cucore_array_scalar *start,
                                                     const cucore_array_scalar *stop, int64_t count,
                                                     int32_t endpoint, cucore_array **out,
                                                     cucore_error **error);

/**
 * Makes a matrix with ones on a diagonal, and zeros.
 *
 * @param context   the context
 * @param dtype     the type; DEFAULT: the context's default for numbers with a fraction
 * @param rows      the number of rows
 * @param columns   the number of columns
 * @param diagonal  the column of the one in row 0; may be negative
 * @param out       receives the array
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  a size is negative
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_eye(cucore_array_context *context,
                                                cucore_array_dtype dtype, int64_t rows,
                                                int64_t columns, int64_t diagonal,
                                                cucore_array **out, cucore_error **error);

/**
 * Copies elements of the host into a new array. The memory may be changed as soon as the call
 * returns.
 *
 * @param context       the context
 * @param dtype         the type of the elements
 * @param data          the first element
 * @param shape         the size of each axis, slowest first
 * @param ndim          the number of axes, at most 32
 * @param byte_strides  the distance of neighbours on each axis in bytes; NULL: the last axis is
 *                      consecutive
 * @param out           receives the array
 * @param error         NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_from_host(cucore_array_context *context,
                                                      cucore_array_dtype dtype, const void *data,
                                                      const int64_t *shape, size_t ndim,
                                                      const int64_t *byte_strides,
                                                      cucore_array **out, cucore_error **error);

/**
 * Makes an array over a buffer, without a copy. The array keeps the buffer. Others see the memory:
 * writes of the array go into it at once, in the order of the context's stream. Evaluate what was
 * recorded before others write there.
 *
 * @param context       the context, on the buffer's device
 * @param dtype         the type of the elements
 * @param buffer        the memory
 * @param offset        the byte of the element at index 0
 * @param shape         the sizes
 * @param ndim          the number of axes
 * @param byte_strides  the distance of neighbours on each axis; NULL: the last axis is consecutive
 * @param out           receives the array; it is read-only if elements overlap
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an element is outside the buffer, or not aligned to its size
 * @retval CUCORE_ERROR_SHAPE  a size is negative, or the shape has too many elements
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_from_buffer(cucore_array_context *context,
                                                        cucore_array_dtype dtype,
                                                        cucore_buffer *buffer, size_t offset,
                                                        const int64_t *shape, size_t ndim,
                                                        const int64_t *byte_strides,
                                                        cucore_array **out, cucore_error **error);

/**
 * Takes over a tensor of another library, DLPack 1.0. Memory on the context's device is shared, as
 * with cucore_array_from_buffer(). Host memory is copied, except to the CPU device if it is pinned or
 * managed.
 *
 * @param context    the context
 * @param managed    a DLManagedTensorVersioned, or a DLManagedTensor. The array gives it back after
 *                   the work that uses it. On failure, the caller keeps it
 * @param versioned  1: a DLManagedTensorVersioned
 * @param copy       ON: always a copy, which is finished when the call returns, and the tensor has
 *                   gone back. OFF: never a copy
 * @param out        receives the array
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DTYPE  no array has the type of the elements
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the tensor is on another device
 * @retval CUCORE_ERROR_INVALID_STATE  a copy would be necessary, but is not permitted
 * @retval CUCORE_ERROR_UNSUPPORTED  a newer version of DLPack
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_from_dlpack(cucore_array_context *context,
                                                        void *managed, int32_t versioned,
                                                        cucore_toggle copy, cucore_array **out,
                                                        cucore_error **error);

/**
 * Creates an array with the elements of another one. The elements are copied when one of the two
 * is written, at the earliest.
 *
 * @param array  the array
 * @param out    receives the copy
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_copy(const cucore_array *array, cucore_array **out,
                                                 cucore_error **error);

/**
 * Copies an array to another context: another stream, or another device. The device orders the copy;
 * the calling thread does not wait.
 *
 * @param array    the array
 * @param context  the context of the copy
 * @param out      receives the copy
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the memory of the copy could not be allocated
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_to_context(const cucore_array *array,
                                                       cucore_array_context *context,
                                                       cucore_array **out, cucore_error **error);

/* == Properties ============================================================================== */

/**
 * Adds a reference and returns its argument.
 *
 * @param array  the array; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_array *cucore_array_retain(const cucore_array *array);

/**
 * Removes a reference. Never waits.
 *
 * @param array  the array; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API void cucore_array_release(cucore_array *array);

/**
 * Returns the number of axes.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API size_t cucore_array_ndim(const cucore_array *array);

/**
 * Returns the size of each axis, slowest first.
 *
 * @param array  the array, from which the result is borrowed
 * @since 0.2
 */
CUCORE_ARRAY_API const int64_t *cucore_array_shape(const cucore_array *array);

/**
 * Returns the distance of neighbours on each axis in bytes. Those of a pending array are what
 * they will be.
 *
 * @param array  the array, from which the result is borrowed
 * @since 0.2
 */
CUCORE_ARRAY_API const int64_t *cucore_array_strides(const cucore_array *array);

/**
 * Returns the number of elements.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int64_t cucore_array_size(const cucore_array *array);

/**
 * Returns the bytes of all elements that the array shows.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API size_t cucore_array_bytes(const cucore_array *array);

/**
 * Returns the type of the elements.
 *
 * @param array  the array; CUCORE_ARRAY_DTYPE_DEFAULT for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_array_dtype cucore_array_dtype_of(const cucore_array *array);

/**
 * Returns 1 if the elements are not computed yet.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_is_pending(const cucore_array *array);

/**
 * Returns 1 if the array shows a part of the memory of another one, or in another order.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_is_view(const cucore_array *array);

/**
 * Returns 1 if the elements are consecutive in the order of the last axis first.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_is_contiguous(const cucore_array *array);

/**
 * Returns 1 if the array can be written.
 *
 * @param array  the array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_is_writable(const cucore_array *array);

/**
 * Returns 1 if the arrays have an element in common. The answer is exact. It may take long for
 * views with many axes.
 *
 * @param array  an array; 0 for NULL
 * @param other  another array; 0 for NULL
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_shares_memory(const cucore_array *array,
                                                    const cucore_array *other);

/**
 * Returns the context with a new reference.
 *
 * @param array  the array
 * @param out    receives the context
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_context_of(const cucore_array *array,
                                                       cucore_array_context **out,
                                                       cucore_error **error);

/* == Elements ================================================================================ */

/**
 * Queues the kernels of pending arrays. Does not wait for them. Arrays are not computed in a graph:
 * while the context's stream is captured, each call that must compute or copy elements fails.
 *
 * @param arrays  the arrays, of one context
 * @param count   of them
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the arrays are of several contexts
 * @retval CUCORE_ERROR_INVALID_STATE  the stream of the context is captured
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the arrays stay pending, and a later call tries
 *         again
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_evaluate(cucore_array *const *arrays, size_t count,
                                                     cucore_error **error);

/**
 * Evaluates the array and copies its elements to the host, the last axis first. Waits for the
 * copy. A view without elements reports an index that is out of range, as its array does. It waits
 * only for kernels with such indices.
 *
 * @param array        the array
 * @param destination  receives the elements
 * @param size         cucore_array_bytes() of the array
 * @param error        NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the size is another one
 * @retval CUCORE_ERROR_INDEX  the elements were computed with an index that is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_read(const cucore_array *array, void *destination,
                                                 size_t size, cucore_error **error);

/**
 * Evaluates an array of one element and returns it.
 *
 * @param array  the array
 * @param out    receives the element
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the array does not have exactly one element
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_item(const cucore_array *array,
                                                 cucore_array_scalar *out, cucore_error **error);

/**
 * Replaces all elements by those of the host.
 *
 * @param array   the array
 * @param source  elements of the type of the array, the last axis first
 * @param size    cucore_array_bytes() of the array
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the size is another one
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, such as a broadcast view
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_write(cucore_array *array, const void *source,
                                                  size_t size, cucore_error **error);

/**
 * Describes what evaluating the arrays would do now. Nothing is launched.
 *
 * @param arrays    arrays of one context
 * @param count     of arrays
 * @param what      the description
 * @param buffer    receives the text, which ends with a NUL
 * @param capacity  bytes of the buffer
 * @param size      receives the needed size with its NUL, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  count is 0, or the arrays have several contexts
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_explain(const cucore_array *const *arrays, size_t count,
                                                    cucore_array_explanation what, char *buffer,
                                                    size_t capacity, size_t *size,
                                                    cucore_error **error);

/**
 * Names an array in the texts of cucore_array_explain().
 *
 * @param array  the array
 * @param name   the name; an empty one removes it
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_set_name(cucore_array *array, const char *name,
                                                     cucore_error **error);

/**
 * Evaluates the array and writes it as text, as NumPy's str() does. Of a long array, only the
 * edges are read.
 *
 * @param array     the array
 * @param options   NULL for the defaults
 * @param buffer    receives the text; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size with its NUL, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an option is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_print(const cucore_array *array,
                                                  const cucore_array_print_options *options,
                                                  char *buffer, size_t capacity, size_t *size,
                                                  cucore_error **error);

/* == Files =================================================================================== */

/**
 * Evaluates the array and writes it as the bytes of a .npy file, version 1.0, in C order. NumPy
 * has no bfloat16: these elements get the type "<V2", whose bits NumPy can view as uint16.
 *
 * @param array     the array
 * @param buffer    receives the bytes; NULL with capacity 0 queries the size, without a wait
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_to_npy(const cucore_array *array, void *buffer,
                                                   size_t capacity, size_t *size,
                                                   cucore_error **error);

/**
 * Makes an array from the bytes of a .npy file of version 1, 2 or 3, in C or Fortran order and
 * either byte order. "V2" is read as bfloat16. Bytes behind the elements are ignored.
 *
 * @param context  the context
 * @param data     the bytes; they are copied before the function returns
 * @param size     of data
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the bytes are not a .npy file, or they end early
 * @retval CUCORE_ERROR_DTYPE             the elements have a type that arrays do not have
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_from_npy(cucore_array_context *context,
                                                     const void *data, size_t size,
                                                     cucore_array **out, cucore_error **error);

/**
 * Copies the elements to a buffer in the order of the last axis first, without a wait. The buffer has
 * them after the work that is in the context's stream now.
 *
 * @param array   the array
 * @param pinned  the buffer; pinned host memory for an asynchronous copy
 * @param offset  the first byte in the buffer
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the buffer is too small
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_read_into(const cucore_array *array,
                                                      cucore_buffer *pinned, size_t offset,
                                                      cucore_error **error);

/**
 * Evaluates the array and returns its memory for others. From now on, writes of the array go into
 * this memory at once, in the order of the context's stream. Evaluate what was recorded before others
 * write there. The buffer keeps memory that the context has allocated. A tensor of another library,
 * from cucore_array_from_dlpack(), goes back to it when no array shows its memory.
 *
 * @param array   the array
 * @param out     receives the buffer with a new reference
 * @param offset  receives the byte of the element at index 0
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_OUT_OF_DEVICE_MEMORY  the elements could not be stored
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_buffer(cucore_array *array, cucore_buffer **out,
                                                   size_t *offset, cucore_error **error);

/**
 * Gives the memory of the array to another library as a tensor of DLPack 1.0, as
 * cucore_array_buffer() does. Arrays of the CPU device are host memory.
 *
 * @param array      the array
 * @param consumer   the stream that will use the tensor: its later work waits. NULL: no wait on a GPU;
 *                   on the CPU device the call waits
 * @param versioned  1: a DLManagedTensorVersioned; 0: a DLManagedTensor, which cannot be read-only
 * @param copy       ON: always a copy. OFF: never a copy
 * @param out        receives the tensor, whose deleter the receiver calls
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, or a copy is necessary, but the options
 *         do not permit it
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_to_dlpack(cucore_array *array,
                                                      const cucore_stream *consumer,
                                                      int32_t versioned, cucore_toggle copy,
                                                      void **out, cucore_error **error);

/* == Operations ============================================================================== */

/**
 * Applies an operation of one operand to each element.
 *
 * @param op     a number of cucore_array_op
 * @param x      the array
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the number is not one of an operation of one operand and
 *         one
 *          result
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_unary(int32_t op, const cucore_array *x,
                                                  cucore_array **out, cucore_error **error);

/**
 * Applies an operation of two operands to each pair of elements. Axes of size 1 are repeated,
 * and missing leading ones too.
 *
 * @param op     a number of cucore_array_op
 * @param x      the array
 * @param y      the second array
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the number is not one of an operation of two operands
 *         and one
 *          result, or the contexts are of two devices
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_binary(int32_t op, const cucore_array *x,
                                                   const cucore_array *y, cucore_array **out,
                                                   cucore_error **error);

/**
 * Applies an operation of two operands to each element and a number without a type of its own.
 *
 * @param op        a number of cucore_array_op
 * @param x         the array
 * @param y         the number
 * @param reversed  1: the number is the first operand
 * @param out       receives the result
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_binary_scalar(int32_t op, const cucore_array *x,
                                                          double y, int32_t reversed,
                                                          cucore_array **out,
                                                          cucore_error **error);

/**
 * Applies any element-wise operation of the table.
 *
 * @param op            a number of cucore_array_op
 * @param operands      arrays and numbers, first the operands, then the parameters of the
 *                      operation
 * @param count         of operands and parameters
 * @param options       NULL for the defaults
 * @param results       receives the results; NULL if options.out is set
 * @param result_count  the number of results
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the counts are not those of the operation, or no operand
 *         is an
 *          array
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_apply(int32_t op, const cucore_array_operand *operands,
                                                  size_t count,
                                                  const cucore_array_apply_options *options,
                                                  cucore_array **results, size_t result_count,
                                                  cucore_error **error);

/**
 * Converts the elements to another type.
 *
 * @param x      the array
 * @param dtype  the type of the elements
 * @param copy   ON: the result has memory of its own, also for an equal type
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_cast(const cucore_array *x, cucore_array_dtype dtype,
                                                 cucore_toggle copy, cucore_array **out,
                                                 cucore_error **error);

/**
 * Replaces all elements by those of an array, or by a number. They are converted as NumPy does: a
 * fraction is cut off for integers. Complex numbers for real elements are refused.
 *
 * @param x      the array
 * @param value  the new elements, repeated to the shape
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, such as a broadcast view
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_assign(cucore_array *x,
                                                   const cucore_array_operand *value,
                                                   cucore_error **error);

/**
 * Replaces each element by the result of an operation of two operands. The element is the first
 * one.
 *
 * @param op     a number of cucore_array_op
 * @param x      the array
 * @param value  the second operand
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, such as a broadcast view
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_assign_op(int32_t op, cucore_array *x,
                                                      const cucore_array_operand *value,
                                                      cucore_error **error);

/**
 * Reduces some axes of an array to one element.
 *
 * @param op       a number of cucore_array_op
 * @param x        the array
 * @param options  NULL: all axes
 * @param out      receives the result
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_reduce(int32_t op, const cucore_array *x,
                                                   const cucore_array_reduce_options *options,
                                                   cucore_array **out, cucore_error **error);

/**
 * Combines each element of an axis with all elements before it.
 *
 * @param op               a number of cucore_array_op
 * @param x                the array
 * @param axis             the axis; a negative one counts from the end
 * @param dtype            the type of the result; CUCORE_ARRAY_DTYPE_DEFAULT: the rule
 * @param include_initial  1: the result begins with the neutral element, and is longer by one
 * @param reverse          1: with all elements after it
 * @param out              receives the array
 * @param error            NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  the axis is out of range
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_scan(int32_t op, const cucore_array *x, int32_t axis,
                                                 cucore_array_dtype dtype, int32_t include_initial,
                                                 int32_t reverse, cucore_array **out,
                                                 cucore_error **error);

/* == Views =================================================================================== */

/**
 * Selects elements as x[items] does in NumPy. The result is a view, unless all axes have an
 * integer, or an item is an array: then it is a copy of the elements. A mask waits until the number
 * of its true elements is computed. An index that is out of range in an array is reported when
 * elements are read. It is reported at once if the item has the least and the greatest index.
 *
 * @param x      the array
 * @param items  an item per axis, or a mask for several ones; missing ones select all
 * @param count  of items
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range, an array of indices has other
 *         elements than integers, or the indices do not broadcast
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_select(const cucore_array *x,
                                                   const cucore_array_index *items, size_t count,
                                                   cucore_array **out, cucore_error **error);

/**
 * Writes the elements that cucore_array_select() selects. If arrays select an element several times,
 * the last value wins. Numbers are converted as NumPy does: a fraction is cut off for integers.
 *
 * @param x      the array
 * @param items  as for cucore_array_select()
 * @param count  of items
 * @param op     0: the value itself; else an operation of the element and the value
 * @param value  the new elements, repeated to the shape
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range, an array of indices has other
 *         elements than integers, or the indices do not broadcast
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, such as a broadcast view
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_assign_select(cucore_array *x,
                                                          const cucore_array_index *items,
                                                          size_t count, int32_t op,
                                                          const cucore_array_operand *value,
                                                          cucore_error **error);

/**
 * Returns the elements in another shape. The result is a view where the strides permit it.
 *
 * @param x      the array
 * @param shape  the new sizes; one may be -1
 * @param ndim   the number of new axes
 * @param copy   ON: always a copy. OFF: never a copy
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_INVALID_STATE  a copy would be necessary, but is not permitted
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_reshape(const cucore_array *x, const int64_t *shape,
                                                    size_t ndim, cucore_toggle copy,
                                                    cucore_array **out, cucore_error **error);

/**
 * Returns a view with the axes in another order.
 *
 * @param x      the array
 * @param axes   axis k of the result is axes[k] of x; NULL: reversed
 * @param count  of axes
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_permute(const cucore_array *x, const int32_t *axes,
                                                    size_t count, cucore_array **out,
                                                    cucore_error **error);

/**
 * Returns a view in which axes of size 1 and missing leading axes are repeated. It is read-only.
 *
 * @param x      the array
 * @param shape  the size of each axis, slowest first
 * @param ndim   the number of axes, at most 32
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_broadcast(const cucore_array *x, const int64_t *shape,
                                                      size_t ndim, cucore_array **out,
                                                      cucore_error **error);

/**
 * Returns a view with new axes of size 1 at the given places of the result.
 *
 * @param x      the array
 * @param axes   the axes; negative ones count from the end
 * @param count  of axes
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_expand(const cucore_array *x, const int32_t *axes,
                                                   size_t count, cucore_array **out,
                                                   cucore_error **error);

/**
 * Returns a view without the given axes of size 1.
 *
 * @param x      the array
 * @param axes   the axes; negative ones count from the end
 * @param count  of axes; 0: all of size 1
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_squeeze(const cucore_array *x, const int32_t *axes,
                                                    size_t count, cucore_array **out,
                                                    cucore_error **error);

/**
 * Returns a view with the elements of the given axes in reversed order.
 *
 * @param x      the array
 * @param axes   the axes; negative ones count from the end
 * @param count  of axes; 0: all
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_flip(const cucore_array *x, const int32_t *axes,
                                                 size_t count, cucore_array **out,
                                                 cucore_error **error);

/**
 * Returns a view of the diagonal of two axes, which becomes the last axis.
 *
 * @param x       the array
 * @param offset  above the main diagonal if positive, below it if negative
 * @param axis1   the axis of rows
 * @param axis2   the axis of columns
 * @param out     receives the result
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_INDEX  an axis or an index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_diagonal(const cucore_array *x, int64_t offset,
                                                     int32_t axis1, int32_t axis2,
                                                     cucore_array **out, cucore_error **error);

/**
 * Returns a view of the real or imaginary parts of complex elements.
 *
 * @param x      the array
 * @param part   the part
 * @param out    receives the result
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DTYPE  the elements are not complex
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_part(const cucore_array *x,
                                                 cucore_array_part_kind part, cucore_array **out,
                                                 cucore_error **error);

/* == Joins and indices ======================================================================= */

/**
 * Joins arrays along an axis. The result has their common type.
 *
 * @param arrays  the arrays, equal in all other axes
 * @param count   of arrays, at least 1
 * @param axis    the axis; a negative one counts from the end
 * @param out     receives the array
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_concat(const cucore_array *const *arrays, size_t count,
                                                   int32_t axis, cucore_array **out,
                                                   cucore_error **error);

/**
 * Joins arrays of one shape along a new axis.
 *
 * @param arrays  the arrays
 * @param count   of arrays, at least 1
 * @param axis    the place of the new axis in the result
 * @param out     receives the array
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_stack(const cucore_array *const *arrays, size_t count,
                                                  int32_t axis, cucore_array **out,
                                                  cucore_error **error);

/**
 * Returns a view of each element of an axis.
 *
 * @param x      the array
 * @param axis   the axis
 * @param out    receives the views
 * @param count  the size of the axis
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the count is another one
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_unstack(const cucore_array *x, int32_t axis,
                                                    cucore_array **out, size_t count,
                                                    cucore_error **error);

/**
 * Moves the elements of axes in circles.
 *
 * @param x       the array
 * @param shifts  the steps; negative ones move to the beginning
 * @param axes    the axis of each step; NULL: all elements as one axis
 * @param count   of shifts, and of axes
 * @param out     receives the array
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_roll(const cucore_array *x, const int64_t *shifts,
                                                 const int32_t *axes, size_t count,
                                                 cucore_array **out, cucore_error **error);

/**
 * Repeats a whole array along its axes.
 *
 * @param x        the array
 * @param repeats  how often along each axis; missing leading ones are 1
 * @param count    of repeats
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  a number is negative, or the result has too many elements
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_tile(const cucore_array *x, const int64_t *repeats,
                                                 size_t count, cucore_array **out,
                                                 cucore_error **error);

/**
 * Surrounds an array with equal elements.
 *
 * @param x             the array
 * @param before_after  two numbers per axis: the elements before it and after it
 * @param mode          0
 * @param value         the element
 * @param out           receives the array
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  a number is negative
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_pad(const cucore_array *x, const int64_t *before_after,
                                                int32_t mode, const cucore_array_scalar *value,
                                                cucore_array **out, cucore_error **error);

/**
 * Selects elements of an axis. The axes of the indices replace it. An index that is out of range
 * is an error of the next wait for the context.
 *
 * @param x        the array
 * @param indices  integers; negative ones count from the end
 * @param axis     the axis
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @retval CUCORE_ERROR_DTYPE  the indices are not integers
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_take(const cucore_array *x, const cucore_array *indices,
                                                 int32_t axis, cucore_array **out,
                                                 cucore_error **error);

/**
 * Selects an element of an axis for each index. All other axes of both arrays are broadcast.
 *
 * @param x        the array
 * @param indices  integers, as many axes as the array
 * @param axis     the axis
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @retval CUCORE_ERROR_DTYPE  the indices are not integers
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_take_along(const cucore_array *x,
                                                       const cucore_array *indices, int32_t axis,
                                                       cucore_array **out, cucore_error **error);

/**
 * Writes the elements that cucore_array_take_along() selects. If an element is selected several
 * times, the last value wins.
 *
 * @param x        the array
 * @param indices  integers, as many axes as the array
 * @param value    the new elements, repeated to the shape
 * @param axis     the axis
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @retval CUCORE_ERROR_DTYPE  the indices are not integers, or the value is complex and x is not
 * @retval CUCORE_ERROR_INVALID_STATE  the array is read-only, such as a broadcast view
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_put_along(cucore_array *x, const cucore_array *indices,
                                                      const cucore_array_operand *value,
                                                      int32_t axis, cucore_error **error);

/**
 * Returns the places of the elements that are not 0, in the order of the last axis first. Waits until
 * the number of these elements is computed.
 *
 * @param x      the array, with at least one axis
 * @param out    receives an array of int64 per axis
 * @param ndim   the number of axes
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  ndim is not the number of axes, or 0
 * @retval CUCORE_ERROR_INDEX  an index of an earlier operation was out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_nonzero(const cucore_array *x, cucore_array **out,
                                                    size_t ndim, cucore_error **error);

/**
 * Selects the elements of an axis for which a mask is true. Waits until their number is computed.
 *
 * @param x      the array
 * @param mask   one axis; 0 is false. It may be shorter than the axis of x
 * @param axis   the axis
 * @param out    receives the array
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the mask has several axes
 * @retval CUCORE_ERROR_INDEX  the axis is out of range, or the mask is longer
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_compress(const cucore_array *x,
                                                     const cucore_array *mask, int32_t axis,
                                                     cucore_array **out, cucore_error **error);

/**
 * Repeats the elements of an axis. With an array of numbers, it waits until the size of the result is
 * computed.
 *
 * @param x        the array
 * @param repeats  how often each element of the axis is repeated, or one number for all; NULL: repeat
 * @param repeat   how often all are repeated, if repeats is NULL
 * @param axis     the axis; INT32_MIN: the elements of all axes in the order of the last axis first
 * @param out      receives the array
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the axis has another size than repeats, or repeat is negative
 * @retval CUCORE_ERROR_DTYPE  repeats are not integers
 * @retval CUCORE_ERROR_INDEX  the axis is out of range
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an element of repeats is negative
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_repeat(const cucore_array *x,
                                                   const cucore_array *repeats, int64_t repeat,
                                                   int32_t axis, cucore_array **out,
                                                   cucore_error **error);

/**
 * Sorts the elements of an axis. Equal elements keep their order. NaN is larger than all numbers;
 * complex numbers are ordered by their real parts, then by their imaginary parts.
 *
 * @param x           the array
 * @param axis        the axis
 * @param descending  1: the largest element first
 * @param out         receives a new array of the same shape and type
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  the axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_sort(const cucore_array *x, int32_t axis,
                                                 int32_t descending, cucore_array **out,
                                                 cucore_error **error);

/**
 * Returns the places that cucore_array_sort() takes the elements of an axis from.
 *
 * @param x           the array
 * @param axis        the axis
 * @param descending  1: the largest element first
 * @param out         receives an array of int64 of the same shape
 * @param error       NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INDEX  the axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_argsort(const cucore_array *x, int32_t axis,
                                                    int32_t descending, cucore_array **out,
                                                    cucore_error **error);

/**
 * Finds where values belong in a sorted array.
 *
 * @param sorted  one axis, in the order of cucore_array_sort()
 * @param values  the values
 * @param right   1: behind equal elements; 0: in front of them
 * @param sorter  places that sort the array, as cucore_array_argsort() returns them; NULL: it is sorted
 * @param out     receives an array of int64 with the shape of the values
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  sorted has not one axis
 * @retval CUCORE_ERROR_DTYPE  the sorter has no integers
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_searchsorted(const cucore_array *sorted,
                                                         const cucore_array *values, int32_t right,
                                                         const cucore_array *sorter,
                                                         cucore_array **out, cucore_error **error);

/**
 * Finds the different elements, in the order of cucore_array_sort(). Waits until their number is
 * computed. NaN differs from NaN, unless `want` contains 8.
 *
 * @param x        the array
 * @param want     what is returned, as bits: 1 index, 2 inverse, 4 counts; and 8: NaNs are equal
 * @param found    receives the different elements, in one axis
 * @param index    receives the first place of each one in x, in the order of the last axis first
 * @param inverse  receives the number of each element of x among those found, in the shape of x
 * @param counts   receives how often each one occurs
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an unknown bit is set
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_unique(const cucore_array *x, uint32_t want,
                                                   cucore_array **found, cucore_array **index,
                                                   cucore_array **inverse, cucore_array **counts,
                                                   cucore_error **error);

/**
 * Multiplies matrices by NumPy's rules: the matrices are in the last two axes, and the axes before are
 * broadcast. An array with one axis is a row on the left, a column on the right, and loses this axis.
 * Half precision is added in float32 and rounded once.
 *
 * @param x      the left factor
 * @param y      the right factor
 * @param out    receives the product
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit; the message contains them
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_matmul(const cucore_array *x, const cucore_array *y,
                                                   cucore_array **out, cucore_error **error);

/**
 * Sums the products of elements over pairs of axes. The result has the other axes of x, then those of
 * y. Half precision is added in float32 and rounded once.
 *
 * @param x       the left factor
 * @param y       the right factor
 * @param x_axes  axes of x
 * @param y_axes  the axes of y that belong to them
 * @param count   the number of pairs; 0: all products
 * @param out     receives the array
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_INDEX  an axis is out of range
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  an axis occurs twice
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_tensordot(const cucore_array *x, const cucore_array *y,
                                                      const int32_t *x_axes, const int32_t *y_axes,
                                                      size_t count, cucore_array **out,
                                                      cucore_error **error);

/**
 * Sums the products of elements of an axis; those of x are conjugated. All other axes are broadcast.
 * Half precision is added in float32 and rounded once.
 *
 * @param x      the left factor
 * @param y      the right factor
 * @param axis   the axis of both arrays
 * @param out    receives the array
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SHAPE  the shapes do not fit; the message contains them
 * @retval CUCORE_ERROR_INDEX  the axis is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_vecdot(const cucore_array *x, const cucore_array *y,
                                                   int32_t axis, cucore_array **out,
                                                   cucore_error **error);

/**
 * Makes a generator of random numbers. The numbers are those of Philox4x32-10: they depend on the
 * seed, the number of elements taken before, and the place of the element alone.
 *
 * @param context  the context of the arrays
 * @param seed     any number
 * @param out      receives a new generator
 * @param error    NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_generator_create(cucore_array_context *context,
                                                             uint64_t seed,
                                                             cucore_array_generator **out,
                                                             cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param generator  the generator; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_array_generator *cucore_array_generator_retain(
    const cucore_array_generator *generator);

/**
 * Drops a reference. Arrays of its numbers stay.
 *
 * @param generator  the generator; NULL is allowed
 * @since 0.2
 */
CUCORE_ARRAY_API void cucore_array_generator_release(cucore_array_generator *generator);

/**
 * Returns what determines the next numbers: the seed, the number of elements taken, 0, 0.
 *
 * @param generator  the generator
 * @param state      receives the four numbers
 * @param error      NULL, or receives a new error on failure
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_generator_state(const cucore_array_generator *generator,
                                                            uint64_t state[4],
                                                            cucore_error **error);

/**
 * Continues from a state of cucore_array_generator_state().
 *
 * @param generator  the generator
 * @param state      the four numbers
 * @param error      NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the last two numbers are not 0
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_generator_set_state(cucore_array_generator *generator,
                                                                const uint64_t state[4],
                                                                cucore_error **error);

/**
 * Makes an array of random numbers. They are computed inside the kernels that need them, and may be
 * computed several times.
 *
 * @param generator     the generator, which advances by the number of elements
 * @param distribution  how the numbers are distributed
 * @param dtype         the type; DEFAULT: uint64, int64 or bool, or the context's default for numbers
 *                      with a fraction
 * @param parameters    of the distribution, repeated to the shape; integers of an empty interval in
 *                      arrays are its lower bound
 * @param count         of parameters; 0 leaves out those that have a default
 * @param shape         the sizes
 * @param ndim          the number of axes
 * @param out           receives the array
 * @param error         NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the count is wrong, or an interval of two numbers is empty,
 *         or has no finite length
 * @retval CUCORE_ERROR_DTYPE  the distribution has no numbers of this type
 * @retval CUCORE_ERROR_SHAPE  a parameter does not broadcast to the shape
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_random(cucore_array_generator *generator,
                                                   cucore_array_distribution distribution,
                                                   cucore_array_dtype dtype,
                                                   const cucore_array_operand *parameters,
                                                   size_t count, const int64_t *shape, size_t ndim,
                                                   cucore_array **out, cucore_error **error);

/* == Types and the table of operations ======================================================= */

/**
 * Returns the type of the result of an operation.
 *
 * @param op        a number of cucore_array_op; 0: the common type
 * @param operands  arrays and numbers; NULL if dtypes is given
 * @param dtypes    types instead of operands; NULL if operands is given
 * @param count     of them
 * @param out       receives the type
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_DTYPE  the types of the elements do not permit the operation
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_result_dtype(int32_t op,
                                                         const cucore_array_operand *operands,
                                                         const cucore_array_dtype *dtypes,
                                                         size_t count, cucore_array_dtype *out,
                                                         cucore_error **error);

/**
 * Returns 1 if elements of a type can be converted by a rule of NumPy.
 *
 * @param from     the type of the elements
 * @param to       the type to convert to
 * @param casting  the rule
 * @since 0.2
 */
CUCORE_ARRAY_API int32_t cucore_array_can_cast(cucore_array_dtype from, cucore_array_dtype to,
                                               cucore_array_casting casting);

/**
 * Returns the name of a type: "float32".
 *
 * @param dtype  the type; "" for an unknown number
 * @since 0.2
 */
CUCORE_ARRAY_API const char *cucore_array_dtype_name(cucore_array_dtype dtype);

/**
 * Returns the bytes of an element.
 *
 * @param dtype  the type; 0 for an unknown number
 * @since 0.2
 */
CUCORE_ARRAY_API size_t cucore_array_dtype_size(cucore_array_dtype dtype);

/**
 * Returns the number of operations in the table.
 *
 * @since 0.2
 */
CUCORE_ARRAY_API size_t cucore_array_op_count(void);

/**
 * Describes an operation of the table.
 *
 * @param index  below cucore_array_op_count()
 * @param out    receives the description; struct_size is set by the caller
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the index is out of range
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_op_at(size_t index, cucore_array_op_info *out,
                                                  cucore_error **error);

/**
 * Finds an operation by its name in this library, in NumPy or in the Array API.
 *
 * @param name   the name, such as "sin"
 * @param op     receives the number
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  no operation has the name
 * @since 0.2
 */
CUCORE_ARRAY_API cucore_status cucore_array_op_find(const char *name, int32_t *op,
                                                    cucore_error **error);

/**
 * Returns the version of the library: major * 10000 + minor * 100 + patch.
 *
 * @since 0.2
 */
CUCORE_ARRAY_API uint32_t cucore_array_version(void);

#include "cucore_array_names.h"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_ARRAY_H_INCLUDED */
