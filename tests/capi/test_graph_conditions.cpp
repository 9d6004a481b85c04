// SPDX-License-Identifier: Apache-2.0
// Conditions, conditional nodes, and the graphs of nodes.
#include <cstring>

#include "condition_kernels.hpp"
#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class Conditions : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    version_ = driver.version_major * 100 + driver.version_minor;
  }
  bool has_conditions() const { return version_ >= 1203; }
  static std::string name(cucore_node node) { return "node " + std::to_string(node); }

  uint64_t add_condition(uint32_t value, bool is_reset = true) const {
    return add_condition(graph_, value, is_reset);
  }
  static uint64_t add_condition(const cucore_graph* graph, uint32_t value, bool is_reset = true) {
    uint64_t condition = 0;
    MUST(cucore_graph_add_condition, const_cast<cucore_graph*>(graph), value, is_reset, &condition);
    return condition;
  }
  struct Conditional {
    cucore_node node = 0;
    std::vector<Graph> bodies;
  };
  Conditional add(const Nodes& after, uint64_t condition, cucore_conditional kind,
                  size_t count) const {
    return add(graph_, after, condition, kind, count);
  }
  static Conditional add(const cucore_graph* graph, const Nodes& after, uint64_t condition,
                         cucore_conditional kind, size_t count) {
    std::vector<cucore_graph*> bodies(count);
    Conditional out;
    MUST(cucore_graph_add_conditional, const_cast<cucore_graph*>(graph), after.data(), after.size(),
         condition, kind, count, bodies.data(), &out.node);
    for (cucore_graph* body : bodies) {
      out.bodies.emplace_back();
      *out.bodies.back().out() = body;
    }
    return out;
  }
  // Adds an increment of the first element.
  void add_step(const cucore_graph* graph, float step, const Buffer& sum) const {
    const uint32_t n = 1;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(step),
                                         {one_, CUCORE_ARGUMENT_OBJECT},
                                         {sum, CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 32);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, const_cast<cucore_graph*>(graph), nullptr, 0, saxpy_, &options,
         arguments, 4, &node);
  }
  void make_world() {
    one_ = make_floats(1);
    sum_ = make_floats(0);
    setters_ = make_code(CUCORE_CODE_TYPE_PTX, CONDITION_KERNELS, std::strlen(CONDITION_KERNELS));
    set_ = find_kernel(setters_, "set");
    count_down_ = find_kernel(setters_, "count_down");
  }
  void TearDown() override {
    graph_.reset();
    set_.reset(), count_down_.reset(), setters_.reset(), one_.reset(), sum_.reset();
    OnGraph::TearDown();
  }
  cucore_node add_set(uint64_t condition, uint32_t value) const {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(condition), CUCORE_ARGUMENT(value)};
    const cucore_launch_options options = grid(1, 1);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, graph_, nullptr, 0, set_, &options, arguments, 2, &node);
    return node;
  }
  // The sum after one launch.
  float result(const cucore_executable* executable) const {
    const float zero = 0;
    MUST(cucore_buffer_fill, sum_, 0, BYTES, &zero, sizeof zero, stream_);
    launch(executable);
    return first(sum_);
  }

  int version_ = 0;
  Buffer one_, sum_;
  Code setters_;
  Kernel set_, count_down_;
};

TEST_F(Conditions, NeedANewDriver) {
  uint64_t condition = 7;
  if (!has_conditions()) {
    FAILS(CUCORE_ERROR_UNSUPPORTED,
          "conditional nodes need a driver of CUDA 12.3; " + served() +
              " "
              "(cuGraphConditionalHandleCreate is missing)",
          cucore_graph_add_condition, graph_, 0, 1, &condition);
    EXPECT_EQ(condition, 0u);
    cucore_node node = 0;
    cucore_graph* body = graph_;
    FAILS(CUCORE_ERROR_UNSUPPORTED, "conditional nodes need a driver of CUDA 12.3",
          cucore_graph_add_conditional, graph_, nullptr, 0, 1, CUCORE_CONDITIONAL_IF, 1, &body,
          &node);
    EXPECT_EQ(body, nullptr);
    return;
  }
  SUCCEEDS(cucore_graph_add_condition, graph_, 0, 1, &condition);
  EXPECT_NE(condition, 0u);
  if (version_ >= 1208) return;
  cucore_node node = 0;
  cucore_graph* bodies[2] = {};
  const std::string message = "SWITCH and else need a driver of CUDA 12.8; " + served();
  FAILS(CUCORE_ERROR_UNSUPPORTED, message, cucore_graph_add_conditional, graph_, nullptr, 0,
        condition, CUCORE_CONDITIONAL_IF, 2, bodies, &node);
  FAILS(CUCORE_ERROR_UNSUPPORTED, message, cucore_graph_add_conditional, graph_, nullptr, 0,
        condition, CUCORE_CONDITIONAL_SWITCH, 1, bodies, &node);
}

