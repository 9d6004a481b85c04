// SPDX-License-Identifier: Apache-2.0
// Random graphs against their work in sequential order: kernels, copies, fills, child graphs and
// conditional nodes up to depth 3. Edges order only what conflicts, so the rest runs side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <set>

#include "condition_kernels.hpp"
#include "graph_testing.hpp"

namespace random_graphs {
namespace {

using namespace capi_test;

constexpr size_t BUFFERS = 5;
constexpr uint32_t ELEMENTS = 64;
constexpr size_t SIZE = ELEMENTS * sizeof(float);
constexpr int DEPTH = 3;

using World = std::array<std::vector<float>, BUFFERS>;
using Step = std::function<void(World&)>;

// The buffers that a node reads and writes.
struct Uses {
  std::set<size_t> reads, writes;
  void add(const Uses& other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
  }
  bool conflicts_with(const Uses& other) const {
    const auto meet = [](const std::set<size_t>& a, const std::set<size_t>& b) {
      return std::ranges::any_of(a, [&](size_t each) { return b.contains(each); });
    };
    return meet(writes, other.writes) || meet(writes, other.reads) || meet(reads, other.writes);
  }
};

// A graph, its work in the order of adding, and the buffers that it uses.
struct Model {
  std::vector<Step> steps;
  Uses uses;
  void run(World& world) const {
    for (const Step& step : steps) step(world);
  }
};

class RandomGraphs : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    if (!runs_kernels()) GTEST_SKIP() << "the scripted driver runs no kernel";
    counter_ = make_code(CUCORE_CODE_TYPE_PTX, CONDITION_KERNELS, std::strlen(CONDITION_KERNELS));
    count_down_ = find_kernel(counter_, "count_down");
    for (Buffer& buffer : buffers_) buffer = make_buffer(device_, SIZE, stream_);
  }
  void TearDown() override {
    for (Buffer& buffer : buffers_) buffer.reset();
    counts_.clear();
    count_down_.reset(), counter_.reset();
    OnGraph::TearDown();
  }

  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  std::pair<size_t, size_t> pick_two() {
    const size_t one = pick(BUFFERS);
    return {one, (one + 1 + pick(BUFFERS - 1)) % BUFFERS};
  }

  // The nodes of one graph so far, for the order of what conflicts.
  struct Place {
    const cucore_graph* graph;
    std::vector<std::pair<cucore_node, Uses>> nodes = {};
    bool has_conditions = true;  // whether nodes can be conditional
    // Whether a node can be a loop. A condition is reset at the launch, so a loop in a loop would
    // run in the first turn only.
    bool has_loops = true;

    cucore_graph* handle() const { return const_cast<cucore_graph*>(graph); }
    Nodes before(const Uses& uses) const {
      Nodes found;
      for (const auto& [node, other] : nodes)
        if (uses.conflicts_with(other)) found.push_back(node);
      return found;
    }
  };

