// SPDX-License-Identifier: Apache-2.0
// Makes the works of kernels, and adds them to graphs. All of it is in one file, so that the
// compiler joins the steps: the cost of each node matters.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/graph/graph_use.hpp"
#include "core/graph/kernel_work.hpp"
#include "core/graph/plain_launch.hpp"
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

void Graph::check_added(const Kernel& kernel, CUresult result) {
  driver::check(result, [&] { return concat("add a node that launches kernel ", kernel.label()); });
}

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

Ref<const KernelWork> KernelWork::make_in(KernelWorkStore& store, const Context& context,
                                          const PlainNode& node) {
  const Device& device = context.device();
  const KernelImage& image = node.kernel->on(device);
  const std::span buffers(node.buffers(image.sizes.bytes), node.buffer_count);
  const auto work =
      Ref<KernelWork>::adopt(new (KernelArguments::bytes_of(image.room), store.blocks) KernelWork(
          context.native(), device, store.references.take(*node.kernel), image, nullptr, image.room,
          image.sizes.count, node.values(), buffers, store.references));
  cucore_launch_options options;
  std::memcpy(extents_of(options), node.extents, sizeof node.extents);
  (void)core::set_extents(device.limits(), options, work->launch_);
  work->launch_.sharedMemBytes = node.dynamic_shared;
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
  Graph::check_added(*kernel_, added);
  if (const CUresult result = set_attributes(cu, node); result != CUDA_SUCCESS) {
    driver::check_release(cu.cuGraphDestroyNode(node), "destroy a node of a graph");
    driver::check(result, [&] {
      return concat("set the launch attributes of a node that launches kernel ", kernel_->label());
    });
  }
  return node;
}

namespace {

// The references that a body takes for a new node. Unless they are kept, `dropped` gets those of
// the body at the end of the scope, in which the caller has the lock. It ends after the lock,
// because that may run functions of the program.
class NewReferences {
 public:
  NewReferences(GraphBody& body, std::optional<ReferenceStock>& dropped)
      : body_(&body), dropped_(dropped) {}
  ~NewReferences() {
    if (body_) body_->store().references.move_to(dropped_.emplace());
  }
  NewReferences(const NewReferences&) = delete;
  NewReferences& operator=(const NewReferences&) = delete;
  void keep() noexcept { body_ = nullptr; }

 private:
  GraphBody* body_;
  std::optional<ReferenceStock>& dropped_;
};

}  // namespace

// Loads nothing into a context that is lost.
const KernelImage& Graph::load(const Kernel& kernel) const {
  require_usable();
  const KernelImage& image = kernel.on(device_);
  image.function.find(image.native, context_);
  return image;
}

NodeNumber Graph::try_add_plain(std::span<const NodeNumber> after, const KernelLaunch& launch,
                                const KernelImage& image, const BufferHandles& handles) const {
  {
    const BiasedLock lock(root_->mutex());
    if (!body_->is_plain()) return 0;  // costs less than to find out below
  }
  const auto& [kernel, options, arguments] = launch;
  const ParameterSizes& sizes = image.sizes;
  if (!is_plain_launch(after, image, options, arguments)) return 0;
  const driver::CudaTable& cu = driver::cuda();
  CUresult result;
  Ref<const Object> dropped;  // ends after the lock
  {
    const BiasedLock lock(root_->mutex());
    const ContextAccess access(context_, "graph");
    GraphBody& body = *body_;
    PlainNodes& nodes = body.plain();
    if (!body.is_plain() || !nodes.next().set(device_.limits(), options)) return 0;
    root_->let_add_plain(body);
    const NodeNumber before = after.empty() ? 0 : after[0];
    const CUgraphNode native_before = after.empty() ? nullptr : body.find_handle(before);
    PlainNode& node = *nodes.reserve(sizes.bytes, arguments.size());
    void* pointers[ParameterSizes::MOST];
    try {
      if (!image.mark.is_of(nodes.owner())) nodes.keep(kernel, image);
      if (!nodes.copy_arguments(node, context_, sizes, arguments, handles, pointers)) {
        dropped = nodes.drop_kept();
        return 0;
      }
    } catch (...) {
      dropped = nodes.drop_kept();
      throw;
    }
    nodes.next().native().kernelParams = arguments.empty() ? nullptr : pointers;
    node.number = body.next_number();
    node.before = before;
    root_->change();
    result = add_plain(cu, node, native_before, kernel, image, options);
    if (result == CUDA_SUCCESS) return node.number;
    nodes.pop_back();
    dropped = nodes.drop_kept();
  }
  if (result != CUDA_ERROR_INVALID_CONTEXT) check_added(kernel, result);
  return 0;
}

NodeNumber Graph::add_kernel(std::span<const NodeNumber> after, const KernelLaunch& launch,
                             const LaunchHandles& handles) {
  (void)driver::cuda();  // throws in a forked process, where the lock may stay taken
  const KernelImage* image = launch.kernel.found_in(context_);
  if (!image) image = &load(launch.kernel);
  if (const NodeNumber number = try_add_plain(after, launch, *image, handles.buffers))
    return number;
  require_usable();
  ArgumentPointers values(launch.arguments.size());
  // These end after the lock.
  Ref<const NodeWork> work;
  std::optional<ReferenceStock> dropped;
  const std::unique_lock lock(root_->mutex());
  NewReferences references(*body_, dropped);
  work = KernelWork::make_in(body_->store(), *context(), launch, handles, values.data());
  const GraphUse use(*root_, *body_, *work, lock);
  const NodeNumber number = insert(use.cu(), after, work);
  references.keep();
  body_->note_kernel();
  return number;
}

}  // namespace cucore::core
