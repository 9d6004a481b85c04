// SPDX-License-Identifier: Apache-2.0
// The primary context of a device. All objects on the device keep it alive.
#pragma once

#include <atomic>
#include <mutex>

#include "core/completion/printed_output.hpp"
#include "core/objects/idle_events.hpp"
#include "core/objects/pool_counts.hpp"
#include "core/objects/release_streams.hpp"
#include "core/objects/stream_blocks.hpp"
#include "driver/context_guard.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class Device;

class Context final : public Object {
 public:
  Context(const Device& device, CUcontext native) : device_(device), native_(native) {}

  const Device& device() const { return device_; }
  CUcontext native() const { return native_; }
  PrintedOutput& output() const { return output_; }

  // After a reset of the device, objects of this context must not be used.
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  void set_lost() const { lost_.store(true); }

  // The accesses that exceed the records of threads; see ContextAccess.
  void begin_counted_access() const noexcept { accesses_.fetch_add(1); }
  void end_counted_access() const noexcept { accesses_.fetch_sub(1); }
  bool has_counted_accesses() const noexcept { return accesses_.load() != 0; }

  // Throws INVALID_STATE if it is lost; `what` names the object that lived in it: "stream".
  void require_alive(const char* what) const {
    if (is_lost()) [[unlikely]]
      throw_lost(what);
  }

  // The streams that free memory used by other streams than its own.
  ReleaseStreams& release_streams() const { return release_streams_; }

  IdleEvents& idle_events() const { return idle_events_; }

  BlockRegistry& block_registry() const { return block_registry_; }
  PoolRegistry& pool_registry() const { return pool_registry_; }

  // The counts of the driver's default pool.
  PoolCounts& pool_counts() const { return pool_counts_; }

  // The pool that buffers come from, which refers to this context; null: the driver's default one.
  bool has_pool() const noexcept { return has_pool_.load(std::memory_order_relaxed); }
  Ref<Object> pool() const {
    std::lock_guard lock(pool_mutex_);
    return pool_;
  }
  void set_pool(Ref<Object> pool) const {
    std::lock_guard lock(pool_mutex_);
    std::swap(pool_, pool);  // the old one goes after the lock
    has_pool_.store(static_cast<bool>(pool_), std::memory_order_relaxed);
  }

  // Returns whether the context's objects are gone, so that a destructor must not release them.
  bool is_gone() const { return is_lost() || driver::is_gone(); }

 private:
  [[noreturn]] void throw_lost(const char* what) const;

  const Device& device_;
  const CUcontext native_;
  mutable std::atomic<bool> lost_{false};
  mutable std::atomic<uint32_t> accesses_{0};
  mutable PrintedOutput output_;
  mutable ReleaseStreams release_streams_;
  mutable IdleEvents idle_events_;
  mutable PoolCounts pool_counts_;
  mutable BlockRegistry block_registry_;
  mutable PoolRegistry pool_registry_;
  mutable std::mutex pool_mutex_;
  mutable Ref<Object> pool_;
  mutable std::atomic<bool> has_pool_{false};
};

}  // namespace cucore::core
