// SPDX-License-Identifier: Apache-2.0
// Memory pools: their settings and numbers, the buffers that come from them, and exhausted memory.
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "capi_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

constexpr size_t MIB = size_t{1} << 20;

class Pools : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    pool_ = make();
  }
  void TearDown() override {
    pool_.reset();
    OnDevice::TearDown();
  }

  Pool make(cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT) const {
    Pool pool;
    MUST(cucore_pool_create, device_, &options, pool.out());
    return pool;
  }
  Buffer take(const Pool& pool, size_t size) const {
    Buffer buffer;
    MUST(cucore_buffer_from_pool, pool, size, stream_, buffer.out());
    return buffer;
  }
  static cucore_pool_info query(const cucore_pool* pool) {
    cucore_pool_info info = CUCORE_POOL_INFO_INIT;
    MUST(cucore_pool_query, pool, &info);
    return info;
  }
  void synchronize() const { MUST(cucore_stream_synchronize, stream_); }

  Pool pool_;
};

TEST_F(Pools, GiveMemoryToBuffers) {
  Buffer buffer = take(pool_, MIB);
  EXPECT_EQ(cucore_buffer_size(buffer), MIB);
  EXPECT_EQ(cucore_buffer_memory_kind(buffer), CUCORE_MEMORY_KIND_DEVICE);
  const unsigned char nine = 9;
  SUCCEEDS(cucore_buffer_fill, buffer, 0, MIB, &nine, 1, stream_);
  unsigned char last = 0;
  SUCCEEDS(cucore_buffer_read, buffer, MIB - 1, &last, 1, stream_);
  EXPECT_EQ(last, 9);
  Pool same;
  SUCCEEDS(cucore_buffer_pool, buffer, same.out());
  EXPECT_EQ(same.get(), pool_.get());
  Device device;
  SUCCEEDS(cucore_pool_device, pool_, device.out());
  EXPECT_EQ(device.get(), device_.get());
  EXPECT_NE(cucore_pool_native(pool_), nullptr);
}

TEST_F(Pools, CountWhatBuffersTake) {
  Buffer small = take(pool_, 100), large = take(pool_, MIB);
  cucore_pool_info info = query(pool_);
  EXPECT_EQ(info.kind, CUCORE_POOL_KIND_DEVICE);
  EXPECT_EQ(info.allocations, 2u);
  EXPECT_EQ(info.frees, 0u);
  EXPECT_EQ(info.live, 2u);
  EXPECT_EQ(info.largest, MIB);
  EXPECT_EQ(info.failures, 0u);
  EXPECT_EQ(info.max_size, 0u);
  EXPECT_EQ(info.keep, 0);
  small.reset();
  large.reset();
  info = query(pool_);
  EXPECT_EQ(info.frees, 2u);
  EXPECT_EQ(info.live, 0u);
  EXPECT_EQ(info.largest, MIB);
}

TEST_F(Pools, ReportTheBytesOfTheDriver) {
  if (fake_) GTEST_SKIP() << "the scripted driver has no such numbers";
  Buffer buffer = take(pool_, 4 * MIB);
  cucore_pool_info info = query(pool_);
  EXPECT_GE(info.used, 4 * MIB);
  EXPECT_GE(info.reserved, info.used);
  const uint64_t most = info.used_peak;
  buffer.reset();
  synchronize();
  info = query(pool_);
  EXPECT_EQ(info.used, 0u);
  EXPECT_GE(info.reserved, 4 * MIB) << "a pool of ours keeps all";
  EXPECT_EQ(info.used_peak, most);
  SUCCEEDS(cucore_pool_trim, pool_, 0);  // the peak contains blocks that streams keep
  synchronize();
  SUCCEEDS(cucore_pool_trim, pool_, 0);
  SUCCEEDS(cucore_pool_reset_peaks, pool_);
  EXPECT_EQ(query(pool_).used_peak, 0u);
  EXPECT_EQ(query(pool_).reserved_peak, 0u);
  EXPECT_EQ(query(pool_).reserved, 0u);
}

