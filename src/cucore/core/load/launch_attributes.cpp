// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch_attributes.hpp"

#include <algorithm>

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/require.hpp"

namespace cucore::core {
namespace {

constexpr uint16_t FIRST_WITH_CLUSTERS = 90;
constexpr size_t MOST_OTHERS = 32;

// The first driver with an option. The other options are as old as the oldest accepted driver.
constexpr int SINCE_COMPLETION_EVENT = 12030;
constexpr int SINCE_DEVICE_UPDATABLE = 12040;
constexpr int SINCE_CARVEOUT = 12050;
constexpr int SINCE_PREFERRED_CLUSTER = 12080;
constexpr int SINCE_NVLINK_SCHEDULING = 13000;

// `problem` follows the field: " is 2; ...".
[[noreturn]] void refuse(const char* field, const std::string& problem) {
  throw Error(Status::INVALID_ARGUMENT, concat("cucore_launch_options.", field, problem));
}

void check_flag(const char* field, int32_t value) {
  if (value != 1) refuse(field, concat(" is ", value, ", neither 0 nor 1"));
}

void require_driver(const char* field, int since) {
  const int version = driver::cuda().version;
  if (version >= since) return;
  throw Error(Status::UNSUPPORTED, concat("cucore_launch_options.", field,
                                          " needs a driver of CUDA ", driver::version_text(since),
                                          "; this one serves ", driver::version_text(version)));
}

bool is_set(const uint32_t (&extents)[3]) { return (extents[0] | extents[1] | extents[2]) != 0; }

uint32_t at_least_one(uint32_t extent) { return extent ? extent : 1; }

void require_clusters(const Device& device, const char* field) {
  if (device.limits().clusters) return;
  throw Error(Status::UNSUPPORTED,
              concat("cucore_launch_options.", field, " is set; ", device.label(), " (",
                     device.arch(), ") has no clusters",
                     device.capability() < FIRST_WITH_CLUSTERS ? ", which came with sm_90" : ""));
}

// Throws unless `part` divides `whole` on each axis.
void require_multiple(const char* name, const uint32_t (&whole)[3], const char* part_name,
                      const uint32_t (&part)[3]) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint32_t blocks = at_least_one(whole[axis]), each = at_least_one(part[axis]);
    if (blocks % each != 0)
      refuse(name, concat("[", axis, "] is ", counted(blocks, "block"), ", not a multiple of ",
                          part_name, "[", axis, "], ", each));
  }
}

}  // namespace

LaunchAttributes::LaunchAttributes(const Device& device, const cucore_launch_options& options,
                                   const LaunchHandles& handles) {
  require_zero(options.reserved, "cucore_launch_options.reserved");
  add_clusters(device, options);
  add_kinds(device, options);
  if (options.priority) add_priority(device, options.priority);
  if (options.shared_carveout) add_carveout(options.shared_carveout);
  add_domains(device, options);
  add_events(options, handles.events);
  if (options.access_window)
    add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow =
        access_policy(device, *options.access_window, handles.buffers);
  if (options.attribute_count) add_others(options);
}

CUlaunchAttributeValue& LaunchAttributes::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& attribute = few_[count_++];
  attribute = {};
  attribute.id = id;
  return attribute.value;
}

