// SPDX-License-Identifier: Apache-2.0
// Kernel nodes: parameters and attributes.
#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/node_launch.hpp"
#include "cpu/driver/graph/node_params.hpp"

namespace cucore::cpu {
namespace {

std::vector<CUlaunchAttribute> listed(const NodeAttributes& attributes) {
  std::vector<CUlaunchAttribute> list;
  for (const auto& [id, value] : attributes) {
    CUlaunchAttribute a{};
    a.id = id;
    a.value = value;
    list.push_back(a);
  }
  return list;
}

// The arrays of the result, which cuGraphKernelNodeGetParams returns, belong to the node.
void point_to_own(KernelParams& k) {
  const auto& params = k.function->info().params;
  k.pointers.clear();
  for (const ParamInfo& p : params) k.pointers.push_back(k.packed.data() + p.offset);
  k.packed_size = k.packed.size();
  if (k.given.extra) {
    k.extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
    k.extra[1] = k.packed.data();
    k.extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
    k.extra[3] = &k.packed_size;
    k.extra[4] = CU_LAUNCH_PARAM_END;
    k.given.extra = k.extra;
  } else {
    k.given.kernelParams = k.pointers.empty() ? nullptr : k.pointers.data();
  }
}

NodeParams finished(std::shared_ptr<KernelParams> kernel) {
  point_to_own(*kernel);
  prepared(*kernel);  // checks
  return std::shared_ptr<const KernelParams>(std::move(kernel));
}

// A kernel counts only without a function. Unlike a launch, a node takes no kernel for a function.
std::shared_ptr<Function> function_of(const CUDA_KERNEL_NODE_PARAMS_v2& given) {
  if (given.func) return lookup<Function>(given.func);
  require(given.kern != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return find_function(reinterpret_cast<CUfunction>(given.kern), context_of_node(given.ctx));
}

// Drivers for GPUs return all three, whichever of them the program gave.
void set_handles(CUDA_KERNEL_NODE_PARAMS_v2& given, const Function& function) {
  given.func = handle_of<CUfunction>(function);
  const auto library = function.module().library();
  given.kern = library ? library->kernel(function.info().name) : nullptr;
  given.ctx = handle_of<CUcontext>(function.module().context());
}

}  // namespace

std::shared_ptr<Context> context_of_node(CUcontext handle) {
  if (!handle) return current_context();
  auto context = lookup<Context>(handle, CUDA_ERROR_INVALID_CONTEXT);
  context->check();
  return context;
}

PreparedLaunch prepared(const KernelParams& kernel) {
  const auto& g = kernel.given;
  LaunchRequest request;
  request.grid[0] = g.gridDimX;
  request.grid[1] = g.gridDimY;
  request.grid[2] = g.gridDimZ;
  request.block[0] = g.blockDimX;
  request.block[1] = g.blockDimY;
  request.block[2] = g.blockDimZ;
  request.shared = g.sharedMemBytes;
  const auto attributes = listed(kernel.attributes);
  apply_attributes(request, attributes.data(), static_cast<unsigned>(attributes.size()));
  return prepare_launch(kernel.function, std::move(request), kernel.packed);
}

NodeParams make_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& given, NodeAttributes attributes) {
  auto kernel = std::make_shared<KernelParams>();
  kernel->given = given;
  kernel->function = function_of(given);
  set_handles(kernel->given, *kernel->function);
  kernel->packed = pack_parameters(kernel->function->info(), given.kernelParams, given.extra);
  kernel->attributes = std::move(attributes);
  return finished(std::move(kernel));
}

NodeParams make_kernel(const CUDA_KERNEL_NODE_PARAMS_v1& given, NodeAttributes attributes) {
  CUDA_KERNEL_NODE_PARAMS_v2 v2{};
  v2.func = given.func;
  v2.gridDimX = given.gridDimX;
  v2.gridDimY = given.gridDimY;
  v2.gridDimZ = given.gridDimZ;
  v2.blockDimX = given.blockDimX;
  v2.blockDimY = given.blockDimY;
  v2.blockDimZ = given.blockDimZ;
  v2.sharedMemBytes = given.sharedMemBytes;
  v2.kernelParams = given.kernelParams;
  v2.extra = given.extra;
  return make_kernel(v2, std::move(attributes));
}

NodeParams with_attributes(const KernelParams& kernel, NodeAttributes attributes) {
  auto changed = std::make_shared<KernelParams>(kernel);
  changed->attributes = std::move(attributes);
  return finished(std::move(changed));
}

void check_node_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return require(value.cooperative == 0 || value.cooperative == 1);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      fail(CUDA_ERROR_NOT_SUPPORTED);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace cucore::cpu
