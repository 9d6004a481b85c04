// SPDX-License-Identifier: Apache-2.0
// The fake driver's launches: each is checked as in the driver, and recorded with its arguments.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {

// Launches are recorded up to a number beyond any test's needs, so that a benchmark measures the
// caller and not this.
void record_launch(const fake_launch& launch) {
  constexpr size_t KEPT = 4096;
  Driver& d = driver();
  ++d.launch_count;
  if (d.launches.size() < KEPT) d.launches.push_back(launch);
  if (d.settings.launch_hook) d.settings.launch_hook(&launch, d.settings.launch_data);
}

}  // namespace fake

namespace fake::api {
namespace {

bool is_valid(const CUlaunchConfig& config) {
  const auto block = uint64_t{config.blockDimX} * config.blockDimY * config.blockDimZ;
  return config.gridDimX && config.gridDimX <= 2147483647u && config.gridDimY &&
         config.gridDimY <= 65535 && config.gridDimZ && config.gridDimZ <= 65535 && block &&
         block <= 1024 && config.blockDimZ <= 64;
}

void describe(const CUlaunchConfig& config, fake_launch& launch) {
  const uint32_t grid[] = {config.gridDimX, config.gridDimY, config.gridDimZ};
  const uint32_t block[] = {config.blockDimX, config.blockDimY, config.blockDimZ};
  std::copy_n(grid, 3, launch.grid);
  std::copy_n(block, 3, launch.block);
  launch.dynamic_shared = config.sharedMemBytes;
  launch.stream = config.hStream;
}

void describe(const CUlaunchAttribute& attribute, fake_launch& launch) {
  const CUlaunchAttributeValue& value = attribute.value;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    const uint32_t cluster[] = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    std::copy_n(cluster, 3, launch.cluster);
  }
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.cooperative = value.cooperative;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
    launch.programmatic_serialization = value.programmaticStreamSerializationAllowed;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
    launch.priority = value.priority;
    launch.has_priority = 1;
  }
}

// The first driver that has the attribute; the others are older than the library's oldest driver.
int first_version(CUlaunchAttributeID id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      return 12030;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return 12040;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return 12050;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return 12080;
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return 13000;
    default:
      return 0;
  }
}

// Records an event as the kernel would.
CUresult record_event_of(const CUlaunchAttribute& attribute) {
  const CUlaunchAttributeValue& value = attribute.value;
  const bool programmatic = attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  if (!programmatic && attribute.id != CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
    return CUDA_SUCCESS;
  Event* event = driver().events.find_or_note(
      programmatic ? value.programmaticEvent.event : value.launchCompletionEvent.event,
      "cuLaunchKernelEx");
  NEED(event, CUDA_ERROR_INVALID_HANDLE);
  NEED((event->flags & CU_EVENT_DISABLE_TIMING) && !(event->flags & CU_EVENT_INTERPROCESS),
       CUDA_ERROR_INVALID_VALUE);
  event->recorded = true;
  event->record_number = ++driver().records;
  return CUDA_SUCCESS;
}

CUresult take_attributes(const CUlaunchConfig& config, const Stream* stream, fake_launch& launch) {
  launch.attribute_count = config.numAttrs;
  NEED(config.numAttrs <= FAKE_MAX_ATTRIBUTES, CUDA_ERROR_INVALID_VALUE);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    NEED(driver().version >= first_version(attribute.id), CUDA_ERROR_INVALID_VALUE);
    const bool captured = stream && stream->capture.active;
    NEED(captured || attribute.id != CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
         CUDA_ERROR_INVALID_VALUE);
    describe(attribute, launch);
    launch.attributes[i].id = attribute.id;
    std::memcpy(launch.attributes[i].value, &attribute.value, sizeof launch.attributes[i].value);
    RETURN_IF_FAILED(record_event_of(attribute));
  }
  return CUDA_SUCCESS;
}

CUresult copy_separate(const KernelImage& kernel, void** arguments, fake_launch& launch) {
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    NEED(arguments && arguments[i], CUDA_ERROR_INVALID_VALUE);
    const size_t end = kernel.offsets[i] + kernel.sizes[i];
    NEED(end <= sizeof launch.arguments, CUDA_ERROR_INVALID_VALUE);
    std::memcpy(launch.arguments + kernel.offsets[i], arguments[i], kernel.sizes[i]);
    launch.argument_size = end;
  }
  return CUDA_SUCCESS;
}

