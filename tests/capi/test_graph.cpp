// SPDX-License-Identifier: Apache-2.0
// Graphs that are built by hand: nodes, edges, labels, clones, and what is read back.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

class Graphs : public OnGraph {};

TEST_F(Graphs, BelongToTheirDevice) {
  Device device;
  SUCCEEDS(cucore_graph_device, graph_, device.out());
  EXPECT_EQ(device, device_);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  EXPECT_EQ(cucore_graph_retain(graph_), graph_.get());
  cucore_graph_release(graph_);
}

TEST_F(Graphs, RunTheirNodesInTheOrderOfTheEdges) {
  const Buffer x = make_floats(2), y = make_floats(1), z = make_floats(0);
  const cucore_node fill = add_fill({}, y, 3);
  const cucore_node first = add_saxpy({fill}, 2, x, y);
  const cucore_node second = add_saxpy({first}, 3, x, y);
  add_copy({second}, z, y);
  run();
  EXPECT_EQ(this->first(z), runs_kernels() ? 13 : 3);
}

TEST_F(Graphs, KeepValuesOfArgumentsAndPatterns) {
  NEEDS_FAKE_DRIVER();
  const Buffer x = make_floats(2);
  float a = 5;
  add_saxpy({}, a, x, x);
  a = 7;
  run();
  fake_launch launch{};
  ASSERT_TRUE(fake_->launch_at(0, &launch));
  std::memcpy(&a, launch.arguments, sizeof a);
  EXPECT_EQ(a, 5);
  uint64_t address = 0;
  std::memcpy(&address, launch.arguments + 8, sizeof address);
  EXPECT_EQ(address, cucore_buffer_address(x));
  EXPECT_STREQ(launch.kernel, "saxpy");
  EXPECT_EQ(launch.stream, cucore_stream_native(stream_));
}

TEST_F(Graphs, NumberNodesThroughoutTheProcess) {
  const Graph other = make_graph(device_);
  const cucore_node one = add_empty(), two = add_empty(other, {}), three = add_empty();
  EXPECT_LT(one, two);
  EXPECT_LT(two, three);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  cucore_node at = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 1, &at);
  EXPECT_EQ(at, three);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 2; the graph has 2 nodes", cucore_graph_node_at,
        graph_, 2, &at);
  EXPECT_EQ(at, 0u);
  const std::string not_here = "node " + std::to_string(two) + " is not a node of the graph";
  cucore_node out = 7;
  FAILS(CUCORE_ERROR_NOT_FOUND, not_here, cucore_graph_add_empty, graph_, &two, 1, &out);
  EXPECT_EQ(out, 0u);
  FAILS(CUCORE_ERROR_NOT_FOUND, not_here, cucore_graph_add_edge, graph_, one, two, 0);
  FAILS(CUCORE_ERROR_NOT_FOUND, not_here, cucore_graph_remove_node, graph_, two);
  FAILS(CUCORE_ERROR_NOT_FOUND, "node is 0, which is not a node", cucore_graph_remove_node, graph_,
        0);
}

TEST_F(Graphs, WriteTheNewNodeOverItsPredecessor) {
  cucore_node node = add_empty();
  const cucore_node first = node;
  SUCCEEDS(cucore_graph_add_empty, graph_, &node, 1, &node);
  EXPECT_EQ(before(node), Nodes{first});
}

TEST_F(Graphs, RefuseANodeTwiceAmongThePredecessors) {
  const cucore_node node = add_empty();
  const Nodes twice{node, node};
  cucore_node out = 0;
  const std::string number = std::to_string(node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "after[1] is node " + number + ", which is in the list already; name each node once",
        cucore_graph_add_empty, graph_, twice.data(), 2, &out);
  Nodes many;
  for (int i = 0; i < 20; ++i) many.push_back(add_empty());
  many.push_back(many[3]);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "after[20] is node " + std::to_string(many[3]),
        cucore_graph_add_empty, graph_, many.data(), many.size(), &out);
}

