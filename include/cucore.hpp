/// @file cucore.hpp
/// C++ for cucore.h: owners of handles, exceptions or results, typed launches. Header-only C++17.
///
/// SPDX-License-Identifier: Apache-2.0
///
/// Conventions. They hold for every declaration below and are not repeated there.
/// -----------------------------------------------------------------------------
/// Names      `cucore_<type>_<verb>(object, ...)` is `object.verb(...)`. A function that makes an
///            object is a static member: `Stream::create(device)`. A function without a type is a
///            free function: `cucore_driver_select()` is `cucore::driver_select()`. An enumerator
///            is in lower case; one that is a keyword ends with an underscore.
/// Owners     Each class of a handle owns one reference. A copy adds a reference, a move takes it,
///            the destructor releases it. `const` refers to the reference, not to the object: all
///            functions are const. A default-constructed or moved-from owner is empty, and calls
///            on it fail with INVALID_ARGUMENT.
/// Failure    With exceptions, a call that fails throws a class derived from `Error`, one class
///            per status. Without exceptions (-fno-exceptions, or CUCORE_HPP_NO_EXCEPTIONS is
///            defined), it returns `Result<T>`. `Returned<T>` below is `T` or `Result<T>`. Both
///            kinds may be in one program: they are in different inline namespaces. The statuses of
///            a function are those that cucore.h documents for the C function.
/// Strings    A `Name` parameter accepts `const char*`, `std::string` and `std::string_view`. A
///            `std::string_view` that is returned ends with a NUL and lives as long as the object
///            that returned it.
/// Bytes      A `Bytes` parameter accepts every contiguous container of plain elements. A call
///            copies nothing but what the C function copies, and allocates memory only to return a
///            container, to keep a callback, or to pass lists of strings.
/// Threads    As in cucore.h: any thread may call anything at any time. Two threads must not
///            assign to or move from one owner at once, as for std::shared_ptr.
/// Options    A default-constructed struct holds all defaults. An unset std::optional, an empty
///            string and an empty list are defaults also.
/// Units      Bytes for sizes and offsets, std::chrono for times, blocks and threads for launches.
#ifndef CUCORE_HPP_INCLUDED
#define CUCORE_HPP_INCLUDED

#include <cucore.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

/// 1 if calls throw, 0 if they return `Result<T>`.
#if defined(CUCORE_HPP_NO_EXCEPTIONS) || !defined(__cpp_exceptions)
#define CUCORE_HPP_EXCEPTIONS 0
#define CUCORE_HPP_MODE with_results
#else
#define CUCORE_HPP_EXCEPTIONS 1
#define CUCORE_HPP_MODE with_exceptions
#endif

// Code that runs only if a call fails stays out of the code of the caller.
#if defined(__GNUC__)
#define CUCORE_HPP_COLD __attribute__((noinline, cold))
#define CUCORE_HPP_FAILED(status) __builtin_expect((status) != CUCORE_OK, 0)
#else
#define CUCORE_HPP_COLD
#define CUCORE_HPP_FAILED(status) ((status) != CUCORE_OK)
#endif

