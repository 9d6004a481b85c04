// SPDX-License-Identifier: Apache-2.0
// Random graphs with kernels, copies, fills, children and conditionals leave the words that the
// same program leaves in order on the host. Rounds of graphs leave no memory behind.
#include <cstdlib>
#include <fstream>
#include <random>

#include "graph_test.hpp"

namespace cutest {
namespace {

constexpr unsigned WORDS = 12;  // that operations use; counters of loops are behind them
constexpr unsigned COUNTERS = 64;
constexpr unsigned DEPTH = 3;

enum class Kind : uint8_t { MIX, JOIN, COPY, FILL, CHILD, IF, SWITCH, WHILE };

struct Operation {
  Kind kind{};
  unsigned to = 0, from = 0, value = 0;
  std::vector<std::vector<Operation>> parts;
};
using Program = std::vector<Operation>;
using Memory = std::vector<unsigned>;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  Program program(unsigned depth, bool in_child) {
    Program made(1 + pick(depth == 0 ? 14 : 4));
    for (Operation& o : made) o = operation(depth, in_child);
    return made;
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Operation operation(unsigned depth, bool in_child) {
    Operation o;
    // A child may hold no conditionals.
    const unsigned kinds = depth == DEPTH || counters_ == COUNTERS ? 4 : in_child ? 5 : 8;
    o.kind = static_cast<Kind>(pick(kinds));
    o.to = pick(WORDS);
    o.from = pick(WORDS);
    o.value = 1 + pick(1000);
    unsigned parts = 0;
    if (o.kind == Kind::CHILD || o.kind == Kind::WHILE) parts = 1;
    if (o.kind == Kind::IF) parts = 1 + pick(2);
    if (o.kind == Kind::SWITCH) parts = 1 + pick(3);
    if (o.kind == Kind::WHILE) {
      o.to = WORDS + counters_++;
      o.value = 1 + pick(3);
    }
    for (unsigned i = 0; i < parts; ++i)
      o.parts.push_back(program(depth + 1, in_child || o.kind == Kind::CHILD));
    return o;
  }

  std::mt19937 random_;
  unsigned counters_ = 0;
};

void simulate(const Program& program, Memory& m) {
  for (const Operation& o : program) {
    switch (o.kind) {
      case Kind::MIX:
        m[o.to] = m[o.to] * 3 + o.value;
        break;
      case Kind::JOIN:
        m[o.to] += m[o.from];
        break;
      case Kind::COPY:
        m[o.to] = m[o.from];
        break;
      case Kind::FILL:
        m[o.to] = o.value;
        break;
      case Kind::CHILD:
        simulate(o.parts[0], m);
        break;
      case Kind::IF:
        if (m[o.from] & 1)
          simulate(o.parts[0], m);
        else if (o.parts.size() > 1)
          simulate(o.parts[1], m);
        break;
      case Kind::SWITCH:
        if (unsigned value = m[o.from] & 3; value < o.parts.size()) simulate(o.parts[value], m);
        break;
      case Kind::WHILE:
        for (m[o.to] = o.value; m[o.to] != 0; --m[o.to]) simulate(o.parts[0], m);
        break;
    }
  }
}

struct Uses {
  uint64_t reads[2] = {}, writes[2] = {};
  static void set(uint64_t (&bits)[2], unsigned i) { bits[i / 64] |= uint64_t{1} << i % 64; }
  void add(const Uses& o) {
    for (int i = 0; i < 2; ++i) {
      reads[i] |= o.reads[i];
      writes[i] |= o.writes[i];
    }
  }
  bool conflicts(const Uses& o) const {
    for (int i = 0; i < 2; ++i)
      if ((writes[i] & (o.reads[i] | o.writes[i])) || (reads[i] & o.writes[i])) return true;
    return false;
  }
};

Uses uses_of(const Operation& o) {
  Uses uses;
  const bool has_source =
      o.kind == Kind::JOIN || o.kind == Kind::COPY || o.kind == Kind::IF || o.kind == Kind::SWITCH;
  if (has_source) Uses::set(uses.reads, o.from);
  if (o.kind <= Kind::FILL || o.kind == Kind::WHILE) Uses::set(uses.writes, o.to);
  for (const Program& part : o.parts)
    for (const Operation& inner : part) uses.add(uses_of(inner));
  return uses;
}

class RandomGraphs : public GraphTest {
 protected:
  CUdeviceptr at(unsigned word) const { return memory + 4 * word; }

  std::vector<CUgraph> conditional(CUgraph graph, CUgraphNode before, uint64_t condition,
                                   CUgraphConditionalNodeType type, size_t size,
                                   CUgraphNode* node) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional = {condition, type, static_cast<unsigned>(size), nullptr, context};
    EXPECT_CU(0, cu.cuGraphAddNode(node, graph, &before, 1, &params));
    return {params.conditional.phGraph_out, params.conditional.phGraph_out + size};
  }

  CUgraphNode branch(CUgraph graph, const std::vector<CUgraphNode>& before, const Operation& o) {
    CUgraphConditionalHandle condition = 0;
    EXPECT_CU(0, cu.cuGraphConditionalHandleCreate(&condition, root, context, 0, 0));
    CUdeviceptr source = at(o.from);
    unsigned mask = o.kind == Kind::IF ? 1 : 3;
    CUgraphNode decide = add_kernel(graph, before, "decide", {&condition, &source, &mask});
    CUgraphNode node = nullptr;
    auto bodies =
        conditional(graph, decide, condition,
                    o.kind == Kind::IF ? CU_GRAPH_COND_TYPE_IF : CU_GRAPH_COND_TYPE_SWITCH,
                    o.parts.size(), &node);
    for (size_t i = 0; i < bodies.size(); ++i) emit(bodies[i], o.parts[i]);
    return node;
  }

