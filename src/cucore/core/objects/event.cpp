// SPDX-License-Identifier: Apache-2.0
#include "core/objects/event.hpp"

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

unsigned flags_of(const EventOptions& options) {
  unsigned flags = 0;
  if (!options.timing) flags |= CU_EVENT_DISABLE_TIMING;
  if (options.blocking_sync) flags |= CU_EVENT_BLOCKING_SYNC;
  if (options.interprocess) flags |= CU_EVENT_INTERPROCESS;
  return flags;
}

CUevent make_native(const Context& context, unsigned flags) {
  if (const CUevent kept = context.idle_events().take(flags)) return kept;
  const driver::ContextGuard guard(context.native());
  CUevent native = nullptr;
  check(cuda().cuEventCreate(&native, flags),
        [&] { return "create an event on " + context.device().label(); });
  return native;
}

void destroy(const Context& context, CUevent event) noexcept {
  const auto* cu = driver::cuda_if_available();
  const driver::ContextGuard guard(context.native(), std::nothrow);
  // The driver may not need the context if it could not be made current.
  if (cu) driver::check_release(cu->cuEventDestroy(event), "destroy an event");
}

}  // namespace

Ref<Event> Event::create(const Device& device, const EventOptions& options) {
  const PrimaryAccess primary(device);
  const Context& context = *primary.context();
  const unsigned flags = flags_of(options);
  const CUevent native = make_native(context, flags);
  try {
    return make<Event>(primary.context(), native, flags);
  } catch (...) {
    if (!context.idle_events().put(flags, native)) destroy(context, native);
    throw;
  }
}

Event::~Event() {
  const ContextAccess access(*context_, std::nothrow);
  if (!access.is_alive() || driver::is_gone()) return;
  if (!is_idle() || !context_->idle_events().put(flags_, native_)) destroy(*context_, native_);
}

bool Event::is_idle() const {
  return !may_be_captured() && !is_in_graph_.load(std::memory_order_relaxed) &&
         completed_.load(std::memory_order_relaxed) == records_.load(std::memory_order_acquire);
}

void Event::record(const Stream& stream) {
  const ContextAccess access(*context_, "event");
  stream.require_on(device(), "event");
  uint64_t capture = NOT_CAPTURED;
  const auto call = [&] {
    capture = capture_of(stream);
    return cuda().cuEventRecord(native_, stream.native());
  };
  CUresult result = CUDA_SUCCESS;
  if (!stream.needs_current_context()) [[likely]] {
    result = call_without_context(*context_, call);
  } else {
    const driver::ContextGuard guard(context_->native());
    result = call();
  }
  check(result, [&] { return "record an event on " + device().label(); });
  note_record(stream, capture);
}

void Event::record_in_graph(const Stream& stream) {
  const ContextScope scope(*context_, "event");
  stream.require_on(device(), "event");
  if (capture_of(stream) == NOT_CAPTURED)
    throw Error(Status::INVALID_STATE,
                "cannot add a node that records an event: the stream is not being captured; record "
                "the event with cucore_event_record()");
  hold_outside_bodies(stream, *this, NodeKind::RECORD);
  note_in_graph();
  check(cuda().cuEventRecordWithFlags(native_, stream.native(), CU_EVENT_RECORD_EXTERNAL), [&] {
    return concat("add a node to the capture of ", stream.label(), " that records an event");
  });
}

void Event::refuse(const char* action) const {
  if (capture() == NOT_CAPTURED) [[likely]]
    return;
  throw Error(Status::INVALID_STATE,
              concat("cannot ", action,
                     " an event that a capture has recorded: nothing runs until the graph is "
                     "launched; record it outside the capture first"));
}

void Event::synchronize() const {
  const ContextAccess access(*context_, "event");
  refuse("wait for");
  const driver::RelaxedCaptures relaxed;
  const uint64_t record = records_.load(std::memory_order_acquire);
  check(call_without_context(*context_, [&] { return cuda().cuEventSynchronize(native_); }),
        [&] { return "wait for an event of " + device().label(); });
  completed_.store(record, std::memory_order_relaxed);
}

bool Event::query() const {
  const ContextAccess access(*context_, "event");
  refuse("query");
  const driver::RelaxedIfRestricted relaxed;
  const uint64_t record = records_.load(std::memory_order_acquire);
  const CUresult result =
      call_without_context(*context_, [&] { return cuda().cuEventQuery(native_); });
  if (result == CUDA_ERROR_NOT_READY) return false;
  const bool may_have_printed = is_shared() || context_->output().launches() != 0;
  const CUresult written = may_have_printed ? write_output(record) : CUDA_SUCCESS;
  check(result, [&] { return "query an event of " + device().label(); });
  check(written, [&] { return "write what kernels on " + device().label() + " have printed"; });
  completed_.store(record, std::memory_order_relaxed);
  return true;
}

CUresult Event::write_output(uint64_t record) const {
  const driver::ContextGuard guard(context_->native(), std::nothrow);
  if (!guard) return CUDA_ERROR_INVALID_CONTEXT;
  return output_.write_once(context_->output(), record);
}

namespace {

// Returns "the start event was", "the end event was", "both events were".
std::string which(bool start, bool end) {
  return start && end ? "both events were" : start ? "the start event was" : "the end event was";
}

[[noreturn]] void throw_state(const std::string& message) {
  throw Error(Status::INVALID_STATE, "cannot measure the time between two events: " + message);
}

}  // namespace

float Event::elapsed(const Event& start, const Event& end) {
  start.require_usable();
  end.require_usable();
  if (!start.has_timing() || !end.has_timing())
    throw_state(which(!start.has_timing(), !end.has_timing()) +
                " made without timing; set cucore_event_options.timing to 1");
  if (&start.device() != &end.device())
    throw_state(concat("they were made from different devices, ", start.device().label(), " and ",
                       end.device().label(), "; use two events of one device"));
  const uint64_t started = start.records_.load(std::memory_order_acquire);
  const uint64_t ended = end.records_.load(std::memory_order_acquire);
  const bool no_start = !started && !start.is_in_graph_.load(std::memory_order_relaxed);
  const bool no_end = !ended && !end.is_in_graph_.load(std::memory_order_relaxed);
  start.refuse("measure the time from");
  end.refuse("measure the time to");
  if (no_start || no_end)
    throw_state(which(no_start, no_end) + " never recorded; call cucore_event_record() first");

  const ContextScope scope(*end.context_, "event");
  float milliseconds = 0;
  const CUresult result = cuda().cuEventElapsedTime(&milliseconds, start.native_, end.native_);
  if (result == CUDA_ERROR_NOT_READY)
    throw Error(Status::NOT_READY,
                "cannot measure the time between two events: one is not complete; call "
                "cucore_event_synchronize() on the end event first",
                {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  if (result == CUDA_ERROR_INVALID_HANDLE && (!started || !ended))  // no launch of the graph
    throw_state(which(!started, !ended) +
                " never recorded; launch the graph that records it first");
  check(result, "measure the time between two events");
  start.completed_.store(started, std::memory_order_relaxed);
  end.completed_.store(ended, std::memory_order_relaxed);
  return milliseconds;
}

}  // namespace cucore::core
