// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/activity.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "perf/cupti/device_context.hpp"
#include "perf/cupti/library.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr const char* RECORDS = "record activity";
constexpr size_t BUFFER_SIZE = size_t{1} << 20, BUFFER_ALIGNMENT = 8;
constexpr CUpti_ActivityKind KINDS[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

constexpr uint32_t RANGE_FLAGS = CUPTI_ACTIVITY_FLAG_MARKER_START | CUPTI_ACTIVITY_FLAG_MARKER_END;

// CUPTI's threads call with buffers at any time, also after a feed has ended.
struct Sink {
  std::mutex mutex;  // guards the following
  const CuptiActivity* cupti = nullptr;
  ActivityFeed::Receiver receiver;
  uint64_t dropped = 0;
};
Sink& sink() {
  static Sink* const kept = new Sink;  // lives until the process ends
  return *kept;
}

void set_extent(uint32_t (&out)[3], uint64_t x, uint64_t y, uint64_t z) {
  out[0] = static_cast<uint32_t>(x);
  out[1] = static_cast<uint32_t>(y);
  out[2] = static_cast<uint32_t>(z);
}

template <class Record>
void set_common(Activity& activity, const Record& record) {
  activity.start = record.start;
  activity.end = record.end;
  activity.device = record.deviceId;
  activity.stream = record.streamId;
  activity.is_in_graph = record.graphNodeId != 0 || record.graphId != 0;
}

Activity activity_of(const CUpti_ActivityMarker2& record) {
  Activity activity;
  activity.kind = record.flags & CUPTI_ACTIVITY_FLAG_MARKER_START ? ActivityKind::RANGE_BEGIN
                                                                  : ActivityKind::RANGE_END;
  activity.start = activity.end = record.timestamp;
  activity.range = record.id;
  if (record.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
    activity.thread = record.objectId.pt.threadId;
  if (record.name) activity.name = record.name;
  if (record.domain) activity.domain = record.domain;
  return activity;
}

Activity activity_of(const CUpti_ActivityKernel10& record) {
  Activity activity;
  set_common(activity, record);
  if (record.name) activity.name = record.name;
  set_extent(activity.grid, static_cast<uint32_t>(record.gridX),
             static_cast<uint32_t>(record.gridY), static_cast<uint32_t>(record.gridZ));
  set_extent(activity.block, static_cast<uint32_t>(record.blockX),
             static_cast<uint32_t>(record.blockY), static_cast<uint32_t>(record.blockZ));
  set_extent(activity.cluster, record.clusterX, record.clusterY, record.clusterZ);
  activity.dynamic_shared = static_cast<uint32_t>(record.dynamicSharedMemory);
  activity.static_shared = static_cast<uint32_t>(record.staticSharedMemory);
  activity.registers = record.registersPerThread;
  return activity;
}

ActivityKind copy_kind(uint8_t kind) {
  if (kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOA)
    return ActivityKind::WRITE;
  if (kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH || kind == CUPTI_ACTIVITY_MEMCPY_KIND_ATOH)
    return ActivityKind::READ;
  return ActivityKind::COPY;
}

// A record without times belongs to work that was not complete.
void deliver(const ActivityFeed::Receiver& receiver, const CUpti_Activity* record) {
  Activity activity;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      activity = activity_of(*reinterpret_cast<const CUpti_ActivityKernel10*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      set_common(activity, copy);
      activity.kind = copy_kind(copy.copyKind);
      activity.bytes = copy.bytes;
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      set_common(activity, fill);
      activity.kind = ActivityKind::FILL;
      activity.bytes = fill.bytes;
      break;
    }
    case CUPTI_ACTIVITY_KIND_MARKER: {
      const auto& marker = *reinterpret_cast<const CUpti_ActivityMarker2*>(record);
      if ((marker.flags & RANGE_FLAGS) == 0) return;
      activity = activity_of(marker);
      break;
    }
    default:
      return;
  }
  if (activity.start != 0 && activity.end >= activity.start) receiver(activity);
}

void CUPTIAPI provide_buffer(uint8_t** buffer, size_t* size, size_t* most) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(BUFFER_ALIGNMENT, BUFFER_SIZE));
  *size = *buffer ? BUFFER_SIZE : 0;
  *most = 0;  // as many records as fit
}

