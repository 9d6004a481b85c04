/// @file cucore/enumerations.hpp
/// The enumerations of the C headers, and the version of the library.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_ENUMERATIONS_HPP_INCLUDED
#define CUCORE_ENUMERATIONS_HPP_INCLUDED

#include <cstdint>
#include <string_view>

#include "base.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// How a call ended. Numbers are permanent and have gaps; later versions may give new ones.
enum class Status : std::int32_t {
  ok = CUCORE_OK,
  invalid_argument = CUCORE_ERROR_INVALID_ARGUMENT,  ///< an argument is out of its range, or NULL
  invalid_handle = CUCORE_ERROR_INVALID_HANDLE,      ///< a released handle, or one of another type
  buffer_too_small = CUCORE_ERROR_BUFFER_TOO_SMALL,  ///< the size needed is returned
  abi_mismatch = CUCORE_ERROR_ABI_MISMATCH,          ///< an options struct of a later version
  invalid_state = CUCORE_ERROR_INVALID_STATE,        ///< right call, wrong moment
  not_found = CUCORE_ERROR_NOT_FOUND,      ///< a kernel, symbol or file; the message lists what is
  unsupported = CUCORE_ERROR_UNSUPPORTED,  ///< this device, driver or library cannot do it
  not_updatable = CUCORE_ERROR_NOT_UPDATABLE,      ///< the change needs a new executable
  shape = CUCORE_ERROR_SHAPE,                      ///< shapes or dimensions do not fit together
  dtype = CUCORE_ERROR_DTYPE,                      ///< an element type does not allow the operation
  index = CUCORE_ERROR_INDEX,                      ///< an index is outside its axis
  numeric = CUCORE_ERROR_NUMERIC,                  ///< singular, or not converged
  library_missing = CUCORE_ERROR_LIBRARY_MISSING,  ///< the message lists every path tried
  driver_too_old = CUCORE_ERROR_DRIVER_TOO_OLD,    ///< the message names both versions
  no_device = CUCORE_ERROR_NO_DEVICE,              ///< a driver, but no device
  out_of_memory = CUCORE_ERROR_OUT_OF_MEMORY,      ///< host memory
  out_of_device_memory = CUCORE_ERROR_OUT_OF_DEVICE_MEMORY,  ///< device memory
  io = CUCORE_ERROR_IO,                        ///< a file could not be read or written
  not_permitted = CUCORE_ERROR_NOT_PERMITTED,  ///< the system denies this to the user
  compilation = CUCORE_ERROR_COMPILATION,      ///< cucore_error_log() has the compiler's output
  linking = CUCORE_ERROR_LINKING,              ///< cucore_error_log() has the linker's output
  invalid_code = CUCORE_ERROR_INVALID_CODE,    ///< an image or a container that is not well formed
  launch = CUCORE_ERROR_LAUNCH,                ///< the kernel cannot be launched so on this device
  kernel_fault =
      CUCORE_ERROR_KERNEL_FAULT,       ///< a kernel broke its context; see cucore_device_reset()
  signature = CUCORE_ERROR_SIGNATURE,  ///< a required signature is missing or wrong
  checks = CUCORE_ERROR_CHECKS,        ///< checks of kernels have reports; the log has all
  not_ready = CUCORE_ERROR_NOT_READY,  ///< the work is not complete yet
  cuda = CUCORE_ERROR_CUDA,            ///< any other driver error; see cucore_error_native_name()
  internal = CUCORE_ERROR_INTERNAL,    ///< a fault of this library: please report it
};

/// How severe a message of a compiler or a linker is.
enum class Severity : std::int32_t {
  none = CUCORE_SEVERITY_NONE,
  note = CUCORE_SEVERITY_NOTE,  ///< remarks and figures: registers, spills
  warning = CUCORE_SEVERITY_WARNING,
  error = CUCORE_SEVERITY_ERROR,
  fatal = CUCORE_SEVERITY_FATAL,  ///< an error after which nothing more was read
};

/// How much a message matters.
enum class LogLevel : std::int32_t {
  debug = CUCORE_LOG_DEBUG,      ///< libraries tried, modules loaded and unloaded, misses of caches
  info = CUCORE_LOG_INFO,        ///< choices made for you: the driver in use, the linker in use
  warning = CUCORE_LOG_WARNING,  ///< something works, but not as well as it could
  error = CUCORE_LOG_ERROR,      ///< a failure that no call can report: in a release, in a callback
};

