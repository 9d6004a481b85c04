// SPDX-License-Identifier: Apache-2.0
// Captures: what becomes a node, forks and joins, and everything that breaks a capture.
#include <atomic>

#include "graph_test.hpp"

namespace cutest {
namespace {

constexpr auto GLOBAL = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr auto LOCAL = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto RELAXED = CU_STREAM_CAPTURE_MODE_RELAXED;

class Captures : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    stream = make_stream();
    p = words(16);
  }
  void begin(CUstreamCaptureMode mode = RELAXED) { OK(cu.cuStreamBeginCapture_v2(stream, mode)); }
  CUgraph end() {
    CUgraph graph = nullptr;
    EXPECT_CU(0, cu.cuStreamEndCapture(stream, &graph));
    return graph;
  }
  void expect_end(CUresult code) {
    CUgraph graph = reinterpret_cast<CUgraph>(1);
    EXPECT_CU(code, cu.cuStreamEndCapture(stream, &graph));
    EXPECT_EQ(nullptr, graph);
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream));
  }
  CUstreamCaptureStatus status(CUstream s) {
    CUstreamCaptureStatus found{};
    EXPECT_CU(0, cu.cuStreamIsCapturing(s, &found));
    return found;
  }
  CUresult increase(CUstream s, unsigned value = 1) {
    return launch("increase", {&p, &value}, 1, s);
  }
  std::vector<CUgraphNodeType> types(CUgraph graph) {
    std::vector<CUgraphNodeType> found;
    for (CUgraphNode node : nodes_of(graph)) found.push_back(type_of(node));
    return found;
  }
  // Runs the call on another thread with this context.
  CUresult elsewhere(const std::function<CUresult()>& call) {
    CUresult result{};
    std::thread([&] {
      cu.cuCtxSetCurrent(context);
      result = call();
    }).join();
    return result;
  }
  CUstream stream = nullptr;
  CUdeviceptr p = 0;
};

TEST_F(Captures, EveryOperationBecomesItsNode) {
  static std::atomic<int> calls;
  calls = 0;
  unsigned host = 4;
  begin();
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(stream));
  OK(increase(stream));
  OK(cu.cuMemcpyDtoDAsync_v2(p + 4, p, 4, stream));
  OK(cu.cuMemcpyHtoDAsync_v2(p + 8, &host, 4, stream));
  OK(cu.cuMemsetD16Async(p + 12, 7, 2, stream));
  OK(cu.cuMemsetD2D8Async(p + 16, 8, 1, 4, 2, stream));
  OK(cu.cuLaunchHostFunc(
      stream, [](void*) { ++calls; }, nullptr));
  OK(cu.cuStreamWriteValue32_v2(stream, p + 32, 5, 0));
  CUevent event = make_event();
  OK(cu.cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
  OK(cu.cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
  CUdeviceptr temporary = 0;
  OK(cu.cuMemAllocAsync(&temporary, 64, stream));
  OK(cu.cuMemFreeAsync(temporary, stream));
  CUgraph graph = end();
  EXPECT_EQ(0u, word(p));  // nothing has run
  EXPECT_EQ(0, calls);
  EXPECT_EQ((std::vector<CUgraphNodeType>{
                CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST,
                CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                CU_GRAPH_NODE_TYPE_MEM_FREE}),
            types(graph));
  EXPECT_EQ(10u, edges_of(graph));
  run(instantiate(graph), stream);
  EXPECT_EQ((std::vector<unsigned>{1, 1, 4, 0x70007, 0x01010101, 0, 0x01010101, 0, 5}), read(p, 9));
  EXPECT_EQ(1, calls);
  EXPECT_CU(0, cu.cuEventQuery(event));
  OK(cu.cuGraphDestroy(graph));
}

// As an H100 does with driver 580.
TEST_F(Captures, EndWithALaunchOfAGraph) {
  CUgraph inner = make_graph();
  add_increase(inner, {}, p, 3);
  CUgraphExec executable = instantiate(inner);
  begin();
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuGraphLaunch(executable, stream));
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(stream, &graph));
  OK(cu.cuGraphLaunch(executable, stream));
  EXPECT_EQ(3u, word(p));
}

TEST_F(Captures, ForksJoinByEvents) {
  CUstream other = make_stream();
  CUevent fork = make_event(), join = make_event();
  begin(GLOBAL);
  OK(increase(stream));
  OK(cu.cuEventRecord(fork, stream));
  OK(cu.cuStreamWaitEvent(other, fork, 0));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(other));
  OK(cu.cuMemcpyDtoDAsync_v2(p + 4, p, 4, other));
  OK(cu.cuMemcpyDtoDAsync_v2(p + 8, p, 4, stream));
  OK(cu.cuEventRecord(join, other));
  OK(cu.cuStreamWaitEvent(stream, join, 0));
  OK(cu.cuMemsetD32Async(p, 9, 1, stream));
  CUgraph graph = end();
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
  EXPECT_EQ(4u, nodes_of(graph).size());
  EXPECT_EQ(4u, edges_of(graph));
  run(instantiate(graph), stream);
  EXPECT_EQ((std::vector<unsigned>{9, 1, 1}), read(p, 3));
  OK(cu.cuGraphDestroy(graph));
}

TEST_F(Captures, UnjoinedForksFail) {
  CUstream other = make_stream();
  CUevent fork = make_event();
  begin();
  OK(cu.cuEventRecord(fork, stream));
  OK(cu.cuStreamWaitEvent(other, fork, 0));
  OK(increase(other));
  CUgraph graph = nullptr;
  expect_end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
  OK(increase(other));  // runs again
  OK(cu.cuStreamSynchronize(other));
  EXPECT_EQ(1u, word(p));
  begin();
  OK(cu.cuEventRecord(fork, stream));
  OK(cu.cuStreamWaitEvent(other, fork, 0));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cu.cuStreamEndCapture(other, &graph));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Captures, BeginAndEndCheckTheirStream) {
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, cu.cuStreamEndCapture(stream, &graph));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamBeginCapture_v2(nullptr, GLOBAL));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(5)));
  begin(LOCAL);
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, cu.cuStreamBeginCapture_v2(stream, GLOBAL));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
            elsewhere([&] { return cu.cuStreamEndCapture(stream, &graph); }));
  OK(cu.cuGraphDestroy(end()));
  begin(RELAXED);
  EXPECT_CU(0, elsewhere([&] { return cu.cuStreamEndCapture(stream, &graph); }));
  OK(cu.cuGraphDestroy(graph));
  OK(cu.cuStreamBeginCapture(stream));  // the oldest form
  OK(cu.cuGraphDestroy(end()));
}

TEST_F(Captures, WaitingForACapturingStreamBreaksIt) {
  using Call = std::function<CUresult()>;
  CUevent event = make_event();
  const Call calls[] = {[&] { return cu.cuStreamSynchronize(stream); },
                        [&] { return cu.cuStreamQuery(stream); },
                        [&] {
                          return cu.cuStreamAddCallback(
                              stream, [](CUstream, CUresult, void*) {}, nullptr, 0);
                        }};
  for (const Call& call : calls) {
    begin();
    EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, call());
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status(stream));
    EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, increase(stream));
    expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  begin();
  OK(cu.cuEventRecord(event, stream));
  EXPECT_CU(CUDA_ERROR_CAPTURED_EVENT, cu.cuEventSynchronize(event));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_CU(CUDA_ERROR_CAPTURED_EVENT, cu.cuEventQuery(event));
  OK(cu.cuEventRecord(event, stream));
  OK(cu.cuEventSynchronize(event));
}

TEST_F(Captures, DependenciesDoNotCrossTheirBorder) {
  CUstream other = make_stream();
  CUevent outside = make_event(), never = make_event(), inside = make_event();
  OK(cu.cuEventRecord(outside, other));
  begin();
  OK(cu.cuStreamWaitEvent(stream, never, 0));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cu.cuStreamWaitEvent(stream, outside, 0));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin();
  OK(cu.cuStreamBeginCapture_v2(other, RELAXED));
  OK(cu.cuEventRecord(inside, other));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_MERGE, cu.cuStreamWaitEvent(stream, inside, 0));
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(other, &graph));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Captures, TheDefaultStreamMayNotWaitForOne) {
  stream = make_stream(CU_STREAM_DEFAULT);
  begin();
  CUstreamCaptureStatus found{};
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cu.cuStreamIsCapturing(nullptr, &found));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(stream));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, increase(nullptr));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  stream = make_stream(CU_STREAM_NON_BLOCKING);
  begin();
  OK(increase(nullptr));
  OK(cu.cuGraphDestroy(end()));
}

