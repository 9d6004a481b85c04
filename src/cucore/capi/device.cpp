// SPDX-License-Identifier: Apache-2.0
#include "core/objects/device.hpp"

#include <algorithm>
#include <cstddef>

#include "capi/observed.hpp"
#include "core/objects/graph_memory.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
using cucore::concat;
using cucore::Error;
using cucore::Status;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_GRAPH_MEMORY_INFO =
    offsetof(cucore_graph_memory_info, reserved_peak) + sizeof(uint64_t);

core::Stream::Kind require_kind(cucore_default_stream kind) {
  if (kind == CUCORE_DEFAULT_STREAM_LEGACY) return core::Stream::Kind::LEGACY;
  if (kind == CUCORE_DEFAULT_STREAM_PER_THREAD) return core::Stream::Kind::PER_THREAD;
  throw Error(Status::INVALID_ARGUMENT,
              concat("kind is ", static_cast<int>(kind), ", not a cucore_default_stream"));
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_device_count(int32_t* out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    *require(out, "out") = core::Device::count();
  });
}

CUCORE_API cucore_status cucore_device_open(int32_t ordinal, cucore_device** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(core::Device::open(ordinal));
  });
}

CUCORE_API cucore_device* cucore_device_retain(const cucore_device* device) {
  return retain(device);
}

CUCORE_API void cucore_device_release(cucore_device* device) { release(device); }

CUCORE_API int32_t cucore_device_ordinal(const cucore_device* device) {
  const auto* self = peek(device);
  return self ? self->ordinal() : 0;
}

CUCORE_API const char* cucore_device_name(const cucore_device* device) {
  const auto* self = peek(device);
  return self ? self->name().c_str() : "";
}

CUCORE_API const char* cucore_device_arch(const cucore_device* device) {
  const auto* self = peek(device);
  return self ? self->arch().c_str() : "";
}

CUCORE_API const char* cucore_device_pci_bus_id(const cucore_device* device) {
  const auto* self = peek(device);
  return self ? self->pci_bus_id().c_str() : "";
}

CUCORE_API int32_t cucore_device_is_emulated(const cucore_device* device) {
  const auto* self = peek(device);
  return self && self->is_emulated();
}

CUCORE_API cucore_status cucore_device_compute_capability(const cucore_device* device,
                                                          int32_t* major, int32_t* minor,
                                                          cucore_error** error) {
  return guard(error, [&] {
    clear(major, minor);
    const core::Device& self = use(device, "device");
    require(major, "major");
    require(minor, "minor");
    *major = self.major();
    *minor = self.minor();
  });
}

CUCORE_API cucore_status cucore_device_attribute(const cucore_device* device,
                                                 cucore_device_attribute_name name, int32_t* out,
                                                 cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& self = use(device, "device");
    require(out, "out");
    *out = self.attribute(static_cast<int>(name));
  });
}

CUCORE_API cucore_status cucore_device_uuid(const cucore_device* device, uint8_t out[16],
                                            cucore_error** error) {
  return guard(error, [&] {
    if (out) std::fill_n(out, 16, uint8_t{0});
    const core::Device& self = use(device, "device");
    require(out, "out");
    std::ranges::copy(self.uuid(), out);
  });
}

CUCORE_API cucore_status cucore_device_memory(const cucore_device* device, size_t* free_bytes,
                                              size_t* total_bytes, cucore_error** error) {
  return guard(error, [&] {
    clear(free_bytes, total_bytes);
    const core::Device& self = use(device, "device");
    require(free_bytes, "free_bytes");
    require(total_bytes, "total_bytes");
    size_t free = 0, total = 0;
    self.memory(free, total);
    *free_bytes = free;
    *total_bytes = total;
  });
}

CUCORE_API cucore_status cucore_device_can_access_peer(const cucore_device* device,
                                                       const cucore_device* peer, int32_t* out,
                                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& self = use(device, "device");
    const core::Device& other = use(peer, "peer");
    require(out, "out");
    *out = self.can_access_peer(other);
  });
}

CUCORE_API cucore_status cucore_device_stream_priorities(const cucore_device* device,
                                                         int32_t* least, int32_t* greatest,
                                                         cucore_error** error) {
  return guard(error, [&] {
    clear(least, greatest);
    const core::Device& self = use(device, "device");
    require(least, "least");
    require(greatest, "greatest");
    int low = 0, high = 0;
    self.stream_priorities(low, high);
    *least = low;
    *greatest = high;
  });
}

CUCORE_API void* cucore_device_native_context(const cucore_device* device) {
  CUcontext context = nullptr;
  if (const auto* self = peek(device)) guard(nullptr, [&] { context = self->context()->native(); });
  return context;
}

CUCORE_API cucore_status cucore_device_synchronize(const cucore_device* device,
                                                   cucore_error** error) {
  return guard(error, [&] {
    const core::Device& self = use(device, "device");
    if (is_observed(CUCORE_OPERATION_SYNCHRONIZE)) [[unlikely]]
      return synchronize_observed(self, &self, nullptr);
    self.synchronize();
  });
}

CUCORE_API cucore_status cucore_device_default_stream(const cucore_device* device,
                                                      cucore_default_stream kind,
                                                      cucore_stream** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& self = use(device, "device");
    require(out, "out");
    *out = wrap(core::Stream::default_stream(self, require_kind(kind)));
  });
}

CUCORE_API cucore_status cucore_device_pool(const cucore_device* device, cucore_pool** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& self = use(device, "device");
    require(out, "out");
    *out = wrap(core::Pool::current(self));
  });
}

CUCORE_API cucore_status cucore_device_set_pool(const cucore_device* device, cucore_pool* pool,
                                                cucore_error** error) {
  return guard(error, [&] {
    const core::Device& self = use(device, "device");
    core::Pool::set_current(self, pool ? &use(pool, "pool") : nullptr);
  });
}

CUCORE_API cucore_status cucore_device_graph_memory(const cucore_device* device,
                                                    cucore_graph_memory_info* out,
                                                    cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_GRAPH_MEMORY_INFO);
    const core::GraphMemoryState state = core::query_graph_memory(use(device, "device"));
    const cucore_graph_memory_info info{sizeof info, state.used, state.used_peak, state.reserved,
                                        state.reserved_peak};
    cucore::write_info(out, info, FIRST_GRAPH_MEMORY_INFO, "cucore_graph_memory_info");
  });
}

CUCORE_API cucore_status cucore_device_trim_graph_memory(const cucore_device* device,
                                                         int32_t reset_peaks,
                                                         cucore_error** error) {
  return guard(error, [&] {
    const core::Device& self = use(device, "device");
    core::trim_graph_memory(self, require_flag(reset_peaks, "reset_peaks"));
  });
}

CUCORE_API cucore_status cucore_device_reset(const cucore_device* device, cucore_error** error) {
  return guard(error, [&] { use(device, "device").reset(); });
}

}  // extern "C"
