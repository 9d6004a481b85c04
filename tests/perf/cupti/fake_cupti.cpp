// SPDX-License-Identifier: Apache-2.0
// A scripted CUPTI with one chip, whose dram metrics have their other names. A plan has a pass per
// two metrics. A test adds launches with fake_cupti_launch(). The values of one are 100 * launch +
// index of the metric. FAKE_CUPTI_FAILURE=FUNCTION:RESULT lets a function fail, and
// FAKE_CUPTI_FAILURE=ranges:RESULT the records of ranges. FAKE_CUPTI_VERSION is the version.
// Activity is what a test records while it is enabled; the clock stands still. From the exit of the
// process on, activity cannot be used: as with CUPTI 13.0, a call crashes.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "perf/cupti/headers.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr const char* CHIPS[] = {"FK100", "FK200"};

struct Host {
  size_t metrics = 0;
};
struct Profiler {
  bool is_started = false, is_set = false, is_user_range = false, is_pushed = false;
  size_t launches = 0, most = 0, passes = 0, passes_run = 0;
};
template <class T>
T* place() {
  return new (std::malloc(sizeof(T))) T;
}

Profiler* g_enabled = nullptr;
size_t g_decoded = 0;
size_t g_launches_per_range = 0;

constexpr uint64_t NOW = 1'000'000'000;
constexpr uint32_t RANGES = 1u << CUPTI_ACTIVITY_KIND_MARKER;
bool g_is_subscribed = false, g_has_ended = false;
uint32_t g_enabled_kinds = 0;  // bits by kind
CUpti_BuffersCallbackRequestFunc g_provide = nullptr;
CUpti_BuffersCallbackCompleteFunc g_take = nullptr;
std::vector<std::string> g_records;  // bytes
size_t g_missing_bytes = 0, g_dropped = 0;

template <class Record>
void keep(const Record& record) {
  if (g_enabled_kinds >> record.kind & 1)
    g_records.emplace_back(reinterpret_cast<const char*>(&record), sizeof record);
}
size_t size_of(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_MARKER   ? sizeof(CUpti_ActivityMarker2)
         : kind == CUPTI_ACTIVITY_KIND_MEMCPY ? sizeof(CUpti_ActivityMemcpy6)
         : kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(CUpti_ActivityMemset4)
                                              : sizeof(CUpti_ActivityKernel10);
}

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
// Each range has so many launches, without fake_cupti_launch().
EXPORT void fake_cupti_launches_per_range(size_t launches) { g_launches_per_range = launches; }
// The name must live until the records are delivered. Times are nanoseconds after the clock.
EXPORT void fake_cupti_kernel(const char* name, uint32_t blocks, uint32_t threads, uint64_t start,
                              uint64_t duration, uint64_t graph_node) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.gridX = static_cast<int32_t>(blocks);
  record.blockX = static_cast<int32_t>(threads);
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  record.clusterX = record.clusterY = record.clusterZ = 1;
  record.registersPerThread = 40;
  record.streamId = 7;
  record.start = NOW + start;
  record.end = record.start + duration;
  record.graphNodeId = graph_node;
  keep(record);
}
EXPORT void fake_cupti_copy(uint8_t kind, uint64_t bytes, uint64_t start, uint64_t duration) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = kind;
  record.bytes = bytes;
  record.start = NOW + start;
  record.end = record.start + duration;
  keep(record);
}
EXPORT void fake_cupti_fill(uint64_t bytes, uint64_t start, uint64_t duration) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.bytes = bytes;
  record.start = NOW + start;
  record.end = record.start + duration;
  keep(record);
}
// A marker of NVTX; name and domain may be null. `flags` as of CUPTI: 1 a mark, 2 a begin, 4 an
// end.
EXPORT void fake_cupti_marker(uint32_t flags, uint32_t id, uint32_t thread, const char* name,
                              const char* domain, uint64_t time) {
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = static_cast<CUpti_ActivityFlag>(flags);
  record.timestamp = NOW + time;
  record.id = id;
  record.objectKind = thread != 0 ? CUPTI_ACTIVITY_OBJECT_THREAD : CUPTI_ACTIVITY_OBJECT_PROCESS;
  record.objectId.pt.processId = 1;
  record.objectId.pt.threadId = thread;
  record.name = name;
  record.domain = domain;
  keep(record);
}
// The last record of a buffer lacks so many bytes, and CUPTI reports so many lost records.
EXPORT void fake_cupti_shorten(size_t missing_bytes, size_t dropped) {
  g_missing_bytes = missing_bytes;
  g_dropped = dropped;
}
EXPORT int fake_cupti_is_recording() { return (g_enabled_kinds & ~RANGES) != 0; }
EXPORT int fake_cupti_is_recording_ranges() { return (g_enabled_kinds & RANGES) != 0; }
EXPORT int fake_cupti_is_subscribed() { return g_is_subscribed; }
EXPORT int fake_cupti_is_enabled() { return g_enabled != nullptr; }

EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  FAIL_IF_FORCED
  const char* const forced_version = std::getenv("FAKE_CUPTI_VERSION");
  *version = forced_version ? static_cast<uint32_t>(std::atoi(forced_version)) : 130000;
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
  const bool is_kernel_replay = p->range == CUPTI_AutoRange && p->replayMode == CUPTI_KernelReplay;
  const bool is_user_replay = p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay;
  const bool is_right =
      p->configSize != 0 && p->numNestingLevels == 1 && (is_kernel_replay || is_user_replay);
  Profiler& profiler = *profiler_of(p->pRangeProfilerObject);
  if (profiler.is_set && profiler.is_user_range != is_user_replay)
    return CUPTI_ERROR_INVALID_PARAMETER;
  profiler.is_set = true;
  profiler.most = p->maxRangesPerPass;
  profiler.is_user_range = is_user_replay;
  profiler.passes = (p->configSize + 1) / 2;
  profiler.passes_run = 0;
  return is_right ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
EXPORT CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* p) {
  FAIL_IF_FORCED
  profiler_of(p->pRangeProfilerObject)->is_started = true;
  profiler_of(p->pRangeProfilerObject)->launches = g_launches_per_range;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  FAIL_IF_FORCED
  Profiler& profiler = *profiler_of(p->pRangeProfilerObject);
  profiler.is_started = false;
  if (profiler.is_pushed) return CUPTI_ERROR_INVALID_OPERATION;
  p->isAllPassSubmitted = ++profiler.passes_run >= profiler.passes;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* p) {
  FAIL_IF_FORCED
  Profiler& profiler = *profiler_of(p->pRangeProfilerObject);
  if (!profiler.is_started || profiler.is_pushed) return CUPTI_ERROR_INVALID_OPERATION;
  profiler.is_pushed = true;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* p) {
  FAIL_IF_FORCED
  profiler_of(p->pRangeProfilerObject)->is_pushed = false;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  FAIL_IF_FORCED
  const Profiler& profiler = *profiler_of(p->pRangeProfilerObject);
  g_decoded = profiler.is_user_range ? profiler.passes_run == profiler.passes : profiler.launches;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  FAIL_IF_FORCED
  p->numTotalRanges = g_decoded;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*,
                                     CUpti_SubscriberParams* p) {
  if (const CUptiResult forced = failure_of(__func__); forced != CUPTI_SUCCESS) {
    std::strncpy(p->oldSubscriberName, "CUPTI for a test", p->oldSubscriberSize - 1);
    return forced;
  }
  if (g_is_subscribed) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  g_is_subscribed = true;
  *subscriber = nullptr;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  g_is_subscribed = false;
  g_records.clear();
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetTimestamp(uint64_t* time) {
  FAIL_IF_FORCED
  *time = NOW;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc provide,
                                                  CUpti_BuffersCallbackCompleteFunc take) {
  FAIL_IF_FORCED
  g_provide = provide;
  g_take = take;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  FAIL_IF_FORCED
  [[maybe_unused]] static const int is_ending = std::atexit([] { g_has_ended = true; });
  if (kind == CUPTI_ACTIVITY_KIND_MARKER && failure_of("ranges") != CUPTI_SUCCESS)
    return failure_of("ranges");
  g_enabled_kinds |= 1u << kind;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (g_has_ended) std::abort();
  FAIL_IF_FORCED
  g_enabled_kinds &= ~(1u << kind);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityFlushAll(uint32_t) {
  if (g_has_ended) std::abort();
  FAIL_IF_FORCED
  size_t next = 0;
  while (next < g_records.size()) {
    uint8_t* buffer = nullptr;
    size_t size = 0, most = 0, filled = 0;
    g_provide(&buffer, &size, &most);
    if (!buffer) return CUPTI_ERROR_OUT_OF_MEMORY;
    while (next < g_records.size() && filled + g_records[next].size() <= size) {
      std::memcpy(buffer + filled, g_records[next].data(), g_records[next].size());
      filled += g_records[next++].size();
    }
    g_take(nullptr, 0, buffer, size, filled - g_missing_bytes);
  }
  g_records.clear();
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t size,
                                              CUpti_Activity** record) {
  FAIL_IF_FORCED
  auto* next = reinterpret_cast<uint8_t*>(*record);
  next = next ? next + size_of((*record)->kind) : buffer;
  const size_t left = size - static_cast<size_t>(next - buffer);
  if (left < sizeof(CUpti_ActivityKind)) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  const auto* const head = reinterpret_cast<const CUpti_Activity*>(next);
  if (left < size_of(head->kind)) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = g_dropped;
  return CUPTI_SUCCESS;
}
