// SPDX-License-Identifier: Apache-2.0
// The handle types of this library.
#pragma once

#include <cucore_perf.h>

#include "perf/analyze/analysis.hpp"
#include "perf/machine/roof.hpp"
#include "perf/measure/measurement.hpp"
#include "perf/profile/profiler.hpp"
#include "perf/report/finished_report.hpp"
#include "support/handles.hpp"

#define HANDLE(name, number, object) \
  struct cucore_##name : cucore::HandleHead {};
#include "perf/capi/handles.inc"
#undef HANDLE

namespace cucore {

#define HANDLE(name, number, object)                                             \
  template <>                                                                    \
  struct HandleTraits<cucore_##name> {                                           \
    using Object = object;                                                       \
    static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, number); \
    static constexpr const char* NAME = "cucore_" #name;                         \
    static HandlePool pool;                                                      \
  };                                                                             \
  template <>                                                                    \
  struct HandleTraits<object> {                                                  \
    using Handle = cucore_##name;                                                \
  };
#include "perf/capi/handles.inc"
#undef HANDLE

}  // namespace cucore