TEST_F(Graphs, AddAndRemoveEdges) {
  const cucore_node a = add_empty(), b = add_empty(), c = add_empty({b});
  SUCCEEDS(cucore_graph_add_edge, graph_, a, b, 0);
  SUCCEEDS(cucore_graph_add_edge, graph_, a, c, 0);
  EXPECT_EQ(after(a), (Nodes{b, c}));
  EXPECT_EQ(before(c), (Nodes{b, a}));
  EXPECT_EQ(before(a), Nodes{});
  EXPECT_EQ(query(c).dependency_count, 2u);
  EXPECT_EQ(query(a).dependent_count, 2u);
  SUCCEEDS(cucore_graph_remove_edge, graph_, b, c);
  EXPECT_EQ(before(c), Nodes{a});
  EXPECT_EQ(after(b), Nodes{});
  run();
}

TEST_F(Graphs, RefuseWrongEdges) {
  const cucore_node a = add_empty(), b = add_empty({a}), c = add_empty({b});
  const auto name = [](cucore_node node) { return "node " + std::to_string(node); };
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(a) + " cannot come after itself", cucore_graph_add_edge,
        graph_, a, a, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name(b) + " already comes after " + name(a),
        cucore_graph_add_edge, graph_, a, b, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        name(a) + " cannot come after " + name(c) + ": " + name(c) + " comes after " + name(a) +
            "; a graph has no circles",
        cucore_graph_add_edge, graph_, c, a, 0);
  FAILS(CUCORE_ERROR_NOT_FOUND, name(c) + " does not come directly after " + name(a),
        cucore_graph_remove_edge, graph_, a, c);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "programmatic is 2, neither 0 nor 1", cucore_graph_add_edge,
        graph_, a, c, 2);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "programmatic is 1, but " + name(a) +
            " (empty) launches no kernel; expected an edge between kernels",
        cucore_graph_add_edge, graph_, a, c, 1);
  EXPECT_EQ(before(a), Nodes{});
  EXPECT_EQ(after(a), Nodes{b});
}

// An edge from a later node to an earlier one makes circles of forward edges possible.
TEST_F(Graphs, FindCirclesAlsoAfterBackwardEdges) {
  const cucore_node a = add_empty(), b = add_empty(), c = add_empty();
  SUCCEEDS(cucore_graph_add_edge, graph_, c, a, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "a graph has no circles", cucore_graph_add_edge, graph_, a,
        c, 0);
  SUCCEEDS(cucore_graph_add_edge, graph_, a, b, 0);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "a graph has no circles", cucore_graph_add_edge, graph_, b,
        c, 0);
  SUCCEEDS(cucore_graph_remove_edge, graph_, c, a);
  SUCCEEDS(cucore_graph_add_edge, graph_, b, c, 0);
  run();
}

TEST_F(Graphs, RemoveANodeBetweenTwoOthers) {
  const Buffer x = make_floats(1), y = make_floats(1);
  const cucore_node a = add_fill({}, y, 2);
  const cucore_node b = add_fill({a}, y, 5);
  const cucore_node c = add_saxpy({b}, 1, x, y);
  SUCCEEDS(cucore_graph_remove_node, graph_, b);
  EXPECT_EQ(after(a), Nodes{});
  EXPECT_EQ(before(c), Nodes{});
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  SUCCEEDS(cucore_graph_add_edge, graph_, a, c, 0);
  run();
  EXPECT_EQ(first(y), runs_kernels() ? 3 : 2);
  const std::string removed = "node " + std::to_string(b) + " was removed from the graph";
  cucore_node_info info = CUCORE_NODE_INFO_INIT;
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_graph_remove_node, graph_, b);
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_graph_add_edge, graph_, b, c, 0);
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_graph_node_query, graph_, b, &info);
  size_t count = 7;
  FAILS(CUCORE_ERROR_NOT_FOUND, removed, cucore_graph_dependents, graph_, b, nullptr, 0, &count);
  EXPECT_EQ(count, 0u);
}

TEST_F(Graphs, CanBeADiamondAFanAndAChain) {
  constexpr int MANY = 1000;
  const Buffer x = make_floats(1), y = make_floats(0);
  const Buffer words = make_buffer(device_, MANY * sizeof(int), stream_);
  const cucore_node root = add_fill({}, y, 0);
  Nodes fan;
  for (int i = 0; i < MANY; ++i) {
    fan.emplace_back();
    SUCCEEDS(cucore_graph_add_fill, graph_, &root, 1, words, i * sizeof i, sizeof i, &i, sizeof i,
             &fan.back());
  }
  cucore_node last = add_empty(fan);
  EXPECT_EQ(before(last), fan);
  EXPECT_EQ(after(root), fan);
  for (int i = 0; i < MANY; ++i) last = add_saxpy({last}, 1, x, y);
  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 2; ++i) {
    MUST(cucore_buffer_fill, words, 0, MANY * sizeof i, "", 1, stream_);
    launch(executable);
    EXPECT_EQ(first(y), runs_kernels() ? MANY : 0);
  }
  std::vector<int> written(MANY), expected(MANY);
  std::iota(expected.begin(), expected.end(), 0);
  SUCCEEDS(cucore_buffer_read, words, 0, written.data(), MANY * sizeof(int), stream_);
  EXPECT_EQ(written, expected);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u + 2 * MANY);
}