void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                          size_t filled) {
  Sink& target = sink();
  {
    const std::lock_guard lock(target.mutex);
    CUpti_Activity* record = nullptr;
    while (target.receiver && buffer && filled != 0 &&
           target.cupti->cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS) {
      try {
        deliver(target.receiver, record);
      } catch (...) {
        ++target.dropped;  // no memory is left
      }
    }
    size_t dropped = 0;
    if (target.receiver &&
        target.cupti->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
      target.dropped += dropped;
  }
  std::free(buffer);
}

void CUPTIAPI ignore_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

// The one subscriber of the process. Nothing is subscribed to: it keeps others from the records.
class Subscriber {
 public:
  explicit Subscriber(const CuptiActivity& cupti) : cupti_(cupti) {
    char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "libcucore-perf";
    parameters.oldSubscriberName = other;
    parameters.oldSubscriberSize = sizeof other;
    const CUptiResult result = cupti.cuptiSubscribe_v2(&handle_, ignore_call, nullptr, &parameters);
    other[sizeof other - 1] = '\0';
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && *other)
      throw Error(Status::INVALID_STATE,
                  concat("cannot ", RECORDS, ": ", other, " has the records of CUPTI"));
    check_cupti(result, RECORDS);
  }
  ~Subscriber() { (void)cupti_.cuptiUnsubscribe(handle_); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

 private:
  const CuptiActivity& cupti_;
  CUpti_SubscriberHandle handle_ = nullptr;
};

class CuptiFeed final : public ActivityFeed {
 public:
  explicit CuptiFeed(Receiver receiver) : cupti_(cupti_activity(RECORDS)), subscriber_(cupti_) {
    check_cupti(cupti_.cuptiActivityRegisterCallbacks(provide_buffer, take_buffer), RECORDS);
    Sink& target = sink();
    const std::lock_guard lock(target.mutex);
    target.cupti = &cupti_;
    target.receiver = std::move(receiver);
    target.dropped = 0;
  }
  ~CuptiFeed() override {
    for (const CUpti_ActivityKind kind : KINDS) (void)cupti_.cuptiActivityDisable(kind);
    (void)cupti_.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MARKER);
    Receiver ended;
    const std::lock_guard lock(sink().mutex);
    std::swap(ended, sink().receiver);
  }

  void enable() override {
    for (const CUpti_ActivityKind kind : KINDS)
      check_cupti(cupti_.cuptiActivityEnable(kind), RECORDS);
  }
  void disable() override {
    for (const CUpti_ActivityKind kind : KINDS)
      check_cupti(cupti_.cuptiActivityDisable(kind), RECORDS);
  }
  void enable_ranges() override {
    check_cupti(cupti_.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MARKER), "record ranges of NVTX");
  }
  void wait(const cucore_device* device) override { context_of(device).synchronize(); }
  void flush() override {
    check_cupti(cupti_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), RECORDS);
  }
  uint64_t now() override {
    uint64_t time = 0;
    check_cupti(cupti_.cuptiGetTimestamp(&time), RECORDS);
    return time;
  }
  uint64_t dropped() override {
    const std::lock_guard lock(sink().mutex);
    return sink().dropped;
  }

 private:
  const DeviceContext& context_of(const cucore_device* device) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<DeviceContext>& context = contexts_[cucore_device_ordinal(device)];
    if (!context) context = std::make_unique<DeviceContext>(device);
    return *context;
  }

  const CuptiActivity& cupti_;
  const Subscriber subscriber_;
  std::mutex mutex_;  // guards the following
  std::map<int32_t, std::unique_ptr<DeviceContext>> contexts_;
};

}  // namespace

std::unique_ptr<ActivityFeed> ActivityFeed::open(Receiver receiver) {
  require_no_profiler_around(RECORDS);
  return std::make_unique<CuptiFeed>(std::move(receiver));
}

}  // namespace cucore::perf