TEST_F(Pools, KeepAsManyBytesAsTheyAreTold) {
  for (const int64_t keep : {int64_t{0}, int64_t{-1}, int64_t{1} << 30}) {
    SUCCEEDS(cucore_pool_set_keep, pool_, keep);
    EXPECT_EQ(query(pool_).keep, keep);
    cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
    options.keep = keep;
    const Pool other = make(options);
    EXPECT_EQ(query(other).keep, keep);
    if (fake_) continue;
    take(other, 4 * MIB).reset();
    synchronize();
    EXPECT_EQ(query(other).reserved == 0, keep == -1) << keep;
  }
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "keep is -2; expected -1", cucore_pool_set_keep, pool_, -2);
}

TEST_F(Pools, TakeTheirSettings) {
  NEEDS_FAKE_DRIVER();
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  fake_->reset();
  const Pool plain = make(options);
  const uint64_t calls = fake_->call_count("cuMemPoolSetAttribute");
  options.kind = CUCORE_POOL_KIND_DEVICE;
  options.location = {CUCORE_LOCATION_KIND_DEVICE, 0};
  options.reuse_follow_events = CUCORE_TOGGLE_OFF;
  options.reuse_opportunistic = CUCORE_TOGGLE_ON;
  options.reuse_internal = CUCORE_TOGGLE_OFF;
  const Pool other = make(options);
  EXPECT_EQ(fake_->call_count("cuMemPoolSetAttribute"), 2 * calls + 2);
}

TEST_F(Pools, RefuseSettingsThatTheyDoNotHave) {
  const auto fails = [&](cucore_status status, const char* parts, cucore_pool_options options) {
    cucore_pool* pool = nullptr;
    FAILS(status, parts, cucore_pool_create, device_, &options, &pool);
    EXPECT_EQ(pool, nullptr);
  };
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.kind = CUCORE_POOL_KIND_PINNED;
  fails(CUCORE_ERROR_UNSUPPORTED, "cucore_buffer_create_pinned()", options);
  options.kind = CUCORE_POOL_KIND_MANAGED;
  fails(CUCORE_ERROR_UNSUPPORTED, "cucore_buffer_create_managed()", options);
  options.kind = static_cast<cucore_pool_kind>(9);
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_pool_options.kind is 9", options);
  options = CUCORE_POOL_OPTIONS_INIT;
  options.shared = 1;
  fails(CUCORE_ERROR_UNSUPPORTED, "several processes", options);
  options.shared = 2;
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_pool_options.shared", options);
  options = CUCORE_POOL_OPTIONS_INIT;
  options.location = {CUCORE_LOCATION_KIND_DEVICE, 1};
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "another place than device 0", options);
  options.location = {CUCORE_LOCATION_KIND_HOST, 0};
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "another place than device 0", options);
  options.location.kind = static_cast<cucore_location_kind>(7);
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "location.kind is 7", options);
  options = CUCORE_POOL_OPTIONS_INIT;
  options.keep = -2;
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "keep is -2", options);
  options = CUCORE_POOL_OPTIONS_INIT;
  options.reserved = 1;
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_pool_options.reserved", options);
  options = CUCORE_POOL_OPTIONS_INIT;
  options.reuse_internal = static_cast<cucore_toggle>(3);
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_pool_options.reuse_internal", options);
}

TEST_F(Pools, LiveAsLongAsTheirBuffers) {
  NEEDS_FAKE_DRIVER();
  Buffer buffer = take(pool_, 64);
  pool_.reset();
  EXPECT_EQ(fake_->call_count("cuMemPoolDestroy"), 0u);
  buffer.reset();
  EXPECT_EQ(fake_->call_count("cuMemPoolDestroy"), 1u);
  const std::vector<std::string> log = fake_->log();
  EXPECT_LT(std::find(log.begin(), log.end(), "cuMemFreeAsync"),
            std::find(log.begin(), log.end(), "cuMemPoolDestroy"));
}

TEST_F(Pools, OfAnotherOwnerAreNeverDestroyed) {
  Pool wrapped;
  SUCCEEDS(cucore_pool_from_native, device_, cucore_pool_native(pool_), wrapped.out());
  EXPECT_NE(wrapped.get(), pool_.get());
  EXPECT_EQ(cucore_pool_native(wrapped), cucore_pool_native(pool_));
  take(wrapped, 64).reset();
  EXPECT_EQ(query(wrapped).allocations, 1u);
  EXPECT_EQ(query(pool_).allocations, 0u) << "each object counts its own calls";
  wrapped.reset();
  take(pool_, 64).reset();
  if (fake_) {
    EXPECT_EQ(fake_->call_count("cuMemPoolDestroy"), 0u);
  }
}

