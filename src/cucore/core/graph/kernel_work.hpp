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

struct PlainNode;

class KernelWork final : public NodeWork {
 public:
  // The work of a plain node.
  static Ref<const KernelWork> make_in(KernelWorkStore& store, const Context& context,
                                       const PlainNode& node);
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
    // Takes a reference over. Null is allowed.
    void add(const NodeWork* work) noexcept {
      if (!work) return;
      if (work->kind() == NodeKind::KERNEL && work->has_one_reference()) [[likely]]
        return add_kernel(const_cast<KernelWork*>(static_cast<const KernelWork*>(work)));
      work->drop_reference();
    }

   private:
    // Inline, because the cost of each node matters.
    [[gnu::always_inline]] void add_kernel(KernelWork* work) noexcept {
      references_.put(work->kernel_.detach());
      work->arguments_.give(references_);
      work->KernelWork::~KernelWork();
      memory_.add(work);
    }

    ReferenceStock& references_;
    ObjectBlocks::Returns memory_;
  };

  const Device& device() const { return device_; }
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
  // Of few launches.
  struct Attributes {
    std::vector<CUlaunchAttribute> list;  // of the node
    std::array<uint32_t, 3> cluster;
    bool is_programmatic;
  };

  // Without extents. `arguments` construct the arguments.
  template <class... Arguments>
  KernelWork(CUcontext context, const Device& device, Ref<const Kernel> kernel,
             const KernelImage& image, std::unique_ptr<const Attributes> attributes,
             Arguments&&... arguments)
      : NodeWork(NodeKind::KERNEL),
        device_(device),
        kernel_(std::move(kernel)),
        image_(image),
        attributes_(std::move(attributes)),
        arguments_(std::forward<Arguments>(arguments)...) {
    launch_.func = nullptr;
    launch_.kernelParams = nullptr;
    launch_.extra = nullptr;
    launch_.kern = image.native;
    launch_.ctx = context;
  }
  ~KernelWork() override = default;
  static std::unique_ptr<const Attributes> attributes_of(const Device& device,
                                                         const cucore_launch_options& given,
                                                         const LaunchHandles& handles);
  // Throws INVALID_ARGUMENT for extents that the device does not allow.
  void set_extents(const cucore_launch_options& given);
  void set_extents(const KernelWork& other);
  // `values` must live as long as the result.
  CUDA_KERNEL_NODE_PARAMS native(void** values) const {
    CUDA_KERNEL_NODE_PARAMS launch = launch_;
    launch.kernelParams = arguments_.size() == 0 ? nullptr : values;
    return launch;
  }
  bool has_attributes_of(const NodeWork& other) const;
  CUresult set_attributes(const driver::CudaTable& cu, CUgraphNode node) const;

  const Device& device_;
  Ref<const Kernel> kernel_;
  const KernelImage& image_;
  const std::unique_ptr<const Attributes> attributes_;  // null: none is set
  CUDA_KERNEL_NODE_PARAMS launch_;                      // without values
  KernelArguments arguments_;                           // the last member: see room()
};

}  // namespace cucore::core
