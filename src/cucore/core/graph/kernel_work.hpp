// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel as the work of a node.
#pragma once

#include <cucore.h>

#include <utility>
#include <vector>

#include "core/graph/kernel_arguments.hpp"
#include "core/graph/node_work.hpp"
#include "core/load/launch_configuration.hpp"
#include "support/object_blocks.hpp"

namespace cucore::core {

// A launch as a program describes it. Null means "as before" when a node is set.
struct KernelChange {
  Ref<const Kernel> kernel;
  const cucore_launch_options* options = nullptr;
  const cucore_argument* arguments = nullptr;
  size_t count = 0;
};

class KernelWork final : public NodeWork {
 public:
  // Throws as launch() does for the same arguments on a stream of the device.
  KernelWork(const Context& context, KernelChange launch, const LaunchHandles& handles)
      : KernelWork(context.native(), context.device(), nullptr, std::move(launch), handles) {}
  static Ref<const KernelWork> make_in(ObjectBlocks& blocks, const Context& context,
                                       KernelChange launch, const LaunchHandles& handles);
  // Takes what the change leaves out from the work before.
  KernelWork(const KernelWork& before, KernelChange change, const LaunchHandles& handles)
      : KernelWork(before.context_, before.device_, &before, std::move(change), handles) {}

  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  std::string executable_obstacle(const NodeWork& before) const override;
  bool needs_context() const override { return is_programmatic() || !options_.attributes.empty(); }
  void require_usable() const override;
  NodeFacts facts() const override;
  bool is_programmatic() const override { return options_.is_programmatic; }
  bool may_print() const override;

  static void* operator new(size_t size) { return ObjectBlocks::take_alone(size); }
  static void* operator new(size_t size, ObjectBlocks& blocks) { return blocks.take(size); }
  static void operator delete(void* work) noexcept { ObjectBlocks::give_back(work); }
  static void operator delete(void* work, ObjectBlocks&) noexcept { ObjectBlocks::give_back(work); }

 private:
  struct Options {
    Options(const Device& device, const cucore_launch_options& given, const LaunchHandles& handles);

    std::vector<CUlaunchAttribute> attributes;  // of the node
    const CUlaunchConfig launch;
    const std::array<uint32_t, 3> cluster;
    const bool is_programmatic;
  };

  KernelWork(CUcontext context, const Device& device, const KernelWork* before, KernelChange change,
             const LaunchHandles& handles);
  ~KernelWork() override = default;
  KernelArguments arguments_of(const KernelWork* before, const KernelChange& change,
                               const BufferHandles& handles) const;
  CUDA_KERNEL_NODE_PARAMS native() const;
  bool has_attributes_of(const NodeWork& other) const;
  CUresult set_attributes(const driver::CudaTable& cu, CUgraphNode node) const;

  const CUcontext context_;
  const Device& device_;
  const Ref<const Kernel> kernel_;
  const KernelImage& image_;
  const Options options_;
  const KernelArguments arguments_;
};

}  // namespace cucore::core
