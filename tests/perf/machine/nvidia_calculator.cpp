// SPDX-License-Identifier: Apache-2.0
#include "nvidia_calculator.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

bool has_nvidia_calculator() { return true; }

std::optional<uint32_t> blocks_by_nvidia(const cucore::perf::Limits& limits, uint32_t registers,
                                         uint32_t threads, uint32_t shared) {
  cudaOccDeviceProp device{};
  device.computeMajor = limits.arch / 10;
  device.computeMinor = limits.arch % 10;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = static_cast<int>(limits.warps) * 32;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 49152;
  device.sharedMemPerMultiprocessor = limits.shared;
  device.numSms = 1;
  device.sharedMemPerBlockOptin = limits.shared - limits.reserved;
  device.reservedSharedMemPerBlock = limits.reserved;
  cudaOccFuncAttributes function{};
  function.maxThreadsPerBlock = 1024;
  function.numRegs = static_cast<int>(registers);
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                              static_cast<int>(threads),
                                              shared) != CUDA_OCC_SUCCESS)
    return std::nullopt;
  return static_cast<uint32_t>(result.activeBlocksPerMultiprocessor);
}

#else

bool has_nvidia_calculator() { return false; }

std::optional<uint32_t> blocks_by_nvidia(const cucore::perf::Limits&, uint32_t, uint32_t,
                                         uint32_t) {
  return std::nullopt;
}

#endif
