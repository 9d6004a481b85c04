// SPDX-License-Identifier: Apache-2.0
// Graphs as objects: nodes, their parameters, edges, clones and queries.
#include <cstring>
#include <fstream>
#include <sstream>

#include "graph_test.hpp"

namespace cutest {
namespace {

class Graphs : public GraphTest {};

TEST_F(Graphs, RefuseWhatIsNoGraphOrNode) {
  CUgraph graph = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphCreate(nullptr, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphCreate(&graph, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(nullptr));
  OK(cu.cuGraphCreate(&graph, 0));
  CUgraphNode node = add_empty(graph);
  OK(cu.cuGraphDestroy(graph));
  CUgraphNodeType type{};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(graph));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeGetType(node, &type));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroyNode(node));
  CUgraphExec executable = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphLaunch(nullptr, nullptr));
}

TEST_F(Graphs, QueriesGiveCountsAndNullBehindTheEnd) {
  CUgraph graph = make_graph();
  CUgraphNode a = add_empty(graph), b = add_empty(graph, {a}), c = add_empty(graph, {a, b});
  size_t count = 0;
  OK(cu.cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(3u, count);
  CUgraphNode some[5] = {a, a, a, a, a};
  count = 2;
  OK(cu.cuGraphGetNodes(graph, some, &count));
  EXPECT_EQ(2u, count);
  EXPECT_EQ(b, some[1]);
  EXPECT_EQ(a, some[2]);
  count = 5;
  OK(cu.cuGraphGetNodes(graph, some, &count));
  EXPECT_EQ(3u, count);
  EXPECT_EQ(c, some[2]);
  EXPECT_EQ(nullptr, some[3]);
  EXPECT_EQ(nullptr, some[4]);
  OK(cu.cuGraphGetRootNodes(graph, some, &(count = 5)));
  EXPECT_EQ(1u, count);
  EXPECT_EQ(a, some[0]);
  OK(cu.cuGraphNodeGetDependencies(c, some, &(count = 5)));
  EXPECT_EQ(2u, count);
  EXPECT_EQ(b, some[1]);
  OK(cu.cuGraphNodeGetDependentNodes(a, nullptr, &count));
  EXPECT_EQ(2u, count);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphGetNodes(graph, nullptr, nullptr));
}

