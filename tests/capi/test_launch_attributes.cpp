// SPDX-License-Identifier: Apache-2.0
// Options of launches that the driver takes as attributes, and access windows of streams.
#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

class LaunchAttributes : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    empty_ = find_kernel(make_ptx_code(), "empty");
    buffer_ = make_buffer(device_, 4096, stream_);
    event_ = make_event(device_);
    other_ = make_event(device_);
    options_ = grid(8, 32);
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
    version_ = info.version_major * 1000 + info.version_minor * 10;
    const char* const wanted = std::getenv("FAKE_DRIVER_VERSION");
    ASSERT_TRUE(!fake_ || !wanted || version_ == std::atoi(wanted)) << version_;
    if (fake_) fake_->reset();
  }
  void TearDown() override {
    for (Event* event : {&event_, &other_}) event->reset();
    buffer_.reset();
    empty_.reset();
    OnDevice::TearDown();
  }

  // The checks of a launch and of a prepared one are the same.
  void refuses(cucore_status status, const std::string& parts) {
    const uint64_t launches = fake_ ? fake_->call_count("cuLaunchKernelEx") : 0;
    FAILS(status, parts, cucore_kernel_launch, empty_, stream_, &options_, nullptr, 0);
    FAILS(status, parts, cucore_kernel_launch_packed, empty_, stream_, &options_, nullptr, 0);
    if (status != CUCORE_ERROR_INVALID_STATE) {
      PreparedLaunch prepared;
      FAILS(status, parts, cucore_prepared_launch_create, empty_, stream_, &options_, nullptr, 0,
            prepared.out());
    }
    EXPECT_TRUE(!fake_ || fake_->call_count("cuLaunchKernelEx") == launches)
        << "the driver was called";
    options_ = grid(8, 32);
  }
  // Returns true if the driver is new enough; otherwise tests the refusal.
  bool serves(int since, const char* field) {
    if (version_ >= since) return true;
    const auto text = [](int version) {
      return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    refuses(CUCORE_ERROR_UNSUPPORTED, std::string("cucore_launch_options.") + field +
                                          " needs a driver of CUDA " + text(since) +
                                          "; this one serves " + text(version_));
    return false;
  }
  void launches() {
    SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options_, nullptr, 0);
    SUCCEEDS(cucore_stream_synchronize, stream_);
  }
  // Launches, and returns the value of the one attribute that the scripted driver has received.
  CUlaunchAttributeValue launched(CUlaunchAttributeID id) {
    CUlaunchAttributeValue value{};
    launches();
    if (!fake_) return value;
    fake_launch launch{};
    EXPECT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
    size_t found = 0;
    for (uint32_t i = 0; i < launch.attribute_count; ++i) {
      if (launch.attributes[i].id != id) continue;
      std::memcpy(&value, launch.attributes[i].value, sizeof value);
      ++found;
    }
    EXPECT_EQ(found, 1u);
    return value;
  }
  bool has_clusters() {
    int32_t clusters = 0;
    MUST(cucore_device_attribute, device_, CUCORE_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters);
    return clusters != 0;
  }
  int32_t limit(CUdevice_attribute attribute) {
    int32_t value = 0;
    MUST(cucore_device_attribute, device_, static_cast<cucore_device_attribute_name>(attribute),
         &value);
    return value;
  }
  cucore_access_window window() const {
    cucore_access_window window{};
    window.buffer = buffer_;
    window.offset = 512;
    window.size = 1024;
    window.hit_ratio = 0.5f;
    window.hit = CUCORE_ACCESS_PROPERTY_PERSISTING;
    window.miss = CUCORE_ACCESS_PROPERTY_STREAMING;
    return window;
  }
  bool has_windows() { return limit(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE) != 0; }

  Kernel empty_;
  Buffer buffer_;
  Event event_, other_;
  cucore_launch_options options_ = CUCORE_LAUNCH_OPTIONS_INIT;
  int version_ = 0;
};

