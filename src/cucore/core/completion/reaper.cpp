// SPDX-License-Identifier: Apache-2.0
#include "core/completion/reaper.hpp"

#include <optional>

#include "core/objects/context_scope.hpp"
#include "support/text.hpp"

namespace cucore::core {

using driver::check;
using driver::ContextGuard;
using driver::cuda;

namespace {

// An outcome from whatever say() throws; without the memory to say it, the status alone.
template <class Say>
Outcome failure(Status status, Say&& say) noexcept {
  try {
    try {
      say();
    } catch (const Error& error) {
      return {error.status(), make<Failure>(error)};
    }
  } catch (...) {
  }
  return {status, nullptr};
}

// The context is made current where a call says that it needs that: an owned stream tells its own.
using Guard = std::optional<ContextGuard>;
template <class Call>
CUresult call_on(const Stream& stream, Guard& guard, Call&& call) {
  const CUresult result = call();
  if (result != CUDA_ERROR_INVALID_CONTEXT || guard) return result;
  guard.emplace(stream.context()->native());
  return call();
}

void require_not_captured(const Stream& stream, Guard& guard) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  check(
      call_on(stream, guard, [&] { return cuda().cuStreamIsCapturing(stream.native(), &status); }),
      [&] { return "ask whether " + stream.label() + " is being captured"; });
  if (status != CU_STREAM_CAPTURE_STATUS_NONE)
    throw Error(Status::INVALID_STATE,
                text("cannot await ", stream.label(),
                     ": it is being captured into a graph, and nothing runs meanwhile; await the "
                     "stream that the graph is launched on"));
}

CUevent make_event(const Stream& stream) {
  const ContextGuard guard(stream.context()->native());
  CUevent event = nullptr;
  check(cuda().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
        [&] { return "create an event on " + stream.device().label(); });
  return event;
}

}  // namespace

size_t Reaper::Hash::operator()(const Key& key) const noexcept {
  return std::hash<const void*>()(key.context) ^ (key.stream * 0x9e3779b97f4a7c15u);
}

// == A future comes ===============================================================================

void Reaper::watch(const Stream& stream, Future& future) {
  try {
    record(stream, future);
  } catch (const Error& error) {
    if (error.status() != Status::KERNEL_FAULT) throw;
    end_broken(stream, future, static_cast<CUresult>(error.origin().code));
  }
}

// A fault that a call here meets is that of work in the context, and arrives as its futures' do.
// The futures that were made before end first.
void Reaper::end_broken(const Stream& stream, Future& future, CUresult result) noexcept {
  const Outcome outcome = fault_of(result);
  std::lock_guard lock(sweeping_);
  if (!must_stop()) {
    const ContextScope scope(*stream.context(), std::nothrow);
    sweep();
    (void)stream.context()->output().write();
  }
  future.end(outcome);
}

void Reaper::record(const Stream& stream, Future& future) {
  const ContextAccess access(*stream.context(), "stream");
  Guard guard;
  if (stream.needs_current_context()) guard.emplace(stream.context()->native());
  require_not_captured(stream, guard);
  Place place = enter(stream, stream.id());
  try {
    if (!place.event) place.event = make_event(stream);
    check(
        call_on(stream, guard, [&] { return cuda().cuEventRecord(place.event, stream.native()); }),
        [&] { return "record an event on " + stream.label(); });
    if (!commit(place, future))
      throw Error(Status::INVALID_STATE, "cannot await a stream: the process is exiting");
  } catch (...) {
    leave(place);
    throw;
  }
}

Reaper::Place Reaper::enter(const Stream& stream, uint64_t id) {
  const Ref<Context>& context = stream.context();
  const auto lock = lock_briefly(mutex_);
  Lane& lane = lanes_.try_emplace({context.get(), id}, context, id).first->second;
  ++lane.users;
  try {
    return {&lane, events_.take(context)};
  } catch (...) {
    if (--lane.users == 0) lanes_.erase({context.get(), id});
    throw;
  }
}

void Reaper::leave(const Place& place) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (place.event)
      events_.give_back(*place.lane->context(), place.event);
    else
      events_.give_up(*place.lane->context());
  }
  drop_user(*place.lane);
  changed_.notify_one();  // events that nobody uses go after a while
}

// False if nobody will look any more.
bool Reaper::commit(const Place& place, Future& future) noexcept {
  bool wake = false;
  {
    const auto lock = lock_briefly(mutex_);
    if (stopping_.load()) return false;
    future.add_reference();
    future.lane_ = place.lane;
    future.event_ = place.event;
    *incoming_end_ = &future;
    incoming_end_ = &future.next_;
    has_incoming_.store(true, std::memory_order_release);
    wake = asleep_;
  }
  if (wake) changed_.notify_one();
  return true;
}

// == A sweep ======================================================================================

