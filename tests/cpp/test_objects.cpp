// SPDX-License-Identifier: Apache-2.0
// Devices, streams, events, buffers, the log and the libraries.
#include <array>
#include <cstring>
#include <numeric>

#include "cpp_testing.hpp"
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

using namespace cpp_test;
using cucore::Buffer;

class Objects : public OnDevice {};

TEST_F(Objects, DevicesHaveProperties) {
  const int count = must(cucore::Device::count());
  EXPECT_TRUE(count == 2 || !is_on_cpu()) << count;
  EXPECT_EQ(device_.ordinal(), 0);
  EXPECT_EQ(device_, must(cucore::Device::open(0)));
  EXPECT_STREQ(device_.name().data(), cucore_device_name(device_.get()));
  EXPECT_EQ(device_.arch().substr(0, 3), "sm_");
  EXPECT_EQ(device_.pci_bus_id().size(), 12u);
  EXPECT_EQ(device_.is_emulated(), is_on_cpu());
  const auto capability = must(device_.compute_capability());
  EXPECT_EQ("sm_" + std::to_string(capability.major * 10 + capability.minor), device_.arch());
  EXPECT_EQ(must(device_.attribute(cucore::DeviceAttribute::warp_size)), 32);
  const auto memory = must(device_.memory());
  EXPECT_GT(memory.free_bytes, 0u);
  EXPECT_GE(memory.total_bytes, memory.free_bytes);
  EXPECT_LE(must(device_.stream_priorities()).greatest, must(device_.stream_priorities()).least);
  SUCCEEDS(device_.synchronize());
  FAILS(invalid_argument, "99", cucore::Device::open(99));
}

TEST_F(Objects, DevicesDiffer) {
  if (must(cucore::Device::count()) < 2) GTEST_SKIP() << "needs two devices";
  const cucore::Device second = must(cucore::Device::open(1));
  EXPECT_NE(device_, second);
  EXPECT_NE(must(device_.uuid()), must(second.uuid()));
  static_cast<void>(must(device_.can_access_peer(second)));
}

TEST_F(Objects, PoolsGiveMemory) {
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.keep = -1;
  const cucore::Pool pool = must(cucore::Pool::create(device_, options));
  EXPECT_EQ(must(pool.device()), device_);
  EXPECT_EQ(pool.native(), must(cucore::Pool::from_native(device_, pool.native())).native());
  const Buffer buffer = must(Buffer::from_pool(pool, 64, stream_));
  EXPECT_EQ(must(buffer.pool()), pool);
  const auto address = must(pool.allocate(64, stream_));
  EXPECT_EQ(must(pool.query()).live, 2u);
  EXPECT_EQ(must(pool.query()).keep, -1);
  SUCCEEDS(pool.free(address, 64, stream_));
  SUCCEEDS(pool.set_keep(0));
  SUCCEEDS(pool.reset_peaks());
  SUCCEEDS(pool.trim());
  FAILS(invalid_argument, "keep is -2", pool.set_keep(-2));
  SUCCEEDS(device_.set_pool(pool));
  EXPECT_EQ(must(device_.pool()), pool);
  SUCCEEDS(device_.set_pool({}));
  EXPECT_NE(must(device_.pool()), pool);
}

TEST_F(Objects, ResetOfAnOwnerLeavesTheContextAlone) {
  const Buffer buffer = make_buffer(16);
  cucore::Device device = device_;
  device.reset();
  EXPECT_FALSE(device);
  SUCCEEDS(buffer.fill(0, stream_));
  SUCCEEDS(device_.reset_context());
  FAILS(invalid_state, "", buffer.fill(0, stream_));
}

TEST_F(Objects, StreamsOrderWork) {
  cucore::StreamOptions options;
  options.nonblocking = false;
  options.priority = must(device_.stream_priorities()).greatest;
  const cucore::Stream other = must(cucore::Stream::create(device_, options));
  EXPECT_EQ(must(other.device()), device_);
  SUCCEEDS(other.wait_stream(stream_));
  SUCCEEDS(other.synchronize());
  EXPECT_TRUE(must(other.query()));
  EXPECT_FALSE(other.is_capturing());
  EXPECT_EQ(other.native(), cucore_stream_native(other.get()));
  const auto wrapped = must(cucore::Stream::from_native(device_, stream_.native()));
  EXPECT_EQ(wrapped.native(), stream_.native());
  SUCCEEDS(must(device_.default_stream(cucore::DefaultStream::per_thread)).synchronize());
  options.priority = 1000;
  FAILS(invalid_argument, "priority", cucore::Stream::create(device_, options));
}