TEST_F(Pools, EmptyBuffersHaveNone) {
  const Buffer empty = take(pool_, 0);
  EXPECT_EQ(cucore_buffer_address(empty), 0u);
  cucore_pool* pool = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "has no pool|cucore_buffer_create()", cucore_buffer_pool, empty,
        &pool);
  Buffer pinned;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 16, pinned.out());
  FAILS(CUCORE_ERROR_INVALID_STATE, "has no pool", cucore_buffer_pool, pinned, &pool);
}

TEST_F(Pools, OfTheDeviceAreTheDriversOnes) {
  Pool first, second, of_buffer;
  SUCCEEDS(cucore_device_pool, device_, first.out());
  SUCCEEDS(cucore_device_pool, device_, second.out());
  EXPECT_EQ(cucore_pool_native(first), cucore_pool_native(second));
  EXPECT_NE(cucore_pool_native(first), cucore_pool_native(pool_));
  const cucore_pool_info before = query(first);
  Buffer buffer = make_buffer(device_, 64, stream_);
  SUCCEEDS(cucore_buffer_pool, buffer, of_buffer.out());
  EXPECT_EQ(cucore_pool_native(of_buffer), cucore_pool_native(first));
  EXPECT_EQ(query(second).allocations, before.allocations + 1);
  buffer.reset();
  EXPECT_EQ(query(first).frees, before.frees + 1);
}

TEST_F(Pools, SetForTheDeviceServeItsBuffers) {
  SUCCEEDS(cucore_device_set_pool, device_, pool_);
  Pool set;
  SUCCEEDS(cucore_device_pool, device_, set.out());
  EXPECT_EQ(set.get(), pool_.get());
  make_buffer(device_, 64, stream_).reset();
  EXPECT_EQ(query(pool_).allocations, 1u);
  SUCCEEDS(cucore_device_set_pool, device_, nullptr);
  SUCCEEDS(cucore_device_pool, device_, set.out());
  EXPECT_NE(set.get(), pool_.get());
  SUCCEEDS(cucore_device_set_pool, device_, set);  // the driver's default pool
  make_buffer(device_, 64, stream_).reset();
  EXPECT_EQ(query(pool_).allocations, 1u);
}

TEST_F(Pools, OfOtherDevicesAreRefused) {
  NEEDS_FAKE_DRIVER();
  const Device second = open_device(1);
  const Stream stream = make_stream(second);
  cucore_buffer* buffer = nullptr;
  uint64_t address = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|the pool to device 0", cucore_buffer_from_pool,
        pool_, 8, stream, &buffer);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|the pool to device 0", cucore_pool_allocate, pool_,
        8, stream, &address);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "device 1|the pool to device 0", cucore_pool_free, pool_, 64,
        8, stream);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "the pool belongs to device 0|device 1",
        cucore_device_set_pool, second, pool_);
}

TEST_F(Pools, GiveBareAddresses) {
  uint64_t address = 0;
  SUCCEEDS(cucore_pool_allocate, pool_, 64, stream_, &address);
  EXPECT_NE(address, 0u);
  EXPECT_EQ(query(pool_).live, 1u);
  SUCCEEDS(cucore_pool_free, pool_, address, 64, stream_);
  EXPECT_EQ(query(pool_).live, 0u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "size is 0", cucore_pool_allocate, pool_, 0, stream_,
        &address);
  EXPECT_EQ(address, 0u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "address is 0", cucore_pool_free, pool_, 0, 64, stream_);
}