// Only the function that adds a conditional node returns its graphs.
TEST_F(Conditions, OfOtherCodeHaveNoKnownGraphs) {
  if (!has_conditions()) GTEST_SKIP() << "a driver of 12.3";
  decltype(&::cuGraphAddNode) add_node = nullptr;
  NativeDriver().find("cuGraphAddNode", add_node, 12030);
  decltype(&::cuCtxSetCurrent) set_current = nullptr;
  NativeDriver().find("cuCtxSetCurrent", set_current);
  ASSERT_TRUE(add_node && set_current);
  CUgraphNodeParams work{};
  work.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  work.conditional.handle = add_condition(0);
  work.conditional.type = CU_GRAPH_COND_TYPE_IF;
  work.conditional.size = 1;
  work.conditional.ctx = static_cast<CUcontext>(cucore_device_native_context(device_));
  auto* const native = static_cast<CUgraph>(cucore_graph_native(graph_));
  CUgraphNode added = nullptr;
  ASSERT_EQ(set_current(work.conditional.ctx), CUDA_SUCCESS);
  ASSERT_EQ(add_node(&added, native, nullptr, nullptr, 0, &work), CUDA_SUCCESS);
  ASSERT_EQ(set_current(nullptr), CUDA_SUCCESS);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 0, &node);
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_CONDITIONAL);
  cucore_graph* out = graph_;
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "other code has added " + name(node) + " (conditional), so its graphs are not known",
        cucore_graph_child, graph_, node, 0, &out);
  EXPECT_EQ(out, nullptr);
  run();
}

TEST_F(Conditions, AreRefusedUnlessTheyFit) {
  if (!has_conditions()) GTEST_SKIP() << "a driver of 12.3";
  const uint64_t condition = add_condition(1);
  const Conditional first = add({}, condition, CUCORE_CONDITIONAL_WHILE, 1);
  cucore_graph* bodies[3] = {graph_, graph_, graph_};
  cucore_node node = 7;
  const auto text = std::to_string(condition);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "condition " + text + " already decides " + name(first.node) +
            "; a condition decides one node",
        cucore_graph_add_conditional, graph_, nullptr, 0, condition, CUCORE_CONDITIONAL_WHILE, 1,
        bodies, &node);
  EXPECT_EQ(bodies[0], nullptr);
  EXPECT_EQ(node, 0u);
  const Graph other = make_graph(device_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "condition " + text + " is not a condition of this graph",
        cucore_graph_add_conditional, other, nullptr, 0, condition, CUCORE_CONDITIONAL_WHILE, 1,
        bodies, &node);
  const uint64_t second = add_condition(1);
  const auto refuses = [&](cucore_conditional kind, size_t count, const char* message) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message, cucore_graph_add_conditional, graph_, nullptr, 0,
          second, kind, count, bodies, &node);
  };
  refuses(CUCORE_CONDITIONAL_IF, 0, "body_count is 0; expected 1 for IF, or 2 with an else");
  refuses(CUCORE_CONDITIONAL_IF, 3, "body_count is 3; expected 1 for IF, or 2 with an else");
  // A count that cannot be right does not decide how much is written.
  for (cucore_graph*& body : bodies) body = graph_;
  const std::string huge = "body_count is " + std::to_string(SIZE_MAX) + "; expected ";
  refuses(CUCORE_CONDITIONAL_IF, SIZE_MAX, (huge + "1 for IF, or 2 with an else").c_str());
  refuses(CUCORE_CONDITIONAL_SWITCH, SIZE_MAX, (huge + "1 to 65536 for SWITCH").c_str());
  for (cucore_graph* const body : bodies) EXPECT_EQ(body, graph_);
  refuses(CUCORE_CONDITIONAL_WHILE, 2, "body_count is 2; expected 1 for WHILE");
  refuses(CUCORE_CONDITIONAL_SWITCH, 0, "body_count is 0; expected 1 to 65536 for SWITCH");
  refuses(CUCORE_CONDITIONAL_SWITCH, 65537, "body_count is 65537; expected 1 to 65536 for SWITCH");
  refuses(static_cast<cucore_conditional>(3), 1,
          "kind is 3; expected a cucore_conditional, 0 to 2");
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reset_at_launch is 2, neither 0 nor 1",
        cucore_graph_add_condition, graph_, 0, 2, &node);
  EXPECT_EQ(cucore_graph_node_count(graph_), 1u);
  // The node's condition is free again.
  SUCCEEDS(cucore_graph_remove_node, graph_, first.node);
  EXPECT_EQ(query(add({}, condition, CUCORE_CONDITIONAL_WHILE, 1).node).condition, condition);
}