TEST_F(Objects, EventsMeasureTime) {
  cucore::EventOptions timed;
  timed.timing = true;
  const auto start = must(cucore::Event::create(device_, timed)),
             end = must(cucore::Event::create(device_, timed)),
             plain = must(cucore::Event::create(device_));
  EXPECT_TRUE(start.has_timing());
  EXPECT_FALSE(plain.has_timing());
  EXPECT_EQ(must(start.device()), device_);
  SUCCEEDS(start.record(stream_));
  SUCCEEDS(end.record(stream_));
  SUCCEEDS(stream_.wait_event(end));
  SUCCEEDS(end.synchronize());
  EXPECT_TRUE(must(end.query()));
  EXPECT_GE(must(start.elapsed(end)).count(), 0.0f);
  EXPECT_NE(start.native(), end.native());
  SUCCEEDS(plain.record(stream_));
  FAILS(invalid_state, "timing", start.elapsed(plain));
}

TEST_F(Objects, BuffersCopyAnyContainer) {
  const Buffer buffer = make_buffer(4 * sizeof(int));
  EXPECT_EQ(buffer.size(), 16u);
  EXPECT_EQ(must(buffer.device()), device_);
  EXPECT_NE(buffer.address(), cucore::Address());
  EXPECT_EQ(buffer.address().as<void>(), buffer.native());
  std::array<int, 4> whole{};
  SUCCEEDS(buffer.write(std::vector<int>{1, 2, 3, 4}, stream_));
  SUCCEEDS(buffer.read(whole, stream_));
  EXPECT_EQ(whole, (std::array<int, 4>{1, 2, 3, 4}));
  const int two[] = {7, 8};
  SUCCEEDS(buffer.write(two, stream_, 2 * sizeof(int)));
  SUCCEEDS(buffer.write(cucore::Bytes(two, 4), stream_));
  int last = 0;
  SUCCEEDS(buffer.read(cucore::bytes_of(last), stream_, 3 * sizeof(int)));
  EXPECT_EQ(last, 8);
  std::string text(16, ' ');
  SUCCEEDS(buffer.read(text, stream_));
  EXPECT_EQ(text[0], 7);
  FAILS(invalid_argument, "", buffer.write(two, stream_, 12));
}

TEST_F(Objects, BuffersCopyAndFill) {
  const Buffer a = make_buffer(16), b = make_buffer(16);
  std::vector<std::uint16_t> values(8);
  SUCCEEDS(a.fill(std::uint16_t{7}, stream_));
  SUCCEEDS(b.fill(0, stream_));
  SUCCEEDS(b.copy(a, stream_));
  SUCCEEDS(b.fill(0, 4, 1.0f, stream_));
  SUCCEEDS(b.copy(8, a, 0, 2, stream_));
  SUCCEEDS(b.read(values, stream_));
  EXPECT_EQ(values, (std::vector<std::uint16_t>{0, 0x3f80, 7, 7, 7, 7, 7, 7}));
  SUCCEEDS(a.record_use(stream_));
  SUCCEEDS(a.set_stream(must(cucore::Stream::create(device_))));
}

TEST_F(Objects, BuffersOfTheHostAreSpans) {
  const Buffer pinned = must(Buffer::create_pinned(device_, 16)),
               managed = must(Buffer::create_managed(device_, 16)), plain = make_buffer(16);
  EXPECT_TRUE(plain.host_span<int>().empty());
  EXPECT_EQ(plain.host_pointer(), nullptr);
  for (const Buffer& buffer : {pinned, managed}) {
    cucore::Span<int> span = buffer.host_span<int>();
    ASSERT_EQ(span.size(), 4u);
    std::iota(span.begin(), span.end(), 1);
    std::vector<int> values(4);
    SUCCEEDS(buffer.read(values, stream_));
    EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4}));
  }
  const Buffer wrapped = must(Buffer::from_native(device_, plain.address() + 4, 8));
  const auto owner = std::make_shared<int>();
  Buffer lent = must(Buffer::from_owner(device_, plain.address() + 4, 8, owner));
  EXPECT_EQ(owner.use_count(), 2);
  lent.reset();
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(wrapped.address(), plain.address() + 4);
}