TEST_F(Graphs, EdgesAreAddedRemovedAndNeverFormCycles) {
  CUgraph graph = make_graph(), other = make_graph();
  CUgraphNode a = add_empty(graph), b = add_empty(graph), c = add_empty(graph);
  CUgraphNode foreign = add_empty(other);
  OK(cu.cuGraphAddDependencies(graph, &c, &b, 1));  // to an earlier node
  OK(cu.cuGraphAddDependencies(graph, &b, &a, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies(graph, &a, &c, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies(graph, &a, &a, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies(graph, &c, &b, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies(graph, &foreign, &a, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies(graph, nullptr, &a, 1));
  EXPECT_EQ(2u, edges_of(graph));
  OK(cu.cuGraphRemoveDependencies(graph, &b, &a, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphRemoveDependencies(graph, &b, &a, 1));
  OK(cu.cuGraphAddDependencies(graph, &a, &c, 1));
  CUgraphNode both[2] = {a, a}, node = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddEmptyNode(&node, graph, both, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddEmptyNode(&node, graph, &foreign, 1));
  EXPECT_EQ(3u, nodes_of(graph).size());
}

TEST_F(Graphs, EdgeDataIsKeptAndNeverLost) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  CUgraphNode a = add_increase(graph, {}, p, 1), b = add_increase(graph, {}, p, 1);
  CUgraphNode e = add_empty(graph);
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  OK(cu.cuGraphAddDependencies_v2(graph, &a, &b, &data, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies_v2(graph, &e, &b, &data, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies_v2(graph, &a, &e, &data, 1));
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData found{};
  size_t count = 1;
  EXPECT_CU(CUDA_ERROR_LOSSY_QUERY, cu.cuGraphGetEdges(graph, &from, &to, &count));
  OK(cu.cuGraphGetEdges_v2(graph, &from, &to, &found, &(count = 1)));
  EXPECT_EQ(a, from);
  EXPECT_EQ(b, to);
  EXPECT_EQ(0, std::memcmp(&data, &found, sizeof data));
  EXPECT_CU(CUDA_ERROR_LOSSY_QUERY, cu.cuGraphNodeGetDependencies(b, &from, &(count = 1)));
  OK(cu.cuGraphNodeGetDependentNodes_v2(a, &to, &found, &(count = 1)));
  EXPECT_EQ(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, found.from_port);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphRemoveDependencies(graph, &a, &b, 1));
  OK(cu.cuGraphRemoveDependencies_v2(graph, &a, &b, &data, 1));
  data.reserved[0] = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddDependencies_v2(graph, &a, &b, &data, 1));
}

TEST_F(Graphs, RemovedNodesLeaveTheirNeighbours) {
  CUgraph graph = make_graph();
  CUgraphNode a = add_empty(graph), b = add_empty(graph, {a}), c = add_empty(graph, {b});
  OK(cu.cuGraphDestroyNode(b));
  EXPECT_EQ(0u, edges_of(graph));
  EXPECT_EQ((std::vector<CUgraphNode>{a, c}), nodes_of(graph));
  OK(cu.cuGraphAddDependencies(graph, &c, &a, 1));
}

TEST_F(Graphs, KernelNodesReturnTheirOwnCopiesOfParameters) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  unsigned value = 5;
  CUgraphNode node = add_increase(graph, {}, p, value);
  value = 6;
  CUDA_KERNEL_NODE_PARAMS now{};
  OK(cu.cuGraphKernelNodeGetParams_v2(node, &now));
  ASSERT_NE(nullptr, now.kernelParams);
  EXPECT_EQ(p, *static_cast<CUdeviceptr*>(now.kernelParams[0]));
  EXPECT_EQ(5u, *static_cast<unsigned*>(now.kernelParams[1]));
  CUDA_KERNEL_NODE_PARAMS_v1 old{};
  OK(cu.cuGraphKernelNodeGetParams(node, &old));
  EXPECT_EQ(now.func, old.func);
  struct {
    CUdeviceptr p;
    unsigned value;
  } packed{p, 9};
  size_t size = offsetof(decltype(packed), value) + sizeof packed.value;  // without padding
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  old.kernelParams = nullptr;
  old.extra = extra;
  OK(cu.cuGraphKernelNodeSetParams(node, &old));
  OK(cu.cuGraphKernelNodeGetParams_v2(node, &now));
  EXPECT_EQ(nullptr, now.kernelParams);
  ASSERT_NE(nullptr, now.extra);
  EXPECT_NE(static_cast<void*>(&packed), now.extra[1]);
  run(instantiate(graph));
  EXPECT_EQ(9u, word(p));
}

TEST_F(Graphs, KernelNodesAreCheckedAsLaunchesAre) {
  CUgraph graph = make_graph();
  CUgraphNode node = nullptr;
  auto params = kernel_node(kernel("nothing"), nullptr);
  params.blockDimX = 2048;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  params.blockDimX = 1;
  params.func = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, nullptr));
  params = kernel_node(kernel("increase"), nullptr);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  EXPECT_TRUE(nodes_of(graph).empty());
}

TEST_F(Graphs, AttributesOfKernelNodes) {
  CUgraph graph = make_graph();
  CUgraphNode a = add_kernel(graph, {}, "nothing", {}), b = add_kernel(graph, {}, "nothing", {});
  CUlaunchAttributeValue value{};
  value.priority = -2;
  OK(cu.cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  value.priority = 0;
  OK(cu.cuGraphKernelNodeGetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(-2, value.priority);
  OK(cu.cuGraphKernelNodeCopyAttributes(b, a));
  OK(cu.cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(-2, value.priority);
  value.cooperative = 7;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphKernelNodeGetAttribute(a, static_cast<CUlaunchAttributeID>(99), &value));
  CUgraphNode empty = add_empty(graph);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphKernelNodeCopyAttributes(empty, a));
}

TEST_F(Graphs, ParametersOfOtherNodesAreReadAndReplaced) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(8), q = words(8, 3);
  CUgraphNode copy = add_copy(graph, {}, p, q, 16);
  CUDA_MEMCPY3D given{};
  OK(cu.cuGraphMemcpyNodeGetParams(copy, &given));
  EXPECT_EQ(q, given.srcDevice);
  given.WidthInBytes = 8;
  OK(cu.cuGraphMemcpyNodeSetParams(copy, &given));
  given.WidthInBytes = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphMemcpyNodeSetParams(copy, &given));
  CUgraphNode fill = add_fill(graph, {copy}, p + 16, 4, 2);
  CUDA_MEMSET_NODE_PARAMS set{};
  OK(cu.cuGraphMemsetNodeGetParams(fill, &set));
  EXPECT_EQ(2u, set.width);
  set.elementSize = 3;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphMemsetNodeSetParams(fill, &set));
  set.elementSize = 4;
  set.value = 5;
  OK(cu.cuGraphMemsetNodeSetParams(fill, &set));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphMemsetNodeGetParams(copy, &set));
  CUevent event = make_event(), found = nullptr;
  CUgraphNode record = nullptr, wait = nullptr;
  OK(cu.cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event));
  OK(cu.cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  OK(cu.cuGraphEventRecordNodeGetEvent(record, &found));
  EXPECT_EQ(event, found);
  CUevent second = make_event();
  OK(cu.cuGraphEventWaitNodeSetEvent(wait, second));
  OK(cu.cuGraphEventWaitNodeGetEvent(wait, &found));
  EXPECT_EQ(second, found);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphEventWaitNodeSetEvent(wait, nullptr));
  CUgraphNode host = add_mark(graph, {fill}, 'h');
  CUDA_HOST_NODE_PARAMS function{};
  OK(cu.cuGraphHostNodeGetParams(host, &function));
  EXPECT_NE(nullptr, function.fn);
  function.fn = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphHostNodeSetParams(host, &function));
  run(instantiate(graph));
  EXPECT_EQ((std::vector<unsigned>{3, 3, 0, 0, 5, 5, 0, 0}), read(p, 8));
  EXPECT_EQ("h", log());
}

