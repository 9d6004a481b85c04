// SPDX-License-Identifier: Apache-2.0
// Limits, attributes and parameters of launches.
#include "cpu/driver/launch.hpp"

#include <cstring>

#include "cpu/driver/device.hpp"
#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/occupancy.hpp"
#include "cpu/exec/executor.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MOST_PARAMETERS = 32764;
constexpr int UNASSIGNED = 15;  // a number between those of attributes

uint64_t volume(const unsigned (&d)[3]) { return uint64_t{d[0]} * d[1] * d[2]; }

void check_dimensions(const unsigned (&d)[3], const Profile& p, CUdevice_attribute x,
                      CUdevice_attribute y, CUdevice_attribute z) {
  const CUdevice_attribute names[] = {x, y, z};
  for (int i = 0; i < 3; ++i) require(d[i] > 0 && d[i] <= static_cast<unsigned>(p.value(names[i])));
}

void check_block(const Function& function, const LaunchRequest& r) {
  const Profile& profile = function.device().profile();
  const KernelInfo& info = function.info();
  check_dimensions(r.grid, profile, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                   CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  check_dimensions(r.block, profile, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                   CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  uint64_t threads = volume(r.block);
  require(threads <=
          static_cast<unsigned>(profile.value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)));
  require(threads <= info.max_threads);
  for (int i = 0; i < 3; ++i)
    require(info.required_block[i] == 0 || info.required_block[i] == r.block[i]);
  BlockNeeds needs = needs_of(function, static_cast<int>(threads), r.shared);
  require(registers_suffice(profile.multiprocessor(), needs), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

bool exceeds_shared(const Function& function, const LaunchRequest& r) {
  return r.shared > static_cast<uint64_t>(function.attributes().max_dynamic_shared);
}

void check_shared(const Function& function, const LaunchRequest& r) {
  const Profile& profile = function.device().profile();
  auto most =
      static_cast<uint64_t>(profile.value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  require(!exceeds_shared(function, r));
  require(uint64_t{function.info().static_shared} + r.shared <= most,
          CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

void settle_cluster(const Function& function, LaunchRequest& r) {
  const FunctionAttributes& a = function.attributes();
  bool given = r.cluster[0] != 0;
  require(given || a.cluster[0] != 0 || !function.info().explicit_cluster,
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  r.explicit_cluster = given || a.cluster[0] != 0;
  for (int i = 0; i < 3; ++i) {
    auto required = static_cast<unsigned>(a.cluster[i].load());
    if (required == 0) {
      r.cluster[i] = given ? r.cluster[i] : 1;
      continue;
    }
    require(!given || r.cluster[i] == required, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    r.cluster[i] = required;
  }
  if (volume(r.cluster) == 1) return;
  const Multiprocessor& sm = function.device().profile().multiprocessor();
  require(volume(r.cluster) <= static_cast<uint64_t>(largest_cluster(function)),
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  for (int i = 0; i < 3; ++i)
    require(r.grid[i] % r.cluster[i] == 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  BlockNeeds needs = needs_of(function, static_cast<int>(volume(r.block)), r.shared);
  int resident = active_clusters(sm, sm.gpc, static_cast<int>(volume(r.cluster)), needs);
  require(resident > 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

void check_cooperative(const Function& function, const LaunchRequest& r) {
  if (!r.cooperative) return;
  require(!exceeds_shared(function, r), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  const Profile& profile = function.device().profile();
  BlockNeeds needs = needs_of(function, static_cast<int>(volume(r.block)), r.shared);
  int resident = blocks_per_multiprocessor(profile.multiprocessor(), needs) *
                 profile.value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  require(volume(r.grid) <= static_cast<uint64_t>(resident),
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

// Reads a list that ends with CU_LAUNCH_PARAM_END: one buffer with all parameters.
std::vector<std::byte> parameters_of_buffer(const KernelInfo& info, void** extra) {
  const void* buffer = nullptr;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = extra[1];
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      require(extra[1] != nullptr);
      size = *static_cast<const size_t*>(extra[1]);
    } else {
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  }
  size_t end = 0;
  for (const ParamInfo& p : info.params) end = std::max(end, p.offset + p.size);
  // As in the real driver, a buffer may be too short, and must not be too long.
  require(size <= MOST_PARAMETERS && ((buffer && size > 0) || end == 0));
  require(size <= end, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  std::vector<std::byte> packed(info.param_bytes);
  if (size) std::memcpy(packed.data(), buffer, size);
  return packed;
}

void run(Context& context, const Launch& launch) {
  if (auto planned = FaultPlan::instance().strike_launch(launch.kernel->info().name)) {
    context.poison(*planned, "kernel '" + shown_name(launch.kernel->info().name) +
                                 "': fault injected by CUCORE_CPU_FAULT");
    return;
  }
  if (auto fault = execute(launch)) context.poison(fault->code, std::move(fault->text));
}

}  // namespace

std::vector<std::byte> pack_parameters(const KernelInfo& info, void** parameters, void** extra) {
  require(!(parameters && extra) || *extra == CU_LAUNCH_PARAM_END);
  if (extra && !parameters) return parameters_of_buffer(info, extra);
  require(parameters || info.params.empty());
  std::vector<std::byte> packed(info.param_bytes);
  for (size_t i = 0; i < info.params.size(); ++i) {
    const ParamInfo& p = info.params[i];
    require(parameters[i] != nullptr);
    std::memcpy(packed.data() + p.offset, parameters[i], p.size);
  }
  return packed;
}

void apply_attributes(LaunchRequest& r, const CUlaunchAttribute* attributes, unsigned count) {
  require(count == 0 || attributes);
  for (const CUlaunchAttribute* a = attributes; a != attributes + count; ++a) {
    const CUlaunchAttributeValue& v = a->value;
    switch (a->id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        r.cooperative = v.cooperative != 0;
        break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (!v.clusterDim.x && !v.clusterDim.y && !v.clusterDim.z) break;
        require(v.clusterDim.x && v.clusterDim.y && v.clusterDim.z,
                CUDA_ERROR_INVALID_CLUSTER_SIZE);
        r.cluster[0] = v.clusterDim.x;
        r.cluster[1] = v.clusterDim.y;
        r.cluster[2] = v.clusterDim.z;
        break;
      case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        require(v.syncPolicy >= CU_SYNC_POLICY_AUTO &&
                v.syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC);
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        r.events.push_back(lookup<Event>(v.programmaticEvent.event));
        break;
      case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        r.events.push_back(lookup<Event>(v.launchCompletionEvent.event));
        break;
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        require(v.sharedMemCarveout <= 100);
        break;
      case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        fail(CUDA_ERROR_NOT_SUPPORTED);
      default:
        require(a->id >= 0 && a->id <= CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING &&
                a->id != UNASSIGNED);
    }
  }
}

PreparedLaunch prepare_launch(const std::shared_ptr<Function>& function, LaunchRequest r,
                              std::vector<std::byte> parameters) {
  check_block(*function, r);
  check_cooperative(*function, r);
  check_shared(*function, r);
  settle_cluster(*function, r);
  Context& context = function->module().context();
  Launch l;
  l.kernel = &function->kernel();
  std::copy_n(r.grid, 3, l.grid);
  std::copy_n(r.block, 3, l.block);
  std::copy_n(r.cluster, 3, l.cluster);
  l.explicit_cluster = r.explicit_cluster;
  l.dynamic_shared = r.shared;
  l.cooperative = r.cooperative;
  l.device = function->device().ordinal();
  l.limits = limits_of(context);
  l.output = &context.output();
  auto packed = std::make_shared<const std::vector<std::byte>>(std::move(parameters));
  l.params = packed->data();
  return {function, std::move(packed), std::move(l)};
}

void run_launch(const PreparedLaunch& prepared) {
  run(prepared.function->module().context(), prepared.launch);
}

void launch(const std::shared_ptr<Function>& function, LaunchRequest r, Stream& stream,
            void** parameters, void** extra) {
  stream.context().output().flush();
  require(&function->module().context() == &stream.context(), CUDA_ERROR_INVALID_HANDLE);
  auto events = std::move(r.events);
  PreparedLaunch prepared =
      prepare_launch(function, std::move(r), pack_parameters(function->info(), parameters, extra));
  prepared.launch.operation = next_operation(stream);
  stream.submit([prepared = std::move(prepared)] { run_launch(prepared); });
  for (const auto& event : events) event->record(stream);
}

}  // namespace cucore::cpu