  CUgraphNode loop(CUgraph graph, const std::vector<CUgraphNode>& before, const Operation& o) {
    CUgraphConditionalHandle condition = 0;
    EXPECT_CU(0, cu.cuGraphConditionalHandleCreate(&condition, root, context, 0, 0));
    CUdeviceptr counter = at(o.to);
    unsigned mask = ~0u;
    CUgraphNode start = add_fill(graph, before, counter, o.value);
    CUgraphNode decide = add_kernel(graph, {start}, "decide", {&condition, &counter, &mask});
    CUgraphNode node = nullptr;
    auto bodies = conditional(graph, decide, condition, CU_GRAPH_COND_TYPE_WHILE, 1, &node);
    auto ends = emit(bodies[0], o.parts[0]);
    add_kernel(bodies[0], ends, "countdown", {&condition, &counter});
    return node;
  }

  CUgraphNode emit_one(CUgraph graph, const std::vector<CUgraphNode>& before, const Operation& o) {
    CUdeviceptr to = at(o.to), from = at(o.from);
    unsigned value = o.value;
    switch (o.kind) {
      case Kind::MIX:
        return add_kernel(graph, before, "mix", {&to, &value});
      case Kind::JOIN:
        return add_kernel(graph, before, "join", {&to, &from});
      case Kind::COPY:
        return add_copy(graph, before, to, from, 4);
      case Kind::FILL:
        return add_fill(graph, before, to, value);
      case Kind::CHILD: {
        CUgraph child = make_graph();
        emit(child, o.parts[0]);
        CUgraphNode node = nullptr;
        EXPECT_CU(0,
                  cu.cuGraphAddChildGraphNode(&node, graph, before.data(), before.size(), child));
        return node;
      }
      case Kind::WHILE:
        return loop(graph, before, o);
      default:
        return branch(graph, before, o);
    }
  }

  // Each operation comes after those that it conflicts with. Returns all nodes.
  std::vector<CUgraphNode> emit(CUgraph graph, const Program& program) {
    std::vector<CUgraphNode> nodes;
    std::vector<Uses> uses;
    for (const Operation& o : program) {
      const Uses now = uses_of(o);
      std::vector<CUgraphNode> before;
      for (size_t i = 0; i < nodes.size(); ++i)
        if (now.conflicts(uses[i])) before.push_back(nodes[i]);
      nodes.push_back(emit_one(graph, before, o));
      uses.push_back(now);
    }
    return nodes;
  }

  void compare(unsigned first, unsigned count, const char* schedule) {
    OK(cu.control().set_schedule(schedule));
    memory = words(WORDS + COUNTERS);
    for (unsigned seed = first; seed < first + count; ++seed) {
      const Program program = Generator(seed).program(0, false);
      OK(cu.cuGraphCreate(&root, 0));
      emit(root, program);
      CUgraphExec executable = nullptr;
      OK(cu.cuGraphInstantiateWithFlags(&executable, root, 0));
      Memory expected(WORDS + COUNTERS, seed);
      OK(cu.cuMemsetD32_v2(memory, seed, WORDS + COUNTERS));
      for (int launch = 0; launch < 2; ++launch) {
        run(executable);
        simulate(program, expected);
      }
      ASSERT_EQ(expected, read(memory, WORDS + COUNTERS)) << "seed " << seed << ' ' << schedule;
      OK(cu.cuGraphExecDestroy(executable));
      OK(cu.cuGraphDestroy(root));
    }
  }

  void TearDown() override {
    cu.control().set_schedule("parallel");
    GraphTest::TearDown();
  }
  CUdeviceptr memory = 0;
  CUgraph root = nullptr;
};

TEST_F(RandomGraphs, InParallel) { compare(0, 300, "parallel"); }
TEST_F(RandomGraphs, InSequence) { compare(0, 300, "sequential"); }
TEST_F(RandomGraphs, InRandomOrder) { compare(300, 100, "random:5"); }

size_t resident_bytes() {
  size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

TEST_F(RandomGraphs, RoundsLeaveNothingBehind) {
  CUdeviceptr p = words(1);
  CUstream stream = make_stream();
  auto round = [&] {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    OK(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    unsigned one = 1;
    for (int i = 0; i < 10; ++i) OK(launch("increase", {&p, &one}, 1, stream));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cu.cuGraphLaunch(executable, stream));
    OK(cu.cuGraphExecDestroy(executable));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuStreamSynchronize(stream));
  };
  for (int i = 0; i < 200; ++i) round();
  const size_t before = resident_bytes();
  const uint64_t nodes = live("graph_nodes"), graphs = live("graphs");
  for (int i = 0; i < 2000; ++i) round();
  EXPECT_EQ(nodes, live("graph_nodes"));
  EXPECT_EQ(graphs, live("graphs"));
  EXPECT_EQ(0u, live("executables"));
  EXPECT_LT(resident_bytes(), before + (8u << 20));
}

}  // namespace
}  // namespace cutest
