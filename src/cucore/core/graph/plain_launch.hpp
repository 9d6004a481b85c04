// SPDX-License-Identifier: Apache-2.0
// Adds a kernel that is launched as most are: without attributes, with known parameters, and after
// at most one other node. All of it is inline in the function of the C API, because the cost of
// each node matters.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "core/graph/graph.hpp"
#include "core/load/launch.hpp"
#include "core/load/launch_configuration.hpp"

namespace cucore::core {

// The extents of the grid and of a block are next to each other.
static_assert(offsetof(cucore_launch_options, block) ==
              offsetof(cucore_launch_options, grid) + sizeof cucore_launch_options{}.grid);
template <class Options>
auto* extents_of(Options& options) {
  using Byte = std::conditional_t<std::is_const_v<Options>, const std::byte, std::byte>;
  return reinterpret_cast<Byte*>(&options) + offsetof(cucore_launch_options, grid);
}

// Needs no current context, because the parameters name one. Returns 0 if that does not suffice, or
// if only all checks can decide. Most of it is before the call of the driver, which replaces most
// of the cache.
[[gnu::always_inline]] inline NodeNumber Graph::try_add_plain(
    std::span<const NodeNumber> after, const Kernel& kernel, const cucore_launch_options& options,
    std::span<const cucore_argument> arguments, const BufferHandles& handles) const {
  const KernelImage* image = kernel.loaded_on(device_);
  if (!image) [[unlikely]]
    image = &load(kernel);
  const ParameterSizes& sizes = image->sizes;
  if (after.size() > 1 || !sizes.are_for(arguments.size()) ||
      options.dynamic_shared > ALWAYS_ALLOWED_SHARED || LaunchAttributes::are_set(options))
      [[unlikely]]
    return 0;
  CUDA_KERNEL_NODE_PARAMS native;
  if (!LaunchConfiguration::set_extents(device_.limits(), options, native)) [[unlikely]]
    return 0;
  Ref<const Object> dropped;  // ends after the lock
  const BiasedLock lock(root_->mutex());
  const ContextAccess access(context_, "graph");
  GraphBody& body = *body_;
  if (!body.is_plain()) [[unlikely]]
    return 0;
  root_->let_add_plain(body);
  const NodeNumber before = after.empty() ? 0 : after[0];
  const CUgraphNode native_before = after.empty() ? nullptr : body.find_handle(before);
  PlainNodes& nodes = body.plain();
  PlainNode& node = *nodes.reserve(sizes.bytes, arguments.size());
  void* pointers[ParameterSizes::MOST];
  try {
    if (!image->mark.is_of(nodes.owner())) [[unlikely]]
      nodes.keep(kernel, *image);
    if (!nodes.copy_arguments(node, context_, sizes, arguments, handles, pointers)) [[unlikely]] {
      dropped = nodes.drop_kept();
      return 0;
    }
  } catch (...) {
    dropped = nodes.drop_kept();
    throw;
  }
  native.func = nullptr;
  native.sharedMemBytes = options.dynamic_shared;
  native.kernelParams = arguments.empty() ? nullptr : pointers;
  native.extra = nullptr;
  native.kern = image->native;
  native.ctx = native_context_;
  const NodeNumber number = body.next_number();
  node.number = number;
  node.before = before;
  node.kernel = &kernel;
  std::memcpy(node.extents, extents_of(options), sizeof node.extents);
  node.dynamic_shared = options.dynamic_shared;
  nodes.push_back(&node, sizes.bytes);
  root_->change();
  const CUresult result = driver::cuda().cuGraphAddKernelNode(
      &node.native, body.native(), &native_before, after.size(), &native);
  if (result == CUDA_SUCCESS) [[likely]]
    return number;
  nodes.pop_back();
  dropped = nodes.drop_kept();
  if (result != CUDA_ERROR_INVALID_CONTEXT) check_added(kernel, result);
  return 0;
}

}  // namespace cucore::core
