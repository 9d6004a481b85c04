// SPDX-License-Identifier: Apache-2.0
// Which changes an executable accepts.
#include <cstring>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/executable.hpp"

namespace cucore::cpu {
namespace {

using Result = CUgraphExecUpdateResult;

constexpr Result GOOD = CU_GRAPH_EXEC_UPDATE_SUCCESS;
constexpr Result PARAMETERS = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;

bool same(const NodeAttributes& a, const NodeAttributes& b, CUlaunchAttributeID id) {
  static const CUlaunchAttributeValue NONE{};
  auto in_a = a.find(id), in_b = b.find(id);
  return std::memcmp(in_a == a.end() ? &NONE : &in_a->second,
                     in_b == b.end() ? &NONE : &in_b->second, sizeof NONE) == 0;
}

Result compare(const KernelParams& now, const KernelParams& next, cuuint64_t flags) {
  if (&now.function->module().context() != &next.function->module().context())
    return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
  for (auto id : {CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION}) {
    if (!same(now.attributes, next.attributes, id))
      return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
  }
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY) &&
      !same(now.attributes, next.attributes, CU_LAUNCH_ATTRIBUTE_PRIORITY))
    return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
  return GOOD;
}

int device_at(uint64_t address) {
  auto a = Allocations::instance().find(address);
  return a ? a->device->ordinal() : -1;
}

Result compare(const CopyParams& now, const CopyParams& next) {
  const CUDA_MEMCPY3D &a = now.given, &b = next.given;
  const bool types = a.srcMemoryType == b.srcMemoryType && a.dstMemoryType == b.dstMemoryType;
  auto moved = [](CUmemorytype type, CUdeviceptr from, CUdeviceptr to) {
    return type == CU_MEMORYTYPE_DEVICE && device_at(from) != device_at(to);
  };
  const bool places = !moved(a.srcMemoryType, a.srcDevice, b.srcDevice) &&
                      !moved(a.dstMemoryType, a.dstDevice, b.dstDevice);
  return types && places && now.context == next.context ? GOOD : PARAMETERS;
}

Result compare(const FillParams& now, const FillParams& next) {
  const auto &a = now.given, &b = next.given;
  const bool flat = a.height == 1 && b.height == 1;
  const bool size = a.width == b.width && a.height == b.height && a.pitch == b.pitch &&
                    a.elementSize == b.elementSize;
  const bool place = now.context == next.context && device_at(a.dst) == device_at(b.dst);
  return (flat || size) && place ? GOOD : PARAMETERS;
}

Result compare(const MemOpParams& now, const MemOpParams& next) {
  if (now.context != next.context || now.operations.size() != next.operations.size())
    return PARAMETERS;
  for (size_t i = 0; i < now.operations.size(); ++i)
    if (now.operations[i].operation != next.operations[i].operation) return PARAMETERS;
  return GOOD;
}

// The number of semaphores cannot change.
template <class Params>
Result compare_semaphores(const NodeParams& now, const NodeParams& next) {
  const size_t before = params_as<Params>(now).list.handles.size();
  return before == params_as<Params>(next).list.handles.size() ? GOOD : PARAMETERS;
}

Result compare(const ConditionalParams& now, const ConditionalParams& next) {
  return now.given.type == next.given.type && now.given.size == next.given.size ? GOOD : PARAMETERS;
}

Result compare_params(const NodeParams& now, const NodeParams& next, cuuint64_t flags) {
  switch (type_of(now)) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return compare(params_as<KernelParams>(now), params_as<KernelParams>(next), flags);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return compare(params_as<CopyParams>(now), params_as<CopyParams>(next));
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return compare(params_as<FillParams>(now), params_as<FillParams>(next));
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      return compare_semaphores<SignalParams>(now, next);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return compare_semaphores<SemaphoreWaitParams>(now, next);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return compare(params_as<MemOpParams>(now), params_as<MemOpParams>(next));
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return compare(params_as<ConditionalParams>(now), params_as<ConditionalParams>(next));
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return params_as<AllocParams>(now).memory == params_as<AllocParams>(next).memory
                 ? GOOD
                 : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return params_as<FreeParams>(now).memory == params_as<FreeParams>(next).memory
                 ? GOOD
                 : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    default:
      return GOOD;
  }
}

UpdateFault compare_edges(const GraphStep& now, const GraphPlan& plan, const GraphStep& next) {
  constexpr Result TOPOLOGY = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (now.before.size() != next.before.size()) return {TOPOLOGY, next.node, 0};
  for (size_t i = 0; i < now.before.size(); ++i) {
    const StepEdge &a = now.before[i], &b = next.before[i];
    if (a.step != b.step || !equal(a.data, b.data))
      return {TOPOLOGY, next.node, plan.steps[b.step].node};
  }
  return {};
}

UpdateFault compare_steps(const GraphStep& now, const GraphPlan& plan, const GraphStep& next,
                          cuuint64_t flags) {
  if (now.type() != next.type())
    return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, next.node, 0};
  if (auto fault = compare_edges(now, plan, next); fault.result != GOOD) return fault;
  if (Result result = compare_params(now.params, next.params, flags); result != GOOD)
    return {result, next.node, 0};
  for (size_t i = 0; i < now.parts.size(); ++i) {
    auto fault = compare_plans(*now.parts[i], *next.parts[i], flags);
    if (fault.result != GOOD) return fault;
  }
  return {};
}

bool is_row(const CUDA_MEMCPY3D& copy) { return copy.Height == 1 && copy.Depth == 1; }

}  // namespace

UpdateFault compare_plans(const GraphPlan& now, const GraphPlan& next, cuuint64_t flags) {
  if (now.steps.size() != next.steps.size())
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, 0, 0};
  for (size_t i = 0; i < now.steps.size(); ++i) {
    auto fault = compare_steps(now.steps[i], next, next.steps[i], flags);
    if (fault.result != GOOD) return fault;
  }
  return {};
}

void take_over(GraphPlan& now, const GraphPlan& next) {
  now.objects = next.objects;
  for (size_t i = 0; i < now.steps.size(); ++i) {
    GraphStep& step = now.steps[i];
    step.params = next.steps[i].params;
    step.launch = next.steps[i].launch;
    for (size_t p = 0; p < step.parts.size(); ++p)
      take_over(*step.parts[p], *next.steps[i].parts[p]);
  }
}

void check_step_change(const NodeParams& now, const NodeParams& next) {
  require(type_of(now) == type_of(next));
  require(compare_params(now, next, 0) == GOOD);
  if (type_of(now) == CU_GRAPH_NODE_TYPE_MEMCPY)
    require(is_row(params_as<CopyParams>(now).given) && is_row(params_as<CopyParams>(next).given));
}

}  // namespace cucore::cpu