CUresult copy_packed(void** extra, fake_launch& launch) {
  const void* buffer = nullptr;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = at[1];
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) launch.argument_size = *static_cast<size_t*>(at[1]);
  }
  NEED(launch.argument_size <= sizeof launch.arguments, CUDA_ERROR_INVALID_VALUE);
  NEED(buffer || launch.argument_size == 0, CUDA_ERROR_INVALID_VALUE);
  if (buffer) std::memcpy(launch.arguments, buffer, launch.argument_size);
  launch.packed = 1;
  return CUDA_SUCCESS;
}

CUresult check_shared(const Kernel& kernel, int device, uint32_t wanted) {
  constexpr int MOST = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  const auto set = kernel.attributes.find({MOST, device});
  const int most = set == kernel.attributes.end() ? 49152 : set->second;
  return wanted <= static_cast<uint32_t>(most) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void copy_attributes(const fake_launch& from, fake_launch& to) {
  std::copy_n(from.cluster, 3, to.cluster);
  to.cooperative = from.cooperative;
  to.priority = from.priority, to.has_priority = from.has_priority;
}

CUlaunchConfig config_of(const CUDA_KERNEL_NODE_PARAMS& node) {
  CUlaunchConfig config{};
  config.gridDimX = node.gridDimX, config.gridDimY = node.gridDimY;
  config.gridDimZ = node.gridDimZ;
  config.blockDimX = node.blockDimX, config.blockDimY = node.blockDimY;
  config.blockDimZ = node.blockDimZ;
  config.sharedMemBytes = node.sharedMemBytes;
  return config;
}

// The launch of a node, which must name its context, and a function or a kernel. NVIDIA's driver
// 580 crashes for a function if no context is current. It takes no kernel for a function.
CUresult launch_of(const CUDA_KERNEL_NODE_PARAMS& node, fake_launch& launch) {
  NEED(node.kern || node.func, CUDA_ERROR_INVALID_HANDLE);
  if (node.func && context_stack().empty())
    calls().violation("a kernel node with a function, without a current context");
  const Context* context = context_of(node.ctx);
  RETURN_IF_FAILED(usable(context));
  if (node.func && !driver().functions.find_or_note(node.func, "a kernel node"))
    return CUDA_ERROR_INVALID_HANDLE;
  Kernel* kernel = nullptr;
  const void* const launched = node.func ? static_cast<const void*>(node.func) : node.kern;
  RETURN_IF_FAILED(find_launched(launched, context, kernel, "a kernel node"));
  const CUlaunchConfig config = config_of(node);
  NEED(is_valid(config), CUDA_ERROR_INVALID_VALUE);
  RETURN_IF_FAILED(check_shared(*kernel, context->device, config.sharedMemBytes));
  std::memset(&launch, 0, offsetof(fake_launch, arguments));
  std::strncpy(launch.kernel, kernel->image.name.c_str(), sizeof launch.kernel - 1);
  launch.is_function = node.func != nullptr;
  launch.context = context->handle;
  describe(config, launch);
  return node.extra ? copy_packed(node.extra, launch)
                    : copy_separate(kernel->image, node.kernelParams, launch);
}

// Host functions run in the order of their calls, on one thread. The rest of the work does not wait
// for them.
class HostFunctions {
 public:
  HostFunctions() {
    std::thread([this] { run(); }).detach();
  }

  void add(CUhostFn function, void* user_data) {
    const std::lock_guard lock(mutex_);
    calls_.push_back({function, user_data});
    added_.notify_one();
  }

 private:
  struct Call {
    CUhostFn function;
    void* user_data;
  };

  [[noreturn]] void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      added_.wait(lock, [this] { return !calls_.empty(); });
      const Call call = calls_.front();
      calls_.pop_front();
      lock.unlock();
      call.function(call.user_data);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Call> calls_;
};

HostFunctions& host_functions() {
  static auto* functions = new HostFunctions;
  return *functions;
}

}  // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
  const auto lock = locked();
  auto launch = std::make_shared<fake_launch>();
  RETURN_IF_FAILED(launch_of(*params, *launch));
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_KERNEL;
  node.launch = std::move(launch);
  *out = add_node(graph, before, count, std::move(node));
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// A node has the name of its kernel, and not the kernel.
CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* out) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphKernelNodeGetParams");
  NEED(node && node->launch, CUDA_ERROR_INVALID_VALUE);
  const fake_launch& launch = *node->launch;
  *out = {};
  out->gridDimX = launch.grid[0], out->gridDimY = launch.grid[1], out->gridDimZ = launch.grid[2];
  out->blockDimX = launch.block[0], out->blockDimY = launch.block[1];
  out->blockDimZ = launch.block[2];
  out->sharedMemBytes = launch.dynamic_shared;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue* out) {
  const auto lock = locked();
  const GraphNode* node =
      driver().graph_nodes.find_or_note(handle, "cuGraphKernelNodeGetAttribute");
  NEED(node && node->launch, CUDA_ERROR_INVALID_VALUE);
  *out = {};
  const uint32_t(&cluster)[3] = node->launch->cluster;
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    out->clusterDim = {cluster[0], cluster[1], cluster[2]};
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* params) {
  const auto lock = locked();
  GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphKernelNodeSetParams");
  NEED(node && node->launch, CUDA_ERROR_INVALID_VALUE);
  auto launch = std::make_shared<fake_launch>();
  RETURN_IF_FAILED(launch_of(*params, *launch));
  copy_attributes(*node->launch, *launch);
  node->launch = std::move(launch);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode handle,
                                        const CUDA_KERNEL_NODE_PARAMS* params) {
  const auto lock = locked();
  GraphNode* step = step_of(exec, handle);
  NEED(step && step->launch, CUDA_ERROR_INVALID_VALUE);
  auto launch = std::make_shared<fake_launch>();
  RETURN_IF_FAILED(launch_of(*params, *launch));
  copy_attributes(*step->launch, *launch);
  step->launch = std::move(launch);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  const auto lock = locked();
  GraphNode* node = driver().graph_nodes.find_or_note(to, "cuGraphKernelNodeCopyAttributes");
  const GraphNode* other =
      driver().graph_nodes.find_or_note(from, "cuGraphKernelNodeCopyAttributes");
  NEED(node && other && node->launch && other->launch, CUDA_ERROR_INVALID_VALUE);
  auto launch = std::make_shared<fake_launch>(*node->launch);
  copy_attributes(*other->launch, *launch);
  node->launch = std::move(launch);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue* value) {
  const auto lock = locked();
  GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphKernelNodeSetAttribute");
  NEED(node && node->launch, CUDA_ERROR_INVALID_VALUE);
  NEED(id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, CUDA_ERROR_INVALID_VALUE);
  auto launch = std::make_shared<fake_launch>(*node->launch);
  CUlaunchAttribute attribute{};
  attribute.id = id;
  attribute.value = *value;
  describe(attribute, *launch);
  node->launch = std::move(launch);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  const auto lock = locked();
  Context* context = nullptr;
  Stream* stream = nullptr;
  RETURN_IF_FAILED(resolve_work(config->hStream, context, stream, "cuLaunchKernelEx"));
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_launched(function, context, kernel, "cuLaunchKernelEx"));
  NEED(is_valid(*config), CUDA_ERROR_INVALID_VALUE);
  RETURN_IF_FAILED(check_shared(*kernel, context->device, config->sharedMemBytes));
  thread_local fake_launch launch;
  std::memset(&launch, 0, offsetof(fake_launch, arguments));
  std::strncpy(launch.kernel, kernel->image.name.c_str(), sizeof launch.kernel - 1);
  launch.is_function = driver().functions.find(function) != nullptr;
  launch.context = context->handle;
  describe(*config, launch);
  RETURN_IF_FAILED(take_attributes(*config, stream, launch));
  RETURN_IF_FAILED(extra ? copy_packed(extra, launch)
                         : copy_separate(kernel->image, arguments, launch));
  if (stream && stream->capture.active) {
    GraphNode node;
    node.type = CU_GRAPH_NODE_TYPE_KERNEL;
    node.launch = std::make_shared<const fake_launch>(launch);
    capture_work(stream, std::move(node));
    return CUDA_SUCCESS;
  }
  record_launch(launch);
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* user_data) {
  auto lock = locked();
  Context* context = nullptr;
  Stream* stream = nullptr;
  RETURN_IF_FAILED(resolve_work(handle, context, stream, "cuLaunchHostFunc"));
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_HOST;
  node.run = [function, user_data] { function(user_data); };
  if (capture_work(stream, std::move(node))) return CUDA_SUCCESS;
  host_functions().add(function, user_data);
  return CUDA_SUCCESS;
}

}  // namespace fake::api