TEST_F(Captures, UnsafeCallsDependOnTheModes) {
  CUdeviceptr memory = 0;
  auto allocate = [&] { return cu.cuMemAlloc_v2(&memory, 4); };
  struct Row {
    CUstreamCaptureMode mode;
    CUresult here, elsewhere;
  };
  constexpr auto UNSAFE = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  for (const Row& row : {Row{GLOBAL, UNSAFE, UNSAFE}, Row{LOCAL, UNSAFE, CUDA_SUCCESS},
                         Row{RELAXED, CUDA_SUCCESS, CUDA_SUCCESS}}) {
    begin(row.mode);
    EXPECT_CU(row.elsewhere, elsewhere(allocate)) << row.mode;
    EXPECT_EQ(row.elsewhere == CUDA_SUCCESS, status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_CU(row.here, allocate()) << row.mode;
    if (row.here == CUDA_SUCCESS)
      OK(cu.cuGraphDestroy(end()));
    else
      expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  begin(GLOBAL);
  CUstreamCaptureMode mode = RELAXED;
  OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_CU(0, allocate());
  OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  OK(cu.cuGraphDestroy(end()));
}

TEST_F(Captures, InformationAndDependencies) {
  CUstreamCaptureStatus found{};
  cuuint64_t id = 0, second = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* data = nullptr;
  size_t count = 9;
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, cu.cuStreamUpdateCaptureDependencies(stream, nullptr, 0, 0));
  begin();
  OK(cu.cuStreamGetCaptureInfo_v3(stream, &found, &id, &graph, &nodes, &data, &count));
  EXPECT_EQ(0u, count);
  OK(increase(stream));
  CUgraphNode manual = add_mark(graph, {}, 'm');
  OK(cu.cuStreamUpdateCaptureDependencies(stream, &manual, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  OK(cu.cuStreamGetCaptureInfo_v2(stream, &found, &second, &graph, &nodes, &count));
  EXPECT_EQ(id, second);
  ASSERT_EQ(2u, count);
  EXPECT_EQ(manual, nodes[1]);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroyNode(manual));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(graph));
  CUgraphExec executable = nullptr;
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  OK(cu.cuStreamUpdateCaptureDependencies_v2(stream, &manual, nullptr, 1,
                                             CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  OK(cu.cuMemsetD32Async(p + 4, 1, 1, stream));
  EXPECT_EQ(graph, end());
  EXPECT_EQ(1u, edges_of(graph));
  begin();
  OK(cu.cuStreamGetCaptureInfo(stream, &found, &second));
  EXPECT_NE(id, second);
  OK(cu.cuGraphDestroy(end()));
  OK(cu.cuGraphDestroy(graph));
}

TEST_F(Captures, GoIntoExistingGraphs) {
  CUgraph graph = make_graph();
  CUgraphNode first = add_fill(graph, {}, p, 5);
  OK(cu.cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, RELAXED));
  OK(increase(stream));
  EXPECT_EQ(graph, end());
  EXPECT_EQ(1u, edges_of(graph));
  run(instantiate(graph), stream);
  EXPECT_EQ(6u, word(p));
  OK(cu.cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, RELAXED));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamQuery(stream));
  expect_end(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(2u, nodes_of(graph).size());  // the graph stays
}

TEST_F(Captures, ProgrammaticLaunchesGetProgrammaticEdges) {
  begin();
  OK(increase(stream));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
  OK(cu.cuLaunchKernelEx(&config, kernel("nothing"), nullptr, nullptr));
  CUgraph graph = end();
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData data{};
  size_t count = 1;
  OK(cu.cuGraphGetEdges_v2(graph, &from, &to, &data, &count));
  EXPECT_EQ(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, data.type);
  run(instantiate(graph), stream);
  OK(cu.cuGraphDestroy(graph));
}

TEST_F(Captures, AStreamThatEndsEndsItsCapture) {
  const uint64_t before = live("graphs");
  begin(GLOBAL);
  OK(increase(stream));
  OK(cu.cuStreamDestroy_v2(stream));
  EXPECT_EQ(before, live("graphs"));
  CUdeviceptr memory = 0;
  OK(cu.cuMemAlloc_v2(&memory, 4));  // no capture is left to forbid it
}

TEST_F(Captures, AForkMayEndAfterItsLastWork) {
  for (bool joined : {true, false}) {
    begin(GLOBAL);
    CUstream fork = make_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = nullptr;
    OK(cu.cuEventCreate(&event, 0));
    OK(cu.cuEventRecord(event, stream));
    OK(cu.cuStreamWaitEvent(fork, event, 0));
    OK(increase(fork));
    if (joined) {
      OK(cu.cuEventRecord(event, fork));
      OK(cu.cuStreamWaitEvent(stream, event, 0));
    }
    OK(cu.cuStreamDestroy_v2(fork));
    OK(increase(stream));
    if (joined) {
      CUgraph graph = end();
      EXPECT_EQ(1u, edges_of(graph));
      OK(cu.cuGraphDestroy(graph));
    } else {
      expect_end(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    }
  }
}

TEST_F(Captures, CodeLoadsAndNoBytesAreAllocated) {
  begin(GLOBAL);
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  CUdeviceptr memory = 1;
  OK(cu.cuModuleLoadData(&module, GRAPH_PTX));
  OK(cu.cuLibraryLoadData(&library, GRAPH_PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cu.cuMemAllocAsync(&memory, 0, stream));
  EXPECT_EQ(0u, memory);
  OK(increase(stream));
  OK(cu.cuGraphDestroy(end()));
  OK(cu.cuLibraryUnload(library));
  OK(cu.cuModuleUnload(module));
}

TEST_F(Captures, EightThreadsCaptureUpdateAndLaunch) {
  std::atomic<unsigned> failures{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      auto check = [&](CUresult code) { failures += code != CUDA_SUCCESS; };
      check(cu.cuCtxSetCurrent(context));
      CUstream own = nullptr;
      check(cu.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
      CUdeviceptr mine = p + 4 * t;
      unsigned value = 1;
      void* parameters[] = {&mine, &value};
      CUfunction function = kernel("increase");
      CUgraphExec executable = nullptr;
      for (int round = 0; round < 25; ++round) {
        CUgraph graph = nullptr;
        check(cu.cuStreamBeginCapture_v2(own, LOCAL));
        for (int i = 0; i < 4; ++i)
          check(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, own, parameters, nullptr));
        check(cu.cuStreamEndCapture(own, &graph));
        CUgraphExecUpdateResultInfo info{};
        if (!executable)
          check(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
        else
          check(cu.cuGraphExecUpdate_v2(executable, graph, &info));
        check(cu.cuGraphLaunch(executable, own));
        check(cu.cuGraphDestroy(graph));
      }
      check(cu.cuGraphExecDestroy(executable));
      check(cu.cuStreamSynchronize(own));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(0u, failures);
  EXPECT_EQ(std::vector<unsigned>(8, 100), read(p, 8));
}

TEST_F(Captures, AChildIsNotReplacedWhileACaptureFillsIt) {
  CUgraph graph = make_graph(), inner = make_graph(), view = nullptr, same = nullptr;
  CUgraphNode child = nullptr, outer = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&child, inner, nullptr, 0, make_graph()));
  OK(cu.cuGraphAddChildGraphNode(&outer, graph, nullptr, 0, inner));
  OK(cu.cuGraphChildGraphNodeGetGraph(outer, &view));
  OK(cu.cuGraphChildGraphNodeGetGraph(nodes_of(view)[0], &view));  // the child of the child
  const uint64_t before = live("graphs");
  OK(cu.cuStreamBeginCaptureToGraph(stream, view, nullptr, nullptr, 0, RELAXED));
  OK(increase(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroyNode(outer));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  CUgraph moved = make_graph();
  for (auto ownership :
       {CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}) {
    params.graph = {moved, ownership};
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeSetParams(outer, &params));
  }
  EXPECT_EQ(before + 1, live("graphs"));
  EXPECT_EQ(0u, nodes_of(moved).size());
  OK(increase(stream));
  OK(cu.cuStreamEndCapture(stream, &same));
  EXPECT_EQ(view, same);
  run(instantiate(graph));
  EXPECT_EQ(2u, word(p));
  OK(cu.cuGraphNodeSetParams(outer, &params));
  OK(cu.cuGraphDestroyNode(outer));
}

// A failed capture ends its graph, and so what fills a child of it.
TEST_F(Captures, AFailedCaptureEndsThoseIntoItsChildren) {
  CUstream other = make_stream();
  CUgraph graph = nullptr, view = nullptr;
  CUgraphNode child = nullptr;
  cuuint64_t id = 0;
  CUstreamCaptureStatus state{};
  begin();
  OK(cu.cuStreamGetCaptureInfo_v2(stream, &state, &id, &graph, nullptr, nullptr));
  OK(cu.cuGraphAddChildGraphNode(&child, graph, nullptr, 0, make_graph()));
  OK(cu.cuGraphChildGraphNodeGetGraph(child, &view));
  OK(cu.cuStreamBeginCaptureToGraph(other, view, nullptr, nullptr, 0, RELAXED));
  OK(increase(other));
  OK(cu.cuStreamDestroy_v2(stream));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, increase(other));
  EXPECT_CU(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(other, &view));
  OK(increase(other));
}

}  // namespace
}  // namespace cutest
