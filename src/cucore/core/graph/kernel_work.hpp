// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel as the work of a node.
#pragma once

#include <cucore.h>

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/kernel_arguments.hpp"
#include "core/graph/node_work.hpp"
#include "core/load/launch_configuration.hpp"
#include "support/object_blocks.hpp"
#include "support/reference_stock.hpp"

namespace cucore::core {

// A launch as a program describes it.
struct KernelLaunch {
  const Kernel& kernel;
  const cucore_launch_options& options;
  std::span<const cucore_argument> arguments;
};

// Other values for a launch. Null means "as before".
struct KernelChange {
  Ref<const Kernel> kernel;
  const cucore_launch_options* options = nullptr;
  const cucore_argument* arguments = nullptr;
  size_t count = 0;
};

// The memory and the references of the works that a graph makes.
struct KernelWorkStore {
  ObjectBlocks blocks;
  ReferenceStock references;
};

class KernelWork final : public NodeWork {
 public:
  // These throw as launch() does for the same arguments on a stream of the device. make_in() sets
  // the pointers to the values.
  static Ref<const KernelWork> make_in(KernelWorkStore& store, const Context& context,
                                       const KernelLaunch& launch, const LaunchHandles& handles,
                                       void** values);
  static Ref<const KernelWork> make(const Context& context, const KernelLaunch& launch,
                                    const LaunchHandles& handles);
  // Takes what the change leaves out from the work before.
  static Ref<const KernelWork> make_changed(const KernelWork& before, KernelChange change,
                                            const LaunchHandles& handles);
  // Drops works, with fewer atomic operations than one by one.
  class Returns {
   public:
    explicit Returns(ReferenceStock& references) : references_(references) {}
    void add(Ref<const NodeWork> work) noexcept;

   private:
    ReferenceStock& references_;
    ObjectBlocks::Returns memory_;
  };

  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  // The same with pointers to the values.
  CUgraphNode add_values_to(const driver::CudaTable& cu, CUgraph graph,
                            std::span<const CUgraphNode> after, void** values) const;
  CUresult set_in_graph(const driver::CudaTable& cu, CUgraphNode node,
                        const NodeWork* before) const override;
  CUresult set_in_executable(const driver::CudaTable& cu, CUgraphExec executable,
                             CUgraphNode node) const override;
  std::string executable_obstacle(const NodeWork& before) const override;
  bool needs_context() const override { return attributes_ != nullptr; }
  void require_usable() const override;
  NodeFacts facts() const override;
  bool is_programmatic() const override { return attributes_ && attributes_->is_programmatic; }
  bool may_print() const override;

  // `room` bytes for the arguments follow the work.
  static void* operator new(size_t size, size_t room) {
    return ObjectBlocks::take_alone(size + room);
  }
  static void* operator new(size_t size, size_t room, ObjectBlocks& blocks) {
    return blocks.take(size + room);
  }
  static void operator delete(void* work) noexcept { ObjectBlocks::give_back(work); }
  static void operator delete(void* work, size_t) noexcept { ObjectBlocks::give_back(work); }
  static void operator delete(void* work, size_t, ObjectBlocks&) noexcept {
    ObjectBlocks::give_back(work);
  }

 private:
  struct Extents {
    explicit Extents(const CUlaunchConfig& launch)
        : grid{launch.gridDimX, launch.gridDimY, launch.gridDimZ},
          block{launch.blockDimX, launch.blockDimY, launch.blockDimZ},
          dynamic_shared(launch.sharedMemBytes) {}

    std::array<uint32_t, 3> grid, block;
    uint32_t dynamic_shared;
  };
  // Of few launches.
  struct Attributes {
    std::vector<CUlaunchAttribute> list;  // of the node
    std::array<uint32_t, 3> cluster;
    bool is_programmatic;
  };

  template <class... Arguments>
  KernelWork(CUcontext context, const Device& device, Ref<const Kernel> kernel,
             const KernelImage& image, std::unique_ptr<const Attributes> attributes,
             const Extents& extents, Arguments&&... arguments)
      : NodeWork(NodeKind::KERNEL),
        context_(context),
        device_(device),
        kernel_(std::move(kernel)),
        image_(image),
        attributes_(std::move(attributes)),
        extents_(extents),
        arguments_(std::forward<Arguments>(arguments)...) {}
  ~KernelWork() override = default;
  static std::unique_ptr<const Attributes> attributes_of(const Device& device,
                                                         const cucore_launch_options& given,
                                                         const LaunchHandles& handles);
  static Extents extents_of(const Kernel& kernel, const Device& device,
                            const cucore_launch_options& given);
  // `values` must live as long as the result.
  CUDA_KERNEL_NODE_PARAMS native(void** values) const {
    CUDA_KERNEL_NODE_PARAMS launch;
    launch.func = nullptr;
    launch.gridDimX = extents_.grid[0], launch.gridDimY = extents_.grid[1];
    launch.gridDimZ = extents_.grid[2];
    launch.blockDimX = extents_.block[0], launch.blockDimY = extents_.block[1];
    launch.blockDimZ = extents_.block[2];
    launch.sharedMemBytes = extents_.dynamic_shared;
    launch.kernelParams = arguments_.size() == 0 ? nullptr : values;
    launch.extra = nullptr;
    launch.kern = image_.native;
    launch.ctx = context_;
    return launch;
  }
  bool has_attributes_of(const NodeWork& other) const;
  CUresult set_attributes(const driver::CudaTable& cu, CUgraphNode node) const;

  const CUcontext context_;
  const Device& device_;
  Ref<const Kernel> kernel_;
  const KernelImage& image_;
  const std::unique_ptr<const Attributes> attributes_;  // null: none is set
  const Extents extents_;
  KernelArguments arguments_;  // the last member: see room()
};

}  // namespace cucore::core