TEST_F(Conditions, RestrictTheirGraphs) {
  if (!has_conditions()) GTEST_SKIP() << "a driver of 12.3";
  const uint64_t condition = add_condition(1);
  const Conditional node = add({}, condition, CUCORE_CONDITIONAL_IF, 1);
  EXPECT_EQ(query(node.node).kind, CUCORE_NODE_KIND_CONDITIONAL);
  EXPECT_NE(dot(graph_).find("condition " + std::to_string(condition)), std::string::npos);
  const Event event = make_event(device_);
  cucore_graph* const body = node.bodies[0];
  cucore_node out = 0;
  const std::string tail =
      "; expected kernels, copies, fills, empty nodes, conditional nodes, and child graphs of "
      "these";
  const std::string message = "the graph of a conditional node cannot hold a node of kind ";
  FAILS_ONCE(
      CUCORE_ERROR_INVALID_ARGUMENT, message + "host function" + tail, cucore_graph_add_host, body,
      nullptr, 0, [](void*) {}, nullptr, nullptr, &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "record of an event" + tail,
        cucore_graph_add_record, body, nullptr, 0, event, &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "wait for an event" + tail, cucore_graph_add_wait,
        body, nullptr, 0, event, &out);
  const Graph child = make_graph(device_);
  SUCCEEDS(cucore_graph_add_record, child, nullptr, 0, event, &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "child graph" + tail, cucore_graph_add_child, body,
        nullptr, 0, child, &out);
  EXPECT_EQ(cucore_graph_node_count(body), 0u);
  cucore_executable* executable = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "the graph belongs to a conditional node of another graph; use that graph",
        cucore_executable_create, body, nullptr, &executable);
  cucore_graph* copy = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "cannot clone a graph with conditions: the driver has no copy of a condition; build the "
        "graph again",
        cucore_graph_clone, graph_, &copy);
  FAILS(CUCORE_ERROR_UNSUPPORTED,
        "a graph with conditions cannot be a child; add its nodes to the graph itself",
        cucore_graph_add_child, child, nullptr, 0, graph_, &out);
}

// Nodes of memory and of words belong to the whole graph.
TEST_F(Conditions, HoldNoMemoryAndNoWords) {
  if (!has_conditions()) GTEST_SKIP() << "a driver of 12.3";
  Buffer words;
  MUST(cucore_buffer_create_pinned, device_, 16, words.out());
  const Conditional node = add({}, add_condition(1), CUCORE_CONDITIONAL_IF, 1);
  cucore_graph* const body = node.bodies[0];
  const std::string tail =
      "; expected kernels, copies, fills, empty nodes, conditional nodes, and child graphs of "
      "these";
  const std::string message = "the graph of a conditional node cannot hold a node of kind ";
  cucore_buffer* buffer = words;  // overwritten
  cucore_node out = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "allocation" + tail, cucore_graph_add_buffer, body,
        nullptr, 0, 16, nullptr, 0, &buffer, &out);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(out, 0u);
  const Graph other = make_graph(device_);
  Buffer memory;
  MUST(cucore_graph_add_buffer, other, nullptr, 0, 16, nullptr, 0, memory.out(), &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "free" + tail, cucore_graph_add_free, body,
        nullptr, 0, memory, &out);
  for (const int32_t comparison : {0, 1})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "value" + tail, cucore_graph_add_value, body,
          nullptr, 0, words, 0, 1, 4, comparison, &out);
  const Graph child = make_graph(device_);
  MUST(cucore_graph_add_value, child, nullptr, 0, words, 0, 1, 4, 0, &out);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message + "child graph" + tail, cucore_graph_add_child, body,
        nullptr, 0, child, &out);
  EXPECT_EQ(cucore_graph_node_count(body), 0u);
}

