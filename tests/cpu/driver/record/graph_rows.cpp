// SPDX-License-Identifier: Apache-2.0
// Rows of graphs and executables.
#include <vector>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

CUgraph new_graph() {
  CUgraph graph = nullptr;
  check(cu.cuGraphCreate(&graph, 0), "cuGraphCreate");
  return graph;
}

CUgraphNode add_empty(CUgraph graph, std::vector<CUgraphNode> before = {}) {
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddEmptyNode(&node, graph, before.data(), before.size()), "cuGraphAddEmptyNode");
  return node;
}

CUgraphNode add_kernel(CUgraph graph) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function("nothing");
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params), "cuGraphAddKernelNode");
  return node;
}

CUgraphNode add_fill(CUgraph graph, CUdeviceptr p, size_t width, size_t height) {
  CUDA_MEMSET_NODE_PARAMS fill{p, 64, 1, 4, width, height};
  CUcontext context = nullptr;
  cu.cuCtxGetCurrent(&context);
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context), "cuGraphAddMemsetNode");
  return node;
}

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec executable = nullptr;
  check(cu.cuGraphInstantiateWithFlags(&executable, graph, 0), "cuGraphInstantiate");
  return executable;
}

CUdeviceptr add_alloc(CUgraph graph) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  params.bytesize = 4096;
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), "cuGraphAddMemAllocNode");
  return params.dptr;
}

CUgraph add_if(CUgraph graph, unsigned value) {
  CUgraphConditionalHandle handle = 0;
  CUcontext context = nullptr;
  cu.cuCtxGetCurrent(&context);
  check(cu.cuGraphConditionalHandleCreate(&handle, graph, context, value,
                                          CU_GRAPH_COND_ASSIGN_DEFAULT),
        "cuGraphConditionalHandleCreate");
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {handle, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddNode(&node, graph, nullptr, 0, &params), "cuGraphAddNode");
  return params.conditional.phGraph_out[0];
}

CUgraphNode add_host(CUgraph graph) {
  CUDA_HOST_NODE_PARAMS host{no_work, nullptr};
  CUgraphNode node = nullptr;
  check(cu.cuGraphAddHostNode(&node, graph, nullptr, 0, &host), "cuGraphAddHostNode");
  return node;
}

