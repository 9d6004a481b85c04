// SPDX-License-Identifier: Apache-2.0
// Memory that a context allocates and counts.
#include <algorithm>

#include "array/run/context.hpp"
#include "array/run/machine.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {

NativeBuffer Context::new_buffer(const char* attempt, uint64_t size) const {
  const cucore_stream* const stream = settings_.stream.get();
  if (settings_.pool)
    return created<NativeBuffer>(attempt, cucore_buffer_from_pool, settings_.pool.get(), size,
                                 stream);
  return created<NativeBuffer>(attempt, cucore_buffer_create, settings_.device.get(), size, stream);
}

bool MemoryCounts::reserve(uint64_t bytes, uint64_t most) noexcept {
  uint64_t before = reserved;
  do {
    if (before > most || bytes > most - before) return false;
  } while (!reserved.compare_exchange_weak(before, before + bytes));
  return true;
}

CountedBytes::~CountedBytes() {
  if (!counts_) return;
  if (is_live_) counts_->live -= bytes_;
  counts_->reserved -= bytes_;
}

void CountedBytes::set_live() noexcept {
  is_live_ = true;
  const uint64_t live = counts_->live += bytes_;
  uint64_t peak = counts_->peak;
  while (peak < live && !counts_->peak.compare_exchange_weak(peak, live)) {
  }
}

CountedBytes Context::counted(uint64_t bytes, uint64_t most) const {
  if (!memory_->reserve(bytes, most))
    throw Error(
        Status::OUT_OF_DEVICE_MEMORY,
        concat("allocate ", bytes, " bytes for an array: the context holds ", memory_->live.load(),
               " of at most ", most, " bytes; release arrays, or raise max_bytes"));
  return CountedBytes(memory_, bytes);
}

Ref<Storage> Context::allocate(int64_t bytes) {
  const auto size = static_cast<uint64_t>(std::max<int64_t>(bytes, 1));
  CountedBytes counted_bytes =
      counted(size, settings_.max_bytes != 0 ? settings_.max_bytes : UINT64_MAX);
  return make<DeviceStorage>(new_buffer("allocate memory of an array", size), 0, false,
                             std::move(counted_bytes));
}

Ref<Storage> Context::allocate_after_releases(int64_t bytes) {
  { const Lock drops_what_was_released(*this); }
  try {
    return allocate(bytes);
  } catch (const Error& error) {
    if (!is_out_of_memory(error)) throw;
  }
  call("wait for memory", cucore_stream_synchronize, settings_.stream.get());
  { const Lock drops_what_was_released(*this); }
  return allocate(bytes);
}

uint64_t Context::counters(int64_t count) {
  constexpr int64_t LEAST = 4096;
  if (count > counter_capacity_) {
    const int64_t capacity = std::max(count, LEAST);
    NativeBuffer buffer =
        new_buffer("allocate counters", static_cast<size_t>(capacity) * sizeof(uint32_t));
    const uint32_t zero = 0;
    call("clear counters", cucore_buffer_fill, buffer.get(), 0,
         static_cast<size_t>(capacity) * sizeof zero, &zero, sizeof zero, settings_.stream.get());
    counters_ = std::move(buffer);
    counter_capacity_ = capacity;
  }
  return cucore_buffer_address(counters_.get());
}

uint64_t Context::reserved_bytes() const noexcept {
  cucore_pool_info info = CUCORE_POOL_INFO_INIT;
  (void)cucore_pool_query(settings_.pool.get(), &info, nullptr);
  return info.reserved;
}

void Context::trim(uint64_t keep_bytes) {
  {
    const Evaluation one(evaluation_);
    {
      const Lock lock(*this);
      plans_.clear();
      counters_ = {};
      counter_capacity_ = 0;
    }
    // Memory that was released in the order of the stream is free after it.
    cucore_stream* const stream = settings_.stream.get();
    if (!cucore_stream_is_capturing(stream))
      call("wait for memory", cucore_stream_synchronize, stream);
  }
  returns_->poll();  // without a lock, because owners may evaluate
  if (settings_.pool)
    call("give memory back", cucore_pool_trim, settings_.pool.get(),
         static_cast<size_t>(keep_bytes));
}

}  // namespace cucore::array
