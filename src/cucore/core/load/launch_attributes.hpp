// SPDX-License-Identifier: Apache-2.0
// The options of a launch or of a kernel node that the driver takes as attributes, checked.
#pragma once

#include <cucore.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "core/load/access_window.hpp"
#include "core/objects/event.hpp"

namespace cucore::core {

class LaunchAttributes {
 public:
  // Returns whether an option is set that becomes an attribute. Fields are read in pairs, because
  // the cost of each launch matters. The neighbour of the priority is `reserved`, which must be 0:
  // the constructor checks it.
  static bool are_set(const cucore_launch_options& options) {
    using Options = cucore_launch_options;
    const uint64_t set =
        pair_at<offsetof(Options, cluster[0]), offsetof(Options, cluster[1])>(options) |
        options.cluster[2] |
        pair_at<offsetof(Options, cooperative), offsetof(Options, programmatic_serialization)>(
            options) |
        pair_at<offsetof(Options, priority), offsetof(Options, reserved)>(options) |
        pair_at<offsetof(Options, preferred_cluster[0]), offsetof(Options, preferred_cluster[1])>(
            options) |
        pair_at<offsetof(Options, preferred_cluster[2]), offsetof(Options, cluster_scheduling)>(
            options) |
        pair_at<offsetof(Options, shared_carveout), offsetof(Options, memory_domain)>(options) |
        pair_at<offsetof(Options, device_updatable), offsetof(Options, nvlink_scheduling)>(
            options) |
        reinterpret_cast<uintptr_t>(options.programmatic_event) |
        reinterpret_cast<uintptr_t>(options.completion_event) |
        pair_at<offsetof(Options, programmatic_at_start), offsetof(Options, memory_domain_map)>(
            options) |
        reinterpret_cast<uintptr_t>(options.access_window) | options.attribute_count;
    return set != 0;
  }

  // Throws INVALID_ARGUMENT, INVALID_HANDLE or UNSUPPORTED for options that the device or its
  // driver does not allow. Programmatic serialization is an attribute of launches alone; a node
  // has edges.
  LaunchAttributes(const Device& device, const cucore_launch_options& options,
                   const LaunchHandles& handles);
  LaunchAttributes(const LaunchAttributes&) = delete;
  LaunchAttributes& operator=(const LaunchAttributes&) = delete;

  // The driver's type of the list is not const.
  CUlaunchAttribute* data() { return many_.empty() ? few_.data() : many_.data(); }
  unsigned size() const { return count_; }
  std::span<const CUlaunchAttribute> list() const {
    return {many_.empty() ? few_.data() : many_.data(), count_};
  }

  // Throws INVALID_ARGUMENT if an option is an event, which a node does not record.
  void require_no_events() const;
  // Throws unless the stream accepts these attributes. Call before each launch.
  void require_stream(const Stream& stream) const;
  // Call after the driver has accepted a launch, which has recorded the events.
  void note_launch(const Stream& stream) const;

 private:
  template <size_t FIRST, size_t SECOND>
  static uint64_t pair_at(const cucore_launch_options& options) {
    static_assert(SECOND == FIRST + sizeof(uint32_t));
    uint64_t value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&options) + FIRST, sizeof value);
    return value;
  }

  CUlaunchAttributeValue& add(CUlaunchAttributeID id);
  void add_clusters(const Device& device, const cucore_launch_options& options);
  void add_kinds(const Device& device, const cucore_launch_options& options);
  void add_priority(const Device& device, int32_t priority);
  void add_carveout(int32_t percent);
  void add_domains(const Device& device, const cucore_launch_options& options);
  void add_events(const cucore_launch_options& options, const EventHandles& handles);
  CUevent event_of(const void* handle, const char* field, const EventHandles& handles);
  void add_others(const cucore_launch_options& options);

  static constexpr size_t NAMED = 14;  // each option at most once
  std::array<CUlaunchAttribute, NAMED> few_;
  std::vector<CUlaunchAttribute> many_;  // if there are attributes without a name
  unsigned count_ = 0;
  bool is_updatable_ = false;
  Ref<Event> events_[2];
};

}  // namespace cucore::core
