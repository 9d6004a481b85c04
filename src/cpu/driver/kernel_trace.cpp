// SPDX-License-Identifier: Apache-2.0
// The functions of the control table that trace launches.
#include "cpu/driver/kernel_trace.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "cpu/counts/launch_trace.hpp"
#include "cpu/driver/calls.hpp"
#include "cpu/driver/check_session.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/launch.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/exec/output.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t MAX_LAUNCHES = 1024;
constexpr uint64_t MAX_WARP_INSTRUCTIONS = uint64_t{1} << 30;
constexpr int NEWEST_TARGET = 999;  // no PTX is too new to be traced

// Returns a struct of the caller, whose later fields are zero in an older program.
template <class T>
T read_sized(const T* given) {
  T value = {};
  if (!given) return value;
  require(given->struct_size >= sizeof(size_t) && given->struct_size <= 4096);
  std::memcpy(&value, given, std::min(sizeof value, given->struct_size));
  return value;
}

cucore_cpu_trace_options options_of(const cucore_cpu_trace_options* given) {
  cucore_cpu_trace_options options = read_sized(given);
  require(options.footprint <= 1 && options.totals_only <= 1);
  if (options.max_launches == 0) options.max_launches = MAX_LAUNCHES;
  if (options.max_warp_instructions == 0) options.max_warp_instructions = MAX_WARP_INSTRUCTIONS;
  return options;
}

std::shared_ptr<TraceCollector> collector_for(const cucore_cpu_trace_options& options) {
  return std::make_shared<TraceCollector>(
      TraceOptions{options.footprint != 0, options.totals_only == 0, options.max_launches,
                   options.cache_bytes, options.row_launches});
}

std::shared_ptr<LoadedModule> load(const char* ptx, size_t size, DeviceLimits limits) {
  std::string log;
  CUresult code = CUDA_SUCCESS;
  auto module = LoadedModule::load(ptx, size, 0, limits, log, code);
  if (!module && code == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    limits.sm = NEWEST_TARGET;
    log.clear();
    module = LoadedModule::load(ptx, size, 0, limits, log, code);
  }
  note_load_log(log);
  require(module != nullptr, code);
  return module;
}

// The limits of all devices. They also keep products of the sizes small.
constexpr unsigned MAX_GRID[3] = {0x7fffffff, 65535, 65535};
constexpr unsigned MAX_BLOCK[3] = {1024, 1024, 64};
constexpr unsigned MAX_CLUSTER = 16;

void check_shape(const KernelInfo& info, const cucore_cpu_trace_shape& shape) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    require(shape.grid[i] >= 1 && shape.grid[i] <= MAX_GRID[i]);
    require(shape.block[i] >= 1 && shape.block[i] <= MAX_BLOCK[i]);
    require(shape.cluster[i] <= MAX_CLUSTER);
    require(info.required_block[i] == 0 || info.required_block[i] == shape.block[i]);
    threads *= shape.block[i];
  }
  require(threads <= info.max_threads);
}

Launch launch_of(const Kernel& kernel, const cucore_cpu_trace_shape& shape,
                 const DeviceLimits& limits) {
  Launch launch;
  launch.kernel = &kernel;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = shape.grid[i];
    launch.block[i] = shape.block[i];
    launch.cluster[i] = std::max(1u, shape.cluster[i]);
  }
  const uint32_t* const required = kernel.info().required_cluster;
  launch.explicit_cluster = shape.cluster[0] != 0 || required[0] != 0;
  if (shape.cluster[0] == 0 && required[0] != 0) std::copy_n(required, 3, launch.cluster);
  launch.dynamic_shared = shape.dynamic_shared;
  launch.limits = limits;
  return launch;
}

}  // namespace

CUresult trace_begin(const cucore_cpu_trace_options* given) {
  return table_call([&] {
    const cucore_cpu_trace_options options = options_of(given);
    wait_for_all_work();
    require(start_trace(collector_for(options)), CUDA_ERROR_ILLEGAL_STATE);
  });
}

CUresult trace_end(cucore_cpu_trace** trace) {
  return table_call([&] {
    require(trace != nullptr);
    *trace = nullptr;
    wait_for_all_work();
    const auto collector = stop_trace();
    require(collector != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    *trace = collector->take().release();
  });
}

void trace_free(cucore_cpu_trace* trace) { delete static_cast<OwnedTrace*>(trace); }

CUresult trace_launch(const char* ptx, size_t size, const char* kernel,
                      const cucore_cpu_trace_shape* given, void* const* params,
                      const cucore_cpu_trace_options* given_options, cucore_cpu_trace** trace) {
  return table_call([&] {
    require(trace != nullptr);
    *trace = nullptr;
    require(ptx && size && kernel && given);
    require(life() == Life::READY, CUDA_ERROR_NOT_INITIALIZED);
    const cucore_cpu_trace_options options = options_of(given_options);
    const cucore_cpu_trace_shape shape = read_sized(given);
    const DeviceLimits limits;
    const auto module = load(ptx, size, limits);
    const Kernel* found = module->find_kernel(kernel);
    require(found != nullptr, CUDA_ERROR_NOT_FOUND);
    if (const std::string& refusal = found->info().refusal; !refusal.empty()) {
      note_load_log(refusal);
      fail(CUDA_ERROR_NOT_SUPPORTED);
    }
    check_shape(found->info(), shape);
    const auto packed = pack_parameters(found->info(), const_cast<void**>(params), nullptr);
    const TraceRequest request{collector_for(options), options.max_blocks,
                               options.max_warp_instructions};
    Output output;  // what the kernel prints is dropped
    Launch launch = launch_of(*found, shape, limits);
    launch.params = packed.data();
    launch.output = &output;
    launch.trace = &request;
    const auto fault = execute(launch);
    auto result = request.collector->take();
    if (result->launch_count == 0) {  // refused before it ran
      note_load_log(fault ? fault->text : "");
      fail(fault ? fault->code : CUDA_ERROR_UNKNOWN);
    }
    *trace = result.release();
  });
}

}  // namespace cucore::cpu
