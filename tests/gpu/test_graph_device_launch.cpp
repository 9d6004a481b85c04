// SPDX-License-Identifier: Apache-2.0
// Executables that kernels launch, and nodes of graphs that kernels change. The code is linked with
// the device runtime of the toolkit, libcudadevrt.a.
#include <cuda.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "capi/linker_testing.hpp"
#include "capi/native_driver.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

// NVRTC declares the functions if the code is relocatable.
constexpr char KERNELS[] = R"(
extern "C" __global__ void store(int* to, int value) { *to = value; }
extern "C" __global__ void add(int* to, const int* from) { *to += *from; }

extern "C" __global__ void fire(cudaGraphExec_t graph, int* result) {
  *result = cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}
extern "C" __global__ void follow(cudaGraphExec_t graph, int* result) {
  *result = cudaGraphLaunch(graph, cudaStreamGraphTailLaunch);
}
extern "C" __global__ void repeat(int* turns, int most, int* result) {
  if (++*turns < most)
    *result = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
extern "C" __global__ void change(cudaGraphDeviceNode_t node, size_t offset, const int* value,
                                  int* result) {
  *result = cudaGraphKernelNodeSetParam(node, offset, *value);
}
)";
constexpr int UNSET = -1;  // a result that no kernel has written
constexpr int SUCCESS = 0;