TEST_F(Graphs, ReadNodesBack) {
  const Buffer x = make_floats(2), y = make_floats(1);
  const Event event = make_event(device_);
  cucore_launch_options options = grid(3, 64);
  options.grid[1] = 2;
  options.dynamic_shared = 128;
  const cucore_node kernel = add_empty_kernel({}, options);
  const cucore_node copy = add_copy({kernel}, y, x), fill = add_fill({kernel}, x, 3);
  cucore_node record = 0, wait = 0, child = 0;
  SUCCEEDS(cucore_graph_add_record, graph_, &copy, 1, event, &record);
  SUCCEEDS(cucore_graph_add_wait, graph_, &copy, 1, event, &wait);
  const Graph other = make_graph(device_);
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, other, &child);

  const cucore_node_info k = query(kernel);
  EXPECT_EQ(k.kind, CUCORE_NODE_KIND_KERNEL);
  EXPECT_STREQ(k.kernel, "empty");
  EXPECT_STREQ(k.label, "");
  EXPECT_EQ(std::vector<uint32_t>(k.grid, k.grid + 3), (std::vector<uint32_t>{3, 2, 1}));
  EXPECT_EQ(std::vector<uint32_t>(k.block, k.block + 3), (std::vector<uint32_t>{64, 1, 1}));
  EXPECT_EQ(k.cluster[0], 0u);
  EXPECT_EQ(k.dynamic_shared, 128u);
  EXPECT_EQ(k.dependent_count, 2u);
  EXPECT_NE(k.native, nullptr);
  const cucore_node_info c = query(copy);
  EXPECT_EQ(c.kind, CUCORE_NODE_KIND_COPY);
  EXPECT_EQ(c.destination, cucore_buffer_address(y));
  EXPECT_EQ(c.source, cucore_buffer_address(x));
  EXPECT_EQ(c.size, BYTES);
  EXPECT_STREQ(c.kernel, "");
  const cucore_node_info f = query(fill);
  EXPECT_EQ(f.kind, CUCORE_NODE_KIND_FILL);
  EXPECT_EQ(f.destination, cucore_buffer_address(x));
  EXPECT_EQ(f.pattern, 0x40400000u);
  EXPECT_EQ(f.pattern_size, 4u);
  EXPECT_EQ(query(record).kind, CUCORE_NODE_KIND_RECORD);
  EXPECT_EQ(query(wait).kind, CUCORE_NODE_KIND_WAIT);
  EXPECT_EQ(query(child).kind, CUCORE_NODE_KIND_CHILD);
  EXPECT_EQ(query(add_empty()).kind, CUCORE_NODE_KIND_EMPTY);
  EXPECT_EQ(query(record).event, cucore_event_native(event));
  Event found;
  SUCCEEDS(cucore_graph_node_event, graph_, wait, found.out());
  EXPECT_EQ(found, event);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "node " + std::to_string(copy) +
            " has no event; expected a node that records an event or waits for one",
        cucore_graph_node_event, graph_, copy, found.out());
}

// The event of a node is the one that was made, also after the program has released its handle.
TEST_F(Graphs, ReadEventsBackWithTheirFlags) {
  for (const int32_t flags : {0, 1, 2, 3}) {
    cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
    options.timing = flags & 1;
    options.blocking_sync = flags >> 1;
    Event event, found;
    SUCCEEDS(cucore_event_create, device_, &options, event.out());
    cucore_node record = 0, wait = 0;
    SUCCEEDS(cucore_graph_add_record, graph_, nullptr, 0, event, &record);
    SUCCEEDS(cucore_graph_add_wait, graph_, &record, 1, event, &wait);
    event.reset();
    for (const cucore_node node : {record, wait}) {
      SUCCEEDS(cucore_graph_node_event, graph_, node, found.out());
      EXPECT_EQ(cucore_event_has_timing(found), options.timing) << flags;
      EXPECT_EQ(cucore_event_is_blocking_sync(found), options.blocking_sync) << flags;
    }
    run();
    int32_t done = 0;
    SUCCEEDS(cucore_event_query, found, &done);
    EXPECT_EQ(done, 1);
    float milliseconds = -1;
    if (options.timing) {
      SUCCEEDS(cucore_event_elapsed, found, found, &milliseconds);
    } else {
      FAILS(CUCORE_ERROR_INVALID_STATE, "timing", cucore_event_elapsed, found, found,
            &milliseconds);
    }
  }
}

