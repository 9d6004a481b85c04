// SPDX-License-Identifier: Apache-2.0
// Graphs and executables through cucore.hpp.
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;

ssize_t read_event(int event, uint64_t& count) { return ::read(event, &count, sizeof count); }

class Graphs : public OnDevice {
 protected:
  const cucore::Graph graph_ = must(cucore::Graph::create(device_));
};

TEST_F(Graphs, RunTheirNodesInOrder) {
  const cucore::Buffer y = make_buffer(16), out = make_buffer({0, 0, 0, 0});
  std::atomic<int> calls{0};
  const cucore::Node fill = must(graph_.add_fill({}, y, 0, 16, 7.0f));
  const cucore::Node host = must(graph_.add_host({fill}, [&calls] { ++calls; }));
  const cucore::Node copy = must(graph_.add_copy({}, out, 0, y, 0, 16));
  SUCCEEDS(graph_.add_edge(host, copy));
  SUCCEEDS(graph_.set_label(copy, "last"));
  EXPECT_EQ(graph_.node_count(), 3u);
  EXPECT_EQ(must(graph_.node_at(2)), copy);
  EXPECT_EQ(must(graph_.dependencies(copy)), cucore::After{host});
  EXPECT_EQ(must(graph_.dependents(fill)), cucore::After{host});
  EXPECT_TRUE(must(graph_.dependencies(fill)).empty());
  const cucore_node_info info = must(graph_.node_query(copy));
  EXPECT_EQ(static_cast<cucore::NodeKind>(info.kind), cucore::NodeKind::copy);
  EXPECT_STREQ(info.label, "last");
  EXPECT_NE(must(graph_.dot()).find("last"), std::string::npos);
  EXPECT_EQ(must(graph_.device()), device_);

  const cucore::Executable executable = must(cucore::Executable::create(graph_));
  SUCCEEDS(executable.upload(stream_));
  SUCCEEDS(executable.launch(stream_));
  SUCCEEDS(stream_.synchronize());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(read(out), (std::vector<float>{7, 7, 7, 7}));
  EXPECT_EQ(must(executable.device()), device_);
  EXPECT_NE(executable.native(), nullptr);
  EXPECT_NE(graph_.native(), nullptr);
}

TEST_F(Graphs, CopyBoxes) {
  using cucore::Box;
  const cucore::Buffer x = make_buffer({1, 2, 3, 4, 5, 6}), y = make_buffer({0, 0, 0, 0});
  const float host[] = {8, 9};
  SUCCEEDS(cucore::Buffer::copy_box(Box(y), Box(x).shape(12).at(4), {8, 2}, stream_));
  EXPECT_EQ(read(y), (std::vector<float>{2, 3, 5, 6}));
  SUCCEEDS(cucore::Buffer::copy_box(Box(y, 4), Box(host), {8}, stream_));
  EXPECT_EQ(read(y), (std::vector<float>{2, 8, 9, 6}));
  const cucore::Node node =
      must(graph_.add_copy_box({}, Box(y).shape(8), Box(x).shape(12), {4, 2}));
  const cucore_node_info info = must(graph_.node_query(node));
  EXPECT_EQ(info.height, 2u);
  EXPECT_EQ(info.source_row_bytes, 12u);
  SUCCEEDS(must(cucore::Executable::create(graph_)).launch(stream_));
  EXPECT_EQ(read(y), (std::vector<float>{1, 8, 4, 6}));
  SUCCEEDS(graph_.set_copy_box(node, Box(y), Box(x), {4}));
  const cucore::Executable executable = must(cucore::Executable::create(graph_));
  SUCCEEDS(executable.set_copy_box(node, Box(y, 12), Box(x, 20), {4}));
  SUCCEEDS(executable.launch(stream_));
  EXPECT_EQ(read(y), (std::vector<float>{1, 8, 4, 6}));
  FAILS(invalid_argument, "ends at byte 20 of a buffer of 16 bytes",
        graph_.add_copy_box({}, Box(y, 12), Box(x), {8}));
}

