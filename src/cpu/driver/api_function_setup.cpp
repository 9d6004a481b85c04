// SPDX-License-Identifier: Apache-2.0
// The launch functions before CUDA 4. They keep the configuration in the function.
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/launch.hpp"

namespace cucore::cpu::api {
namespace {

void set_parameter(CUfunction hfunc, int offset, const void* value, size_t bytes) {
  auto function = find_function(hfunc, current_context());
  require(value && offset >= 0);
  const auto at = static_cast<size_t>(offset);
  require(at <= FunctionSetup::MOST_PARAMETERS && bytes <= FunctionSetup::MOST_PARAMETERS - at);
  FunctionSetup& state = function->setup();
  std::lock_guard lock(state.mutex);
  std::memcpy(state.parameters.data() + at, value, bytes);
}

CUresult launch_grid(CUfunction f, int width, int height, CUstream handle) {
  require(width > 0 && height > 0);
  auto stream = find_stream(handle);
  auto function = find_function(f, stream->context_ptr());
  FunctionSetup& state = function->setup();
  LaunchRequest request;
  request.grid[0] = static_cast<unsigned>(width);
  request.grid[1] = static_cast<unsigned>(height);
  request.grid[2] = 1;
  std::lock_guard lock(state.mutex);
  std::copy_n(state.block, 3, request.block);
  request.shared = state.shared;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, state.parameters.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &state.size, CU_LAUNCH_PARAM_END};
  refuse_capture(*stream);  // these functions are older than captures
  launch(function, std::move(request), *stream, nullptr, extra);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  auto function = find_function(hfunc, current_context());
  require(x > 0 && y > 0 && z > 0);
  FunctionSetup& state = function->setup();
  std::lock_guard lock(state.mutex);
  state.block[0] = static_cast<unsigned>(x);
  state.block[1] = static_cast<unsigned>(y);
  state.block[2] = static_cast<unsigned>(z);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  auto function = find_function(hfunc, current_context());
  FunctionSetup& state = function->setup();
  std::lock_guard lock(state.mutex);
  state.shared = bytes;
  return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  auto function = find_function(hfunc, current_context());
  require(numbytes <= FunctionSetup::MOST_PARAMETERS);
  FunctionSetup& state = function->setup();
  std::lock_guard lock(state.mutex);
  state.size = numbytes;
  return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  set_parameter(hfunc, offset, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  set_parameter(hfunc, offset, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  set_parameter(hfunc, offset, ptr, numbytes);
  return CUDA_SUCCESS;
}

CUresult cuLaunch(CUfunction f) { return launch_grid(f, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return launch_grid(f, grid_width, grid_height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return launch_grid(f, grid_width, grid_height, hStream);
}

}  // namespace cucore::cpu::api
