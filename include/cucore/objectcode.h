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

/** The settings for object code from bytes of another producer. Each string is copied. */
typedef struct cucore_objectcode_options {
  size_t             struct_size;   /**< sizeof(cucore_objectcode_options) */
  const char        *name;          /**< shown in messages; default "", of a file its last part */
  const char        *arch;          /**< "sm_90"; used if the bytes do not contain it */
  const char *const *expressions;   /**< names under which kernels are to be found ... */
  const char *const *lowered_names; /**< ... and the names that they have in the code */
  size_t             expression_count; /**< of expressions and of lowered_names */
} cucore_objectcode_options;

#define CUCORE_OBJECTCODE_OPTIONS_INIT \
  { sizeof(cucore_objectcode_options), NULL, NULL, NULL, NULL, 0 }

/** The kind of a symbol of object code. */
typedef enum cucore_symbol_kind {
  CUCORE_SYMBOL_NONE            = 0, /**< of a struct that is not filled in */
  CUCORE_SYMBOL_KERNEL          = 1, /**< __global__ */
  CUCORE_SYMBOL_GLOBAL          = 2, /**< a __device__ variable */
  CUCORE_SYMBOL_CONSTANT        = 3, /**< a __constant__ variable */
  CUCORE_SYMBOL_MANAGED         = 4, /**< a __managed__ variable */
  CUCORE_SYMBOL_DEVICE_FUNCTION = 5, /**< a __device__ function that other code can call */
  CUCORE_SYMBOL_FORCE_INT32     = 0x7fffffff
} cucore_symbol_kind;

/** One symbol. The object code owns the strings. */
typedef struct cucore_symbol_info {
  size_t             struct_size;  /**< set by the caller: sizeof(cucore_symbol_info) */
  const char        *expression;   /**< the name in the source, "saxpy<float>"; "" if unknown */
  const char        *lowered_name; /**< the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m" */
  cucore_symbol_kind kind;         /**< never NONE after a query */
  size_t             parameter_count; /**< of a kernel; SIZE_MAX: the code does not record it */
  size_t             size;            /**< of a variable, in bytes */
} cucore_symbol_info;

#define CUCORE_SYMBOL_INFO_INIT \
  { sizeof(cucore_symbol_info), NULL, NULL, CUCORE_SYMBOL_NONE, 0, 0 }

/** The values that a kernel parameter accepts. The class comes from the PTX of the kernel. PTX does
 *  not record whether an integer is signed. Later versions may add classes. */
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
  size_t                 struct_size; /**< of element 0, set by the caller; see the functions */
  size_t                 offset;      /**< bytes from the start of the parameter block */
  size_t                 size;        /**< bytes */
  cucore_parameter_class parameter_class; /**< the values that it accepts */
  int32_t                reserved; /**< 0 */
} cucore_parameter_info;

#define CUCORE_PARAMETER_INFO_INIT \
  { sizeof(cucore_parameter_info), 0, 0, CUCORE_PARAMETER_CLASS_UNKNOWN, 0 }

/** The resources of a kernel, as its machine code records them; -1 if it does not. */
typedef struct cucore_resource_info {
  size_t  struct_size;   /**< set by the caller: sizeof(cucore_resource_info) */
  int32_t registers;     /**< per thread */
  int32_t static_shared; /**< bytes per block */
  int32_t stack;         /**< bytes per thread, spilled registers included */
  int32_t max_threads;   /**< per block, from __launch_bounds__ */
  int32_t constant;      /**< bytes of the constant bank, the parameters included */
  int32_t code_size;     /**< bytes of instructions */
  int32_t spill_stores;  /**< bytes of registers that a thread spills; of CUDA 13.0 and later */
  int32_t spill_loads;   /**< bytes of registers that a thread reads back; the same */
} cucore_resource_info;

