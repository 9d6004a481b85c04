// SPDX-License-Identifier: Apache-2.0
// Graphs and executables in the reports of leaks: of sessions, of contexts, and their counts.
#include <algorithm>
#include <cstring>

#include "cpu/driver/session_table.hpp"
#include "graph_test.hpp"

namespace cutest {
namespace {

class GraphLeaks : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    CUuuid id;
    std::memcpy(id.bytes, CUCORE_CPU_SESSIONS_ID, sizeof id.bytes);
    OK(cu.cuGetExportTable(reinterpret_cast<const void**>(&table_), &id));
  }
  void TearDown() override {
    table_->end();
    GraphTest::TearDown();
  }
  void begin() { OK(table_->begin("leak", 0, nullptr, nullptr, nullptr)); }
  template <class Read>
  std::string text_of(Read read) {
    size_t length = 0;
    EXPECT_CU(0, read(nullptr, 0, &length));
    std::string text(length + 1, 0);
    EXPECT_CU(0, read(text.data(), text.size(), nullptr));
    text.resize(length);
    return text;
  }
  // The calls and objects of the reports, sorted, such as "cuGraphCreate graph".
  std::vector<std::string> leaks() {
    const std::string text = text_of(cu.control().check_text);
    std::vector<std::string> found;
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = text.substr(at, end - at);
      const size_t call = line.find("leak: ") + 6, object = line.find(": ", call);
      found.push_back(line.substr(call, line.find(" 0x") - call));
      EXPECT_NE(object, std::string::npos) << line;
      EXPECT_NE(line.find(" was not destroyed"), std::string::npos) << line;
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static size_t reports(const std::string& json) {
    size_t count = 0;
    for (size_t at = 0; (at = json.find("\"kind\":\"leak\"", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }
  // The counts of graphs and executables that ended contexts have left.
  std::string counts() {
    const std::string text = text_of(cu.control().report);
    const std::string leaked = text.substr(text.find("\"leaked\""));
    std::string found;
    for (const char* kind : {"\"graphs\":", "\"executables\":"})
      found += leaked.substr(leaked.find(kind) + std::strlen(kind), 2);
    return found;
  }
  CUgraph create() {
    CUgraph graph = nullptr;
    EXPECT_CU(0, cu.cuGraphCreate(&graph, 0));
    return graph;
  }
  CUgraph clone(CUgraph original) {
    CUgraph graph = nullptr;
    EXPECT_CU(0, cu.cuGraphClone(&graph, original));
    return graph;
  }
  CUgraphExec make_executable(CUgraph graph) {
    CUgraphExec executable = nullptr;
    EXPECT_CU(0, cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
    return executable;
  }

  const cucore_cpu_sessions* table_ = nullptr;
};

// A session reports what the program has made in it and must destroy, with the call.
TEST_F(GraphLeaks, OfASession) {
  const CUgraph before = make_graph();
  const CUstream stream = make_stream(), unfinished = make_stream(), into = make_stream();
  const CUdeviceptr p = words(1);
  OK(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  begin();
  const CUgraph graph = create();
  add_increase(graph, {}, p, 1);
  const CUgraph copy = clone(graph);
  CUgraph captured = nullptr, same = nullptr;
  OK(cu.cuStreamEndCapture(stream, &captured));
  OK(cu.cuStreamBeginCapture_v2(unfinished, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cu.cuStreamBeginCaptureToGraph(into, before, nullptr, nullptr, 0,
                                    CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cu.cuStreamEndCapture(into, &same));
  EXPECT_EQ(same, before);
  const CUgraphExec executable = make_executable(graph), ended = make_executable(graph);
  OK(cu.cuGraphExecDestroy(ended));
  OK(cu.cuGraphDestroy(create()));
  OK(table_->end());
  const std::string json = text_of(table_->json);
  for (const char* part :
       {"cuGraphCreate", "cuGraphClone", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"})
    EXPECT_NE(json.find("\"kernel\":\"" + std::string(part) + '"'), std::string::npos) << json;
  EXPECT_EQ(reports(json), 4u) << json;
  for (const char* part : {"graph 0x", "executable graph 0x", "of cuStreamEndCapture"})
    EXPECT_NE(json.find(part), std::string::npos) << json;
  OK(cu.cuStreamEndCapture(unfinished, &same));
  for (const CUgraph each : {graph, copy, captured, same}) OK(cu.cuGraphDestroy(each));
  OK(cu.cuGraphExecDestroy(executable));
}

// Children and bodies end with their nodes, also those that a node has taken over.
TEST_F(GraphLeaks, NotOfNodes) {
  const CUgraph graph = make_graph(), inner = make_graph();
  add_empty(inner);
  begin();
  CUgraphNode node = nullptr;
  OK(cu.cuGraphAddChildGraphNode(&node, graph, nullptr, 0, inner));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph = {create(), CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  OK(cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  const CUgraph copy = clone(graph);  // with two children
  CUgraphConditionalHandle condition = 0;
  OK(cu.cuGraphConditionalHandleCreate(&condition, graph, context, 0, 0));
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = condition;
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 2;
  params.conditional.ctx = context;
  OK(cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  OK(table_->end());
  const std::string json = text_of(table_->json);
  EXPECT_EQ(reports(json), 1u) << json;
  EXPECT_NE(json.find("\"kernel\":\"cuGraphClone\""), std::string::npos) << json;
  OK(cu.cuGraphDestroy(copy));
}

// A context reports what was made while it was current, once, and the handles stay valid.
TEST_F(GraphLeaks, OfAContext) {
  OK(cu.control().reset_report());
  OK(cu.control().clear_checks());
  OK(cu.control().set_checks("leak", 0));
  const CUgraph outside = create();
  CUcontext other = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  const CUgraph graph = create(), copy = clone(graph);
  const CUgraphExec executable = make_executable(graph);
  OK(cu.cuGraphDestroy(create()));
  OK(cu.cuCtxDestroy_v2(other));
  EXPECT_EQ(leaks(), (std::vector<std::string>{"cuGraphClone: graph", "cuGraphCreate: graph",
                                               "cuGraphInstantiateWithFlags: executable graph"}));
  EXPECT_EQ(counts(), "2,1,");
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cu.cuCtxDestroy_v2(other));
  EXPECT_EQ(counts(), "2,1,");
  for (const CUgraph each : {outside, graph, copy}) OK(cu.cuGraphDestroy(each));
  OK(cu.cuGraphExecDestroy(executable));
  OK(cu.control().set_checks("", 0));
  OK(cu.control().clear_checks());
  OK(cu.cuCtxSetCurrent(context));
}

// A primary context begins anew after its end.
TEST_F(GraphLeaks, OfAPrimaryContextOnce) {
  OK(cu.control().reset_report());
  CUgraph graph = nullptr;
  for (const char* expected : {"1,0,", "1,0,"}) {
    CUcontext primary = nullptr;
    OK(cu.cuDevicePrimaryCtxRetain(&primary, 1));
    OK(cu.cuCtxSetCurrent(primary));
    if (!graph) graph = create();
    OK(cu.cuDevicePrimaryCtxRelease_v2(1));
    EXPECT_EQ(counts(), expected);
  }
  OK(cu.cuGraphDestroy(graph));
  OK(cu.cuCtxSetCurrent(context));
}

// Without a current context, only sessions report a graph.
TEST_F(GraphLeaks, WithoutAContext) {
  begin();
  OK(cu.cuCtxSetCurrent(nullptr));
  const CUgraph graph = create();
  OK(cu.cuCtxSetCurrent(context));
  OK(table_->end());
  EXPECT_EQ(reports(text_of(table_->json)), 1u);
  OK(cu.cuGraphDestroy(graph));
}

}  // namespace
}  // namespace cutest
