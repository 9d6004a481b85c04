// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate: fixed addresses, lifetimes and accounts.
#include "graph_test.hpp"

namespace cutest {
namespace {

class GraphMemories : public GraphTest {
 protected:
  CUgraphNode add_alloc(CUgraph graph, std::vector<CUgraphNode> before, size_t bytes,
                        CUdeviceptr* address) {
    CUDA_MEM_ALLOC_NODE_PARAMS params = request(bytes);
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddMemAllocNode(&node, graph, before.data(), before.size(), &params));
    *address = params.dptr;
    return node;
  }
  static CUDA_MEM_ALLOC_NODE_PARAMS request(size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params.bytesize = bytes;
    return params;
  }
  CUgraphNode add_free(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr address) {
    CUgraphNode node = nullptr;
    EXPECT_CU(0, cu.cuGraphAddMemFreeNode(&node, graph, before.data(), before.size(), address));
    return node;
  }
  uint64_t attribute(CUgraphMem_attribute which) {
    cuuint64_t value = 0;
    EXPECT_CU(0, cu.cuDeviceGetGraphMemAttribute(0, which, &value));
    return value;
  }
  // More than half of the free memory, so that it does not fit twice.
  size_t most() {
    size_t free = 0, total = 0;
    EXPECT_CU(0, cu.cuDeviceGraphMemTrim(0));
    EXPECT_CU(0, cu.cuMemGetInfo_v2(&free, &total));
    return (free / 2 + (1 << 20)) / 4096 * 4096;
  }
};

TEST_F(GraphMemories, LiveBetweenTheirNodes) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0, p = words(1);
  CUgraphNode alloc = add_alloc(graph, {}, 4096, &address);
  CUgraphNode fill = add_fill(graph, {alloc}, address, 7, 1024);
  CUgraphNode copy = add_copy(graph, {fill}, p, address + 4092, 4);
  CUgraphNode release = add_free(graph, {copy}, address);
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  OK(cu.cuGraphMemAllocNodeGetParams(alloc, &params));
  EXPECT_EQ(address, params.dptr);
  CUdeviceptr freed = 0;
  OK(cu.cuGraphMemFreeNodeGetParams(release, &freed));
  EXPECT_EQ(address, freed);
  CUgraphExec executable = instantiate(graph);
  for (int i = 0; i < 3; ++i) run(executable);
  EXPECT_EQ(7u, word(p));
  EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH_v2(&freed, address, 4));
}

TEST_F(GraphMemories, UsesOutsideOfTheirLifetimeAreFaults) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  unsigned one = 1;
  CUgraphNode alloc = add_alloc(graph, {}, 64, &address);
  add_free(graph, {alloc}, address);
  run(instantiate(graph));
  OK(launch("increase", {&address, &one}));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_NE(std::string::npos, fault_text().find("of a graph")) << fault_text();
}

TEST_F(GraphMemories, MayOutliveTheirLaunch) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  CUgraphNode alloc = add_alloc(graph, {}, 64, &address);
  add_fill(graph, {alloc}, address, 3, 16);
  CUgraphExec executable = instantiate(graph);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(address));  // not allocated yet
  run(executable);
  EXPECT_EQ(3u, word(address));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphLaunch(executable, nullptr));
  OK(cu.cuMemFreeAsync(address, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(address, nullptr));
  run(executable);
  OK(cu.cuMemFree_v2(address));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(address));
  run(executable);
  CUgraph freeing = make_graph();
  add_free(freeing, {}, address);
  CUgraphExec other = instantiate(freeing);
  run(other);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphLaunch(other, nullptr));
  CUgraphNode node = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemFreeNode(&node, graph, nullptr, 0, address));
}

TEST_F(GraphMemories, AutoFreeFreesBeforeTheNextLaunch) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  CUgraphNode alloc = add_alloc(graph, {}, 1 << 20, &address);
  add_fill(graph, {alloc}, address, 9, 4);
  CUgraphExec executable = instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  for (int i = 0; i < 4; ++i) run(executable);
  EXPECT_EQ(9u, word(address));
  EXPECT_EQ(1u << 20, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  OK(cu.cuMemFree_v2(address));
}

