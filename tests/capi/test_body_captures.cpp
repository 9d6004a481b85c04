// SPDX-License-Identifier: Apache-2.0
// Captures into the bodies of conditional nodes: what runs, and the work that a body cannot hold.
#include <cstring>
#include <functional>

#include "condition_kernels.hpp"
#include "external_testing.hpp"
#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class BodyCaptures : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    uint64_t condition = 0;
    const Graph probe = make_graph(device_);
    if (cucore_graph_add_condition(probe, 0, 1, &condition, nullptr) != CUCORE_OK)
      GTEST_SKIP() << "a driver of 12.3";
    setters_ = make_code(CUCORE_CODE_TYPE_PTX, CONDITION_KERNELS, std::strlen(CONDITION_KERNELS));
    count_down_ = find_kernel(setters_, "count_down");
    one_ = make_floats(1);
    sum_ = make_floats(0);
    copy_ = make_floats(0);
    MUST(cucore_stream_synchronize, stream_);
  }
  void TearDown() override {
    graph_.reset();
    count_down_.reset(), setters_.reset(), one_.reset(), sum_.reset(), copy_.reset();
    OnGraph::TearDown();
  }

  struct Decided {
    uint64_t condition = 0;
    cucore_node node = 0;
    Graph body;
  };
  // A conditional node. Each launch begins with the value.
  static Decided decide(const Graph& graph, cucore_conditional kind, uint32_t value,
                        const Nodes& after = {}) {
    Decided out;
    MUST(cucore_graph_add_condition, graph, value, 1, &out.condition);
    MUST(cucore_graph_add_conditional, graph, after.data(), after.size(), out.condition, kind, 1,
         out.body.out(), &out.node);
    return out;
  }
  // Captures what `work` adds to the stream as nodes of the graph.
  void capture(const Graph& graph, const std::function<void()>& work,
               const Nodes& after = {}) const {
    begin(graph, after);
    work();
    end(graph);
  }
  void begin(const Graph& graph, const Nodes& after = {}) const {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.into = graph;
    options.after = after.data();
    options.after_count = after.size();
    MUST(cucore_stream_begin_capture, stream_, &options);
  }
  void end(const Graph& graph) const {
    Graph same;
    MUST(cucore_stream_end_capture, stream_, same.out());
    EXPECT_EQ(same.get(), graph.get());
  }

  // Work of the stream: sum = a * from + sum.
  void add(float a, const Buffer& from) const {
    const SaxpyArguments arguments(a, from, sum_);
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, saxpy_, stream_, &options, arguments.list, 4);
  }
  void fill(const Buffer& buffer, float value) const {
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, stream_);
  }
  void copy(const Buffer& to, const Buffer& from) const {
    MUST(cucore_buffer_copy, to, 0, from, 0, BYTES, stream_);
  }
  // Decrements the word. Its condition is the result.
  void count_down(uint64_t condition, const Buffer& left) const {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(condition),
                                         {left, CUCORE_ARGUMENT_OBJECT}};
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, count_down_, stream_, &options, arguments, 2);
  }
  void set_word(const Buffer& buffer, uint32_t value) const {
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, stream_);
  }

  Code setters_;
  Kernel count_down_;
  Buffer one_, sum_, copy_;
};

TEST_F(BodyCaptures, OfAnIf) {
  for (const uint32_t value : {0u, 1u}) {
    graph_ = make_graph(device_);
    const Decided decided = decide(graph_, CUCORE_CONDITIONAL_IF, value);
    capture(decided.body, [&] {
      fill(copy_, 2);
      add(3, copy_);
      copy(copy_, sum_);
    });
    EXPECT_EQ(cucore_graph_node_count(decided.body), 3u);
    if (!runs_kernels()) continue;
    fill(sum_, 5);
    fill(copy_, 0);
    run();
    EXPECT_EQ(first(sum_), value ? 11 : 5);
    EXPECT_EQ(first(copy_), value ? 11 : 0);
  }
}