TEST_F(Graphs, HaveSemaphoresOfOtherLibraries) {
  if (!is_on_cpu()) GTEST_SKIP() << "the driver imports only semaphores of Vulkan";
  const int event = eventfd(0, EFD_CLOEXEC);
  const auto semaphore = must(cucore::External::semaphore_from_descriptor(device_, dup(event)));
  EXPECT_FALSE(semaphore.is_timeline());
  EXPECT_EQ(must(semaphore.device()), device_);
  EXPECT_NE(semaphore.native(), nullptr);
  SUCCEEDS(semaphore.signal(0, stream_));
  SUCCEEDS(semaphore.wait(0, stream_));
  const cucore::Node signal = must(graph_.add_semaphore_signal({}, semaphore));
  const cucore::Node wait = must(graph_.add_semaphore_wait({signal}, semaphore));
  must(graph_.add_semaphore_signal({wait}, semaphore));
  EXPECT_EQ(must(graph_.node_semaphore(wait)), semaphore);
  SUCCEEDS(graph_.set_semaphore(signal, semaphore));
  const cucore::Executable executable = must(cucore::Executable::create(graph_));
  SUCCEEDS(executable.set_semaphore(wait, semaphore));
  SUCCEEDS(executable.launch(stream_));
  SUCCEEDS(stream_.synchronize());
  uint64_t signals = 0;
  EXPECT_EQ(read_event(event, signals), 8);
  EXPECT_EQ(signals, 1u);
  close(event);
}

TEST_F(Graphs, HaveEventsChildrenAndClones) {
  const cucore::Event event = must(cucore::Event::create(device_));
  const cucore::Node record = must(graph_.add_record({}, event));
  const cucore::Node wait = must(graph_.add_wait({}, event));
  EXPECT_EQ(must(graph_.node_event(wait)), event);
  const cucore::Graph copy = must(graph_.clone());
  const cucore::Node child = must(copy.add_child({record, wait}, graph_));
  const cucore::Node join = must(copy.add_empty({child}));
  SUCCEEDS(copy.remove_edge(child, join));
  SUCCEEDS(copy.remove_node(join));
  EXPECT_EQ(copy.node_count(), 3u);
  EXPECT_EQ(graph_.node_count(), 2u);
}

TEST_F(Graphs, LaunchKernels) {
  const cucore::ObjectCode code = make_code();
  const cucore::Kernel saxpy = must(code.find_kernel("saxpy"));
  const cucore::Kernel empty = must(code.find_kernel("empty"));
  const cucore::Buffer x = make_buffer({1, 2, 3, 4}), y = make_buffer({10, 20, 30, 40});
  const cucore::Node first = must(graph_.add_kernel({}, saxpy, {1, 32}, 2.0f, x, y, 4));
  must(graph_.add_kernel({first}, empty, {1, 1}));
  SUCCEEDS(must(cucore::Executable::create(graph_)).launch(stream_));
  EXPECT_EQ(read(y), (std::vector<float>{12, 24, 36, 48}));
  FAILS(invalid_argument, "kernel saxpy takes 4 arguments, got 1",
        graph_.add_kernel({}, saxpy, {1, 32}, 2.0f));
}

