// SPDX-License-Identifier: Apache-2.0
#include "core/load/launch_failure.hpp"

#include <algorithm>

#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

int attribute_or(const Kernel& kernel, const Device& device, CUfunction_attribute attribute,
                 int other) {
  int value = 0;
  const CUresult result = driver::cuda().cuKernelGetAttribute(
      &value, attribute, kernel.on(device).native, device.native());
  return result == CUDA_SUCCESS ? value : other;
}

// Returns the kernel's requirement that the launch violates; "" if none is found.
std::string broken_need(const Kernel& kernel, const Device& device, const CUlaunchConfig& config) {
  const auto threads = static_cast<int64_t>(config.blockDimX) * config.blockDimY * config.blockDimZ;
  const int most = attribute_or(kernel, device, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
  const int registers = attribute_or(kernel, device, CU_FUNC_ATTRIBUTE_NUM_REGS, 0);
  if (most > 0 && threads > most)
    return concat("a block has ", threads, " threads, and this kernel can have ", most,
                  " (it uses ", registers,
                  " registers per thread); use a smaller block, or compile with "
                  "cucore_program_options.max_register_count or __launch_bounds__");
  const int fixed = attribute_or(kernel, device, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0);
  const uint64_t shared = static_cast<uint64_t>(fixed) + config.sharedMemBytes;
  if (shared > device.limits().shared_per_block_optin)
    return concat("a block needs ", shared, " bytes of shared memory (", fixed, " static, ",
                  config.sharedMemBytes, " dynamic) and ", device.label(), " has ",
                  device.limits().shared_per_block_optin);
  return {};
}

bool has_clusters(const CUlaunchConfig& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const auto& attribute) {
    return attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  });
}

// All blocks of a cooperative launch run at once; returns "" if the driver does not report the
// limit.
std::string too_many_blocks(const Kernel& kernel, const Device& device,
                            const CUlaunchConfig& config) noexcept try {
  if (has_clusters(config)) return {};
  const uint64_t blocks = uint64_t{config.gridDimX} * config.gridDimY * config.gridDimZ;
  const auto threads = static_cast<int>(config.blockDimX * config.blockDimY * config.blockDimZ);
  const int each = kernel.occupancy(device, threads, config.sharedMemBytes);
  const int processors = device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const int fixed = attribute_or(kernel, device, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0);
  return concat("grid is ", counted(blocks, "block"), "; at most ",
                counted(uint64_t(each) * processors, "block"), " (", each, " per multiprocessor x ",
                counted(processors, "multiprocessor"), ") of this kernel with ",
                counted(threads, "thread"), " and ",
                counted(uint64_t{config.sharedMemBytes} + fixed, "byte"),
                " of shared memory can run at once on ", device.label(), "; use a smaller grid");
} catch (...) {
  return {};
}

bool is_launch_limit(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
         result == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

}  // namespace

void throw_launch_failure(const Kernel& kernel, const Device& device, const CUlaunchConfig& config,
                          CUresult result) {
  const std::string what =
      concat("launch kernel ", kernel.label(), " on ", device.label(), " with ", config.gridDimX,
             " x ", config.gridDimY, " x ", config.gridDimZ, " blocks of ", config.blockDimX, " x ",
             config.blockDimY, " x ", config.blockDimZ, " threads");
  if (is_launch_limit(result)) {
    const std::string name = driver::name_of(result);
    const std::string need = result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                                 ? too_many_blocks(kernel, device, config)
                                 : broken_need(kernel, device, config);
    throw Error(Status::LAUNCH, concat("cannot ", what, ": ", need.empty() ? name : need), {},
                {"cuda", static_cast<int32_t>(result), name});
  }
  driver::fail(result, what, {});
}

}  // namespace cucore::core