TEST_F(BodyCaptures, OfAWhile) {
  const Buffer left = make_floats(0);
  const Decided decided = decide(graph_, CUCORE_CONDITIONAL_WHILE, 1);
  capture(decided.body, [&] {
    add(2, one_);
    copy(copy_, sum_);
    fill(one_, 10);
    count_down(decided.condition, left);
  });
  EXPECT_EQ(cucore_graph_node_count(decided.body), 4u);
  if (!runs_kernels()) GTEST_SKIP() << "the scripted driver runs no body";
  const Executable executable = make_executable(graph_);
  for (const uint32_t times : {3u, 1u}) {
    set_word(left, times);
    fill(one_, 1);
    fill(sum_, 0);
    launch(executable);
    const float expected = 2 + 20 * static_cast<float>(times - 1);
    EXPECT_EQ(first(sum_), expected);
    EXPECT_EQ(first(copy_), expected);
  }
}

// An IF whose captured work surrounds a WHILE, which was captured too.
TEST_F(BodyCaptures, OfAnInnerBody) {
  const Buffer left = make_floats(0);
  const Decided outer = decide(graph_, CUCORE_CONDITIONAL_IF, 1);
  Nodes point(1);
  begin(outer.body);
  fill(sum_, 100);
  size_t count = 0;
  MUST(cucore_stream_capture_nodes, stream_, point.data(), point.size(), &count);
  end(outer.body);
  ASSERT_EQ(count, 1u);
  const Decided inner = decide(outer.body, CUCORE_CONDITIONAL_WHILE, 1, point);
  capture(inner.body, [&] {
    add(1, one_);
    copy(copy_, one_);
    fill(one_, 3);
    count_down(inner.condition, left);
  });
  capture(outer.body, [&] { add(1000, one_); }, {inner.node});
  EXPECT_EQ(cucore_graph_node_count(outer.body), 3u);
  EXPECT_EQ(cucore_graph_node_count(inner.body), 4u);
  if (!runs_kernels()) GTEST_SKIP() << "the scripted driver runs no body";
  const Executable executable = make_executable(graph_);
  for (const uint32_t times : {1u, 4u}) {
    set_word(left, times);
    fill(one_, 1);
    launch(executable);
    EXPECT_EQ(first(sum_), 100 + 1 + 3 * static_cast<float>(times - 1) + 3000);
    EXPECT_EQ(first(copy_), times == 1 ? 1 : 3);
  }
}

// Work of a fork also becomes nodes of the body.
TEST_F(BodyCaptures, WithAFork) {
  const Stream fork = make_stream(device_);
  const Decided decided = decide(graph_, CUCORE_CONDITIONAL_IF, 1);
  capture(decided.body, [&] {
    fill(sum_, 1);
    MUST(cucore_stream_wait_stream, fork, stream_);
    const float seven = 7;
    MUST(cucore_buffer_fill, copy_, 0, BYTES, &seven, sizeof seven, fork);
    FAILS(
        CUCORE_ERROR_INVALID_ARGUMENT, "cannot hold a node of kind host function",
        cucore_stream_launch_host, fork, [](void*) {}, nullptr, nullptr);
    MUST(cucore_stream_wait_stream, stream_, fork);
    add(1, copy_);
  });
  EXPECT_EQ(cucore_graph_node_count(decided.body), 3u);
  if (!runs_kernels()) GTEST_SKIP() << "the scripted driver runs no body";
  run();
  EXPECT_EQ(first(sum_), 8);
}

// A body refuses captured work with the message of nodes by hand, and the capture goes on.
class BodyRefusals : public BodyCaptures {
 protected:
  // Calls the function once by hand and once in a capture. Both have no effect.
  template <class ByHand, class Captured>
  void compare(const char* kind, ByHand&& by_hand, Captured&& captured) {
    SCOPED_TRACE(kind);
    const Decided outer = decide(graph_, CUCORE_CONDITIONAL_IF, 1);
    const Decided inner = decide(outer.body, CUCORE_CONDITIONAL_IF, 1);
    for (const Graph* body : {&outer.body, &inner.body}) {
      const size_t count = cucore_graph_node_count(*body);
      const std::string expected = refusal([&](cucore_error** e) { return by_hand(*body, e); });
      EXPECT_EQ(expected,
                std::string("the graph of a conditional node cannot hold a node of kind ") + kind +
                    "; expected kernels, copies, fills, empty nodes, conditional nodes, "
                    "and child graphs of these");
      const bool is_outer = body == &outer.body;
      capture(
          *body,
          [&] {
            fill(copy_, 4);
            EXPECT_EQ(refusal(captured), expected);
            add(1, copy_);
          },
          is_outer ? Nodes{inner.node} : Nodes{});  // both bodies use the same memory
      EXPECT_EQ(cucore_graph_node_count(*body), count + 2);
    }
    if (!runs_kernels()) return;
    fill(sum_, 0);
    run();
    EXPECT_EQ(first(sum_), 8);
    graph_ = make_graph(device_);
  }
  template <class Call>
  static std::string refusal(Call&& call) {
    cucore_error* error = nullptr;
    EXPECT_EQ(call(&error), CUCORE_ERROR_INVALID_ARGUMENT);
    const std::string message = error ? cucore_error_message(error) : "";
    cucore_error_release(error);
    return message;
  }
};

