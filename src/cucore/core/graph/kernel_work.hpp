// SPDX-License-Identifier: Apache-2.0
// A launch of a kernel as the work of a node.
#pragma once

#include <cucore.h>

#include <memory>
#include <vector>

#include "core/graph/node_work.hpp"
#include "core/load/buffer_arguments.hpp"
#include "core/load/launch_configuration.hpp"

namespace cucore::core {

class KernelWork final : public NodeWork {
 public:
  // Throws as launch() does for the same arguments on a stream of the device.
  KernelWork(const Context& context, Ref<const Kernel> kernel, const cucore_launch_options& options,
             const cucore_argument* arguments, size_t count, const BufferHandles& handles);

  CUgraphNode add_to(const driver::CudaTable& cu, CUgraph graph,
                     std::span<const CUgraphNode> after) const override;
  void require_usable() const override;
  NodeFacts facts() const override;
  bool is_programmatic() const override { return is_programmatic_; }
  bool may_print() const override;

 private:
  ~KernelWork() override = default;
  void copy(const cucore_argument* arguments, size_t count, const BufferHandles& handles);
  void set_attributes(const driver::CudaTable& cu, CUgraphNode node) const;

  const CUcontext context_;
  const Device& device_;
  const Ref<const Kernel> kernel_;
  const KernelImage& image_;
  const LaunchConfiguration configuration_;
  const std::array<uint32_t, 3> cluster_;
  const bool is_programmatic_;
  std::unique_ptr<std::byte[]> values_;
  mutable std::vector<void*> pointers_;  // the driver's type of the list is not const
  std::vector<Ref<const Buffer>> buffers_;
};

}  // namespace cucore::core