TEST_F(Conditions, EndTheirGraphsWithTheNode) {
  if (!has_conditions()) GTEST_SKIP() << "a driver of 12.3";
  const Conditional node = add({}, add_condition(1), CUCORE_CONDITIONAL_IF, 1);
  const Graph& body = node.bodies[0];
  add_empty(body, {});
  Graph again;
  SUCCEEDS(cucore_graph_child, graph_, node.node, 0, again.out());
  EXPECT_EQ(cucore_graph_node_count(again), 1u);
  cucore_graph* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "index is 1; " + name(node.node) + " (conditional) has 1 graph", cucore_graph_child, graph_,
        node.node, 1, &out);
  SUCCEEDS(cucore_graph_remove_node, graph_, node.node);
  cucore_node added = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "the graph belonged to a node, which was removed or set; take its graph again",
        cucore_graph_add_empty, body, nullptr, 0, &added);
  EXPECT_EQ(cucore_graph_node_count(again), 0u);
  EXPECT_EQ(cucore_graph_native(again), nullptr);
}

TEST_F(Conditions, DecideIfAndElse) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  make_world();
  for (uint32_t value : {0u, 1u, 7u}) {
    graph_ = make_graph(device_);
    const uint64_t condition = add_condition(0);
    const cucore_node set = add_set(condition, value);
    const Conditional node = add({set}, condition, CUCORE_CONDITIONAL_IF, 2);
    add_step(node.bodies[0], 10, sum_);
    add_step(node.bodies[1], 20, sum_);
    const Executable executable = make_executable(graph_);
    EXPECT_EQ(result(executable), value ? 10 : 20);
    EXPECT_EQ(result(executable), value ? 10 : 20);
    cucore_executable* second = nullptr;
    FAILS(CUCORE_ERROR_UNSUPPORTED, "a graph with conditions has one executable at a time",
          cucore_executable_create, graph_, nullptr, &second);
  }
}

TEST_F(Conditions, DecideSwitches) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  make_world();
  for (uint32_t value : {0u, 1u, 2u, 3u}) {
    graph_ = make_graph(device_);
    const uint64_t condition = add_condition(value);
    const Conditional node = add({}, condition, CUCORE_CONDITIONAL_SWITCH, 3);
    for (int i = 0; i < 3; ++i) add_step(node.bodies[i], static_cast<float>(i + 1), sum_);
    EXPECT_EQ(result(make_executable(graph_)), value < 3 ? static_cast<float>(value + 1) : 0);
  }
}

TEST_F(Conditions, DecideLoops) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  make_world();
  for (uint32_t turns : {0u, 1u, 1000u}) {
    graph_ = make_graph(device_);
    const Buffer left = make_buffer(device_, sizeof turns, stream_);
    MUST(cucore_buffer_fill, left, 0, sizeof turns, &turns, sizeof turns, stream_);
    const uint64_t condition = add_condition(turns);
    const Conditional node = add({}, condition, CUCORE_CONDITIONAL_WHILE, 1);
    add_step(node.bodies[0], 1, sum_);
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(condition),
                                         {left, CUCORE_ARGUMENT_OBJECT}};
    const cucore_launch_options options = grid(1, 1);
    cucore_node count = 0;
    SUCCEEDS(cucore_graph_add_kernel, node.bodies[0], nullptr, 0, count_down_, &options, arguments,
             2, &count);
    EXPECT_EQ(result(make_executable(graph_)), static_cast<float>(turns));
  }
}

