// SPDX-License-Identifier: Apache-2.0
// The handle types of this library.
#pragma once

#include <cucore_perf.h>

#include "perf/analyze/analysis.hpp"
#include "support/handles.hpp"

struct cucore_analysis : cucore::HandleHead {};

namespace cucore {

template <>
struct HandleTraits<cucore_analysis> {
  using Object = perf::Analysis;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 1);
  static constexpr const char* NAME = "cucore_analysis";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::Analysis> {
  using Handle = cucore_analysis;
};

}  // namespace cucore