namespace cucore {
inline namespace CUCORE_HPP_MODE {

// == Enumerations ================================================================================

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
  debug = CUCORE_LOG_DEBUG,      ///< each library tried, each module loaded and unloaded
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

// == Strings, bytes and addresses ================================================================

/// A borrowed sequence of elements. In C++20 it converts to and from std::span.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// Elements of a list live until the end of the full expression.
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<value_type> list) noexcept
      : Span(list.begin(), list.size()) {}
  /// Any contiguous container: std::vector, std::array, std::span, std::string.
  template <
      class C,
      class = std::enable_if_t<
          !std::is_same_v<std::decay_t<C>, Span> && !std::is_array_v<std::remove_reference_t<C>> &&
          std::is_convertible_v<
              std::remove_pointer_t<decltype(std::data(std::declval<C&>()))> (*)[], T (*)[]>>>
  constexpr Span(C&& container) noexcept
      : data_(std::data(container)), size_(std::size(container)) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Borrowed bytes to read: a pointer and a size, or any contiguous container of plain elements.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  constexpr Bytes(const void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class T = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>,
            class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
  constexpr Bytes(const C& container) noexcept
      : data_(std::data(container)), size_(std::size(container) * sizeof(T)) {}

  constexpr const void* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Borrowed bytes to write: a pointer and a size, or any contiguous container of plain elements
/// that are not const.
class MutableBytes {
 public:
  constexpr MutableBytes() noexcept = default;
  constexpr MutableBytes(void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class C, class T = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>,
            class = std::enable_if_t<std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
                                     !std::is_same_v<std::decay_t<C>, MutableBytes>>>
  constexpr MutableBytes(C&& container) noexcept
      : data_(std::data(container)), size_(std::size(container) * sizeof(T)) {}

  constexpr void* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The bytes of one plain value, to read or to write.
template <class T, class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
auto bytes_of(T& value) noexcept {
  return std::conditional_t<std::is_const_v<T>, Bytes, MutableBytes>(std::addressof(value),
                                                                     sizeof(T));
}

/// A string parameter that ends with a NUL. Only a std::string_view, which need not end with one,
/// is copied.
class Name {
 public:
  Name(const char* text) noexcept : text_(text) {}
  Name(const std::string& text) noexcept : text_(text.c_str()) {}
  Name(std::string_view text) : copy_(text), text_(copy_.c_str()) {}
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  const char* c_str() const noexcept { return text_; }

 private:
  std::string copy_;
  const char* text_;
};

/// A parameter that is a list of strings: of string literals, or any container of strings. The
/// strings are borrowed.
class Names {
 public:
  Names() noexcept = default;
  Names(std::initializer_list<const char*> list) : pointers_(list) {}
  template <class C, class = decltype(std::begin(std::declval<const C&>())),
            class = std::enable_if_t<!std::is_same_v<C, Names> &&
                                     !std::is_convertible_v<const C&, std::string_view>>>
  Names(const C& list) {
    for (const auto& text : list) pointers_.push_back(pointer(text));
  }

  const char* const* data() const noexcept { return pointers_.data(); }
  std::size_t size() const noexcept { return pointers_.size(); }

 private:
  static const char* pointer(const char* text) noexcept { return text; }
  static const char* pointer(const std::string& text) noexcept { return text.c_str(); }

  std::vector<const char*> pointers_;
};

/// An address in device memory. A launch passes it for a pointer parameter; an integer is refused
/// there. Work that uses an address is not recorded: see cucore_buffer_record_use().
class Address {
 public:
  constexpr Address() noexcept = default;
  constexpr explicit Address(std::uint64_t value) noexcept : value_(value) {}
  explicit Address(const void* pointer) noexcept
      : value_(reinterpret_cast<std::uintptr_t>(pointer)) {}

  constexpr std::uint64_t value() const noexcept { return value_; }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(value_));
  }

  /// The address that is so many bytes further.
  friend constexpr Address operator+(Address address, std::uint64_t bytes) noexcept {
    return Address(address.value_ + bytes);
  }
  friend constexpr bool operator==(Address a, Address b) noexcept { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Address a, Address b) noexcept { return a.value_ != b.value_; }

 private:
  std::uint64_t value_ = 0;
};

// == Owners ======================================================================================

namespace detail {

// The two functions that count the references of a type.
template <class Handle>
struct Counted;

#define CUCORE_HPP_COUNTED(type)                                                                 \
  template <>                                                                                    \
  struct Counted<cucore_##type> {                                                                \
    static void retain(const cucore_##type* handle) noexcept { cucore_##type##_retain(handle); } \
    static void release(cucore_##type* handle) noexcept { cucore_##type##_release(handle); }     \
  };
CUCORE_HPP_COUNTED(error)
CUCORE_HPP_COUNTED(device)
CUCORE_HPP_COUNTED(stream)
CUCORE_HPP_COUNTED(event)
CUCORE_HPP_COUNTED(buffer)
CUCORE_HPP_COUNTED(program)
CUCORE_HPP_COUNTED(linker)
CUCORE_HPP_COUNTED(objectcode)
CUCORE_HPP_COUNTED(kernel)
CUCORE_HPP_COUNTED(cache)
CUCORE_HPP_COUNTED(queue)
CUCORE_HPP_COUNTED(future)
#undef CUCORE_HPP_COUNTED

}  // namespace detail

/// One reference to an object of the library; the base of every class of a handle.
template <class Self, class Handle>
class Owner {
 public:
  using handle_type = Handle;

  /// Takes over a reference that the caller owns.
  static Self adopt(Handle* handle) noexcept {
    Self self;
    static_cast<Owner&>(self).handle_ = handle;
    return self;
  }

  /// Adds a reference to an object that somebody else owns.
  static Self share(const Handle* handle) noexcept {
    if (handle) detail::Counted<Handle>::retain(handle);
    return adopt(const_cast<Handle*>(handle));
  }

  /// The handle, borrowed; null if the owner is empty.
  Handle* get() const noexcept { return handle_; }

  /// Hands the reference over to the caller, who releases it.
  [[nodiscard]] Handle* release() noexcept { return std::exchange(handle_, nullptr); }

  /// Releases the reference and takes over another one.
  void reset(Handle* handle = nullptr) noexcept {
    Handle* const old = std::exchange(handle_, handle);
    if (old) detail::Counted<Handle>::release(old);
  }

  void swap(Self& other) noexcept { std::swap(handle_, static_cast<Owner&>(other).handle_); }

  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Whether both own references to one object.
  friend bool operator==(const Self& a, const Self& b) noexcept { return a.get() == b.get(); }
  friend bool operator!=(const Self& a, const Self& b) noexcept { return a.get() != b.get(); }

 protected:
  constexpr Owner() noexcept = default;
  Owner(const Owner& other) noexcept : handle_(other.handle_) {
    if (handle_) detail::Counted<Handle>::retain(handle_);
  }
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(const Owner& other) noexcept {
    if (other.handle_) detail::Counted<Handle>::retain(other.handle_);
    reset(other.handle_);
    return *this;
  }
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  ~Owner() { reset(); }

 private:
  Handle* handle_ = nullptr;
};

// == Errors ======================================================================================

/// One message of a compiler or a linker. Strings live as long as the object that returned it.
struct Diagnostic {
  Severity severity = Severity::none;
  std::int32_t line = 0;    ///< from 1; 0: unknown
  std::int32_t column = 0;  ///< from 1; 0: unknown
  std::string_view file;    ///< empty: unknown
  std::string_view text;    ///< without the file, the line and the severity
};

namespace detail {

template <class Object, class Count, class At>
std::vector<Diagnostic> diagnostics(const Object* object, Count count, At at) {
  std::vector<Diagnostic> all;
  const std::size_t size = count(object);
  all.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
    if (at(object, i, &info, nullptr) != CUCORE_OK) break;
    all.push_back(
        {static_cast<Severity>(info.severity), info.line, info.column, info.file, info.text});
  }
  return all;
}

}  // namespace detail

/// The reason why a call failed: the base of all exceptions, and the error of a `Result`. Copying
/// it never fails.
class Error : public std::exception, public Owner<Error, cucore_error> {
 public:
  /// No failure: the status is `Status::ok`.
  Error() noexcept = default;
  /// A failure that this header or the program found, not the library.
  Error(Status status, std::string message)
      : status_(status), message_(std::make_shared<const std::string>(std::move(message))) {}
  /// The result of a C function; takes over the reference.
  Error(cucore_status status, cucore_error* error) noexcept : status_(static_cast<Status>(status)) {
    reset(error);
  }

  /// Which kind of failure, for a program to decide on.
  Status status() const noexcept { return status_ != Status::ok ? status_ : from_handle(); }
  /// The action, its object, the reason and the remedy, in one sentence.
  const char* message() const noexcept {
    return message_ ? message_->c_str() : cucore_error_message(get());
  }
  const char* what() const noexcept override { return message(); }
  /// The whole output of the compiler, the linker or the driver's PTX compiler.
  std::string_view log() const noexcept { return cucore_error_log(get()); }
  /// The messages in the log, in its order.
  std::vector<Diagnostic> diagnostics() const {
    return detail::diagnostics(get(), cucore_error_diagnostic_count, cucore_error_diagnostic_at);
  }
  /// The owner of the native code: "cuda", "nvrtc", "nvjitlink", "nvvm", "cucore" or the library
  /// that created the error.
  std::string_view origin() const noexcept { return get() ? cucore_error_origin(get()) : "cucore"; }
  /// The number that the driver or the compiler returned; 0 if the failure is not theirs.
  std::int32_t native_code() const noexcept { return cucore_error_native_code(get()); }
  /// Its name, "CUDA_ERROR_INVALID_PTX"; empty if it has none.
  std::string_view native_name() const noexcept { return cucore_error_native_name(get()); }

  /// Whether this is a failure.
  explicit operator bool() const noexcept { return status() != Status::ok; }

 private:
  Status from_handle() const noexcept { return static_cast<Status>(cucore_error_status(get())); }

  Status status_ = Status::ok;
  std::shared_ptr<const std::string> message_;
};

/// The call is wrong: all statuses from 100 to 199.
class CallError : public Error {
 public:
  explicit CallError(Error error) noexcept : Error(std::move(error)) {}
};
/// The machine lacks something: all statuses from 200 to 299.
class MachineError : public Error {
 public:
  explicit MachineError(Error error) noexcept : Error(std::move(error)) {}
};
/// The CUDA code is wrong: all statuses from 300 to 399.
class CodeError : public Error {
 public:
  explicit CodeError(Error error) noexcept : Error(std::move(error)) {}
};
/// The work goes on: all statuses from 400 to 499.
class ProgressError : public Error {
 public:
  explicit ProgressError(Error error) noexcept : Error(std::move(error)) {}
};

// Each status with its class and the class of its hundred.
// clang-format off
#define CUCORE_HPP_STATUSES(row)                                  \
  row(invalid_argument, InvalidArgumentError, CallError)          \
  row(invalid_handle, InvalidHandleError, CallError)              \
  row(buffer_too_small, BufferTooSmallError, CallError)           \
  row(abi_mismatch, AbiMismatchError, CallError)                  \
  row(invalid_state, InvalidStateError, CallError)                \
  row(not_found, NotFoundError, CallError)                        \
  row(unsupported, UnsupportedError, CallError)                   \
  row(not_updatable, NotUpdatableError, CallError)                \
  row(shape, ShapeError, CallError)                               \
  row(dtype, DtypeError, CallError)                               \
  row(index, IndexError, CallError)                               \
  row(numeric, NumericError, CallError)                           \
  row(library_missing, LibraryMissingError, MachineError)         \
  row(driver_too_old, DriverTooOldError, MachineError)            \
  row(no_device, NoDeviceError, MachineError)                     \
  row(out_of_memory, OutOfMemoryError, MachineError)              \
  row(out_of_device_memory, OutOfDeviceMemoryError, MachineError) \
  row(io, IoError, MachineError)                                  \
  row(not_permitted, NotPermittedError, MachineError)             \
  row(compilation, CompilationError, CodeError)                   \
  row(linking, LinkingError, CodeError)                           \
  row(invalid_code, InvalidCodeError, CodeError)                  \
  row(launch, LaunchError, CodeError)                             \
  row(kernel_fault, KernelFaultError, CodeError)                  \
  row(signature, SignatureError, CodeError)                       \
  row(not_ready, NotReadyError, ProgressError)                    \
  row(cuda, CudaError, Error)                                     \
  row(internal, InternalError, Error)
// clang-format on

#define CUCORE_HPP_CLASS(status, Name, Base)                        \
  /** The exception of `Status::status`. */                         \
  class Name : public Base {                                        \
   public:                                                          \
    explicit Name(Error error) noexcept : Base(std::move(error)) {} \
  };
CUCORE_HPP_STATUSES(CUCORE_HPP_CLASS)
#undef CUCORE_HPP_CLASS

/// The result of a call that does not throw: a value, or the error. A program that asks for the
/// value of a failed call prints the message and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) noexcept : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & noexcept { return *checked(); }
  const T& value() const& noexcept { return *checked(); }
  T&& value() && noexcept { return std::move(*checked()); }
  T& operator*() & noexcept { return *checked(); }
  const T& operator*() const& noexcept { return *checked(); }
  T&& operator*() && noexcept { return std::move(*checked()); }
  T* operator->() noexcept { return checked(); }
  const T* operator->() const noexcept { return checked(); }

  template <class U>
  T value_or(U&& other) && {
    return has_value() ? std::move(*checked()) : static_cast<T>(std::forward<U>(other));
  }

  /// `Status::ok`, or the error's.
  Status status() const noexcept { return error().status(); }
  /// The error; one with `Status::ok` if there is a value.
  const Error& error() const noexcept {
    static const Error NONE;
    const Error* error = std::get_if<1>(&state_);
    return error ? *error : NONE;
  }

  /// Calls `next` with the value, or passes the error on. `next` returns a `Result`.
  template <class Next>
  auto and_then(Next&& next) && -> std::decay_t<decltype(next(std::declval<T&&>()))> {
    if (!has_value()) return error();
    return next(std::move(*checked()));
  }

 private:
  const T* checked() const noexcept {
    if (const T* value = std::get_if<0>(&state_)) return value;
    std::fprintf(stderr, "cucore: a failed result has no value: %s\n", error().message());
    std::abort();
  }
  T* checked() noexcept { return const_cast<T*>(std::as_const(*this).checked()); }

  std::variant<T, Error> state_;
};

/// The result of a call that returns nothing.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() noexcept = default;
  Result(Error error) noexcept : error_(std::move(error)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  Status status() const noexcept { return error_.status(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

#if CUCORE_HPP_EXCEPTIONS
/// The type that a call returns: `T`, because calls throw.
template <class T>
using Returned = T;

/// Throws the exception of the error's status.
[[noreturn]] CUCORE_HPP_COLD inline void throw_error(Error error) {
#define CUCORE_HPP_CASE(status, Name, Base) \
  case Status::status:                      \
    throw Name(std::move(error));
  switch (error.status()) {
    CUCORE_HPP_STATUSES(CUCORE_HPP_CASE)
    default:
      break;
  }
#undef CUCORE_HPP_CASE
  // A status of a later version: its hundred is known.
  switch (static_cast<std::int32_t>(error.status()) / 100) {
    case 1:
      throw CallError(std::move(error));
    case 2:
      throw MachineError(std::move(error));
    case 3:
      throw CodeError(std::move(error));
    case 4:
      throw ProgressError(std::move(error));
    default:
      throw error;
  }
}
#else
/// The type that a call returns: `Result<T>`, because calls do not throw.
template <class T>
using Returned = Result<T>;
#endif
#undef CUCORE_HPP_STATUSES

namespace detail {

#if CUCORE_HPP_EXCEPTIONS
template <class T>
[[noreturn]] CUCORE_HPP_COLD T failed(Error error) {
  throw_error(std::move(error));
}
#else
template <class T>
CUCORE_HPP_COLD Result<T> failed(Error error) {
  return error;
}
#endif

template <class T>
CUCORE_HPP_COLD Returned<T> failed(cucore_status status, cucore_error* error) {
  return failed<T>(Error(status, error));
}

// Runs functions of the program inside a callback of C, through which no exception may pass.
class Captured {
 public:
  // False if the function threw.
  template <class Body>
  bool run(Body&& body) noexcept {
#if CUCORE_HPP_EXCEPTIONS
    try {
      body();
      return true;
    } catch (...) {
      if (!exception_) exception_ = std::current_exception();
      return false;
    }
#else
    body();
    return true;
#endif
  }

  void rethrow() const {
#if CUCORE_HPP_EXCEPTIONS
    if (exception_) std::rethrow_exception(exception_);
#endif
  }

#if CUCORE_HPP_EXCEPTIONS
  const std::exception_ptr& exception() const noexcept { return exception_; }

 private:
  std::exception_ptr exception_;
#endif
};

// A function that may return nothing, for which `other` stands then.
template <class Value, class Function, class... Arguments>
Value value_of(Value other, Function& function, Arguments&&... arguments) {
  using Type = decltype(function(std::forward<Arguments>(arguments)...));
  if constexpr (std::is_void_v<Type>) {
    function(std::forward<Arguments>(arguments)...);
    return other;
  } else {
    return function(std::forward<Arguments>(arguments)...);
  }
}

}  // namespace detail

/// Calls any function of cucore.h whose last parameter is the error.
template <class Function, class... Arguments>
Returned<void> call(Function* function, Arguments... arguments) {
  cucore_error* error = nullptr;
  const cucore_status status = function(arguments..., &error);
  if (CUCORE_HPP_FAILED(status)) return detail::failed<void>(status, error);
  return Returned<void>();
}

/// The same for a function whose last parameter but the error is its one result, of the type `C`;
/// returns it as a `T`.
template <class C, class T = C, class Function, class... Arguments>
Returned<T> value(Function* function, Arguments... arguments) {
  C out{};
  cucore_error* error = nullptr;
  const cucore_status status = function(arguments..., &out, &error);
  if (CUCORE_HPP_FAILED(status)) return detail::failed<T>(status, error);
  return static_cast<T>(out);
}

/// The same for a function whose result is a new reference; returns its owner.
template <class Object, class Function, class... Arguments>
Returned<Object> make(Function* function, Arguments... arguments) {
  typename Object::handle_type* out = nullptr;
  cucore_error* error = nullptr;
  const cucore_status status = function(arguments..., &out, &error);
  if (CUCORE_HPP_FAILED(status)) return detail::failed<Object>(status, error);
  return Object::adopt(out);
}

// == Library, driver and log =====================================================================

/// One library that is opened at run time. Strings live until the process ends.
struct LibraryInfo {
  std::string_view path;           ///< the file in use; empty while unavailable
  std::int32_t version_major = 0;  ///< of the driver: the highest CUDA version it supports
  std::int32_t version_minor = 0;
  bool available = false;   ///< it is open and usable
  std::string_view reason;  ///< why it is unavailable, with every path tried; otherwise empty
  std::string_view header_folders;  ///< of NVRTC: the toolkit's, with ':' between them
};

/// Opens a library if it is not open yet and describes it. A missing library is not a failure.
inline Returned<LibraryInfo> library_query(Library library) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  cucore_error* error = nullptr;
  const cucore_status status =
      cucore_library_query(static_cast<cucore_library>(library), &info, &error);
  if (CUCORE_HPP_FAILED(status)) return detail::failed<LibraryInfo>(status, error);
  return LibraryInfo{info.path,           info.version_major, info.version_minor,
                     info.available != 0, info.reason,        info.header_folders};
}

/// Sets the file of a library, or the folder that holds it, before its first use.
/// Fails with INVALID_STATE if the library is already open.
inline Returned<void> library_set_path(Library library, const Name& path) {
  return call(cucore_library_set_path, static_cast<cucore_library>(library), path.c_str());
}

/// The address of an exported function of a library, which is opened if it is not open yet. The
/// address stays valid until the process ends.
/// Fails with LIBRARY_MISSING, and with NOT_FOUND if the library has no such function.
inline Returned<void*> library_symbol(Library library, const Name& name) {
  return value<void*>(cucore_library_symbol, static_cast<cucore_library>(library), name.c_str());
}

/// Chooses the driver before its first use: "nvidia", "cpu", "auto" or the path of a library.
/// Fails with INVALID_STATE if another driver is already in use.
inline Returned<void> driver_select(const Name& name_or_path) {
  return call(cucore_driver_select, name_or_path.c_str());
}

/// Receives one message, valid during the call only. It may run on any thread, one call at a time,
/// and must not call this library. An exception that it throws is dropped.
using LogReceiver = std::function<void(LogLevel level, std::string_view message)>;

/// Sets the one receiver of the library's messages; an empty one removes it. Messages below
/// `least` are dropped. The receiver is destroyed after its last call, once it is replaced.
inline Returned<void> log_set_callback(LogReceiver receiver, LogLevel least = LogLevel::warning) {
  const auto minimum = static_cast<cucore_log_level>(least);
  if (!receiver) return call(cucore_log_set_callback, nullptr, minimum, nullptr, nullptr);
  auto kept = std::make_unique<LogReceiver>(std::move(receiver));
  const cucore_log_fn deliver = [](cucore_log_level level, const char* message, void* data) {
    detail::Captured().run(
        [&] { (*static_cast<LogReceiver*>(data))(static_cast<LogLevel>(level), message); });
  };
  void (*const destroy)(void*) = [](void* data) { delete static_cast<LogReceiver*>(data); };
  return call(cucore_log_set_callback, deliver, minimum, static_cast<void*>(kept.release()),
              destroy);
}

/// Writes one message to the receiver, for libraries that are built on this one.
inline void log_write(LogLevel level, const Name& message) noexcept {
  cucore_log_write(static_cast<cucore_log_level>(level), message.c_str());
}

/// Whether a receiver takes messages of this level.
inline bool log_enabled(LogLevel level) noexcept {
  return cucore_log_enabled(static_cast<cucore_log_level>(level)) != 0;
}

/// Optional parts of an error for `error_create`. Each string is copied.
struct ErrorOptions {
  const char* origin = nullptr;         ///< the library that creates the error; default "cucore"
  std::int32_t native_code = 0;         ///< see `Error::native_code()`
  const char* native_name = nullptr;    ///< see `Error::native_name()`
  const char* log = nullptr;            ///< see `Error::log()`
  const cucore_error* cause = nullptr;  ///< its message and its log are appended
};

/// Creates an error, for libraries that are built on this one.
inline Error error_create(Status status, const Name& message, const ErrorOptions& options = {}) {
  cucore_error_options c = CUCORE_ERROR_OPTIONS_INIT;
  c.origin = options.origin;
  c.native_code = options.native_code;
  c.native_name = options.native_name;
  c.log = options.log;
  c.cause = options.cause;
  cucore_error* const error =
      cucore_error_create(static_cast<cucore_status>(status), message.c_str(), &c);
  return Error(cucore_error_status(error), error);
}

// == Device ======================================================================================

class Stream;
class Event;
class Buffer;
class ObjectCode;

/// 32 bytes that name an entry of a cache: a digest of all that the entry depends on.
using CacheKey = std::array<std::uint8_t, 32>;
/// 16 bytes that name a device on every machine and in every process.
using Uuid = std::array<std::uint8_t, 16>;
/// A time between two events.
using Milliseconds = std::chrono::duration<float, std::milli>;
/// A timeout without an end.
inline constexpr std::chrono::nanoseconds NO_TIMEOUT{-1};

/// A compute capability, 9 and 0 for sm_90.
struct ComputeCapability {
  std::int32_t major = 0;
  std::int32_t minor = 0;
};

/// Device memory at one moment.
struct DeviceMemory {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

/// The range of stream priorities: `greatest` is a lower number and runs first.
struct StreamPriorities {
  std::int32_t least = 0;  ///< the default
  std::int32_t greatest = 0;
};

/// A GPU, or the CPU device.
class Device : public Owner<Device, cucore_device> {
 public:
  Device() noexcept {}

  /// The number of devices of the driver in use; 0 without a driver.
  static Returned<std::int32_t> count() { return value<std::int32_t>(cucore_device_count); }

  /// Opens a device. Its primary context is made by the first call that needs it, and kept.
  /// Fails with LIBRARY_MISSING without a driver, with INVALID_ARGUMENT for an unknown ordinal.
  static Returned<Device> open(std::int32_t ordinal = 0) {
    return make<Device>(cucore_device_open, ordinal);
  }

  std::int32_t ordinal() const noexcept { return cucore_device_ordinal(get()); }
  /// "NVIDIA H200".
  std::string_view name() const noexcept { return cucore_device_name(get()); }
  /// The architecture to compile for, "sm_90".
  std::string_view arch() const noexcept { return cucore_device_arch(get()); }
  /// The address on the PCI bus, "0000:1b:00.0".
  std::string_view pci_bus_id() const noexcept { return cucore_device_pci_bus_id(get()); }
  /// Whether this is the CPU device, which runs PTX and no machine code.
  bool is_emulated() const noexcept { return cucore_device_is_emulated(get()) != 0; }

  Returned<ComputeCapability> compute_capability() const {
    ComputeCapability out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_compute_capability(get(), &out.major, &out.minor, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ComputeCapability>(status, error);
    return out;
  }

  /// One property. A number of CUdevice_attribute that has no name here may be cast.
  Returned<std::int32_t> attribute(DeviceAttribute name) const {
    return value<std::int32_t>(cucore_device_attribute, get(),
                               static_cast<cucore_device_attribute_name>(name));
  }

  Returned<Uuid> uuid() const {
    Uuid out{};
    cucore_error* error = nullptr;
    const cucore_status status = cucore_device_uuid(get(), out.data(), &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Uuid>(status, error);
    return out;
  }

  /// Free and total device memory, at this moment.
  Returned<DeviceMemory> memory() const {
    DeviceMemory out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_memory(get(), &out.free_bytes, &out.total_bytes, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<DeviceMemory>(status, error);
    return out;
  }

  /// Whether kernels on this device may use the memory of `peer` directly.
  Returned<bool> can_access_peer(const Device& peer) const {
    return value<std::int32_t, bool>(cucore_device_can_access_peer, get(), peer.get());
  }

  Returned<StreamPriorities> stream_priorities() const {
    StreamPriorities out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_stream_priorities(get(), &out.least, &out.greatest, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<StreamPriorities>(status, error);
    return out;
  }

  /// Waits until all work of the device is complete. Fails with KERNEL_FAULT if a kernel broke the
  /// context.
  Returned<void> synchronize() const { return call(cucore_device_synchronize, get()); }

  /// One of the default streams. `per_thread` is the calling thread's at each use.
  Returned<Stream> default_stream(DefaultStream kind = DefaultStream::legacy) const;

  /// Destroys the primary context and everything in it, and makes a new one: cucore_device_reset().
  /// Streams, events and buffers made before fail with INVALID_STATE from then on. `reset()`, as in
  /// every owner, only releases the reference.
  Returned<void> reset_context() const { return call(cucore_device_reset, get()); }
};

// == Stream ======================================================================================

/// Options of a stream.
struct StreamOptions {
  std::optional<bool> nonblocking{};  ///< false: synchronises with the legacy stream; default true
  std::int32_t priority = 0;          ///< of Device::stream_priorities(); 0 is the default
};

/// Work that runs in order. Releasing a stream leaves its work alone.
class Stream : public Owner<Stream, cucore_stream> {
 public:
  Stream() noexcept {}

  /// Makes a stream. Fails with INVALID_ARGUMENT if the priority is out of range.
  static Returned<Stream> create(const Device& device, const StreamOptions& options = {});

  /// Wraps a CUstream that somebody else owns. It must outlive the result and is never destroyed.
  static Returned<Stream> from_native(const Device& device, void* native) {
    return make<Stream>(cucore_stream_from_native, device.get(), native);
  }

  Returned<Device> device() const { return make<Device>(cucore_stream_device, get()); }

  /// Waits until all work in the stream is complete.
  Returned<void> synchronize() const { return call(cucore_stream_synchronize, get()); }

  /// Whether all work in the stream is complete; does not wait.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_stream_query, get()); }

  /// Later work of this stream waits for the event at its present place.
  Returned<void> wait_event(const Event& event) const;

  /// Later work of this stream waits for the present work of `other`.
  Returned<void> wait_stream(const Stream& other) const {
    return call(cucore_stream_wait_stream, get(), other.get());
  }

  /// A lower number goes first.
  std::int32_t priority() const noexcept { return cucore_stream_priority(get()); }
  /// Whether it is not ordered with the legacy default stream.
  bool is_nonblocking() const noexcept { return cucore_stream_is_nonblocking(get()) != 0; }

  /// The CUstream: `native<CUstream>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_stream_native(get()));
  }
};

inline Returned<Stream> Device::default_stream(DefaultStream kind) const {
  return make<Stream>(cucore_device_default_stream, get(),
                      static_cast<cucore_default_stream>(kind));
}

// == Event =======================================================================================

/// Options of an event.
struct EventOptions {
  bool timing = false;         ///< elapsed() works; costs a little on each record
  bool blocking_sync = false;  ///< synchronize() sleeps instead of spinning
  bool interprocess = false;   ///< may be shared with other processes; not with timing
};

/// A point in the work of a stream.
class Event : public Owner<Event, cucore_event> {
 public:
  Event() noexcept {}

  /// Makes an event that is not recorded yet.
  static Returned<Event> create(const Device& device, const EventOptions& options = {});

  Returned<Device> device() const { return make<Device>(cucore_event_device, get()); }
  bool has_timing() const noexcept { return cucore_event_has_timing(get()) != 0; }
  /// Whether waits sleep instead of spinning.
  bool is_blocking_sync() const noexcept { return cucore_event_is_blocking_sync(get()) != 0; }

  /// Moves the event to the end of the present work of the stream.
  Returned<void> record(const Stream& stream) const {
    return call(cucore_event_record, get(), stream.get());
  }

  /// Waits until the event is complete; an event that was never recorded is.
  Returned<void> synchronize() const { return call(cucore_event_synchronize, get()); }

  /// Whether the event is complete; does not wait.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_event_query, get()); }

  /// The time from this event to `end`. Fails with NOT_READY if one is not complete, with
  /// INVALID_STATE if one was made without timing or was never recorded.
  Returned<Milliseconds> elapsed(const Event& end) const {
    return value<float, Milliseconds>(cucore_event_elapsed, get(), end.get());
  }

  /// The CUevent: `native<CUevent>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_event_native(get()));
  }
};

inline Returned<void> Stream::wait_event(const Event& event) const {
  return call(cucore_stream_wait_event, get(), event.get());
}

// == Buffer ======================================================================================

/// Device, pinned or managed memory. The last reference frees it after all work that uses it, and
/// no thread waits for that: cucore_buffer_release() states which work is recorded.
class Buffer : public Owner<Buffer, cucore_buffer> {
 public:
  Buffer() noexcept {}

  /// Allocates device memory in the order of the stream. Fails with OUT_OF_DEVICE_MEMORY.
  static Returned<Buffer> create(const Device& device, std::size_t size, const Stream& stream) {
    return make<Buffer>(cucore_buffer_create, device.get(), size, stream.get());
  }

  /// Allocates pinned host memory, which the device reads and writes over the bus.
  static Returned<Buffer> create_pinned(const Device& device, std::size_t size) {
    return make<Buffer>(cucore_buffer_create_pinned, device.get(), size);
  }

  /// Allocates managed memory, which moves between host and device by itself. Fails with
  /// UNSUPPORTED if the device does not support it.
  static Returned<Buffer> create_managed(const Device& device, std::size_t size) {
    return make<Buffer>(cucore_buffer_create_managed, device.get(), size);
  }

  /// Wraps memory that somebody else owns. It must outlive the result and is never freed.
  static Returned<Buffer> from_native(const Device& device, Address address, std::size_t size) {
    return make<Buffer>(cucore_buffer_from_native, device.get(), address.value(), size);
  }

  /// Records that work on the stream uses the buffer: only for work that this library does not see.
  Returned<void> record_use(const Stream& stream) const {
    return call(cucore_buffer_record_use, get(), stream.get());
  }

  /// Moves the freeing of device memory to another stream of the same device.
  Returned<void> set_stream(const Stream& stream) const {
    return call(cucore_buffer_set_stream, get(), stream.get());
  }

  Returned<Device> device() const { return make<Device>(cucore_buffer_device, get()); }
  /// The address on the device.
  Address address() const noexcept { return Address(cucore_buffer_address(get())); }
  /// The address on the host of pinned and managed memory; null for device memory.
  void* host_pointer() const noexcept { return cucore_buffer_host_pointer(get()); }
  /// In bytes.
  std::size_t size() const noexcept { return cucore_buffer_size(get()); }
  /// The place of the memory. Queries the driver for borrowed memory.
  MemoryKind memory_kind() const noexcept {
    return static_cast<MemoryKind>(cucore_buffer_memory_kind(get()));
  }

  /// Pinned or managed memory as elements, without copying; empty for device memory. The buffer
  /// must outlive it.
  template <class T>
  Span<T> host_span() const noexcept {
    void* const host = host_pointer();
    return host ? Span<T>(static_cast<T*>(host), size() / sizeof(T)) : Span<T>();
  }

  /// Copies from host memory, in the order of the stream. Returns when the source may be reused.
  /// Fails with INVALID_ARGUMENT if the range is not inside the buffer.
  Returned<void> write(Bytes source, const Stream& stream, std::size_t offset = 0) const {
    return call(cucore_buffer_write, get(), offset, source.data(), source.size(), stream.get());
  }

  /// Copies to host memory, in the order of the stream. Returns when the destination is filled.
  Returned<void> read(MutableBytes destination, const Stream& stream,
                      std::size_t offset = 0) const {
    return call(cucore_buffer_read, get(), offset, destination.data(), destination.size(),
                stream.get());
  }

  /// Copies a range of `source` into this buffer, in the order of the stream; does not wait.
  Returned<void> copy(std::size_t offset, const Buffer& source, std::size_t source_offset,
                      std::size_t size, const Stream& stream) const {
    return call(cucore_buffer_copy, get(), offset, source.get(), source_offset, size, stream.get());
  }

  /// Copies all of `source` to the start of this buffer, in the order of the stream; does not wait.
  Returned<void> copy(const Buffer& source, const Stream& stream) const {
    return copy(0, source, 0, source.size(), stream);
  }

  /// Fills a range with a value of 1, 2, 4 or 8 bytes, in the order of the stream; does not wait.
  template <class T>
  Returned<void> fill(std::size_t offset, std::size_t size, const T& pattern,
                      const Stream& stream) const {
    static_assert(std::is_trivially_copyable_v<T> &&
                      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8),
                  "a pattern is a plain value of 1, 2, 4 or 8 bytes");
    return call(cucore_buffer_fill, get(), offset, size,
                static_cast<const void*>(std::addressof(pattern)), sizeof(T), stream.get());
  }

  /// Fills the whole buffer.
  template <class T>
  Returned<void> fill(const T& pattern, const Stream& stream) const {
    return fill(0, size(), pattern, stream);
  }

  /// The address on the device as a pointer: `native<float*>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_buffer_native(get()));
  }
};

// == Object code =================================================================================

class Kernel;

/// Names that go with the bytes of object code made elsewhere.
struct ObjectCodeOptions {
  /// A name under which a kernel is found, and the name that it has in the code.
  struct Expression {
    std::string expression;
    std::string lowered_name;
  };

  std::string name{};  ///< for messages
  std::string arch{};  ///< if the bytes do not state it themselves
  std::vector<Expression> expressions{};
};

/// One symbol of object code. Strings live as long as the object code.
struct Symbol {
  std::string_view expression;    ///< the name as written, "saxpy<float>"; empty if unknown
  std::string_view lowered_name;  ///< the name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m"
  SymbolKind kind = SymbolKind::none;
  std::optional<std::size_t> parameter_count;  ///< of a kernel; unset: the code does not record it
  std::size_t size = 0;                        ///< of data, in bytes
};

/// One parameter of a kernel.
struct Parameter {
  std::size_t offset = 0;  ///< bytes from the start of the parameter block
  std::size_t size = 0;    ///< bytes
  ParameterClass parameter_class = ParameterClass::unknown;
};

/// The place of one parameter, in bytes.
struct ParameterPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// The needs of a kernel; -1 for each that its machine code does not state.
using ResourceInfo = cucore_resource_info;

/// A variable in device memory, valid while its code is loaded.
struct Global {
  Address address;
  std::size_t size = 0;  ///< in bytes
};

/// A key that signs or verifies containers. Its bytes are borrowed for the call.
struct Key {
  Bytes data{};
  KeyAlgorithm algorithm = KeyAlgorithm::none;
};

/// Options of ObjectCode::serialize().
struct SerializeOptions {
  std::optional<bool> compression{};  ///< true: zstd; default false
  std::optional<Key> signing_key{};   ///< unset: unsigned
};

/// Options of ObjectCode::deserialize().
struct DeserializeOptions {
  std::uint64_t max_code_size = 0;  ///< refuses images above this many bytes; 0: 1 GiB
  SignaturePolicy signature_policy = SignaturePolicy::none;
  std::vector<Key> keys{};  ///< that verify; `required` needs at least one
};

namespace detail {

inline cucore_toggle toggle(std::optional<bool> choice) noexcept {
  if (!choice) return CUCORE_TOGGLE_DEFAULT;
  return *choice ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
}

inline const char* text(const std::string& given) noexcept {
  return given.empty() ? nullptr : given.c_str();
}

inline const std::int32_t* numbers(const std::vector<std::int32_t>& given,
                                   std::size_t& count) noexcept {
  count = given.size();
  return given.empty() ? nullptr : given.data();
}

inline cucore_key key(const Key& given) noexcept {
  return {given.data.data(), given.data.size(), static_cast<cucore_key_algorithm>(given.algorithm),
          0};
}

inline std::vector<cucore_key> keys(const std::vector<Key>& given) {
  std::vector<cucore_key> all;
  all.reserve(given.size());
  for (const Key& each : given) all.push_back(key(each));
  return all;
}

// Keeps the arrays of pointers that an options struct of C points to.
class Lists {
 public:
  const char* const* list(const std::vector<std::string>& given, std::size_t& count) {
    count = given.size();
    return of(given, [](const std::string& each) { return each.c_str(); });
  }
  template <class Each, class Pointer>
  const char* const* of(const std::vector<Each>& given, Pointer&& pointer) {
    if (given.empty()) return nullptr;
    auto& kept = kept_.emplace_back();
    kept.reserve(given.size());
    for (const Each& each : given) kept.push_back(pointer(each));
    return kept.data();
  }

 private:
  std::vector<std::vector<const char*>> kept_;
};

struct ObjectCodeOptionsOfC : Lists {
  explicit ObjectCodeOptionsOfC(const ObjectCodeOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.expressions =
        of(options.expressions, [](const auto& each) { return each.expression.c_str(); });
    c.lowered_names =
        of(options.expressions, [](const auto& each) { return each.lowered_name.c_str(); });
    c.expression_count = options.expressions.size();
  }
  cucore_objectcode_options c = CUCORE_OBJECTCODE_OPTIONS_INIT;
};

struct SerializeOptionsOfC {
  explicit SerializeOptionsOfC(const SerializeOptions& options) noexcept {
    c.compression = toggle(options.compression);
    if (!options.signing_key) return;
    signing_key = key(*options.signing_key);
    c.signing_key = &signing_key;
  }
  SerializeOptionsOfC(const SerializeOptionsOfC&) = delete;
  cucore_key signing_key{};
  cucore_serialize_options c = CUCORE_SERIALIZE_OPTIONS_INIT;
};

inline std::vector<Parameter> parameters_of(const std::vector<cucore_parameter_info>& infos) {
  std::vector<Parameter> all;
  all.reserve(infos.size());
  for (const cucore_parameter_info& info : infos)
    all.push_back({info.offset, info.size, static_cast<ParameterClass>(info.parameter_class)});
  return all;
}

// Calls a function that describes all parameters: for their number, then for the parameters.
template <class Describe>
Returned<std::vector<Parameter>> parameters(Describe&& describe) {
  using All = std::vector<Parameter>;
  std::size_t count = 0;
  cucore_error* error = nullptr;
  cucore_status status = describe(nullptr, 0, &count, &error);
  if (CUCORE_HPP_FAILED(status)) return failed<All>(status, error);
  if (count == 0) return All();
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  status = describe(infos.data(), infos.size(), &count, &error);
  if (CUCORE_HPP_FAILED(status)) return failed<All>(status, error);
  return parameters_of(infos);
}

}  // namespace detail

/// Compiled code that can be stored, linked and loaded.
class ObjectCode : public Owner<ObjectCode, cucore_objectcode> {
 public:
  ObjectCode() noexcept {}

  /// Copies and checks bytes that a compiler wrote; no driver is needed. Fails with INVALID_CODE if
  /// the bytes are not of the type; the message contains the offset.
  static Returned<ObjectCode> create(CodeType type, Bytes data,
                                     const ObjectCodeOptions& options = {}) {
    const detail::ObjectCodeOptionsOfC of_c(options);
    return make<ObjectCode>(cucore_objectcode_create, static_cast<cucore_code_type>(type),
                            data.data(), data.size(), &of_c.c);
  }

  /// The same from a file. Fails with NOT_FOUND or IO.
  static Returned<ObjectCode> from_file(CodeType type, const Name& path,
                                        const ObjectCodeOptions& options = {}) {
    const detail::ObjectCodeOptionsOfC of_c(options);
    return make<ObjectCode>(cucore_objectcode_from_file, static_cast<cucore_code_type>(type),
                            path.c_str(), &of_c.c);
  }

  /// Reads the bytes that serialize() wrote, in any language. Fails with INVALID_CODE if they are
  /// damaged, with SIGNATURE if a required signature is missing or wrong.
  static Returned<ObjectCode> deserialize(Bytes data, const DeserializeOptions& options = {}) {
    const std::vector<cucore_key> keys = detail::keys(options.keys);
    cucore_deserialize_options c = CUCORE_DESERIALIZE_OPTIONS_INIT;
    c.max_code_size = options.max_code_size;
    c.signature_policy = static_cast<cucore_signature_policy>(options.signature_policy);
    c.keys = keys.data();
    c.key_count = keys.size();
    return make<ObjectCode>(cucore_objectcode_deserialize, data.data(), data.size(), &c);
  }

  /// Combines several images of one program, of which each device takes the one that fits best.
  static Returned<ObjectCode> bundle(Span<const ObjectCode> images) {
    std::vector<const cucore_objectcode*> handles;
    handles.reserve(images.size());
    for (const ObjectCode& image : images) handles.push_back(image.get());
    return make<ObjectCode>(cucore_objectcode_bundle, handles.data(), handles.size());
  }

  CodeType type() const noexcept { return static_cast<CodeType>(cucore_objectcode_type(get())); }

  /// The bytes, borrowed; PTX has a NUL after the last, which is not counted.
  Span<const std::byte> data() const noexcept {
    std::size_t size = 0;
    const void* const bytes = cucore_objectcode_data(get(), &size);
    return {static_cast<const std::byte*>(bytes), size};
  }

  /// The name of the program, or the one given.
  std::string_view name() const noexcept { return cucore_objectcode_name(get()); }
  /// The architecture, "sm_90" of a CUBIN, "compute_90" of PTX.
  std::string_view arch() const noexcept { return cucore_objectcode_arch(get()); }
  /// Warnings of the compile or link that made it.
  std::string_view log() const noexcept { return cucore_objectcode_log(get()); }
  /// The messages in the log, in its order.
  std::vector<Diagnostic> diagnostics() const {
    return detail::diagnostics(get(), cucore_objectcode_diagnostic_count,
                               cucore_objectcode_diagnostic_at);
  }

  /// Facts about how the code was made, by name, sorted.
  std::vector<std::pair<std::string_view, std::string_view>> metadata() const {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (std::size_t i = 0; i < cucore_objectcode_metadata_count(get()); ++i)
      all.emplace_back(cucore_objectcode_metadata_key(get(), i),
                       cucore_objectcode_metadata_value(get(), i));
    return all;
  }

  /// The state of the signature of the container that this was read from.
  SignatureState signature() const noexcept {
    return static_cast<SignatureState>(cucore_objectcode_signature(get()));
  }
  /// The identifier of the key that signed the container; empty if it is unsigned.
  std::string_view signature_key() const noexcept { return cucore_objectcode_signature_key(get()); }

  std::size_t symbol_count() const noexcept { return cucore_objectcode_symbol_count(get()); }

  /// One symbol: kernels first, in the order of the code. No driver is needed.
  Returned<Symbol> symbol_at(std::size_t index) const {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_objectcode_symbol_at(get(), index, &info, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Symbol>(status, error);
    Symbol out{
        info.expression, info.lowered_name, static_cast<SymbolKind>(info.kind), {}, info.size};
    if (info.parameter_count != SIZE_MAX) out.parameter_count = info.parameter_count;
    return out;
  }

  /// All symbols.
  Returned<std::vector<Symbol>> symbols() const {
    std::vector<Symbol> all;
    const std::size_t count = symbol_count();
    for (std::size_t i = 0; i < count; ++i) {
      Returned<Symbol> each = symbol_at(i);
#if CUCORE_HPP_EXCEPTIONS
      all.push_back(each);
#else
      if (!each) return each.error();
      all.push_back(*each);
#endif
    }
    return all;
  }

  /// The place of one parameter of the kernel that is the symbol at an index.
  Returned<ParameterPlace> symbol_parameter_at(std::size_t symbol, std::size_t index) const {
    ParameterPlace out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_objectcode_symbol_parameter_at(get(), symbol, index, &out.offset, &out.size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ParameterPlace>(status, error);
    return out;
  }

  /// All parameters of the kernel that is the symbol at an index. Fails with UNSUPPORTED if the
  /// code does not record them.
  Returned<std::vector<Parameter>> symbol_parameters(std::size_t symbol) const {
    return detail::parameters([&](cucore_parameter_info* out, std::size_t capacity,
                                  std::size_t* count, cucore_error** error) {
      return cucore_objectcode_symbol_parameters(get(), symbol, out, capacity, count, error);
    });
  }

  /// The needs of the kernel that is the symbol at an index. Fails with UNSUPPORTED if the code is
  /// not machine code.
  Returned<ResourceInfo> symbol_resources(std::size_t symbol) const {
    ResourceInfo out = CUCORE_RESOURCE_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_objectcode_symbol_resources(get(), symbol, &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ResourceInfo>(status, error);
    return out;
  }

  /// The number of images of a bundle or a fat binary; otherwise 1.
  std::size_t image_count() const noexcept { return cucore_objectcode_image_count(get()); }

  /// One image of a bundle or a fat binary, decompressed.
  Returned<ObjectCode> image_at(std::size_t index) const {
    return make<ObjectCode>(cucore_objectcode_image_at, get(), index);
  }

  /// The container format that every language reads. Equal objects have equal bytes.
  Returned<std::vector<std::byte>> serialize(const SerializeOptions& options = {}) const {
    using All = std::vector<std::byte>;
    const detail::SerializeOptionsOfC of_c(options);
    std::size_t size = 0;
    cucore_error* error = nullptr;
    cucore_status status = cucore_objectcode_serialize(get(), &of_c.c, nullptr, 0, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<All>(status, error);
    All bytes(size);
    status = cucore_objectcode_serialize(get(), &of_c.c, bytes.data(), size, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<All>(status, error);
    return bytes;
  }

  /// The same into memory of the caller; returns the size. Fails with BUFFER_TOO_SMALL.
  Returned<std::size_t> serialize_to(MutableBytes buffer,
                                     const SerializeOptions& options = {}) const {
    const detail::SerializeOptionsOfC of_c(options);
    return value<std::size_t>(cucore_objectcode_serialize, get(), &of_c.c, buffer.data(),
                              buffer.size());
  }

  /// Loads the code now. Fails with INVALID_CODE if the driver refuses it; the error has the log.
  Returned<void> load(const Device& device) const {
    return call(cucore_objectcode_load, get(), device.get());
  }
  bool is_loaded() const noexcept { return cucore_objectcode_is_loaded(get()) != 0; }

  /// Finds a kernel by a name expression, "saxpy<float>", or by its name in the code; loads the
  /// code if it is not loaded yet. Fails with NOT_FOUND; the message lists the kernels.
  Returned<Kernel> find_kernel(const Name& name) const;

  /// Finds a variable on a device. Fails with NOT_FOUND; the message lists the variables.
  Returned<Global> find_global(const Name& name, const Device& device) const {
    std::uint64_t address = 0;
    std::size_t size = 0;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_objectcode_find_global(get(), name.c_str(), device.get(), &address, &size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Global>(status, error);
    return Global{Address(address), size};
  }

  /// The CUlibrary; loads the code if it is not loaded yet. Null if that fails.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_objectcode_native(get()));
  }
};

// == Program =====================================================================================

/// How to compile. An unset toggle passes nothing to the compiler. Text in brackets is the option
/// of NVRTC's command line.
struct ProgramOptions {
  /// A header in memory, under the name in its #include.
  struct Header {
    std::string name;
    std::string source;
  };
  /// A further module of NVVM IR, as text or bitcode.
  struct ExtraSource {
    std::string name;
    std::string source;
  };

  std::string name{};  ///< shown in diagnostics; default "default_program"
  std::string arch{};  ///< "sm_90", "compute_80"; default: that of device 0, or, without a driver,
                       ///< the lowest that the compiler supports [--gpu-architecture]
  std::optional<bool> relocatable_device_code{};     ///< [--relocatable-device-code=]
  std::optional<bool> extensible_whole_program{};    ///< [--extensible-whole-program]
  std::optional<bool> debug{};                       ///< [--device-debug]
  std::optional<bool> lineinfo{};                    ///< [--generate-line-info]
  std::optional<bool> device_code_optimize{};        ///< [--dopt=on]
  std::optional<bool> ftz{};                         ///< [--ftz=] denormal floats become 0
  std::optional<bool> prec_sqrt{};                   ///< [--prec-sqrt=]
  std::optional<bool> prec_div{};                    ///< [--prec-div=]
  std::optional<bool> fma{};                         ///< [--fmad=]
  std::optional<bool> use_fast_math{};               ///< [--use_fast_math]
  std::optional<bool> extra_device_vectorization{};  ///< [--extra-device-vectorization]
  std::optional<bool> link_time_optimization{};      ///< [--dlink-time-opt]
  std::optional<bool> gen_opt_lto{};                 ///< [--gen-opt-lto]
  std::int32_t max_register_count = 0;  ///< registers per thread; 0: unlimited [--maxrregcount=]
  std::int32_t split_compile = 0;       ///< threads; -1: all cores [--split-compile=]
  std::string ofast_compile{};          ///< "0", "min", "mid", "max" [--Ofast-compile=]
  std::vector<std::string> ptxas_options{};    ///< passed to ptxas one by one [--ptxas-options]
  std::vector<std::string> define_macros{};    ///< "NAME" or "NAME=value" [--define-macro=]
  std::vector<std::string> undefine_macros{};  ///< [--undefine-macro=]
  std::vector<std::string> include_paths{};    ///< searched in this order [--include-path=]
  std::vector<std::string> pre_includes{};     ///< included before the source [--pre-include=]
  std::vector<Header> headers{};               ///< headers in memory
  std::optional<bool> source_include{};  ///< false: quoted includes do not search the folder of the
                                         ///< file that includes them [--no-source-include]
  std::optional<bool> bundled_headers{};           ///< NVRTC 13.3 and later [--use-bundled-headers]
  std::string standard{};                          ///< "c++20" [--std=]
  std::optional<bool> builtin_move_forward{};      ///< [--builtin-move-forward=]
  std::optional<bool> builtin_initializer_list{};  ///< [--builtin-initializer-list=]
  std::optional<bool> restrict_pointers{};         ///< [--restrict]
  std::optional<bool> device_as_default_execution_space{};  ///< the same [--device-as-default-...]
  std::optional<bool> device_int128{};                      ///< [--device-int128]
  std::optional<bool> device_float128{};                    ///< [--device-float128]
  std::optional<bool> syntax_only{};                        ///< [--fdevice-syntax-only]
  std::optional<bool>
      minimal{};  ///< leave out what few kernels need, to compile faster [--minimal]
  std::optional<bool> warnings{};               ///< false: [--disable-warnings]
  std::optional<bool> display_error_numbers{};  ///< false: [--no-display-error-number]
  std::optional<bool> brief_diagnostics{};      ///< [--brief-diagnostics=]
  std::string optimization_info{};              ///< "inline" [--optimization-info=]
  std::vector<std::int32_t>
      diag_errors{};  ///< numbers of diagnostics to make errors [--diag-error=]
  std::vector<std::int32_t> diag_suppressions{};  ///< [--diag-suppress=]
  std::vector<std::int32_t> diag_warnings{};      ///< [--diag-warn=]
  std::string time{};         ///< file for times of the phases, "-" the log [--time=]
  std::string time_trace{};   ///< file for a trace [--fdevice-time-trace=]
  std::string random_seed{};  ///< default: derived from the inputs, so that equal inputs give equal
                              ///< bytes in every process [--frandom-seed=]
  std::optional<bool> compiler_cache{};  ///< true: let NVRTC 12.9 and later keep results through
                                         ///< the driver; default false [--no-cache]
  std::optional<bool> pch{};             ///< [--pch]
  std::string create_pch{};              ///< [--create-pch=]
  std::string use_pch{};                 ///< [--use-pch=]
  std::string pch_directory{};           ///< [--pch-dir=]
  std::optional<bool> pch_verbose{};     ///< [--pch-verbose=]
  std::optional<bool> pch_messages{};    ///< [--pch-messages=]
  std::optional<bool> instantiate_templates_in_pch{};  ///< [--instantiate-templates-in-pch=]
  std::vector<std::string> flags{};
  std::optional<bool> use_libdevice{};  ///< true: link CUDA's device library, libdevice, as needed
  std::vector<ExtraSource> extra_sources{};  ///< further modules of NVVM IR
  std::optional<bool> toolkit_headers{};     ///< false: do not search the toolkit's headers
};

namespace detail {

struct ProgramOptionsOfC : Lists {
  explicit ProgramOptionsOfC(const ProgramOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.relocatable_device_code = toggle(options.relocatable_device_code);
    c.extensible_whole_program = toggle(options.extensible_whole_program);
    c.debug = toggle(options.debug);
    c.lineinfo = toggle(options.lineinfo);
    c.device_code_optimize = toggle(options.device_code_optimize);
    c.ftz = toggle(options.ftz);
    c.prec_sqrt = toggle(options.prec_sqrt);
    c.prec_div = toggle(options.prec_div);
    c.fma = toggle(options.fma);
    c.use_fast_math = toggle(options.use_fast_math);
    c.extra_device_vectorization = toggle(options.extra_device_vectorization);
    c.link_time_optimization = toggle(options.link_time_optimization);
    c.gen_opt_lto = toggle(options.gen_opt_lto);
    c.max_register_count = options.max_register_count;
    c.split_compile = options.split_compile;
    c.ofast_compile = text(options.ofast_compile);
    c.ptxas_options = list(options.ptxas_options, c.ptxas_option_count);
    c.define_macros = list(options.define_macros, c.define_macro_count);
    c.undefine_macros = list(options.undefine_macros, c.undefine_macro_count);
    c.include_paths = list(options.include_paths, c.include_path_count);
    c.pre_includes = list(options.pre_includes, c.pre_include_count);
    c.source_include = toggle(options.source_include);
    c.bundled_headers = toggle(options.bundled_headers);
    c.standard = text(options.standard);
    c.builtin_move_forward = toggle(options.builtin_move_forward);
    c.builtin_initializer_list = toggle(options.builtin_initializer_list);
    c.restrict_pointers = toggle(options.restrict_pointers);
    c.device_as_default_execution_space = toggle(options.device_as_default_execution_space);
    c.device_int128 = toggle(options.device_int128);
    c.device_float128 = toggle(options.device_float128);
    c.syntax_only = toggle(options.syntax_only);
    c.minimal = toggle(options.minimal);
    c.warnings = toggle(options.warnings);
    c.display_error_numbers = toggle(options.display_error_numbers);
    c.brief_diagnostics = toggle(options.brief_diagnostics);
    c.optimization_info = text(options.optimization_info);
    c.diag_errors = numbers(options.diag_errors, c.diag_error_count);
    c.diag_suppressions = numbers(options.diag_suppressions, c.diag_suppression_count);
    c.diag_warnings = numbers(options.diag_warnings, c.diag_warning_count);
    c.time = text(options.time);
    c.time_trace = text(options.time_trace);
    c.random_seed = text(options.random_seed);
    c.compiler_cache = toggle(options.compiler_cache);
    c.pch = toggle(options.pch);
    c.create_pch = text(options.create_pch);
    c.use_pch = text(options.use_pch);
    c.pch_directory = text(options.pch_directory);
    c.pch_verbose = toggle(options.pch_verbose);
    c.pch_messages = toggle(options.pch_messages);
    c.instantiate_templates_in_pch = toggle(options.instantiate_templates_in_pch);
    c.flags = list(options.flags, c.flag_count);
    c.use_libdevice = toggle(options.use_libdevice);
    c.toolkit_headers = toggle(options.toolkit_headers);
    c.header_names = of(options.headers, [](const auto& each) { return each.name.c_str(); });
    c.header_sources = of(options.headers, [](const auto& each) { return each.source.c_str(); });
    c.header_count = options.headers.size();
    add_extra_sources(options.extra_sources);
  }
  cucore_program_options c = CUCORE_PROGRAM_OPTIONS_INIT;

 private:
  void add_extra_sources(const std::vector<ProgramOptions::ExtraSource>& given) {
    for (const auto& each : given) {
      sources_.push_back(each.source.data());
      sizes_.push_back(each.source.size());
    }
    c.extra_source_names = of(given, [](const auto& each) { return each.name.c_str(); });
    c.extra_sources = sources_.data();
    c.extra_source_sizes = sizes_.data();
    c.extra_source_count = given.size();
  }

  std::vector<const void*> sources_;
  std::vector<std::size_t> sizes_;
};

}  // namespace detail

struct BatchItem;
struct BatchResult;
struct BatchOptions;

/// Source and the options to compile it.
class Program : public Owner<Program, cucore_program> {
 public:
  Program() noexcept {}

  /// Copies the source and all options; nothing is compiled yet. Fails with INVALID_ARGUMENT if an
  /// option is wrong or does not fit the type.
  static Returned<Program> create(SourceType type, std::string_view source,
                                  const ProgramOptions& options = {}) {
    const detail::ProgramOptionsOfC of_c(options);
    return make<Program>(cucore_program_create, static_cast<cucore_source_type>(type),
                         source.data(), source.size(), &of_c.c);
  }

  /// The same for CUDA C++.
  static Returned<Program> create(std::string_view source, const ProgramOptions& options = {}) {
    return create(SourceType::cuda_cpp, source, options);
  }

  /// Compiles; no device is needed. `name_expressions` are templates and overloads to instantiate,
  /// under which find_kernel() finds them. Fails with COMPILATION; the error has the log.
  Returned<ObjectCode> compile(CodeType target = CodeType::ptx,
                               const Names& name_expressions = {}) const {
    return make<ObjectCode>(cucore_program_compile, get(), static_cast<cucore_code_type>(target),
                            name_expressions.data(), name_expressions.size());
  }

  /// Compiles many programs in worker processes. An item that fails is not a failure of the call:
  /// its result has the error. Fails with NOT_FOUND if cucore-worker is missing.
  static Returned<std::vector<BatchResult>> compile_batch(Span<const BatchItem> items,
                                                          const BatchOptions& options);
  static Returned<std::vector<BatchResult>> compile_batch(Span<const BatchItem> items);

  /// The library that compiles it.
  Backend backend() const noexcept { return static_cast<Backend>(cucore_program_backend(get())); }
};

// == Linker ======================================================================================

/// How to link. An unset toggle passes nothing to the linker. Text in brackets is the option of
/// nvJitLink.
struct LinkerOptions {
  std::string name{};  ///< of the result; default: that of the first input
  std::string arch{};  ///< "sm_90"; default: as for a program [-arch=]
  std::optional<bool> link_time_optimization{};  ///< default: on where an input is LTOIR or the
                                                 ///< target is PTX [-lto]
  std::optional<bool> ptx{};        ///< true: refuse to link to anything but PTX [-ptx]
  std::optional<bool> time{};       ///< times of the phases into the log [-time]
  std::optional<bool> verbose{};    ///< more into the log [-verbose]
  std::optional<bool> debug{};      ///< [-g]
  std::optional<bool> lineinfo{};   ///< [-lineinfo]
  std::optional<bool> ftz{};        ///< denormal floats become 0 [-ftz=]
  std::optional<bool> prec_div{};   ///< [-prec-div=]
  std::optional<bool> prec_sqrt{};  ///< [-prec-sqrt=]
  std::optional<bool> fma{};        ///< [-fma=]
  std::optional<bool> optimize_unused_variables{};  ///< drop variables that no device code refers
                                                    ///< to [-optimize-unused-variables]
  std::optional<bool> linker_cache{};   ///< true: let nvJitLink 12.9 and later keep results through
                                        ///< the driver; default false [-no-cache]
  std::int32_t max_register_count = 0;  ///< registers per thread; 0: unlimited [--maxrregcount=]
  std::int32_t split_compile = 0;       ///< threads; -1: all cores [-split-compile=]
  std::int32_t split_compile_extended = 0;    ///< the same [-split-compile-extended=]
  std::string optimization_level{};           ///< "0" or "3" [-O]
  std::vector<std::string> kernels_used{};    ///< the only kernels to keep [-kernels-used=]
  std::vector<std::string> variables_used{};  ///< the only variables to keep [-variables-used=]
  std::vector<std::string> ptxas_options{};   ///< passed to ptxas one by one [-Xptxas=]
  std::vector<std::string> flags{};           ///< anything else, passed unchanged, last
};

namespace detail {

struct LinkerOptionsOfC : Lists {
  explicit LinkerOptionsOfC(const LinkerOptions& options) {
    c.name = text(options.name);
    c.arch = text(options.arch);
    c.link_time_optimization = toggle(options.link_time_optimization);
    c.ptx = toggle(options.ptx);
    c.time = toggle(options.time);
    c.verbose = toggle(options.verbose);
    c.debug = toggle(options.debug);
    c.lineinfo = toggle(options.lineinfo);
    c.ftz = toggle(options.ftz);
    c.prec_div = toggle(options.prec_div);
    c.prec_sqrt = toggle(options.prec_sqrt);
    c.fma = toggle(options.fma);
    c.optimize_unused_variables = toggle(options.optimize_unused_variables);
    c.linker_cache = toggle(options.linker_cache);
    c.max_register_count = options.max_register_count;
    c.split_compile = options.split_compile;
    c.split_compile_extended = options.split_compile_extended;
    c.optimization_level = text(options.optimization_level);
    c.kernels_used = list(options.kernels_used, c.kernels_used_count);
    c.variables_used = list(options.variables_used, c.variables_used_count);
    c.ptxas_options = list(options.ptxas_options, c.ptxas_option_count);
    c.flags = list(options.flags, c.flag_count);
  }
  cucore_linker_options c = CUCORE_LINKER_OPTIONS_INIT;
};

}  // namespace detail

/// Makes one image of several. A linker belongs to one thread at a time.
class Linker : public Owner<Linker, cucore_linker> {
 public:
  Linker() noexcept {}

  /// Copies the options; nothing is opened yet.
  static Returned<Linker> create(const LinkerOptions& options = {}) {
    const detail::LinkerOptionsOfC of_c(options);
    return make<Linker>(cucore_linker_create, &of_c.c);
  }

  /// Adds an input of any kind.
  Returned<void> add(const ObjectCode& code) const {
    return call(cucore_linker_add, get(), code.get());
  }

  /// Links all inputs added so far. Fails with LINKING; the error has the log.
  Returned<ObjectCode> link(CodeType target = CodeType::cubin) const {
    return make<ObjectCode>(cucore_linker_link, get(), static_cast<cucore_code_type>(target));
  }

  /// The library that links the inputs added so far.
  Backend backend() const noexcept { return static_cast<Backend>(cucore_linker_backend(get())); }
  /// The whole output of the last link, whether it succeeded or not.
  std::string_view log() const noexcept { return cucore_linker_log(get()); }
};

// == Launch ======================================================================================

/// Blocks of a grid, threads of a block, or blocks of a cluster, in up to three dimensions.
struct Dim3 {
  constexpr Dim3() noexcept = default;
  template <class X, class Y = int, class Z = int, class = std::enable_if_t<std::is_integral_v<X>>>
  constexpr Dim3(X width, Y height = 1, Z depth = 1) noexcept
      : x(static_cast<std::uint32_t>(width)),
        y(static_cast<std::uint32_t>(height)),
        z(static_cast<std::uint32_t>(depth)) {}

  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
};

/// How to launch a kernel: the fields are those of cucore_launch_options.
struct LaunchConfig : cucore_launch_options {
  LaunchConfig() noexcept : cucore_launch_options(CUCORE_LAUNCH_OPTIONS_INIT) {}
  /// @param dynamic_shared_bytes  shared memory per block, in addition to that of the kernel
  LaunchConfig(Dim3 blocks, Dim3 threads, std::uint32_t dynamic_shared_bytes = 0) noexcept
      : LaunchConfig() {
    set(grid, blocks);
    set(block, threads);
    dynamic_shared = dynamic_shared_bytes;
  }

  /// Blocks per cluster.
  LaunchConfig& with_cluster(Dim3 blocks) noexcept {
    set(cluster, blocks);
    return *this;
  }

  /// All blocks run at once and may synchronise.
  LaunchConfig& with_cooperative(bool on = true) noexcept {
    cooperative = on;
    return *this;
  }

 private:
  static void set(std::uint32_t (&field)[3], Dim3 size) noexcept {
    field[0] = size.x;
    field[1] = size.y;
    field[2] = size.z;
  }
};

/// How a launch passes a type: its class, and where the value is. Specialise it for a type of your
/// own that stands for a pointer.
template <class T, class = void>
struct ArgumentTraits {
  static_assert(!std::is_array_v<T>, "pass a buffer or an Address, not an array of the host");
  static_assert(!std::is_function_v<std::remove_pointer_t<T>>, "functions are not arguments");
  static_assert(std::is_trivially_copyable_v<T>, "an argument is plain data that can be copied");

  static constexpr ParameterClass parameter_class =
      std::is_pointer_v<T>                                           ? ParameterClass::pointer
      : std::is_floating_point_v<T>                                  ? ParameterClass::float_
      : (std::is_integral_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8 ? ParameterClass::integer
                                                                     : ParameterClass::aggregate;
  static cucore_argument argument(const T& value) noexcept {
    return {std::addressof(value), sizeof(T)};
  }
};

/// An address for a pointer parameter.
template <>
struct ArgumentTraits<Address> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Address& value) noexcept { return {&value, sizeof value}; }
};

/// A buffer for a pointer parameter: the launch holds it and records the use.
template <>
struct ArgumentTraits<Buffer> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Buffer& buffer) noexcept {
    return {buffer.get(), CUCORE_ARGUMENT_OBJECT};
  }
};

/// A null pointer for a pointer parameter.
template <>
struct ArgumentTraits<std::nullptr_t> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(std::nullptr_t) noexcept {
    static constexpr std::uint64_t NULL_ADDRESS = 0;
    return {&NULL_ADDRESS, sizeof NULL_ADDRESS};
  }
};

/// The argument for a pointer parameter of a TypedKernel: a buffer, an Address, a pointer into
/// device memory, or nullptr. It borrows the buffer.
template <class T>
class Pointer {
 public:
  Pointer(const Buffer& buffer) noexcept : buffer_(buffer.get()), is_buffer_(true) {}
  Pointer(Address address) noexcept : address_(address.value()) {}
  Pointer(T* pointer) noexcept : address_(reinterpret_cast<std::uintptr_t>(pointer)) {}
  Pointer(std::nullptr_t) noexcept {}

  cucore_argument argument() const noexcept {
    if (is_buffer_) return {buffer_, CUCORE_ARGUMENT_OBJECT};
    return {&address_, sizeof address_};
  }

 private:
  std::uint64_t address_ = 0;
  cucore_buffer* buffer_ = nullptr;
  bool is_buffer_ = false;
};

template <class T>
struct ArgumentTraits<Pointer<T>> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const Pointer<T>& value) noexcept { return value.argument(); }
};

namespace detail {

inline const char* class_name(ParameterClass parameter_class) noexcept {
  switch (parameter_class) {
    case ParameterClass::integer:
      return "an integer";
    case ParameterClass::float_:
      return "a floating-point number";
    case ParameterClass::pointer:
      return "a pointer (Buffer, Address or pointer into device memory)";
    case ParameterClass::aggregate:
      return "a struct";
    default:
      return "of an unknown class";
  }
}

// The class of one parameter as one of four bits; no bit for a class that is unknown.
constexpr std::uint64_t class_bit(ParameterClass parameter_class) noexcept {
  const auto number = static_cast<std::int32_t>(parameter_class);
  return number >= 1 && number <= 4 ? std::uint64_t{1} << (number - 1) : 0;
}

constexpr std::size_t CLASSES_PER_WORD = 15;
constexpr std::size_t CLASS_WORDS = 2;
// In the bits above the classes: the word has been read.
constexpr std::uint64_t CLASSES_READ = std::uint64_t{1} << 60;

// The classes of the parameters from `first` on, four bits each.
template <class Classes>
constexpr std::uint64_t class_word(const Classes& classes, std::size_t count,
                                   std::size_t first) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = first; i < count && i < first + CLASSES_PER_WORD; ++i)
    word |= class_bit(classes[i]) << (4 * (i - first));
  return word;
}

// The classes of a kernel's first 30 parameters, read once. A word is complete in itself, so that
// threads need no order between the two.
class KernelClasses {
 public:
  KernelClasses() noexcept = default;
  KernelClasses(const KernelClasses& other) noexcept { *this = other; }
  KernelClasses& operator=(const KernelClasses& other) noexcept {
    for (std::size_t i = 0; i < CLASS_WORDS; ++i)
      words_[i].store(other.words_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }

  // Whether the classes have been read and none differs.
  bool accept(std::size_t word, std::uint64_t given) const noexcept {
    return (words_[word].load(std::memory_order_relaxed) & ~given) == CLASSES_READ;
  }
  void set(std::size_t word, std::uint64_t classes) noexcept {
    words_[word].store(classes | CLASSES_READ, std::memory_order_relaxed);
  }
  void clear() noexcept {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> words_[CLASS_WORDS] = {};
};

}  // namespace detail

/// A block size that fills a device best, and the smallest grid that does.
struct BlockSize {
  std::int32_t min_grid_size = 0;  ///< blocks
  std::int32_t block_size = 0;     ///< threads per block
};

template <class Signature>
class TypedKernel;

/// A function that a grid of threads runs.
class Kernel : public Owner<Kernel, cucore_kernel> {
 public:
  Kernel() noexcept {}

  /// Wraps a CUkernel that somebody else loaded. It must outlive the result and is never unloaded.
  static Returned<Kernel> from_native(const Device& device, void* native) {
    return make<Kernel>(cucore_kernel_from_native, device.get(), native);
  }

  class Launcher;

  /// The name in the code.
  std::string_view name() const noexcept { return cucore_kernel_name(get()); }
  /// The name that messages use: the one under which it was found first, "axpy<float>".
  std::string_view label() const noexcept { return cucore_kernel_label(get()); }

  /// The CUkernel: `native<CUkernel>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_kernel_native(get()));
  }

  Returned<std::int32_t> attribute(KernelAttribute name, const Device& device) const {
    return value<std::int32_t>(cucore_kernel_attribute, get(),
                               static_cast<cucore_kernel_attribute_name>(name), device.get());
  }

  /// Sets an attribute for all later launches on the device in this process.
  Returned<void> set_attribute(KernelAttribute name, const Device& device,
                               std::int32_t new_value) const {
    return call(cucore_kernel_set_attribute, get(), static_cast<cucore_kernel_attribute_name>(name),
                device.get(), new_value);
  }

  /// The number of parameters; unset if neither the code nor the driver records it.
  std::optional<std::size_t> parameter_count() const noexcept {
    const std::size_t count = cucore_kernel_parameter_count(get());
    return count == SIZE_MAX ? std::nullopt : std::optional<std::size_t>(count);
  }

  /// The place of one parameter. An empty device stands for the first image.
  Returned<ParameterPlace> parameter_at(std::size_t index, const Device& device = {}) const {
    ParameterPlace out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_kernel_parameter_at(get(), index, device.get(), &out.offset, &out.size, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ParameterPlace>(status, error);
    return out;
  }

  /// All parameters, in order. An empty device stands for the first image. Fails with UNSUPPORTED
  /// if neither the code nor the driver records them.
  Returned<std::vector<Parameter>> parameters(const Device& device = {}) const {
    return detail::parameters([&](cucore_parameter_info* out, std::size_t capacity,
                                  std::size_t* count, cucore_error** error) {
      return cucore_kernel_parameters(get(), device.get(), out, capacity, count, error);
    });
  }

  /// The number of blocks that fit on one multiprocessor at a time.
  Returned<std::int32_t> occupancy(const Device& device, std::int32_t block_size,
                                   std::size_t dynamic_shared = 0) const {
    return value<std::int32_t>(cucore_kernel_occupancy, get(), device.get(), block_size,
                               dynamic_shared);
  }

  /// The block size that fills the device best; `block_size_limit` 0 is the device's limit.
  Returned<BlockSize> max_potential_block_size(const Device& device, std::size_t dynamic_shared = 0,
                                               std::int32_t block_size_limit = 0) const {
    BlockSize out;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_kernel_max_potential_block_size(
        get(), device.get(), dynamic_shared, block_size_limit, &out.min_grid_size, &out.block_size,
        &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<BlockSize>(status, error);
    return out;
  }

  /// The dynamic shared memory, in bytes per block, with which so many blocks run on a
  /// multiprocessor.
  Returned<std::size_t> available_dynamic_shared(const Device& device,
                                                 std::int32_t blocks_per_multiprocessor,
                                                 std::int32_t block_size) const {
    return value<std::size_t>(cucore_kernel_available_dynamic_shared, get(), device.get(),
                              blocks_per_multiprocessor, block_size);
  }

  /// The number of clusters of such a launch that fit on the device at a time.
  Returned<std::int32_t> max_active_clusters(const Device& device,
                                             const LaunchConfig& config) const {
    return value<std::int32_t>(cucore_kernel_max_active_clusters, get(), device.get(),
                               static_cast<const cucore_launch_options*>(&config));
  }

  /// Launches on a stream; the arguments are copied before this returns. Arguments are numbers,
  /// enumerators, plain structs, buffers, `Address`, pointers into device memory and nullptr.
  ///
  /// Fails with INVALID_ARGUMENT if the number, a size or the class of an argument differs from the
  /// kernel's parameters. The first launch through an owner reads the classes, later ones compare a
  /// word. A copy of the owner has the classes that it had; of the arguments after the thirtieth,
  /// only the sizes are compared.
  template <class... Arguments>
  Returned<void> launch(const Stream& stream, const LaunchConfig& config,
                        const Arguments&... arguments) const {
    constexpr std::size_t count = sizeof...(Arguments);
    if constexpr (count == 0) {
      return launch_unchecked(stream, config, nullptr, 0);
    } else {
      static constexpr ParameterClass GIVEN[] = {ArgumentTraits<Arguments>::parameter_class...};
      constexpr std::uint64_t low = detail::class_word(GIVEN, count, 0);
      constexpr std::uint64_t high = detail::class_word(GIVEN, count, detail::CLASSES_PER_WORD);
      const cucore_argument list[] = {ArgumentTraits<Arguments>::argument(arguments)...};
      bool accepted = classes_.accept(0, low);
      if constexpr (count > detail::CLASSES_PER_WORD)
        accepted = accepted && classes_.accept(1, high);
      if (accepted) return launch_unchecked(stream, config, list, count);
      return check_and_launch(stream, config, list, GIVEN, count);
    }
  }

  /// The same in two steps: `kernel(config, stream)(arguments...)`. The first result borrows the
  /// kernel and the stream.
  Launcher operator()(const LaunchConfig& config, const Stream& stream) const noexcept;

  /// Launches with the arguments already laid out as the parameter block, as a struct with the
  /// parameters as its members is. Addresses in it are not recorded: Buffer::record_use().
  Returned<void> launch_packed(const Stream& stream, const LaunchConfig& config,
                               Bytes arguments) const {
    return call(cucore_kernel_launch_packed, get(), stream.get(),
                static_cast<const cucore_launch_options*>(&config), arguments.data(),
                arguments.size());
  }

  /// The kernel with the parameters that its source declares, checked here once:
  /// `kernel.as<void(float, const float*, float*, int)>()`. Fails with INVALID_ARGUMENT if they
  /// differ in number, size or class.
  template <class Signature>
  Returned<TypedKernel<Signature>> as() const;

  /// Releases the reference and takes over another one.
  void reset(cucore_kernel* handle = nullptr) noexcept {
    Owner::reset(handle);
    classes_.clear();
  }
  void swap(Kernel& other) noexcept { std::swap(*this, other); }

 private:
  template <class Signature>
  friend class TypedKernel;

  Returned<void> launch_unchecked(const Stream& stream, const LaunchConfig& config,
                                  const cucore_argument* arguments, std::size_t count) const {
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_kernel_launch(get(), stream.get(), &config, arguments, count, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<void>(status, error);
    return Returned<void>();
  }

  CUCORE_HPP_COLD Returned<void> check_and_launch(const Stream& stream, const LaunchConfig& config,
                                                  const cucore_argument* arguments,
                                                  const ParameterClass* given,
                                                  std::size_t count) const {
    Error error = mismatch(read_classes(), given, count);
    if (error) return detail::failed<void>(std::move(error));
    return launch_unchecked(stream, config, arguments, count);
  }
  std::vector<ParameterClass> read_classes() const;
  Error mismatch(std::size_t index, ParameterClass given, ParameterClass wanted) const;
  Error mismatch(const std::vector<ParameterClass>& wanted, const ParameterClass* given,
                 std::size_t count) const;
  Error compare(const ParameterPlace* sizes, const ParameterClass* given, std::size_t count) const;

  mutable detail::KernelClasses classes_;
};

/// A kernel with a configuration and a stream, to be called with the arguments.
class Kernel::Launcher {
 public:
  template <class... Arguments>
  Returned<void> operator()(const Arguments&... arguments) const {
    return kernel_.launch(stream_, config_, arguments...);
  }

 private:
  friend class Kernel;
  Launcher(const Kernel& kernel, const LaunchConfig& config, const Stream& stream) noexcept
      : kernel_(kernel), stream_(stream), config_(config) {}

  const Kernel& kernel_;
  const Stream& stream_;
  const LaunchConfig config_;
};

inline Kernel::Launcher Kernel::operator()(const LaunchConfig& config,
                                           const Stream& stream) const noexcept {
  return {*this, config, stream};
}

inline Returned<Kernel> ObjectCode::find_kernel(const Name& name) const {
  return make<Kernel>(cucore_objectcode_find_kernel, get(), name.c_str());
}

inline std::vector<ParameterClass> Kernel::read_classes() const {
  std::vector<ParameterClass> classes;
  std::size_t count = 0;
  cucore_kernel_parameters(get(), nullptr, nullptr, 0, &count, nullptr);
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  const cucore_status status =
      cucore_kernel_parameters(get(), nullptr, infos.data(), infos.size(), &count, nullptr);
  if (status != CUCORE_OK && status != CUCORE_ERROR_UNSUPPORTED) return classes;
  if (status == CUCORE_OK)
    for (const auto& info : infos)
      classes.push_back(static_cast<ParameterClass>(info.parameter_class));
  for (std::size_t i = 0; i < detail::CLASS_WORDS; ++i)
    classes_.set(i, detail::class_word(classes, classes.size(), i * detail::CLASSES_PER_WORD));
  return classes;
}

inline Error Kernel::mismatch(std::size_t index, ParameterClass given,
                              ParameterClass wanted) const {
  return Error(Status::invalid_argument,
               "argument " + std::to_string(index) + " of kernel " + std::string(label()) + " is " +
                   detail::class_name(given) + "; expected " + detail::class_name(wanted) +
                   "; convert it to the type of the parameter");
}

inline Error Kernel::mismatch(const std::vector<ParameterClass>& wanted,
                              const ParameterClass* given, std::size_t count) const {
  if (wanted.size() != count) return Error();  // the launch reports it
  for (std::size_t i = 0; i < count; ++i)
    if (detail::class_bit(wanted[i]) & ~detail::class_bit(given[i]))
      return mismatch(i, given[i], wanted[i]);
  return Error();
}

namespace detail {

// The type in which a parameter of a kernel is passed.
template <class T>
struct PassedAs {
  using type = std::remove_cv_t<T>;
};
template <class T>
struct PassedAs<T*> {
  using type = Pointer<T>;
};
template <class T>
struct PassedAs<T&> {
  using type = Pointer<T>;
};
template <class T>
constexpr std::size_t PASSED_SIZE = std::is_reference_v<T> ? sizeof(void*) : sizeof(T);

}  // namespace detail

/// A kernel whose parameters the compiler checks: arguments are converted as in a call of a
/// function. A pointer parameter accepts a buffer, an Address, or a pointer into device memory.
template <class... Parameters>
class TypedKernel<void(Parameters...)> {
 public:
  class Launcher;

  TypedKernel() noexcept = default;

  const Kernel& kernel() const noexcept { return kernel_; }

  /// Launches on a stream. Nothing is compared but what cucore_kernel_launch() compares.
  Returned<void> launch(const Stream& stream, const LaunchConfig& config,
                        typename detail::PassedAs<Parameters>::type... arguments) const {
    if constexpr (sizeof...(Parameters) == 0) {
      return kernel_.launch_unchecked(stream, config, nullptr, 0);
    } else {
      const cucore_argument list[] = {
          ArgumentTraits<typename detail::PassedAs<Parameters>::type>::argument(arguments)...};
      return kernel_.launch_unchecked(stream, config, list, sizeof...(Parameters));
    }
  }

  /// The same in two steps: `kernel(config, stream)(arguments...)`. The first result borrows the
  /// kernel and the stream.
  Launcher operator()(const LaunchConfig& config, const Stream& stream) const noexcept {
    return Launcher(*this, config, stream);
  }

 private:
  friend class Kernel;
  explicit TypedKernel(const Kernel& kernel) noexcept : kernel_(kernel) {}

  Kernel kernel_;

  static Error check(const Kernel& kernel) {
    constexpr std::size_t count = sizeof...(Parameters);
    constexpr ParameterClass classes[count + 1] = {
        ArgumentTraits<typename detail::PassedAs<Parameters>::type>::parameter_class...};
    constexpr ParameterPlace sizes[count + 1] = {{0, detail::PASSED_SIZE<Parameters>}...};
    return kernel.compare(sizes, classes, count);
  }
};

template <class... Parameters>
class TypedKernel<void(Parameters...)>::Launcher {
 public:
  Returned<void> operator()(typename detail::PassedAs<Parameters>::type... arguments) const {
    return kernel_.launch(stream_, config_, std::move(arguments)...);
  }

 private:
  friend class TypedKernel;
  Launcher(const TypedKernel& kernel, const LaunchConfig& config, const Stream& stream) noexcept
      : kernel_(kernel), stream_(stream), config_(config) {}

  const TypedKernel& kernel_;
  const Stream& stream_;
  const LaunchConfig config_;
};

inline Error Kernel::compare(const ParameterPlace* sizes, const ParameterClass* given,
                             std::size_t count) const {
  const std::optional<std::size_t> wanted = parameter_count();
  const std::string kernel = " of kernel " + std::string(label());
  if (wanted && *wanted != count)
    return Error(Status::invalid_argument, "the signature" + kernel + " has " +
                                               std::to_string(count) + " parameters; expected " +
                                               std::to_string(*wanted) +
                                               "; pass the types that its source declares");
  for (std::size_t i = 0; wanted && i < count; ++i) {
    std::size_t offset = 0, size = 0;
    const cucore_status status =
        cucore_kernel_parameter_at(get(), i, nullptr, &offset, &size, nullptr);
    if (status == CUCORE_OK && size != sizes[i].size)
      return Error(Status::invalid_argument, "parameter " + std::to_string(i) + kernel + " has " +
                                                 std::to_string(sizes[i].size) +
                                                 " bytes; expected " + std::to_string(size) +
                                                 "; pass the type that its source declares");
  }
  return mismatch(read_classes(), given, count);
}

template <class Signature>
Returned<TypedKernel<Signature>> Kernel::as() const {
  using Typed = TypedKernel<Signature>;
  Error error =
      get() ? Typed::check(*this) : Error(Status::invalid_argument, "kernel must not be NULL");
  if (error) return detail::failed<Typed>(std::move(error));
  return Typed(*this);
}

// == Cache =======================================================================================

/// Options of a cache.
struct CacheOptions {
  /// Default: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or ~/.cache/cucore. "" means only memory.
  std::optional<std::string> directory{};
  std::uint64_t max_bytes = 0;               ///< on disk; 0: 1 GiB
  std::uint64_t max_entries = 0;             ///< on disk; 0: 20000
  std::uint64_t max_memory = 0;              ///< bytes of object code in memory; 0: 64 MiB
  std::chrono::seconds max_age{};            ///< older entries are built again; 0: unlimited
  std::chrono::milliseconds lock_timeout{};  ///< for the build of another process; 0: 30 s
  bool read_only = false;                    ///< writes nothing to the disk
  bool hermetic = false;                     ///< refuses programs that read files from the disk
  bool durable = false;                      ///< an entry survives a power failure, at a price
  std::optional<bool> trust_toolkit{};       ///< see cucore_cache_options
  std::optional<bool> locking{};             ///< one build per key among processes
  std::string name_space{};                  ///< separates the entries of different name spaces
  std::optional<Key> signing_key{};          ///< signs entries for remotes; unset: sends nothing
  std::vector<Key> keys{};                   ///< verify entries of remotes; empty: accepts none
};

/// Counters and contents of a cache.
using CacheStatistics = cucore_cache_statistics_info;

/// One file of a cache. Strings live during the call that reports it.
struct CacheEntry {
  CacheKey key{};  ///< its name in the folder, in hexadecimal
  CacheFile kind = CacheFile::none;
  bool is_sound = false;            ///< false: damaged, and removed if the cache may write
  std::uint64_t size = 0;           ///< bytes of the file
  std::chrono::nanoseconds made{};  ///< since 1970
  std::chrono::nanoseconds used{};
  std::optional<CodeType> type{};  ///< of an entry that was read
  std::string_view name{};         ///< of the object code
  std::string_view arch{};         ///< "sm_90"
  std::string_view problem{};      ///< the damage; empty if sound
  std::size_t done = 0;            ///< entries examined so far ...
  std::size_t total = 0;           ///< ... of about so many
};

/// How to reach a remote that a URL names.
struct CacheRemoteOptions {
  bool read_only = false;                       ///< sends nothing to it
  std::chrono::milliseconds connect_timeout{};  ///< 0: 100 ms
  std::chrono::milliseconds timeout{};          ///< of one whole request; 0: 1 s
};

/// A place beyond this machine that stores results. Its functions are called from any thread,
/// several at a time; an exception that one throws counts as CacheAnswer::failed. In its functions,
/// the cache fails with INVALID_STATE.
class CacheRemote {
 public:
  virtual ~CacheRemote() = default;
  /// The name for messages, constant.
  virtual const char* name() const noexcept = 0;
  /// Whether put() is never called, constant.
  virtual bool is_read_only() const noexcept { return false; }
  /// Passes the bytes of a name to `receive`, at most once, at most 64 MiB.
  virtual CacheAnswer get(const char* name, const std::function<void(Bytes)>& receive) = 0;
  /// Stores bytes under a name.
  virtual CacheAnswer put(const char* name, Bytes data) {
    static_cast<void>(name);
    static_cast<void>(data);
    return CacheAnswer::failed;
  }
};

namespace detail {

inline std::uint32_t milliseconds(std::chrono::milliseconds time) noexcept {
  const auto count = time.count();
  if (count <= 0) return 0;
  return count < UINT32_MAX ? static_cast<std::uint32_t>(count) : UINT32_MAX;
}

inline CacheEntry entry(const cucore_cache_entry_info& info) {
  CacheEntry out;
  std::copy(std::begin(info.key), std::end(info.key), out.key.begin());
  out.kind = static_cast<CacheFile>(info.kind);
  out.is_sound = info.is_sound != 0;
  out.size = info.size;
  out.made = std::chrono::nanoseconds(info.made_ns);
  out.used = std::chrono::nanoseconds(info.used_ns);
  if (static_cast<std::int32_t>(info.type) != 0) out.type = static_cast<CodeType>(info.type);
  out.name = info.name;
  out.arch = info.arch;
  out.problem = info.problem;
  out.done = info.done;
  out.total = info.total;
  return out;
}

// A function of the program that is called with the files of a cache.
template <class Function>
struct Report {
  static std::int32_t deliver(const cucore_cache_entry_info* info, void* data) {
    auto& self = *static_cast<Report*>(data);
    bool more = false;
    self.captured.run([&] { more = value_of<bool>(true, self.function, entry(*info)); });
    return more;
  }

  Function& function;
  Captured captured{};
};

// A function of the program that builds object code.
template <class Function>
struct Build {
  static cucore_status deliver(cucore_objectcode** out, cucore_error** error, void* data) {
    auto& self = *static_cast<Build*>(data);
    cucore_status status = CUCORE_ERROR_INVALID_STATE;
    if (self.captured.run([&] { status = self.run(out, error); })) return status;
    return self.describe(error);
  }

  cucore_status run(cucore_objectcode** out, cucore_error** error) {
#if CUCORE_HPP_EXCEPTIONS
    ObjectCode code = function();
    static_cast<void>(error);
#else
    Result<ObjectCode> result = function();
    if (!result) {
      *error = Error(result.error()).release();
      return static_cast<cucore_status>(result.status());
    }
    ObjectCode code = *std::move(result);
#endif
    *out = code.release();
    return CUCORE_OK;
  }

  // For other threads that wait for this build; the caller itself gets the exception.
  cucore_status describe(cucore_error** error) const noexcept {
#if CUCORE_HPP_EXCEPTIONS
    try {
      captured.rethrow();
    } catch (const Error& thrown) {
      *error = Error(thrown).release();
      return static_cast<cucore_status>(thrown.status());
    } catch (...) {
    }
#endif
    static_cast<void>(error);
    return CUCORE_ERROR_INVALID_STATE;
  }

  Function& function;
  Captured captured{};
};

// The functions of C of a CacheRemote.
struct RemoteOfC {
  static CacheRemote& of(void* context) noexcept { return *static_cast<CacheRemote*>(context); }

  static cucore_cache_answer get(void* context, const char* name, cucore_cache_receive_fn receive,
                                 void* receiver) {
    CacheAnswer answer = CacheAnswer::failed;
    Captured().run([&] {
      answer = of(context).get(name,
                               [&](Bytes bytes) { receive(bytes.data(), bytes.size(), receiver); });
    });
    return static_cast<cucore_cache_answer>(answer);
  }

  static cucore_cache_answer put(void* context, const char* name, const void* data,
                                 std::size_t size) {
    CacheAnswer answer = CacheAnswer::failed;
    Captured().run([&] { answer = of(context).put(name, Bytes(data, size)); });
    return static_cast<cucore_cache_answer>(answer);
  }

  static void close(void* context) { delete static_cast<CacheRemote*>(context); }
};

}  // namespace detail

/// Stores what was compiled and linked before.
class Cache : public Owner<Cache, cucore_cache> {
 public:
  Cache() noexcept {}

  /// Opens a cache. Fails with IO if other users can write to its folder; a folder that cannot be
  /// written to is not a failure.
  static Returned<Cache> open(const CacheOptions& options = {}) {
    const std::vector<cucore_key> keys = detail::keys(options.keys);
    const cucore_key signing_key = detail::key(options.signing_key.value_or(Key()));
    cucore_cache_options c = CUCORE_CACHE_OPTIONS_INIT;
    c.directory = options.directory ? options.directory->c_str() : nullptr;
    c.max_bytes = options.max_bytes;
    c.max_entries = options.max_entries;
    c.max_memory = options.max_memory;
    c.max_age_seconds = static_cast<std::uint64_t>(options.max_age.count());
    c.lock_timeout_ms = detail::milliseconds(options.lock_timeout);
    c.read_only = options.read_only;
    c.hermetic = options.hermetic;
    c.durable = options.durable;
    c.trust_toolkit = detail::toggle(options.trust_toolkit);
    c.locking = detail::toggle(options.locking);
    c.name_space = detail::text(options.name_space);
    c.signing_key = options.signing_key ? &signing_key : nullptr;
    c.keys = keys.data();
    c.key_count = keys.size();
    return make<Cache>(cucore_cache_open, &c);
  }

  /// The folder in use; empty if everything is in memory.
  std::string_view directory() const noexcept { return cucore_cache_directory(get()); }

  /// As Program::compile(), but compiles only what was not compiled before.
  /// @param outcome  receives where the result came from, if not null
  Returned<ObjectCode> compile(const Program& program, CodeType target = CodeType::ptx,
                               const Names& name_expressions = {},
                               CacheOutcome* outcome = nullptr) const {
    return produce(
        outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_compile(get(), program.get(), static_cast<cucore_code_type>(target),
                                      name_expressions.data(), name_expressions.size(), out, from,
                                      error);
        });
  }

  /// The object code that compile() would return without a compile; empty if it is not there.
  Returned<ObjectCode> find(const Program& program, CodeType target = CodeType::ptx,
                            const Names& name_expressions = {},
                            CacheOutcome* outcome = nullptr) const {
    return produce(outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from,
                                cucore_error** error) {
      return cucore_cache_find(get(), program.get(), static_cast<cucore_code_type>(target),
                               name_expressions.data(), name_expressions.size(), out, from, error);
    });
  }

  /// As Linker::link(), but links only what was not linked before.
  Returned<ObjectCode> link(const Linker& linker, CodeType target = CodeType::cubin,
                            CacheOutcome* outcome = nullptr) const {
    return produce(
        outcome, [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_link(get(), linker.get(), static_cast<cucore_code_type>(target), out,
                                   from, error);
        });
  }

  using Owner::get;
  /// The object code under a key of your own; empty if the cache has nothing.
  Returned<ObjectCode> get(const CacheKey& key) const {
    return make<ObjectCode>(cucore_cache_get, get(), key.data());
  }

  /// Stores object code under a key of your own. Failing to store it is not a failure of the call.
  Returned<void> put(const CacheKey& key, const ObjectCode& code) const {
    return call(cucore_cache_put, get(), key.data(), code.get());
  }

  /// Removes the result of a key of your own, or of an entry, from memory and the disk. Returns
  /// whether there was one.
  Returned<bool> remove(const CacheKey& key) const {
    return value<std::int32_t, bool>(cucore_cache_remove, get(), key.data());
  }

  /// Finds object code under a key of your own, or builds it: once for all threads and processes.
  /// @param build  returns `Returned<ObjectCode>`; must not request the same key. Its exception
  ///               passes through this call
  template <class Function>
  Returned<ObjectCode> get_or_build(const CacheKey& key, Function&& build,
                                    CacheOutcome* outcome = nullptr) const {
    detail::Build<std::remove_reference_t<Function>> caller{build};
    return produce(
        outcome,
        [&](cucore_objectcode** out, cucore_cache_outcome* from, cucore_error** error) {
          return cucore_cache_get_or_build(get(), key.data(), caller.deliver, &caller, out, from,
                                           error);
        },
        &caller.captured);
  }

  /// The work of this cache since it was opened, and the contents of its folder.
  Returned<CacheStatistics> statistics() const { return read(cucore_cache_statistics); }
  /// The same of all caches that have used this folder.
  Returned<CacheStatistics> statistics_of_all() const {
    return read(cucore_cache_statistics_of_all);
  }

  /// Removes the least recently used files until at most `max_bytes` are left; 0 removes all.
  Returned<void> trim(std::uint64_t max_bytes) const {
    return call(cucore_cache_trim, get(), max_bytes, nullptr, nullptr);
  }
  /// @param report  called with a CacheEntry for each file removed; may return false to stop
  template <class Function>
  Returned<void> trim(std::uint64_t max_bytes, Function&& report) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_trim(get(), max_bytes, caller.deliver, &caller, error);
    });
  }