TEST_F(Graphs, TheGenericFunctionsTakeEveryKind) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(4);
  unsigned value = 3;
  void* parameters[] = {&p, &value};
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  const auto k = kernel_node(kernel("increase"), parameters);
  params.kernel = {k.func,      k.gridDimX, k.gridDimY,     k.gridDimZ, k.blockDimX, k.blockDimY,
                   k.blockDimZ, 0,          k.kernelParams, nullptr,    nullptr,     nullptr};
  CUgraphNode a = nullptr, b = nullptr, c = nullptr;
  OK(cu.cuGraphAddNode(&a, graph, nullptr, 0, &params));
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_MEMSET;
  params.memset = {p + 4, 0, 9, 4, 1, 1, context};
  OK(cu.cuGraphAddNode_v2(&b, graph, &a, nullptr, 1, &params));
  params.memset.value = 10;
  OK(cu.cuGraphNodeSetParams(b, &params));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeSetParams(a, &params));
  params.reserved2 = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeSetParams(b, &params));
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  params.memcpy.copyCtx = context;
  params.memcpy.copyParams = row_copy(p + 8, p + 4, 4);
  OK(cu.cuGraphAddNode_v2(&c, graph, &b, nullptr, 1, &params));
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  CUgraphNode none = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&none, graph, nullptr, 0, &params));
  params.type = static_cast<CUgraphNodeType>(77);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&none, graph, nullptr, 0, &params));
  run(instantiate(graph));
  EXPECT_EQ((std::vector<unsigned>{3, 10, 10, 0}), read(p, 4));
}

TEST_F(Graphs, BatchesOfWordsWriteAndWait) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(4);
  CUstreamBatchMemOpParams operations[2] = {};
  operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operations[0].writeValue.address = p;
  operations[0].writeValue.value = 4;
  operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  operations[1].waitValue.address = p + 8;
  operations[1].waitValue.value64 = 1;
  operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{context, 2, operations, 0}, found{};
  CUgraphNode node = nullptr;
  OK(cu.cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  OK(cu.cuGraphBatchMemOpNodeGetParams(node, &found));
  EXPECT_EQ(2u, found.count);
  EXPECT_NE(operations, found.paramArray);
  EXPECT_EQ(p, found.paramArray[0].writeValue.address);
  params.count = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphBatchMemOpNodeSetParams(node, &params));
  CUstream stream = make_stream(), other = make_stream();
  OK(cu.cuGraphLaunch(instantiate(graph), stream));
  EXPECT_TRUE(eventually([&] {
    unsigned now = 0;
    cu.cuMemcpyDtoHAsync_v2(&now, p, 4, other);
    return now == 4;
  }));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  OK(cu.cuStreamWriteValue64_v2(other, p + 8, 1, 0));
  OK(cu.cuStreamSynchronize(stream));
}

