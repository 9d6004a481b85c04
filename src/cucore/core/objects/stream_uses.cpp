// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream_uses.hpp"

#include <algorithm>

#include "core/objects/capturable_streams.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/check_sessions.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

using driver::RelaxedCaptures;

namespace {

void destroy_event(const Context& context, CUevent event) noexcept {
  if (!event) return;
  const ContextScope scope(context, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (cu && scope.is_alive()) driver::check_release(cu->cuEventDestroy(event), "destroy an event");
}

// The number of a stream that is captured, or is the legacy stream during a capture, is unknown.
// The capture may end before the work is added. Then the work is waited for with its context.
constexpr uint64_t NO_NUMBER = UINT64_MAX;

// A capture may begin and end during the record of an event, so that the event belongs to it. Then
// `is_unmarked` becomes true, and the work is waited for with its context.
bool is_complete(const Context& context, CUevent event, bool& is_unmarked) noexcept {
  if (!event) return true;
  const ContextScope scope(context, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!scope.is_alive() || !cu) return true;
  const driver::EventState state = driver::event_state(*cu, event);
  is_unmarked |= state == driver::EventState::CAPTURED;
  return state != driver::EventState::RUNNING;
}

}  // namespace

bool wait_until_idle(const Context& context) noexcept {
  const ContextScope scope(context, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!scope.is_current() || !cu) return true;
  return !is_any_captured(*cu, context) && driver::has_ended(cu->cuCtxSynchronize());
}

StreamUses::~StreamUses() {
  for (const StreamUse& use : streams_) destroy_event(*use.mark->context(), use.event);
  for (const EventUse& use : events_) destroy_event(*use.context, use.event);
}

void StreamUses::add(const Ref<StreamMark>& mark, Remember remember) {
  std::lock_guard lock(mutex_);
  if (std::ranges::find(streams_, mark, &StreamUse::mark) == streams_.end()) {
    forget_finished();
    streams_.push_back({mark});
    mark->use();
  }
  if (remember) known_[slot(mark.get())].store(mark.get(), std::memory_order_release);
}

void StreamUses::add(const Ref<Context>& context, Remember remember) {
  std::lock_guard lock(mutex_);
  if (std::ranges::find(contexts_, context) == contexts_.end()) contexts_.push_back(context);
  if (remember) known_[slot(context.get())].store(context.get(), std::memory_order_release);
}

void StreamUses::add(const Stream& stream, Remember remember) {
  if (stream.mark())
    add(stream.mark(), remember);
  else
    add(stream.context(), remember);
}

void StreamUses::add(const StreamUses& other) {
  std::vector<Ref<StreamMark>> marks;
  std::vector<Ref<Context>> contexts;
  {
    std::lock_guard lock(other.mutex_);
    marks.reserve(other.streams_.size());
    for (const StreamUse& use : other.streams_) marks.push_back(use.mark);
    contexts = other.contexts_;
  }
  for (const Ref<StreamMark>& mark : marks) add(mark, FORGET);
  for (const Ref<Context>& context : contexts) add(context, FORGET);
}

StreamUses::EventUse* StreamUses::find_event(uint64_t stream_id, const Stream& stream) noexcept {
  const auto found = std::ranges::find_if(events_, [&](const EventUse& use) {
    return use.stream_id == stream_id && use.context == stream.context();
  });
  return found == events_.end() ? nullptr : &*found;
}

uint64_t StreamUses::prepare_event(const Stream& stream) {
  const uint64_t id = stream.id_outside_capture().value_or(NO_NUMBER);
  std::lock_guard lock(mutex_);
  if (EventUse* const use = find_event(id, stream)) {
    ++use->under_way;
    return id;
  }
  forget_finished_events();
  events_.reserve(events_.size() + 1);
  const ContextScope scope(*stream.context(), "stream");
  CUevent event = nullptr;
  if (id != NO_NUMBER)
    driver::check(driver::create_own_event(driver::cuda(), &event),
                  "create an event for a buffer in use");
  events_.push_back({id, stream.context(), event, 1});
  return id;
}

void StreamUses::record_event(const Stream& stream, uint64_t stream_id) noexcept {
  std::lock_guard lock(mutex_);
  EventUse* const use = find_event(stream_id, stream);
  if (!use) return;
  --use->under_way;
  record(*use, stream);
  const bool is_over = !use->event && !use->is_unmarked && use->under_way == 0;
  if (is_over) events_.erase(events_.begin() + (use - events_.data()));
}

void StreamUses::record(EventUse& use, const Stream& stream) noexcept {
  const ContextScope scope(*stream.context(), std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!cu || !scope.is_alive()) return;
  switch (driver::capture_state(*cu, stream.native())) {
    case driver::CaptureState::CAPTURED:
      return;  // the work runs later, and its graph holds the buffer
    case driver::CaptureState::BLOCKED:
      use.is_unmarked = true;
      return;
    case driver::CaptureState::NONE:
      use.is_unmarked = !use.event || !scope.is_current() ||
                        !driver::record_outside_capture(*cu, use.event, stream.native());
  }
}

bool StreamUses::is_empty() const noexcept {
  std::lock_guard lock(mutex_);
  return streams_.empty() && contexts_.empty() && events_.empty();
}

// Streams come and go while the resources that they use stay, so destroyed and complete ones are
// dropped. A destroyed stream without an event is waited for with its context.
void StreamUses::forget_finished() {
  if (streams_.size() < forget_at_) return;
  // First, because a new stream may get the address of a dropped one.
  for (auto& known : known_) known.store(nullptr, std::memory_order_release);
  const RelaxedCaptures relaxed;
  contexts_.reserve(contexts_.size() + streams_.size());
  std::erase_if(streams_, [this](const StreamUse& use) {
    if (!use.mark->is_unmarked()) return use.mark->is_finished();
    const Ref<Context>& context = use.mark->context();
    if (std::ranges::find(contexts_, context) == contexts_.end()) contexts_.push_back(context);
    return true;
  });
  forget_at_ = std::max<size_t>(16, streams_.size() * 2);
}

void StreamUses::forget_finished_events() {
  constexpr size_t FEW = 8;
  if (events_.size() < FEW) return;
  const RelaxedCaptures relaxed;
  std::erase_if(events_, [](EventUse& use) {
    if (use.under_way != 0 || use.is_unmarked ||
        !core::is_complete(*use.context, use.event, use.is_unmarked) || use.is_unmarked)
      return false;
    destroy_event(*use.context, use.event);
    return true;
  });
}

void StreamUses::forget(const StreamMark* mark) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [mark](const StreamUse& use) { return use.mark.get() == mark; });
}