TEST_F(BodyRefusals, OfAHostFunction) {
  static int ended;  // outlives a graph that has taken the function
  ended = 0;
  const auto nothing = [](void*) {};
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  compare(
      "host function",
      [&](cucore_graph* body, cucore_error** error) {
        cucore_node node = 0;
        return cucore_graph_add_host(body, nullptr, 0, nothing, nullptr, nullptr, &node, error);
      },
      [&](cucore_error** error) {
        return cucore_stream_launch_host(stream_, nothing, &ended, count, error);
      });
  EXPECT_EQ(ended, 2);  // also after a failure
}

TEST_F(BodyRefusals, OfEvents) {
  const Event event = make_event(device_);
  compare(
      "record of an event",
      [&](cucore_graph* body, cucore_error** error) {
        cucore_node node = 0;
        return cucore_graph_add_record(body, nullptr, 0, event, &node, error);
      },
      [&](cucore_error** error) { return cucore_event_record_in_graph(event, stream_, error); });
  compare(
      "wait for an event",
      [&](cucore_graph* body, cucore_error** error) {
        cucore_node node = 0;
        return cucore_graph_add_wait(body, nullptr, 0, event, &node, error);
      },
      [&](cucore_error** error) { return cucore_stream_wait_in_graph(stream_, event, error); });
}

TEST_F(BodyRefusals, OfMemory) {
  Pool pool;
  SUCCEEDS(cucore_pool_create, device_, nullptr, pool.out());
  Buffer buffer;
  const auto by_hand = [&](cucore_graph* body, cucore_error** error) {
    cucore_node node = 0;
    return cucore_graph_add_buffer(body, nullptr, 0, 64, nullptr, 0, buffer.out(), &node, error);
  };
  compare("allocation", by_hand, [&](cucore_error** error) {
    return cucore_buffer_create(device_, 64, stream_, buffer.out(), error);
  });
  compare("allocation", by_hand, [&](cucore_error** error) {
    return cucore_buffer_from_pool(pool, 64, stream_, buffer.out(), error);
  });
  EXPECT_FALSE(buffer);
}

TEST_F(BodyRefusals, OfWords) {
  Buffer words;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 16, words.out());
  const auto by_hand = [&](cucore_graph* body, cucore_error** error) {
    cucore_node node = 0;
    return cucore_graph_add_value(body, nullptr, 0, words, 0, 1, 4, 0, &node, error);
  };
  compare("value", by_hand, [&](cucore_error** error) {
    return cucore_stream_write_value(stream_, words, 0, 1, 4, error);
  });
  compare("value", by_hand, [&](cucore_error** error) {
    return cucore_stream_wait_value(stream_, words, 8, 1, 8, CUCORE_COMPARISON_EQUAL, error);
  });
}

TEST_F(BodyRefusals, OfSemaphores) {
  const External semaphore = make_semaphore(device_);
  if (!semaphore) GTEST_SKIP() << "the driver imports only semaphores of Vulkan";
  for (const int32_t signal : {1, 0})
    compare(
        signal ? "signal of a semaphore" : "wait for a semaphore",
        [&](cucore_graph* body, cucore_error** error) {
          cucore_node node = 0;
          return cucore_graph_add_semaphore(body, nullptr, 0, semaphore, 1, signal, &node, error);
        },
        [&](cucore_error** error) {
          return signal ? cucore_external_signal(semaphore, 1, stream_, error)
                        : cucore_external_wait(semaphore, 1, stream_, error);
        });
}

}  // namespace