  /// Reads every file and removes those that are damaged; returns their number.
  Returned<std::uint64_t> verify() const {
    return value<std::uint64_t>(cucore_cache_verify, get(), nullptr, nullptr);
  }
  /// @param report  called with a CacheEntry for each file; may return false to stop
  /// @param bad     receives the number of damaged files, if not null
  template <class Function>
  Returned<void> verify(Function&& report, std::uint64_t* bad) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_verify(get(), caller.deliver, &caller, bad, error);
    });
  }

  /// Calls `report` with a CacheEntry for each entry; it may return false to stop.
  template <class Function>
  Returned<void> query(Function&& report) const {
    detail::Report<std::remove_reference_t<Function>> caller{report};
    return reported(caller.captured, [&](cucore_error** error) {
      return cucore_cache_query(get(), caller.deliver, &caller, error);
    });
  }

  /// The reason why compile() would have to compile, in several lines; the first begins with "hit",
  /// "miss" or "bypassed".
  Returned<std::string> explain_miss(const Program& program, CodeType target = CodeType::ptx,
                                     const Names& name_expressions = {}) const {
    std::string text;
    std::size_t size = 0;
    cucore_error* error = nullptr;
    cucore_status status = CUCORE_OK;
    // The text may become longer between two calls.
    do {
      cucore_error_release(std::exchange(error, nullptr));
      text.resize(size);
      status = cucore_cache_explain_miss(
          get(), program.get(), static_cast<cucore_code_type>(target), name_expressions.data(),
          name_expressions.size(), text.empty() ? nullptr : text.data(), text.size(), &size,
          &error);
      if (status != CUCORE_OK && status != CUCORE_ERROR_BUFFER_TOO_SMALL)
        return detail::failed<std::string>(status, error);
    } while (text.size() < size);
    text.resize(size - 1);
    return text;
  }

  /// Adds a remote, which is requested if memory and disk have nothing. The cache destroys it after
  /// its last call, also if this call fails.
  Returned<void> add_remote(std::unique_ptr<CacheRemote> remote) const {
    cucore_cache_remote c = CUCORE_CACHE_REMOTE_INIT;
    if (remote) {
      c.get = detail::RemoteOfC::get;
      c.put = remote->is_read_only() ? nullptr : detail::RemoteOfC::put;
      c.close = detail::RemoteOfC::close;
      c.name = remote->name();
    }
    c.context = remote.release();
    return call(cucore_cache_add_remote, get(), &c);
  }

  /// Adds the remote that a URL of the scheme file, http, https or redis names. Fails with
  /// LIBRARY_MISSING without its plug-in.
  Returned<void> add_remote_url(const Name& url, const CacheRemoteOptions& options = {}) const {
    cucore_cache_remote_options c = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
    c.read_only = options.read_only;
    c.connect_timeout_ms = detail::milliseconds(options.connect_timeout);
    c.timeout_ms = detail::milliseconds(options.timeout);
    return call(cucore_cache_add_remote_url, get(), url.c_str(), &c);
  }

 private:
  template <class Function>
  static Returned<ObjectCode> produce(CacheOutcome* outcome, Function&& function,
                                      const detail::Captured* captured = nullptr) {
    cucore_objectcode* out = nullptr;
    cucore_cache_outcome from = CUCORE_CACHE_OUTCOME_NONE;
    cucore_error* error = nullptr;
    const cucore_status status = function(&out, &from, &error);
    if (outcome) *outcome = static_cast<CacheOutcome>(from);
    if (CUCORE_HPP_FAILED(status)) {
      Error failure(status, error);
      if (captured) captured->rethrow();
      return detail::failed<ObjectCode>(std::move(failure));
    }
    return ObjectCode::adopt(out);
  }

  template <class Function>
  static Returned<void> reported(const detail::Captured& captured, Function&& function) {
    cucore_error* error = nullptr;
    const cucore_status status = function(&error);
    Error failure(status, error);
    captured.rethrow();
    if (failure) return detail::failed<void>(std::move(failure));
    return Returned<void>();
  }

  Returned<CacheStatistics> read(decltype(&cucore_cache_statistics) function) const {
    CacheStatistics out = CUCORE_CACHE_STATISTICS_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = function(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<CacheStatistics>(status, error);
    return out;
  }
};

