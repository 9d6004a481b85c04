// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: which bodies run, defaults, and what they may hold.
#include "graph_test.hpp"

namespace cutest {
namespace {

class Conditionals : public GraphTest {
 protected:
  CUgraphConditionalHandle make_condition(CUgraph graph, unsigned value = 0, unsigned flags = 0) {
    CUgraphConditionalHandle handle = 0;
    EXPECT_CU(0, cu.cuGraphConditionalHandleCreate(&handle, graph, context, value, flags));
    return handle;
  }
  std::vector<CUgraph> add_conditional(CUgraph graph, std::vector<CUgraphNode> before,
                                       CUgraphConditionalHandle condition,
                                       CUgraphConditionalNodeType type, unsigned size,
                                       CUgraphNode* node = nullptr) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.handle = condition;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = context;
    CUgraphNode made = nullptr;
    EXPECT_CU(0, cu.cuGraphAddNode(&made, graph, before.data(), before.size(), &params));
    if (node) *node = made;
    if (!made) return {};
    return {params.conditional.phGraph_out, params.conditional.phGraph_out + size};
  }
  // p[1] counts the rounds.
  CUgraph make_loop(CUdeviceptr p, unsigned rounds, CUgraphConditionalHandle* used = nullptr) {
    CUgraph graph = make_graph();
    auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    CUgraphNode start = add_fill(graph, {}, p, rounds);
    auto bodies = add_conditional(graph, {start}, condition, CU_GRAPH_COND_TYPE_WHILE, 1);
    add_increase(bodies[0], {add_kernel(bodies[0], {}, "countdown", {&condition, &p})}, p + 4, 1);
    if (used) *used = condition;
    return graph;
  }
};

TEST_F(Conditionals, IfAndElse) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(3);
  auto condition = make_condition(graph);
  unsigned mask = 1;
  CUgraphNode decide = add_kernel(graph, {}, "decide", {&condition, &p, &mask});
  auto bodies = add_conditional(graph, {decide}, condition, CU_GRAPH_COND_TYPE_IF, 2);
  add_increase(bodies[0], {}, p + 4, 1);
  add_increase(bodies[1], {}, p + 8, 1);
  CUgraphExec executable = instantiate(graph);
  run(executable);
  OK(cu.cuMemsetD32_v2(p, 1, 1));
  run(executable);
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{1, 2, 1}), read(p, 3));
}

TEST_F(Conditionals, WhileRunsUntilItsConditionIsZero) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(2);
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraphNode start = add_fill(graph, {}, p, 5);
  auto bodies = add_conditional(graph, {start}, condition, CU_GRAPH_COND_TYPE_WHILE, 1);
  CUgraphNode count = add_kernel(bodies[0], {}, "countdown", {&condition, &p});
  add_increase(bodies[0], {count}, p + 4, 1);
  CUgraphExec executable = instantiate(graph);
  run(executable);
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{0, 10}), read(p, 2));
}

TEST_F(Conditionals, DefaultsHoldAtEachLaunch) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(2);
  auto zero = make_condition(graph, 0, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto one = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraphNode loop = nullptr;
  auto never = add_conditional(graph, {}, zero, CU_GRAPH_COND_TYPE_WHILE, 1, &loop);
  add_increase(never[0], {}, p, 1);
  auto always = add_conditional(graph, {loop}, one, CU_GRAPH_COND_TYPE_IF, 1);
  CUdeviceptr q = p + 4, zeros = words(1);
  unsigned mask = 1;
  CUgraphNode inc = add_increase(always[0], {}, q, 1);
  add_kernel(always[0], {inc}, "decide", {&one, &zeros, &mask});
  CUgraphExec executable = instantiate(graph);
  run(executable);
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{0, 2}), read(p, 2));
}

TEST_F(Conditionals, SwitchRunsOneBodyOrNone) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(4);
  auto condition = make_condition(graph);
  unsigned mask = 7;
  CUgraphNode decide = add_kernel(graph, {}, "decide", {&condition, &p, &mask});
  auto bodies = add_conditional(graph, {decide}, condition, CU_GRAPH_COND_TYPE_SWITCH, 3);
  for (unsigned i = 0; i < 3; ++i) add_increase(bodies[i], {}, p + 4 + 4 * i, 1);
  CUgraphExec executable = instantiate(graph);
  for (unsigned value : {0u, 2u, 2u, 3u, 6u}) {
    OK(cu.cuMemsetD32_v2(p, value, 1));
    run(executable);
  }
  EXPECT_EQ((std::vector<unsigned>{6, 1, 0, 2}), read(p, 4));
}