/// The libraries that are opened at run time, each on first use; none is linked.
enum class Library : std::int32_t {
  driver = CUCORE_LIBRARY_DRIVER,        ///< libcuda.so.1, or the CPU device libcucore-cpu.so
  nvrtc = CUCORE_LIBRARY_NVRTC,          ///< the compiler, libnvrtc.so
  nvjitlink = CUCORE_LIBRARY_NVJITLINK,  ///< the linker, libnvJitLink.so
  nvvm = CUCORE_LIBRARY_NVVM,      ///< the compiler of NVVM IR, libnvvm.so; its version is its own
  cublas = CUCORE_LIBRARY_CUBLAS,  ///< linear algebra, libcublas.so; see library_symbol()
  cublaslt = CUCORE_LIBRARY_CUBLASLT,  ///< matrix products, libcublasLt.so
  cufft = CUCORE_LIBRARY_CUFFT,        ///< Fourier transforms, libcufft.so
  cusolver = CUCORE_LIBRARY_CUSOLVER,  ///< solvers and factorizations, libcusolver.so
  curand = CUCORE_LIBRARY_CURAND,      ///< random numbers, libcurand.so
  cusparse = CUCORE_LIBRARY_CUSPARSE,  ///< sparse linear algebra, libcusparse.so
  nccl = CUCORE_LIBRARY_NCCL,          ///< communication between devices, libnccl.so
  cupti = CUCORE_LIBRARY_CUPTI,        ///< profiling, libcupti.so
  nvml = CUCORE_LIBRARY_NVML,          ///< management of devices, libnvidia-ml.so.1 of the driver
};

/// Properties of a device, by the driver's numbers (CUdevice_attribute of CUDA's driver API). Any
/// number that the driver supports may be used, named here or not.
enum class DeviceAttribute : std::int32_t {
  max_threads_per_block = CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  max_block_dim_x = CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
  max_block_dim_y = CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
  max_block_dim_z = CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
  max_grid_dim_x = CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
  max_grid_dim_y = CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
  max_grid_dim_z = CUCORE_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
  max_shared_memory_per_block = CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
  total_constant_memory = CUCORE_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
  warp_size = CUCORE_DEVICE_ATTRIBUTE_WARP_SIZE,
  max_pitch = CUCORE_DEVICE_ATTRIBUTE_MAX_PITCH,
  max_registers_per_block = CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
  clock_rate = CUCORE_DEVICE_ATTRIBUTE_CLOCK_RATE,  ///< kHz
  multiprocessor_count = CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
  kernel_exec_timeout = CUCORE_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,
  integrated = CUCORE_DEVICE_ATTRIBUTE_INTEGRATED,
  can_map_host_memory = CUCORE_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
  compute_mode = CUCORE_DEVICE_ATTRIBUTE_COMPUTE_MODE,
  concurrent_kernels = CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
  ecc_enabled = CUCORE_DEVICE_ATTRIBUTE_ECC_ENABLED,
  memory_clock_rate = CUCORE_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,              ///< kHz
  global_memory_bus_width = CUCORE_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,  ///< bits
  l2_cache_size = CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
  max_threads_per_multiprocessor = CUCORE_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
  async_engine_count = CUCORE_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
  unified_addressing = CUCORE_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
  compute_capability_major = CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
  compute_capability_minor = CUCORE_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
  stream_priorities_supported = CUCORE_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,
  max_shared_memory_per_multiprocessor =
      CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
  max_registers_per_multiprocessor = CUCORE_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
  managed_memory = CUCORE_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
  concurrent_managed_access = CUCORE_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
  cooperative_launch = CUCORE_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
  max_shared_memory_per_block_optin = CUCORE_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
  max_blocks_per_multiprocessor = CUCORE_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
  reserved_shared_memory_per_block = CUCORE_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
  memory_pools_supported = CUCORE_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
  cluster_launch = CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
};

/// The two streams that every context has without creating one.
enum class DefaultStream : std::int32_t {
  legacy = CUCORE_DEFAULT_STREAM_LEGACY,  ///< waits for, and is waited for by, blocking streams
  per_thread = CUCORE_DEFAULT_STREAM_PER_THREAD,  ///< one for each host thread
};

/// The places of memory.
enum class MemoryKind : std::int32_t {
  unknown = CUCORE_MEMORY_KIND_UNKNOWN,  ///< not memory of the driver in use
  device = CUCORE_MEMORY_KIND_DEVICE,    ///< on a device
  pinned = CUCORE_MEMORY_KIND_PINNED,    ///< on the host; devices use it over the bus
  managed = CUCORE_MEMORY_KIND_MANAGED,  ///< moves between host and device
};

