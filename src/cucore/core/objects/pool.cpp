// SPDX-License-Identifier: Apache-2.0
#include "core/objects/pool.hpp"

#include <algorithm>

#include "core/objects/allocation.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;
using driver::RelaxedCaptures;

namespace {

constexpr uint32_t MOST_ATTEMPTS = 8;  // of `exhausted`
constexpr int SINCE = 11020;           // the version of the driver's pools

// The driver's release threshold of a number of bytes to keep.
uint64_t threshold_of(int64_t keep) {
  if (keep < -1)
    throw Error(Status::INVALID_ARGUMENT,
                concat("keep is ", keep, "; expected -1 (none), 0 (all) or a number of bytes"));
  if (keep == 0) return UINT64_MAX;
  return keep < 0 ? 0 : static_cast<uint64_t>(keep);
}

int64_t keep_of(uint64_t threshold) {
  if (threshold == 0) return -1;
  return threshold > static_cast<uint64_t>(INT64_MAX) ? 0 : static_cast<int64_t>(threshold);
}

CUmemPoolProps properties_of(const Device& device, const PoolOptions& options) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device.native();
  properties.maxSize = options.max_size;
  return properties;
}

}  // namespace

void require_pools(const Device& device) {
  if (!device.limits().pools)
    throw Error(Status::UNSUPPORTED,
                concat(device.label(),
                       " has no memory pools; allocate with cucore_buffer_create() instead"));
}

uint64_t find_capture_for_memory(const Stream& stream, const char* action) {
  if (stream.kind() == Stream::Kind::OWNED && !stream.may_be_captured()) return 0;
  driver::CaptureInfo info;
  const CUresult result = driver::capture_info(cuda(), stream.native(), info);
  if (driver::is_capture_in_the_way(result))
    throw Error(Status::INVALID_STATE,
                concat("cannot ", action, " on ", stream.label(),
                       " while a blocking stream is captured; create it before the capture, or on "
                       "a nonblocking stream"));
  check(result, "query whether a stream is captured");
  if (info.status == CU_STREAM_CAPTURE_STATUS_NONE) return 0;
  if (!info.is_active() || info.id == 0)
    throw Error(Status::INVALID_STATE,
                concat("cannot ", action, " on ", stream.label(), ": its capture is broken"));
  return info.id;
}

void require_not_captured(const Stream& stream, const char* action) {
  if (find_capture_for_memory(stream, action) != 0)
    throw Error(Status::INVALID_STATE,
                concat("cannot ", action, " on ", stream.label(),
                       ": it is captured into a graph; create a buffer, or do it before the "
                       "capture"));
}

Ref<Pool> Pool::create(const Device& device, PoolOptions options) {
  require_pools(device);
  (void)threshold_of(options.keep);
  const auto& cu = cuda();
  const auto create = driver::require(cu.cuMemPoolCreate, "cuMemPoolCreate", SINCE);
  const PrimaryScope primary(device);
  const RelaxedCaptures relaxed;
  const CUmemPoolProps properties = properties_of(device, options);
  CUmemoryPool native = nullptr;
  check(create(&native, &properties), [&] { return "create a memory pool on " + device.label(); });
  Ref<Pool> pool;
  try {
    primary.context()->pool_registry().add(native);
    pool = make<Pool>(primary.context(), native, Kind::OWNED, std::move(options));
  } catch (...) {
    primary.context()->pool_registry().remove(native);
    driver::check_release(cu.cuMemPoolDestroy(native), "destroy a memory pool");
    throw;
  }
  pool->set_options();
  return pool;
}

Ref<Pool> Pool::from_native(const Device& device, CUmemoryPool native) {
  require_pools(device);
  return make<Pool>(device.context(), native, Kind::BORROWED, PoolOptions{});
}

Ref<Pool> Pool::current(const Device& device) {
  require_pools(device);
  Ref<Context> context = device.context();
  if (auto set = find_current(*context)) return set;
  return default_of(std::move(context));
}

Ref<Pool> Pool::find_current(const Context& context) {
  return Ref<Pool>(static_cast<Pool*>(context.pool().get()));
}

