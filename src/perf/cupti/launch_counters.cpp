// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/launch_counters.hpp"

#include <exception>
#include <utility>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

// CUPTI ends the passes itself. A range that never completes ends after these.
constexpr size_t EXTRA_PASSES = 2;

void initialise(const CuptiTarget& cupti, const char* attempt) {
  auto parameters = CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params);
  check_cupti(cupti.cuptiProfilerInitialize(&parameters), attempt);
}

}  // namespace

std::string chip_name(int ordinal, const char* attempt) {
  const CuptiTarget& cupti = cupti_target(attempt);
  initialise(cupti, attempt);
  auto parameters = CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params);
  parameters.deviceIndex = static_cast<size_t>(ordinal);
  check_cupti(cupti.cuptiDeviceGetChipName(&parameters), attempt);
  return parameters.pChipName;
}

RangeProfiler::RangeProfiler(const CuptiTarget& cupti, CUcontext context, const char* attempt)
    : cupti_(cupti) {
  initialise(cupti, attempt);
  auto parameters = CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params);
  parameters.ctx = context;
  check_cupti(cupti.cuptiRangeProfilerEnable(&parameters), attempt);
  object_ = parameters.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  auto parameters = CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params);
  parameters.pRangeProfilerObject = object_;
  (void)cupti_.cuptiRangeProfilerDisable(&parameters);
}

LaunchCounters::LaunchCounters(CUcontext context, const Chip& chip,
                               std::vector<const char*> metrics, const char* attempt)
    : cupti_(cupti_target(attempt)),
      attempt_(attempt),
      chip_(chip),
      metrics_(std::move(metrics)),
      plan_(chip.plan(metrics_)),
      profiler_(cupti_, context, attempt) {
  auto size = CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = profiler_.get();
  size.pMetricNames = metrics_.data();
  size.numMetrics = metrics_.size();
  size.maxNumOfRanges = MOST;
  size.maxNumRangeTreeNodes = MOST;
  check_cupti(cupti_.cuptiRangeProfilerGetCounterDataSize(&size), attempt);
  counters_.resize(size.counterDataSize);
}

// The counters of earlier launches are gone.
void LaunchCounters::reset(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode replay,
                           size_t most) {
  auto image = CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  image.pRangeProfilerObject = profiler_.get();
  image.counterDataSize = counters_.size();
  image.pCounterData = counters_.data();
  check_cupti(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&image), attempt_);
  auto config = CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params);
  config.pRangeProfilerObject = profiler_.get();
  config.configSize = plan_.image.size();
  config.pConfig = plan_.image.data();
  config.counterDataImageSize = counters_.size();
  config.pCounterDataImage = counters_.data();
  config.range = range;
  config.replayMode = replay;
  config.maxRangesPerPass = most;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  check_cupti(cupti_.cuptiRangeProfilerSetConfig(&config), attempt_);
}

void LaunchCounters::start() {
  auto parameters = CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params);
  parameters.pRangeProfilerObject = profiler_.get();
  check_cupti(cupti_.cuptiRangeProfilerStart(&parameters), attempt_);
}

bool LaunchCounters::stop() {
  auto stopped = CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params);
  stopped.pRangeProfilerObject = profiler_.get();
  check_cupti(cupti_.cuptiRangeProfilerStop(&stopped), attempt_);
  return stopped.isAllPassSubmitted != 0;
}

void LaunchCounters::begin() {
  reset(CUPTI_AutoRange, CUPTI_KernelReplay, MOST);
  start();
}

std::vector<std::vector<double>> LaunchCounters::end() {
  (void)stop();
  return decode();
}

std::vector<double> LaunchCounters::count_range(const std::function<void()>& work) {
  reset(CUPTI_UserRange, CUPTI_UserReplay, 1);
  bool is_complete = false;
  for (size_t pass = 0; pass < plan_.passes + EXTRA_PASSES && !is_complete; ++pass) {
    start();
    auto pushed = CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange_Params);
    pushed.pRangeProfilerObject = profiler_.get();
    pushed.pRangeName = "range";
    check_cupti(cupti_.cuptiRangeProfilerPushRange(&pushed), attempt_);
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    auto popped = CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange_Params);
    popped.pRangeProfilerObject = profiler_.get();
    const CUptiResult result = cupti_.cuptiRangeProfilerPopRange(&popped);
    if (!failure) check_cupti(result, attempt_);
    is_complete = stop();
    if (failure) std::rethrow_exception(failure);
  }
  const std::vector<std::vector<double>> ranges = decode();
  if (ranges.size() != 1)
    throw Error(Status::INTERNAL, concat("cannot ", attempt_, ": CUPTI returned the counters of ",
                                         ranges.size(), " ranges; expected 1"));
  return ranges.front();
}

std::vector<std::vector<double>> LaunchCounters::decode() {
  auto decoded = CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params);
  decoded.pRangeProfilerObject = profiler_.get();
  check_cupti(cupti_.cuptiRangeProfilerDecodeData(&decoded), attempt_);
  auto info = CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  info.pCounterDataImage = counters_.data();
  info.counterDataImageSize = counters_.size();
  check_cupti(cupti_.cuptiRangeProfilerGetCounterDataInfo(&info), attempt_);
  std::vector<std::vector<double>> launches;
  for (size_t range = 0; range < info.numTotalRanges; ++range)
    launches.push_back(chip_.evaluate(counters_, range, metrics_));
  return launches;
}

}  // namespace cucore::perf