/// The kinds of operations that an observer observes.
enum class OperationKind : std::int32_t {
  launch = CUCORE_OPERATION_LAUNCH,              ///< a kernel
  copy = CUCORE_OPERATION_COPY,                  ///< from a buffer to a buffer
  fill = CUCORE_OPERATION_FILL,                  ///< a buffer with a pattern
  write = CUCORE_OPERATION_WRITE,                ///< from the host to a buffer
  read = CUCORE_OPERATION_READ,                  ///< from a buffer to the host
  graph_launch = CUCORE_OPERATION_GRAPH_LAUNCH,  ///< an executable graph
  allocate = CUCORE_OPERATION_ALLOCATE,          ///< memory
  free = CUCORE_OPERATION_FREE,                  ///< memory
  compile = CUCORE_OPERATION_COMPILE,  ///< a program, or a lookup of its result in a cache
  link = CUCORE_OPERATION_LINK,        ///< object code, or a lookup of its result in a cache
  load = CUCORE_OPERATION_LOAD,        ///< object code into the driver
  synchronize = CUCORE_OPERATION_SYNCHRONIZE,  ///< a wait of the host for a device
};

/// Which calls of other code a capture forbids.
enum class CaptureMode : std::int32_t {
  relaxed = CUCORE_CAPTURE_MODE_RELAXED,  ///< none; the capture may end on any thread
  thread = CUCORE_CAPTURE_MODE_THREAD,    ///< those of the thread that began the capture
  process = CUCORE_CAPTURE_MODE_PROCESS,  ///< those of all threads
};

/// The work of a node of a graph.
enum class NodeKind : std::int32_t {
  unknown = CUCORE_NODE_KIND_UNKNOWN,  ///< work that other code has added, and none of these
  kernel = CUCORE_NODE_KIND_KERNEL,
  copy = CUCORE_NODE_KIND_COPY,
  fill = CUCORE_NODE_KIND_FILL,
  host = CUCORE_NODE_KIND_HOST,                          ///< calls a function of the program
  record = CUCORE_NODE_KIND_RECORD,                      ///< records an event
  wait = CUCORE_NODE_KIND_WAIT,                          ///< waits for an event
  empty = CUCORE_NODE_KIND_EMPTY,                        ///< only joins and forks edges
  child = CUCORE_NODE_KIND_CHILD,                        ///< runs a copy of another graph
  conditional = CUCORE_NODE_KIND_CONDITIONAL,            ///< runs one of its graphs, or none
  allocation = CUCORE_NODE_KIND_ALLOCATION,              ///< allocates memory
  free = CUCORE_NODE_KIND_FREE,                          ///< frees memory
  value = CUCORE_NODE_KIND_VALUE,                        ///< writes a word, or waits for one
  semaphore_signal = CUCORE_NODE_KIND_SEMAPHORE_SIGNAL,  ///< signals a semaphore
  semaphore_wait = CUCORE_NODE_KIND_SEMAPHORE_WAIT,      ///< waits for a semaphore
};

/// The way in which a condition decides a conditional node.
enum class Conditional : std::int32_t {
  if_ = CUCORE_CONDITIONAL_IF,        ///< runs body 0 unless the condition is 0, then body 1 if any
  while_ = CUCORE_CONDITIONAL_WHILE,  ///< runs body 0 again and again until the condition is 0
  switch_ = CUCORE_CONDITIONAL_SWITCH,  ///< runs the body of that index, none if it is too large
};

/// The memory of a pool.
enum class PoolKind : std::int32_t {
  default_ = CUCORE_POOL_KIND_DEFAULT,  ///< as device
  device = CUCORE_POOL_KIND_DEVICE,     ///< memory of the device
  pinned = CUCORE_POOL_KIND_PINNED,     ///< pinned memory of the host
  managed = CUCORE_POOL_KIND_MANAGED,   ///< managed memory
};

/// The placement of the blocks of a cluster.
enum class ClusterScheduling : std::int32_t {
  default_ = CUCORE_CLUSTER_SCHEDULING_DEFAULT,   ///< as the kernel or the driver chooses
  spread = CUCORE_CLUSTER_SCHEDULING_SPREAD,      ///< spread over the multiprocessors
  balanced = CUCORE_CLUSTER_SCHEDULING_BALANCED,  ///< the hardware balances the load
};

/// How a stream compares a word with a value.
enum class Comparison : std::int32_t {
  greater_equal = CUCORE_COMPARISON_GREATER_EQUAL,  ///< the difference is not negative
  equal = CUCORE_COMPARISON_EQUAL,                  ///< they are equal
  any_bit = CUCORE_COMPARISON_ANY_BIT,              ///< they have a bit in common
  nor = CUCORE_COMPARISON_NOR,                      ///< one of their bits is 0 in both
};