TEST_F(Graphs, TakeStructsOfOtherVersions) {
  struct {
    cucore_node_info info;
    uint64_t later;
  } newer{CUCORE_NODE_INFO_INIT, 7};
  newer.info.struct_size = sizeof newer;
  SUCCEEDS(cucore_graph_node_query, graph_, add_empty(), &newer.info);
  EXPECT_EQ(newer.info.kind, CUCORE_NODE_KIND_EMPTY);
  cucore_node_info older = CUCORE_NODE_INFO_INIT;
  older.struct_size = 8;
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_node_info", cucore_graph_node_query, graph_, add_empty(),
        &older);
}

TEST_F(Graphs, LabelNodes) {
  const cucore_node node = add_empty_kernel({}, grid(1, 1));
  SUCCEEDS(cucore_graph_set_label, graph_, node, "stage 2");
  const char* const label = query(node).label;
  EXPECT_STREQ(label, "stage 2");
  SUCCEEDS(cucore_graph_set_label, graph_, node, "stage 3");
  EXPECT_STREQ(label, "stage 2") << "the text lives as long as the graph";
  EXPECT_STREQ(query(node).label, "stage 3");
  SUCCEEDS(cucore_graph_set_label, graph_, node, "");
  EXPECT_STREQ(query(node).label, "");
}

TEST_F(Graphs, AreWrittenInTheDotLanguage) {
  const Buffer x = make_floats(2);
  cucore_launch_options options = grid(3, 64);
  const cucore_node kernel = add_empty_kernel({}, options), fill = add_fill({kernel}, x, 3);
  SUCCEEDS(cucore_graph_set_label, graph_, fill, "a \"b\"");
  const std::string k = std::to_string(kernel), f = std::to_string(fill);
  EXPECT_EQ(dot(graph_), "digraph {\n  n" + k + " [label=\"" + k +
                             ": kernel empty\\ngrid 3x1x1, block 64x1x1\"];\n  n" + f +
                             " [label=\"" + f + ": fill\\n16 bytes\\na \\\"b\\\"\"];\n  n" + k +
                             " -> n" + f + ";\n}\n");
  EXPECT_TRUE(contains(dot(graph_, 1), "digraph"));
  size_t size = 0;
  char small[4] = {};
  FAILS(CUCORE_ERROR_BUFFER_TOO_SMALL, "capacity is 4 bytes; expected at least", cucore_graph_dot,
        graph_, 0, small, 4, &size);
  EXPECT_EQ(size, dot(graph_).size());
  EXPECT_EQ(small[0], 0);
}

TEST_F(Graphs, CloneWithTheSameNumbers) {
  const Buffer y = make_floats(1), x = make_floats(1);
  const cucore_node a = add_fill({}, y, 2), gone = add_empty(), b = add_saxpy({a}, 1, x, y);
  SUCCEEDS(cucore_graph_set_label, graph_, a, "begin");
  SUCCEEDS(cucore_graph_remove_node, graph_, gone);
  Graph copy;
  SUCCEEDS(cucore_graph_clone, graph_, copy.out());
  EXPECT_EQ(cucore_graph_node_count(copy), 2u);
  EXPECT_STREQ(query(copy, a).label, "begin");
  EXPECT_EQ(query(copy, b).kind, CUCORE_NODE_KIND_KERNEL);
  EXPECT_EQ(query(copy, b).dependency_count, 1u);
  EXPECT_NE(query(copy, b).native, query(b).native);
  FAILS(CUCORE_ERROR_NOT_FOUND, "was removed from the graph", cucore_graph_remove_node, copy, gone);
  SUCCEEDS(cucore_graph_remove_node, copy, b);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  graph_.reset();
  launch(make_executable(copy));
  EXPECT_EQ(first(y), 2);
  graph_ = make_graph(device_);
}

