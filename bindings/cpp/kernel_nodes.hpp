// SPDX-License-Identifier: Apache-2.0
// Kernel nodes of graphs, whose launch is a block of bytes as in launch.hpp.
#pragma once

#include <cucore.h>

#include <cstddef>

#include "launch.hpp"
#include "nodes.hpp"

namespace cucore::bind {

cucore_node add_kernel(cucore_graph* graph, const Nodes& after, const cucore_kernel* kernel,
                       const void* data, size_t size, ObjectNumbers* numbers = nullptr);

// The parts of a launch that a change leaves as they are: a null kernel, options, arguments.
struct KernelChange {
  cucore_node node;
  const cucore_kernel* kernel;
  bool has_options;
  bool has_arguments;
};

void set_kernel(cucore_graph* graph, const KernelChange& change, const void* data, size_t size,
                ObjectNumbers* numbers = nullptr);
void set_kernel(cucore_executable* executable, const KernelChange& change, const void* data,
                size_t size, ObjectNumbers* numbers = nullptr);

}  // namespace cucore::bind
