// SPDX-License-Identifier: Apache-2.0
// Executables: launches, updates and faults.
#include <atomic>

#include "graph_test.hpp"

namespace cutest {
namespace {

class Executables : public GraphTest {
 protected:
  CUgraphExecUpdateResult update(CUgraphExec executable, CUgraph graph, CUgraphNode* node = nullptr,
                                 CUgraphNode* from = nullptr) {
    CUgraphExecUpdateResultInfo info{};
    const CUresult code = cu.cuGraphExecUpdate_v2(executable, graph, &info);
    EXPECT_CU(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                          : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
              code);
    if (node) *node = info.errorNode;
    if (from) *from = info.errorFromNode;
    return info.result;
  }
  CUgraphNode add_record(CUgraph graph, std::vector<CUgraphNode> before, CUevent event) {
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddEventRecordNode(&node, graph, before.data(), before.size(), event));
    return node;
  }
  CUgraphNode add_wait(CUgraph graph, std::vector<CUgraphNode> before, CUevent event) {
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddEventWaitNode(&node, graph, before.data(), before.size(), event));
    return node;
  }
  CUgraphNode add_child(CUgraph graph, std::vector<CUgraphNode> before, CUgraph child) {
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddChildGraphNode(&node, graph, before.data(), before.size(), child));
    return node;
  }
  // Another thread makes a stream wait for an event while `record` puts records of it there.
  template <class F>
  void record_and_wait(CUstream stream, CUevent event, int rounds, F record) {
    limit_time();
    std::atomic<int> round{-1};
    std::atomic<unsigned> failures{0};
    std::thread waiter([&] {
      failures += cu.cuCtxSetCurrent(context) != CUDA_SUCCESS;
      round = 0;
      for (int seen = 0; seen < rounds;) {
        seen = round;
        failures += cu.cuStreamWaitEvent(stream, event, 0) != CUDA_SUCCESS;
      }
    });
    while (round < 0) std::this_thread::yield();
    for (int i = 0; i < rounds; ++i) {
      record();
      EXPECT_CU(0, cu.cuStreamSynchronize(stream));
      ++round;
    }
    waiter.join();
    EXPECT_EQ(0u, failures);
    EXPECT_CU(0, cu.cuEventQuery(event));
  }
};

constexpr unsigned SHARED_EVENT = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

TEST_F(Executables, RunInTheOrderOfTheirEdgesAndOfTheStream) {
  CUgraph graph = make_graph();
  CUgraphNode c = add_mark(graph, {}, 'c');
  CUgraphNode a = add_mark(graph, {}, 'a');
  OK(cu.cuGraphAddDependencies(graph, &a, &c, 1));
  add_mark(graph, {c}, 'd');
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuGraphLaunch(executable, stream));
  EXPECT_EQ("", log());
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ("acdacd", log());
}

TEST_F(Executables, IndependentNodesRunSideBySide) {
  CUgraph graph = make_graph();
  CUdeviceptr flag = words(1), p = words(1);
  // The second branch ends the first one.
  CUgraphNode spin = add_kernel(graph, {}, "spin", {&flag});
  CUgraphNode mark = add_mark(graph, {}, 'm');
  CUgraphNode set = add_fill(graph, {mark}, flag, 1);
  add_increase(graph, {spin, set}, p, 1);
  run(instantiate(graph), make_stream());
  EXPECT_EQ(1u, word(p));
}

TEST_F(Executables, ManyBlockedNodesDoNotStopOthers) {
  CUgraph graph = make_graph();
  CUdeviceptr flag = words(1);
  for (int i = 0; i < 20; ++i) add_kernel(graph, {}, "spin", {&flag});
  add_fill(graph, {add_mark(graph, {}, 'm')}, flag, 1);
  run(instantiate(graph), make_stream());
  EXPECT_EQ("m", log());
}

TEST_F(Executables, OneLaunchAtATimeAlsoInTwoStreams) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUgraphNode last = add_increase(graph, {}, p, 1);
  for (int i = 0; i < 20; ++i) last = add_increase(graph, {last}, p, 1);
  CUgraphExec executable = instantiate(graph);
  CUstream a = make_stream(), b = make_stream();
  for (int i = 0; i < 10; ++i) {
    OK(cu.cuGraphLaunch(executable, a));
    OK(cu.cuGraphLaunch(executable, b));
  }
  EXPECT_EQ(21u * 20, word(p));
}

