// SPDX-License-Identifier: Apache-2.0
#include "capi/handles.hpp"

namespace cucore {

#define HANDLE(handle, handle_type, object) \
  constinit HandlePool HandleTraits<cucore_##handle>::pool{TYPE, NAME};
#include "capi/handles.inc"
#undef HANDLE

}  // namespace cucore