TEST_F(Pools, ThatAreExhaustedGiveBackBeforeTheyFail) {
  NEEDS_FAKE_DRIVER();
  fake_->fail_call("cuMemAllocFromPoolAsync", 1, 2);
  take(pool_, 64).reset();
  EXPECT_EQ(fake_->call_count("cuMemPoolTrimTo"), 1u);
  EXPECT_EQ(query(pool_).failures, 0u);
  fake_->set_memory(MIB);
  cucore_buffer* buffer = nullptr;
  FAILS(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY,
        "allocate 2097152 bytes from a pool of device 0|reserved bytes are used|of 1048576 bytes "
        "are free",
        cucore_buffer_from_pool, pool_, 2 * MIB, stream_, &buffer);
  EXPECT_EQ(query(pool_).failures, 2u);
}

// Calls of the driver for one round of an allocation and its release.
TEST_F(Pools, ReuseReleasedBlocksOfAStreamWithoutTheDriver) {
  NEEDS_FAKE_DRIVER();
  Buffer first = take(pool_, MIB);
  const uint64_t address = cucore_buffer_address(first);
  first.reset();
  fake_->reset();
  for (int i = 0; i < 3; ++i) {
    const Buffer again = take(pool_, MIB);
    EXPECT_EQ(cucore_buffer_address(again), address);
    EXPECT_EQ(query(pool_).live, 1u);
  }
  EXPECT_EQ(fake_->call_count("cuMemAllocFromPoolAsync"), 0u);
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 0u);
  EXPECT_EQ(query(pool_).allocations, 4u);
  const Buffer smaller = take(pool_, MIB - 1);
  EXPECT_NE(cucore_buffer_address(smaller), address) << "only blocks of the same size";
  const Stream other = make_stream(device_);
  Buffer of_other;
  SUCCEEDS(cucore_buffer_from_pool, pool_, MIB, other, of_other.out());
  EXPECT_NE(cucore_buffer_address(of_other), address) << "only blocks of the same stream";
}

TEST_F(Pools, KeepFewBlocksOfAStream) {
  NEEDS_FAKE_DRIVER();
  std::vector<Buffer> buffers;
  for (int i = 0; i < 10; ++i) buffers.push_back(take(pool_, 64));
  buffers.clear();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 2u);
  take(pool_, 65 * MIB).reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 3u);
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.keep = 100;
  const Pool small = make(options);
  take(small, 101).reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 4u);
  take(small, 100).reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 5u);
  SUCCEEDS(cucore_pool_set_keep, small, -1);
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 6u);
  take(small, 100).reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 7u);
}

// A driver may need a current context for a free, which the library otherwise leaves out.
TEST_F(Pools, GiveBlocksBackIfTheDriverNeedsAContext) {
  NEEDS_FAKE_DRIVER();
  constexpr int INVALID_CONTEXT = 201;
  const uint64_t before = fake_->live_objects("memory");
  std::vector<Buffer> buffers;
  for (int i = 0; i < 9; ++i) buffers.push_back(take(pool_, 64));
  fake_->fail_call("cuMemFreeAsync", 1, INVALID_CONTEXT);
  buffers.clear();
  EXPECT_EQ(fake_->live_objects("memory"), before + 8) << "the block that makes room is freed";
  fake_->fail_call("cuMemFreeAsync", 1, INVALID_CONTEXT);
  SUCCEEDS(cucore_pool_trim, pool_, 0);
  EXPECT_EQ(fake_->live_objects("memory"), before);
}