void LaunchAttributes::add_clusters(const Device& device, const cucore_launch_options& options) {
  const auto& cluster = options.cluster;
  const auto& preferred = options.preferred_cluster;
  if (is_set(cluster)) {
    require_clusters(device, "cluster");
    require_multiple("grid", options.grid, "cluster", cluster);
    auto& value = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    value.x = at_least_one(cluster[0]), value.y = at_least_one(cluster[1]);
    value.z = at_least_one(cluster[2]);
  }
  if (is_set(preferred)) {
    require_driver("preferred_cluster", SINCE_PREFERRED_CLUSTER);
    require_clusters(device, "preferred_cluster");
    if (!is_set(cluster))
      refuse("preferred_cluster",
             " is set and cluster is not; set cluster to the blocks of a "
             "cluster where the preferred one does not fit");
    require_multiple("preferred_cluster", preferred, "cluster", cluster);
    require_multiple("grid", options.grid, "preferred_cluster", preferred);
    if (at_least_one(preferred[2]) != at_least_one(cluster[2]))
      refuse("preferred_cluster[2]",
             concat(" is ", at_least_one(preferred[2]), "; expected that of cluster[2], ",
                    at_least_one(cluster[2])));
    auto& value = add(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim;
    value.x = at_least_one(preferred[0]), value.y = at_least_one(preferred[1]);
    value.z = at_least_one(preferred[2]);
  }
  if (options.cluster_scheduling != CUCORE_CLUSTER_SCHEDULING_DEFAULT) {
    const auto policy = static_cast<uint32_t>(options.cluster_scheduling);
    if (policy > CUCORE_CLUSTER_SCHEDULING_BALANCED)
      refuse("cluster_scheduling", concat(" is ", static_cast<int32_t>(policy),
                                          "; expected a cucore_cluster_scheduling, 0 to 2"));
    require_clusters(device, "cluster_scheduling");
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        .clusterSchedulingPolicyPreference = static_cast<CUclusterSchedulingPolicy>(policy);
  }
}

void LaunchAttributes::add_kinds(const Device& device, const cucore_launch_options& options) {
  if (options.cooperative) {
    check_flag("cooperative", options.cooperative);
    if (!device.limits().cooperative)
      throw Error(Status::UNSUPPORTED, device.label() + " has no cooperative launches");
    add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  }
  if (options.programmatic_serialization) {
    check_flag("programmatic_serialization", options.programmatic_serialization);
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  if (options.device_updatable) {
    check_flag("device_updatable", options.device_updatable);
    require_driver("device_updatable", SINCE_DEVICE_UPDATABLE);
    add(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
        .deviceUpdatableKernelNode.deviceUpdatable = 1;
    is_updatable_ = true;
  }
  if (options.nvlink_scheduling) {
    check_flag("nvlink_scheduling", options.nvlink_scheduling);
    require_driver("nvlink_scheduling", SINCE_NVLINK_SCHEDULING);
    add(CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING).nvlinkUtilCentricScheduling = 1;
  }
}

void LaunchAttributes::add_priority(const Device& device, int32_t priority) {
  device.require_priority(priority, "cucore_launch_options.priority");
  add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = priority;
}

void LaunchAttributes::add_carveout(int32_t percent) {
  if (percent < -1 || percent > 100)
    refuse("shared_carveout",
           concat(" is ", percent, "; expected 1 to 100 percent, or -1 for none"));
  require_driver("shared_carveout", SINCE_CARVEOUT);
  add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout =
      percent < 0 ? 0 : static_cast<unsigned>(percent);
}

void LaunchAttributes::add_domains(const Device& device, const cucore_launch_options& options) {
  if (options.memory_domain) {
    check_flag("memory_domain", options.memory_domain);
    add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
  }
  if (!options.memory_domain_map) return;
  const auto map = static_cast<uint32_t>(options.memory_domain_map);
  const uint32_t count = device.limits().memory_domains, first = map & 0xff, remote = map >> 8;
  if (first >= count || remote >= count)
    refuse("memory_domain_map",
           concat(" is ", options.memory_domain_map, "; ", device.label(), " has ",
                  counted(count, "memory domain"),
                  "; set the number of the default domain | that of the remote one << 8"));
  auto& value = add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).memSyncDomainMap;
  value.default_ = static_cast<unsigned char>(first);
  value.remote = static_cast<unsigned char>(remote);
}

void LaunchAttributes::add_events(const cucore_launch_options& options,
                                  const EventHandles& handles) {
  if (options.programmatic_at_start) {
    check_flag("programmatic_at_start", options.programmatic_at_start);
    if (!options.programmatic_event)
      refuse("programmatic_at_start",
             " is 1 and the launch has no event that a block triggers; set one");
  }
  if (options.programmatic_event) {
    auto& value = add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT).programmaticEvent;
    value.event = event_of(options.programmatic_event, "programmatic_event", handles);
    value.triggerAtBlockStart = options.programmatic_at_start;
  }
  if (options.completion_event) {
    require_driver("completion_event", SINCE_COMPLETION_EVENT);
    if (options.completion_event == options.programmatic_event)
      refuse("completion_event", " is also the event that blocks trigger; use two events");
    add(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT).launchCompletionEvent.event =
        event_of(options.completion_event, "completion_event", handles);
  }
}

CUevent LaunchAttributes::event_of(const void* handle, const char* field,
                                   const EventHandles& handles) {
  const HandleReference<Event> reference(handle, handles);
  if (!reference.object())
    throw Error(Status::INVALID_HANDLE,
                concat("cucore_launch_options.", field,
                       " is a released event or a handle of another type; expected a "
                       "cucore_event"));
  Ref<Event> event(reference.object());
  event->require_usable();
  if (event->has_timing())
    refuse(field, " was made with timing; set cucore_event_options.timing to 0");
  if (event->is_interprocess())
    refuse(field, " is shared by processes; use an event of this process");
  const CUevent native = event->native();
  (events_[0] ? events_[1] : events_[0]) = std::move(event);
  return native;
}

void LaunchAttributes::add_others(const cucore_launch_options& options) {
  if (options.attribute_count > MOST_OTHERS)
    refuse("attribute_count",
           concat(" is ", options.attribute_count, "; expected at most ", MOST_OTHERS));
  if (!options.attributes)
    refuse("attributes",
           concat(" is NULL; expected ", counted(options.attribute_count, "attribute")));
  std::vector<CUlaunchAttribute> all(few_.begin(), few_.begin() + count_);
  all.reserve(count_ + options.attribute_count);
  for (size_t i = 0; i < options.attribute_count; ++i) {
    const cucore_launch_attribute& given = options.attributes[i];
    if (given.reserved != 0)
      refuse("attributes", concat("[", i, "].reserved is ", given.reserved, "; expected 0"));
    const bool twice = std::any_of(all.begin(), all.end(), [&](const CUlaunchAttribute& each) {
      return given.id != CU_LAUNCH_ATTRIBUTE_IGNORE && each.id == given.id;
    });
    if (twice)
      refuse("attributes", concat(" sets attribute ", given.id,
                                  " a second time; set each attribute or its option once"));
    CUlaunchAttribute attribute{};
    attribute.id = static_cast<CUlaunchAttributeID>(given.id);
    std::memcpy(&attribute.value, given.value, sizeof given.value);
    all.push_back(attribute);
    is_updatable_ |= given.id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  }
  many_ = std::move(all);
  count_ = static_cast<unsigned>(many_.size());
}

void LaunchAttributes::require_no_events() const {
  if (events_[0])
    throw Error(Status::INVALID_ARGUMENT,
                "cucore_launch_options.programmatic_event or "
                "cucore_launch_options.completion_event is set; a node of a "
                "graph does not record it; add a node that records the event");
}

void LaunchAttributes::require_stream(const Stream& stream) const {
  for (const Ref<Event>& event : events_)
    if (event) stream.require_on(event->device(), "event of the launch");
  if (is_updatable_ && !stream.is_capturing())
    throw Error(Status::INVALID_STATE,
                "cucore_launch_options.device_updatable is 1 and the stream is not captured; only "
                "a node of a graph is updatable");
}

void LaunchAttributes::note_launch(const Stream& stream) const {
  if (!events_[0]) return;
  uint64_t capture = NOT_CAPTURED;
  if (stream.may_be_captured()) {
    const ContextScope scope(*stream.context(), "stream");
    capture = capture_of(stream);
  }
  for (const Ref<Event>& event : events_)
    if (event) event->note_record(stream, capture);
}

}  // namespace cucore::core