TEST_F(GraphMemories, AutoFreeNeedsTheMemoryOnce) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  add_alloc(graph, {}, most(), &address);
  CUgraphExec executable = instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  CUstream stream = make_stream();
  run(executable, stream);
  close_gate(stream);
  for (int i = 0; i < 3; ++i) OK(cu.cuGraphLaunch(executable, stream));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  OK(cu.cuMemFree_v2(address));
  OK(cu.cuDeviceGraphMemTrim(0));
}

TEST_F(GraphMemories, LaunchesInFlightShareTheMemory) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  const size_t size = most();
  const uint64_t before = attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  cuuint64_t zero = 0;
  OK(cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
  CUgraphNode alloc = add_alloc(graph, {}, size, &address);
  add_free(graph, {alloc}, address);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  for (int i = 0; i < 4; ++i) OK(cu.cuGraphLaunch(executable, stream));
  EXPECT_EQ(before + size, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
  OK(cu.cuDeviceGraphMemTrim(0));  // nothing: work in flight claims the memory
  EXPECT_EQ(before + size, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(before + size, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH));
  OK(cu.cuDeviceGraphMemTrim(0));
  EXPECT_EQ(before, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
}

TEST_F(GraphMemories, ClaimsOfSkippedLaunchesEndWithTheMemory) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0, stray = 16;
  unsigned one = 1;
  OK(cu.cuDeviceGraphMemTrim(0));
  const uint64_t before = attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  CUgraphNode bad = add_kernel(graph, {}, "increase", {&stray, &one});
  CUgraphNode alloc = add_alloc(graph, {bad}, 4096, &address);
  add_free(graph, {alloc}, address);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  for (int i = 0; i < 3; ++i) OK(cu.cuGraphLaunch(executable, stream));
  open_gate();
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream));
  OK(cu.cuGraphExecDestroy(executable));
  OK(cu.cuGraphDestroy(graph));
  auto trimmed = [&] {
    EXPECT_CU(0, cu.cuDeviceGraphMemTrim(0));
    return attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  };
  EXPECT_TRUE(eventually([&] { return trimmed() == before; }));
}

TEST_F(GraphMemories, GraphsWithMemoryHaveLimits) {
  CUgraph graph = make_graph(), clone = nullptr;
  CUdeviceptr address = 0;
  CUgraphNode alloc = add_alloc(graph, {}, 64, &address),
              release = add_free(graph, {alloc}, address);
  CUgraphNode node = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemFreeNode(&node, graph, nullptr, 0, address));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemFreeNode(&node, graph, nullptr, 0, words(1)));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroyNode(release));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphRemoveDependencies(graph, &alloc, &release, 1));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuGraphClone(&clone, graph));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            cu.cuGraphAddChildGraphNode(&node, make_graph(), nullptr, 0, graph));
  CUgraphExec first = nullptr, second = nullptr;
  OK(cu.cuGraphInstantiateWithFlags(&first, graph, 0));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuGraphInstantiateWithFlags(&second, graph, 0));
  OK(cu.cuGraphExecDestroy(first));
  OK(cu.cuGraphInstantiateWithFlags(&second, graph, 0));
  OK(cu.cuGraphExecDestroy(second));
  auto params = request(0);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
  params = request(size_t{1} << 50);
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
}

TEST_F(GraphMemories, AccountsAreKeptAndTrimmed) {
  OK(cu.cuDeviceGraphMemTrim(0));
  size_t before = 0, now = 0, total = 0;
  OK(cu.cuMemGetInfo_v2(&before, &total));
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  add_alloc(graph, {}, 1 << 20, &address);
  run(instantiate(graph));
  OK(cu.cuMemGetInfo_v2(&now, &total));
  EXPECT_EQ(before - (1 << 20), now);
  OK(cu.cuMemFree_v2(address));
  EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  EXPECT_EQ(1u << 20, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
  EXPECT_LE(1u << 20, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH));
  cuuint64_t value = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value));
  value = 0;
  OK(cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value));
  EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value));
  OK(cu.cuDeviceGraphMemTrim(0));
  OK(cu.cuMemGetInfo_v2(&now, &total));
  EXPECT_EQ(before, now);
}

