// SPDX-License-Identifier: Apache-2.0
#include "array/run/machine.hpp"

#include <algorithm>

#include "array/plan/traffic.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

const DeviceStorage& device(const Storage& storage) {
  return static_cast<const DeviceStorage&>(storage);
}

bool has_indices(const Kernel& kernel) {
  return std::any_of(kernel.nodes.begin(), kernel.nodes.end(),
                     [](const Node& node) { return node.kind == NodeKind::GATHER; }) ||
         std::any_of(kernel.stores.begin(), kernel.stores.end(),
                     [](const Store& store) { return !store.arguments.empty(); });
}

}  // namespace

DeviceStorage::DeviceStorage(NativeBuffer buffer, uint64_t offset, uint64_t bytes, bool pinned,
                             std::shared_ptr<MemoryCounts> counts)
    : Storage(pinned),
      buffer_(std::move(buffer)),
      offset_(offset),
      bytes_(bytes),
      counts_(std::move(counts)) {
  const uint64_t live = counts_->live += bytes_;
  uint64_t peak = counts_->peak;
  while (peak < live && !counts_->peak.compare_exchange_weak(peak, live)) {
  }
}

DeviceStorage::~DeviceStorage() { counts_->live -= bytes_; }

Ref<Storage> DeviceMachine::allocate(int64_t bytes) { return context_.allocate(bytes); }

void DeviceMachine::copy(Storage& to, Storage& from, int64_t bytes) {
  if (bytes == 0) return;
  call("copy an array", cucore_buffer_copy, device(to).buffer(), device(to).offset(),
       device(from).buffer(), device(from).offset(), static_cast<size_t>(bytes),
       context_.settings().stream.get());
  ++context_.statistics_.copies_for_readers;
}

void DeviceMachine::launch(const Kernel& kernel, std::span<Storage* const> inputs,
                           std::span<Storage* const> outputs) {
  Addresses addresses;
  for (const Storage* input : inputs) addresses.inputs.push_back(device(*input).address());
  for (const Storage* output : outputs) addresses.outputs.push_back(device(*output).address());
  const Scratch scratch = scratch_of(kernel);
  Ref<Storage> partials;
  if (scratch.partial_bytes > 0) {
    partials = allocate(scratch.partial_bytes);
    addresses.partials = device(*partials).address();
  }
  if (scratch.counters > 0) addresses.counters = context_.counters(scratch.counters);
  if (has_indices(kernel)) addresses.status = context_.status_address();
  const Target& target = context_.kernels_.target();
  const std::string key = key_of(kernel, target, addresses);
  NativeKernel code = context_.kernels_.find(key);
  if (!code) code = context_.kernels_.compile(key, code_of(kernel, target, addresses));
  for (const LaunchPlan& plan : launches_of(kernel, target, addresses)) {
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = plan.grid;
    options.block[0] = plan.block;
    call("launch a kernel", cucore_kernel_launch_packed, code.get(),
         context_.settings().stream.get(), &options, plan.parameters.data(),
         plan.parameters.size());
  }
  Statistics& statistics = context_.statistics_;
  ++statistics.kernels_launched;
  statistics.bytes_read += bytes_read(kernel);
  statistics.bytes_written += bytes_written(kernel);
}

}  // namespace cucore::array