TEST_F(Executables, KeepTheirSnapshotAndLoadedCode) {
  CUgraph graph = nullptr;
  OK(cu.cuGraphCreate(&graph, 0));
  CUdeviceptr p = words(1);
  CUmodule other = nullptr;
  OK(cu.cuModuleLoadData(&other, GRAPH_PTX));
  CUfunction mix = nullptr;
  OK(cu.cuModuleGetFunction(&mix, other, "mix"));
  unsigned value = 7;
  void* parameters[] = {&p, &value};
  const auto params = kernel_node(mix, parameters);
  CUgraphNode node = nullptr;
  OK(cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  CUgraphExec executable = instantiate(graph);
  value = 100;
  OK(cu.cuGraphKernelNodeSetParams_v2(node, &params));
  OK(cu.cuGraphDestroy(graph));
  OK(cu.cuModuleUnload(other));
  run(executable);
  EXPECT_EQ(7u, word(p));
}

TEST_F(Executables, DestroyedInFlightTheyStillRun) {
  CUgraph graph = make_graph();
  add_mark(graph, {}, 'x');
  CUgraphExec executable = nullptr;
  OK(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuGraphExecDestroy(executable));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphExecDestroy(executable));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphLaunch(executable, stream));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ("x", log());
}

TEST_F(Executables, FormsAndFlagsOfInstantiation) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  add_fill(graph, {}, p, 1);
  CUgraphExec executable = nullptr;
  CUgraphNode node = graph ? reinterpret_cast<CUgraphNode>(1) : nullptr;
  char text[8] = "x";
  OK(cu.cuGraphInstantiate(&executable, graph, &node, text, sizeof text));
  EXPECT_EQ(nullptr, node);
  EXPECT_STREQ("", text);
  OK(cu.cuGraphExecDestroy(executable));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithFlags(&executable, graph, 1 << 10));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphInstantiateWithFlags(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithFlags(nullptr, graph, 0));
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  params.hUploadStream = make_stream();
  OK(cu.cuGraphInstantiateWithParams(&executable, graph, &params));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_SUCCESS, params.result_out);
  cuuint64_t flags = 0;
  OK(cu.cuGraphExecGetFlags(executable, &flags));
  EXPECT_EQ(params.flags, flags);
  OK(cu.cuGraphUpload(executable, params.hUploadStream));
  run(executable);
  OK(cu.cuGraphExecDestroy(executable));
  CUgraphNode host = add_mark(graph, {}, 'h');
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithParams(&executable, graph, &params));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, params.result_out);
  EXPECT_EQ(host, params.hErrNode_out);
}

TEST_F(Executables, AFaultSkipsTheRestAndPoisonsTheContext) {
  CUgraph graph = make_graph();
  CUdeviceptr stray = 16;
  unsigned one = 1;
  CUevent event = make_event();
  CUgraphNode bad = add_kernel(graph, {}, "increase", {&stray, &one}), record = nullptr;
  OK(cu.cuGraphAddEventRecordNode(&record, graph, &bad, 1, event));
  add_mark(graph, {record}, 'n');
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  OK(cu.cuGraphLaunch(executable, stream));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuGraphLaunch(executable, stream));
  EXPECT_NE(std::string::npos, fault_text().find("increase"));
  EXPECT_EQ("", log());
}

