#include "capi/handles.hpp"

#include "support/text.hpp"

namespace cucore::capi {

#define HANDLE(handle, handle_type, object) \
  constinit HandlePool HandleTraits<cucore_##handle>::pool{HandleType::handle_type};
#include "capi/handles.inc"
#undef HANDLE

void throw_null(const char* argument) {
  throw Error(Status::INVALID_ARGUMENT, text(argument, " must not be NULL"));
}

void throw_dead(const char* argument, const char* type) {
  throw Error(Status::INVALID_HANDLE,
              text(argument, " is not a live ", type, ": it was released, or has another type"));
}

}  // namespace cucore::capi