TEST_F(Graphs, CopyAChildAsItIs) {
  const Buffer y = make_floats(1), x = make_floats(1);
  Graph child = make_graph(device_);
  std::swap(child, graph_);
  const cucore_node fill = add_fill({}, y, 2);
  std::swap(child, graph_);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  SUCCEEDS(cucore_graph_remove_node, child, fill);
  add_saxpy({node}, 3, x, y);
  child.reset();
  run();
  EXPECT_EQ(first(y), runs_kernels() ? 5 : 2);
  cucore_node own = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, graph_, &own);
  EXPECT_EQ(query(own).kind, CUCORE_NODE_KIND_CHILD);
}

TEST_F(Graphs, FillWithPatternsOfEverySize) {
  const Buffer bytes = make_floats(0), halves = make_floats(0), wide = make_floats(0),
               even = make_floats(0);
  const uint64_t pattern = 0x1122334455667788, equal = 0x1122334411223344;
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, bytes, 1, 3, &pattern, 1, &node);
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, halves, 2, 4, &pattern, 2, &node);
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, wide, 8, 8, &pattern, 8, &node);
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_FILL);
  EXPECT_EQ(query(node).pattern, pattern);
  EXPECT_EQ(query(node).pattern_size, 8u);
  SUCCEEDS(cucore_graph_add_fill, graph_, nullptr, 0, even, 0, 16, &equal, 8, &node);
  run();
  const auto read = [&](const Buffer& buffer) {
    std::vector<uint64_t> out(2);
    MUST(cucore_buffer_read, buffer, 0, out.data(), 16, stream_);
    return out;
  };
  EXPECT_EQ(read(bytes), (std::vector<uint64_t>{0x88888800, 0}));
  EXPECT_EQ(read(halves), (std::vector<uint64_t>{0x778877880000, 0}));
  EXPECT_EQ(read(wide), (std::vector<uint64_t>{0, pattern}));
  EXPECT_EQ(read(even), (std::vector<uint64_t>{equal, equal}));
}

TEST_F(Graphs, RefuseWhatStreamsRefuse) {
  const Buffer x = make_floats(2), y = make_floats(1);
  const float value = 1;
  cucore_node node = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "cannot copy to 32 bytes at offset 0 of a buffer of 16 bytes", cucore_graph_add_copy,
        graph_, nullptr, 0, y, 0, x, 0, 32, &node);
  EXPECT_EQ(node, 0u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "source and destination of the copy overlap",
        cucore_graph_add_copy, graph_, nullptr, 0, y, 4, y, 0, 8, &node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "size is 0; expected at least 1 byte for a node that copies; leave the node out",
        cucore_graph_add_copy, graph_, nullptr, 0, y, 0, x, 0, 0, &node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "size is 0; expected at least 1 byte for a node that fills; leave the node out",
        cucore_graph_add_fill, graph_, nullptr, 0, y, 0, 0, &value, 4, &node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "the pattern is 3 bytes; expected 1, 2, 4 or 8 bytes",
        cucore_graph_add_fill, graph_, nullptr, 0, y, 0, 3, &value, 3, &node);
  const cucore_launch_options none = CUCORE_LAUNCH_OPTIONS_INIT, one = grid(1, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_launch_options.grid[0] is 0",
        cucore_graph_add_kernel, graph_, nullptr, 0, empty_, &none, nullptr, 0, &node);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel saxpy takes 4 arguments, got 0",
        cucore_graph_add_kernel, graph_, nullptr, 0, saxpy_, &one, nullptr, 0, &node);
  cucore_buffer* const released = make_floats(1).release();
  cucore_buffer_release(released);
  const uint32_t n = 1;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(value),
                                       {x, CUCORE_ARGUMENT_OBJECT},
                                       {released, CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "argument 2 of kernel saxpy is a released buffer",
        cucore_graph_add_kernel, graph_, nullptr, 0, saxpy_, &one, arguments, 4, &node);
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
}