// What has come goes to its lane.
bool Reaper::absorb() noexcept {
  if (!has_incoming_.load(std::memory_order_acquire)) return false;
  const auto lock = lock_briefly(mutex_);
  for (Future* future = incoming_; future;) {
    Future* const next = future->next_;
    Lane& lane = *future->lane_;
    future->queue_->rouse();
    lane.append(*future);
    if (!lane.is_listed) {
      lane.is_listed = true;
      ++lane.users;
      lane.next = listed_;
      listed_ = &lane;
      has_pending_.store(true, std::memory_order_release);
    }
    future = next;
  }
  incoming_ = nullptr;
  incoming_end_ = &incoming_;
  has_incoming_.store(false, std::memory_order_release);
  return true;
}

Reaper::Swept Reaper::sweep() noexcept {
  Swept swept;
  swept.news = absorb();
  fault_ = {};
  faulted_ = nullptr;
  for (Lane** at = &listed_; *at;) {
    Lane& lane = **at;
    swept.news |= sweep(lane);
    if (!lane.is_empty()) {
      at = &lane.next;
      continue;
    }
    *at = lane.next;
    unlist(lane);
  }
  swept.pending = listed_ != nullptr;
  has_pending_.store(swept.pending, std::memory_order_release);
  return swept;
}

bool Reaper::sweep(Lane& lane) noexcept {
  Future* ended = nullptr;
  for (Outcome outcome; !lane.is_empty() && has_ended(lane, outcome); outcome = {}) {
    Future& future = lane.pop();
    future.end(outcome);
    future.next_ = std::exchange(ended, &future);
  }
  if (ended) put_away(lane, ended);
  return ended;
}

// Whether the first future of a lane has.
bool Reaper::has_ended(const Lane& lane, Outcome& outcome) noexcept {
  const Context& context = *lane.context();
  if (stopping_.load()) {
    outcome = failure(Status::INVALID_STATE, [] {
      throw Error(Status::INVALID_STATE, "the process is exiting: the awaited work was given up");
    });
    return true;
  }
  if (context.is_lost()) {
    outcome = failure(Status::INVALID_STATE, [&] { context.require_alive("awaited work"); });
    return true;
  }
  if (faulted_ == &context) {
    outcome = fault_;
    return true;
  }
  const auto* cu = driver::cuda_if_available();
  const Future& first = lane.first();
  const CUresult result = cu ? cu->cuEventQuery(first.event_) : CUDA_ERROR_NOT_READY;
  if (result == CUDA_ERROR_NOT_READY) return false;
  // Returns at once, and the driver writes what kernels have printed.
  if (first.is_shared_ || context.output().launches() != 0)
    (void)cu->cuEventSynchronize(first.event_);
  if (result == CUDA_SUCCESS) return true;
  outcome = fault_of(result);
  // A context that is broken is so for all.
  if (driver::is_sticky(result)) {
    fault_ = outcome;
    faulted_ = &context;
  }
  return true;
}

Outcome Reaper::fault_of(CUresult result) const noexcept {
  return failure(driver::status_of(result), [&] {
    check(result, [&] { return "await the work of a stream of " + device_.label(); });
  });
}

// What has ended of a lane, one after the other.
void Reaper::put_away(Lane& lane, Future* ended) noexcept {
  {
    const auto lock = lock_briefly(mutex_);
    for (Future* future = ended; future; future = future->next_) {
      events_.give_back(*lane.context(), std::exchange(future->event_, nullptr));
      --lane.users;  // not the last: the list is one
    }
  }
  while (ended) {
    const Ref<Future> future = Ref<Future>::adopt(ended);
    ended = future->next_;
  }
}

void Reaper::unlist(Lane& lane) noexcept {
  lane.is_listed = false;
  drop_user(lane);
}

void Reaper::drop_user(Lane& lane) noexcept {
  decltype(lanes_)::node_type gone;  // freed without the mutex
  const auto lock = lock_briefly(mutex_);
  if (--lane.users == 0) gone = lanes_.extract({lane.context().get(), lane.stream()});
}

void Reaper::look(const Future& future) noexcept {
  std::lock_guard lock(sweeping_);
  absorb();
  if (future.is_known() || must_stop()) return;
  Lane& lane = *future.lane_;
  std::optional<ContextGuard> guard;
  if (!lane.context()->is_lost()) guard.emplace(lane.context()->native(), std::nothrow);
  fault_ = {};
  faulted_ = nullptr;
  sweep(lane);  // stays listed: the next sweep sees that it is empty
}

void Reaper::abandon(const Context& context) noexcept {
  std::lock_guard lock(sweeping_);
  {
    const ContextGuard guard(context.native(), std::nothrow);
    sweep();
  }
  context.set_lost();
  sweep();
  std::lock_guard lock_events(mutex_);
  events_.forget(context);
}

}  // namespace cucore::core
