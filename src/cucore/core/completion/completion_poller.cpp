// SPDX-License-Identifier: Apache-2.0
#include "core/completion/completion_poller.hpp"

#include <optional>

#include "core/objects/context_scope.hpp"
#include "driver/check_sessions.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::ContextGuard;
using driver::cuda;

namespace {

// The context becomes current if a call reports that it needs that. An owned stream implies its
// own.
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
  driver::check_query(
      call_on(stream, guard, [&] { return cuda().cuStreamIsCapturing(stream.native(), &status); }),
      [&] { return "query whether " + stream.label() + " is being captured"; });
  if (status != CU_STREAM_CAPTURE_STATUS_NONE)
    throw Error(Status::INVALID_STATE, concat("cannot await ", stream.label(),
                                              ": it is being captured into a graph, and its work "
                                              "does not run until the graph is launched; await the "
                                              "stream that the graph is launched on"));
}

CUevent make_event(const Stream& stream) {
  const ContextGuard guard(stream.context()->native());
  CUevent event = nullptr;
  check(driver::create_own_event(cuda(), &event),
        [&] { return "create an event on " + stream.device().label(); });
  return event;
}

}  // namespace

void CompletionPoller::watch(const Stream& stream, Future& future) {
  try {
    record(stream, future);
  } catch (const Error& error) {
    if (error.status() != Status::KERNEL_FAULT) throw;
    end_broken(stream, future, static_cast<CUresult>(error.origin().code));
  }
}

// A fault that a call here meets is a fault of the work in the context, and arrives as an outcome.
// Futures that were made before end first.
void CompletionPoller::end_broken(const Stream& stream, Future& future, CUresult result) noexcept {
  const Outcome outcome = EventQuery::failure_of(device_, result);
  std::lock_guard lock(sweeping_);
  const driver::RelaxedCaptures relaxed;
  if (!must_stop()) {
    const ContextScope scope(*stream.context(), std::nothrow);
    EventQuery query(device_, work_);
    work_.sweep(query);
    (void)stream.context()->output().write();
  }
  future.end(outcome);
}

void CompletionPoller::record(const Stream& stream, Future& future) {
  const ContextAccess access(*stream.context(), "stream");
  Guard guard;
  if (stream.needs_current_context()) guard.emplace(stream.context()->native());
  require_not_captured(stream, guard);
  PendingRecord record = work_.open(stream.context(), stream.id());
  try {
    if (!record.event) record.event = make_event(stream);
    check(
        call_on(stream, guard, [&] { return cuda().cuEventRecord(record.event, stream.native()); }),
        [&] { return "record an event on " + stream.label(); });
    if (!work_.commit(record, future))
      throw Error(Status::INVALID_STATE, "cannot await a stream: the process is exiting");
  } catch (...) {
    work_.cancel(record);
    wake();  // the thread destroys idle events after a while
    throw;
  }
  wake();
}

void CompletionPoller::query(const Future& future) noexcept {
  std::lock_guard lock(sweeping_);
  work_.absorb();
  if (future.is_known() || must_stop()) return;
  StreamBacklog& backlog = *future.backlog_;
  const driver::RelaxedCaptures relaxed;
  std::optional<ContextGuard> guard;
  if (!backlog.context()->is_lost()) guard.emplace(backlog.context()->native(), std::nothrow);
  EventQuery query(device_, work_);
  work_.sweep(backlog, query);
}

void CompletionPoller::abandon(const Context& context) noexcept {
  std::lock_guard lock(sweeping_);
  {
    const ContextGuard guard(context.native(), std::nothrow);
    EventQuery query(device_, work_);
    work_.sweep(query);
  }
  context.set_lost();
  EventQuery query(device_, work_);
  work_.sweep(query);
  work_.forget_events(context);
}

}  // namespace cucore::core
