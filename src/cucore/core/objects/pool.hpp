// SPDX-License-Identifier: Apache-2.0
// A memory pool of the driver.
#pragma once

#include <string>

#include "core/objects/pool_counts.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

struct PoolOptions {
  uint64_t max_size = 0;
  int64_t keep = 0;
  bool reuse_follow_events = true, reuse_opportunistic = true, reuse_internal = true;
  std::string name;
  int32_t (*exhausted)(size_t size, uint32_t attempt, void* user_data) = nullptr;
  void* user_data = nullptr;
};

// The numbers of cucore_pool_info.
struct PoolState {
  uint64_t used = 0, used_peak = 0, reserved = 0, reserved_peak = 0;
  uint64_t allocations = 0, frees = 0, failures = 0, largest = 0;
  uint64_t max_size = 0;
  int64_t keep = 0;
};

class Pool final : public Object {
 public:
  enum class Kind { OWNED, BORROWED, DEFAULT };

  static Ref<Pool> create(const Device& device, PoolOptions options);
  static Ref<Pool> from_native(const Device& device, CUmemoryPool native);
  // The pool that the device's buffers come from: that of set_current(), else the driver's default.
  static Ref<Pool> current(const Device& device);
  // Null: the driver's default pool again.
  static void set_current(const Device& device, Pool* pool);
  // The pool of set_current(), or null.
  static Ref<Pool> find_current(const Context& context);
  static Ref<Pool> default_of(Ref<Context> context);

  Pool(Ref<Context> context, CUmemoryPool native, Kind kind, PoolOptions options)
      : context_(std::move(context)),
        native_(native),
        kind_(kind),
        options_(std::move(options)),
        most_cached_(most_cached(options_.keep)) {}

  const Device& device() const { return context_->device(); }
  const Ref<Context>& context() const { return context_; }
  CUmemoryPool native() const { return native_; }
  PoolCounts& counts() const { return kind_ == Kind::DEFAULT ? context_->pool_counts() : counts_; }
  std::string label() const;  // "pool 'name' of device 0"
  // The bytes of released blocks that streams keep. Blocks count as used for the driver.
  bool can_cache(size_t size) const noexcept {
    const uint64_t most = most_cached_.load(std::memory_order_relaxed);
    return size <= most && cached_.load(std::memory_order_relaxed) <= most - size;
  }
  void add_cached(size_t size) const noexcept {
    cached_.fetch_add(size, std::memory_order_relaxed);
  }
  void remove_cached(size_t size) const noexcept {
    cached_.fetch_sub(size, std::memory_order_relaxed);
  }
  void require_usable() const { context_->require_alive("pool"); }

  // Memory of `size` bytes, which the work of `stream` may use. Gives memory back and calls
  // `exhausted` before it fails.
  CUdeviceptr allocate(size_t size, const Stream& stream);
  void free(CUdeviceptr address, const Stream& stream);
  // Adds a node to the capture of `stream`; returns its address.
  CUdeviceptr add_allocation_node(size_t size, const Stream& stream) const;

  PoolState query() const;
  void set_keep(int64_t bytes);
  void reset_peaks();
  void trim(size_t keep) const;

 private:
  ~Pool() override;
  void set_options();
  uint64_t most_cached(int64_t keep) const;
  void free_blocks() const noexcept;
  uint64_t attribute(CUmemPool_attribute which) const;
  void set_attribute(CUmemPool_attribute which, uint64_t value) const;
  CUresult try_allocate(CUdeviceptr& address, size_t size, const Stream& stream) const;
  std::string describe(size_t size) const;

  const Ref<Context> context_;
  const CUmemoryPool native_;
  const Kind kind_;
  const PoolOptions options_;
  mutable PoolCounts counts_;
  std::atomic<uint64_t> most_cached_;
  mutable std::atomic<uint64_t> cached_{0};
};

// Throws INVALID_STATE if the stream is captured: memory would belong to the graph, but would be
// freed outside it. `action` is "create a buffer".
void require_not_captured(const Stream& stream, const char* action);

// Returns the number of the capture that the stream is in, 0 outside one. Throws INVALID_STATE if
// an allocation on the stream would break a capture. Needs the context for a default stream.
uint64_t find_capture_for_memory(const Stream& stream, const char* action);

// Throws UNSUPPORTED if the device has no pools.
void require_pools(const Device& device);

}  // namespace cucore::core
