// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/graph/temporary_graph.hpp"
#include "core/load/launch.hpp"
#include "core/load/launch_arguments.hpp"
#include "driver/context_guard.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

bool have_same_attributes(const std::vector<CUlaunchAttribute>& a,
                          const std::vector<CUlaunchAttribute>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.id == other.id && std::memcmp(&one.value, &other.value, sizeof one.value) == 0;
  });
}

}  // namespace

void KernelWork::require_usable() const {
  for (const auto& buffer : arguments_.buffers()) buffer->require_usable();
}

CUresult KernelWork::set_attributes(const driver::CudaTable& cu, CUgraphNode node) const {
  if (!attributes_) [[likely]]
    return CUDA_SUCCESS;
  for (const CUlaunchAttribute& attribute : attributes_->list)
    if (const CUresult result =
            cu.cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value);
        result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

bool KernelWork::has_attributes_of(const NodeWork& other) const {
  static const std::vector<CUlaunchAttribute> none;
  const auto list_of = [](const KernelWork& work) -> const auto& {
    return work.attributes_ ? work.attributes_->list : none;
  };
  return have_same_attributes(list_of(*this), list_of(static_cast<const KernelWork&>(other)));
}

// Other attributes come from a new node, because no function removes one.
CUresult KernelWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                  const NodeWork* before) const {
  ArgumentPointers values(arguments_.size());
  arguments_.set_pointers(image_, values.data());
  const CUDA_KERNEL_NODE_PARAMS launch = native(values.data());
  if (before && has_attributes_of(*before)) return cu.cuGraphKernelNodeSetParams(node, &launch);
  const TemporaryGraph graph(cu);
  const CUgraphNode twin = add_to(cu, graph.native(), {});
  const CUresult result = cu.cuGraphKernelNodeSetParams(node, &launch);
  return result == CUDA_SUCCESS ? cu.cuGraphKernelNodeCopyAttributes(node, twin) : result;
}

CUresult KernelWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                       CUgraphNode node) const {
  ArgumentPointers values(arguments_.size());
  arguments_.set_pointers(image_, values.data());
  const CUDA_KERNEL_NODE_PARAMS launch = native(values.data());
  return cu.cuGraphExecKernelNodeSetParams(executable, node, &launch);
}

std::string KernelWork::executable_obstacle(const NodeWork& before) const {
  if (has_attributes_of(before)) return {};
  return "an executable cannot change launch attributes";
}

NodeFacts KernelWork::facts() const {
  NodeFacts facts;
  facts.kernel = kernel_->label().c_str();
  facts.grid = {launch_.gridDimX, launch_.gridDimY, launch_.gridDimZ};
  facts.block = {launch_.blockDimX, launch_.blockDimY, launch_.blockDimZ};
  if (attributes_) facts.cluster = attributes_->cluster;
  facts.dynamic_shared = launch_.sharedMemBytes;
  return facts;
}

bool KernelWork::may_print() const { return image_.image->can_print(); }

}  // namespace cucore::core