void add_edges(Rows& rows) {
  rows.add(Start::CONTEXT, "edges", [](Line& line) {
    CUgraph graph = new_graph();
    CUgraphNode a = add_empty(graph), b = add_empty(graph), c = add_empty(graph);
    CUgraphNode other = add_empty(new_graph());
    line("a b", cu.cuGraphAddDependencies(graph, &a, &b, 1));
    line("again", cu.cuGraphAddDependencies(graph, &a, &b, 1));
    line("a a", cu.cuGraphAddDependencies(graph, &a, &a, 1));
    line("other", cu.cuGraphAddDependencies(graph, &other, &a, 1));
    line("remove absent", cu.cuGraphRemoveDependencies(graph, &b, &c, 1));
    CUgraphNode twice[] = {a, a}, made = nullptr;
    line("twice before", cu.cuGraphAddEmptyNode(&made, graph, twice, 2));
    line("cycle", cu.cuGraphAddDependencies(graph, &b, &a, 1));
    CUgraphExec executable = nullptr;
    line("instantiate", cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
  });
  rows.add(Start::CONTEXT, "edge data", [](Line& line) {
    CUgraph graph = new_graph();
    CUgraphNode a = add_kernel(graph), b = add_kernel(graph), e = add_empty(graph);
    CUgraphEdgeData data{};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    line("kernels", cu.cuGraphAddDependencies_v2(graph, &a, &b, &data, 1));
    line("plain besides", cu.cuGraphAddDependencies(graph, &a, &b, 1));
    line("to empty", cu.cuGraphAddDependencies_v2(graph, &a, &e, &data, 1));
    line("from empty", cu.cuGraphAddDependencies_v2(graph, &e, &b, &data, 1));
    CUgraphNode from[4], to[4];
    size_t count = 4;
    line("query", cu.cuGraphGetEdges(graph, from, to, &count));
    line("remove plain", cu.cuGraphRemoveDependencies(graph, &a, &b, 1));
    line("remove", cu.cuGraphRemoveDependencies_v2(graph, &a, &b, &data, 1));
  });
  rows.add(Start::CONTEXT, "counts", [](Line& line) {
    CUgraph graph = new_graph();
    add_empty(graph, {add_empty(graph)});
    size_t count = unset<size_t>();
    line("without array", cu.cuGraphGetNodes(graph, nullptr, &count));
    line.value("count", count);
    auto* filler = reinterpret_cast<CUgraphNode>(UNSET);
    CUgraphNode nodes[3] = {filler, filler, filler};
    count = 1;
    line("one", cu.cuGraphGetNodes(graph, nodes, &count));
    line.value("count", count);
    line.handle("second", nodes[1]);
    count = 3;
    line("three", cu.cuGraphGetNodes(graph, nodes, &count));
    line.value("count", count);
    line.handle("third", nodes[2]);
    line("NULL count", cu.cuGraphGetNodes(graph, nodes, nullptr));
    count = 3;
    line("roots", cu.cuGraphGetRootNodes(graph, nodes, &count));
    line.value("count", count);
  });
}

void add_nodes(Rows& rows) {
  rows.add(Start::CONTEXT, "kernel nodes", [](Line& line) {
    CUgraph graph = new_graph();
    CUDA_KERNEL_NODE_PARAMS params{};
    CUgraphNode node = nullptr;
    auto add = [&] { return cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params); };
    params.func = function("nothing");
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    line("plain", add());
    params.blockDimX = 2048;
    line("2048 threads", add());
    params.blockDimX = 0;
    line("no threads", add());
    params.blockDimX = 1;
    params.func = nullptr;
    line("no function", add());
  });
  rows.add(Start::CONTEXT, "functions and kernels of nodes", [](Line& line) {
    CUgraph graph = new_graph();
    CUlibrary library = load_library();
    CUkernel nothing = kernel(library, "nothing"), mixed = kernel(library, "mixed");
    CUfunction of_nothing = nullptr;
    check(cu.cuKernelGetFunction(&of_nothing, nothing), "cuKernelGetFunction");
    CUcontext context = nullptr;
    cu.cuCtxGetCurrent(&context);
    CUgraphNode node = nullptr;
    const auto try_node = [&](const char* name, CUfunction func, CUkernel kern) {
      CUDA_KERNEL_NODE_PARAMS params{}, got{};
      params.gridDimX = params.gridDimY = params.gridDimZ = 1;
      params.blockDimX = params.blockDimY = params.blockDimZ = 1;
      params.func = func, params.kern = kern;
      line(name, cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
      if (cu.cuGraphKernelNodeGetParams_v2(node, &got) != CUDA_SUCCESS) return;
      line.value("func", static_cast<int>(got.func == of_nothing));
      line.value("kern", static_cast<int>(got.kern == nothing));
      line.value("no kern", static_cast<int>(!got.kern));
      line.value("ctx", static_cast<int>(got.ctx == context));
      line("set", cu.cuGraphKernelNodeSetParams_v2(node, &got));
    };
    try_node("kernel", nullptr, nothing);
    try_node("function", of_nothing, nullptr);
    try_node("both", of_nothing, nothing);
    try_node("both that differ", of_nothing, mixed);
    try_node("function of a module", function("nothing"), nullptr);
    try_node("kernel as a function", reinterpret_cast<CUfunction>(nothing), nullptr);
  });
  rows.add(Start::CONTEXT, "attributes of kernel nodes", [](Line& line) {
    CUgraph graph = new_graph();
    CUgraphNode node = add_kernel(graph), empty = add_empty(graph);
    CUlaunchAttributeValue value{};
    for (int id = 0; id <= 16; ++id)
      line(std::to_string(id).c_str(),
           cu.cuGraphKernelNodeGetAttribute(node, static_cast<CUlaunchAttributeID>(id), &value));
    value.priority = -2;
    line("set", cu.cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    line("copy from empty", cu.cuGraphKernelNodeCopyAttributes(node, empty));
  });
  rows.add(Start::CONTEXT, "children", [](Line& line) {
    CUgraph graph = new_graph(), inner = new_graph(), view = nullptr;
    add_empty(inner);
    CUgraphNode child = nullptr, self = nullptr;
    CUgraphExec executable = nullptr;
    line("add", cu.cuGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
    line("add itself", cu.cuGraphAddChildGraphNode(&self, inner, nullptr, 0, inner));
    line("get", cu.cuGraphChildGraphNodeGetGraph(child, &view));
    line("instantiate", cu.cuGraphInstantiateWithFlags(&executable, view, 0));
  });
  rows.add(Start::CONTEXT, "clones", [](Line& line) {
    CUgraph graph = new_graph(), clone = nullptr;
    CUgraphNode a = add_empty(graph), found = nullptr;
    line(cu.cuGraphClone(&clone, graph));
    line("find", cu.cuGraphNodeFindInClone(&found, a, clone));
    line("find in the original", cu.cuGraphNodeFindInClone(&found, a, graph));
  });
}

void add_executables(Rows& rows) {
  rows.subject("executable");
  for (unsigned flags : {1u, 2u, 4u, 5u, 8u, 16u})
    rows.add(Start::CONTEXT, "flags " + std::to_string(flags), [flags](Line& line) {
      CUgraph graph = new_graph();
      add_kernel(graph);
      CUgraphExec executable = nullptr;
      line(cu.cuGraphInstantiateWithFlags(&executable, graph, flags));
      CUDA_GRAPH_INSTANTIATE_PARAMS params{};
      params.flags = flags;
      line("params", cu.cuGraphInstantiateWithParams(&executable, graph, &params));
      line.value("result", static_cast<int>(params.result_out));
    });
  rows.add(Start::CONTEXT, "for devices with a host node", [](Line& line) {
    CUgraph graph = new_graph();
    add_host(graph);
    CUgraphExec executable = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    line(cu.cuGraphInstantiateWithParams(&executable, graph, &params));
    line.value("result", static_cast<int>(params.result_out)).handle("node", params.hErrNode_out);
  });
  rows.add(Start::CONTEXT, "enabled nodes", [](Line& line) {
    CUgraph graph = new_graph();
    CUgraphNode kernel = add_kernel(graph), empty = add_empty(graph);
    CUgraphExec executable = instantiate(graph);
    unsigned on = 9;
    line("kernel", cu.cuGraphNodeSetEnabled(executable, kernel, 0));
    line(cu.cuGraphNodeGetEnabled(executable, kernel, &on));
    line.value("on", on);
    line("empty", cu.cuGraphNodeSetEnabled(executable, empty, 0));
    line("get empty", cu.cuGraphNodeGetEnabled(executable, empty, &on));
  });
  const struct {
    const char* name;
    void (*build)(CUgraph graph, CUdeviceptr p);
  } updates[] = {
      {"equal", [](CUgraph g, CUdeviceptr p) { add_fill(g, p, 4, 2), add_kernel(g); }},
      {"more nodes",
       [](CUgraph g, CUdeviceptr p) { add_fill(g, p, 4, 2), add_kernel(g), add_empty(g); }},
      {"other order", [](CUgraph g, CUdeviceptr p) { add_kernel(g), add_fill(g, p, 4, 2); }},
      {"other type", [](CUgraph g, CUdeviceptr p) { add_fill(g, p, 4, 2), add_empty(g); }},
      {"wider fill", [](CUgraph g, CUdeviceptr p) { add_fill(g, p, 5, 2), add_kernel(g); }},
      {"flat fill", [](CUgraph g, CUdeviceptr p) { add_fill(g, p, 4, 1), add_kernel(g); }},
  };
  for (const auto& update : updates)
    rows.add(Start::CONTEXT, std::string("update by ") + update.name, [update](Line& line) {
      CUdeviceptr p = allocate(4096);
      CUgraph now = new_graph(), next = new_graph();
      add_fill(now, p, 4, 2);
      add_kernel(now);
      update.build(next, p + 1024);
      CUgraphExecUpdateResultInfo info{};
      line(cu.cuGraphExecUpdate_v2(instantiate(now), next, &info));
      line.value("result", static_cast<int>(info.result)).handle("node", info.errorNode);
      line.handle("from", info.errorFromNode);
    });
}

void add_limits_of_graphs(Rows& rows) {
  rows.subject("graph with memory");
  rows.add(Start::PROCESS, "limits", [](Line& line) {
    new_context();
    CUgraph graph = new_graph(), clone = nullptr;
    CUdeviceptr p = add_alloc(graph);
    CUgraphNode node = nullptr;
    line("clone", cu.cuGraphClone(&clone, graph));
    line("child", cu.cuGraphAddChildGraphNode(&node, new_graph(), nullptr, 0, graph));
    CUgraphExec first = nullptr, second = nullptr;
    line("first", cu.cuGraphInstantiateWithFlags(&first, graph, 0));
    line("second", cu.cuGraphInstantiateWithFlags(&second, graph, 0));
    line("free too early", cu.cuMemFreeAsync(p, nullptr));
    line("launch", cu.cuGraphLaunch(first, nullptr));
    line("again", cu.cuGraphLaunch(first, nullptr));
    line("free", cu.cuMemFreeAsync(p, nullptr));
    line("free again", cu.cuMemFreeAsync(p, nullptr));
    line("launch", cu.cuGraphLaunch(first, nullptr));
    line("free", cu.cuMemFree_v2(p));
    cuuint64_t value = 0;
    cu.cuCtxSynchronize();
    line(cu.cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value));
    line.value("used", value);
  });
  rows.subject("graph with conditions");
  rows.add(Start::PROCESS, "limits", [](Line& line) {
    new_context();
    CUgraph graph = new_graph(), clone = nullptr;
    CUgraph body = add_if(graph, 1);
    CUgraphNode node = nullptr;
    line("clone", cu.cuGraphClone(&clone, graph));
    line("child", cu.cuGraphAddChildGraphNode(&node, new_graph(), nullptr, 0, graph));
    CUgraphExec first = nullptr, second = nullptr;
    line("first", cu.cuGraphInstantiateWithFlags(&first, graph, 0));
    line("second", cu.cuGraphInstantiateWithFlags(&second, graph, 0));
    CUgraphExec of_body = nullptr;
    line("body", cu.cuGraphInstantiateWithFlags(&of_body, body, 0));
  });
  rows.add(Start::PROCESS, "a host node in a body", [](Line& line) {
    new_context();
    CUgraph graph = new_graph();
    add_host(add_if(graph, 1));
    CUgraphExec executable = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    line(cu.cuGraphInstantiateWithParams(&executable, graph, &params));
    line.value("result", static_cast<int>(params.result_out)).handle("node", params.hErrNode_out);
  });
  rows.add(Start::PROCESS, "an unused condition", [](Line& line) {
    new_context();
    CUgraph graph = new_graph();
    add_empty(graph);
    CUgraphConditionalHandle handle = 0;
    CUcontext context = nullptr;
    cu.cuCtxGetCurrent(&context);
    line(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 0, 0));
    CUgraphExec executable = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    line(cu.cuGraphInstantiateWithParams(&executable, graph, &params));
    line.value("result", static_cast<int>(params.result_out));
  });
}

}  // namespace

void add_graphs(Rows& rows) {
  rows.subject("graph");
  add_edges(rows);
  add_nodes(rows);
  add_executables(rows);
  add_limits_of_graphs(rows);
}

}  // namespace cucore::cpu::record