void StreamUses::mark() noexcept {
  for (StreamUse& use : streams_) mark(use);
}

void StreamUses::mark(StreamUse& use) noexcept {
  const StreamMark::Marked marked = use.mark->record(use.event);
  use.is_captured = marked == StreamMark::Marked::CAPTURED;
  use.is_unmarked = marked == StreamMark::Marked::UNMARKED;
}

bool StreamUses::need_blocking_wait() const noexcept {
  constexpr auto is_unmarked = [](const auto& use) { return use.is_unmarked; };
  return !contexts_.empty() || std::ranges::any_of(streams_, is_unmarked) ||
         std::ranges::any_of(streams_, &StreamUse::is_captured) ||
         std::ranges::any_of(events_, is_unmarked);
}

bool StreamUses::is_complete(StreamUse& use) noexcept {
  if (use.is_captured) mark(use);
  if (use.is_captured) return false;
  if (use.is_unmarked) return true;  // waited for with its context
  return use.event ? core::is_complete(*use.mark->context(), use.event, use.is_unmarked)
                   : use.mark->is_complete();
}

bool StreamUses::are_complete() noexcept {
  const bool may_wait = need_blocking_wait();
  for (StreamUse& use : streams_)
    if (!is_complete(use)) return false;
  for (EventUse& use : events_)
    if (!use.is_unmarked && !core::is_complete(*use.context, use.event, use.is_unmarked))
      return false;
  // The loops may have found an event of a capture. The caller asks first whether to wait for it.
  if (!may_wait && need_blocking_wait()) return false;
  return wait_for_contexts();  // last, because this waits
}

bool StreamUses::wait_for_contexts() noexcept {
  for (StreamUse& use : streams_)
    if (use.is_unmarked && !wait_until_idle(*use.mark->context())) return false;
  for (EventUse& use : events_)
    if (use.is_unmarked && !wait_until_idle(*use.context)) return false;
  return std::ranges::all_of(contexts_,
                             [](const Ref<Context>& context) { return wait_until_idle(*context); });
}

bool StreamUses::prepare_wait(const driver::CudaTable& cu) noexcept {
  return !need_blocking_wait() && std::ranges::all_of(streams_, [&](const StreamUse& use) {
    return use.mark->prepare_wait(cu);
  });
}

bool StreamUses::make_wait(const driver::CudaTable& cu,
                           const ReleaseStreams::Lease& waiter) noexcept {
  for (const StreamUse& use : streams_)
    if (!use.mark->make_wait(cu, waiter)) return false;
  return std::ranges::all_of(events_, [&](const EventUse& use) {
    const ContextAccess access(*use.context, std::nothrow);
    return !access.is_alive() || waiter.wait_for(cu, use.event);
  });
}

}  // namespace cucore::core
