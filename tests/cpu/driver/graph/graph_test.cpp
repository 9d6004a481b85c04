// SPDX-License-Identifier: Apache-2.0
// Kernels and helpers of the tests of graphs.
#include "graph_test.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace cutest {

const char* const GRAPH_PTX = R"(
.version 7.8
.target sm_75
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

// *p = *p * 3 + value
.visible .entry mix(.param .u64 p, .param .u32 value)
{
  .reg .b32 %r<4>;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  ld.param.u32 %r1, [value];
  ld.global.u32 %r2, [%a];
  mad.lo.u32 %r3, %r2, 3, %r1;
  st.global.u32 [%a], %r3;
  ret;
}

// *to += *from
.visible .entry join(.param .u64 to, .param .u64 from)
{
  .reg .b32 %r<4>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [to];
  ld.param.u64 %a2, [from];
  ld.global.u32 %r1, [%a1];
  ld.global.u32 %r2, [%a2];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%a1], %r3;
  ret;
}

// the condition becomes *p & mask
.visible .entry decide(.param .u64 condition, .param .u64 p, .param .u32 mask)
{
  .reg .b32 %r<4>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [condition];
  ld.param.u64 %a2, [p];
  ld.param.u32 %r1, [mask];
  ld.global.u32 %r2, [%a2];
  and.b32 %r3, %r2, %r1;
  {
    .param .b64 c;
    .param .b32 v;
    st.param.b64 [c], %a1;
    st.param.b32 [v], %r3;
    call.uni cudaGraphSetConditional, (c, v);
  }
  ret;
}

// *p -= 1, and the condition becomes *p
.visible .entry countdown(.param .u64 condition, .param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %a<3>;
  ld.param.u64 %a1, [condition];
  ld.param.u64 %a2, [p];
  ld.global.u32 %r1, [%a2];
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%a2], %r2;
  {
    .param .b64 c;
    .param .b32 v;
    st.param.b64 [c], %a1;
    st.param.b32 [v], %r2;
    call.uni cudaGraphSetConditional, (c, v);
  }
  ret;
}
)";

void GraphTest::SetUp() {
  DeviceTest::SetUp();
  OK(cu.cuModuleLoadData(&graph_module_, GRAPH_PTX));
}

void GraphTest::TearDown() {
  open_gate();
  cu.cuCtxSynchronize();
  for (CUgraphExec executable : executables_) cu.cuGraphExecDestroy(executable);
  for (CUgraph graph : graphs_) cu.cuGraphDestroy(graph);
  DeviceTest::TearDown();
  alarm(0);
}

void GraphTest::limit_time() { alarm(60); }

CUstream GraphTest::make_stream(unsigned flags) {
  CUstream stream = nullptr;
  EXPECT_CU(0, cu.cuStreamCreate(&stream, flags));
  return stream;
}

CUevent GraphTest::make_event(unsigned flags) {
  CUevent event = nullptr;
  EXPECT_CU(0, cu.cuEventCreate(&event, flags));
  return event;
}

CUdeviceptr GraphTest::words(size_t count, unsigned value) {
  CUdeviceptr p = 0;
  EXPECT_CU(0, cu.cuMemAlloc_v2(&p, count * 4));
  EXPECT_CU(0, cu.cuMemsetD32_v2(p, value, count));
  EXPECT_CU(0, cu.cuCtxSynchronize());
  return p;
}

std::vector<unsigned> GraphTest::read(CUdeviceptr address, size_t count) {
  std::vector<unsigned> out(count);
  EXPECT_CU(0, cu.cuCtxSynchronize());
  EXPECT_CU(0, cu.cuMemcpyDtoH_v2(out.data(), address, count * 4));
  return out;
}

CUfunction GraphTest::kernel(const char* name) {
  CUfunction found = nullptr;
  if (cu.cuModuleGetFunction(&found, graph_module_, name) == CUDA_SUCCESS) return found;
  return function(name);
}

CUgraph GraphTest::make_graph() {
  CUgraph graph = nullptr;
  EXPECT_CU(0, cu.cuGraphCreate(&graph, 0));
  graphs_.push_back(graph);
  return graph;
}

CUDA_MEMCPY3D row_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

CUDA_MEMSET_NODE_PARAMS word_fill(CUdeviceptr p, unsigned value, size_t count) {
  return {p, 0, value, 4, count, 1};
}