// == Batch =======================================================================================

/// One compile of many.
struct BatchItem {
  Program program{};
  CodeType target = CodeType::ptx;
  std::vector<std::string> name_expressions{};
};

/// The result of one item: the object code, or the error.
struct BatchResult {
  ObjectCode code{};
  Error error{};
};

/// How to compile many programs at once.
struct BatchOptions {
  /// Reports the end of an item: its index, how many have ended, of how many, and its failure or
  /// null. Runs on threads of the batch, one call at a time. An exception passes through the call.
  using Report = std::function<void(std::size_t index, std::size_t done, std::size_t count,
                                    const Error* failure)>;

  std::size_t workers = 0;                 ///< processes; 0: one per core
  std::chrono::milliseconds time_limit{};  ///< of each compile; 0: unlimited
  Cache cache{};                           ///< empty: none
  Report report{};                         ///< empty: none
};

namespace detail {

struct BatchReport {
  static void deliver(std::size_t index, std::size_t done, std::size_t count,
                      const cucore_error* failure, void* data) {
    auto& self = *static_cast<BatchReport*>(data);
    self.captured.run([&] {
      const Error error = Error::share(failure);
      self.report(index, done, count, failure ? &error : nullptr);
    });
  }

  const BatchOptions::Report& report;
  Captured captured{};
};

}  // namespace detail