  void add_kernel(Place& place, Model& model) {
    const auto [from, to] = pick_two();
    const float a = static_cast<float>(pick(5)) - 2;
    const Uses uses{{from, to}, {to}};
    const Nodes after = place.before(uses);
    const uint32_t n = ELEMENTS;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                         {buffers_[from], CUCORE_ARGUMENT_OBJECT},
                                         {buffers_[to], CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(2, 32);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, place.handle(), after.data(), after.size(), saxpy_, &options,
         arguments, 4, &node);
    model.steps.push_back([from = from, to = to, a](World& world) {
      for (uint32_t i = 0; i < ELEMENTS; ++i)
        world[to][i] = std::fma(a, world[from][i], world[to][i]);
    });
    finish(place, model, node, uses);
  }
  void add_copy(Place& place, Model& model) {
    const auto [from, to] = pick_two();
    const uint32_t at = pick(ELEMENTS / 2), count = 1 + pick(ELEMENTS / 2);
    const Uses uses{{from}, {to}};
    const Nodes after = place.before(uses);
    cucore_node node = 0;
    MUST(cucore_graph_add_copy, place.handle(), after.data(), after.size(), buffers_[to], at * 4,
         buffers_[from], 0, count * 4, &node);
    model.steps.push_back([from = from, to = to, at, count](World& world) {
      std::copy_n(world[from].begin(), count, world[to].begin() + at);
    });
    finish(place, model, node, uses);
  }
  void add_fill(Place& place, Model& model) {
    const size_t to = pick(BUFFERS);
    const float value = static_cast<float>(pick(9)) - 4;
    const uint32_t at = pick(ELEMENTS / 2), count = 1 + pick(ELEMENTS / 2);
    const Uses uses{{}, {to}};
    const Nodes after = place.before(uses);
    cucore_node node = 0;
    MUST(cucore_graph_add_fill, place.handle(), after.data(), after.size(), buffers_[to], at * 4,
         count * 4, &value, 4, &node);
    model.steps.push_back([to, at, count, value](World& world) {
      std::fill_n(world[to].begin() + at, count, value);
    });
    finish(place, model, node, uses);
  }
  void add_child(Place& place, Model& model, int depth) {
    const Graph child = make_graph(device_);
    const Model inner = fill_graph({child, {}, false}, depth + 1);
    const Nodes after = place.before(inner.uses);
    cucore_node node = 0;
    MUST(cucore_graph_add_child, place.handle(), after.data(), after.size(), child, &node);
    model.steps.push_back([inner](World& world) { inner.run(world); });
    finish(place, model, node, inner.uses);
  }
  // An IF, with or without an else, or a SWITCH. The value is decided at the launch.
  void add_choice(Place& place, Model& model, int depth) {
    const bool is_switch = pick(2) == 0;
    const size_t count = 1 + pick(is_switch ? 3 : 2);
    const uint32_t value = pick(4);
    uint64_t condition = 0;
    MUST(cucore_graph_add_condition, place.handle(), value, 1, &condition);
    add_conditional(place, model, depth, condition,
                    is_switch ? CUCORE_CONDITIONAL_SWITCH : CUCORE_CONDITIONAL_IF, count,
                    [=](const std::vector<Model>& bodies, World& world) {
                      const size_t index = is_switch ? value : value == 0;
                      if (index < bodies.size()) bodies[index].run(world);
                    });
  }
  // A WHILE. Its body counts down in memory of its own, which is filled before.
  void add_loop(Place& place, Model& model, int depth) {
    const uint32_t turns = 1 + pick(3);
    counts_.push_back(make_buffer(device_, 4, stream_));
    cucore_buffer* const left = counts_.back();
    uint64_t condition = 0;
    MUST(cucore_graph_add_condition, place.handle(), 1, 1, &condition);
    cucore_node first = 0;
    MUST(cucore_graph_add_fill, place.handle(), nullptr, 0, left, 0, 4, &turns, 4, &first);
    const cucore_node node = add_conditional(
        place, model, depth, condition, CUCORE_CONDITIONAL_WHILE, 1,
        [turns](const std::vector<Model>& bodies, World& world) {
          for (uint32_t turn = 0; turn < turns; ++turn) bodies[0].run(world);
        },
        first);
    Graph body;
    MUST(cucore_graph_child, place.handle(), node, 0, body.out());
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(condition),
                                         {left, CUCORE_ARGUMENT_OBJECT}};
    const cucore_launch_options options = grid(1, 1);
    cucore_node counts = 0;
    MUST(cucore_graph_add_kernel, body, nullptr, 0, count_down_, &options, arguments, 2, &counts);
  }

  template <class Run>
  cucore_node add_conditional(Place& place, Model& model, int depth, uint64_t condition,
                              cucore_conditional kind, size_t count, Run run,
                              cucore_node first = 0) {
    std::vector<cucore_graph*> bodies(count);
    cucore_node node = 0;
    MUST(cucore_graph_add_conditional, place.handle(), nullptr, 0, condition, kind, count,
         bodies.data(), &node);
    std::vector<Model> inner;
    Uses uses;
    for (cucore_graph* const handle : bodies) {
      Graph body;
      *body.out() = handle;
      const bool may_loop = place.has_loops && kind != CUCORE_CONDITIONAL_WHILE;
      inner.push_back(fill_graph({body, {}, true, may_loop}, depth + 1));
      uses.add(inner.back().uses);
    }
    Nodes after = place.before(uses);
    if (first) after.push_back(first);
    for (const cucore_node each : after) MUST(cucore_graph_add_edge, place.handle(), each, node, 0);
    model.steps.push_back([inner, run](World& world) { run(inner, world); });
    finish(place, model, node, uses);
    return node;
  }

  static void finish(Place& place, Model& model, cucore_node node, const Uses& uses) {
    place.nodes.emplace_back(node, uses);
    model.uses.add(uses);
  }

  Model fill_graph(Place place, int depth) {
    Model model;
    const size_t count = 1 + pick(depth == 0 ? 12 : 4);
    for (size_t i = 0; i < count; ++i) {
      const size_t kind = pick(depth < DEPTH ? 10 : 6);
      if (kind < 3)
        add_kernel(place, model);
      else if (kind < 5)
        add_copy(place, model);
      else if (kind < 6)
        add_fill(place, model);
      else if (kind < 7 || !place.has_conditions || !has_conditions_)
        add_child(place, model, depth);
      else if (kind < 9 || !place.has_loops)
        add_choice(place, model, depth);
      else
        add_loop(place, model, depth);
    }
    return model;
  }

  World reset_buffers() {
    World world;
    for (size_t b = 0; b < BUFFERS; ++b) {
      for (uint32_t i = 0; i < ELEMENTS; ++i) world[b].push_back(static_cast<float>(pick(7)) - 3);
      MUST(cucore_buffer_write, buffers_[b], 0, world[b].data(), SIZE, stream_);
    }
    return world;
  }
  World read_buffers() const {
    World world;
    for (size_t b = 0; b < BUFFERS; ++b) {
      world[b].resize(ELEMENTS);
      MUST(cucore_buffer_read, buffers_[b], 0, world[b].data(), SIZE, stream_);
    }
    return world;
  }

  std::mt19937 random_;
  std::array<Buffer, BUFFERS> buffers_;
  std::vector<Buffer> counts_;
  Code counter_;
  Kernel count_down_;
  bool has_conditions_ = true;
};

TEST_F(RandomGraphs, DoTheWorkOfTheirSequentialOrder) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    random_.seed(seed);
    const Graph graph = make_graph(device_);
    const Model model = fill_graph({graph}, 0);
    const Executable executable = make_executable(graph);
    for (int launch = 0; launch < 2; ++launch) {
      World expected = reset_buffers();
      model.run(expected);
      MUST(cucore_executable_launch, executable, stream_);
      const World found = read_buffers();
      for (size_t b = 0; b < BUFFERS; ++b)
        ASSERT_EQ(std::memcmp(found[b].data(), expected[b].data(), SIZE), 0)
            << "seed " << seed << ", launch " << launch << ", buffer " << b << "\n"
            << dot(graph);
    }
    counts_.clear();
  }
}

}  // namespace
}  // namespace random_graphs