TEST_F(Conditions, CanBeNested) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  make_world();
  const Conditional outer = add({}, add_condition(1), CUCORE_CONDITIONAL_IF, 1);
  const Graph& middle = outer.bodies[0];
  const Conditional inner = add(middle, {}, add_condition(middle, 1), CUCORE_CONDITIONAL_IF, 1);
  const Graph& deepest = inner.bodies[0];
  const Conditional last = add(deepest, {}, add_condition(deepest, 0), CUCORE_CONDITIONAL_IF, 2);
  add_step(last.bodies[1], 5, sum_);
  EXPECT_EQ(result(make_executable(graph_)), 5);
  SUCCEEDS(cucore_graph_remove_node, graph_, outer.node);
  cucore_node added = 0;
  FAILS(CUCORE_ERROR_INVALID_STATE, "the graph belonged to a node", cucore_graph_add_empty,
        last.bodies[1], nullptr, 0, &added);
}

TEST_F(Conditions, ThatDecideNothingAreNamed) {
  if (fake_) GTEST_SKIP() << "the scripted driver accepts them";
  add_condition(1);
  cucore_executable* executable = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED)",
        cucore_executable_create, graph_, nullptr, &executable);
}

class ChildViews : public OnGraph {};

TEST_F(ChildViews, HaveTheNodesOfTheChild) {
  const Buffer y = make_floats(0);
  const float two = 2;
  Graph child = make_graph(device_);
  cucore_node fill = 0, kernel = 0, node = 0;
  SUCCEEDS(cucore_graph_add_fill, child, nullptr, 0, y, 0, BYTES, &two, 4, &fill);
  const cucore_launch_options options = grid(3, 32);
  SUCCEEDS(cucore_graph_add_kernel, child, &fill, 1, empty_, &options, nullptr, 0, &kernel);
  SUCCEEDS(cucore_graph_set_label, child, fill, "first");
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  SUCCEEDS(cucore_graph_remove_node, child, kernel);
  child.reset();
  Graph view;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, view.out());
  EXPECT_EQ(cucore_graph_node_count(view), 2u);
  EXPECT_EQ(query(view, fill).size, BYTES);
  EXPECT_STREQ(query(view, fill).label, "first");
  EXPECT_STREQ(query(view, kernel).kernel, "empty");
  EXPECT_EQ(query(view, kernel).dependency_count, 1u);
  run();
  EXPECT_EQ(first(y), 2);
  // The view changes the graph.
  const float five = 5;
  SUCCEEDS(cucore_graph_set_fill, view, fill, y, 0, BYTES, &five, 4);
  run();
  EXPECT_EQ(first(y), 5);
  SUCCEEDS(cucore_graph_remove_node, view, fill);
  Graph again;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, again.out());
  EXPECT_EQ(cucore_graph_node_count(again), 1u);
  cucore_graph* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "has no graph; expected a child graph or a conditional node",
        cucore_graph_child, graph_, add_empty(), 0, &out);
}

TEST_F(ChildViews, OutliveTheGraph) {
  const Buffer y = make_floats(0);
  const Graph child = make_graph(device_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  Graph view;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, view.out());
  graph_ = make_graph(device_);
  add_empty(view, {});
  EXPECT_EQ(cucore_graph_node_count(view), 1u);
}

TEST_F(ChildViews, EndWhenTheChildIsSet) {
  const Graph child = make_graph(device_);
  cucore_node node = 0, added = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  Graph view;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, view.out());
  add_empty(child, {});
  if (cucore_graph_set_child(graph_, node, child, nullptr) == CUCORE_ERROR_UNSUPPORTED)
    SUCCEEDS(cucore_graph_remove_node, graph_, node);
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "the graph belonged to a node, which was removed or set; take its graph again",
        cucore_graph_add_empty, view, nullptr, 0, &added);
}

TEST_F(ChildViews, OfFillsDoNotExist) {
  const Buffer y = make_floats(0);
  const uint64_t wide = 0x100000002;
  cucore_node node = 0, fill = 0;
  const Graph child = make_graph(device_);
  SUCCEEDS(cucore_graph_add_fill, child, nullptr, 0, y, 0, BYTES, &wide, 8, &fill);
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  Graph view;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, view.out());
  EXPECT_EQ(query(view, fill).kind, CUCORE_NODE_KIND_FILL);
  EXPECT_EQ(query(view, fill).pattern, wide);
  cucore_graph* out = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "(fill) has no graph", cucore_graph_child, view, fill, 0,
        &out);
}

}  // namespace