TEST_F(LaunchAttributes, OfClusters) {
  options_.cluster_scheduling = static_cast<cucore_cluster_scheduling>(3);
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "cucore_launch_options.cluster_scheduling is 3; expected a cucore_cluster_scheduling, "
          "0 to 2");
  options_.cluster_scheduling = CUCORE_CLUSTER_SCHEDULING_SPREAD;
  if (!has_clusters())
    return refuses(CUCORE_ERROR_UNSUPPORTED, "cluster_scheduling is set; device 0|no clusters");
  for (const auto policy : {CUCORE_CLUSTER_SCHEDULING_SPREAD, CUCORE_CLUSTER_SCHEDULING_BALANCED}) {
    options_.cluster[0] = 2;
    options_.cluster_scheduling = policy;
    const auto value = launched(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
    EXPECT_TRUE(!fake_ || value.clusterSchedulingPolicyPreference ==
                              static_cast<CUclusterSchedulingPolicy>(policy));
  }
}

TEST_F(LaunchAttributes, OfPreferredClusters) {
  options_.preferred_cluster[0] = 4;
  if (!serves(12080, "preferred_cluster")) return;
  if (!has_clusters())
    return refuses(CUCORE_ERROR_UNSUPPORTED, "preferred_cluster is set; device 0|no clusters");
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "preferred_cluster is set and cluster is not");
  options_.cluster[0] = 2;
  options_.preferred_cluster[0] = 3;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "preferred_cluster[0] is 3 blocks, not a multiple of cluster[0], 2");
  options_.cluster[0] = 2;
  options_.preferred_cluster[0] = 6;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "grid[0] is 8 blocks, not a multiple of preferred_cluster[0], 6");
  options_.cluster[0] = 2;
  options_.preferred_cluster[1] = 2;  // 0 in others is 1
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "preferred_cluster[0] is 1 block, not a multiple of cluster[0], 2");
  options_.grid[1] = options_.grid[2] = 2;
  options_.cluster[0] = 2;
  options_.preferred_cluster[0] = 4;
  options_.preferred_cluster[2] = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "cucore_launch_options.preferred_cluster[2] is 2; expected that of cluster[2], 1");
  options_.grid[1] = options_.grid[2] = 2;
  options_.cluster[0] = options_.cluster[2] = 2;
  options_.preferred_cluster[0] = options_.preferred_cluster[2] = 2;
  options_.preferred_cluster[1] = 2;  // 8 blocks, the most that each device with clusters has
  const auto value = launched(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION);
  if (!fake_) return;
  EXPECT_EQ(value.preferredClusterDim.x, 2u);
  EXPECT_EQ(value.preferredClusterDim.y, 2u);
  EXPECT_EQ(value.preferredClusterDim.z, 2u);
}