inline Returned<std::vector<BatchResult>> Program::compile_batch(Span<const BatchItem> items,
                                                                 const BatchOptions& options) {
  using All = std::vector<BatchResult>;
  std::vector<Names> names;
  std::vector<cucore_batch_item> list;
  names.reserve(items.size());
  list.reserve(items.size());
  for (const BatchItem& item : items) {
    const Names& each = names.emplace_back(item.name_expressions);
    list.push_back({item.program.get(), static_cast<cucore_code_type>(item.target), 0, each.data(),
                    each.size()});
  }
  detail::BatchReport report{options.report};
  cucore_batch_options c = CUCORE_BATCH_OPTIONS_INIT;
  c.workers = options.workers;
  c.time_limit_ms = detail::milliseconds(options.time_limit);
  c.cache = options.cache.get();
  c.report = options.report ? detail::BatchReport::deliver : nullptr;
  c.user_data = &report;
  std::vector<cucore_objectcode*> codes(items.size());
  std::vector<cucore_error*> failures(items.size());
  All results(items.size());
  cucore_error* error = nullptr;
  const cucore_status status = cucore_program_compile_batch(list.data(), list.size(), &c,
                                                            codes.data(), failures.data(), &error);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].code.reset(codes[i]);
    results[i].error = Error::adopt(failures[i]);
  }
  Error failure(status, error);
  report.captured.rethrow();
  if (failure) return detail::failed<All>(std::move(failure));
  return results;
}