TEST_F(Graphs, ClonesAreSeparateAndFindTheirNodes) {
  CUgraph graph = make_graph(), inner = make_graph(), clone = nullptr;
  CUdeviceptr p = words(1);
  CUgraphNode in = add_increase(inner, {}, p, 2);
  CUgraphNode a = add_increase(graph, {}, p, 1), child = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&child, graph, &a, 1, inner));
  OK(cu.cuGraphClone(&clone, graph));
  CUgraphNode copy = nullptr, child_copy = nullptr;
  OK(cu.cuGraphNodeFindInClone(&copy, a, clone));
  OK(cu.cuGraphNodeFindInClone(&child_copy, child, clone));
  EXPECT_NE(a, copy);
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_GRAPH, type_of(child_copy));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeFindInClone(&copy, in, clone));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeFindInClone(&copy, a, inner));
  EXPECT_EQ(1u, edges_of(clone));
  OK(cu.cuGraphDestroyNode(a));  // of the original alone
  run(instantiate(clone));
  EXPECT_EQ(3u, word(p));
  OK(cu.cuGraphNodeFindInClone(&copy, child, clone));
  OK(cu.cuGraphDestroyNode(copy));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphNodeFindInClone(&copy, child, clone));
  OK(cu.cuGraphDestroy(clone));
}

TEST_F(Graphs, ChildrenBelongToTheirNode) {
  CUgraph graph = make_graph(), inner = make_graph(), view = nullptr;
  CUdeviceptr p = words(1);
  add_increase(inner, {}, p, 1);
  CUgraphNode child = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  add_increase(inner, {}, p, 100);  // too late: the node has a copy
  OK(cu.cuGraphChildGraphNodeGetGraph(child, &view));
  EXPECT_NE(inner, view);
  EXPECT_EQ(1u, nodes_of(view).size());
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(view));
  CUgraphExec executable = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithFlags(&executable, view, 0));
  add_increase(view, nodes_of(view), p, 10);  // a view can be changed
  run(instantiate(graph));
  EXPECT_EQ(11u, word(p));
  OK(cu.cuGraphDestroyNode(child));
  size_t count = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphGetNodes(view, nullptr, &count));
}

TEST_F(Graphs, AMovedChildKeepsItsHandle) {
  CUgraph graph = make_graph(), inner = nullptr;
  OK(cu.cuGraphCreate(&inner, 0));
  add_empty(inner);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph = {inner, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  CUgraphNode child = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&child, inner, nullptr, 0, &params));
  OK(cu.cuGraphAddNode(&child, graph, nullptr, 0, &params));
  CUgraph view = nullptr;
  OK(cu.cuGraphChildGraphNodeGetGraph(child, &view));
  EXPECT_EQ(inner, view);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(inner));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&child, make_graph(), nullptr, 0, &params));
}

TEST_F(Graphs, DotFilesNameKernelsAndEdges) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(2);
  CUgraphNode a = add_increase(graph, {}, p, 1);
  add_copy(graph, {a}, p + 4, p, 4);
  const std::string path = testing::TempDir() + "cucore_graph_test.dot";
  OK(cu.cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(0u, text.str().rfind("digraph", 0));
  for (const char* part : {"KERNEL", "increase", "MEMCPY", "DEVICE to DEVICE", "->"})
    EXPECT_NE(std::string::npos, text.str().find(part)) << part;
  std::remove(path.c_str());
  EXPECT_CU(CUDA_ERROR_OPERATING_SYSTEM, cu.cuGraphDebugDotPrint(graph, "/nowhere/x.dot", 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDebugDotPrint(graph, nullptr, 0));
}

}  // namespace
}  // namespace cutest
