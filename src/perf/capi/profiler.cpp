// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>

#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/cupti/presets.hpp"
#include "perf/report/finish_session.hpp"
#include "perf/report/process_profile.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

static_assert(CUCORE_PROFILER_SOURCE_EVENTS == static_cast<int>(ProfileSource::EVENTS));
static_assert(CUCORE_PROFILER_SOURCE_EMULATED == static_cast<int>(ProfileSource::EMULATED));

// Returns the hardware counters that the options request.
CounterRequest requested_counters(const cucore_profiler_options& given) {
  CounterRequest request;
  request.metrics =
      require_strings(given.metrics, given.metric_count, "cucore_profiler_options.metrics");
  if (given.preset) request.preset = given.preset;
  if (!request.preset.empty()) (void)preset_of(request.preset);  // throws for an unknown name
  return request;
}

ModelUse model_use(cucore_toggle given) {
  if (!require_toggle(given, true, "cucore_profiler_options.model")) return ModelUse::OFF;
  return given == CUCORE_TOGGLE_ON ? ModelUse::REQUIRED : ModelUse::AUTO;
}

ProfilerOptions profiler_options(const cucore_profiler_options* options) {
  const auto given =
      read_options(options, sizeof(cucore_profiler_options), "cucore_profiler_options");
  if (given.source < 0 || given.source > CUCORE_PROFILER_SOURCE_EMULATED)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_profiler_options.source is ", int{given.source},
                       "; expected a cucore_profiler_source"));
  if (!(given.overhead >= 0 && given.overhead <= 1))
    throw Error(Status::INVALID_ARGUMENT, concat("cucore_profiler_options.overhead is ",
                                                 given.overhead, "; expected 0 to 1"));
  require_zero(static_cast<int32_t>(given.reserved), "cucore_profiler_options.reserved");
  ProfilerOptions checked;
  checked.source = static_cast<ProfileSource>(given.source);
  if (given.overhead > 0) checked.overhead = given.overhead;
  if (given.max_records != 0) checked.max_records = given.max_records;
  checked.model = model_use(given.model);
  checked.timeline = require_toggle(given.timeline, false, "cucore_profiler_options.timeline");
  checked.device = DeviceOwner::share(given.device);
  checked.counters = requested_counters(given);
  if (given.counted_launches != 0) checked.counted_launches = given.counted_launches;
  return checked;
}

// The function of the caller and its data, which the last user of the declaration destroys.
class CallersDeclaration {
 public:
  CallersDeclaration(cucore_declare_fn function, void* user_data)
      : function_(function), user_data_(user_data) {}
  ~CallersDeclaration() {
    if (destroy_) destroy_(user_data_);
  }
  CallersDeclaration(const CallersDeclaration&) = delete;
  CallersDeclaration& operator=(const CallersDeclaration&) = delete;

  // The declaration takes over the data, once nothing can fail.
  void own(cucore_destroy_fn destroy) noexcept { destroy_ = destroy; }

  LaunchAmounts operator()(const cucore_operation& launch) const {
    cucore_declaration amounts = CUCORE_DECLARATION_INIT;
    function_(&launch, &amounts, user_data_);
    return {amount(amounts.bytes_read), amount(amounts.bytes_written), amount(amounts.operations)};
  }

 private:
  static double amount(double value) { return value > 0 && std::isfinite(value) ? value : 0; }

  const cucore_declare_fn function_;
  void* const user_data_;
  cucore_destroy_fn destroy_ = nullptr;
};

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_profiler_create(const cucore_profiler_options* options,
                                                     cucore_profiler** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(make<Profiler>(profiler_options(options)));
  });
}

CUCORE_PERF_API cucore_profiler* cucore_profiler_retain(const cucore_profiler* profiler) {
  return retain(profiler);
}

CUCORE_PERF_API void cucore_profiler_release(cucore_profiler* profiler) { release(profiler); }

CUCORE_PERF_API cucore_status cucore_profiler_begin(cucore_profiler* profiler,
                                                    cucore_error** error) {
  return guard(error, [&] { use(profiler, "profiler").begin(); });
}

CUCORE_PERF_API cucore_status cucore_profiler_end(cucore_profiler* profiler, cucore_report** out,
                                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    Profiler& self = use(profiler, "profiler");
    require(out, "out");
    *out = wrap(finish_session(self.end()));
  });
}

CUCORE_PERF_API cucore_status cucore_profiler_begin_range(cucore_profiler* profiler,
                                                          const char* name, cucore_error** error) {
  return guard(error, [&] {
    Profiler& self = use(profiler, "profiler");
    self.begin_range(require(name, "name"));
  });
}

CUCORE_PERF_API cucore_status cucore_profiler_end_range(cucore_profiler* profiler,
                                                        cucore_error** error) {
  return guard(error, [&] { use(profiler, "profiler").end_range(); });
}

CUCORE_PERF_API cucore_status cucore_profiler_run(cucore_profiler* profiler, const char* range,
                                                  cucore_work_fn work, void* user_data,
                                                  cucore_error** error) {
  return guard(error, [&] {
    Profiler& self = use(profiler, "profiler");
    require(range, "range");
    require(work, "work");
    self.run(range, [&](const cucore_stream* stream) {
      client::call("the profiler calls the work", work, stream, user_data);
    });
  });
}

CUCORE_PERF_API cucore_status cucore_profiler_declare(cucore_profiler* profiler, const char* kernel,
                                                      cucore_declare_fn fn, void* user_data,
                                                      cucore_destroy_fn destroy,
                                                      cucore_error** error) {
  return guard(error, [&] {
    Profiler& self = use(profiler, "profiler");
    require(kernel, "kernel");
    require(fn, "fn");
    const auto shared = std::make_shared<CallersDeclaration>(fn, user_data);
    self.declare(kernel, [shared](const cucore_operation& launch) { return (*shared)(launch); });
    shared->own(destroy);
  });
}

CUCORE_PERF_API cucore_status cucore_perf_start_from_environment(cucore_error** error) {
  return guard(error, [&] { start_process_profile(); });
}

}  // extern "C"