TEST_F(LaunchAttributes, OfTheCarveout) {
  for (const int32_t wrong : {-2, 101, INT32_MIN, INT32_MAX}) {
    options_.shared_carveout = wrong;
    refuses(CUCORE_ERROR_INVALID_ARGUMENT,
            "shared_carveout is " + std::to_string(wrong) + "; expected 1 to 100 percent, or -1");
  }
  for (const int32_t percent : {1, 50, 100, -1}) {
    options_.shared_carveout = percent;
    if (!serves(12050, "shared_carveout")) return;
    const auto value = launched(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    EXPECT_TRUE(!fake_ || value.sharedMemCarveout == static_cast<unsigned>(std::max(percent, 0)));
  }
}

TEST_F(LaunchAttributes, OfMemoryDomains) {
  options_.memory_domain = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "memory_domain is 2, neither 0 nor 1");
  options_.memory_domain = 1;
  auto value = launched(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
  EXPECT_TRUE(!fake_ || value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
  const int32_t count = limit(CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);
  for (const int32_t wrong : {count, count << 8, -1, 1 << 16}) {
    options_.memory_domain_map = wrong;
    refuses(CUCORE_ERROR_INVALID_ARGUMENT, "memory_domain_map is " + std::to_string(wrong) +
                                               "; device 0 has " + std::to_string(count) +
                                               " memory domain");
  }
  if (count == 1) return;
  options_.memory_domain_map = (count - 1) | 1 << 8;
  value = launched(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
  if (!fake_) return;
  EXPECT_EQ(value.memSyncDomainMap.default_, count - 1);
  EXPECT_EQ(value.memSyncDomainMap.remote, 1);
}

TEST_F(LaunchAttributes, OfNvlink) {
  options_.nvlink_scheduling = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "nvlink_scheduling is 2, neither 0 nor 1");
  options_.nvlink_scheduling = 1;
  if (!serves(13000, "nvlink_scheduling")) return;
  const auto value = launched(CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING);
  EXPECT_TRUE(!fake_ || value.nvlinkUtilCentricScheduling == 1);
}

TEST_F(LaunchAttributes, OfNodesNeedACapture) {
  options_.device_updatable = -1;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "device_updatable is -1, neither 0 nor 1");
  options_.device_updatable = 1;
  if (!serves(12040, "device_updatable")) return;
  refuses(CUCORE_ERROR_INVALID_STATE, "device_updatable is 1 and the stream is not captured");
  options_.device_updatable = 1;
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, &options_, nullptr, 0, prepared.out());
  FAILS(CUCORE_ERROR_INVALID_STATE, "device_updatable", cucore_prepared_launch_run, prepared);
  if (!fake_) return;  // the CPU device has no such nodes
  const NativeGraphs graphs;
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  EXPECT_EQ(cucore_kernel_launch(empty_, stream_, &options_, nullptr, 0, nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_prepared_launch_run(prepared, nullptr), CUCORE_OK);
  CUgraph graph = nullptr;
  ASSERT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  graphs.destroy(graph, nullptr);
}

TEST_F(LaunchAttributes, RecordEvents) {
  options_.programmatic_event = event_;
  options_.programmatic_at_start = 1;
  auto value = launched(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  if (fake_) {
    EXPECT_EQ(value.programmaticEvent.event, cucore_event_native(event_));
    EXPECT_EQ(value.programmaticEvent.triggerAtBlockStart, 1);
  }
  int32_t done = 0;
  SUCCEEDS(cucore_event_synchronize, event_);
  SUCCEEDS(cucore_event_query, event_, &done);
  EXPECT_EQ(done, 1);
  SUCCEEDS(cucore_stream_wait_event, make_stream(device_), event_);
  options_.completion_event = other_;
  if (!serves(12030, "completion_event")) return;
  value = launched(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  EXPECT_TRUE(!fake_ || value.launchCompletionEvent.event == cucore_event_native(other_));
  SUCCEEDS(cucore_event_synchronize, other_);
}

// An event with a pending record must not become another event of the program.
TEST_F(LaunchAttributes, KeepRecordedEventsFromReuse) {
  NEEDS_FAKE_DRIVER();
  Event event = make_event(device_);
  options_.programmatic_event = event;
  fake_->hold_streams(1);
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options_, nullptr, 0);
  fake_launch launch{};
  ASSERT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
  CUlaunchAttributeValue value{};
  std::memcpy(&value, launch.attributes[0].value, sizeof value);
  event.reset();
  std::vector<Event> others(100);
  for (Event& other : others) {
    other = make_event(device_);
    EXPECT_NE(cucore_event_native(other), value.programmaticEvent.event);
  }
  fake_->hold_streams(0);
}

TEST_F(LaunchAttributes, PreparedRecordTheirEventsAtEachRun) {
  options_.programmatic_event = event_;
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, &options_, nullptr, 0, prepared.out());
  cucore_event* const handle = event_.get();
  EXPECT_NE(handle, nullptr);
  event_.reset();  // the prepared launch holds the event
  for (int run = 0; run < 3; ++run) SUCCEEDS(cucore_prepared_launch_run, prepared);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  if (!fake_) return;
  fake_launch launch{};
  ASSERT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
  ASSERT_EQ(launch.attribute_count, 1u);
  EXPECT_EQ(launch.attributes[0].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
}

TEST_F(LaunchAttributes, RefuseUnsuitableEvents) {
  cucore_event_options with_timing = CUCORE_EVENT_OPTIONS_INIT;
  with_timing.timing = 1;
  Event timed, shared;
  SUCCEEDS(cucore_event_create, device_, &with_timing, timed.out());
  options_.programmatic_event = timed;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "programmatic_event was made with timing; set cucore_event_options.timing to 0");
  cucore_event_options interprocess = CUCORE_EVENT_OPTIONS_INIT;
  interprocess.interprocess = 1;
  SUCCEEDS(cucore_event_create, device_, &interprocess, shared.out());
  options_.programmatic_event = shared;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "programmatic_event is shared by processes");
  options_.programmatic_at_start = 1;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "programmatic_at_start is 1 and the launch has no event");
  options_.programmatic_event = event_;
  options_.programmatic_at_start = 2;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "programmatic_at_start is 2, neither 0 nor 1");
  options_.programmatic_event = reinterpret_cast<cucore_event*>(buffer_.get());
  refuses(CUCORE_ERROR_INVALID_HANDLE,
          "programmatic_event is a released event or a handle of another type");
  cucore_event* const released = cucore_event_retain(timed);
  timed.reset();
  cucore_event_release(released);
  options_.programmatic_event = released;
  refuses(CUCORE_ERROR_INVALID_HANDLE, "programmatic_event is a released event");
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices > 1) {
    const Event far = make_event(open_device(1));
    options_.programmatic_event = far;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 0, the event of the launch to device 1",
          cucore_kernel_launch, empty_, stream_, &options_, nullptr, 0);
    options_ = grid(8, 32);
  }
  options_.completion_event = timed;
  if (version_ < 12030) return;
  options_.completion_event = options_.programmatic_event = event_;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "completion_event is also the event that blocks trigger");
}

