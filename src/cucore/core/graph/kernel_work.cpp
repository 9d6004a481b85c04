// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/graph/temporary_graph.hpp"
#include "core/load/launch.hpp"
#include "core/load/launch_arguments.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

// The greatest alignment of a parameter.
constexpr size_t PARAMETER_ALIGNMENT = 16;

bool names_an_object(const cucore_argument& argument) {
  return is_buffer(argument) && argument.data != nullptr;
}

size_t room_for(const cucore_argument& argument) {
  const size_t size = is_buffer(argument) ? sizeof(CUdeviceptr) : argument.size;
  return (size + PARAMETER_ALIGNMENT - 1) / PARAMETER_ALIGNMENT * PARAMETER_ALIGNMENT;
}

// The attributes of a node. Edges express programmatic serialization in a graph.
std::vector<CUlaunchAttribute> of_node(const LaunchAttributes& all) {
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttribute& attribute : all.list())
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      attributes.push_back(attribute);
  return attributes;
}

bool have_same_attributes(const LaunchAttributes& a, const LaunchAttributes& b) {
  return std::ranges::equal(of_node(a), of_node(b), [](const auto& one, const auto& other) {
    return one.id == other.id && std::memcmp(&one.value, &other.value, sizeof one.value) == 0;
  });
}

}  // namespace

KernelWork::Options::Options(const Device& device, const cucore_launch_options& given,
                             const LaunchHandles& handles)
    : attributes(device, given, handles),
      launch(device, nullptr, given),
      cluster{given.cluster[0], given.cluster[1], given.cluster[2]},
      is_programmatic(given.programmatic_serialization != 0) {
  attributes.require_no_events();
}

KernelWork::KernelWork(CUcontext context, const Device& device, const KernelWork* before,
                       KernelChange change, const LaunchHandles& handles)
    : NodeWork(NodeKind::KERNEL),
      context_(context),
      device_(device),
      kernel_(change.kernel ? std::move(change.kernel) : before->kernel_),
      image_(kernel_->on(device_)),
      options_(change.options ? std::make_shared<const Options>(device_, *change.options, handles)
                              : before->options_),
      arguments_(arguments_of(before, change, handles.buffers)) {
  allow_shared(*kernel_, device_, options_->launch.get().sharedMemBytes);
}

// A kernel without parameters takes none of the values before.
std::shared_ptr<const KernelWork::Arguments> KernelWork::arguments_of(
    const KernelWork* before, const KernelChange& change, const BufferHandles& handles) const {
  const bool has_none = image_.parameters && image_.parameters->empty();
  if (!before || change.arguments || has_none) return copy(change.arguments, change.count, handles);
  const auto& list = before->arguments_->list;
  require_count(*kernel_, image_, list.size());
  for (size_t i = 0; i < list.size(); ++i) check_argument(*kernel_, image_, i, list[i]);
  return before->arguments_;
}

std::shared_ptr<const KernelWork::Arguments> KernelWork::copy(const cucore_argument* arguments,
                                                              size_t count,
                                                              const BufferHandles& handles) const {
  require_count(*kernel_, image_, count);
  auto out = std::make_shared<Arguments>();
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!names_an_object(arguments[i])) check_argument(*kernel_, image_, i, arguments[i]);
    bytes += room_for(arguments[i]);
  }
  out->values = std::make_unique<std::byte[]>(bytes);
  out->list.reserve(count), out->pointers.reserve(count);
  std::byte* value = out->values.get();
  for (size_t i = 0; i < count; ++i) {
    size_t size = arguments[i].size;
    if (names_an_object(arguments[i])) {
      out->buffers.push_back(
          find_buffer(*kernel_, image_, device_, "the graph", i, arguments[i].data, handles));
      const CUdeviceptr address = out->buffers.back()->address();
      size = sizeof address;
      std::memcpy(value, &address, size);
    } else {
      std::memcpy(value, arguments[i].data, size);
    }
    out->list.push_back({value, size});
    out->pointers.push_back(value);
    value += room_for(arguments[i]);
  }
  return out;
}

void KernelWork::require_usable() const {
  for (const auto& buffer : arguments_->buffers) buffer->require_usable();
}

CUDA_KERNEL_NODE_PARAMS KernelWork::native() const {
  const CUlaunchConfig& config = options_->launch.get();
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.gridDimX = config.gridDimX, launch.gridDimY = config.gridDimY;
  launch.gridDimZ = config.gridDimZ;
  launch.blockDimX = config.blockDimX, launch.blockDimY = config.blockDimY;
  launch.blockDimZ = config.blockDimZ;
  launch.sharedMemBytes = config.sharedMemBytes;
  launch.kernelParams = arguments_->pointers.empty() ? nullptr : arguments_->pointers.data();
  launch.kern = image_.native;
  launch.ctx = context_;
  return launch;
}

CUgraphNode KernelWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  const CUDA_KERNEL_NODE_PARAMS launch = native();
  CUgraphNode node = nullptr;
  driver::check(cu.cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch),
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
  for (const CUlaunchAttribute& attribute : of_node(options_->attributes))
    if (const CUresult result =
            cu.cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value);
        result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

bool KernelWork::has_attributes_of(const NodeWork& other) const {
  return have_same_attributes(options_->attributes,
                              static_cast<const KernelWork&>(other).options_->attributes);
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
  const CUlaunchConfig& config = options_->launch.get();
  NodeFacts facts;
  facts.kernel = kernel_->label().c_str();
  facts.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  facts.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  facts.cluster = options_->cluster;
  facts.dynamic_shared = config.sharedMemBytes;
  return facts;
}

bool KernelWork::may_print() const { return image_.image->can_print(); }

}  // namespace cucore::core