CUDA_KERNEL_NODE_PARAMS kernel_node(CUfunction function, void** parameters, unsigned threads) {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = function;
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = threads;
  node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = parameters;
  return node;
}

CUgraphNode GraphTest::add_kernel(CUgraph graph, std::vector<CUgraphNode> before, const char* name,
                                  std::vector<void*> parameters) {
  CUgraphNode node = nullptr;
  const auto params = kernel_node(kernel(name), parameters.data());
  EXPECT_CU(0, cu.cuGraphAddKernelNode_v2(&node, graph, before.data(), before.size(), &params));
  return node;
}

CUgraphNode GraphTest::add_increase(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr p,
                                    unsigned value) {
  return add_kernel(graph, before, "increase", {&p, &value});
}

CUgraphNode GraphTest::add_fill(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr p,
                                unsigned value, size_t count) {
  CUgraphNode node = nullptr;
  const auto params = word_fill(p, value, count);
  EXPECT_CU(0,
            cu.cuGraphAddMemsetNode(&node, graph, before.data(), before.size(), &params, context));
  return node;
}

CUgraphNode GraphTest::add_copy(CUgraph graph, std::vector<CUgraphNode> before, CUdeviceptr to,
                                CUdeviceptr from, size_t bytes) {
  CUgraphNode node = nullptr;
  const auto copy = row_copy(to, from, bytes);
  EXPECT_CU(0, cu.cuGraphAddMemcpyNode(&node, graph, before.data(), before.size(), &copy, context));
  return node;
}

CUgraphNode GraphTest::add_empty(CUgraph graph, std::vector<CUgraphNode> before) {
  CUgraphNode node = nullptr;
  EXPECT_CU(0, cu.cuGraphAddEmptyNode(&node, graph, before.data(), before.size()));
  return node;
}

CUgraphNode GraphTest::add_mark(CUgraph graph, std::vector<CUgraphNode> before, char letter) {
  notes_.push_back(std::make_unique<Note>(Note{this, letter}));
  CUDA_HOST_NODE_PARAMS host{};
  host.userData = notes_.back().get();
  host.fn = [](void* p) {
    auto* note = static_cast<Note*>(p);
    std::lock_guard lock(note->test->mutex_);
    note->test->log_ += note->letter;
  };
  CUgraphNode node = nullptr;
  EXPECT_CU(0, cu.cuGraphAddHostNode(&node, graph, before.data(), before.size(), &host));
  return node;
}

CUgraphExec GraphTest::instantiate(CUgraph graph, unsigned long long flags) {
  CUgraphExec executable = nullptr;
  EXPECT_CU(0, cu.cuGraphInstantiateWithFlags(&executable, graph, flags));
  if (executable) executables_.push_back(executable);
  return executable;
}

void GraphTest::run(CUgraphExec executable, CUstream stream) {
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuStreamSynchronize(stream));
}

std::vector<CUgraphNode> GraphTest::nodes_of(CUgraph graph) {
  size_t count = 0;
  EXPECT_CU(0, cu.cuGraphGetNodes(graph, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  EXPECT_CU(0, cu.cuGraphGetNodes(graph, nodes.empty() ? nullptr : nodes.data(), &count));
  return nodes;
}

size_t GraphTest::edges_of(CUgraph graph) {
  size_t count = 0;
  EXPECT_CU(0, cu.cuGraphGetEdges(graph, nullptr, nullptr, &count));
  return count;
}

CUgraphNodeType GraphTest::type_of(CUgraphNode node) {
  CUgraphNodeType type{};
  EXPECT_CU(0, cu.cuGraphNodeGetType(node, &type));
  return type;
}

std::string GraphTest::log() {
  std::lock_guard lock(mutex_);
  return log_;
}

uint64_t GraphTest::live(const char* kind) { return count_of("\"live\":{", kind); }
uint64_t GraphTest::leaked(const char* kind) { return count_of("\"leaked\":{", kind); }

uint64_t GraphTest::count_of(const char* part, const char* kind) {
  size_t length = 0;
  EXPECT_CU(0, cu.control().report(nullptr, 0, &length));
  std::string text(length + 1, '\0');
  EXPECT_CU(0, cu.control().report(text.data(), text.size(), &length));
  const auto at = text.find(part);
  const std::string name = '"' + std::string(kind) + "\":";
  return std::strtoull(text.c_str() + text.find(name, at) + name.size(), nullptr, 10);
}

}  // namespace cutest