Ref<Pool> Pool::default_of(Ref<Context> context) {
  const Device& device = context->device();
  const auto& cu = cuda();
  const auto get =
      driver::require(cu.cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", SINCE);
  CUmemoryPool native = nullptr;
  {
    const RelaxedCaptures relaxed;
    check(get(&native, device.native()),
          [&] { return "get the memory pool of " + device.label(); });
  }
  return make<Pool>(std::move(context), native, Kind::DEFAULT, PoolOptions{});
}

void Pool::set_current(const Device& device, Pool* pool) {
  require_pools(device);
  if (!pool) return device.context()->set_pool(nullptr);
  pool->require_usable();
  if (&pool->device() != &device)
    throw Error(Status::INVALID_ARGUMENT, concat("the pool belongs to ", pool->device().label(),
                                                 "; expected a pool of ", device.label()));
  const bool is_default = pool->kind_ == Kind::DEFAULT;
  pool->context()->set_pool(is_default ? nullptr : Ref<Object>(pool));
}

Pool::~Pool() {
  if (kind_ != Kind::OWNED) return;
  const ContextScope scope(*context_, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!cu || !scope.is_alive()) return;
  const RelaxedCaptures relaxed;
  free_blocks();
  context_->pool_registry().remove(native_);
  driver::check_release(cu->cuMemPoolDestroy(native_), "destroy a memory pool");
}

// The CPU device detects uses of memory after its free, so that it frees at once.
uint64_t Pool::most_cached(int64_t keep) const {
  const bool caches = kind_ == Kind::OWNED && !device().is_emulated();
  return caches ? threshold_of(keep) : 0;
}

void Pool::free_blocks() const noexcept {
  const auto* cu = driver::cuda_if_available();
  if (cu && cached_.load() != 0) context_->block_registry().free_blocks(*cu, this);
}

std::string Pool::label() const {
  if (options_.name.empty()) return "a pool of " + device().label();
  return concat("pool '", options_.name, "' of ", device().label());
}

void Pool::set_options() {
  const auto set = [&](CUmemPool_attribute which, bool on) {
    if (!on) set_attribute(which, 0);  // the driver has all of them on
  };
  set_attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, threshold_of(options_.keep));
  set(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, options_.reuse_follow_events);
  set(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, options_.reuse_opportunistic);
  set(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, options_.reuse_internal);
}

uint64_t Pool::attribute(CUmemPool_attribute which) const {
  const auto get = driver::require(cuda().cuMemPoolGetAttribute, "cuMemPoolGetAttribute", SINCE);
  uint64_t value = 0;
  check(get(native_, which, &value), [&] { return "read an attribute of " + label(); });
  return value;
}

// A reuse attribute is an int, whose bytes are the first ones of `value`.
void Pool::set_attribute(CUmemPool_attribute which, uint64_t value) const {
  const auto set = driver::require(cuda().cuMemPoolSetAttribute, "cuMemPoolSetAttribute", SINCE);
  check(set(native_, which, &value), [&] { return "set an attribute of " + label(); });
}

