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

[[gnu::noinline]] void check_added(const Kernel& kernel, CUresult result) {
  driver::check(result, [&] { return concat("add a node that launches kernel ", kernel.label()); });
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

inline void KernelWork::set_extents(const cucore_launch_options& given) {
  const LaunchConfiguration configuration(device_, nullptr, given);
  const CUlaunchConfig& checked = configuration.get();
  allow_shared(*kernel_, device_, checked.sharedMemBytes);
  launch_.gridDimX = checked.gridDimX, launch_.gridDimY = checked.gridDimY;
  launch_.gridDimZ = checked.gridDimZ;
  launch_.blockDimX = checked.blockDimX, launch_.blockDimY = checked.blockDimY;
  launch_.blockDimZ = checked.blockDimZ;
  launch_.sharedMemBytes = checked.sharedMemBytes;
}

inline void KernelWork::set_extents(const KernelWork& other) {
  const CUDA_KERNEL_NODE_PARAMS own = launch_;
  allow_shared(*kernel_, device_, other.launch_.sharedMemBytes);
  launch_ = other.launch_;
  launch_.kern = own.kern, launch_.ctx = own.ctx;
}

[[gnu::always_inline]] inline bool KernelWork::is_plain(const KernelImage& image,
                                                        const KernelLaunch& launch) {
  constexpr size_t MOST_BYTES = 4096;
  return image.parameters && image.parameters->size() == launch.arguments.size() &&
         launch.arguments.size() <= PLAIN_VALUES && image.room.bytes <= MOST_BYTES &&
         launch.options.dynamic_shared <= ALWAYS_ALLOWED_SHARED &&
         !LaunchAttributes::are_set(launch.options);
}

[[gnu::noinline]] KernelWork* KernelWork::try_make_in(
    KernelWorkStore& store, const Context& context, const KernelImage& image,
    const KernelLaunch& launch, const BufferHandles& handles, void* (&values)[PLAIN_VALUES]) {
  const Device& device = context.device();
  auto* const work = new (KernelArguments::bytes_of(image.room), store.blocks) KernelWork(
      context.native(), device, store.references.take(launch.kernel), image, nullptr, image.room);
  work->launch_.sharedMemBytes = launch.options.dynamic_shared;
  if (!launch.arguments.empty()) work->launch_.kernelParams = values;
  if (!LaunchConfiguration::set_extents(device.limits(), launch.options, work->launch_) ||
      !work->arguments_.try_set(image, device, launch.arguments, handles, store.references, values))
      [[unlikely]] {
    work->drop_reference();
    return nullptr;
  }
  return work;
}

Ref<const KernelWork> KernelWork::make_in(KernelWorkStore& store, const Context& context,
                                          const KernelLaunch& launch, const LaunchHandles& handles,
                                          void** values) {
  const Kernel& kernel = launch.kernel;
  const Device& device = context.device();
  const KernelImage& image = kernel.on(device);
  const size_t count = launch.arguments.size();
  require_count(kernel, image, count);
  const ParameterRoom room = KernelArguments::room_for(image, launch.arguments);
  auto attributes = attributes_of(device, launch.options, handles);
  const auto work = Ref<KernelWork>::adopt(
      new (KernelArguments::bytes_of(room, image, count), store.blocks)
          KernelWork(context.native(), device, store.references.take(kernel), image,
                     std::move(attributes), room, kernel, image, device, launch.arguments,
                     handles.buffers, store.references, values));
  work->set_extents(launch.options);
  return work;
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
  const CUcontext context = before.launch_.ctx;
  const Ref<const Kernel> kernel = change.kernel ? std::move(change.kernel) : before.kernel_;
  const KernelImage& image = kernel->on(device);
  const bool has_none = image.parameters && image.parameters->empty();
  const bool has_arguments = change.arguments || has_none;
  const size_t count = has_arguments ? change.count : before.arguments_.size();
  require_count(*kernel, image, count);
  auto attributes = change.options       ? attributes_of(device, *change.options, handles)
                    : before.attributes_ ? std::make_unique<const Attributes>(*before.attributes_)
                                         : nullptr;
  ArgumentPointers values(count);
  Ref<KernelWork> work;
  if (has_arguments) {
    const std::span given(change.arguments, count);
    const ParameterRoom room = KernelArguments::room_for(image, given);
    ReferenceStock stock;
    work = Ref<KernelWork>::adopt(new (KernelArguments::bytes_of(room, image, count)) KernelWork(
        context, device, kernel, image, std::move(attributes), room, *kernel, image, device, given,
        handles.buffers, stock, values.data()));
  } else {
    before.arguments_.set_pointers(before.image_, values.data());
    for (size_t i = 0; i < count; ++i)
      check_argument(*kernel, image, i,
                     {values.data()[i], before.arguments_.size_of(before.image_, i)});
    work = Ref<KernelWork>::adopt(
        new (KernelArguments::bytes_of(before.arguments_.room(), image, count))
            KernelWork(context, device, kernel, image, std::move(attributes), before.arguments_,
                       before.image_, image));
  }
  if (change.options)
    work->set_extents(*change.options);
  else
    work->set_extents(before);
  return work;
}

CUgraphNode KernelWork::add_to(const driver::CudaTable& cu, CUgraph graph,
                               std::span<const CUgraphNode> after) const {
  ArgumentPointers values(arguments_.size());
  arguments_.set_pointers(image_, values.data());
  const CUDA_KERNEL_NODE_PARAMS launch = native(values.data());
  CUgraphNode node = nullptr;
  const auto add = [&] {
    return cu.cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch);
  };
  // The parameters name the context, so the driver needs no current one.
  CUresult added = add();
  if (added == CUDA_ERROR_INVALID_CONTEXT) [[unlikely]] {
    const driver::ContextGuard guard(launch.ctx);
    added = add();
  }
  check_added(*kernel_, added);
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
  const KernelImage& image = launch.kernel.on(device());  // the first use loads the code
  if (after.size() <= 1 && KernelWork::is_plain(image, launch)) [[likely]]
    if (const NodeNumber added = try_add_plain(after, image, launch, handles.buffers)) [[likely]]
      return added;
  return add_any_kernel(after, launch, handles);
}