TEST_F(LaunchAttributes, OfAccessWindows) {
  cucore_access_window given = window();
  options_.access_window = &given;
  if (!has_windows()) return refuses(CUCORE_ERROR_UNSUPPORTED, "has no access windows");
  const auto value = launched(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
  if (!fake_) return;
  const CUaccessPolicyWindow& policy = value.accessPolicyWindow;
  EXPECT_EQ(reinterpret_cast<uint64_t>(policy.base_ptr), cucore_buffer_address(buffer_) + 512);
  EXPECT_EQ(policy.num_bytes, 1024u);
  EXPECT_EQ(policy.hitRatio, 0.5f);
  EXPECT_EQ(policy.hitProp, CU_ACCESS_PROPERTY_PERSISTING);
  EXPECT_EQ(policy.missProp, CU_ACCESS_PROPERTY_STREAMING);
}

TEST_F(LaunchAttributes, RefuseWrongWindows) {
  if (!has_windows()) GTEST_SKIP() << "the device has no access windows";
  const std::string field = "cucore_access_window.";
  const auto wrong = [&](cucore_status status, const std::string& parts, const auto& change) {
    cucore_access_window given = window();
    change(given);
    options_.access_window = &given;
    refuses(status, parts);
    FAILS(status, parts, cucore_stream_set_access_window, stream_, &given);
  };
  constexpr auto ARGUMENT = CUCORE_ERROR_INVALID_ARGUMENT;
  wrong(ARGUMENT, field + "buffer is NULL", [](auto& w) { w.buffer = nullptr; });
  wrong(ARGUMENT, field + "size is 0; device 0 allows 1 to", [](auto& w) { w.size = 0; });
  const auto most = static_cast<size_t>(limit(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE));
  wrong(ARGUMENT,
        field + "size is " + std::to_string(most + 1) + "; device 0 allows 1 to " +
            std::to_string(most) + " bytes",
        [&](auto& w) { w.size = most + 1; });
  wrong(ARGUMENT, field + "offset is 4000, and the window has 1024 bytes; the buffer has 4096",
        [](auto& w) { w.offset = 4000; });
  wrong(ARGUMENT, field + "offset is 18446744073709551615", [](auto& w) { w.offset = SIZE_MAX; });
  for (const float ratio : {-0.1f, 1.1f, std::numeric_limits<float>::quiet_NaN()})
    wrong(ARGUMENT, field + "hit_ratio is |expected 0 to 1", [&](auto& w) { w.hit_ratio = ratio; });
  wrong(ARGUMENT, field + "hit is 3; expected a cucore_access_property, 0 to 2",
        [](auto& w) { w.hit = static_cast<cucore_access_property>(3); });
  wrong(ARGUMENT, field + "miss is 2; expected a cucore_access_property, 0 to 1",
        [](auto& w) { w.miss = CUCORE_ACCESS_PROPERTY_PERSISTING; });
  wrong(ARGUMENT, field + "reserved is 1", [](auto& w) { w.reserved = 1; });
  wrong(CUCORE_ERROR_INVALID_HANDLE, field + "buffer is a released buffer or a handle of another",
        [&](auto& w) { w.buffer = reinterpret_cast<const cucore_buffer*>(event_.get()); });
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) return;
  const Device second = open_device(1);
  const Buffer far = make_buffer(second, 4096, make_stream(second));
  wrong(ARGUMENT, field + "buffer belongs to device 1; expected one of device 0",
        [&](auto& w) { w.buffer = far; });
}