TEST_F(Conditionals, TheirGraphsHaveTheLimitsOfAGpu) {
  CUgraph graph = make_graph(), clone = nullptr;
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto bodies = add_conditional(graph, {}, condition, CU_GRAPH_COND_TYPE_IF, 1);
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuGraphClone(&clone, graph));
  CUgraphNode node = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            cu.cuGraphAddChildGraphNode(&node, make_graph(), nullptr, 0, graph));
  CUgraphExec executable = instantiate(graph), second = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuGraphInstantiateWithFlags(&second, graph, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(bodies[0]));
  run(executable);
}

TEST_F(Conditionals, BodiesWithHostNodesFailAtInstantiation) {
  CUgraph graph = make_graph();
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto bodies = add_conditional(graph, {}, condition, CU_GRAPH_COND_TYPE_IF, 1);
  CUgraphNode host = add_mark(bodies[0], {}, 'h');
  CUgraphExec executable = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphInstantiateWithParams(&executable, graph, &params));
  EXPECT_EQ(host, params.hErrNode_out);
  OK(cu.cuGraphDestroyNode(host));
  EXPECT_NE(nullptr, instantiate(graph));
}

TEST_F(Conditionals, HandlesAreCheckedAndUsedOnce) {
  CUgraph graph = make_graph();
  CUgraphConditionalHandle handle = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphConditionalHandleCreate(nullptr, graph, context, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphConditionalHandleCreate(&handle, graph, context, 0, 2));
  handle = make_condition(graph);
  CUDA_GRAPH_INSTANTIATE_PARAMS instantiation{};
  CUgraphExec executable = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphInstantiateWithParams(&executable, graph, &instantiation));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, instantiation.result_out);
  add_conditional(graph, {}, handle, CU_GRAPH_COND_TYPE_IF, 1);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {handle, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  CUgraphNode node = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  params.conditional.handle = make_condition(make_graph());  // of another graph
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  params.conditional.handle = make_condition(graph);
  for (auto [type, size] : {std::pair{CU_GRAPH_COND_TYPE_IF, 0u},
                            {CU_GRAPH_COND_TYPE_IF, 3u},
                            {CU_GRAPH_COND_TYPE_WHILE, 2u},
                            {static_cast<CUgraphConditionalNodeType>(9), 1u}}) {
    params.conditional.type = type;
    params.conditional.size = size;
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  }
}

