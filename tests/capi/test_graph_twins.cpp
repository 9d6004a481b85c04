// SPDX-License-Identifier: Apache-2.0
// Kernel nodes by hand and captured ones are the same. An update compares them: the executable of
// one graph takes the nodes of the other only if their attributes are the same.
#include <array>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

// Writes the first and the last word of 8192 bytes of parameters; drivers allow more than 4 KB from
// CUDA 12.1 on.
constexpr const char* LARGE = R"(.version 8.1
.target sm_75
.address_size 64
.visible .entry large(.param .u64 out, .param .align 8 .b8 block[8192]) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [block];
  ld.param.u32 %r2, [block+8188];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  ret;
}
)";

class GraphTwins : public OnGraph {
 protected:
  using Block = std::array<uint32_t, 2048>;
  using Words = std::array<uint32_t, 2>;

  static Block block_of(uint32_t first) {
    Block block;
    for (size_t i = 0; i < block.size(); ++i) block[i] = first + static_cast<uint32_t>(i);
    return block;
  }
  Words read(const cucore_buffer* buffer) const {
    Words words{};
    MUST(cucore_buffer_read, buffer, 0, words.data(), sizeof words, stream_);
    return words;
  }
  void run_graph(const cucore_graph* graph) const { launch(make_executable(graph)); }
};

TEST_F(GraphTwins, HaveMoreThanFourKilobytesOfParameters) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  const Kernel large =
      find_kernel(make_code(CUCORE_CODE_TYPE_PTX, LARGE, std::strlen(LARGE)), "large");
  const Buffer out = make_buffer(device_, sizeof(Words), stream_);
  Block block = block_of(100);
  const cucore_argument arguments[] = {{out, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(block)};
  const cucore_launch_options options = grid(1, 1);
  cucore_node by_hand = 0;
  SUCCEEDS(cucore_graph_add_kernel, graph_, nullptr, 0, large, &options, arguments, 2, &by_hand);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  SUCCEEDS(cucore_kernel_launch, large, stream_, &options, arguments, 2);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  block.fill(0);  // both have copies
  run_graph(graph_);
  EXPECT_EQ(read(out), (Words{100, 100 + 2047}));
  const float zero = 0;
  SUCCEEDS(cucore_buffer_fill, out, 0, sizeof(Words), &zero, sizeof zero, stream_);
  run_graph(captured);
  EXPECT_EQ(read(out), (Words{100, 100 + 2047}));

  // One node each, and each updates an executable of the other.
  ASSERT_EQ(cucore_graph_node_count(captured), 1U);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, captured, 0, &node);
  EXPECT_EQ(query(captured, node).kind, CUCORE_NODE_KIND_KERNEL);
  const Executable executable = make_executable(captured);
  block = block_of(7);
  SUCCEEDS(cucore_graph_set_kernel, graph_, by_hand, nullptr, nullptr, arguments, 2);
  SUCCEEDS(cucore_executable_update, executable, graph_, nullptr);
  launch(executable);
  EXPECT_EQ(read(out), (Words{7, 7 + 2047}));
}

TEST_F(GraphTwins, CheckAndCopyLargeParameters) {
  if (fake_) GTEST_SKIP() << "the scripted driver reads no parameters of this image";
  const Kernel large =
      find_kernel(make_code(CUCORE_CODE_TYPE_PTX, LARGE, std::strlen(LARGE)), "large");
  const Buffer out = make_buffer(device_, sizeof(Words), stream_);
  Block block = block_of(1);
  cucore_argument arguments[] = {{out, CUCORE_ARGUMENT_OBJECT}, {&block, sizeof block - 8}};
  const cucore_launch_options options = grid(1, 1);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "argument 1 of kernel large has 8184 bytes, the kernel's parameter has 8192 bytes",
        cucore_graph_add_kernel, graph_, nullptr, 0, large, &options, arguments, 2, &node);
  arguments[1].size = sizeof block;
  SUCCEEDS(cucore_graph_add_kernel, graph_, nullptr, 0, large, &options, arguments, 2, &node);
  Graph clone;
  SUCCEEDS(cucore_graph_clone, graph_, clone.out());
  // New options alone leave the values, which a copy of the node's work has.
  const cucore_launch_options wider = grid(1, 32);
  SUCCEEDS(cucore_graph_set_kernel, clone, node, nullptr, &wider, nullptr, 0);
  block.fill(0);
  graph_ = make_graph(device_);
  run_graph(clone);
  EXPECT_EQ(read(out), (Words{1, 2048}));
}

// Writes the last of twenty parameters to the first.
std::string kernel_of_many() {
  std::string parameters;
  for (int i = 0; i < 20; ++i)
    parameters += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  return ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry many(" + parameters +
         ") {\n .reg .b64 %r<3>;\n ld.param.u64 %r1, [p0];\n ld.param.u64 %r2, [p19];\n"
         " cvta.to.global.u64 %r1, %r1;\n st.global.u64 [%r1], %r2;\n ret;\n}\n";
}

TEST_F(GraphTwins, CopyManyParameters) {
  if (fake_) GTEST_SKIP() << "the scripted driver runs no kernel";
  const std::string text = kernel_of_many();
  const Kernel many =
      find_kernel(make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size() + 1), "many");
  const Buffer out = make_buffer(device_, sizeof(Words), stream_);
  uint64_t value = uint64_t{7} << 32 | 5;
  std::vector<cucore_argument> arguments(20, CUCORE_ARGUMENT(value));
  for (const size_t i : {0, 1, 5, 18}) arguments[i] = {out, CUCORE_ARGUMENT_OBJECT};
  const cucore_launch_options options = grid(1, 1);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_kernel, graph_, nullptr, 0, many, &options, arguments.data(),
           arguments.size(), &node);
  value = 0;
  run_graph(graph_);
  EXPECT_EQ(read(out), (Words{5, 7}));
  const cucore_launch_options wider = grid(1, 32);
  SUCCEEDS(cucore_graph_set_kernel, graph_, node, nullptr, &wider, nullptr, 0);
  const float zero = 0;
  SUCCEEDS(cucore_buffer_fill, out, 0, sizeof(Words), &zero, sizeof zero, stream_);
  run_graph(graph_);
  EXPECT_EQ(read(out), (Words{5, 7}));
}