CUdeviceptr Pool::add_allocation_node(size_t size, const Stream& stream) const {
  const ContextScope scope(*context_, "pool");
  const auto take =
      driver::require(cuda().cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", SINCE);
  CUdeviceptr address = 0;
  check(take(&address, size, native_, stream.native()), [&] {
    return concat("add a node that allocates ", counted(size, "byte"), " from ", label());
  });
  return address;
}

// The context is free for a reset between two calls.
CUresult Pool::try_allocate(CUdeviceptr& address, size_t size, const Stream& stream) const {
  const ContextAccess access(*context_, "pool");
  std::optional<driver::ContextGuard> guard;
  if (stream.needs_current_context()) guard.emplace(context_->native());
  require_not_captured(stream, "allocate from a pool");
  const auto& cu = cuda();
  const auto take = driver::require(cu.cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", SINCE);
  const auto allocate = [&] { return take(&address, size, native_, stream.native()); };
  return allocate_or_wait(*context_, [&] { return call_without_context(*context_, allocate); });
}

std::string Pool::describe(size_t size) const {
  std::string message = concat("allocate ", counted(size, "byte"), " from ", label());
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return message;
  const RelaxedCaptures relaxed;
  const auto& cu = cuda();
  const auto read = [&](CUmemPool_attribute which) {
    uint64_t value = 0;
    return cu.cuMemPoolGetAttribute(native_, which, &value) == CUDA_SUCCESS ? value : 0;
  };
  message += concat(" (", read(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), " of its ",
                    read(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), " reserved bytes are used");
  size_t free_bytes = 0, total_bytes = 0;
  if (cu.cuMemGetInfo(&free_bytes, &total_bytes) == CUDA_SUCCESS)
    message += concat("; ", free_bytes, " of ", total_bytes, " bytes are free");
  return message + ")";
}

CUdeviceptr Pool::allocate(size_t size, const Stream& stream) {
  require_usable();
  stream.require_on(device(), "pool");
  const bool may_have_blocks =
      most_cached_.load(std::memory_order_relaxed) != 0 && stream.kind() == Stream::Kind::OWNED;
  CUdeviceptr address = may_have_blocks ? stream.blocks().take(*this, size) : 0;
  for (uint32_t attempt = 1; address == 0; ++attempt) {
    const CUresult result = try_allocate(address, size, stream);
    if (result == CUDA_SUCCESS) continue;
    const bool may_free = result == CUDA_ERROR_OUT_OF_MEMORY && options_.exhausted;
    if (may_free && attempt <= MOST_ATTEMPTS &&
        options_.exhausted(size, attempt, options_.user_data) != 0)
      continue;
    counts().add_failure();
    check(result, [&] { return describe(size); });
  }
  counts().add_allocation(size);
  return address;
}

void Pool::free(CUdeviceptr address, const Stream& stream) {
  require_usable();
  stream.require_on(device(), "pool");
  const ContextAccess access(*context_, "pool");
  std::optional<driver::ContextGuard> guard;
  if (stream.needs_current_context()) guard.emplace(context_->native());
  const auto held = stream.hold_records();  // no capture of the stream begins before the free
  require_not_captured(stream, "free memory of a pool");
  const RelaxedCaptures relaxed;
  const auto free = [&] { return cuda().cuMemFreeAsync(address, stream.native()); };
  check(call_without_context(*context_, free), [&] { return "free memory of " + label(); });
  counts().add_free();
}

PoolState Pool::query() const {
  const ContextAccess access(*context_, "pool");
  const RelaxedCaptures relaxed;
  PoolState state;
  state.used = attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  state.used -= std::min(state.used, cached_.load(std::memory_order_relaxed));
  state.used_peak = attribute(CU_MEMPOOL_ATTR_USED_MEM_HIGH);
  state.reserved = attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  state.reserved_peak = attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
  state.keep = keep_of(attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD));
  state.frees = counts().frees();
  state.allocations = counts().allocations();
  state.failures = counts().failures();
  state.largest = counts().largest();
  state.max_size = options_.max_size;
  return state;
}

void Pool::set_keep(int64_t bytes) {
  const uint64_t threshold = threshold_of(bytes);
  const ContextAccess access(*context_, "pool");
  const RelaxedCaptures relaxed;
  set_attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, threshold);
  most_cached_.store(most_cached(bytes), std::memory_order_relaxed);
  if (cached_.load() > most_cached_.load()) free_blocks();
}

void Pool::reset_peaks() {
  const ContextAccess access(*context_, "pool");
  const RelaxedCaptures relaxed;
  set_attribute(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
  set_attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
}

void Pool::trim(size_t keep) const {
  const ContextAccess access(*context_, "pool");
  const RelaxedCaptures relaxed;
  free_blocks();
  const auto trim = driver::require(cuda().cuMemPoolTrimTo, "cuMemPoolTrimTo", SINCE);
  check(trim(native_, keep), [&] { return "trim " + label(); });
}

}  // namespace cucore::core