/// A kind of completion.
enum class CompletionKind : std::int32_t {
  future = CUCORE_COMPLETION_KIND_FUTURE,  ///< the end of work
  host = CUCORE_COMPLETION_KIND_HOST,      ///< a host function
};

/// How the L2 cache treats accesses.
enum class AccessProperty : std::int32_t {
  normal = CUCORE_ACCESS_PROPERTY_NORMAL,          ///< as other accesses
  streaming = CUCORE_ACCESS_PROPERTY_STREAMING,    ///< evicted first
  persisting = CUCORE_ACCESS_PROPERTY_PERSISTING,  ///< evicted last
};

/// A kind of place where memory is.
enum class LocationKind : std::int32_t {
  none = CUCORE_LOCATION_KIND_NONE,            ///< the default of the kind of memory
  device = CUCORE_LOCATION_KIND_DEVICE,        ///< a device, by its ordinal
  host = CUCORE_LOCATION_KIND_HOST,            ///< the memory of the host
  host_numa = CUCORE_LOCATION_KIND_HOST_NUMA,  ///< a NUMA node of the host
  host_numa_current = CUCORE_LOCATION_KIND_HOST_NUMA_CURRENT,  ///< that of the calling thread
};

/// The language of a program's source.
enum class SourceType : std::int32_t {
  cuda_cpp = CUCORE_SOURCE_TYPE_CUDA_CPP,  ///< CUDA C++, compiled by NVRTC
  ptx = CUCORE_SOURCE_TYPE_PTX,            ///< PTX, compiled by nvJitLink or the driver
  nvvm_ir = CUCORE_SOURCE_TYPE_NVVM_IR,    ///< NVVM IR, compiled by libNVVM
};

/// The contents of object code.
enum class CodeType : std::int32_t {
  ptx = CUCORE_CODE_TYPE_PTX,          ///< text that the driver compiles for its device
  cubin = CUCORE_CODE_TYPE_CUBIN,      ///< machine code of one architecture
  ltoir = CUCORE_CODE_TYPE_LTOIR,      ///< for link-time optimisation
  fatbin = CUCORE_CODE_TYPE_FATBIN,    ///< several images, of which the driver picks one
  object = CUCORE_CODE_TYPE_OBJECT,    ///< a host object file with device code inside: linker input
  library = CUCORE_CODE_TYPE_LIBRARY,  ///< an archive of such files: linker input
  bundle = CUCORE_CODE_TYPE_BUNDLE,    ///< several images of one program in a container
};

/// Which library does the work of a program or a linker.
enum class Backend : std::int32_t {
  nvrtc = CUCORE_BACKEND_NVRTC,
  nvvm = CUCORE_BACKEND_NVVM,
  nvjitlink = CUCORE_BACKEND_NVJITLINK,
  driver = CUCORE_BACKEND_DRIVER,
};

/// The kind of a symbol of object code.
enum class SymbolKind : std::int32_t {
  none = CUCORE_SYMBOL_NONE,
  kernel = CUCORE_SYMBOL_KERNEL,
  global = CUCORE_SYMBOL_GLOBAL,
  constant = CUCORE_SYMBOL_CONSTANT,
  managed = CUCORE_SYMBOL_MANAGED,
  device_function = CUCORE_SYMBOL_DEVICE_FUNCTION,
};

/// Which values a kernel parameter accepts. The class comes from the PTX of the kernel. PTX does
/// not record whether an integer is signed. Later versions may add classes.
enum class ParameterClass : std::int32_t {
  unknown = CUCORE_PARAMETER_CLASS_UNKNOWN,  ///< no PTX, or PTX that leaves the class open
  integer = CUCORE_PARAMETER_CLASS_INTEGER,  ///< an integer, bool, character or enumerator
  float_ = CUCORE_PARAMETER_CLASS_FLOAT,     ///< a floating-point number
  pointer = CUCORE_PARAMETER_CLASS_POINTER,  ///< an address in device memory, or a reference
  aggregate =
      CUCORE_PARAMETER_CLASS_AGGREGATE,  ///< a struct, union, vector, __half or __int128: bytes
};

/// How a container is signed.
enum class KeyAlgorithm : std::int32_t {
  none = CUCORE_KEY_NONE,
  hmac_sha256 = CUCORE_KEY_HMAC_SHA256,  ///< one shared secret signs and verifies; 1 byte or more
  ed25519 =
      CUCORE_KEY_ED25519,  ///< 32 bytes: the private key's seed signs, the public key verifies
};

