// SPDX-License-Identifier: Apache-2.0
#include "array/run/context.hpp"

#include <algorithm>

namespace cucore::array {
namespace {

Target target_of(const NativeDevice& device, Math math) {
  int32_t major = 0, minor = 0;
  call("open a context of arrays", cucore_device_compute_capability, device.get(), &major, &minor);
  return {.architecture = major * 10 + minor,
          .emulated = cucore_device_is_emulated(device.get()) != 0,
          .math = math};
}

// The driver's default pool loses its memory at each wait. If that is the device's pool, the
// context has one of its own, which keeps as much as small arrays need.
NativePool pool_of(const NativeDevice& device) {
  constexpr int64_t KEPT = int64_t{256} << 20;
  cucore_pool* of_device = nullptr;
  if (cucore_device_pool(device.get(), &of_device, nullptr) != CUCORE_OK) return {};
  auto pool = NativePool::adopt(of_device);
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  call("open a context of arrays", cucore_pool_query, pool.get(), &info);
  if (info.keep != -1) return pool;
  cucore_pool_options options = CUCORE_POOL_OPTIONS_INIT;
  options.keep = KEPT;
  options.name = "arrays";
  return created<NativePool>("open a context of arrays", cucore_pool_create, device.get(),
                             &options);
}

Settings completed(Settings settings) {
  if (!settings.stream)
    settings.stream = created<NativeStream>("open a context of arrays", cucore_stream_create,
                                            settings.device.get(), nullptr);
  if (!settings.pool) settings.pool = pool_of(settings.device);
  if (settings.max_retained_bytes == 0) {
    constexpr size_t LEAST = size_t{64} << 20;
    size_t free = 0, total = 0;
    call("open a context of arrays", cucore_device_memory, settings.device.get(), &free, &total);
    settings.max_retained_bytes = std::max(total / 4, LEAST);
  }
  return settings;
}

}  // namespace

Context::Context(Settings settings)
    : settings_(completed(std::move(settings))),
      memory_(std::make_shared<MemoryCounts>()),
      returns_(std::make_shared<Returns>(settings_.device, settings_.stream)),
      kernels_(settings_.device, settings_.cache, target_of(settings_.device, settings_.math)) {}

Context::~Context() { drop_released(); }

// ---- references of other threads

void Context::release(Ref<Cell> cell) noexcept {
  Cell* const given = cell.detach();
  if (given->releases.fetch_add(1, std::memory_order_acq_rel) != 0) return;  // is in the list
  given->next_released = released_.load(std::memory_order_relaxed);
  while (!released_.compare_exchange_weak(given->next_released, given, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}

void Context::drop_released() noexcept {
  Cell* cell = released_.exchange(nullptr, std::memory_order_acquire);
  while (cell) {
    // Once the count is 0, the cell may enter the list again.
    Cell* const given = std::exchange(cell, cell->next_released);
    uint32_t references = given->releases.exchange(0, std::memory_order_acq_rel);
    while (references-- > 0) given->drop_reference();
  }
}

// ---- statistics

Statistics Context::statistics() {
  const Lock lock(*this);
  return statistics_;
}

uint64_t Context::planned() {
  const Lock lock(*this);
  return plans_.planned();
}

size_t Context::plans_cached() {
  const Lock lock(*this);
  return plans_.size();
}

uint64_t Context::retained_bytes() {
  const Lock lock(*this);
  return static_cast<uint64_t>(graph_.retained_bytes());
}

size_t Context::pending() {
  const Lock lock(*this);
  return graph_.pending();
}

}  // namespace cucore::array