TEST_F(Executables, PlannedFaultsStrikeInGraphs) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUgraphNode last = add_increase(graph, {}, p, 1);
  for (int i = 0; i < 3; ++i) last = add_increase(graph, {last}, p, 1);
  CUgraphExec executable = instantiate(graph);
  OK(cu.control().set_fault_plan("cuGraphLaunch@1=2; launch:increase@3=700"));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuGraphLaunch(executable, nullptr));
  OK(cu.cuGraphLaunch(executable, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  OK(cu.control().set_fault_plan(""));
  EXPECT_NE(std::string::npos, fault_text().find("CUCORE_CPU_FAULT"));
}

TEST_F(Executables, TheCheckOfStreamsSeesOneOperation) {
  OK(cu.control().set_checks("host", 0));
  OK(cu.control().clear_checks());
  CUgraph graph = make_graph();
  CUdeviceptr p = words(4), q = words(4);
  CUgraphNode a = add_fill(graph, {}, p, 1, 4);
  add_copy(graph, {a}, q, p, 16);
  add_increase(graph, {a}, p, 1);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream(), other = make_stream();
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuMemcpyDtoDAsync_v2(p, q, 4, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(0u, cu.control().check_count());
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuMemsetD32Async(q, 5, 1, other));  // no order with the copy of the graph
  OK(cu.cuCtxSynchronize());
  EXPECT_EQ(1u, cu.control().check_count());
  OK(cu.control().clear_checks());
  OK(cu.control().set_checks("", 0));
}

TEST_F(Executables, LiveObjectsAreReported) {
  CUgraph graph = make_graph();
  const uint64_t nodes = live("graph_nodes"), executables = live("executables");
  add_empty(graph);
  instantiate(graph);
  EXPECT_EQ(nodes + 1, live("graph_nodes"));
  EXPECT_EQ(executables + 1, live("executables"));
}

TEST_F(Executables, EventsOrderGraphsAndStreams) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(2);
  CUevent inside = make_event(), outside = make_event();
  CUgraphNode first = add_fill(graph, {}, p, 1), record = nullptr, wait = nullptr;
  OK(cu.cuGraphAddEventRecordNode(&record, graph, &first, 1, inside));
  OK(cu.cuGraphAddEventWaitNode(&wait, graph, &record, 1, outside));
  add_copy(graph, {wait}, p + 4, p, 4);
  CUgraphExec executable = instantiate(graph);
  CUstream blocked = make_stream(), stream = make_stream(), follower = make_stream();
  close_gate(blocked);
  OK(cu.cuEventRecord(outside, blocked));
  OK(cu.cuGraphLaunch(executable, stream));
  // The event is recorded in the middle of a graph that cannot end yet.
  OK(cu.cuStreamWaitEvent(follower, inside, 0));
  OK(cu.cuMemsetD32Async(p, 2, 1, follower));
  OK(cu.cuStreamSynchronize(follower));
  EXPECT_CU(0, cu.cuEventQuery(inside));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ((std::vector<unsigned>{2, 2}), read(p, 2));
}

TEST_F(Executables, AWaitBehindARecordMeansTheNewRecord) {
  for (unsigned flags : {0u, SHARED_EVENT}) {
    CUgraph graph = make_graph();
    CUdeviceptr p = words(2), flag = words(1);
    CUevent event = make_event(flags);
    CUgraphNode spin = add_kernel(graph, {}, "spin", {&flag});
    add_record(graph, {add_fill(graph, {spin}, p, 7)}, event);
    add_copy(graph, {add_wait(graph, {}, event)}, p + 4, p, 4);
    OK(cu.cuEventRecord(event, nullptr));  // done before the launch
    OK(cu.cuCtxSynchronize());
    CUstream stream = make_stream(), other = make_stream();
    OK(cu.cuGraphLaunch(instantiate(graph), stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time for a wrong copy
    OK(cu.cuMemsetD32Async(flag, 1, 1, other));
    OK(cu.cuStreamSynchronize(stream));
    EXPECT_EQ((std::vector<unsigned>{7, 7}), read(p, 2));
  }
}

TEST_F(Executables, TheLastOfTwoRecordsCounts) {
  CUgraph graph = make_graph();
  CUdeviceptr flag = words(1);
  CUevent event = make_event();
  CUgraphNode first = add_record(graph, {}, event);
  add_record(graph, {add_kernel(graph, {first}, "spin", {&flag})}, event);
  CUstream stream = make_stream(), other = make_stream();
  OK(cu.cuGraphLaunch(instantiate(graph), stream));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuEventQuery(event));
  OK(cu.cuMemsetD32Async(flag, 1, 1, other));
  OK(cu.cuEventSynchronize(event));
}

TEST_F(Executables, RecordEventsOfSeveralProcesses) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUevent event = make_event(SHARED_EVENT);
  add_record(graph, {add_increase(graph, {}, p, 1)}, event);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  for (unsigned i = 1; i <= 3; ++i) {
    close_gate(stream);
    OK(cu.cuGraphLaunch(executable, stream));
    EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuEventQuery(event));
    open_gate();
    OK(cu.cuEventSynchronize(event));
    EXPECT_EQ(i, word(p));
  }
}

TEST_F(Executables, AnotherThreadMayWaitForTheirEventsInTheSameStream) {
  for (unsigned flags : {0u, SHARED_EVENT}) {
    CUgraph graph = make_graph();
    CUevent event = make_event(flags), other = make_event();
    add_record(graph, {}, event);
    for (int i = 0; i < 300; ++i) add_record(graph, {}, other);  // a launch takes some time
    CUgraphExec executable = instantiate(graph);
    CUstream stream = make_stream();
    record_and_wait(stream, event, 100, [&] { OK(cu.cuGraphLaunch(executable, stream)); });
  }
}