/// Whether a signature is asked for.
enum class SignaturePolicy : std::int32_t {
  none = CUCORE_SIGNATURE_POLICY_NONE,          ///< signed or not; one by a known key must be right
  required = CUCORE_SIGNATURE_POLICY_REQUIRED,  ///< signed, rightly, by one of the keys
};

/// The state of the signature of the container that object code was read from.
enum class SignatureState : std::int32_t {
  unsigned_ = CUCORE_SIGNATURE_UNSIGNED,  ///< none, or not read from a container
  unknown_key =
      CUCORE_SIGNATURE_UNKNOWN_KEY,  ///< signed by a key that was not given: nothing is proven
  valid = CUCORE_SIGNATURE_VALID,    ///< signed, rightly, by one of the keys given
};

/// Properties of a kernel, by the driver's numbers (CUfunction_attribute).
enum class KernelAttribute : std::int32_t {
  max_threads_per_block = CUCORE_KERNEL_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  shared_size_bytes = CUCORE_KERNEL_ATTRIBUTE_SHARED_SIZE_BYTES,  ///< static shared memory
  const_size_bytes = CUCORE_KERNEL_ATTRIBUTE_CONST_SIZE_BYTES,
  local_size_bytes = CUCORE_KERNEL_ATTRIBUTE_LOCAL_SIZE_BYTES,  ///< a thread
  num_regs = CUCORE_KERNEL_ATTRIBUTE_NUM_REGS,                  ///< a thread
  ptx_version = CUCORE_KERNEL_ATTRIBUTE_PTX_VERSION,            ///< major * 10 + minor
  binary_version = CUCORE_KERNEL_ATTRIBUTE_BINARY_VERSION,      ///< major * 10 + minor
  cache_mode_ca = CUCORE_KERNEL_ATTRIBUTE_CACHE_MODE_CA,
  max_dynamic_shared_size_bytes =
      CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,  ///< settable
  preferred_shared_memory_carveout =
      CUCORE_KERNEL_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,  ///< settable, percent
  cluster_size_must_be_set = CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
  required_cluster_width = CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,    ///< settable
  required_cluster_height = CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,  ///< settable
  required_cluster_depth = CUCORE_KERNEL_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,    ///< settable
  non_portable_cluster_size_allowed =
      CUCORE_KERNEL_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,  ///< settable
  cluster_scheduling_policy_preference =
      CUCORE_KERNEL_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,  ///< settable
};

/// The source of a result.
enum class CacheOutcome : std::int32_t {
  none = CUCORE_CACHE_OUTCOME_NONE,              ///< no result
  hit_memory = CUCORE_CACHE_OUTCOME_HIT_MEMORY,  ///< this process had it
  hit_disk = CUCORE_CACHE_OUTCOME_HIT_DISK,      ///< some process of this machine had built it
  hit_remote = CUCORE_CACHE_OUTCOME_HIT_REMOTE,  ///< some machine had
  joined = CUCORE_CACHE_OUTCOME_JOINED,  ///< another thread was building it and was waited for
  built = CUCORE_CACHE_OUTCOME_BUILT,    ///< built now, and kept for the next time
  not_stored = CUCORE_CACHE_OUTCOME_NOT_STORED,  ///< built now; it could not, or must not, be kept
  bypassed = CUCORE_CACHE_OUTCOME_BYPASSED,  ///< built without a look: options with side effects
};

/// The kind of a file of a cache.
enum class CacheFile : std::int32_t {
  none = CUCORE_CACHE_FILE_NONE,
  entry = CUCORE_CACHE_FILE_ENTRY,        ///< object code, a container
  manifest = CUCORE_CACHE_FILE_MANIFEST,  ///< which headers a program includes
  last = CUCORE_CACHE_FILE_LAST,          ///< what the last build of a name was made of
};

/// The answer of a remote.
enum class CacheAnswer : std::int32_t {
  done = CUCORE_CACHE_ANSWER_DONE,
  absent = CUCORE_CACHE_ANSWER_ABSENT,  ///< it does not have it
  failed = CUCORE_CACHE_ANSWER_FAILED,  ///< it cannot be reached, or not in time
};

/// The name of a status, "CUCORE_ERROR_COMPILATION"; "CUCORE_STATUS_UNKNOWN" for any other number.
inline const char* status_name(Status status) noexcept {
  return cucore_status_name(static_cast<cucore_status>(status));
}

/// The version of the library in use: major * 10000 + minor * 100 + patch. CUCORE_VERSION is that
/// of the header.
inline std::uint32_t version() noexcept { return cucore_version(); }

/// The same as text, "0.1.0".
inline std::string_view version_string() noexcept { return cucore_version_string(); }

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_ENUMERATIONS_HPP_INCLUDED
