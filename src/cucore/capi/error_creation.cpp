// SPDX-License-Identifier: Apache-2.0
#include "capi/error_creation.hpp"

#include <cstddef>
#include <string>

#include "capi/error_object.hpp"
#include "capi/guard.hpp"
#include "support/concat.hpp"
#include "support/interned.hpp"

namespace cucore::capi {
namespace {

constexpr size_t FIRST_ERROR_OPTIONS =
    offsetof(cucore_error_options, cause) + sizeof(const cucore_error*);

const char* or_empty(const char* string) { return string ? string : ""; }

cucore_error_options checked(cucore_status status, const cucore_error_options* options) {
  if (static_cast<int>(status) < 1)
    throw Error(Status::INVALID_ARGUMENT,
                concat("status is ", static_cast<int>(status), "; expected a number above 0"));
  const auto all = read_options(options, FIRST_ERROR_OPTIONS, "cucore_error_options");
  require_zero(all.reserved, "options->reserved");
  return all;
}

std::string joined(std::string first, const char* separator, std::string_view second) {
  if (second.empty()) return first;
  if (first.empty()) return std::string(second);
  return first.append(separator).append(second);
}

std::string joined_logs(std::string first, std::string_view second) {
  // The arguments of a call have no order, so no other one reads a text that is moved.
  const char* const separator = first.ends_with('\n') ? "" : "\n";
  return joined(std::move(first), separator, second);
}

Error described(cucore_status status, const char* message, const cucore_error_options& options) {
  return Error(static_cast<Status>(status),
               joined(message, ": ", cucore_error_message(options.cause)),
               joined_logs(or_empty(options.log), cucore_error_log(options.cause)),
               {options.origin ? interned(options.origin) : "cucore", options.native_code,
                or_empty(options.native_name)});
}

// Takes over the reference to the error.
cucore_error* with_message(cucore_error* defect, const char* message) noexcept {
  cucore_error* whole = nullptr;
  guard(&whole, [&] {
    throw Error(static_cast<Status>(cucore_error_status(defect)),
                concat(cucore_error_message(defect), "; the error is: ", message));
  });
  cucore_error_release(defect);
  return whole;
}

}  // namespace

cucore_error* create_error(cucore_status status, const char* message,
                           const cucore_error_options* options) noexcept {
  if (!message) message = cucore_status_name(status);
  cucore_error* error = nullptr;
  cucore_error_options all{};
  if (guard(&error, [&] { all = checked(status, options); }) != CUCORE_OK)
    return with_message(error, message);
  guard(&error, [&] { throw described(status, message, all); });
  return error;
}

}  // namespace cucore::capi