TEST_F(Executables, AnotherThreadMayWaitForASharedEventInTheSameStream) {
  CUevent event = make_event(SHARED_EVENT);
  CUstream stream = make_stream();
  record_and_wait(stream, event, 20000, [&] { OK(cu.cuEventRecord(event, stream)); });
}

TEST_F(Executables, ASkippedChildCompletesItsRecords) {
  limit_time();
  OK(cu.control().set_schedule("parallel"));
  CUgraph graph = make_graph(), child = make_graph(), inner = make_graph();
  CUdeviceptr flag = words(1), stray = 16;
  unsigned one = 1;
  CUevent event = make_event(), deep = make_event();
  CUgraphNode spin = add_kernel(graph, {}, "spin", {&flag});
  CUgraphNode bad = add_kernel(graph, {spin}, "increase", {&stray, &one});
  add_record(child, {}, event);
  add_record(inner, {}, deep);
  add_child(child, {}, inner);
  add_child(graph, {bad}, child);
  add_wait(graph, {}, event);
  add_wait(graph, {}, deep);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream(), other = make_stream();
  OK(cu.cuGraphLaunch(executable, stream));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the waits begin
  OK(cu.cuMemsetD32Async(flag, 1, 1, other));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream));
}

// The one thread of the schedule must not begin with the wait.
TEST_F(Executables, AWaitForTheirRecordComesLaterInARandomOrder) {
  limit_time();
  CUgraph graph = make_graph();
  CUevent event = make_event();
  add_record(graph, {}, event);
  add_wait(graph, {}, event);
  CUgraphExec executable = instantiate(graph);
  for (int seed = 1; seed <= 20; ++seed) {
    OK(cu.control().set_schedule(("random:" + std::to_string(seed)).c_str()));
    run(executable);
  }
  OK(cu.control().set_schedule("parallel"));
}

TEST_F(Executables, StepsAreSetEnabledAndDisabled) {
  CUgraph graph = make_graph(), inner = make_graph();
  CUdeviceptr p = words(4);
  add_increase(inner, {}, p, 100);
  CUgraphNode a = add_increase(graph, {}, p, 1), child = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&child, graph, &a, 1, inner));
  CUgraphNode copy = add_copy(graph, {child}, p + 4, p, 4), fill = add_fill(graph, {}, p + 12, 5);
  CUgraphExec executable = instantiate(graph);
  unsigned on = 0, value = 2;
  OK(cu.cuGraphNodeGetEnabled(executable, a, &on));
  EXPECT_EQ(1u, on);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeSetEnabled(executable, child, 0));
  OK(cu.cuGraphNodeSetEnabled(executable, a, 0));
  OK(cu.cuGraphNodeGetEnabled(executable, a, &on));
  EXPECT_EQ(0u, on);
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{100, 100, 0, 5}), read(p, 4));
  OK(cu.cuGraphNodeSetEnabled(executable, a, 1));
  void* parameters[] = {&p, &value};
  const auto params = kernel_node(kernel("increase"), parameters);
  OK(cu.cuGraphExecKernelNodeSetParams_v2(executable, a, &params));
  const auto moved = row_copy(p + 8, p, 4);
  OK(cu.cuGraphExecMemcpyNodeSetParams(executable, copy, &moved, context));
  const auto other = word_fill(p + 12, 6, 1);
  OK(cu.cuGraphExecMemsetNodeSetParams(executable, fill, &other, context));
  CUgraph replaced = make_graph(), longer = make_graph();
  add_increase(replaced, {}, p, 1000);
  OK(cu.cuGraphExecChildGraphNodeSetParams(executable, child, replaced));
  add_empty(longer, {add_empty(longer)});
  EXPECT_CU(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            cu.cuGraphExecChildGraphNodeSetParams(executable, child, longer));
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{1102, 100, 1102, 6}), read(p, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphExecKernelNodeSetParams_v2(executable, copy, &params));
  CUgraphNode stranger = add_increase(make_graph(), {}, p, 1);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphExecKernelNodeSetParams_v2(executable, stranger, &params));
  auto wide = row_copy(p, p + 8, 4);
  wide.Height = 2;
  wide.srcPitch = wide.dstPitch = 4;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphExecMemcpyNodeSetParams(executable, copy, &wide, context));
}

