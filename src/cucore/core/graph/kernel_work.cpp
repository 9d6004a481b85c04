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

// The attributes of a node. Edges express programmatic serialization in a graph.
std::vector<CUlaunchAttribute> attributes_of_node(const Device& device,
                                                  const cucore_launch_options& given,
                                                  const LaunchHandles& handles) {
  std::vector<CUlaunchAttribute> attributes;
  const LaunchAttributes all(device, given, handles);
  for (const CUlaunchAttribute& attribute : all.list())
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      attributes.push_back(attribute);
  all.require_no_events();
  return attributes;
}

bool have_same_attributes(const std::vector<CUlaunchAttribute>& a,
                          const std::vector<CUlaunchAttribute>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.id == other.id && std::memcmp(&one.value, &other.value, sizeof one.value) == 0;
  });
}

}  // namespace

inline KernelWork::Options::Options(const Device& device, const cucore_launch_options& given,
                                    const LaunchHandles& handles)
    : attributes(LaunchAttributes::are_set(given) ? attributes_of_node(device, given, handles)
                                                  : std::vector<CUlaunchAttribute>()),
      launch(LaunchConfiguration(device, nullptr, given).get()),
      cluster{given.cluster[0], given.cluster[1], given.cluster[2]},
      is_programmatic(given.programmatic_serialization != 0) {}

inline KernelWork::KernelWork(CUcontext context, const Device& device, const KernelWork* before,
                              KernelChange change, const LaunchHandles& handles)
    : NodeWork(NodeKind::KERNEL),
      context_(context),
      device_(device),
      kernel_(change.kernel ? std::move(change.kernel) : before->kernel_),
      image_(kernel_->on(device_)),
      options_(change.options ? Options(device_, *change.options, handles) : before->options_),
      arguments_(arguments_of(before, change, handles.buffers)) {
  allow_shared(*kernel_, device_, options_.launch.sharedMemBytes);
}

Ref<const KernelWork> KernelWork::make_in(ObjectBlocks& blocks, const Context& context,
                                          KernelChange launch, const LaunchHandles& handles) {
  return Ref<const KernelWork>::adopt(new (blocks) KernelWork(context, std::move(launch), handles));
}

// A kernel without parameters takes none of the values before.
inline KernelArguments KernelWork::arguments_of(const KernelWork* before,
                                                const KernelChange& change,
                                                const BufferHandles& handles) const {
  const bool has_none = image_.parameters && image_.parameters->empty();
  if (!before || change.arguments || has_none)
    return {*kernel_, image_, device_, {change.arguments, change.count}, handles};
  const auto list = before->arguments_.list();
  require_count(*kernel_, image_, list.size());
  for (size_t i = 0; i < list.size(); ++i) check_argument(*kernel_, image_, i, list[i]);
  return before->arguments_;  // a copy
}

void KernelWork::require_usable() const {
  for (const auto& buffer : arguments_.buffers()) buffer->require_usable();
}

CUDA_KERNEL_NODE_PARAMS KernelWork::native() const {
  const CUlaunchConfig& config = options_.launch;
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.gridDimX = config.gridDimX, launch.gridDimY = config.gridDimY;
  launch.gridDimZ = config.gridDimZ;
  launch.blockDimX = config.blockDimX, launch.blockDimY = config.blockDimY;
  launch.blockDimZ = config.blockDimZ;
  launch.sharedMemBytes = config.sharedMemBytes;
  launch.kernelParams = arguments_.pointers();
  launch.kern = image_.native;
  launch.ctx = context_;
  return launch;
}

CUgraphNode KernelWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  const CUDA_KERNEL_NODE_PARAMS launch = native();
  CUgraphNode node = nullptr;
  const auto add = [&] {
    return cu.cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch);
  };
  // The parameters name the context, so the driver needs no current one.
  CUresult added = add();
  if (added == CUDA_ERROR_INVALID_CONTEXT) [[unlikely]] {
    const driver::ContextGuard guard(context_);
    added = add();
  }
  driver::check(added,
                [&] { return concat("add a node that launches kernel ", kernel_->label()); });
  if (const CUresult result = set_attributes(cu, node); result != CUDA_SUCCESS) {
    driver::check_release(cu.cuGraphDestroyNode(node), "destroy a node of a graph");
    driver::check(result, [&] {
      return concat("set the launch attributes of a node that launches kernel ", kernel_->label());
    });
  }
  return node;
}

CUresult KernelWork::set_attributes(const driver::CudaTable& cu, CUgraphNode node) const {
  for (const CUlaunchAttribute& attribute : options_.attributes)
    if (const CUresult result =
            cu.cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value);
        result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

bool KernelWork::has_attributes_of(const NodeWork& other) const {
  return have_same_attributes(options_.attributes,
                              static_cast<const KernelWork&>(other).options_.attributes);
}

// Other attributes come from a new node, because no function removes one.
CUresult KernelWork::set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                                  const NodeWork* before) const {
  const CUDA_KERNEL_NODE_PARAMS launch = native();
  if (before && has_attributes_of(*before)) return cu.cuGraphKernelNodeSetParams(node, &launch);
  const TemporaryGraph graph(cu);
  const CUgraphNode twin = add_to(cu, graph.native(), {});
  const CUresult result = cu.cuGraphKernelNodeSetParams(node, &launch);
  return result == CUDA_SUCCESS ? cu.cuGraphKernelNodeCopyAttributes(node, twin) : result;
}

CUresult KernelWork::set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                                       CUgraphNode node) const {
  const CUDA_KERNEL_NODE_PARAMS launch = native();
  return cu.cuGraphExecKernelNodeSetParams(executable, node, &launch);
}

std::string KernelWork::executable_obstacle(const NodeWork& before) const {
  if (has_attributes_of(before)) return {};
  return "an executable cannot change launch attributes";
}

NodeFacts KernelWork::facts() const {
  const CUlaunchConfig& config = options_.launch;
  NodeFacts facts;
  facts.kernel = kernel_->label().c_str();
  facts.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  facts.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  facts.cluster = options_.cluster;
  facts.dynamic_shared = config.sharedMemBytes;
  return facts;
}

bool KernelWork::may_print() const { return image_.image->can_print(); }

}  // namespace cucore::core
