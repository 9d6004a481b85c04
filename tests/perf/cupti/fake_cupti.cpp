// SPDX-License-Identifier: Apache-2.0
// A scripted CUPTI with one chip, whose dram metrics have their other names. A plan has a pass per
// two metrics. A test adds launches with fake_cupti_launch(). The values of one are 100 * launch +
// index of the metric. FAKE_CUPTI_FAILURE=FUNCTION:RESULT lets a function fail.
#include <cstdlib>
#include <cstring>
#include <new>

#include "perf/cupti/headers.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr const char* CHIPS[] = {"FK100", "FK200"};

struct Host {
  size_t metrics = 0;
};
struct Profiler {
  bool is_started = false;
  size_t launches = 0, most = 0;
};
template <class T>
T* place() {
  return new (std::malloc(sizeof(T))) T;
}

Profiler* g_enabled = nullptr;
size_t g_decoded = 0;

CUptiResult failure_of(const char* function) {
  const char* const rule = std::getenv("FAKE_CUPTI_FAILURE");
  const size_t length = std::strlen(function);
  if (!rule || std::strncmp(rule, function, length) != 0 || rule[length] != ':')
    return CUPTI_SUCCESS;
  return static_cast<CUptiResult>(std::atoi(rule + length + 1));
}
#define FAIL_IF_FORCED                                                            \
  if (const CUptiResult forced = failure_of(__func__); forced != CUPTI_SUCCESS) { \
    return forced;                                                                \
  }

[[maybe_unused]] Host* host_of(CUpti_Profiler_Host_Object* object) {
  return reinterpret_cast<Host*>(object);
}
Profiler* profiler_of(CUpti_RangeProfiler_Object* object) {
  return reinterpret_cast<Profiler*>(object);
}

}  // namespace

EXPORT void fake_cupti_launch() {
  if (g_enabled && g_enabled->is_started && g_enabled->launches < g_enabled->most)
    ++g_enabled->launches;
}
EXPORT int fake_cupti_is_enabled() { return g_enabled != nullptr; }

EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = 130000;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** name) {
  *name = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN"
                                          : nullptr;
  return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

#ifndef FAKE_OLD
EXPORT CUptiResult
cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params* p) {
  FAIL_IF_FORCED
  p->numChips = 2;
  p->ppChipNames = CHIPS;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  FAIL_IF_FORCED
  if (std::strcmp(p->pChipName, "FK200") == 0) return CUPTI_ERROR_NOT_SUPPORTED;
  p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(place<Host>());
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  std::free(host_of(p->pHostObject));
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* p) {
  const bool is_missing = std::strcmp(p->pMetricName, "dram__bytes_read.sum") == 0 ||
                          std::strncmp(p->pMetricName, "lts__", 5) == 0;
  return is_missing ? CUPTI_ERROR_INVALID_METRIC_NAME : CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  FAIL_IF_FORCED
  host_of(p->pHostObject)->metrics = p->numMetrics;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = host_of(p->pHostObject)->metrics;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  FAIL_IF_FORCED
  std::memset(p->pConfigImage, 7, p->configImageSize);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  FAIL_IF_FORCED
  if (p->configImageSize != 0 && p->pConfigImage[0] != 7) return CUPTI_ERROR_INVALID_PARAMETER;
  p->numOfPasses = (p->configImageSize + 1) / 2;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  FAIL_IF_FORCED
  for (size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = static_cast<double>(100 * p->rangeIndex + i);
  return CUPTI_SUCCESS;
}
#endif

EXPORT CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  FAIL_IF_FORCED
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  FAIL_IF_FORCED
  p->pChipName = CHIPS[p->deviceIndex];
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  FAIL_IF_FORCED
  if (g_enabled) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  g_enabled = place<Profiler>();
  p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(g_enabled);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* p) {
  std::free(profiler_of(p->pRangeProfilerObject));
  g_enabled = nullptr;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  FAIL_IF_FORCED
  p->counterDataSize = 64 * p->maxNumOfRanges;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  FAIL_IF_FORCED
  std::memset(p->pCounterData, 0, p->counterDataSize);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  FAIL_IF_FORCED
  const bool is_right = p->configSize != 0 && p->range == CUPTI_AutoRange &&
                        p->replayMode == CUPTI_KernelReplay && p->numNestingLevels == 1;
  profiler_of(p->pRangeProfilerObject)->most = p->maxRangesPerPass;
  return is_right ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
EXPORT CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* p) {
  FAIL_IF_FORCED
  profiler_of(p->pRangeProfilerObject)->is_started = true;
  profiler_of(p->pRangeProfilerObject)->launches = 0;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  FAIL_IF_FORCED
  profiler_of(p->pRangeProfilerObject)->is_started = false;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  FAIL_IF_FORCED
  g_decoded = profiler_of(p->pRangeProfilerObject)->launches;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  FAIL_IF_FORCED
  p->numTotalRanges = g_decoded;
  return CUPTI_SUCCESS;
}
