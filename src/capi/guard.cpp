#include "capi/guard.hpp"

#include <new>

#include "capi/error_object.hpp"
#include "support/text.hpp"

namespace cucore::capi {

constinit HandlePool error_pool{HandleType::ERROR};
constinit cucore_error out_of_memory_error{};

namespace {

cucore_error* make_error(Error error) {
  const Ref<ErrorObject> object = make<ErrorObject>(std::move(error));
  return static_cast<cucore_error*>(error_pool.wrap(object.get()));
}

cucore_status to_c(Status status) { return static_cast<cucore_status>(status); }

#define STATUS(name, number) static_assert(CUCORE_ERROR_##name == number);
#include "support/status.inc"
#undef STATUS

}  // namespace

cucore_status report(cucore_error** out) noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      if (out) *out = make_error(error);
      return to_c(error.status());
    } catch (const std::bad_alloc&) {
      if (out) *out = &out_of_memory_error;
      return CUCORE_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
      if (out)
        *out = make_error({Status::INTERNAL, text("a fault inside libcucore: ", error.what())});
      return CUCORE_ERROR_INTERNAL;
    } catch (...) {
      if (out) *out = make_error({Status::INTERNAL, "a fault inside libcucore"});
      return CUCORE_ERROR_INTERNAL;
    }
  } catch (...) {
    // No memory to say more.
    if (out) *out = &out_of_memory_error;
    return CUCORE_ERROR_OUT_OF_MEMORY;
  }
}

std::vector<std::string> require_strings(const char* const* strings, size_t count,
                                         const char* argument) {
  std::vector<std::string> copies;
  for (const char* string : require_array(strings, count, argument)) {
    if (!string)
      throw Error(Status::INVALID_ARGUMENT, text(argument, " has NULL at index ", copies.size()));
    copies.emplace_back(string);
  }
  return copies;
}

bool require_flag(int32_t value, const char* field) {
  if (value != 0 && value != 1)
    throw Error(Status::INVALID_ARGUMENT, text(field, " is ", value, ", neither 0 nor 1"));
  return value != 0;
}

void require_zero(int32_t value, const char* field) {
  if (value != 0) throw Error(Status::INVALID_ARGUMENT, text(field, " is ", value, "; leave it 0"));
}

bool require_toggle(cucore_toggle value, bool by_default, const char* field) {
  if (value == CUCORE_TOGGLE_DEFAULT) return by_default;
  if (value != CUCORE_TOGGLE_ON && value != CUCORE_TOGGLE_OFF)
    throw Error(Status::INVALID_ARGUMENT,
                text(field, " is ", static_cast<int>(value), ", not a cucore_toggle"));
  return value == CUCORE_TOGGLE_ON;
}

}  // namespace cucore::capi
