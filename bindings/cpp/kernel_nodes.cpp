// SPDX-License-Identifier: Apache-2.0
#include "kernel_nodes.hpp"

#include "failure.hpp"

namespace cucore::bind {
namespace {

template <class Function, class Graph>
void change_kernel(Function* function, Graph* graph, const KernelChange& change, const void* data,
                   size_t size, ObjectNumbers* numbers) {
  const Launch block(data, size, numbers);
  ok(function, graph, change.node, change.kernel, change.has_options ? &block.options() : nullptr,
     change.has_arguments ? block.arguments() : nullptr, block.count());
}

}  // namespace

cucore_node add_kernel(cucore_graph* graph, const Nodes& after, const cucore_kernel* kernel,
                       const void* data, size_t size, ObjectNumbers* numbers) {
  const Launch block(data, size, numbers);
  return made<cucore_node>(cucore_graph_add_kernel, graph, after.data(), after.size(), kernel,
                           &block.options(), block.arguments(), block.count());
}

void set_kernel(cucore_graph* graph, const KernelChange& change, const void* data, size_t size,
                ObjectNumbers* numbers) {
  change_kernel(cucore_graph_set_kernel, graph, change, data, size, numbers);
}

void set_kernel(cucore_executable* executable, const KernelChange& change, const void* data,
                size_t size, ObjectNumbers* numbers) {
  change_kernel(cucore_executable_set_kernel, executable, change, data, size, numbers);
}

}  // namespace cucore::bind
