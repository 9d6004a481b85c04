// SPDX-License-Identifier: Apache-2.0
#include "core/objects/allocation.hpp"

#include "core/objects/context_scope.hpp"
#include "driver/check_sessions.hpp"

namespace cucore::core {

using driver::check_release;
using driver::CudaTable;
using driver::RelaxedCaptures;

namespace {

// A wait for the stream that orders the free of memory. A stream without a mark has an event for
// it.
class OrderWait {
 public:
  OrderWait(const CudaTable& cu, const Stream& stream, CUstream order)
      : cu_(cu), mark_(stream.mark().get()), order_(order) {}
  ~OrderWait() {
    if (event_) check_release(cu_.cuEventDestroy(event_), "destroy an event");
  }
  OrderWait(const OrderWait&) = delete;
  OrderWait& operator=(const OrderWait&) = delete;

  bool prepare() noexcept {
    if (mark_) return mark_->prepare_wait(cu_);
    return driver::create_own_event(cu_, &event_) == CUDA_SUCCESS &&
           driver::record_outside_capture(cu_, event_, order_);
  }
  bool make(const ReleaseStreams::Lease& waiter) const noexcept {
    return mark_ ? mark_->make_wait(cu_, waiter) : waiter.wait_for(cu_, event_);
  }

 private:
  const CudaTable& cu_;
  StreamMark* const mark_;
  const CUstream order_;
  CUevent event_ = nullptr;
};

}  // namespace

void Allocation::release(std::unique_ptr<Allocation> allocation) noexcept {
  Allocation& self = *allocation;
  if (self.kind_ == Kind::OWNER) return release_to_owner(std::move(allocation));
  if (self.kind_ == Kind::GRAPH && !self.is_released_) [[unlikely]] {
    self.add_free_node();
    return self.memory_->release(std::move(allocation));
  }
  if (self.kind_ == Kind::POOL) self.counts().add_free();
  const ContextAccess access(*self.context_, std::nothrow);
  const CudaTable* cu = driver::is_gone() ? nullptr : driver::cuda_if_available();
  if (!cu || !access.is_alive()) return;  // the memory ended with its context or its process
  if (self.is_simple() && self.free_simply(*cu)) return;
  const driver::ContextGuard guard(self.context_->native(), std::nothrow);
  if (self.is_ordered() && self.free_in_order(*cu)) return;
  const RelaxedCaptures relaxed;
  self.add_own_stream();
  self.uses().mark();
  // The driver frees memory of other kinds after all work of the device.
  if (self.is_ordered() && !self.may_wait() && self.uses().are_complete())
    self.perform(*cu);
  else
    defer_release(std::move(allocation));
}

void Allocation::free_after(std::unique_ptr<Allocation> allocation, Ref<const Stream> order,
                            uint64_t launches) noexcept {
  if (order->mark()) allocation->uses().forget(order->mark().get());
  allocation->stream_ = std::move(order);
  allocation->launches_ = launches;
  allocation->is_released_ = true;
  release(std::move(allocation));
}

// During its capture the memory is freed by a node.
void Allocation::add_free_node() noexcept {
  if (capture_ == 0) return;
  const ContextScope scope(*context_, std::nothrow);
  const CudaTable* cu = driver::is_gone() ? nullptr : driver::cuda_if_available();
  if (!cu || !scope.is_alive()) return;
  driver::CaptureInfo info;
  const CUstream own = stream_->native();
  if (driver::capture_info(*cu, own, info) == CUDA_SUCCESS && info.is_active() &&
      info.id == capture_)
    check_release(cu->cuMemFreeAsync(address(), own), "free memory in a graph");
}

void Allocation::release_to_owner(std::unique_ptr<Allocation> allocation) noexcept {
  if (driver::is_gone() || !allocation->owner_.destroy) return;
  if (allocation->is_unused())
    allocation->owner_.destroy(allocation->owner_.user_data);
  else
    defer_release(std::move(allocation));
}

// Its end must not hold the context: the owner may release other objects there.
bool Allocation::is_unused() noexcept {
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return true;
  const RelaxedCaptures relaxed;
  uses().mark();
  return !uses().need_blocking_wait() && uses().are_complete();
}

// Any thread may release the last reference, with another default stream. The legacy stream is
// ordered after all of them.
CUstream Allocation::order() const {
  return stream_->kind() == Stream::Kind::PER_THREAD ? CU_STREAM_LEGACY : stream_->native();
}

// Returns whether nothing but the order of its own stream matters.
bool Allocation::is_simple() const {
  return is_ordered() && stream_->kind() == Stream::Kind::OWNED && !stream_->may_be_captured() &&
         uses().is_empty();
}

// Returns false if a capture has taken the stream since the caller looked.
bool Allocation::free_simply(const CudaTable& cu) noexcept {
  if (pool_ && stream_->blocks().put(cu, *pool_, address_, size_, context_->block_registry()))
    return true;
  const auto held = stream_->hold_records();
  if (stream_->may_be_captured()) return false;
  core::free_in_order(cu, *context_, address(), stream_->native());
  return true;
}

bool Allocation::is_captured(const CudaTable& cu, CUstream own) const noexcept {
  const bool may_be_captured = stream_->kind() != Stream::Kind::OWNED || stream_->may_be_captured();
  return may_be_captured && driver::is_captured(cu, own);
}

// A release on the thread of the library must not become a node of a capture that begins.
bool Allocation::free_in_order(const CudaTable& cu) noexcept {
  const CUstream own = order();
  if (!uses().is_empty()) return !is_captured(cu, own) && free_after_uses(cu, own);
  const auto held = stream_->hold_records();
  if (is_captured(cu, own)) return false;
  const RelaxedCaptures relaxed;
  check_release(cu.cuMemFreeAsync(address(), own), "free device memory");
  return true;
}

bool Allocation::free_after_uses(const CudaTable& cu, CUstream own) noexcept {
  const RelaxedCaptures relaxed;
  OrderWait order(cu, *stream_, own);
  // Before the lease: a record may block on a stream whose queue is full, but must not block other
  // releases.
  if (!uses().prepare_wait(cu) || !order.prepare()) return false;
  const ReleaseStreams::Lease release = context_->release_streams().acquire(cu);
  if (!release || !uses().make_wait(cu, release) || !order.make(release)) return false;
  check_release(release.free(cu, address()), "free device memory");
  return true;
}

// For a wait on the host.
void Allocation::add_own_stream() noexcept {
  if (!stream_) return;
  try {
    waits_for_context_ = !stream_->mark();
    if (stream_->mark()) uses().add(stream_->mark(), StreamUses::FORGET);
  } catch (const std::bad_alloc&) {
    waits_for_context_ = true;
  }
}

bool Allocation::is_ready() noexcept {
  if (!uses().are_complete()) return false;
  return !waits_for_context_ || wait_until_idle(*context_);
}

// The driver frees pinned and managed memory, and that of devices without pools, after all work.
bool Allocation::may_wait() const noexcept {
  return waits_for_context_ || (!is_ordered() && kind_ != Kind::OWNER) ||
         uses().need_blocking_wait();
}

void Allocation::perform(const CudaTable& cu) noexcept {
  if (kind_ == Kind::OWNER) return owner_.destroy(owner_.user_data);
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return;
  if (memory_ && memory_->launches() != launches_) return;  // a later launch has freed it
  if (kind_ == Kind::PINNED)
    check_release(cu.cuMemFreeHost(host_), "free pinned memory");
  else
    check_release(cu.cuMemFree(address()), "free memory");
}

void wait_for_releases(const Context& context) noexcept {
  const auto* cu = driver::cuda_if_available();
  {
    const RelaxedCaptures relaxed;
    const ContextScope scope(context, std::nothrow);
    if (cu && scope.is_alive()) context.block_registry().free_blocks(*cu, nullptr);
    (void)wait_until_idle(context);
  }
  perform_ready_releases();
  const RelaxedCaptures relaxed;
  const ContextScope scope(context, std::nothrow);
  if (cu && scope.is_alive()) context.pool_registry().trim(*cu);
}

}  // namespace cucore::core
