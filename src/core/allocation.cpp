#include "core/allocation.hpp"

#include "core/context_scope.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

using driver::check_release;
using driver::CudaTable;
using driver::RelaxedCaptures;

void Allocation::release(std::unique_ptr<Allocation> allocation) noexcept {
  Allocation& self = *allocation;
  const ContextScope scope(*self.context_, std::nothrow);
  const CudaTable* cu = driver::cuda_if_available();
  if (!cu || !scope.is_alive()) return;  // the memory is gone with its context or its process
  if (self.kind_ == Kind::POOL && self.free_in_order(*cu)) return;
  const RelaxedCaptures relaxed;
  self.add_own_stream();
  self.uses().mark();
  const bool blocks = self.waits_for_context_ || self.uses().need_blocking_wait();
  if (!blocks && self.uses().are_complete()) {
    self.perform(*cu);
  } else {
    release_later(std::move(allocation));
  }
}

// The last reference may go in any thread, whose own default stream is not the one meant; the
// legacy one is ordered after them all.
CUstream Allocation::order() const {
  return stream_->kind() == Stream::Kind::PER_THREAD ? CU_STREAM_LEGACY : stream_->native();
}

bool Allocation::free_in_order(const CudaTable& cu) noexcept {
  const CUstream own = order();
  const bool may_be_captured = stream_->kind() != Stream::Kind::OWNED || stream_->may_be_captured();
  if (may_be_captured && driver::is_captured(cu, own)) return false;
  if (!uses().is_empty()) return free_after_uses(cu, own);
  check_release(cu.cuMemFreeAsync(address_, own), "free device memory");
  return true;
}

bool Allocation::free_after_uses(const CudaTable& cu, CUstream own) noexcept {
  const RelaxedCaptures relaxed;
  const ReleaseStreams::Lease release = context_->release_streams().acquire(cu);
  if (!release || !uses().make_wait(cu, *context_, release) || !release.wait_for(cu, own))
    return false;
  check_release(cu.cuMemFreeAsync(address_, release.stream()), "free device memory");
  return true;
}

// For the host to wait for.
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

void Allocation::perform(const CudaTable& cu) noexcept {
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return;
  if (kind_ == Kind::PINNED)
    check_release(cu.cuMemFreeHost(host_), "free pinned memory");
  else
    check_release(cu.cuMemFree(address_), "free memory");
}

void wait_for_releases(const Context& context) noexcept {
  {
    const RelaxedCaptures relaxed;
    (void)wait_until_idle(context);
  }
  perform_ready_releases();
}

}  // namespace cucore::core