// Needs no current context, because the parameters name one. Returns 0 if that does not suffice.
// Most of it is before the call of the driver, which replaces most of the cache.
[[gnu::always_inline]] inline NodeNumber Graph::try_add_plain(std::span<const NodeNumber> after,
                                                              const KernelImage& image,
                                                              const KernelLaunch& launch,
                                                              const BufferHandles& handles) {
  Ref<const NodeWork> refused;  // ends after the lock
  const std::lock_guard lock(root_->mutex());
  const ContextAccess access(*context(), "graph");
  GraphBody& body = *body_;
  if (!body.is_plain()) [[unlikely]]
    return 0;
  GraphNode* const before = body.find_before(after);
  body.reserve_insertion(before);
  void* values[KernelWork::PLAIN_VALUES];
  KernelWork* const work =
      KernelWork::try_make_in(body.store(), *context(), image, launch, handles, values);
  if (!work) [[unlikely]] {
    body.forget_references();
    return 0;
  }
  root_->change();
  GraphNode& node = body.insert(Ref<const NodeWork>::adopt(work), before);
  const CUgraphNode native_before = before ? before->native : nullptr;
  const CUresult result = driver::cuda().cuGraphAddKernelNode(
      &node.native, body.native(), &native_before, after.size(), &work->native());
  work->end_values();
  if (result == CUDA_SUCCESS) [[likely]]
    return node.number;
  refused = body.undo_insertion(before);
  if (result != CUDA_ERROR_INVALID_CONTEXT) check_added(launch.kernel, result);
  return 0;
}

NodeNumber Graph::add_any_kernel(std::span<const NodeNumber> after, const KernelLaunch& launch,
                                 const LaunchHandles& handles) {
  ArgumentPointers values(launch.arguments.size());
  Ref<const NodeWork> work;  // ends after the lock
  const std::unique_lock lock(root_->mutex());
  NewReferences references(*body_);
  work = KernelWork::make_in(body_->store(), *context(), launch, handles, values.data());
  const GraphUse use(*root_, *body_, *work, lock);
  const NodeNumber number = insert(use.cu(), after, work);
  references.keep();
  return number;
}

}  // namespace cucore::core