TEST_F(LaunchAttributes, OfStreamsKeepAWindow) {
  cucore_access_window given = window();
  if (!has_windows()) {
    FAILS(CUCORE_ERROR_UNSUPPORTED, "has no access windows", cucore_stream_set_access_window,
          stream_, &given);
    SUCCEEDS(cucore_stream_set_access_window, stream_, nullptr);
    return;
  }
  SUCCEEDS(cucore_stream_set_access_window, stream_, &given);
  launches();
  decltype(&::cuStreamGetAttribute) get = nullptr;
  const auto expect = [&](size_t size, uint64_t address) {
    if (!get) return;
    CUstreamAttrValue value{};
    ASSERT_EQ(get(static_cast<CUstream>(cucore_stream_native(stream_)),
                  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
              CUDA_SUCCESS);
    EXPECT_EQ(value.accessPolicyWindow.num_bytes, size);
    EXPECT_EQ(reinterpret_cast<uint64_t>(value.accessPolicyWindow.base_ptr), address);
  };
  NativeDriver().find("cuStreamGetAttribute", get);
  expect(1024, cucore_buffer_address(buffer_) + 512);
  SUCCEEDS(cucore_stream_set_access_window, stream_, nullptr);
  expect(0, 0);
  for (const auto kind : {CUCORE_DEFAULT_STREAM_LEGACY, CUCORE_DEFAULT_STREAM_PER_THREAD}) {
    Stream stream;
    SUCCEEDS(cucore_device_default_stream, device_, kind, stream.out());
    SUCCEEDS(cucore_stream_set_access_window, stream, &given);
    SUCCEEDS(cucore_stream_set_access_window, stream, nullptr);
  }
}

TEST_F(LaunchAttributes, WithoutANameArePassedOn) {
  cucore_launch_attribute list[33] = {};
  list[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  const int32_t priority = -1;
  std::memcpy(list[0].value, &priority, sizeof priority);
  list[1].id = list[2].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
  options_.attributes = list;
  options_.attribute_count = 3;
  options_.cooperative = 1;
  const auto value = launched(CU_LAUNCH_ATTRIBUTE_PRIORITY);
  if (fake_) {
    EXPECT_EQ(value.priority, priority);
    fake_launch launch{};
    ASSERT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
    EXPECT_EQ(launch.attribute_count, 4u);
    EXPECT_EQ(launch.cooperative, 1);
  }
  options_.priority = -1;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "attributes sets attribute 8 a second time");
  options_.attributes = list;
  options_.attribute_count = 2;
  list[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "attributes sets attribute 8 a second time");
  options_.attributes = list;
  options_.attribute_count = 1;
  list[0].reserved = 7;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "attributes[0].reserved is 7; expected 0");
  options_.attribute_count = 1;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "attributes is NULL; expected 1 attribute");
  options_.attributes = list;
  options_.attribute_count = 33;
  refuses(CUCORE_ERROR_INVALID_ARGUMENT, "attribute_count is 33; expected at most 32");
  list[0] = {};
  list[0].id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  options_.attributes = list;
  options_.attribute_count = 1;
  refuses(CUCORE_ERROR_INVALID_STATE, "device_updatable");
}

TEST_F(LaunchAttributes, OfNodesAreTheSame) {
  cucore_graph* graph = nullptr;
  SUCCEEDS(cucore_graph_create, device_, &graph);
  const cucore::Graph owner = cucore::Graph::adopt(graph);
  cucore_node node = 0;
  const auto add = [&](cucore_error** error) {
    return cucore_graph_add_kernel(graph, nullptr, 0, empty_, &options_, nullptr, 0, &node, error);
  };
  const auto refuses_node = [&](const std::string& parts) {
    Error error;
    const cucore_status status = add(error.out());
    EXPECT_TRUE(failed(status, error, CUCORE_ERROR_INVALID_ARGUMENT, parts));
    EXPECT_EQ(cucore_graph_node_count(graph), 0u);
    options_ = grid(8, 32);
  };
  options_.memory_domain = 2;
  refuses_node("cucore_launch_options.memory_domain is 2");
  options_.programmatic_event = event_;
  refuses_node("a node of a graph does not record it");
  if (version_ >= 12030) {
    options_.completion_event = event_;
    refuses_node("a node of a graph does not record it");
  }
  const cucore_access_window given = window();
  options_.memory_domain = 1;
  options_.priority = -1;
  if (has_windows()) options_.access_window = &given;
  Error error;
  const cucore_status status = add(error.out());
  ASSERT_TRUE(succeeded(status, error));
  if (!fake_) return;
  EXPECT_EQ(fake_->call_count("cuGraphKernelNodeSetAttribute"), 3u);
}

