// SPDX-License-Identifier: Apache-2.0
#include "perf/capi/handles.hpp"

namespace cucore {

#define HANDLE(name, number, object) \
  constinit HandlePool HandleTraits<cucore_##name>::pool{TYPE, NAME};
#include "perf/capi/handles.inc"
#undef HANDLE

}  // namespace cucore
