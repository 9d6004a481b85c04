// SPDX-License-Identifier: Apache-2.0
// Memory of the driver that a buffer owns, until all work that uses it is complete.
#pragma once

#include "core/objects/deferred_release.hpp"
#include "core/objects/graph_memory.hpp"
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
  // DEVICE: of a device without pools. OWNER: of a MemoryOwner. GRAPH: of a node of a graph, which
  // owns the address.
  enum class Kind { POOL, DEVICE, PINNED, MANAGED, OWNER, GRAPH };

  // `stream` orders the release of POOL and DEVICE memory, and is null for the others. `pool` is
  // null for memory of the driver's default pool.
  [[gnu::always_inline]] Allocation(Ref<Context> context, Kind kind, CUdeviceptr address,
                                    void* host, size_t size, Ref<const Stream> stream,
                                    Ref<Pool> pool = nullptr)
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

  // Memory of an allocation node. Of a capture: its stream, and the driver's number of it.
  explicit Allocation(Ref<GraphMemory> memory, Ref<const Stream> stream = nullptr,
                      uint64_t capture = 0)
      : context_(memory->context()),
        kind_(Kind::GRAPH),
        address_(0),
        size_(memory->size()),
        stream_(std::move(stream)),
        memory_(std::move(memory)),
        capture_(capture) {}
  // Null unless the memory is GRAPH.
  const Ref<GraphMemory>& graph_memory() const { return memory_; }
  // Of GRAPH memory of a capture; else 0.
  uint64_t capture() const { return capture_; }

  // Frees the memory after the work of its stream and of all recorded uses. Neither this thread
  // nor a stream of the program waits for that.
  static void release(std::unique_ptr<Allocation> allocation) noexcept;
  // The same for GRAPH memory, after the last one of `launches`, which was in `order`.
  static void free_after(std::unique_ptr<Allocation> allocation, Ref<const Stream> order,
                         uint64_t launches) noexcept;

  const Stream* stream() const { return stream_.get(); }
  Ref<const Stream>& stream_ref() { return stream_; }
  const Ref<Pool>& pool() const { return pool_; }

  bool may_wait() const noexcept override;
  bool is_ready() noexcept override;
  void perform(const driver::CudaTable& cu) noexcept override;

 private:
  static void release_to_owner(std::unique_ptr<Allocation> allocation) noexcept;
  void add_free_node() noexcept;
  // Whether the driver frees the memory in the order of a stream.
  bool is_ordered() const { return kind_ == Kind::POOL || kind_ == Kind::GRAPH; }
  CUdeviceptr address() const { return memory_ ? memory_->address() : address_; }
  bool is_unused() noexcept;
  void add_own_stream() noexcept;
  bool is_simple() const;
  bool free_simply(const driver::CudaTable& cu) noexcept;
  bool is_captured(const driver::CudaTable& cu, CUstream own) const noexcept;
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
  Ref<const Stream> stream_;
  const Ref<Pool> pool_;
  const Ref<GraphMemory> memory_;
  const uint64_t capture_ = 0;
  uint64_t launches_ = 0;           // of GRAPH memory, when it is freed
  bool is_released_ = false;        // GRAPH memory that the last launch no longer needs
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