// The settings of a kernel node as the driver returns them.
struct NodeSettings {
  int priority = 0, cooperative = 0;
  unsigned cluster = 0, shared = 0;
  bool operator==(const NodeSettings&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const NodeSettings& of) {
    return out << "priority " << of.priority << ", cooperative " << of.cooperative << ", cluster "
               << of.cluster << ", shared " << of.shared;
  }
};

class NativeSettings {
 public:
  NativeSettings() {
    const NativeDriver driver;
    driver.find("cuGraphKernelNodeGetAttribute", attribute_);
    driver.find("cuGraphKernelNodeGetParams", parameters_);
  }
  explicit operator bool() const { return attribute_ && parameters_; }

  NodeSettings of(const cucore_node_info& info) const {
    const auto node = static_cast<CUgraphNode>(info.native);
    const auto read = [&](CUlaunchAttributeID id) {
      CUlaunchAttributeValue value{};
      EXPECT_EQ(attribute_(node, id, &value), CUDA_SUCCESS) << id;
      return value;
    };
    CUDA_KERNEL_NODE_PARAMS parameters{};
    EXPECT_EQ(parameters_(node, &parameters), CUDA_SUCCESS);
    return {read(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority,
            read(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative,
            read(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim.x, parameters.sharedMemBytes};
  }

 private:
  decltype(&::cuGraphKernelNodeGetAttribute) attribute_ = nullptr;
  decltype(&::cuGraphKernelNodeGetParams) parameters_ = nullptr;
};

struct Option {
  const char* name;
  void (*set)(cucore_launch_options& options);
  NodeSettings settings = {};
};
constexpr Option OPTIONS[] = {
    {"none", [](cucore_launch_options&) {}},
    {"cluster", [](cucore_launch_options& options) { options.cluster[0] = 2; }, {.cluster = 2}},
    {"cooperative",
     [](cucore_launch_options& options) { options.cooperative = 1; },
     {.cooperative = 1}},
    {"priority", [](cucore_launch_options& options) { options.priority = -1; }, {.priority = -1}},
    {"shared",
     [](cucore_launch_options& options) { options.dynamic_shared = 64 * 1024; },
     {.shared = 64 * 1024}},
    {"serialization", [](auto& options) { options.programmatic_serialization = 1; }},
};

TEST_F(GraphTwins, HaveTheSameOptions) {
  if (fake_) GTEST_SKIP() << "the scripted driver compares no attributes";
  const NativeSettings native;
  ASSERT_TRUE(native);
  for (const Option& option : OPTIONS) {
    cucore_launch_options options = grid(4, 32);
    option.set(options);
    graph_ = make_graph(device_);
    const cucore_node first = add_empty_kernel({}, grid(4, 32));
    const cucore_node second = add_empty_kernel({first}, options);
    SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
    for (const cucore_launch_options& each : {grid(4, 32), options})
      SUCCEEDS(cucore_kernel_launch, empty_, stream_, &each, nullptr, 0);
    Graph captured;
    SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
    SCOPED_TRACE(option.name);
    ASSERT_EQ(cucore_graph_node_count(captured), 2U);
    cucore_node nodes[2] = {};
    for (size_t i = 0; i < 2; ++i) SUCCEEDS(cucore_graph_node_at, captured, i, &nodes[i]);
    EXPECT_EQ(native.of(query(first)), NodeSettings());
    EXPECT_EQ(native.of(query(captured, nodes[0])), NodeSettings());
    EXPECT_EQ(native.of(query(second)), option.settings);
    EXPECT_EQ(native.of(query(captured, nodes[1])), option.settings);
    const Executable by_hand = make_executable(graph_), by_capture = make_executable(captured);
    launch(by_hand);
    launch(by_capture);
    SUCCEEDS(cucore_executable_update, by_capture, graph_, nullptr);
    SUCCEEDS(cucore_executable_update, by_hand, captured, nullptr);
    launch(by_hand);
    launch(by_capture);
  }
}

// An update takes no other attributes, and changes nothing.
TEST_F(GraphTwins, DifferByTheirAttributes) {
  if (fake_) GTEST_SKIP() << "the scripted driver compares no attributes";
  const Buffer to = make_floats(0);
  const cucore_node fill = add_fill({}, to, 5);
  add_empty_kernel({fill}, grid(4, 32));
  const Executable executable = make_executable(graph_);
  graph_ = make_graph(device_);
  const cucore_node other_fill = add_fill({}, to, 6);
  cucore_launch_options options = grid(4, 32);
  options.cooperative = 1;
  const cucore_node kernel = add_empty_kernel({other_fill}, options);
  cucore_node culprit = 0;
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot update the executable: node " + std::to_string(kernel) +
            " (kernel empty)|CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED); make a new executable",
        cucore_executable_update, executable, graph_, &culprit);
  EXPECT_EQ(culprit, kernel);
  launch(executable);
  EXPECT_EQ(first(to), 5);
}

}  // namespace
