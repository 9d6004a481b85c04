/// @file cucore/library.hpp
/// The libraries that are opened at run time, the driver and the log.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_LIBRARY_HPP_INCLUDED
#define CUCORE_LIBRARY_HPP_INCLUDED

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "error.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

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

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_LIBRARY_HPP_INCLUDED