TEST_F(Graphs, RefuseBuffersOfAnotherDevice) {
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const Buffer far = make_buffer(second, BYTES, there), near = make_floats(1);
  const float a = 1;
  const uint32_t n = 1;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                       {far, CUCORE_ARGUMENT_OBJECT},
                                       {near, CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  const cucore_launch_options one = grid(1, 1);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "argument 1 of kernel saxpy is a buffer of device 1; expected one of device 0, the device "
        "of the graph; copy the buffer, or use managed memory",
        cucore_graph_add_kernel, graph_, nullptr, 0, saxpy_, &one, arguments, 4, &node);
  SUCCEEDS(cucore_graph_add_copy, graph_, nullptr, 0, far, 0, near, 0, BYTES, &node);
  run();
}

TEST_F(Graphs, PassLaunchOptionsToKernelNodes) {
  NEEDS_FAKE_DRIVER();
  cucore_launch_options options = grid(4, 64);
  options.cluster[0] = 2;
  options.cooperative = 1;
  options.priority = -1;
  options.dynamic_shared = 64 * 1024;
  const cucore_node node = add_empty_kernel({}, options);
  EXPECT_EQ(query(node).cluster[0], 2u);
  run();
  fake_launch launch{};
  ASSERT_TRUE(fake_->launch_at(0, &launch));
  EXPECT_EQ(launch.cluster[0], 2u);
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.priority, -1);
  EXPECT_EQ(launch.dynamic_shared, 64u * 1024);
}

TEST_F(Graphs, MakeEdgesProgrammatic) {
  const cucore_node a = add_empty_kernel({}, grid(1, 1));
  cucore_launch_options early = grid(1, 1);
  early.programmatic_serialization = 1;
  const cucore_node b = add_empty_kernel({a, add_empty()}, early);
  EXPECT_EQ(query(b).dependency_count, 2u);
  const cucore_node c = add_empty_kernel({}, grid(1, 1));
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  const bool has_edge_data = driver.version_major * 100 + driver.version_minor >= 1203;
  if (!has_edge_data) {
    FAILS(CUCORE_ERROR_UNSUPPORTED, "programmatic edges need a driver of CUDA 12.3; " + served(),
          cucore_graph_add_edge, graph_, b, c, 1);
    return run();
  }
  SUCCEEDS(cucore_graph_add_edge, graph_, b, c, 1);
  EXPECT_TRUE(contains(dot(graph_),
                       "n" + std::to_string(b) + " -> n" + std::to_string(c) + " [style=dashed];"));
  EXPECT_TRUE(contains(dot(graph_),
                       "n" + std::to_string(a) + " -> n" + std::to_string(b) + " [style=dashed];"));
  run();
  SUCCEEDS(cucore_graph_remove_edge, graph_, b, c);
  EXPECT_EQ(before(c), Nodes{});
}

TEST_F(Graphs, CallHostFunctionsInOrder) {
  std::vector<int> calls;
  struct Call {
    std::vector<int>* calls;
    int number;
  } first{&calls, 1}, second{&calls, 2};
  const auto note = [](void* data) {
    const auto* call = static_cast<Call*>(data);
    call->calls->push_back(call->number);
  };
  const cucore_node two = add_host({}, note, &second);
  const cucore_node one = add_host({}, note, &first);
  SUCCEEDS(cucore_graph_add_edge, graph_, one, two, 0);
  const Executable executable = make_executable(graph_);
  launch(executable);
  launch(executable);
  EXPECT_EQ(calls, (std::vector<int>{1, 2, 1, 2}));
  EXPECT_EQ(query(one).kind, CUCORE_NODE_KIND_HOST);
}