TEST_F(Executables, UpdatesReachOnlyLaterLaunches) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUgraphNode node = add_increase(graph, {}, p, 1);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  unsigned value = 10;
  void* parameters[] = {&p, &value};
  const auto params = kernel_node(kernel("increase"), parameters);
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuGraphExecKernelNodeSetParams_v2(executable, node, &params));
  OK(cu.cuGraphLaunch(executable, stream));
  value = 100;
  OK(cu.cuGraphExecKernelNodeSetParams_v2(executable, node, &params));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(11u, word(p));
  run(executable, stream);
  EXPECT_EQ(111u, word(p));
}

TEST_F(Executables, WholeUpdatesNameWhatDiffers) {
  CUdeviceptr p = words(4);
  auto build = [&](unsigned value) {
    CUgraph graph = make_graph();
    CUgraphNode a = add_increase(graph, {}, p, value);
    add_fill(graph, {a}, p + 4, value);
    return graph;
  };
  CUgraphExec executable = instantiate(build(1));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_SUCCESS, update(executable, build(5)));
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{5, 5, 0, 0}), read(p, 4));
  CUgraphNode node = nullptr;
  CUgraph more = build(1);
  add_empty(more);
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, update(executable, more, &node));
  EXPECT_EQ(nullptr, node);
  CUgraph loose = make_graph();
  add_increase(loose, {}, p, 1);
  CUgraphNode second = add_fill(loose, {}, p + 4, 1);
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, update(executable, loose, &node));
  EXPECT_EQ(second, node);
  CUgraph typed = make_graph();
  second = add_copy(typed, {add_increase(typed, {}, p, 1)}, p + 4, p, 4);
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, update(executable, typed, &node));
  EXPECT_EQ(second, node);
  CUgraph clustered = build(1);
  CUgraphNode first = nodes_of(clustered)[0];
  CUlaunchAttributeValue value{};
  value.cooperative = 1;
  OK(cu.cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, update(executable, clustered, &node));
  EXPECT_EQ(first, node);
  CUgraphExecUpdateResult result{};
  EXPECT_CU(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
            cu.cuGraphExecUpdate(executable, typed, &node, &result));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, result);
  run(executable);  // nothing has changed
  EXPECT_EQ((std::vector<unsigned>{10, 5, 0, 0}), read(p, 4));
}

TEST_F(Executables, UpdatesNameTheEdgeThatDiffers) {
  CUgraph one = make_graph(), two = make_graph();
  CUgraphNode a = add_empty(one), b = add_empty(one);
  add_empty(one, {a});
  (void)b;
  add_empty(two);
  CUgraphNode y = add_empty(two), z = add_empty(two, {y});
  CUgraphNode node = nullptr, from = nullptr;
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
            update(instantiate(one), two, &node, &from));
  EXPECT_EQ(z, node);
  EXPECT_EQ(y, from);
}

TEST_F(Executables, FillsAndCopiesRefuseOtherShapes) {
  CUdeviceptr p = words(64);
  auto build = [&](size_t width, size_t height) {
    CUgraph graph = make_graph();
    CUDA_MEMSET_NODE_PARAMS fill{p, 32, 1, 4, width, height};
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context));
    return graph;
  };
  CUgraphExec executable = instantiate(build(2, 2));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_SUCCESS, update(executable, build(2, 2)));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, update(executable, build(3, 2)));
  CUgraph device = make_graph(), host = make_graph();
  add_copy(device, {}, p, p + 64, 8);
  CUgraphNode node = nullptr;
  auto copy = row_copy(p, 0, 8);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = gate;
  OK(cu.cuGraphAddMemcpyNode(&node, host, nullptr, 0, &copy, context));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, update(instantiate(device), host));
}

TEST_F(Executables, SeveralThreadsLaunchAndUpdateOne) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUgraphNode node = add_increase(graph, {}, p, 1);
  CUgraphExec executable = instantiate(graph);
  std::atomic<unsigned> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      if (cu.cuCtxSetCurrent(context) != CUDA_SUCCESS) ++failures;
      CUstream stream = nullptr;
      if (cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) ++failures;
      unsigned one = 1;
      void* parameters[] = {&p, &one};
      const auto params = kernel_node(kernel("increase"), parameters);
      for (int i = 0; i < 50; ++i) {
        failures += cu.cuGraphLaunch(executable, stream) != CUDA_SUCCESS;
        if (t % 2) {
          failures += cu.cuGraphExecKernelNodeSetParams_v2(executable, node, &params) != 0;
          failures += update(executable, graph) != CU_GRAPH_EXEC_UPDATE_SUCCESS;
        }
      }
      failures += cu.cuStreamSynchronize(stream) != CUDA_SUCCESS;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(0u, failures);
  EXPECT_EQ(400u, word(p));
}

}  // namespace
}  // namespace cutest
