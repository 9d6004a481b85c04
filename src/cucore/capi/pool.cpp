// SPDX-License-Identifier: Apache-2.0
#include "core/objects/pool.hpp"

#include <cstddef>

#include "capi/observed.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;
using cucore::concat;
using cucore::Error;
using cucore::Status;

namespace {

constexpr size_t FIRST_POOL_OPTIONS = offsetof(cucore_pool_options, user_data) + sizeof(void*);
constexpr size_t FIRST_POOL_INFO = offsetof(cucore_pool_info, keep) + sizeof(int64_t);

void require_device_memory(int32_t kind) {
  switch (kind) {
    case CUCORE_POOL_KIND_DEFAULT:
    case CUCORE_POOL_KIND_DEVICE:
      return;
    case CUCORE_POOL_KIND_PINNED:
      throw Error(Status::UNSUPPORTED,
                  "pools of pinned memory are not supported; use cucore_buffer_create_pinned()");
    case CUCORE_POOL_KIND_MANAGED:
      throw Error(Status::UNSUPPORTED,
                  "pools of managed memory are not supported; use cucore_buffer_create_managed()");
    default:
      throw Error(Status::INVALID_ARGUMENT, concat("cucore_pool_options.kind is ", kind,
                                                   "; expected one of cucore_pool_kind"));
  }
}

void require_location(const cucore_location& location, const core::Device& device) {
  const int32_t kind = location.kind;
  if (kind < CUCORE_LOCATION_KIND_NONE || kind > CUCORE_LOCATION_KIND_HOST_NUMA_CURRENT)
    throw Error(Status::INVALID_ARGUMENT, concat("cucore_pool_options.location.kind is ", kind,
                                                 "; expected one of cucore_location_kind"));
  if (kind == CUCORE_LOCATION_KIND_NONE) return;
  if (kind != CUCORE_LOCATION_KIND_DEVICE || location.id != device.ordinal())
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_pool_options.location is another place than ", device.label(),
                       ", whose memory the pool has; leave it out"));
}

core::PoolOptions read(const cucore_pool_options* given, const core::Device& device) {
  if (!given) return {};
  const auto options = cucore::read_options(given, FIRST_POOL_OPTIONS, "cucore_pool_options");
  require_device_memory(options.kind);
  require_location(options.location, device);
  if (require_flag(options.shared, "cucore_pool_options.shared"))
    throw Error(Status::UNSUPPORTED, "pools for several processes are not supported");
  require_zero(options.reserved, "cucore_pool_options.reserved");
  core::PoolOptions out;
  out.max_size = options.max_size;
  out.keep = options.keep;
  out.reuse_follow_events =
      require_toggle(options.reuse_follow_events, true, "cucore_pool_options.reuse_follow_events");
  out.reuse_opportunistic =
      require_toggle(options.reuse_opportunistic, true, "cucore_pool_options.reuse_opportunistic");
  out.reuse_internal =
      require_toggle(options.reuse_internal, true, "cucore_pool_options.reuse_internal");
  if (options.name) out.name = options.name;
  out.exhausted = options.exhausted;
  out.user_data = options.user_data;
  return out;
}

cucore_pool_info info_of(const core::PoolState& state) {
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  info.kind = CUCORE_POOL_KIND_DEVICE;
  info.used = state.used;
  info.used_peak = state.used_peak;
  info.reserved = state.reserved;
  info.reserved_peak = state.reserved_peak;
  info.allocations = state.allocations;
  info.frees = state.frees;
  info.failures = state.failures;
  info.live = state.allocations - state.frees;
  info.largest = state.largest;
  info.max_size = state.max_size;
  info.keep = state.keep;
  return info;
}

[[gnu::cold, gnu::noinline]] void allocate_observed(core::Pool& pool, size_t size,
                                                    const core::Stream& stream, uint64_t& out) {
  core::observe(
      {.kind = CUCORE_OPERATION_ALLOCATE, .stream = &stream, .size = size},
      [&](core::Operation& operation) { operation.address = out = pool.allocate(size, stream); });
}

[[gnu::cold, gnu::noinline]] void free_observed(core::Pool& pool, uint64_t address, size_t size,
                                                const core::Stream& stream) {
  core::observe(
      {.kind = CUCORE_OPERATION_FREE, .stream = &stream, .address = address, .size = size},
      [&](core::Operation&) { pool.free(address, stream); });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_pool_create(const cucore_device* device,
                                            const cucore_pool_options* options, cucore_pool** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Pool::create(on, read(options, on)));
  });
}

CUCORE_API cucore_status cucore_pool_from_native(const cucore_device* device, void* native,
                                                 cucore_pool** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    require(native, "native");
    *out = wrap(core::Pool::from_native(on, static_cast<CUmemoryPool>(native)));
  });
}

CUCORE_API cucore_pool* cucore_pool_retain(const cucore_pool* pool) { return retain(pool); }

CUCORE_API void cucore_pool_release(cucore_pool* pool) { release(pool); }

CUCORE_API cucore_status cucore_pool_device(const cucore_pool* pool, cucore_device** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Pool& self = use(pool, "pool");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API cucore_status cucore_pool_allocate(cucore_pool* pool, size_t size,
                                              const cucore_stream* stream, uint64_t* address,
                                              cucore_error** error) {
  return guard(error, [&] {
    clear(address);
    core::Pool& self = use(pool, "pool");
    const core::Stream& order = use(stream, "stream");
    require(address, "address");
    if (size == 0) throw Error(Status::INVALID_ARGUMENT, "size is 0; expected at least 1");
    if (is_observed(CUCORE_OPERATION_ALLOCATE)) [[unlikely]]
      return allocate_observed(self, size, order, *address);
    *address = self.allocate(size, order);
  });
}

CUCORE_API cucore_status cucore_pool_free(cucore_pool* pool, uint64_t address, size_t size,
                                          const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    core::Pool& self = use(pool, "pool");
    const core::Stream& order = use(stream, "stream");
    if (address == 0)
      throw Error(Status::INVALID_ARGUMENT,
                  "address is 0; expected an address of cucore_pool_allocate()");
    if (is_observed(CUCORE_OPERATION_FREE)) [[unlikely]]
      return free_observed(self, address, size, order);
    self.free(address, order);
  });
}

CUCORE_API cucore_status cucore_pool_query(const cucore_pool* pool, cucore_pool_info* out,
                                           cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_POOL_INFO);
    cucore::write_info(out, info_of(use(pool, "pool").query()), FIRST_POOL_INFO,
                       "cucore_pool_info");
  });
}

CUCORE_API cucore_status cucore_pool_set_keep(cucore_pool* pool, int64_t bytes,
                                              cucore_error** error) {
  return guard(error, [&] { use(pool, "pool").set_keep(bytes); });
}

CUCORE_API cucore_status cucore_pool_reset_peaks(cucore_pool* pool, cucore_error** error) {
  return guard(error, [&] { use(pool, "pool").reset_peaks(); });
}

CUCORE_API cucore_status cucore_pool_trim(cucore_pool* pool, size_t keep, cucore_error** error) {
  return guard(error, [&] { use(pool, "pool").trim(keep); });
}

CUCORE_API void* cucore_pool_native(const cucore_pool* pool) {
  const auto* self = peek(pool);
  return self ? self->native() : nullptr;
}

}  // extern "C"