TEST_F(Pools, GiveBlocksBack) {
  NEEDS_FAKE_DRIVER();
  const uint64_t before = fake_->live_objects("memory");
  const auto is_kept = [&](bool kept) {
    EXPECT_EQ(fake_->live_objects("memory"), before + (kept ? 1 : 0));
  };
  take(pool_, 64).reset();
  is_kept(true);
  SUCCEEDS(cucore_pool_trim, pool_, 0);
  is_kept(false);
  {  // the end of the stream
    const Stream other = make_stream(device_);
    Buffer buffer;
    SUCCEEDS(cucore_buffer_from_pool, pool_, 64, other, buffer.out());
    buffer.reset();
    is_kept(true);
  }
  is_kept(false);
  take(pool_, 64).reset();  // memory of others that is exhausted
  fake_->reset();
  fake_->fail_call("cuMemAllocAsync", 1, 2);
  make_buffer(device_, 64, stream_).reset();
  is_kept(false);
  EXPECT_EQ(fake_->call_count("cuMemPoolTrimTo"), 1u) << "all pools of the library";
  const Pool other = make();
  take(other, 64).reset();
  take(pool_, 64).reset();
  pool_.reset();  // the end of the pool
  is_kept(true);
  Buffer used = take(other, 64);
  const Stream second = make_stream(device_);
  SUCCEEDS(cucore_buffer_record_use, used, second);
  used.reset();  // used by another stream
  for (int i = 0; i < 20000 && fake_->live_objects("memory") != before; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  is_kept(false);
}

TEST_F(Pools, KeepNoBlocksOfAStreamThatMayBeCaptured) {
  NEEDS_FAKE_DRIVER();
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  const uint64_t before = fake_->live_objects("memory");
  take(pool_, 64).reset();
  EXPECT_EQ(fake_->live_objects("memory"), before + 1);
  ASSERT_NE(cucore_stream_native(stream_), nullptr);
  EXPECT_EQ(fake_->live_objects("memory"), before) << "given back before the program can capture";
  take(pool_, 64).reset();
  EXPECT_EQ(fake_->live_objects("memory"), before);
  // A wait for an event of a capture makes another stream part of it.
  const Stream joined = make_stream(device_);
  Buffer buffer;
  SUCCEEDS(cucore_buffer_from_pool, pool_, 64, joined, buffer.out());
  buffer.reset();
  EXPECT_EQ(fake_->live_objects("memory"), before + 1);
  const Event fork = make_event(device_);
  ASSERT_EQ(graphs.begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  SUCCEEDS(cucore_event_record, fork, stream_);
  SUCCEEDS(cucore_stream_wait_event, joined, fork);
  EXPECT_EQ(fake_->live_objects("memory"), before);
  const Event join = make_event(device_);
  SUCCEEDS(cucore_event_record, join, joined);
  SUCCEEDS(cucore_stream_wait_event, stream_, join);
  CUgraph graph = nullptr;
  EXPECT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  graphs.destroy(graph, nullptr);
}

TEST_F(Pools, ForgetBlocksAfterAReset) {
  NEEDS_FAKE_DRIVER();
  const Device device = open_device(1);
  Stream stream = make_stream(device);
  Pool pool = make_pool(device);
  Buffer buffer;
  SUCCEEDS(cucore_buffer_from_pool, pool, 64, stream, buffer.out());
  buffer.reset();
  SUCCEEDS(cucore_device_reset, device);
  fake_->reset();
  pool.reset();
  stream.reset();
  EXPECT_EQ(fake_->call_count("cuMemFreeAsync"), 0u);
}

TEST_F(Pools, ServeThreadsOfOneStream) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Buffer buffer = take(pool_, 256 + i % 3);
        if (i % 100 == 0) MUST(cucore_pool_trim, pool_, 0);
        const Pool other = make();
        if (i % 50 == 0) take(other, 64).reset();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(query(pool_).allocations, 2000u);
  EXPECT_EQ(query(pool_).live, 0u);
}

struct Reserve {
  Buffer kept;
  std::vector<uint32_t> attempts;
  size_t size = 0;
  uint32_t free_at = 0;

  static int32_t give(size_t size, uint32_t attempt, void* given) {
    auto& self = *static_cast<Reserve*>(given);
    self.size = size;
    self.attempts.push_back(attempt);
    if (attempt == self.free_at) self.kept.reset();
    return 1;
  }
};

TEST_F(Pools, AskTheirOwnerForMemoryLast) {
  NEEDS_FAKE_DRIVER();
  Reserve reserve;
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.name = "images";
  options.exhausted = Reserve::give;
  options.user_data = &reserve;
  const Pool pool = make(options);
  fake_->set_memory(4 * MIB);
  reserve.kept = take(pool_, 3 * MIB);
  reserve.free_at = 3;
  const Buffer buffer = take(pool, 2 * MIB);
  EXPECT_EQ(reserve.attempts, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(reserve.size, 2 * MIB);
  EXPECT_EQ(query(pool).failures, 0u);
  reserve.attempts.clear();
  cucore_buffer* none = nullptr;
  FAILS_ONCE(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, "pool 'images' of device 0",
             cucore_buffer_from_pool, pool, 3 * MIB, stream_, &none);
  EXPECT_EQ(reserve.attempts.size(), 8u);
  EXPECT_EQ(query(pool).failures, 1u);
}

// Bare addresses have no owner that could free them in the graph.
TEST_F(Pools, OfACapturedStreamAllocateBuffersAlone) {
  NEEDS_FAKE_DRIVER();
  const NativeGraphs graphs;
  ASSERT_TRUE(graphs);
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  cucore_buffer* buffer = nullptr;
  uint64_t address = 0;
  SUCCEEDS(cucore_buffer_from_pool, pool_, 8, stream_, &buffer);
  cucore_buffer_release(buffer);
  FAILS(CUCORE_ERROR_INVALID_STATE, "captured", cucore_pool_allocate, pool_, 8, stream_, &address);
  FAILS(CUCORE_ERROR_INVALID_STATE, "cannot free memory of a pool|captured", cucore_pool_free,
        pool_, 64, 8, stream_);
  // These calls are unrelated to the capture, which continues.
  SUCCEEDS(cucore_pool_trim, pool_, 0);
  SUCCEEDS(cucore_pool_set_keep, pool_, 1);
  EXPECT_EQ(query(pool_).live, 0u);
  make().reset();
  CUgraph graph = nullptr;
  EXPECT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  graphs.destroy(graph, nullptr);
}

TEST_F(Pools, EndWithAReset) {
  if (!fake_ && !is_emulated()) GTEST_SKIP() << "leaves the context of a GPU alone";
  const Device device = open_device(fake_ ? 1 : 0);
  const Stream stream = make_stream(device);
  Pool pool;
  SUCCEEDS(cucore_pool_create, device, nullptr, pool.out());
  SUCCEEDS(cucore_device_set_pool, device, pool);
  Buffer buffer;
  SUCCEEDS(cucore_buffer_from_pool, pool, 8, stream, buffer.out());
  SUCCEEDS(cucore_device_reset, device);
  if (!fake_) stream_ = make_stream(device_);  // of the fixture
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  cucore_pool* none = nullptr;
  cucore_buffer* no_buffer = nullptr;
  const Stream fresh = make_stream(device);
  FAILS(CUCORE_ERROR_INVALID_STATE, "pool lived|reset", cucore_pool_query, pool, &info);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_pool_trim, pool, 0);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_pool_set_keep, pool, 0);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_pool_reset_peaks, pool);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_buffer_from_pool, pool, 8, fresh, &no_buffer);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_device_set_pool, device, pool);
  FAILS(CUCORE_ERROR_INVALID_STATE, "reset", cucore_buffer_pool, buffer, &none);
  Pool now;
  SUCCEEDS(cucore_device_pool, device, now.out());
  EXPECT_NE(now.get(), pool.get());
  SUCCEEDS(cucore_buffer_from_pool, now, 8, fresh, buffer.out());
}