inline Returned<std::vector<BatchResult>> Program::compile_batch(Span<const BatchItem> items) {
  return compile_batch(items, BatchOptions());
}

// == Queue =======================================================================================

/// The polling of a queue: latency against CPU use.
struct QueueOptions {
  /// Time of polling without a pause after the last future, at most 1 s. 0 means 50 us, -1 ns
  /// means never.
  std::chrono::nanoseconds spin{};
  /// Interval of polling after that, from 1 us to 1 s. 0 means 20 us.
  std::chrono::nanoseconds sweep{};
};

/// A result of a queue: `token`, and `status`, which is CUCORE_OK or how the work failed.
using Completion = cucore_completion;

/// The contents of a queue and what polling costs.
using QueueInfo = cucore_queue_info;

/// Collects the completions of futures. Any number of threads may take them out; each comes out
/// once, those of a stream in the order of the stream.
class Queue : public Owner<Queue, cucore_queue> {
 public:
  Queue() noexcept {}

  static Returned<Queue> create(const QueueOptions& options = {}) {
    cucore_queue_options c = CUCORE_QUEUE_OPTIONS_INIT;
    c.spin_ns = options.spin.count();
    c.sweep_ns = options.sweep.count();
    return make<Queue>(cucore_queue_create, &c);
  }

