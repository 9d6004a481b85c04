// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_work.hpp"

#include <cstring>
#include <utility>

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

}  // namespace

KernelWork::KernelWork(const Context& context, Ref<const Kernel> kernel,
                       const cucore_launch_options& options, const cucore_argument* arguments,
                       size_t count, const BufferHandles& handles)
    : NodeWork(NodeKind::KERNEL),
      context_(context.native()),
      device_(context.device()),
      kernel_(std::move(kernel)),
      image_(kernel_->on(device_)),
      configuration_(device_, nullptr, options),
      cluster_{options.cluster[0], options.cluster[1], options.cluster[2]},
      is_programmatic_(options.programmatic_serialization != 0) {
  allow_shared(*kernel_, device_, options.dynamic_shared);
  require_count(*kernel_, image_, count);
  copy(arguments, count, handles);
}

void KernelWork::copy(const cucore_argument* arguments, size_t count,
                      const BufferHandles& handles) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!names_an_object(arguments[i])) check_argument(*kernel_, image_, i, arguments[i]);
    bytes += room_for(arguments[i]);
  }
  values_ = std::make_unique<std::byte[]>(bytes);
  pointers_.reserve(count);
  std::byte* value = values_.get();
  for (size_t i = 0; i < count; ++i) {
    pointers_.push_back(value);
    if (names_an_object(arguments[i])) {
      buffers_.push_back(
          find_buffer(*kernel_, image_, device_, "the graph", i, arguments[i].data, handles));
      const CUdeviceptr address = buffers_.back()->address();
      std::memcpy(value, &address, sizeof address);
    } else {
      std::memcpy(value, arguments[i].data, arguments[i].size);
    }
    value += room_for(arguments[i]);
  }
}

void KernelWork::require_usable() const {
  for (const auto& buffer : buffers_) buffer->require_usable();
}

CUgraphNode KernelWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  const CUlaunchConfig& config = configuration_.get();
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.gridDimX = config.gridDimX, launch.gridDimY = config.gridDimY;
  launch.gridDimZ = config.gridDimZ;
  launch.blockDimX = config.blockDimX, launch.blockDimY = config.blockDimY;
  launch.blockDimZ = config.blockDimZ;
  launch.sharedMemBytes = config.sharedMemBytes;
  launch.kernelParams = pointers_.empty() ? nullptr : pointers_.data();
  launch.kern = image_.native;
  launch.ctx = context_;
  CUgraphNode node = nullptr;
  driver::check(cu.cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch),
                [&] { return concat("add a node that launches kernel ", kernel_->label()); });
  try {
    set_attributes(cu, node);
  } catch (...) {
    driver::check_release(cu.cuGraphDestroyNode(node), "destroy a node of a graph");
    throw;
  }
  return node;
}

void KernelWork::set_attributes(const driver::CudaTable& cu, CUgraphNode node) const {
  const CUlaunchConfig& config = configuration_.get();
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    // Edges express it in a graph.
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) continue;
    driver::check(cu.cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value), [&] {
      return concat("set launch attribute ", static_cast<int>(attribute.id),
                    " of a node that launches kernel ", kernel_->label());
    });
  }
}

NodeFacts KernelWork::facts() const {
  const CUlaunchConfig& config = configuration_.get();
  NodeFacts facts;
  facts.kernel = kernel_->label().c_str();
  facts.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  facts.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  facts.cluster = cluster_;
  facts.dynamic_shared = config.sharedMemBytes;
  return facts;
}

bool KernelWork::may_print() const { return image_.image->can_print(); }

}  // namespace cucore::core
