// SPDX-License-Identifier: Apache-2.0
#include "array/run/machine.hpp"

#include "array/run/prepared.hpp"

namespace cucore::array {
namespace {

const DeviceStorage& device(const Storage& storage) {
  return static_cast<const DeviceStorage&>(storage);
}
DeviceStorage& device(Storage& storage) { return static_cast<DeviceStorage&>(storage); }

void add_checks(const OutputSources& sources, std::span<Storage* const> inputs,
                const IndexChecks::Launch& launch, CheckSet& checks) {
  for (size_t slot = 0; slot < inputs.size(); ++slot)
    if (sources.inputs[slot] && !device(*inputs[slot]).checks.empty())
      checks.add(device(*inputs[slot]).checks);
  for (const IndexCheckRef& each : launch.checks)
    if (sources.reports >> each->report & 1) checks.add(each);
}

}  // namespace

DeviceStorage::DeviceStorage(NativeBuffer buffer, uint64_t offset, bool pinned, CountedBytes bytes,
                             std::shared_ptr<void> owner)
    : Storage(pinned),
      bytes_(std::move(bytes)),
      buffer_(std::move(buffer)),
      offset_(offset),
      owner_(std::move(owner)) {
  bytes_.set_live();
}

Ref<Storage> DeviceMachine::allocate(int64_t bytes) { return context_.allocate(bytes); }

void DeviceMachine::copy(Storage& to, Storage& from, int64_t bytes) {
  if (bytes == 0) return;
  call("copy an array", cucore_buffer_copy, device(to).buffer(), device(to).offset(),
       device(from).buffer(), device(from).offset(), static_cast<size_t>(bytes),
       context_.settings().stream.get());
  device(to).checks.add(device(from).checks);
  ++context_.statistics_.copies_for_readers;
}

void DeviceMachine::launch(const Kernel& kernel, std::span<Storage* const> inputs,
                           std::span<Storage* const> outputs) {
  Addresses addresses;
  for (const Storage* input : inputs) addresses.inputs.push_back(device(*input).address());
  for (const Storage* output : outputs) addresses.outputs.push_back(device(*output).address());
  PreparedKernel& prepared = PreparedKernel::of(kernel);
  Ref<Storage> partials;
  if (prepared.scratch.partial_bytes > 0) {
    partials = allocate(prepared.scratch.partial_bytes);
    addresses.partials = device(*partials).address();
  }
  if (prepared.scratch.counters > 0)
    addresses.counters = context_.counters(prepared.scratch.counters);
  IndexChecks::Launch checks;
  if (prepared.has_indices) {
    checks = context_.new_checks(kernel);
    addresses.status = checks.address;
  }
  Kernels& kernels = context_.kernels_;
  PreparedForm& form = prepared.form(kernel, kernels.target(), addresses);
  if (kernels.find(form)) {
    kernels.count_known();
  } else {
    form.code = kernels.compile(form.key, code_of(kernel, kernels.target(), addresses));
  }
  launch(form, prepared, launches_of(kernel, form.form, addresses));
  if (prepared.has_indices) context_.checks_.add_end(context_.settings().stream);
  for (size_t slot = 0; slot < outputs.size(); ++slot)
    add_checks(prepared.sources[slot], inputs, checks, device(*outputs[slot]).checks);
  Statistics& statistics = context_.statistics_;
  ++statistics.kernels_launched;
  statistics.bytes_read += prepared.bytes_read;
  statistics.bytes_written += prepared.bytes_written;
}

// Several launches share the bytes of a kernel in unknown parts.
void DeviceMachine::launch(const PreparedForm& form, const PreparedKernel& prepared,
                           const std::vector<LaunchPlan>& plans) {
  for (const LaunchPlan& plan : plans) {
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = static_cast<uint32_t>(plan.grid);
    options.block[0] = plan.block;
    if (plans.size() == 1) {
      options.bytes_read = prepared.bytes_read;
      options.bytes_written = prepared.bytes_written;
    }
    call("launch a kernel", cucore_kernel_launch_packed, form.code.get(),
         context_.settings().stream.get(), &options, plan.parameters.data(),
         plan.parameters.size());
  }
}

}  // namespace cucore::array
