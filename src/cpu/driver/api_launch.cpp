// SPDX-License-Identifier: Apache-2.0
// Launching kernels.
#include <tuple>

#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/launch.hpp"

namespace cucore::cpu::api {
namespace {

CUresult capture(Stream& stream, const CUlaunchConfig& config, const Function& function,
                 void** params, void** extra) {
  require(config.numAttrs == 0 || config.attrs);
  const CUDA_KERNEL_NODE_PARAMS_v2 node{handle_of<CUfunction>(function),
                                        config.gridDimX,
                                        config.gridDimY,
                                        config.gridDimZ,
                                        config.blockDimX,
                                        config.blockDimY,
                                        config.blockDimZ,
                                        config.sharedMemBytes,
                                        params,
                                        extra,
                                        nullptr,
                                        handle_of<CUcontext>(stream.context())};
  capture_kernel(stream, node, config.attrs, config.numAttrs);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  require(config != nullptr);
  // A created stream has its context; the default streams need a current one.
  auto stream = find_stream(config->hStream);
  auto function = find_function(f, stream->context_ptr());
  if (captures(*stream)) return capture(*stream, *config, *function, kernelParams, extra);
  LaunchRequest request;
  std::tie(request.grid[0], request.grid[1], request.grid[2]) =
      std::tie(config->gridDimX, config->gridDimY, config->gridDimZ);
  std::tie(request.block[0], request.block[1], request.block[2]) =
      std::tie(config->blockDimX, config->blockDimY, config->blockDimZ);
  request.shared = config->sharedMemBytes;
  apply_attributes(request, config->attrs, config->numAttrs);
  launch(function, std::move(request), *stream, kernelParams, extra);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  CUlaunchConfig config{gridDimX,  gridDimY,       gridDimZ, blockDimX, blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  nullptr,   0};
  return api::cuLaunchKernelEx(&config, f, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void** kernelParams) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config{gridDimX,  gridDimY,       gridDimZ, blockDimX,    blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  &cooperative, 1};
  return api::cuLaunchKernelEx(&config, f, kernelParams, nullptr);
}

}  // namespace cucore::cpu::api
