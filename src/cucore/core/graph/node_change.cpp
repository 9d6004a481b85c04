// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_change.hpp"

#include <string>
#include <utility>

#include "core/graph/graph_text.hpp"
#include "core/graph/semaphore_work.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

[[noreturn]] void throw_kind(const GraphNode& node, const char* kind) {
  throw Error(Status::INVALID_ARGUMENT, concat("cannot set ", describe_node(node),
                                               " as a node of "
                                               "kind ",
                                               kind, "; call the function of its kind"));
}

}  // namespace

void require_replaceable(const GraphNode& node, const NodeWork* before, const NodeWork& work) {
  if (node.kind != work.kind()) throw_kind(node, name_of(work.kind()));
  if (before && before->kind() != work.kind()) throw_kind(node, name_of(work.kind()));
  work.require_usable();
}

bool is_refusal(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED;
}

void check_refusal(const NodeWork& work, CUresult result) {
  if (!is_refusal(result)) return;
  if (std::string why = work.refusal(); !why.empty())
    throw Error(Status::UNSUPPORTED, std::move(why), {},
                {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
}

const Device& kernel_device(const Context& context, const GraphNode& node, const NodeWork* before) {
  if (node.kind != NodeKind::KERNEL) throw_kind(node, name_of(NodeKind::KERNEL));
  return before ? static_cast<const KernelWork&>(*before).device() : context.device();
}

Ref<const NodeWork> changed_kernel(const Context& context, const GraphNode& node,
                                   const NodeWork* before, KernelChange change,
                                   const LaunchHandles& handles) {
  if (node.kind != NodeKind::KERNEL) throw_kind(node, name_of(NodeKind::KERNEL));
  if (before)
    return KernelWork::make_changed(static_cast<const KernelWork&>(*before), std::move(change),
                                    handles);
  if (!change.kernel || !change.options)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a capture or other code has added ", describe_node(node),
                       ", so its launch is not known; pass kernel, options and arguments"));
  return KernelWork::make(
      context, {*change.kernel, *change.options, {change.arguments, change.count}}, handles);
}

Ref<const NodeWork> semaphore_work(const GraphNode& node, Ref<const External> semaphore,
                                   uint64_t value) {
  if (node.kind != NodeKind::SEMAPHORE_SIGNAL && node.kind != NodeKind::SEMAPHORE_WAIT)
    throw Error(Status::INVALID_ARGUMENT,
                concat(describe_node(node),
                       " has no semaphore; expected a node that signals a semaphore or waits for "
                       "it"));
  return make<SemaphoreWork>(node.kind, std::move(semaphore), value);
}

Ref<const NodeWork> event_work(const GraphNode& node, Ref<const Event> event) {
  if (node.kind != NodeKind::RECORD && node.kind != NodeKind::WAIT)
    throw Error(Status::INVALID_ARGUMENT,
                concat(describe_node(node),
                       " has no event; expected a node that records an event "
                       "or waits for one"));
  return make<EventWork>(node.kind, std::move(event));
}

}  // namespace cucore::core