TEST_F(GraphMemories, UnfreedMemoryOutlivesItsGraph) {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUdeviceptr address = 0;
  OK(cu.cuGraphCreate(&graph, 0));
  CUgraphNode alloc = add_alloc(graph, {}, 64, &address), node = nullptr;
  add_fill(graph, {alloc}, address, 8, 16);
  CUgraph child = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&node, make_graph(), nullptr, 0, make_graph()));
  OK(cu.cuGraphChildGraphNodeGetGraph(node, &child));
  auto params = request(64);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemAllocNode(&node, child, nullptr, 0, &params));
  OK(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  run(executable);
  OK(cu.cuGraphExecDestroy(executable));
  OK(cu.cuGraphDestroy(graph));
  EXPECT_EQ(8u, word(address));
  OK(cu.cuMemFree_v2(address));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH_v2(&params, address, 4));
}

TEST_F(GraphMemories, AContextEndsWhatIsUnfreed) {
  CUcontext other = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUdeviceptr address = 0;
  OK(cu.cuGraphCreate(&graph, 0));
  add_alloc(graph, {}, 4096, &address);
  OK(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  run(executable);
  EXPECT_EQ(4096u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  OK(cu.cuCtxDestroy_v2(other));
  EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
  OK(cu.cuGraphExecDestroy(executable));
  OK(cu.cuGraphDestroy(graph));
}

TEST_F(GraphMemories, AFullDeviceFailsTheLaunch) {
  OK(cu.cuDeviceGraphMemTrim(0));
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  add_alloc(graph, {}, 1 << 20, &address);
  CUgraphExec executable = instantiate(graph);
  size_t free = 0, total = 0;
  OK(cu.cuMemGetInfo_v2(&free, &total));
  CUdeviceptr filler = 0;
  OK(cu.cuMemAlloc_v2(&filler, free - 4096));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuGraphLaunch(executable, nullptr));
  OK(cu.cuMemFree_v2(filler));
  run(executable);
}

TEST_F(GraphMemories, ARefusedFreeNodeFreesNothing) {
  CUgraph graph = make_graph();
  CUdeviceptr address = 0;
  CUgraphNode alloc = add_alloc(graph, {}, 64, &address), node = nullptr;
  const CUgraphNode twice[] = {alloc, alloc};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemFreeNode(&node, graph, twice, 2, address));
  add_free(graph, {alloc}, address);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddMemFreeNode(&node, graph, twice, 1, address));
  CUgraph other = make_graph(), freeing = make_graph();
  alloc = add_alloc(other, {}, 64, &address);
  const CUgraphNode empty = add_empty(freeing), empties[] = {empty, empty};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddMemFreeNode(&node, freeing, empties, 2, address));
  add_free(other, {alloc}, address);  // no other graph frees it
  for (CUgraph each : {graph, other}) run(instantiate(each));
}

// The memory of a child that the graph refuses still belongs to the child.
TEST_F(GraphMemories, ARefusedChildKeepsItsMemory) {
  CUgraph graph = make_graph(), child = nullptr;
  OK(cu.cuGraphCreate(&child, 0));
  CUdeviceptr address = 0;
  CUgraphNode alloc = add_alloc(child, {}, 64, &address), node = nullptr;
  const CUgraphNode empty = add_empty(graph), twice[] = {empty, empty};
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph = {child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&node, graph, twice, 2, &params));
  const CUgraphNode release = add_free(child, {alloc}, address);
  // A free of its own graph, so no other graph may free the memory.
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddMemFreeNode(&node, make_graph(), nullptr, 0, address));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_MEM_FREE, type_of(release));
  run(instantiate(child));
  OK(cu.cuGraphAddNode(&node, graph, twice, 1, &params));
  run(instantiate(graph));
}

TEST_F(GraphMemories, ACapturedFreeIsTheOnlyOne) {
  CUstream stream = make_stream();
  CUdeviceptr address = 0;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  OK(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cu.cuMemAllocAsync(&address, 64, stream));
  OK(cu.cuMemFreeAsync(address, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(address, stream));
  OK(cu.cuStreamEndCapture(stream, &graph));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphAddMemFreeNode(&node, make_graph(), nullptr, 0, address));
  OK(cu.cuGraphDestroy(graph));
}

}  // namespace
}  // namespace cutest