// The library of the toolkit whose headers the tests use; "" without it.
std::string device_runtime() {
  const char* const given = std::getenv("CUCORE_TEST_INCLUDE");
  const std::filesystem::path include(given ? given : "/usr/local/cuda/include");
  for (const char* folder :
       {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    const auto file = include.parent_path() / folder / "libcudadevrt.a";
    if (std::filesystem::exists(file)) return file.string();
  }
  return {};
}

#define NEEDS_DEVICE_RUNTIME() \
  if (device_runtime().empty()) GTEST_SKIP() << "needs libcudadevrt.a of the CUDA toolkit"
#define NEEDS_GPU()                                                                   \
  if (is_emulated())                                                                  \
    GTEST_SKIP() << "kernels of the CPU device launch no graphs and change no nodes"; \
  NEEDS_DEVICE_RUNTIME()

cucore::ObjectCode link_for(const std::string& arch, const std::string& path) {
  const std::string source = KERNELS;
  // snippet: link
  cucore::ProgramOptions relocatable;
  relocatable.arch = arch;  // of the device, "sm_90"
  relocatable.relocatable_device_code = true;
  cucore::LinkerOptions target;
  target.arch = arch;
  const auto linker = cucore::Linker::create(target);
  linker.add(cucore::Program::create(source, relocatable).compile());
  linker.add(cucore::ObjectCode::from_file(cucore::CodeType::library, path));  // libcudadevrt.a
  auto code = linker.link();
  // end of snippet
  return code;
}

class KernelLaunches : public OnGpu {
 protected:
  cucore::Kernel linked_kernel(const char* name) {
    if (!code_) code_ = link_for(std::string(device_.arch()), device_runtime());
    return code_.find_kernel(name);
  }
  void use(cucore::ObjectCode code) { code_ = std::move(code); }
  Array<int> number(int value) const { return {*this, {value}}; }

  static uint64_t handle_of(const cucore::Executable& executable) {
    return reinterpret_cast<uintptr_t>(executable.native<void*>());
  }
  cucore::Executable for_kernels(const cucore::Graph& graph) const {
    cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
    options.device_launch = 1;
    options.upload = stream_;
    return cucore::Executable::create(graph, options);
  }
  void launch(const cucore::Executable& executable) const {
    executable.launch(stream_);
    stream_.synchronize();
  }

  // Launches a graph whose kernel launches another graph, which adds 7 to a number; twice.
  void add_twice(const cucore_executable_options& options) {
    const Array<int> sum = number(1), seven = number(7), result = number(UNSET);
    const auto inner = cucore::Graph::create(device_), outer = cucore::Graph::create(device_);
    inner.add_kernel({}, linked_kernel("add"), one_, sum.address(), seven.address());
    const cucore::Executable launched = for_kernels(inner);
    outer.add_kernel({}, linked_kernel("fire"), one_, handle_of(launched), result.address());
    const auto launching = cucore::Executable::create(outer, options);
    for (const int expected : {8, 15}) {
      launch(launching);
      EXPECT_EQ(result.read()[0], SUCCESS);
      EXPECT_EQ(sum.read()[0], expected);
    }
  }

  const cucore::LaunchConfig one_{1, 1};

 private:
  cucore::ObjectCode code_;
};

TEST_F(KernelLaunches, AreLinkedWithTheDeviceRuntime) {
  NEEDS_REAL_LINKER();
  NEEDS_DEVICE_RUNTIME();
  const auto code = link_for("sm_90", device_runtime());
  EXPECT_EQ(code.type(), cucore::CodeType::cubin);
  std::set<std::string> names;
  for (const auto& symbol : code.symbols()) names.emplace(symbol.lowered_name);
  for (const char* name : {"store", "add", "fire", "follow", "repeat", "change"})
    EXPECT_EQ(names.count(name), 1u) << name;
}

TEST_F(KernelLaunches, RunAGraphFromADeviceGraph) {
  NEEDS_GPU();
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.device_launch = 1;
  add_twice(options);
}

// The driver has the functions: the linker leaves them to it.
TEST_F(KernelLaunches, RunFromCodeThatIsNotLinked) {
  if (is_emulated()) GTEST_SKIP() << "kernels of the CPU device launch no graphs";
  cucore::ProgramOptions relocatable;
  relocatable.relocatable_device_code = true;
  use(cucore::Program::create(KERNELS, relocatable).compile());
  add_twice(CUCORE_EXECUTABLE_OPTIONS_INIT);
}

TEST_F(KernelLaunches, RunAGraphFromAGraphThatTheHostLaunches) {
  NEEDS_GPU();
  add_twice(CUCORE_EXECUTABLE_OPTIONS_INIT);
}

// The launching graph writes the number that the launched graph reads, after the launching kernel.
TEST_F(KernelLaunches, AtTheTailComeAfterTheWholeGraph) {
  NEEDS_GPU();
  const Array<int> sum = number(1), from = number(100), result = number(UNSET);
  const auto inner = cucore::Graph::create(device_), outer = cucore::Graph::create(device_);
  inner.add_kernel({}, linked_kernel("add"), one_, sum.address(), from.address());
  const cucore::Executable launched = for_kernels(inner);
  const auto first =
      outer.add_kernel({}, linked_kernel("follow"), one_, handle_of(launched), result.address());
  outer.add_kernel({first}, linked_kernel("store"), one_, from.address(), 7);
  launch(for_kernels(outer));
  EXPECT_EQ(result.read()[0], SUCCESS);
  EXPECT_EQ(sum.read()[0], 8);
}

TEST_F(KernelLaunches, RepeatTheirOwnGraph) {
  NEEDS_GPU();
  const Array<int> turns = number(0), result = number(UNSET);
  const auto graph = cucore::Graph::create(device_);
  graph.add_kernel({}, linked_kernel("repeat"), one_, turns.address(), 5, result.address());
  const cucore::Executable executable = for_kernels(graph);
  launch(executable);
  EXPECT_EQ(result.read()[0], SUCCESS);
  EXPECT_EQ(turns.read()[0], 5);
}

TEST_F(KernelLaunches, RunChangesAfterTheirUpload) {
  NEEDS_GPU();
  const Array<int> to = number(0), result = number(UNSET);
  const cucore::Kernel store = linked_kernel("store"), fire = linked_kernel("fire");
  const auto inner = cucore::Graph::create(device_), outer = cucore::Graph::create(device_);
  const auto node = inner.add_kernel({}, store, one_, to.address(), 1);
  const cucore::Stream& stream = stream_;
  const cucore::LaunchConfig& one = one_;
  // snippet: launch
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.device_launch = 1;
  options.upload = stream.get();
  const auto launched = cucore::Executable::create(inner, options);
  const auto handle = reinterpret_cast<std::uintptr_t>(launched.native<void*>());
  outer.add_kernel({}, fire, one, handle, result.address());
  const auto launching = cucore::Executable::create(outer);
  launching.launch(stream);
  stream.synchronize();  // waits for both graphs
  launched.set_kernel(node, store, one, to.address(), 2);
  launched.upload(stream);  // after each change
  launching.launch(stream);
  // end of snippet
  EXPECT_EQ(result.read()[0], SUCCESS);
  EXPECT_EQ(to.read()[0], 2);
}

TEST_F(KernelLaunches, AreRefusedByTheCpuDevice) {
  if (!is_emulated()) GTEST_SKIP() << "a GPU has launches by kernels";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.relocatable_device_code = CUCORE_TOGGLE_ON;
  const Code code = compile(make_program(KERNELS, &options), CUCORE_CODE_TYPE_PTX);
  Error error;
  EXPECT_EQ(cucore_objectcode_load(code, device_, error.out()), CUCORE_ERROR_INVALID_CODE);
  EXPECT_TRUE(contains(cucore_error_log(error), "unresolved extern function 'cudaGraphLaunch'"));
}

class UpdatableNodes : public KernelLaunches {
 protected:
  cucore::LaunchConfig updatable() const {
    cucore::LaunchConfig config{1, 1};
    config.device_updatable = 1;
    return config;
  }

  static bool has_updatable_nodes() {
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    return driver.version_major * 1000 + driver.version_minor * 10 >= 12040;
  }

  // The handle that functions of kernels take. The library passes on the driver's node.
  static uint64_t device_handle(const cucore::Graph& graph, cucore::Node node) {
    decltype(&cuGraphKernelNodeGetAttribute) get = nullptr;
    NativeDriver().find("cuGraphKernelNodeGetAttribute", get);
    CUlaunchAttributeValue value{};
    if (!get || get(static_cast<CUgraphNode>(graph.node_query(node).native),
                    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) != CUDA_SUCCESS)
      throw std::runtime_error("the driver returns no handle of the node");
    return reinterpret_cast<uintptr_t>(value.deviceUpdatableKernelNode.devNode);
  }
  // The offset of the value among the parameters of store().
  size_t offset_of_value() { return linked_kernel("store").parameter_at(1, device_).offset; }
};

#define NEEDS_UPDATABLE_NODES() \
  NEEDS_GPU();                  \
  if (!has_updatable_nodes()) GTEST_SKIP() << "needs a driver of CUDA 12.4"

TEST_F(UpdatableNodes, TakeAParameterFromAKernelOfTheirGraph) {
  NEEDS_UPDATABLE_NODES();
  const Array<int> to = number(0), result = number(UNSET);
  const Buffer value = make_buffer(device_, sizeof(int), stream_);
  const auto graph = cucore::Graph::create(device_);
  const auto store = graph.add_kernel({}, linked_kernel("store"), updatable(), to.address(), 1);
  const uint64_t handle = device_handle(graph, store);
  ASSERT_NE(handle, 0u);
  const auto change = graph.add_kernel({}, linked_kernel("change"), one_, handle, offset_of_value(),
                                       cucore_buffer_address(value), result.address());
  graph.add_edge(change, store);
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.upload = stream_;
  const auto executable = cucore::Executable::create(graph, options);
  for (const int expected : {42, 43}) {
    SUCCEEDS(cucore_buffer_write, value, 0, &expected, sizeof expected, stream_);
    launch(executable);
    EXPECT_EQ(result.read()[0], SUCCESS);
    EXPECT_EQ(to.read()[0], expected);
  }
}

TEST_F(UpdatableNodes, OfACaptureTakeAParameterFromALaunchBefore) {
  NEEDS_UPDATABLE_NODES();
  const Array<int> to = number(0), value = number(42), result = number(UNSET);
  const cucore::Kernel store = linked_kernel("store"), change = linked_kernel("change");
  stream_.begin_capture();
  store.launch(stream_, updatable(), cucore::Address(to.address()), 1);
  const auto graph = stream_.end_capture();
  const uint64_t handle = device_handle(graph, graph.node_at(0));
  ASSERT_NE(handle, 0u);
  cucore_executable_options options = CUCORE_EXECUTABLE_OPTIONS_INIT;
  options.upload = stream_;
  const auto executable = cucore::Executable::create(graph, options);
  launch(executable);
  EXPECT_EQ(to.read()[0], 1);
  change.launch(stream_, one_, cucore::Address(handle), offset_of_value(),
                cucore::Address(value.address()), cucore::Address(result.address()));
  launch(executable);
  EXPECT_EQ(result.read()[0], SUCCESS);
  EXPECT_EQ(to.read()[0], 42);
}

TEST_F(UpdatableNodes, AreRefusedByTheCpuDevice) {
  if (!is_emulated()) GTEST_SKIP() << "a GPU has updatable nodes";
  const Code code = make_ptx_code();
  const Kernel empty = find_kernel(code, "empty");
  const Graph graph = make_graph(device_);
  const cucore::LaunchConfig config = updatable();
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "set the launch attributes of a node that launches kernel empty",
        cucore_graph_add_kernel, graph, nullptr, 0, empty, &config, nullptr, 0, &node);
}

}  // namespace
}  // namespace gpu_test
