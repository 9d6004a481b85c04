/// @file cucore/error.hpp
/// The exceptions, results, and the call of a C function.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_ERROR_HPP_INCLUDED
#define CUCORE_ERROR_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bytes.hpp"
#include "enumerations.hpp"
#include "owner.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

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
    Owner::reset(error);
  }

  /// Becomes the error of C, or no failure.
  void reset(cucore_error* handle = nullptr) noexcept {
    Owner::reset(handle);
    status_ = Status::ok;
    message_.reset();
  }
  void swap(Error& other) noexcept { std::swap(*this, other); }

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
  row(checks, ChecksError, CodeError)                             \
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

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_ERROR_HPP_INCLUDED