TEST_F(Graphs, ChangeNodes) {
  const cucore::ObjectCode code = make_code();
  const cucore::Kernel saxpy = must(code.find_kernel("saxpy"));
  const cucore::Kernel empty = must(code.find_kernel("empty"));
  const cucore::Buffer x = make_buffer({1, 2, 3, 4}), y = make_buffer({10, 20, 30, 40});
  const cucore::Buffer out = make_buffer({0, 0, 0, 0});
  const cucore::Event event = must(cucore::Event::create(device_));
  const cucore::Graph child = must(cucore::Graph::create(device_));
  std::atomic<int> calls{0}, others{0};
  const cucore::Node kernel = must(graph_.add_kernel({}, saxpy, {1, 32}, 2.0f, x, y, 4));
  const cucore::Node copy = must(graph_.add_copy({kernel}, out, 0, y, 0, 16));
  const cucore::Node fill = must(graph_.add_fill({copy}, y, 0, 16, 7.0f));
  const cucore::Node host = must(graph_.add_host({fill}, [&] { ++calls; }));
  const cucore::Node record = must(graph_.add_record({host}, event));
  const cucore::Node inner = must(graph_.add_child({}, child));
  const cucore::Executable executable = must(cucore::Executable::create(graph_));

  SUCCEEDS(graph_.set_kernel(kernel, empty, {1, 1}));
  SUCCEEDS(graph_.set_copy(copy, out, 0, x, 0, 16));
  SUCCEEDS(graph_.set_fill(fill, y, 0, 16, 9.0f));
  SUCCEEDS(graph_.set_host(host, [&] { ++others; }));
  SUCCEEDS(graph_.set_event(record, event));
  SUCCEEDS(graph_.set_child(inner, child));
  cucore::Node culprit = 7;
  SUCCEEDS(executable.update(graph_, &culprit));
  EXPECT_EQ(culprit, 0u);
  SUCCEEDS(executable.launch(stream_));
  SUCCEEDS(stream_.synchronize());
  EXPECT_EQ(read(out), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(read(y), (std::vector<float>{9, 9, 9, 9}));

  SUCCEEDS(executable.set_kernel(kernel, saxpy, {1, 32}, 1.0f, x, y, 4));
  SUCCEEDS(executable.set_copy(copy, out, 0, y, 0, 16));
  SUCCEEDS(executable.set_fill(fill, x, 0, 16, 5.0f));
  SUCCEEDS(executable.set_host(host, [&] { calls += 10; }));
  SUCCEEDS(executable.set_event(record, event));
  SUCCEEDS(executable.set_child(inner, child));
  SUCCEEDS(executable.launch(stream_));
  SUCCEEDS(stream_.synchronize());
  EXPECT_EQ(read(out), (std::vector<float>{10, 11, 12, 13}));
  EXPECT_EQ(read(x), (std::vector<float>{5, 5, 5, 5}));
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(others, 1);

  EXPECT_TRUE(must(executable.is_enabled(fill)));
  SUCCEEDS(executable.set_enabled(fill, false));
  EXPECT_FALSE(must(executable.is_enabled(fill)));
  FAILS(invalid_argument, "cannot be disabled", executable.is_enabled(host));
}

TEST_F(Graphs, HaveConditions) {
  const std::uint64_t condition = must(graph_.add_condition(0));
  const cucore::Node node =
      must(graph_.add_conditional({}, condition, cucore::Conditional::if_, 2));
  const cucore::Graph otherwise = must(graph_.child(node, 1));
  const cucore::Buffer y = make_buffer({0, 0, 0, 0});
  must(otherwise.add_fill({}, y, 0, 16, 4.0f));
  EXPECT_EQ(must(graph_.child(node)).node_count(), 0u);
  EXPECT_EQ(must(graph_.node_query(node)).condition, condition);
  SUCCEEDS(must(cucore::Executable::create(graph_)).launch(stream_));
  EXPECT_EQ(read(y), (std::vector<float>{4, 4, 4, 4}));
  FAILS(invalid_argument, "already decides",
        graph_.add_conditional({}, condition, cucore::Conditional::while_));
}

TEST_F(Graphs, KeepFunctionsAndData) {
  const auto kept = std::make_shared<int>(0);
  std::atomic<int> ends{0};
  cucore::Graph graph = must(cucore::Graph::create(device_));
  must(graph.add_host({}, [kept] {}));
  SUCCEEDS(graph.hold(&ends, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }));
  EXPECT_EQ(kept.use_count(), 2);
  EXPECT_EQ(ends, 0);
  graph.reset();
  const auto are_gone = [&] { return ends == 1 && kept.use_count() == 1; };
  for (int i = 0; i < 20000 && !are_gone(); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_TRUE(are_gone());
}

TEST_F(Graphs, AreCapturedFromStreams) {
  const cucore::Buffer y = make_buffer({0, 0, 0, 0});
  const cucore::Stream fork = must(cucore::Stream::create(device_));
  const cucore::Event event = must(cucore::Event::create(device_));
  cucore::CaptureOptions options;
  options.mode = cucore::CaptureMode::thread;
  SUCCEEDS(stream_.begin_capture(options));
  EXPECT_TRUE(stream_.is_capturing());
  SUCCEEDS(fork.wait_stream(stream_));
  SUCCEEDS(y.fill(0, 16, 7.0f, fork));
  SUCCEEDS(stream_.wait_stream(fork));
  const std::vector<cucore::Node> point = must(stream_.capture_nodes());
  ASSERT_EQ(point.size(), 1u);
  SUCCEEDS(stream_.set_capture_nodes(point));
  SUCCEEDS(event.record_in_graph(stream_));
  SUCCEEDS(stream_.wait_in_graph(event));
  const cucore::Graph under_way = must(stream_.capture_graph());
  const cucore::Graph graph = must(stream_.end_capture());
  EXPECT_EQ(graph, under_way);
  EXPECT_FALSE(stream_.is_capturing());
  EXPECT_EQ(graph.node_count(), 3u);
  const cucore::Executable executable = must(cucore::Executable::create(graph));
  SUCCEEDS(executable.launch(stream_));
  EXPECT_EQ(read(y), (std::vector<float>{7, 7, 7, 7}));
}

}  // namespace