TEST_F(Pools, ServeSeveralThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      const Stream stream = make_stream(device_);
      for (int i = 0; i < 200; ++i) {
        Buffer buffer;
        MUST(cucore_buffer_from_pool, pool_, 256, stream, buffer.out());
        if (i % 50 == 0) MUST(cucore_pool_trim, pool_, 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const cucore_pool_info info = query(pool_);
  EXPECT_EQ(info.allocations, 800u);
  EXPECT_EQ(info.live, 0u);
}

TEST_F(Pools, AreMissingOnADeviceWithoutThem) {
  NEEDS_FAKE_DRIVER();
  constexpr int32_t MEMORY_POOLS_SUPPORTED = 115;
  fake_->set_device_count(3);
  fake_->set_attribute(2, MEMORY_POOLS_SUPPORTED, 0);
  const Device device = open_device(2);
  cucore_pool* pool = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "device 2 has no memory pools|cucore_buffer_create()",
        cucore_pool_create, device, nullptr, &pool);
  FAILS(CUCORE_ERROR_UNSUPPORTED, "device 2", cucore_device_pool, device, &pool);
  FAILS(CUCORE_ERROR_UNSUPPORTED, "device 2", cucore_device_set_pool, device, nullptr);
  FAILS(CUCORE_ERROR_UNSUPPORTED, "device 2", cucore_pool_from_native, device, &pool, &pool);
}

}  // namespace