// All at once, one driver call each.
TEST_F(LaunchAttributes, NeedOneDriverCall) {
  NEEDS_FAKE_DRIVER();
  if (version_ < 13000) GTEST_SKIP() << "an option is missing";
  const cucore_access_window given = window();
  options_.cluster[0] = 2;
  options_.preferred_cluster[0] = 4;
  options_.cluster_scheduling = CUCORE_CLUSTER_SCHEDULING_SPREAD;
  options_.cooperative = options_.programmatic_serialization = 1;
  options_.priority = -1;
  options_.shared_carveout = 50;
  options_.memory_domain = 1;
  options_.memory_domain_map = 2 | 3 << 8;
  options_.nvlink_scheduling = 1;
  options_.programmatic_event = event_;
  options_.completion_event = other_;
  options_.access_window = &given;
  launches();  // reads the range of priorities
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, &options_, nullptr, 0, prepared.out());
  fake_->reset();
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options_, nullptr, 0);
  SUCCEEDS(cucore_kernel_launch_packed, empty_, stream_, &options_, nullptr, 0);
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_EQ(fake_->log(), std::vector<std::string>(3, "cuLaunchKernelEx"));
  for (uint64_t i = 0; i < 3; ++i) {
    fake_launch launch{};
    ASSERT_TRUE(fake_->launch_at(i, &launch));
    EXPECT_EQ(launch.attribute_count, 13u);
  }
}

// Each new field alone reaches the driver or is refused: the quick test of a launch misses none.
TEST_F(LaunchAttributes, AreNoticedInEachField) {
  constexpr size_t BEGIN = offsetof(cucore_launch_options, preferred_cluster);
  for (size_t at = BEGIN; at < sizeof(cucore_launch_options); at += 4) {
    const bool is_list = at >= offsetof(cucore_launch_options, attributes) &&
                         at < offsetof(cucore_launch_options, attribute_count);
    const bool is_upper_half = at > offsetof(cucore_launch_options, attribute_count) ||
                               (at >= offsetof(cucore_launch_options, access_window) && at % 8) ||
                               (at >= offsetof(cucore_launch_options, programmatic_event) &&
                                at < offsetof(cucore_launch_options, programmatic_at_start));
    if (is_list || is_upper_half) continue;  // a list without a count; pointers
    if (at >= offsetof(cucore_launch_options, access_window) &&
        at < offsetof(cucore_launch_options, attributes))
      continue;
    SCOPED_TRACE(at);
    options_ = grid(8, 32);
    const uint32_t value = 0x7fff0000;
    std::memcpy(reinterpret_cast<char*>(&options_) + at, &value, sizeof value);
    Error error;
    EXPECT_NE(cucore_kernel_launch(empty_, stream_, &options_, nullptr, 0, error.out()), CUCORE_OK);
  }
}

// A caller that was built against the first header: the bytes after its struct are not read.
TEST_F(LaunchAttributes, AreAbsentInOlderStructs) {
  alignas(8) unsigned char bytes[sizeof(cucore_launch_options)];
  std::memset(bytes, 0xff, sizeof bytes);
  cucore_launch_options older = grid(8, 32);
  constexpr size_t FIRST = offsetof(cucore_launch_options, preferred_cluster);
  static_assert(FIRST == 64);
  older.struct_size = FIRST;
  std::memcpy(bytes, &older, FIRST);
  const auto* const options = reinterpret_cast<const cucore_launch_options*>(bytes);
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, options, nullptr, 0);
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, options, nullptr, 0, prepared.out());
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  if (!fake_) return;
  fake_launch launch{};
  ASSERT_TRUE(fake_->launch_at(fake_->launch_count() - 1, &launch));
  EXPECT_EQ(launch.attribute_count, 0u);
}

}  // namespace
