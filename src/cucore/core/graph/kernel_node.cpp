// SPDX-License-Identifier: Apache-2.0
// Makes the works of kernels, and adds them to graphs. All of it is in one file, so that the
// compiler joins the steps: the cost of each node matters.
#include <algorithm>
#include <utility>

#include "core/graph/graph_use.hpp"
#include "core/graph/kernel_work.hpp"
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

}  // namespace

inline std::unique_ptr<const KernelWork::Attributes> KernelWork::attributes_of(
    const Device& device, const cucore_launch_options& given, const LaunchHandles& handles) {
  if (!LaunchAttributes::are_set(given)) [[likely]]
    return nullptr;
  return std::unique_ptr<const Attributes>(
      new Attributes{attributes_of_node(device, given, handles),
                     {given.cluster[0], given.cluster[1], given.cluster[2]},
                     given.programmatic_serialization != 0});
}

inline KernelWork::Extents KernelWork::extents_of(const Kernel& kernel, const Device& device,
                                                  const cucore_launch_options& given) {
  const LaunchConfiguration configuration(device, nullptr, given);
  allow_shared(kernel, device, configuration.get().sharedMemBytes);
  return Extents(configuration.get());
}

[[gnu::always_inline]] inline Ref<const KernelWork> KernelWork::make_in(
    KernelWorkStore& store, const Context& context, const KernelLaunch& launch,
    const LaunchHandles& handles, void** values) {
  const Kernel& kernel = launch.kernel;
  const Device& device = context.device();
  const KernelImage& image = kernel.on(device);
  require_count(kernel, image, launch.arguments.size());
  const ParameterRoom room = KernelArguments::room_for(image, launch.arguments);
  return Ref<const KernelWork>::adopt(
      new (KernelArguments::bytes_of(room, launch.arguments.size()), store.blocks)
          KernelWork(context.native(), device, store.references.take(kernel), image,
                     attributes_of(device, launch.options, handles),
                     extents_of(kernel, device, launch.options), room, kernel, image, device,
                     launch.arguments, handles.buffers, store.references, values));
}

Ref<const KernelWork> KernelWork::make(const Context& context, const KernelLaunch& launch,
                                       const LaunchHandles& handles) {
  KernelWorkStore store;
  ArgumentPointers values(launch.arguments.size());
  return make_in(store, context, launch, handles, values.data());
}

// A kernel without parameters takes none of the values before.
Ref<const KernelWork> KernelWork::make_changed(const KernelWork& before, KernelChange change,
                                               const LaunchHandles& handles) {
  const Device& device = before.device_;
  const Ref<const Kernel> kernel = change.kernel ? std::move(change.kernel) : before.kernel_;
  const KernelImage& image = kernel->on(device);
  const bool has_none = image.parameters && image.parameters->empty();
  const bool has_arguments = change.arguments || has_none;
  const size_t count = has_arguments ? change.count : before.arguments_.size();
  require_count(*kernel, image, count);
  auto attributes = change.options       ? attributes_of(device, *change.options, handles)
                    : before.attributes_ ? std::make_unique<const Attributes>(*before.attributes_)
                                         : nullptr;
  const Extents extents =
      change.options ? extents_of(*kernel, device, *change.options) : before.extents_;
  allow_shared(*kernel, device, extents.dynamic_shared);
  if (has_arguments) {
    const std::span given(change.arguments, count);
    const ParameterRoom room = KernelArguments::room_for(image, given);
    ArgumentPointers values(count);
    ReferenceStock stock;
    return Ref<const KernelWork>::adopt(new (KernelArguments::bytes_of(room, count)) KernelWork(
        before.context_, device, kernel, image, std::move(attributes), extents, room, *kernel,
        image, device, given, handles.buffers, stock, values.data()));
  }
  ArgumentPointers values(count);
  before.arguments_.set_pointers(values.data());
  for (size_t i = 0; i < count; ++i)
    check_argument(*kernel, image, i, {values.data()[i], before.arguments_.size_of(i)});
  return Ref<const KernelWork>::adopt(
      new (KernelArguments::bytes_of(before.arguments_.room(), count))
          KernelWork(before.context_, device, kernel, image, std::move(attributes), extents,
                     before.arguments_));
}

CUgraphNode KernelWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  ArgumentPointers values(arguments_.size());
  arguments_.set_pointers(values.data());
  return add_values_to(cu, graph, after, values.data());
}

[[gnu::always_inline]] inline CUgraphNode KernelWork::add_values_to(
    const driver::CudaTable& cu, CUgraph graph, std::span<const CUgraphNode> after,
    void** values) const {
  const CUDA_KERNEL_NODE_PARAMS launch = native(values);
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

namespace {

// The references that a body takes for a new node. Unless they are kept, the body forgets them at
// the end of the scope, in which the caller has the lock.
class NewReferences {
 public:
  explicit NewReferences(GraphBody& body) : body_(&body) {}
  ~NewReferences() {
    if (body_) body_->forget_references();
  }
  NewReferences(const NewReferences&) = delete;
  NewReferences& operator=(const NewReferences&) = delete;
  void keep() noexcept { body_ = nullptr; }

 private:
  GraphBody* body_;
};

}  // namespace

NodeNumber Graph::add_kernel(std::span<const NodeNumber> after, const KernelLaunch& launch,
                             const LaunchHandles& handles) {
  (void)launch.kernel.on(device());  // the first use loads the code, which needs no lock
  ArgumentPointers values(launch.arguments.size());
  Ref<const KernelWork> work;  // ends after the lock
  std::unique_lock lock(root_->mutex());
  NewReferences references(*body_);
  work = KernelWork::make_in(body_->store(), *context(), launch, handles, values.data());
  if (after.size() > 1 || work->needs_context() || body_->may_have_changed()) [[unlikely]] {
    references.keep();
    return add_with_context(std::move(lock), after, std::move(work));
  }
  const ContextAccess access(*context(), "graph");
  body_->require_usable();
  body_->require_alive();
  GraphNode* const before = after.empty() ? nullptr : &body_->find(after[0]);
  body_->reserve_insertion(before);
  const CUgraphNode native_before = before ? before->native : nullptr;
  const CUgraphNode native = work->add_values_to(driver::cuda(), body_->native(),
                                                 {&native_before, after.size()}, values.data());
  references.keep();
  root_->change();
  return body_->insert(native, std::move(work), before);
}

NodeNumber Graph::add_with_context(std::unique_lock<BiasedMutex> lock,
                                   std::span<const NodeNumber> after, Ref<const NodeWork> work) {
  const GraphUse use(std::move(lock), *root_, *body_);
  NewReferences references(*body_);
  const NodeNumber number = insert(use.cu(), after, work);
  references.keep();
  return number;
}

}  // namespace cucore::core
