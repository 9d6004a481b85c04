// SPDX-License-Identifier: Apache-2.0
// Adds a kernel that is launched as most are. The addition of the next one of many is inline in the
// function of the C API, because the cost of each node matters.
#pragma once

#include <cstring>
#include <new>
#include <span>

#include "core/graph/graph.hpp"

namespace cucore::core {

// Adds the node if all that it needs is at hand, and returns its number. Returns 0 if something is
// missing. Calls nothing but the driver, so that values stay in registers. Needs no current
// context, because the parameters name one. Most of it is before the call of the driver, which
// replaces most of the cache.
[[gnu::always_inline]] inline NodeNumber Graph::try_add_next(
    std::span<const NodeNumber> after, const Kernel& kernel, const cucore_launch_options& options,
    std::span<const cucore_argument> arguments) const {
  const KernelImage* const image = kernel.found_in(context_);
  if (!image || !image->sizes.are_narrow || !is_plain_launch(after, *image, options, arguments))
      [[unlikely]]
    return 0;
  CUresult result;
  {
    const OwnerLock lock(root_->mutex());
    if (!lock.is_locked()) [[unlikely]]
      return 0;
    const QuickContextAccess access(context_, std::nothrow);
    const driver::CudaTable* const cu = driver::cuda_if_open();
    GraphBody& body = *body_;
    PlainNodes& nodes = body.plain();
    if (!access.is_alive() || !cu || !body.is_plain() || !root_->gets_plain(body) ||
        !image->mark.is_of(nodes.owner()) || !body.has_next_number()) [[unlikely]]
      return 0;
    if (!nodes.next().set(device_.limits(), options)) [[unlikely]]
      return 0;
    NodeNumber before = 0;
    CUgraphNode native_before = nullptr;
    if (!after.empty()) [[likely]] {
      before = after[0];
      const PlainNode* const found = nodes.find(before);
      if (!found) [[unlikely]]
        return 0;
      native_before = found->native;
    }
    PlainNode* const node = nodes.reserved(image->sizes.bytes, arguments.size());
    void* pointers[ParameterSizes::MOST];
    if (!node || !nodes.copy_kept_arguments(*node, context_, image->sizes, arguments, pointers))
        [[unlikely]]
      return 0;
    nodes.next().native().kernelParams = arguments.empty() ? nullptr : pointers;
    const NodeNumber number = body.next_number();
    node->number = number;
    node->before = before;
    result = add_plain(*cu, *node, native_before, kernel, *image, options);
    if (result == CUDA_SUCCESS) [[likely]]
      return number;
    nodes.pop_back();
  }
  if (result != CUDA_ERROR_INVALID_CONTEXT) check_added(kernel, result);
  return 0;
}

// Returns the function to add; null for the kernel. The driver crashes for a function if no context
// is current (seen with driver 580), and takes a kernel. Most programs have a context that is
// current for long, or none, so a graph without one does not ask again for the next nodes.
[[gnu::always_inline]] inline CUfunction Graph::function_to_add(const driver::CudaTable& cu,
                                                                const KernelImage& image) const {
  uint32_t& waits = body_->plain().nodes_without_function();
  if (waits != 0) {
    --waits;
    return nullptr;
  }
  const CUfunction function = image.function.is_found_in(context_) ? image.function.get() : nullptr;
  if (!function) return nullptr;
  CUcontext current = nullptr;
  if (cu.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == native_context_) [[likely]]
    return function;
  waits = PlainNodes::WITHOUT_FUNCTION;
  return nullptr;
}

// The lock is held. Adds the node to the list and to the graph of the driver. It has its numbers
// and arguments, and its extents are set.
[[gnu::always_inline]] inline CUresult Graph::add_plain(
    const driver::CudaTable& cu, PlainNode& node, CUgraphNode native_before, const Kernel& kernel,
    const KernelImage& image, const cucore_launch_options& options) const {
  PlainNodes& nodes = body_->plain();
  CUDA_KERNEL_NODE_PARAMS& native = nodes.next().native();
  native.sharedMemBytes = options.dynamic_shared;
  const CUfunction function = function_to_add(cu, image);
  native.func = function;
  native.kern = function ? nullptr : image.native;
  native.ctx = native_context_;
  node.kernel = &kernel;
  std::memcpy(node.extents, extents_of(options), sizeof node.extents);
  node.dynamic_shared = options.dynamic_shared;
  nodes.push_back(&node, image.sizes.bytes);
  return cu.cuGraphAddKernelNode(&node.native, body_->native(), &native_before,
                                 native_before ? 1 : 0, &native);
}

}  // namespace cucore::core
