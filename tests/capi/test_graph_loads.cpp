// SPDX-License-Identifier: Apache-2.0
// The first use of a kernel in a graph loads its code. The load calls observers, which may use the
// graph: it comes before the locks of the graph. The devices need two architectures, so that the
// second one loads code of its own. A process reads an architecture once, so each test runs in a
// process of its own.
#include <cuda.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

// Of one kernel, `empty`, for two architectures.
Code make_bundle() {
  static constexpr const char* HEADS[] = {".version 7.0\n.target sm_75\n",
                                          ".version 7.8\n.target sm_90\n"};
  std::array<Code, 2> images;
  std::array<const cucore_objectcode*, 2> handles{};
  for (size_t i = 0; i < images.size(); ++i) {
    const std::string text =
        HEADS[i] + std::string(".address_size 64\n.visible .entry empty()\n{\n  ret;\n}\n");
    images[i] = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    handles[i] = images[i];
  }
  Code code;
  MUST(cucore_objectcode_bundle, handles.data(), handles.size(), code.out());
  return code;
}

void set_architectures() {
  constexpr int MAJORS[] = {7, 9}, MINORS[] = {5, 0};
  for (const int device : {0, 1}) {
    fake_driver()->set_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                 MAJORS[device]);
    fake_driver()->set_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                 MINORS[device]);
  }
}

// Counts the loads, and asks the graph for its nodes in each.
struct Asks {
  Asks() {
    cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
    options.kinds = CUCORE_OPERATION_LOAD;
    options.begin = [](const cucore_operation*, void**, void* data) {
      Asks& self = *static_cast<Asks*>(data);
      ++self.loads;
      if (self.graph) self.nodes = cucore_graph_node_count(self.graph);
    };
    options.user_data = this;
    MUST(cucore_observer_create, &options, observer.out());
  }

  const cucore_graph* graph = nullptr;
  int loads = 0;
  size_t nodes = 0;
  cucore::Observer observer;  // ends first
};

struct Way {
  bool is_shared;  // other code has the graph, so that its nodes are not plain
  bool is_owner;   // the thread has made the graph
};

[[noreturn]] void use_kernels_first(Way way) {
  alarm(20);  // ends a deadlock by a signal
  set_architectures();
  const Device first = open_device(0), second = open_device(1);
  const Graph graph = make_graph(second);
  if (way.is_shared && !cucore_graph_native(graph)) std::exit(1);
  std::array<Kernel, 3> kernels;
  for (Kernel& kernel : kernels) kernel = find_kernel(make_bundle(), "empty");
  Asks asks;
  asks.graph = graph;
  const auto work = [&] {
    const cucore_launch_options options = grid(1, 1);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, const_cast<cucore_graph*>(graph.get()), nullptr, 0, kernels[0],
         &options, nullptr, 0, &node);
    if (asks.loads != 1 || asks.nodes != 0) std::exit(2);
    MUST(cucore_graph_set_kernel, const_cast<cucore_graph*>(graph.get()), node, kernels[1], nullptr,
         nullptr, 0);
    if (asks.loads != 2 || asks.nodes != 1) std::exit(3);
    const Executable executable = make_executable(graph);
    MUST(cucore_executable_set_kernel, const_cast<cucore_executable*>(executable.get()), node,
         kernels[2], nullptr, nullptr, 0);
    if (asks.loads != 3 || asks.nodes != 1) std::exit(4);
  };
  if (way.is_owner)
    work();
  else
    std::thread(work).join();
  std::_Exit(testing::Test::HasFailure() ? 5 : 0);
}

// The graph of a child may be of another device. The kernel is loaded for that device alone.
[[noreturn]] void set_kernel_of_child() {
  alarm(20);
  set_architectures();
  const Device first = open_device(0), second = open_device(1);
  const Graph graph = make_graph(first), child = make_graph(second);
  const cucore_launch_options options = grid(1, 1);
  cucore_node of_child = 0, of_parent = 0;
  const Kernel before = find_kernel(make_bundle(), "empty"),
               after = find_kernel(make_bundle(), "empty");
  MUST(cucore_graph_add_kernel, child, nullptr, 0, before, &options, nullptr, 0, &of_child);
  MUST(cucore_graph_add_child, graph, nullptr, 0, child, &of_parent);
  Graph view;
  MUST(cucore_graph_child, graph, of_parent, 0, view.out());
  MUST(cucore_graph_node_at, view, 0, &of_child);
  Asks asks;
  asks.graph = view;
  std::thread([&] {
    MUST(cucore_graph_set_kernel, view, of_child, after, nullptr, nullptr, 0);
  }).join();
  if (asks.loads != 1 || asks.nodes != 1) std::exit(1);
  std::_Exit(testing::Test::HasFailure() ? 2 : 0);
}

TEST(GraphLoads, AreForTheDeviceOfTheChild) {
  NEEDS_FAKE_DRIVER();
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(set_kernel_of_child(), testing::ExitedWithCode(0), "");
}

TEST(GraphLoads, CallObserversWithoutTheLocks) {
  NEEDS_FAKE_DRIVER();
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const bool is_shared : {false, true})
    for (const bool is_owner : {false, true}) {
      SCOPED_TRACE(std::string(is_shared ? "shared" : "own") + (is_owner ? ", owner" : ", other"));
      EXPECT_EXIT(use_kernels_first({is_shared, is_owner}), testing::ExitedWithCode(0), "");
    }
}

}  // namespace