TEST_F(Graphs, RecordAndWaitForEvents) {
  const Event start = make_event(device_, true), end = make_event(device_, true);
  cucore_node first = 0, last = 0, wait = 0;
  SUCCEEDS(cucore_graph_add_record, graph_, nullptr, 0, start, &first);
  const cucore_node kernel = add_empty_kernel({first}, grid(1, 1));
  SUCCEEDS(cucore_graph_add_record, graph_, &kernel, 1, end, &last);
  SUCCEEDS(cucore_graph_add_wait, graph_, nullptr, 0, end, &wait);
  run();
  int32_t done = 0;
  SUCCEEDS(cucore_event_query, end, &done);
  EXPECT_EQ(done, 1);
  float milliseconds = -1;
  SUCCEEDS(cucore_event_elapsed, start, end, &milliseconds);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Graphs, ReadNodesThatOtherCodeHasAdded) {
  const cucore_node own = add_empty();
  auto* const native = static_cast<CUgraph>(cucore_graph_native(graph_));
  ASSERT_NE(native, nullptr);
  const NativeDriver driver;
  decltype(&::cuGraphAddEmptyNode) add = nullptr;
  decltype(&::cuGraphDestroyNode) destroy = nullptr;
  driver.find("cuGraphAddEmptyNode", add);
  driver.find("cuGraphDestroyNode", destroy);
  auto* const before_it = static_cast<CUgraphNode>(query(own).native);
  CUgraphNode added = nullptr;
  ASSERT_EQ(add(&added, native, &before_it, 1), CUDA_SUCCESS);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, graph_, 1, &node);
  EXPECT_EQ(query(node).kind, CUCORE_NODE_KIND_EMPTY);
  EXPECT_EQ(query(node).native, added);
  EXPECT_EQ(before(node), Nodes{own});
  EXPECT_EQ(after(own), Nodes{node});
  const cucore_node last = add_empty({node});
  run();
  ASSERT_EQ(destroy(added), CUDA_SUCCESS);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u);
  EXPECT_EQ(before(last), Nodes{});
  FAILS(CUCORE_ERROR_NOT_FOUND, "was removed from the graph", cucore_graph_remove_node, graph_,
        node);
}

// The numbers of nodes and edges stay the same.
TEST_F(Graphs, ReadEdgesThatOtherCodeHasChanged) {
  const cucore_node one = add_empty(), two = add_empty({one}), three = add_empty({two});
  auto* const native = static_cast<CUgraph>(cucore_graph_native(graph_));
  ASSERT_NE(native, nullptr);
  const auto node_of = [&](cucore_node node) {
    return static_cast<CUgraphNode>(query(node).native);
  };
  const CUgraphNode natives[] = {node_of(one), node_of(two), node_of(three)};
  EXPECT_EQ(before(three), Nodes{two});
  EXPECT_EQ(before(three), Nodes{two});
  const NativeDriver driver;
  decltype(&::cuGraphAddEmptyNode) add = nullptr;
  decltype(&::cuGraphDestroyNode) destroy = nullptr;
  driver.find("cuGraphAddEmptyNode", add);
  driver.find("cuGraphDestroyNode", destroy);
  ASSERT_EQ(destroy(natives[2]), CUDA_SUCCESS);
  CUgraphNode last = nullptr;
  ASSERT_EQ(add(&last, native, &natives[0], 1), CUDA_SUCCESS);
  EXPECT_EQ(cucore_graph_node_count(graph_), 3u);
  EXPECT_EQ(after(two), Nodes{});
  EXPECT_EQ(after(one).size(), 2u);
  SUCCEEDS(cucore_graph_add_edge, graph_, two, after(one)[1], 0);
  EXPECT_EQ(after(two), Nodes{after(one)[1]});
  SUCCEEDS(cucore_graph_remove_edge, graph_, one, two);
  EXPECT_EQ(before(two), Nodes{});
}

TEST_F(Graphs, ReadTheNodesOfOtherCodeOnce) {
  NEEDS_FAKE_DRIVER();
  auto* const native = static_cast<CUgraph>(cucore_graph_native(graph_));
  const NativeDriver driver;
  decltype(&::cuGraphAddEmptyNode) add = nullptr;
  driver.find("cuGraphAddEmptyNode", add);
  CUgraphNode node = nullptr;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(add(&node, native, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cucore_graph_node_count(graph_), 5u);
  const size_t kinds = fake_->call_count("cuGraphNodeGetType");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cucore_graph_node_count(graph_), 5u);
  EXPECT_EQ(fake_->call_count("cuGraphNodeGetType"), kinds);
}

TEST_F(Graphs, AreUsableFromManyThreads) {
  constexpr int THREADS = 8, EACH = 50;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < THREADS; ++t)
    threads.emplace_back([&] {
      cucore_node last = 0;
      for (int i = 0; i < EACH; ++i) {
        cucore_node node = 0;
        failures += cucore_graph_add_empty(graph_, &last, last != 0, &node, nullptr) != CUCORE_OK;
        if (i % 3 == 2) failures += cucore_graph_remove_node(graph_, last, nullptr) != CUCORE_OK;
        last = node;
        Graph copy;
        if (i % 10 == 0) failures += cucore_graph_clone(graph_, copy.out(), nullptr) != CUCORE_OK;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(cucore_graph_node_count(graph_), size_t{THREADS * (EACH - EACH / 3)});
  run();
}

}  // namespace
