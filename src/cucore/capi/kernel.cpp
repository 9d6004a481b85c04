// SPDX-License-Identifier: Apache-2.0
#include "core/load/kernel.hpp"

#include <cstddef>

#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/launch_options.hpp"
#include "capi/parameters.hpp"
#include "core/load/launch.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

using namespace cucore::capi;
using cucore::concat;
using cucore::counted;
using cucore::Error;
using cucore::Status;
namespace core = cucore::core;
namespace image = cucore::image;

namespace {

// `device` may be null: the first image.
const std::vector<image::Parameter>& parameters_of(const core::Kernel& kernel,
                                                   const core::Device* device) {
  const auto& parameters = (device ? kernel.on(*device) : kernel.first()).parameters;
  if (!parameters)
    throw Error(Status::UNSUPPORTED,
                concat("neither the code nor the driver says what parameters kernel ",
                       kernel.label(), " has; drivers from CUDA 12.4 on do"));
  return *parameters;
}

const image::Parameter& parameter_at(const core::Kernel& kernel, const core::Device* device,
                                     size_t index) {
  const auto& parameters = parameters_of(kernel, device);
  if (index >= parameters.size())
    throw Error(Status::INVALID_ARGUMENT, concat("index is ", index, "; kernel ", kernel.label(),
                                                 " has ", counted(parameters.size(), "parameter")));
  return parameters[index];
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_kernel_from_native(const cucore_device* device, void* native,
                                                   cucore_kernel** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Kernel::from_native(on, static_cast<CUkernel>(native)));
  });
}

CUCORE_API cucore_kernel* cucore_kernel_retain(const cucore_kernel* kernel) {
  return retain(kernel);
}

CUCORE_API void cucore_kernel_release(cucore_kernel* kernel) { release(kernel); }

CUCORE_API const char* cucore_kernel_name(const cucore_kernel* kernel) {
  const auto* self = peek(kernel);
  return self ? self->name().c_str() : "";
}

CUCORE_API const char* cucore_kernel_label(const cucore_kernel* kernel) {
  const auto* self = peek(kernel);
  return self ? self->label().c_str() : "";
}

CUCORE_API void* cucore_kernel_native(const cucore_kernel* kernel) {
  const auto* self = peek(kernel);
  return self ? self->first().native : nullptr;
}

CUCORE_API cucore_status cucore_kernel_objectcode(const cucore_kernel* kernel,
                                                  const cucore_device* device,
                                                  cucore_objectcode** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(self.code().on(on));
  });
}

CUCORE_API cucore_status cucore_kernel_attribute(const cucore_kernel* kernel,
                                                 cucore_kernel_attribute_name name,
                                                 const cucore_device* device, int32_t* out,
                                                 cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = self.attribute(static_cast<int>(name), on);
  });
}

CUCORE_API cucore_status cucore_kernel_set_attribute(const cucore_kernel* kernel,
                                                     cucore_kernel_attribute_name name,
                                                     const cucore_device* device, int32_t value,
                                                     cucore_error** error) {
  return guard(error, [&] {
    const core::Kernel& self = use(kernel, "kernel");
    self.set_attribute(static_cast<int>(name), use(device, "device"), value);
  });
}

CUCORE_API size_t cucore_kernel_parameter_count(const cucore_kernel* kernel) {
  const auto* self = peek(kernel);
  if (!self) return 0;
  const auto& parameters = self->first().parameters;
  return parameters ? parameters->size() : SIZE_MAX;
}

CUCORE_API cucore_status cucore_kernel_parameter_at(const cucore_kernel* kernel, size_t index,
                                                    const cucore_device* device, size_t* offset,
                                                    size_t* size, cucore_error** error) {
  return guard(error, [&] {
    clear(offset, size);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device* on = device ? &use(device, "device") : nullptr;
    require(offset, "offset");
    require(size, "size");
    const image::Parameter& parameter = parameter_at(self, on, index);
    *offset = parameter.offset;
    *size = parameter.size;
  });
}

CUCORE_API cucore_status cucore_kernel_parameters(const cucore_kernel* kernel,
                                                  const cucore_device* device,
                                                  cucore_parameter_info* out, size_t capacity,
                                                  size_t* count, cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    ParameterArray array(out, capacity, count);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device* on = device ? &use(device, "device") : nullptr;
    array.write(parameters_of(self, on));
  });
}

CUCORE_API cucore_status cucore_kernel_occupancy(const cucore_kernel* kernel,
                                                 const cucore_device* device, int32_t block_size,
                                                 size_t dynamic_shared,
                                                 int32_t* blocks_per_multiprocessor,
                                                 cucore_error** error) {
  return guard(error, [&] {
    clear(blocks_per_multiprocessor);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(blocks_per_multiprocessor, "blocks_per_multiprocessor");
    *blocks_per_multiprocessor = self.occupancy(on, block_size, dynamic_shared);
  });
}

CUCORE_API cucore_status cucore_kernel_max_potential_block_size(
    const cucore_kernel* kernel, const cucore_device* device, size_t dynamic_shared,
    int32_t block_size_limit, int32_t* min_grid_size, int32_t* block_size, cucore_error** error) {
  return guard(error, [&] {
    clear(min_grid_size, block_size);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(min_grid_size, "min_grid_size");
    require(block_size, "block_size");
    int grid = 0, block = 0;
    self.max_potential_block_size(on, dynamic_shared, block_size_limit, grid, block);
    *min_grid_size = grid;
    *block_size = block;
  });
}

CUCORE_API cucore_status cucore_kernel_available_dynamic_shared(
    const cucore_kernel* kernel, const cucore_device* device, int32_t blocks_per_multiprocessor,
    int32_t block_size, size_t* dynamic_shared, cucore_error** error) {
  return guard(error, [&] {
    clear(dynamic_shared);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(dynamic_shared, "dynamic_shared");
    *dynamic_shared = self.available_dynamic_shared(on, blocks_per_multiprocessor, block_size);
  });
}

CUCORE_API cucore_status cucore_kernel_max_active_clusters(const cucore_kernel* kernel,
                                                           const cucore_device* device,
                                                           const cucore_launch_options* options,
                                                           int32_t* clusters,
                                                           cucore_error** error) {
  return guard(error, [&] {
    clear(clusters);
    const core::Kernel& self = use(kernel, "kernel");
    const core::Device& on = use(device, "device");
    require(clusters, "clusters");
    const LaunchOptions how(options);
    *clusters = core::max_active_clusters(self, on, how.get(), LAUNCH_HANDLES);
  });
}

}  // extern "C"
