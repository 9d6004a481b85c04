/*
 * cucore/objectcode.h - compiled code: inspection, containers, signatures, loading.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUCORE_OBJECTCODE_H_INCLUDED
#define CUCORE_OBJECTCODE_H_INCLUDED

#include "base.h"
#include "error.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What goes with the bytes of object code made elsewhere. */
typedef struct cucore_objectcode_options {
  size_t             struct_size;   /**< sizeof(cucore_objectcode_options) */
  const char        *name;          /**< shown in messages; default "" */
  const char        *arch;          /**< where the bytes do not say it themselves */
  const char *const *expressions;   /**< names under which kernels are to be found ... */
  const char *const *lowered_names; /**< ... and the names that they have in the code */
  size_t             expression_count;
} cucore_objectcode_options;

#define CUCORE_OBJECTCODE_OPTIONS_INIT \
  { sizeof(cucore_objectcode_options), NULL, NULL, NULL, NULL, 0 }

/** What a symbol of object code is. */
typedef enum cucore_symbol_kind {
  CUCORE_SYMBOL_NONE            = 0,
  CUCORE_SYMBOL_KERNEL          = 1,
  CUCORE_SYMBOL_GLOBAL          = 2,
  CUCORE_SYMBOL_CONSTANT        = 3,
  CUCORE_SYMBOL_MANAGED         = 4,
  CUCORE_SYMBOL_DEVICE_FUNCTION = 5,
  CUCORE_SYMBOL_FORCE_INT32     = 0x7fffffff
} cucore_symbol_kind;

/** One symbol; strings live as long as the object code. */
typedef struct cucore_symbol_info {
  size_t             struct_size;  /**< set by you: sizeof(cucore_symbol_info) */
  const char        *expression;   /**< the name as written, "saxpy<float>"; "" where unknown */
  const char        *lowered_name; /**< the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m" */
  cucore_symbol_kind kind;
  size_t             parameter_count; /**< of a kernel; SIZE_MAX: the code does not say */
  size_t             size;            /**< of data, in bytes */
} cucore_symbol_info;

#define CUCORE_SYMBOL_INFO_INIT \
  { sizeof(cucore_symbol_info), NULL, NULL, CUCORE_SYMBOL_NONE, 0, 0 }

/** Which values a kernel parameter accepts. The class comes from the PTX of the kernel. PTX does not
 *  record whether an integer is signed. Later versions may add classes. */
typedef enum cucore_parameter_class {
  CUCORE_PARAMETER_CLASS_UNKNOWN   = 0, /**< no PTX, or PTX that leaves the class open */
  CUCORE_PARAMETER_CLASS_INTEGER   = 1, /**< an integer, bool, character or enumerator */
  CUCORE_PARAMETER_CLASS_FLOAT     = 2, /**< a floating-point number */
  CUCORE_PARAMETER_CLASS_POINTER   = 3, /**< an address in device memory, or a reference */
  CUCORE_PARAMETER_CLASS_AGGREGATE = 4, /**< a struct, union, vector, __half or __int128: bytes */
  CUCORE_PARAMETER_CLASS_FORCE_INT32 = 0x7fffffff
} cucore_parameter_class;

/** One parameter of a kernel. */
typedef struct cucore_parameter_info {
  size_t                 struct_size; /**< of element 0, set by you; see the functions */
  size_t                 offset;      /**< bytes from the start of the parameter block */
  size_t                 size;        /**< bytes */
  cucore_parameter_class parameter_class;
  int32_t                reserved; /**< 0 */
} cucore_parameter_info;

#define CUCORE_PARAMETER_INFO_INIT \
  { sizeof(cucore_parameter_info), 0, 0, CUCORE_PARAMETER_CLASS_UNKNOWN, 0 }

/** What a kernel needs, as its machine code says; -1 where it does not. */
typedef struct cucore_resource_info {
  size_t  struct_size;   /**< set by you: sizeof(cucore_resource_info) */
  int32_t registers;     /**< of a thread */
  int32_t static_shared; /**< bytes of a block */
  int32_t stack;         /**< bytes of a thread, where spilled registers are too */
  int32_t max_threads;   /**< of a block, from __launch_bounds__ */
  int32_t constant;      /**< bytes of the constant bank, the parameters included */
  int32_t code_size;     /**< bytes of instructions */
  int32_t spill_stores;  /**< bytes of registers that a thread spills: CUDA 13.0 and later tell */
  int32_t spill_loads;   /**< the same */
} cucore_resource_info;