TEST(Spans, TakeContainersAndLists) {
  const auto sum = [](cucore::Span<const int> span) {
    return std::accumulate(span.begin(), span.end(), 0);
  };
  std::vector<int> vector = {1, 2};
  const std::array<int, 2> array = {3, 4};
  int plain[] = {5, 6};
  EXPECT_EQ(sum(vector), 3);
  EXPECT_EQ(sum(array), 7);
  EXPECT_EQ(sum(plain), 11);
  EXPECT_EQ(sum({7, 8}), 15);
  EXPECT_EQ(sum({}), 0);
  cucore::Span<int> span = vector;
  span[0] = 9;
  EXPECT_EQ(sum(span), 11);
  EXPECT_EQ(span.size_bytes(), 2 * sizeof(int));
  EXPECT_FALSE((std::is_constructible_v<cucore::Span<int>, const std::vector<int>&>));
  EXPECT_FALSE((std::is_constructible_v<cucore::MutableBytes, const std::vector<int>&>));
  EXPECT_FALSE((std::is_constructible_v<cucore::Bytes, const std::vector<std::string>&>));
}

#if __cplusplus >= 202002L
TEST(Spans, ConvertToAndFromThoseOfTheStandard) {
  std::vector<int> vector = {1, 2};
  const std::span<int> standard = vector;
  const cucore::Span<int> ours = standard;
  const std::span<const int> back = cucore::Span<const int>(ours);
  EXPECT_EQ(back.data(), vector.data());
  EXPECT_EQ(std::span<int>(ours).size(), 2u);
  EXPECT_EQ(cucore::Bytes(back).size(), 2 * sizeof(int));
}
#endif

TEST(Names, EndWithANul) {
  const std::string name = is_on_cpu() ? "cpu" : "nvidia", longer = name + " device";
  SUCCEEDS(cucore::driver_select(std::string_view(longer).substr(0, name.size())));
  SUCCEEDS(cucore::driver_select(name));
  FAILS(invalid_argument, "", cucore::driver_select(longer));
}

TEST(Libraries, AreDescribed) {
  const cucore::LibraryInfo driver = must(cucore::library_query(cucore::Library::driver));
  EXPECT_TRUE(driver.available) << driver.reason;
  EXPECT_PRED2(contains, driver.path, is_on_cpu() ? "libcucore-cpu" : "libcuda");
  EXPECT_GE(driver.version_major, 12);
  FAILS(invalid_argument, "", cucore::library_query(static_cast<cucore::Library>(99)));
  FAILS(invalid_argument, "driver", cucore::library_set_path(cucore::Library::driver, "/x"));
  EXPECT_EQ(cucore::version(), std::uint32_t{CUCORE_VERSION});
  EXPECT_EQ(cucore::version_string(), cucore_version_string());
}

TEST(Log, GoesToTheReceiverUntilItIsReplaced) {
  int messages = 0;
  auto alive = std::make_shared<int>(0);
  const auto receive = [&messages, alive](cucore::LogLevel level, std::string_view message) {
    messages += level >= cucore::LogLevel::debug && !message.empty();
  };
  SUCCEEDS(cucore::log_set_callback(receive, cucore::LogLevel::debug));
  const auto run = [] {
    const auto device = must(cucore::Device::open());
    SUCCEEDS(make_code().load(device));
  };
  run();
  EXPECT_GT(messages, 0);
  EXPECT_GT(alive.use_count(), 2);
  SUCCEEDS(cucore::log_set_callback(nullptr));
  EXPECT_EQ(alive.use_count(), 2);
  const int before = messages;
  run();
  EXPECT_EQ(messages, before);
  FAILS(invalid_argument, "", cucore::log_set_callback(receive, static_cast<cucore::LogLevel>(9)));
  EXPECT_EQ(alive.use_count(), 2);
}

}  // namespace
