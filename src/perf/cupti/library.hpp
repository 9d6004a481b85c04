// SPDX-License-Identifier: Apache-2.0
// The functions of CUPTI that this library calls. libcucore finds and opens CUPTI at the first use.
#pragma once

#include "perf/cupti/headers.hpp"

namespace cucore::perf {

struct CuptiHost {
#define CUPTI_CALL(name) decltype(&::name) name = nullptr;
#include "perf/cupti/host_calls.inc"
#undef CUPTI_CALL
};

struct CuptiTarget {
#define CUPTI_CALL(name) decltype(&::name) name = nullptr;
#include "perf/cupti/target_calls.inc"
#undef CUPTI_CALL
};

struct CuptiActivity {
#define CUPTI_CALL(name) decltype(&::name) name = nullptr;
#include "perf/cupti/activity_calls.inc"
#undef CUPTI_CALL
};

// Throw CallFailed if CUPTI is missing, or if it is too old. `attempt` is the action that fails
// then. The functions live until the process ends.
const CuptiHost& cupti_host(const char* attempt);
const CuptiTarget& cupti_target(const char* attempt);
const CuptiActivity& cupti_activity(const char* attempt);

// Throws INVALID_STATE if the process runs under a profiler of NVIDIA, which CUPTI would disturb.
void require_no_profiler_around(const char* attempt);

// Throws an error with the name of the result, unless it is CUPTI_SUCCESS. The status is
// NOT_PERMITTED if the user has no permission for counters, and INVALID_STATE if another profiler
// has them. It is UNSUPPORTED for a limit of the device, else INTERNAL.
void check_cupti(CUptiResult result, const char* attempt);

// The parameters of a call, with the size that CUPTI asks for.
template <class Parameters>
Parameters parameters_of_size(size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}
#define CUPTI_PARAMETERS(type) parameters_of_size<type>(type##_STRUCT_SIZE)

}  // namespace cucore::perf
