// SPDX-License-Identifier: Apache-2.0
// Graphs for tests: saxpy and empty kernels, buffers of floats, and one-line additions of nodes.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "capi_testing.hpp"

namespace capi_test {

class OnGraph : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    saxpy_ = find_kernel(code_, "saxpy");
    graph_ = make_graph(device_);
    if (fake_) fake_->reset();
  }
  void TearDown() override {
    graph_.reset();
    saxpy_.reset();
    empty_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  using Nodes = std::vector<cucore_node>;

  // Of y = a * x + y. The arguments point into this object.
  struct SaxpyArguments {
    SaxpyArguments(float factor, const cucore_buffer* x, const cucore_buffer* y)
        : a(factor),
          list{CUCORE_ARGUMENT(a),
               {x, CUCORE_ARGUMENT_OBJECT},
               {y, CUCORE_ARGUMENT_OBJECT},
               CUCORE_ARGUMENT(n)} {}
    SaxpyArguments(const SaxpyArguments&) = delete;

    const float a;
    const uint32_t n = COUNT;
    const cucore_argument list[4];
  };

  cucore_node add_saxpy(const Nodes& after, float a, const cucore_buffer* x,
                        const cucore_buffer* y) const {
    const SaxpyArguments arguments(a, x, y);
    const cucore_launch_options options = grid(1, 32);
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, graph_, after.data(), after.size(), saxpy_, &options,
         arguments.list, 4, &node);
    return node;
  }
  cucore_node add_empty_kernel(const Nodes& after, const cucore_launch_options& options) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, graph_, after.data(), after.size(), empty_, &options, nullptr, 0,
         &node);
    return node;
  }
  cucore_node add_empty(const Nodes& after = {}) const { return add_empty(graph_, after); }
  static cucore_node add_empty(const cucore_graph* graph, const Nodes& after) {
    cucore_node node = 0;
    MUST(cucore_graph_add_empty, const_cast<cucore_graph*>(graph), after.data(), after.size(),
         &node);
    return node;
  }
  cucore_node add_copy(const Nodes& after, cucore_buffer* to, const cucore_buffer* from) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_copy, graph_, after.data(), after.size(), to, 0, from, 0, BYTES, &node);
    return node;
  }
  cucore_node add_fill(const Nodes& after, cucore_buffer* buffer, float value) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_fill, graph_, after.data(), after.size(), buffer, 0, BYTES, &value,
         sizeof value, &node);
    return node;
  }
  cucore_node add_host(const Nodes& after, cucore_host_fn fn, void* data,
                       cucore_destroy_fn destroy = nullptr) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_host, graph_, after.data(), after.size(), fn, data, destroy, &node);
    return node;
  }

  void launch(const cucore_executable* executable) const {
    MUST(cucore_executable_launch, executable, stream_);
    MUST(cucore_stream_synchronize, stream_);
  }
  void run() const { launch(make_executable(graph_)); }

  Buffer make_floats(float value) const {
    Buffer buffer = make_buffer(device_, BYTES, stream_);
    MUST(cucore_buffer_fill, buffer, 0, BYTES, &value, sizeof value, stream_);
    return buffer;
  }
  float first(const cucore_buffer* buffer) const {
    float value = 0;
    MUST(cucore_buffer_read, buffer, 0, &value, sizeof value, stream_);
    return value;
  }

  cucore_node_info query(cucore_node node) const { return query(graph_, node); }
  static cucore_node_info query(const cucore_graph* graph, cucore_node node) {
    cucore_node_info info = CUCORE_NODE_INFO_INIT;
    MUST(cucore_graph_node_query, graph, node, &info);
    return info;
  }
  using List = cucore_status (*)(const cucore_graph*, cucore_node, cucore_node*, size_t, size_t*,
                                 cucore_error**);
  Nodes list(List read, cucore_node node) const {
    size_t count = 0;
    MUST(read, graph_, node, nullptr, 0, &count);
    Nodes nodes(count);
    MUST(read, graph_, node, nodes.data(), nodes.size(), &count);
    return nodes;
  }
  Nodes before(cucore_node node) const { return list(cucore_graph_dependencies, node); }
  Nodes after(cucore_node node) const { return list(cucore_graph_dependents, node); }
  static std::string dot(const cucore_graph* graph, uint32_t details = 0) {
    size_t size = 0;
    MUST(cucore_graph_dot, graph, details, nullptr, 0, &size);
    std::string text(size, '\0');
    MUST(cucore_graph_dot, graph, details, text.data(), text.size(), &size);
    return text;
  }

  // "this one serves 12.0" for the driver in use.
  static std::string served() {
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    return "this one serves " + std::to_string(driver.version_major) + "." +
           std::to_string(driver.version_minor);
  }

  // Waits until a thread of the library has done something.
  template <class Condition>
  static bool comes_true(Condition condition) {
    for (int i = 0; i < 50000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return condition();
  }
  // Whether copies, fills and kernels change memory: the scripted driver runs no kernel.
  bool runs_kernels() const { return !fake_; }

  static constexpr uint32_t COUNT = 4;
  static constexpr size_t BYTES = COUNT * sizeof(float);
  Code code_;
  Kernel empty_, saxpy_;
  Graph graph_;
};

}  // namespace capi_test