  /// A file descriptor that is readable while a completion waits and once the queue is closed, for
  /// poll() and event loops. It belongs to the queue: never read, write or close it.
  std::int32_t descriptor() const noexcept { return cucore_queue_descriptor(get()); }

  /// Waits until a completion is there, and takes as many as fit, oldest first; returns their
  /// number, 0 after the timeout. A timeout of 0 never waits. Fails with INVALID_STATE if the queue
  /// is closed and empty.
  Returned<std::size_t> wait(Span<Completion> out,
                             std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    return value<std::size_t>(cucore_queue_wait, get(), timeout.count(), out.data(), out.size());
  }

  /// The same for one completion; unset after the timeout.
  Returned<std::optional<Completion>> wait(std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    using Maybe = std::optional<Completion>;
    Completion out{};
    std::size_t count = 0;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_queue_wait(get(), timeout.count(), &out, 1, &count, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Maybe>(status, error);
    return count ? Maybe(out) : Maybe();
  }

  /// Ends the queue for all that wait. Completions in it can still be taken out.
  Returned<void> close() const { return call(cucore_queue_close, get()); }

  Returned<QueueInfo> query() const {
    QueueInfo out = CUCORE_QUEUE_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_queue_query(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<QueueInfo>(status, error);
    return out;
  }
};

// == Future ======================================================================================

/// All the work that was in a stream at one moment.
class Future : public Owner<Future, cucore_future> {
 public:
  Future() noexcept {}

  /// Makes a future of the present work of the stream. Its completion, with the token, comes out of
  /// the queue, even if the future is released before.
  static Returned<Future> from_stream(const Stream& stream, const Queue& queue,
                                      std::uint64_t token) {
    return make<Future>(cucore_future_from_stream, stream.get(), queue.get(), token);
  }

  std::uint64_t token() const noexcept { return cucore_future_token(get()); }

  /// Whether the work is complete; does not wait. Fails as the work did.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_future_query, get()); }

  /// Waits until the work is complete, at most so long; false after the timeout. Fails as the work
  /// did.
  Returned<bool> wait(std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    cucore_error* error = nullptr;
    const cucore_status status = cucore_future_wait(get(), timeout.count(), &error);
    if (status == CUCORE_ERROR_NOT_READY) cucore_error_release(std::exchange(error, nullptr));
    if (status != CUCORE_OK && status != CUCORE_ERROR_NOT_READY)
      return detail::failed<bool>(status, error);
    return status == CUCORE_OK;
  }

  /// How the work ended, without asking the driver: no error, its failure, or `Status::not_ready`.
  Error error() const noexcept {
    cucore_error* error = nullptr;
    const cucore_status status = cucore_future_error(get(), &error);
    return Error(status, error);
  }

  /// Separates the future from its queue. True if its completion will never come out of the queue;
  /// false if it is in the queue or was taken out.
  Returned<bool> detach() const { return value<std::int32_t, bool>(cucore_future_detach, get()); }
};

// == Definitions that need all types =============================================================

inline Returned<Stream> Stream::create(const Device& device, const StreamOptions& options) {
  cucore_stream_options c = CUCORE_STREAM_OPTIONS_INIT;
  c.nonblocking = detail::toggle(options.nonblocking);
  c.priority = options.priority;
  return make<Stream>(cucore_stream_create, device.get(), &c);
}

inline Returned<Event> Event::create(const Device& device, const EventOptions& options) {
  cucore_event_options c = CUCORE_EVENT_OPTIONS_INIT;
  c.timing = options.timing;
  c.blocking_sync = options.blocking_sync;
  c.interprocess = options.interprocess;
  return make<Event>(cucore_event_create, device.get(), &c);
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#if __cplusplus >= 202002L && defined(__cpp_lib_ranges)
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<cucore::Span<T>> = true;
#endif

#undef CUCORE_HPP_MODE
#undef CUCORE_HPP_COLD
#undef CUCORE_HPP_FAILED
#endif  // CUCORE_HPP_INCLUDED