#define CUCORE_RESOURCE_INFO_INIT \
  { sizeof(cucore_resource_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/** How a container is signed. */
typedef enum cucore_key_algorithm {
  CUCORE_KEY_NONE        = 0,
  CUCORE_KEY_HMAC_SHA256 = 1, /**< one shared secret signs and verifies; 1 byte or more */
  CUCORE_KEY_ED25519     = 2, /**< 32 bytes: the private key's seed signs, the public key verifies */
  CUCORE_KEY_FORCE_INT32 = 0x7fffffff
} cucore_key_algorithm;

/** A key. */
typedef struct cucore_key {
  const void          *data;
  size_t               size;
  cucore_key_algorithm algorithm;
  int32_t              reserved; /**< 0 */
} cucore_key;

/** Whether a signature is asked for. */
typedef enum cucore_signature_policy {
  CUCORE_SIGNATURE_POLICY_NONE     = 0, /**< signed or not; one by a known key must be right */
  CUCORE_SIGNATURE_POLICY_REQUIRED = 1, /**< signed, rightly, by one of the keys */
  CUCORE_SIGNATURE_POLICY_FORCE_INT32 = 0x7fffffff
} cucore_signature_policy;

/** What is known of the signature of the container that object code was read from. */
typedef enum cucore_signature_state {
  CUCORE_SIGNATURE_UNSIGNED    = 0, /**< none, or not read from a container */
  CUCORE_SIGNATURE_UNKNOWN_KEY = 1, /**< signed by a key that was not given: nothing is proven */
  CUCORE_SIGNATURE_VALID       = 2, /**< signed, rightly, by one of the keys given */
  CUCORE_SIGNATURE_FORCE_INT32 = 0x7fffffff
} cucore_signature_state;

/** How to write object code to bytes. */
typedef struct cucore_serialize_options {
  size_t            struct_size; /**< sizeof(cucore_serialize_options) */
  cucore_toggle     compression; /**< ON: zstd; default OFF: the bytes as they are */
  int32_t           reserved;    /**< 0 */
  const cucore_key *signing_key; /**< NULL: unsigned */
} cucore_serialize_options;

#define CUCORE_SERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_serialize_options), CUCORE_TOGGLE_DEFAULT, 0, NULL }

/** What to ask of bytes that are read. */
typedef struct cucore_deserialize_options {
  size_t                  struct_size;   /**< sizeof(cucore_deserialize_options) */
  uint64_t                max_code_size; /**< refuse images above this many bytes; 0: 1 GiB */
  cucore_signature_policy signature_policy;
  int32_t                 reserved;  /**< 0 */
  const cucore_key       *keys;      /**< that verify */
  size_t                  key_count; /**< REQUIRED needs one or more */
} cucore_deserialize_options;

#define CUCORE_DESERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_deserialize_options), 0, CUCORE_SIGNATURE_POLICY_NONE, 0, NULL, 0 }

/**
 * Makes object code from bytes that a compiler wrote. They are copied and checked: nothing whose
 * size is not proven ever reaches the driver. The driver is not touched.
 *
 * @param type     any but BUNDLE: PTX is text with .version and .target; CUBIN an ELF file of
 *                 CUDA's, every table inside the bytes; FATBIN has every entry inside; LTOIR is
 *                 opaque and not empty; OBJECT is a relocatable ELF or COFF file; LIBRARY an
 *                 archive. OBJECT and LIBRARY are for linkers: asking them for a kernel is
 *                 INVALID_STATE. LTOIR is linked for its device when it is first loaded
 * @param data     for PTX a NUL at the end is optional and never counted
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_INVALID_CODE  the bytes are not what type says; the message gives the
 *                                    offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_create(cucore_code_type type, const void *data,
                                                  size_t size,
                                                  const cucore_objectcode_options *options,
                                                  cucore_objectcode **out, cucore_error **error);

/**
 * The same from a file.
 * @param path  its last part is the default name
 * @retval CUCORE_ERROR_NOT_FOUND     no such file
 * @retval CUCORE_ERROR_IO            it cannot be read
 * @retval CUCORE_ERROR_INVALID_CODE  as cucore_objectcode_create()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_from_file(cucore_code_type type, const char *path,
                                                     const cucore_objectcode_options *options,
                                                     cucore_objectcode **out,
                                                     cucore_error **error);

/** One more reference to object code; gives back its argument. @since 0.1 */
CUCORE_API cucore_objectcode *cucore_objectcode_retain(const cucore_objectcode *code);

/** Gives one reference back. What was loaded is unloaded once nothing uses it any more: after the
 *  last reference to the code and its kernels, a thread of the library waits for the launches made
 *  so far, then unloads. A graph that a launch was captured into is a reference, too, and so is
 *  what was instantiated from it; with drivers before 12.3, which do not tell of graphs, what was
 *  captured stays loaded. @since 0.1 */
CUCORE_API void cucore_objectcode_release(cucore_objectcode *code);

/** What the bytes are; 0 for NULL. @since 0.1 */
CUCORE_API cucore_code_type cucore_objectcode_type(const cucore_objectcode *code);

/** The bytes, and their number; a PTX has a NUL after the last, which is not counted. size may be
 *  NULL. @since 0.1 */
CUCORE_API const void *cucore_objectcode_data(const cucore_objectcode *code, size_t *size);

/** The name of the program, or the one given. @since 0.1 */
CUCORE_API const char *cucore_objectcode_name(const cucore_objectcode *code);

/** The architecture: "sm_90" of a CUBIN, "compute_90" of a PTX, "" of a FATBIN. @since 0.1 */
CUCORE_API const char *cucore_objectcode_arch(const cucore_objectcode *code);

/** Warnings of the compile or link that made it. @since 0.1 */
CUCORE_API const char *cucore_objectcode_log(const cucore_objectcode *code);

/** How many diagnostics cucore_objectcode_log() holds. @since 0.1 */
CUCORE_API size_t cucore_objectcode_diagnostic_count(const cucore_objectcode *code);

/** One diagnostic of the log, in its order.
 *  @param index  less than cucore_objectcode_diagnostic_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_diagnostic_at(const cucore_objectcode *code,
                                                         size_t index, cucore_diagnostic_info *out,
                                                         cucore_error **error);

/** How many facts about how it was made cucore_objectcode_metadata_key() names. @since 0.1 */
CUCORE_API size_t cucore_objectcode_metadata_count(const cucore_objectcode *code);

/** The name of one, "producer", sorted; "" for an index that is none. @since 0.1 */
CUCORE_API const char *cucore_objectcode_metadata_key(const cucore_objectcode *code, size_t index);

/** The value of one as text, the items of a list a line each; "" for an index that is none.
 *  @since 0.1 */
CUCORE_API const char *cucore_objectcode_metadata_value(const cucore_objectcode *code,
                                                        size_t index);

/** A cucore_signature_state. @since 0.1 */
CUCORE_API int32_t cucore_objectcode_signature(const cucore_objectcode *code);

/** Which key signed the container it was read from: the first 16 hexadecimal digits of the SHA-256
 *  of its algorithm, a byte, and the key that verifies; "" where unsigned. @since 0.1 */
CUCORE_API const char *cucore_objectcode_signature_key(const cucore_objectcode *code);

/** How many symbols cucore_objectcode_symbol_at() tells of. Those of LTOIR, which is opaque, are
 *  found by linking it to PTX, once, where nvJitLink can; else only those named at the compile are
 *  known. Those of a bundle are of all its images. @since 0.1 */
CUCORE_API size_t cucore_objectcode_symbol_count(const cucore_objectcode *code);

/** One symbol: kernels first, in the order of the code. No driver is needed.
 *  @param index  less than cucore_objectcode_symbol_count()
 *  @param out    filled in; struct_size must be set
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_at(const cucore_objectcode *code, size_t index,
                                                     cucore_symbol_info *out,
                                                     cucore_error **error);

/** Where one parameter of a kernel lies in its parameter block, with no driver.
 *  @param symbol  the kernel's index among the symbols
 *  @param index   less than its parameter_count
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_parameter_at(const cucore_objectcode *code,
                                                               size_t symbol, size_t index,
                                                               size_t *offset, size_t *size,
                                                               cucore_error **error);

/**
 * Describes all parameters of a kernel, in order, without a driver.
 *
 * @param symbol    the kernel's index among the symbols
 * @param out       an array of `capacity` elements; NULL with capacity 0 queries the count. The
 *                  library reads struct_size of element 0, which must be the size of one element
 *                  (sizeof(cucore_parameter_info)), and sets struct_size of every element
 * @param capacity  elements that `out` can hold
 * @param count     the number of parameters, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_UNSUPPORTED       the symbol is not a kernel, or the code does not record
 *                                        its parameters
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  `capacity` is less than *count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out[0].struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_symbol_parameters(const cucore_objectcode *code,
                                                             size_t symbol,
                                                             cucore_parameter_info *out,
                                                             size_t capacity, size_t *count,
                                                             cucore_error **error);

/** What a kernel needs, with no driver.
 *  @param symbol  the kernel's index among the symbols
 *  @param out     filled in; struct_size must be set
 *  @retval CUCORE_ERROR_UNSUPPORTED   the code does not say: it is not machine code
 *  @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is smaller than the first release's
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_symbol_resources(const cucore_objectcode *code,
                                                            size_t symbol,
                                                            cucore_resource_info *out,
                                                            cucore_error **error);

/**
 * Puts several images of one program together, of which each device gets the one that fits best:
 * machine code of its own architecture ("sm_90a"), of its family, of its major version; LTOIR; PTX.
 *
 * @param images  PTX, CUBIN, LTOIR and bundles, two images or more in all; the name is the first's
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  there are fewer than two images, one is of another kind, or
 *                                        two are equal; the message names the positions
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_bundle(const cucore_objectcode *const *images,
                                                  size_t count, cucore_objectcode **out,
                                                  cucore_error **error);

/** How many images it holds: those of a bundle, the entries of a fat binary, else 1. @since 0.1 */
CUCORE_API size_t cucore_objectcode_image_count(const cucore_objectcode *code);

/** One image of a bundle or a fat binary as object code of its own, decompressed; what is neither
 *  gives itself for 0.
 *  @param index  less than cucore_objectcode_image_count()
 *  @retval CUCORE_ERROR_UNSUPPORTED  an entry of a fat binary that is scrambled, or of a kind that
 *                                    this library does not know
 *  @since 0.1 */
CUCORE_API cucore_status cucore_objectcode_image_at(const cucore_objectcode *code, size_t index,
                                                    cucore_objectcode **out, cucore_error **error);

/**
 * Writes object code, names included, in the container format that every language reads. Equal
 * objects give equal bytes.
 *
 * @param options   NULL for the defaults
 * @param buffer    NULL with capacity 0 asks for the size
 * @param size      the size needed, also with BUFFER_TOO_SMALL
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_serialize(const cucore_objectcode *code,
                                                     const cucore_serialize_options *options,
                                                     void *buffer, size_t capacity, size_t *size,
                                                     cucore_error **error);

/**
 * Reads what cucore_objectcode_serialize() wrote, in any language, on any machine. Safe on bytes
 * from strangers; but object code is code: run only what you trust, which a required signature
 * tells.
 *
 * @param options  NULL for the defaults
 * @retval CUCORE_ERROR_SIGNATURE     the signature is wrong or, where required, missing or of a key
 *                                    that was not given
 * @retval CUCORE_ERROR_INVALID_CODE  not a container, damaged, or of a later version; the message
 *                                    gives the offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_deserialize(const void *data, size_t size,
                                                       const cucore_deserialize_options *options,
                                                       cucore_objectcode **out,
                                                       cucore_error **error);

/**
 * Loads the code now rather than at the first question for a kernel or a global.
 * @retval CUCORE_ERROR_INVALID_CODE  the driver refused it; cucore_error_log() has what its
 *                                    compiler said
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_load(const cucore_objectcode *code,
                                                const cucore_device *device,
                                                cucore_error **error);

/** 1 if it is loaded. @since 0.1 */
CUCORE_API int32_t cucore_objectcode_is_loaded(const cucore_objectcode *code);

/**
 * Finds a kernel, loading the code if nothing has yet. One kernel object serves all devices, and
 * asking again gives the same one.
 *
 * @param name  a name expression given to the compile, a name in the code, or an extern "C" name
 * @retval CUCORE_ERROR_NOT_FOUND     the message lists the kernels there are
 * @retval CUCORE_ERROR_INVALID_CODE  the driver refused the code; see cucore_error_log()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_kernel(const cucore_objectcode *code,
                                                       const char *name, cucore_kernel **out,
                                                       cucore_error **error);

/**
 * Finds a __device__, __constant__ or __managed__ variable on a device, loading the code if
 * nothing has yet.
 * @param address  where it is on that device; good while the code is loaded
 * @param size     in bytes
 * @retval CUCORE_ERROR_NOT_FOUND  the message lists the variables there are
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_global(const cucore_objectcode *code,
                                                       const char *name,
                                                       const cucore_device *device,
                                                       uint64_t *address, size_t *size,
                                                       cucore_error **error);

/** The CUlibrary, loading the code if nothing has yet; NULL if that fails (cucore_objectcode_load()
 *  says why). @since 0.1 */
CUCORE_API void *cucore_objectcode_native(const cucore_objectcode *code);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_OBJECTCODE_H_INCLUDED */