#define CUCORE_RESOURCE_INFO_INIT \
  { sizeof(cucore_resource_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/** The algorithm of a signature. */
typedef enum cucore_key_algorithm {
  CUCORE_KEY_NONE        = 0, /**< not a key; refused */
  CUCORE_KEY_HMAC_SHA256 = 1, /**< one shared secret signs and verifies; 1 byte or more */
  CUCORE_KEY_ED25519     = 2, /**< 32 bytes: the seed signs, the public key verifies */
  CUCORE_KEY_FORCE_INT32 = 0x7fffffff
} cucore_key_algorithm;

/** A key that signs or verifies. The bytes are copied by the call that takes it. */
typedef struct cucore_key {
  const void          *data;      /**< the bytes of the key, not of a key file */
  size_t               size;      /**< of data, in bytes */
  cucore_key_algorithm algorithm; /**< must be set */
  int32_t              reserved; /**< 0 */
} cucore_key;

/** The requirement on the signature of a container. */
typedef enum cucore_signature_policy {
  CUCORE_SIGNATURE_POLICY_NONE     = 0, /**< none; but a signature by a given key must be valid */
  CUCORE_SIGNATURE_POLICY_REQUIRED = 1, /**< a valid signature by one of the keys */
  CUCORE_SIGNATURE_POLICY_FORCE_INT32 = 0x7fffffff
} cucore_signature_policy;

/** The state of the signature of the container that object code was read from. */
typedef enum cucore_signature_state {
  CUCORE_SIGNATURE_UNSIGNED    = 0, /**< none, or not read from a container */
  CUCORE_SIGNATURE_UNKNOWN_KEY = 1, /**< signed by a key that was not given: it proves nothing */
  CUCORE_SIGNATURE_VALID       = 2, /**< signed by one of the given keys */
  CUCORE_SIGNATURE_FORCE_INT32 = 0x7fffffff
} cucore_signature_state;

/** The settings of a container to write. */
typedef struct cucore_serialize_options {
  size_t            struct_size; /**< sizeof(cucore_serialize_options) */
  cucore_toggle     compression; /**< ON compresses with zstd; default OFF */
  int32_t           reserved;    /**< 0 */
  const cucore_key *signing_key; /**< NULL: unsigned */
} cucore_serialize_options;

#define CUCORE_SERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_serialize_options), CUCORE_TOGGLE_DEFAULT, 0, NULL }

/** The requirements on a container to read. */
typedef struct cucore_deserialize_options {
  size_t                  struct_size;   /**< sizeof(cucore_deserialize_options) */
  uint64_t                max_code_size; /**< refuse images above this many bytes; 0: 1 GiB */
  cucore_signature_policy signature_policy; /**< default NONE */
  int32_t                 reserved;  /**< 0 */
  const cucore_key       *keys;      /**< keys that verify */
  size_t                  key_count; /**< of keys; REQUIRED needs one or more */
} cucore_deserialize_options;

#define CUCORE_DESERIALIZE_OPTIONS_INIT \
  { sizeof(cucore_deserialize_options), 0, CUCORE_SIGNATURE_POLICY_NONE, 0, NULL, 0 }

/**
 * Creates object code from bytes that a compiler wrote. They are copied and checked; the driver
 * receives only images whose structure is verified. The call needs no driver.
 *
 * Each type has its own checks. PTX is text with .version and .target. A CUBIN is an ELF file of
 * CUDA with every table inside the bytes, and a FATBIN has every entry inside. LTOIR is opaque and
 * not empty. OBJECT is a relocatable ELF or COFF file, and LIBRARY is an archive of such files.
 *
 * OBJECT and LIBRARY are inputs of linkers. To load them, or to find a kernel in them, is
 * CUCORE_ERROR_INVALID_STATE. LTOIR is linked for its device when it is first loaded.
 *
 * @param type     any except BUNDLE, which cucore_objectcode_deserialize() reads
 * @param data     the bytes; for PTX a NUL at the end is optional and never counted
 * @param size     in bytes
 * @param options  NULL for the defaults
 * @param out      receives the object code
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_CODE  the bytes are not of this type; the message contains the
 *                                    offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_create(cucore_code_type type, const void *data,
                                                  size_t size,
                                                  const cucore_objectcode_options *options,
                                                  cucore_objectcode **out, cucore_error **error);

/**
 * Creates object code from a file. The file is read once and closed.
 *
 * @param type     as for cucore_objectcode_create(); 0 detects the type of anything except LTOIR,
 *                 and also reads what cucore_objectcode_serialize() wrote
 * @param path     the file; its last part is the default name
 * @param options  NULL for the defaults
 * @param out      receives the object code
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND     no such file
 * @retval CUCORE_ERROR_IO            the file cannot be read
 * @retval CUCORE_ERROR_INVALID_CODE  as cucore_objectcode_create()
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_from_file(cucore_code_type type, const char *path,
                                                     const cucore_objectcode_options *options,
                                                     cucore_objectcode **out,
                                                     cucore_error **error);

/**
 * Adds a reference and returns its argument.
 *
 * @param code  the object code; NULL is allowed
 * @since 0.1
 */
CUCORE_API cucore_objectcode *cucore_objectcode_retain(const cucore_objectcode *code);

/**
 * Removes a reference. After the last one to the code and its kernels, a thread of the library
 * waits for the launches made so far. Then it unloads the code. Machine code that was only searched
 * for kernels is unloaded at once.
 *
 * A graph that a launch was captured into is also a reference, and so is every instance of it.
 *
 * An address of cucore_objectcode_find_global(), or a native handle, is not a reference.
 *
 * @param code  the object code; NULL is allowed
 * @since 0.1
 */
CUCORE_API void cucore_objectcode_release(cucore_objectcode *code);

/**
 * Returns the format of the bytes.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API cucore_code_type cucore_objectcode_type(const cucore_objectcode *code);

/**
 * Returns the bytes. Those of a PTX end with a NUL that is not counted. Those of a bundle are a
 * container.
 *
 * @param code  the object code, which owns the bytes; NULL for NULL
 * @param size  NULL, or receives the number of bytes
 * @since 0.1
 */
CUCORE_API const void *cucore_objectcode_data(const cucore_objectcode *code, size_t *size);

/**
 * Returns the name: of the options, or of the program or the link.
 *
 * @param code  the object code, which owns the string; "" for NULL
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_name(const cucore_objectcode *code);

/**
 * Returns the architecture: "sm_90" of a CUBIN, "compute_90" of a PTX.
 *
 * @param code  the object code, which owns the string; "" for NULL, for a FATBIN and for a bundle
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_arch(const cucore_objectcode *code);

/**
 * Returns the output of the compile or link that made the code, with its warnings.
 *
 * @param code  the object code, which owns the string; "" for NULL, and for code without a log
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_log(const cucore_objectcode *code);

/**
 * Returns the number of diagnostics in cucore_objectcode_log(). The first query parses the log.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_objectcode_diagnostic_count(const cucore_objectcode *code);

/**
 * Reads one diagnostic of the log, in the order of the log.
 *
 * @param code   the object code, which owns the strings of `out`
 * @param index  less than cucore_objectcode_diagnostic_count()
 * @param out    receives the diagnostic; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_diagnostic_at(const cucore_objectcode *code,
                                                         size_t index, cucore_diagnostic_info *out,
                                                         cucore_error **error);

/**
 * Returns the number of facts about the origin of the code. cucore_objectcode_metadata_key() names
 * them.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_objectcode_metadata_count(const cucore_objectcode *code);

/**
 * Returns the name of one fact, "producer". Names are sorted.
 *
 * @param code   the object code, which owns the string; "" for NULL
 * @param index  from 0; "" if not less than cucore_objectcode_metadata_count()
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_metadata_key(const cucore_objectcode *code, size_t index);

/**
 * Returns the value of one fact as text, the items of a list on one line each.
 *
 * @param code   the object code, which owns the string; "" for NULL
 * @param index  from 0; "" if not less than cucore_objectcode_metadata_count()
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_metadata_value(const cucore_objectcode *code,
                                                        size_t index);

/**
 * Returns the cucore_signature_state of the container that the code was read from.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_objectcode_signature(const cucore_objectcode *code);

/**
 * Returns the identity of the key that signed the container. It is the first 16 hexadecimal digits
 * of a SHA-256, of the algorithm as one byte and the key that verifies.
 *
 * @param code  the object code, which owns the string; "" for NULL, and for unsigned code
 * @since 0.1
 */
CUCORE_API const char *cucore_objectcode_signature_key(const cucore_objectcode *code);

/**
 * Returns the number of symbols that cucore_objectcode_symbol_at() describes.
 *
 * LTOIR is opaque: the first query links it to PTX to find its symbols. Without a suitable
 * nvJitLink only the names of the compile are known. The symbols of a bundle are those of all its
 * images.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_objectcode_symbol_count(const cucore_objectcode *code);

/**
 * Describes one symbol, kernels first, in the order of the code. The call needs no driver.
 *
 * @param code   the object code, which owns the strings of `out`
 * @param index  less than cucore_objectcode_symbol_count()
 * @param out    receives the symbol; its struct_size must be set
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_ABI_MISMATCH      out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_symbol_at(const cucore_objectcode *code, size_t index,
                                                     cucore_symbol_info *out,
                                                     cucore_error **error);

/**
 * Returns the place of one parameter of a kernel in its parameter block. The call needs no driver.
 *
 * @param code    the object code
 * @param symbol  the kernel's index among the symbols
 * @param index   less than the parameter_count of the symbol
 * @param offset  receives the bytes before the parameter
 * @param size    receives the bytes of the parameter
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  symbol or index is too large
 * @retval CUCORE_ERROR_UNSUPPORTED       the symbol is not a kernel, or the code does not record
 *                                        its parameters
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_symbol_parameter_at(const cucore_objectcode *code,
                                                               size_t symbol, size_t index,
                                                               size_t *offset, size_t *size,
                                                               cucore_error **error);

/**
 * Describes all parameters of a kernel, in order. The call needs no driver.
 *
 * The library reads struct_size of element 0, which must be the size of one element
 * (sizeof(cucore_parameter_info)), and sets struct_size of every element.
 *
 * @param code      the object code
 * @param symbol    the kernel's index among the symbols
 * @param out       an array of `capacity` elements; NULL with capacity 0 queries the count
 * @param capacity  elements that `out` can hold
 * @param count     receives the number of parameters, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
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

/**
 * Returns the resources of a kernel, from its machine code. The call needs no driver.
 *
 * @param code    a CUBIN
 * @param symbol  the kernel's index among the symbols
 * @param out     receives the resources; its struct_size must be set
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_UNSUPPORTED   the code is not machine code of a kernel
 * @retval CUCORE_ERROR_ABI_MISMATCH  out->struct_size is less than in the first release
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_symbol_resources(const cucore_objectcode *code,
                                                            size_t symbol,
                                                            cucore_resource_info *out,
                                                            cucore_error **error);

/**
 * Combines several images of one program. Each device uses the first image that matches.
 *
 * Machine code comes first: of the device's own architecture ("sm_90a"), of its family, of its
 * major version. LTOIR follows, then PTX.
 *
 * @param images  PTX, CUBIN, LTOIR and bundles, two images or more in all; the name is the first's
 * @param count   of images
 * @param out     receives the bundle, which has a copy of each image
 * @param error   NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  fewer than two images, an image of another kind, or two
 *                                        equal ones; the message names the positions
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_bundle(const cucore_objectcode *const *images,
                                                  size_t count, cucore_objectcode **out,
                                                  cucore_error **error);

/**
 * Returns the number of images: those of a bundle, the entries of a fat binary, else 1.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API size_t cucore_objectcode_image_count(const cucore_objectcode *code);

/**
 * Returns one image of a bundle or a fat binary as object code, decompressed. Other object code
 * returns itself for index 0.
 *
 * @param code   the object code
 * @param index  less than cucore_objectcode_image_count()
 * @param out    receives the object code of the image
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  index is not less than the count
 * @retval CUCORE_ERROR_UNSUPPORTED       an entry of a fat binary that is scrambled, or of a kind
 *                                        that this library does not have
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_image_at(const cucore_objectcode *code, size_t index,
                                                    cucore_objectcode **out, cucore_error **error);

/**
 * Writes object code with its names in the container format, which every language reads. Equal
 * objects and options result in equal bytes.
 *
 * @param code      the object code
 * @param options   NULL for the defaults
 * @param buffer    receives the bytes; NULL with capacity 0 queries the size
 * @param capacity  bytes that `buffer` can hold
 * @param size      receives the needed size, also with BUFFER_TOO_SMALL
 * @param error     NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_BUFFER_TOO_SMALL  capacity is less than *size; nothing was written
 * @retval CUCORE_ERROR_INVALID_ARGUMENT  the signing key is not valid
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_serialize(const cucore_objectcode *code,
                                                     const cucore_serialize_options *options,
                                                     void *buffer, size_t capacity, size_t *size,
                                                     cucore_error **error);

/**
 * Reads a container of cucore_objectcode_serialize(), of any language and machine.
 *
 * Untrusted bytes can be read safely. Untrusted code cannot be run safely: require a signature.
 *
 * @param data     the container; copied
 * @param size     in bytes
 * @param options  NULL for the defaults: no signature is required
 * @param out      receives the object code; see cucore_objectcode_signature()
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_SIGNATURE     the signature is wrong or, if required, missing or by a key
 *                                    that was not given
 * @retval CUCORE_ERROR_INVALID_CODE  not a container, damaged, or of a later version; the message
 *                                    contains the offset
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_deserialize(const void *data, size_t size,
                                                       const cucore_deserialize_options *options,
                                                       cucore_objectcode **out,
                                                       cucore_error **error);

/**
 * Loads the code for a device now, instead of at the first search for a kernel or a variable. Code
 * that is loaded is not loaded again. Several threads may call this: one loads, the others wait.
 *
 * @param code    the object code, which stays loaded until its release
 * @param device  the device, which determines the image of a bundle and the link of LTOIR
 * @param error   NULL, or receives a new error on failure; the next call tries again
 * @retval CUCORE_ERROR_INVALID_CODE   the driver refused it; cucore_error_log() has the output of
 *                                     its compiler
 * @retval CUCORE_ERROR_INVALID_STATE  an OBJECT or a LIBRARY, which must be linked first
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_load(const cucore_objectcode *code,
                                                const cucore_device *device,
                                                cucore_error **error);

/**
 * Returns 1 if the code is loaded, for any device.
 *
 * @param code  the object code; 0 for NULL
 * @since 0.1
 */
CUCORE_API int32_t cucore_objectcode_is_loaded(const cucore_objectcode *code);

/**
 * Finds a kernel. Code that is not loaded is loaded, for the device of the current context, else
 * for device 0. Machine code for that device enters its context at the first use, such as a launch.
 *
 * One kernel object serves all devices. While it lives, a second call returns the same handle with
 * one more reference.
 *
 * @param code   the object code, which the kernel holds
 * @param name   a name expression of the compile, a name in the code, or an extern "C" name
 * @param out    receives the kernel
 * @param error  NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND      the message lists the kernels of the code
 * @retval CUCORE_ERROR_INVALID_CODE   the driver refused the code; see cucore_error_log()
 * @retval CUCORE_ERROR_INVALID_STATE  an OBJECT or a LIBRARY, which must be linked first
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_kernel(const cucore_objectcode *code,
                                                       const char *name, cucore_kernel **out,
                                                       cucore_error **error);

/**
 * Finds a __device__, __constant__ or __managed__ variable on a device. Code that is not loaded is
 * loaded.
 *
 * The address holds no reference. It is valid while a reference to the code or to one of its
 * kernels exists, and until the device is reset. A buffer that cucore_buffer_from_native() makes of
 * the address does not keep the code loaded.
 *
 * @param code     the object code
 * @param name     the name in the source or in the code
 * @param device   the device; each has its own copy of a variable
 * @param address  receives the address on that device
 * @param size     receives the size in bytes
 * @param error    NULL, or receives a new error on failure
 * @retval CUCORE_ERROR_NOT_FOUND  the message lists the variables of the code
 * @since 0.1
 */
CUCORE_API cucore_status cucore_objectcode_find_global(const cucore_objectcode *code,
                                                       const char *name,
                                                       const cucore_device *device,
                                                       uint64_t *address, size_t *size,
                                                       cucore_error **error);

/**
 * Returns the CUlibrary, for other libraries. Code that is not loaded is loaded, for the device of
 * the current context, else for device 0.
 *
 * @param code  the object code, which owns the CUlibrary; NULL for NULL, and if the code cannot be
 *              loaded. cucore_objectcode_load() reports the reason
 * @since 0.1
 */
CUCORE_API void *cucore_objectcode_native(const cucore_objectcode *code);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* CUCORE_OBJECTCODE_H_INCLUDED */