TEST_F(Conditionals, AKernelCannotSetWhatIsNoCondition) {
  CUdeviceptr p = words(1);
  uint64_t invented = 123456789;
  unsigned mask = 1;
  void* parameters[] = {&invented, &p, &mask};
  OK(cu.cuLaunchKernel(kernel("decide"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_NE(std::string::npos, fault_text().find("cudaGraphSetConditional"));
}

TEST_F(Conditionals, BodiesAreFilledByCaptures) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto bodies = add_conditional(graph, {}, condition, CU_GRAPH_COND_TYPE_IF, 1);
  CUstream stream = make_stream();
  unsigned value = 4;
  OK(cu.cuStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                    CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(launch("increase", {&p, &value}, 1, stream));
  CUgraph ended = nullptr;
  OK(cu.cuStreamEndCapture(stream, &ended));
  EXPECT_EQ(bodies[0], ended);
  run(instantiate(graph));
  EXPECT_EQ(4u, word(p));
}

TEST_F(Conditionals, UpdatesTakeTheConditionsOfTheNewGraph) {
  CUdeviceptr p = words(2);
  CUgraphExec executable = instantiate(make_loop(p, 2));
  run(executable);
  CUgraphExecUpdateResultInfo info{};
  OK(cu.cuGraphExecUpdate_v2(executable, make_loop(p, 5), &info));
  run(executable);
  EXPECT_EQ(7u, word(p + 4));
}

TEST_F(Conditionals, ABodyStaysWhileACaptureFillsIt) {
  CUgraph graph = make_graph(), ended = nullptr;
  CUdeviceptr p = words(1);
  CUgraphNode node = nullptr;
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto bodies = add_conditional(graph, {}, condition, CU_GRAPH_COND_TYPE_IF, 1, &node);
  CUstream stream = make_stream();
  unsigned value = 4;
  OK(cu.cuStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                    CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(launch("increase", {&p, &value}, 1, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroyNode(node));
  OK(launch("increase", {&p, &value}, 1, stream));
  OK(cu.cuStreamEndCapture(stream, &ended));
  EXPECT_EQ(bodies[0], ended);
  run(instantiate(graph));
  EXPECT_EQ(8u, word(p));
}

TEST_F(Conditionals, ARefusedNodeLeavesNothing) {
  CUgraph graph = make_graph(), child = make_graph();
  auto condition = make_condition(graph);
  CUgraphNode empty = add_empty(graph), node = nullptr;
  const CUgraphNode twice[] = {empty, empty};
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional = {condition, CU_GRAPH_COND_TYPE_IF, 2, nullptr, context};
  const uint64_t before = live("graphs");
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddNode(&node, graph, twice, 2, &params));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphAddChildGraphNode(&node, graph, twice, 2, child));
  EXPECT_EQ(before, live("graphs"));
  OK(cu.cuGraphAddNode(&node, graph, twice, 1, &params));
  EXPECT_EQ(before + 2, live("graphs"));
}

TEST_F(Conditionals, DefaultsOutliveTheirGraph) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  auto condition = make_condition(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  auto bodies = add_conditional(graph, {}, condition, CU_GRAPH_COND_TYPE_IF, 1);
  add_increase(bodies[0], {}, p, 1);
  CUgraphExec executable = instantiate(graph);
  OK(cu.cuGraphDestroy(graph));
  run(executable);
  run(executable);
  EXPECT_EQ(2u, word(p));
}

TEST_F(Conditionals, LoopsOutliveTheirGraph) {
  CUdeviceptr p = words(2);
  CUgraph graph = make_loop(p, 3);
  CUgraphExec executable = instantiate(graph);
  OK(cu.cuGraphDestroy(graph));
  run(executable);
  run(executable);
  EXPECT_EQ((std::vector<unsigned>{0, 6}), read(p, 2));
}

TEST_F(Conditionals, ValuesOfKernelsOutliveTheirGraph) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(3);
  auto condition = make_condition(graph);
  unsigned mask = 1;
  CUgraphNode decide = add_kernel(graph, {}, "decide", {&condition, &p, &mask});
  auto bodies = add_conditional(graph, {decide}, condition, CU_GRAPH_COND_TYPE_SWITCH, 2);
  for (unsigned i = 0; i < 2; ++i) add_increase(bodies[i], {}, p + 4 + 4 * i, 1);
  CUgraphExec executable = instantiate(graph);
  OK(cu.cuGraphDestroy(graph));
  for (unsigned value : {0u, 1u, 1u}) {
    OK(cu.cuMemsetD32_v2(p, value, 1));
    run(executable);
  }
  EXPECT_EQ((std::vector<unsigned>{1, 1, 2}), read(p, 3));
}

TEST_F(Conditionals, OutliveTheGraphOfAnUpdate) {
  CUdeviceptr p = words(2);
  CUgraphExec executable = instantiate(make_loop(p, 2));
  CUgraph other = make_loop(p, 5);
  CUgraphExecUpdateResultInfo info{};
  OK(cu.cuGraphExecUpdate_v2(executable, other, &info));
  OK(cu.cuGraphDestroy(other));
  run(executable);
  EXPECT_EQ(5u, word(p + 4));
}

TEST_F(Conditionals, LaunchesInFlightKeepThem) {
  CUdeviceptr p = words(2);
  CUgraphConditionalHandle condition = 0;
  CUgraph graph = make_loop(p, 3, &condition);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuGraphExecDestroy(executable));
  OK(cu.cuGraphDestroy(graph));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(3u, word(p + 4));
  unsigned mask = 1;  // they end with the launch
  void* parameters[] = {&condition, &p, &mask};
  OK(cu.cuLaunchKernel(kernel("decide"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
}

TEST_F(Conditionals, LaunchesInFlightKeepThoseBeforeAnUpdate) {
  CUdeviceptr p = words(2);
  CUgraph graph = make_loop(p, 3), other = make_loop(p, 5);
  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  CUgraphExecUpdateResultInfo info{};
  OK(cu.cuGraphExecUpdate_v2(executable, other, &info));
  OK(cu.cuGraphDestroy(graph));
  OK(cu.cuGraphDestroy(other));
  OK(cu.cuGraphLaunch(executable, stream));
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(8u, word(p + 4));
}

}  // namespace
}  // namespace cutest
