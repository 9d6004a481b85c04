// SPDX-License-Identifier: Apache-2.0
// Returns and checks the attributes of kernels.
#include "cpu/driver/function_attributes.hpp"

#include <algorithm>

namespace cucore::cpu {
namespace {

// Returns the largest number of threads that the code and the registers allow.
int max_threads(const KernelInfo& info, const Profile& profile) {
  int most = profile.value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  int warp = std::max<int>(1, static_cast<int>(info.registers) * 32);
  int by_registers = profile.value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK) / warp * 32;
  // As in the real driver, a required size has no effect here.
  const bool bounded = info.required_block[0] == 0;
  return std::min(
      {most, bounded ? static_cast<int>(info.max_threads) : most, std::max(by_registers, 32)});
}

// Dimensions that the compile fixed cannot change. A launch checks the others.
void set_cluster(std::atomic<int>& slot, uint32_t fixed, int value) {
  require(value >= 0 && (fixed == 0 || static_cast<uint32_t>(value) == fixed));
  slot = value;
}

}  // namespace

int function_attribute(const KernelInfo& info, const FunctionAttributes& a, const Profile& profile,
                       CUfunction_attribute which) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return max_threads(info, profile);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(info.static_shared);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(info.const_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(info.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return static_cast<int>(info.registers);
    // Both are 10 x major + minor: one for the virtual architecture, one for the architecture that
    // runs it.
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return info.target;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return profile.sm();
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return a.max_dynamic_shared;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return a.carveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return info.explicit_cluster && info.required_cluster[0] == 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return a.cluster[0];
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return a.cluster[1];
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return a.cluster[2];
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return a.non_portable_cluster;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return a.cluster_policy;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void set_function_attribute(const KernelInfo& info, FunctionAttributes& a, const Profile& profile,
                            CUfunction_attribute which, int value) {
  int optin = profile.value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      require(value >= 0 && value <= optin - static_cast<int>(info.static_shared));
      a.max_dynamic_shared = value;
      return;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100);
      a.carveout = value;
      return;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
      const int axis = which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
      return set_cluster(a.cluster[axis], info.required_cluster[axis], value);
    }
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      a.non_portable_cluster = value != 0;
      return;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      require(value >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
              value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
      a.cluster_policy = value;
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

CUresult give_parameter(const KernelInfo& info, size_t index, size_t* offset, size_t* size) {
  require(offset != nullptr);
  // callers find the end by this error
  if (index >= info.params.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = info.params[index].offset;
  if (size) *size = info.params[index].size;
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu
