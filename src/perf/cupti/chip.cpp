// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/chip.hpp"

#include <algorithm>
#include <string_view>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

void require_chip(const CuptiHost& cupti, const std::string& name, const char* attempt) {
  auto chips = CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips_Params);
  check_cupti(cupti.cuptiProfilerHostGetSupportedChips(&chips), attempt);
  std::string known;
  for (size_t i = 0; i < chips.numChips; ++i) {
    if (name == chips.ppChipNames[i]) return;
    known += concat(i == 0 ? "" : ", ", chips.ppChipNames[i]);
  }
  throw Error(Status::NOT_FOUND, concat("chip is \"", name, "\"; CUPTI has metrics of ", known));
}

}  // namespace

Chip::Chip(const std::string& name, const char* attempt)
    : cupti_(cupti_host(attempt)), attempt_(attempt) {
  require_chip(cupti_, name, attempt);
  auto parameters = CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params);
  parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  parameters.pChipName = name.c_str();
  check_cupti(cupti_.cuptiProfilerHostInitialize(&parameters), attempt);
  object_ = parameters.pHostObject;
}

Chip::~Chip() {
  auto parameters = CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params);
  parameters.pHostObject = object_;
  (void)cupti_.cuptiProfilerHostDeinitialize(&parameters);
}

bool Chip::has(const char* metric) const {
  auto parameters = CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties_Params);
  parameters.pHostObject = object_;
  parameters.pMetricName = metric;
  return cupti_.cuptiProfilerHostGetMetricProperties(&parameters) == CUPTI_SUCCESS;
}

CounterPlan Chip::plan(std::span<const char* const> metrics) const {
  std::vector<const char*> names(metrics.begin(), metrics.end());
  auto added = CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  added.pHostObject = object_;
  added.ppMetricNames = names.data();
  added.numMetrics = names.size();
  check_cupti(cupti_.cuptiProfilerHostConfigAddMetrics(&added), attempt_);
  auto size = CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = object_;
  check_cupti(cupti_.cuptiProfilerHostGetConfigImageSize(&size), attempt_);
  CounterPlan plan;
  plan.image.resize(size.configImageSize);
  auto image = CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params);
  image.pHostObject = object_;
  image.configImageSize = plan.image.size();
  image.pConfigImage = plan.image.data();
  check_cupti(cupti_.cuptiProfilerHostGetConfigImage(&image), attempt_);
  auto passes = CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  passes.configImageSize = plan.image.size();
  passes.pConfigImage = plan.image.data();
  check_cupti(cupti_.cuptiProfilerHostGetNumOfPasses(&passes), attempt_);
  plan.passes = passes.numOfPasses;
  return plan;
}

std::vector<double> Chip::evaluate(std::span<const uint8_t> counters, size_t range,
                                   std::span<const char* const> metrics) const {
  std::vector<const char*> names(metrics.begin(), metrics.end());
  std::vector<double> values(names.size());
  auto parameters = CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  parameters.pHostObject = object_;
  parameters.pCounterDataImage = counters.data();
  parameters.counterDataImageSize = counters.size();
  parameters.rangeIndex = range;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  check_cupti(cupti_.cuptiProfilerHostEvaluateToGpuValues(&parameters), attempt_);
  return values;
}

}  // namespace cucore::perf
