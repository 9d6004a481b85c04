// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/library.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "client/native.hpp"
#include "support/concat.hpp"
#include "support/environment.hpp"

namespace cucore::perf {
namespace {

template <class Function>
void find(const char* attempt, const char* name, Function*& out) {
  void* address = nullptr;
  cucore_error* error = nullptr;
  cucore_status status = cucore_library_symbol(CUCORE_LIBRARY_CUPTI, name, &address, &error);
  if (status == CUCORE_ERROR_NOT_FOUND) status = CUCORE_ERROR_UNSUPPORTED;  // it is too old
  if (status != CUCORE_OK) throw client::CallFailed(status, attempt, error);
  out = reinterpret_cast<Function*>(address);
}

void find_all(const char* attempt, CuptiHost& host) {
#define CUPTI_CALL(name) find(attempt, #name, host.name);
#include "perf/cupti/host_calls.inc"
#undef CUPTI_CALL
}

void find_all(const char* attempt, CuptiTarget& target) {
#define CUPTI_CALL(name) find(attempt, #name, target.name);
#include "perf/cupti/target_calls.inc"
#undef CUPTI_CALL
}

void find_all(const char* attempt, CuptiActivity& activity) {
#define CUPTI_CALL(name) find(attempt, #name, activity.name);
#include "perf/cupti/activity_calls.inc"
#undef CUPTI_CALL
}

// The structures of records and parameters have at least the size of this version.
constexpr uint32_t LEAST_VERSION = 130000;

void require_version(const char* attempt) {
  uint32_t version = 0;
  check_cupti(cupti_host(attempt).cuptiGetVersion(&version), attempt);
  if (version < LEAST_VERSION)
    throw Error(Status::UNSUPPORTED,
                concat("cannot ", attempt, ": the interface of CUPTI has version ", version,
                       "; expected at least ", LEAST_VERSION));
}

// A failure is tried again at the next call, because the program may set another library.
template <class Calls>
const Calls& found(const char* attempt) {
  static std::mutex mutex;
  static Calls calls;
  static bool is_complete = false;
  const std::lock_guard lock(mutex);
  if (!is_complete) find_all(attempt, calls);
  is_complete = true;
  return calls;
}

constexpr CUptiResult LIMITS[] = {
    CUPTI_ERROR_NOT_SUPPORTED,
    CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED,
    CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
    CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
    CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED,
    CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
};

struct Meaning {
  Status status;
  const char* remedy;
};

Meaning meaning_of(CUptiResult result) {
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
    return {Status::NOT_PERMITTED,
            "; the driver permits counters to administrators alone: run as root, or load the "
            "driver's module with NVreg_RestrictProfilingToAdminUsers=0"};
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ||
      result == CUPTI_ERROR_HARDWARE_BUSY)
    return {Status::INVALID_STATE, "; another profiler has the counters: end it first"};
  const bool is_limit = std::find(std::begin(LIMITS), std::end(LIMITS), result) != std::end(LIMITS);
  return {is_limit ? Status::UNSUPPORTED : Status::INTERNAL, ""};
}

}  // namespace

const CuptiHost& cupti_host(const char* attempt) { return found<CuptiHost>(attempt); }
const CuptiTarget& cupti_target(const char* attempt) {
  require_version(attempt);
  return found<CuptiTarget>(attempt);
}
const CuptiActivity& cupti_activity(const char* attempt) {
  require_version(attempt);
  return found<CuptiActivity>(attempt);
}

void require_no_profiler_around(const char* attempt) {
  for (const char* const name : {"NV_COMPUTE_PROFILER_PERFWORKS_DIR",
                                 "NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "CUDA_INJECTION64_PATH"})
    if (!environment(name).empty())
      throw Error(Status::INVALID_STATE,
                  concat("cannot ", attempt, ": another profiler runs the program, because ", name,
                         " is set"));
}

void check_cupti(CUptiResult result, const char* attempt) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  (void)cupti_host(attempt).cuptiGetResultString(result, &name);
  const char* const text = name ? name : "an unknown result";
  const Meaning meaning = meaning_of(result);
  throw Error(meaning.status, concat("cannot ", attempt, ": CUPTI returned ", text, meaning.remedy),
              {}, {"cupti", static_cast<int32_t>(result), text});
}

}  // namespace cucore::perf
