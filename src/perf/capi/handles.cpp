// SPDX-License-Identifier: Apache-2.0
#include "perf/capi/handles.hpp"

namespace cucore {

constinit HandlePool HandleTraits<cucore_analysis>::pool{TYPE, NAME};

constinit HandlePool HandleTraits<cucore_measurement>::pool{TYPE, NAME};

constinit HandlePool HandleTraits<cucore_roof>::pool{TYPE, NAME};

constinit HandlePool HandleTraits<cucore_report>::pool{TYPE, NAME};

constinit HandlePool HandleTraits<cucore_profiler>::pool{TYPE, NAME};

}  // namespace cucore
