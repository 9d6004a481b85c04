// SPDX-License-Identifier: Apache-2.0
// Memory of the driver that a buffer owns, until all work that uses it is complete.
#pragma once

#include "core/objects/deferred_release.hpp"
#include "core/objects/pool.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

// Takes back memory that the library did not allocate.
struct MemoryOwner {
  void (*destroy)(void* user_data) = nullptr;
  void* user_data = nullptr;
};

class Allocation final : public DeferredRelease {
 public:
  // DEVICE: of a device without pools. OWNER: of a MemoryOwner. GRAPH: of a captured node, which
  // owns the address.
  enum class Kind { POOL, DEVICE, PINNED, MANAGED, OWNER, GRAPH };

  // `stream` orders the release of POOL and DEVICE memory, and is null for the others. `pool` is
  // null for memory of the driver's default pool.
  Allocation(Ref<Context> context, Kind kind, CUdeviceptr address, void* host, size_t size,
             Ref<Stream> stream, Ref<Pool> pool = nullptr)
      : context_(std::move(context)),
        kind_(kind),
        address_(address),
        host_(host),
        size_(size),
        stream_(std::move(stream)),
        pool_(std::move(pool)) {}

  // Memory without an owner yet.
  Allocation(Ref<Context> context, CUdeviceptr address)
      : context_(std::move(context)), kind_(Kind::OWNER), address_(address) {}
  void set_owner(MemoryOwner owner) noexcept { owner_ = owner; }

  // Memory of an allocation node of the driver's capture with that number.
  Allocation(Ref<Context> context, CUdeviceptr address, size_t size, Ref<Stream> stream,
             uint64_t capture)
      : context_(std::move(context)),
        kind_(Kind::GRAPH),
        address_(address),
        size_(size),
        stream_(std::move(stream)),
        capture_(capture) {}
  // Of GRAPH memory; else 0.
  uint64_t capture() const { return capture_; }

  // Frees the memory after the work of its stream and of all recorded uses. Neither this thread
  // nor a stream of the program waits for that.
  static void release(std::unique_ptr<Allocation> allocation) noexcept;

  const Stream* stream() const { return stream_.get(); }
  Ref<Stream>& stream_ref() { return stream_; }
  const Ref<Pool>& pool() const { return pool_; }

  bool is_ready() noexcept override;
  void perform(const driver::CudaTable& cu) noexcept override;

 private:
  static void release_to_owner(std::unique_ptr<Allocation> allocation) noexcept;
  void add_free_node() noexcept;
  bool is_unused() noexcept;
  void add_own_stream() noexcept;
  bool is_simple() const;
  void free_simply(const driver::CudaTable& cu) noexcept;
  bool free_in_order(const driver::CudaTable& cu) noexcept;
  bool free_after_uses(const driver::CudaTable& cu, CUstream own) noexcept;
  CUstream order() const;
  PoolCounts& counts() const { return pool_ ? pool_->counts() : context_->pool_counts(); }

  const Ref<Context> context_;
  const Kind kind_;
  const CUdeviceptr address_;
  void* const host_ = nullptr;
  const size_t size_ = 0;
  MemoryOwner owner_;
  Ref<Stream> stream_;
  const Ref<Pool> pool_;
  const uint64_t capture_ = 0;
  bool waits_for_context_ = false;  // for the work of its own stream without a mark
};

// Waits until all work of the context is complete and its pending memory is free, as far as
// possible. For a failed allocation.
void wait_for_releases(const Context& context) noexcept;

// Allocates, and tries again after pending releases, which may free enough memory.
template <class Allocate>
CUresult allocate_or_wait(const Context& context, Allocate&& allocate) {
  // An allocation is not work of a captured stream. During a capture that the thread has begun in
  // global mode, the driver would still refuse it and invalidate the capture.
  const driver::RelaxedCaptures relaxed;
  const CUresult result = allocate();
  if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
  wait_for_releases(context);
  return allocate();
}

}  // namespace cucore::core
