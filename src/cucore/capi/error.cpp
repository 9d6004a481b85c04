// SPDX-License-Identifier: Apache-2.0
// Errors as the caller reads them.
#include "capi/diagnostic.hpp"
#include "capi/error_creation.hpp"
#include "capi/error_object.hpp"

namespace {

using cucore::capi::error_object;
using cucore::capi::error_pool;
using cucore::capi::guard;
using cucore::capi::out_of_memory_error;

const cucore::Error* read(const cucore_error* error) noexcept {
  const auto* object = error_object(error);
  return object ? &object->error : nullptr;
}

}  // namespace

extern "C" {

CUCORE_API cucore_error* cucore_error_create(cucore_status status, const char* message,
                                             const cucore_error_options* options) {
  return cucore::capi::create_error(status, message, options);
}

CUCORE_API cucore_error* cucore_error_retain(const cucore_error* error) {
  if (error != &out_of_memory_error) error_pool.retain(const_cast<cucore_error*>(error));
  return const_cast<cucore_error*>(error);
}

CUCORE_API void cucore_error_release(cucore_error* error) {
  if (error != &out_of_memory_error) error_pool.release(error);
}

CUCORE_API const char* cucore_status_name(cucore_status status) {
  switch (static_cast<int>(status)) {
    case CUCORE_OK:
      return "CUCORE_OK";
#define STATUS(name, number) \
  case number:               \
    return "CUCORE_ERROR_" #name;
#include "support/status.inc"
#undef STATUS
    default:
      return "CUCORE_STATUS_UNKNOWN";
  }
}

CUCORE_API cucore_status cucore_error_status(const cucore_error* error) {
  if (error == &out_of_memory_error) return CUCORE_ERROR_OUT_OF_MEMORY;
  const auto* e = read(error);
  return e ? static_cast<cucore_status>(e->status()) : CUCORE_OK;
}

CUCORE_API const char* cucore_error_message(const cucore_error* error) {
  if (error == &out_of_memory_error) return cucore::capi::OUT_OF_MEMORY_TEXT;
  const auto* e = read(error);
  return e ? e->what() : "";
}

CUCORE_API const char* cucore_error_origin(const cucore_error* error) {
  if (error == &out_of_memory_error) return "cucore";
  const auto* e = read(error);
  return e ? e->origin().library : "";
}

CUCORE_API int32_t cucore_error_native_code(const cucore_error* error) {
  const auto* e = read(error);
  return e ? e->origin().code : 0;
}

CUCORE_API const char* cucore_error_native_name(const cucore_error* error) {
  const auto* e = read(error);
  return e ? e->origin().name.c_str() : "";
}

CUCORE_API const char* cucore_error_log(const cucore_error* error) {
  const auto* e = read(error);
  return e ? e->log().c_str() : "";
}

CUCORE_API size_t cucore_error_diagnostic_count(const cucore_error* failure) {
  size_t count = 0;
  guard(nullptr, [&] {
    if (const auto* object = error_object(failure)) count = object->diagnostics().size();
  });
  return count;
}

CUCORE_API cucore_status cucore_error_diagnostic_at(const cucore_error* failure, size_t index,
                                                    cucore_diagnostic_info* out,
                                                    cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(cucore::capi::require(out, "out"), cucore::capi::FIRST_DIAGNOSTIC);
    cucore::capi::require(failure, "failure");
    const auto* object = error_object(failure);
    if (!object && failure != &out_of_memory_error)
      cucore::capi::throw_dead("failure", "cucore_error", failure);
    const std::vector<cucore::core::Diagnostic> none;
    cucore::capi::write_diagnostic(object ? object->diagnostics() : none, index, out);
  });
}

}  // extern "C"
