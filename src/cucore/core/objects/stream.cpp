// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream.hpp"

#include <new>
#include <optional>

#include "core/objects/capturable_streams.hpp"
#include "core/objects/capture_session.hpp"
#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/event.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

StreamTraits traits_of(CUstream native) {
  StreamTraits traits;
  unsigned flags = 0;
  check(cuda().cuStreamGetPriority(native, &traits.priority), "read the priority of a stream");
  check(cuda().cuStreamGetFlags(native, &flags), "read the flags of a stream");
  traits.is_nonblocking = (flags & CU_STREAM_NON_BLOCKING) != 0;
  return traits;
}

}  // namespace

Ref<Stream> Stream::create(const Device& device, bool nonblocking, int priority) {
  if (priority != 0) device.require_priority(priority, "cucore_stream_options.priority");
  const PrimaryScope primary(device);
  CUstream native = nullptr;
  check(cuda().cuStreamCreateWithPriority(
            &native, nonblocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, priority),
        [&] { return "create a stream on " + device.label(); });
  try {
    return make<Stream>(primary.context(), native, Kind::OWNED,
                        StreamTraits{priority, nonblocking});
  } catch (...) {
    driver::check_release(cuda().cuStreamDestroy(native), "destroy a stream");
    throw;
  }
}

Ref<Stream> Stream::default_stream(const Device& device, Kind kind) {
  return make<Stream>(device.context(),
                      kind == Kind::LEGACY ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD, kind);
}

Ref<Stream> Stream::from_native(const Device& device, CUstream native) {
  if (native == nullptr || native == CU_STREAM_LEGACY) return default_stream(device, Kind::LEGACY);
  if (native == CU_STREAM_PER_THREAD) return default_stream(device, Kind::PER_THREAD);
  const PrimaryScope primary(device);
  CUcontext owner = nullptr;
  check(cuda().cuStreamGetCtx(native, &owner), "ask a native stream for its context");
  if (owner != primary.context()->native())
    throw Error(Status::INVALID_ARGUMENT,
                concat("the native stream belongs to another context than the primary context of ",
                       device.label(), "; open the device that it was made on"));
  auto stream = make<Stream>(primary.context(), native, Kind::BORROWED, traits_of(native));
  if (!add_capturable(*stream)) throw std::bad_alloc();
  return stream;
}

Stream::~Stream() {
  if (is_shared() || gate_.get()) remove_capturable(*this);
  if (kind_ != Kind::OWNED) return;
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return;
  const auto* cu = driver::cuda_if_available();
  free_blocks();
  if (blocks_.is_registered()) context_->block_registry().remove(blocks_);
  mark_->retire();
  // The driver may not need the context if it could not be made current.
  if (cu) driver::check_release(cu->cuStreamDestroy(native_), "destroy a stream");
}

void Stream::let_capture() const {
  gate_.require();
  if (!add_capturable(*this)) throw std::bad_alloc();
  note_captured();
  if (kind_ == Kind::OWNED) free_blocks();
}

// share() comes before note_captured() where both are called. So either the query below finds the
// stream shared, or the other thread notes the capture after this one.
void Stream::note_uncaptured() const {
  if (kind_ != Kind::OWNED || is_shared()) return;
  may_be_captured_.store(false);
  if (is_shared_.load()) note_captured();
}

void Stream::free_blocks() const noexcept {
  if (!blocks_.close()) return;
  const ContextScope scope(*context_, std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (cu && scope.is_alive()) blocks_.free_blocks(*cu, nullptr);
}

std::string Stream::label() const {
  switch (kind_) {
    case Kind::LEGACY:
      return "the legacy default stream of " + device().label();
    case Kind::PER_THREAD:
      return "the per-thread default stream of " + device().label();
    default:
      return "a stream of " + device().label();
  }
}

// For the number of a captured stream, and of the legacy one during a capture, driver 580 breaks
// the capture. The query breaks none.
CUresult Stream::find_id(unsigned long long& id) const {
  id = id_.load(std::memory_order_relaxed);
  if (id != UNKNOWN) return CUDA_SUCCESS;
  const ContextScope scope(*context_, "stream");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = cuda().cuStreamIsCapturing(native_, &status);
  if (result != CUDA_SUCCESS) return result;
  if (status != CU_STREAM_CAPTURE_STATUS_NONE) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  result = cuda().cuStreamGetId(native_, &id);
  if (result == CUDA_SUCCESS && kind_ != Kind::PER_THREAD) id_.store(id, std::memory_order_relaxed);
  return result;
}

uint64_t Stream::id() const {
  unsigned long long id = 0;
  driver::check_query(find_id(id), [&] { return "ask for the number of " + label(); });
  return id;
}

std::optional<uint64_t> Stream::id_outside_capture() const {
  unsigned long long id = 0;
  const CUresult result = find_id(id);
  if (driver::is_capture_in_the_way(result)) return std::nullopt;
  driver::check_query(result, [&] { return "ask for the number of " + label(); });
  return id;
}

void Stream::require_on(const Device& device, const char* what) const {
  require_usable();
  if (&this->device() != &device)
    throw Error(Status::INVALID_ARGUMENT,
                concat("the stream belongs to ", this->device().label(), ", the ", what, " to ",
                       device.label(), "; use a stream of ", device.label()));
}

// Default streams are those of the current context.
template <class Call>
CUresult Stream::call(Call&& call) const {
  if (!needs_current_context()) [[likely]]
    return call_without_context(*context_, call);
  const driver::ContextGuard guard(context_->native());
  return call();
}

CUresult Stream::refuse(const char* action) const {
  if (!may_be_captured()) [[likely]]
    return CUDA_SUCCESS;
  std::optional<driver::ContextGuard> guard;
  if (needs_current_context()) guard.emplace(context_->native());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = cuda().cuStreamIsCapturing(native_, &status);
  if (driver::is_sticky(result)) return result;
  driver::check_query(result, "query whether a stream is captured");
  if (status != CU_STREAM_CAPTURE_STATUS_NONE) detail::throw_captured(action);
  return CUDA_SUCCESS;
}

void Stream::synchronize() const {
  const ContextAccess access(*context_, "stream");
  const CUresult fault = refuse("wait for");
  const driver::RelaxedCaptures relaxed;
  const uint64_t launches = context_->output().launches();
  if (fault != CUDA_SUCCESS) (void)write_output(launches);
  check(fault != CUDA_SUCCESS ? fault : call([&] { return cuda().cuStreamSynchronize(native_); }),
        [&] { return "wait for " + label(); });
  output_.set(launches);
}

bool Stream::is_capturing() const {
  if (!may_be_captured()) return false;
  const ContextAccess access(*context_, "stream");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  check(call([&] { return cuda().cuStreamIsCapturing(native_, &status); }),
        [&] { return concat("query whether ", label(), " is captured"); });
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool Stream::query() const {
  const ContextAccess access(*context_, "stream");
  const CUresult fault = refuse("query");
  const driver::RelaxedIfRestricted relaxed;
  const uint64_t launches = context_->output().launches();
  const CUresult result =
      fault != CUDA_SUCCESS ? fault : call([&] { return cuda().cuStreamQuery(native_); });
  if (result == CUDA_ERROR_NOT_READY) return false;
  const bool may_have_printed = is_shared() || launches != 0;
  const CUresult written = may_have_printed ? write_output(launches) : CUDA_SUCCESS;
  check(result, [&] { return "query " + label(); });
  check(written, [&] { return "write what kernels on " + device().label() + " have printed"; });
  return true;
}

CUresult Stream::write_output(uint64_t launches) const {
  const driver::ContextGuard guard(context_->native(), std::nothrow);
  if (!guard) return CUDA_ERROR_INVALID_CONTEXT;
  PrintedOutput& output = context_->output();
  return is_shared() ? output.write() : output_.write_once(output, launches);
}

Stream::Wait Stream::check_wait(const Event& event) const {
  const uint64_t recorded = event.capture();
  if (!may_be_captured() && recorded == NOT_CAPTURED) [[likely]]
    return Wait::PLAIN;
  std::optional<driver::ContextGuard> guard;
  if (needs_current_context()) guard.emplace(context_->native());
  const uint64_t own = capture_of(*this);
  if (own == recorded || own == BROKEN_CAPTURE) return Wait::PLAIN;
  if (own != NOT_CAPTURED && (recorded != NOT_CAPTURED || event.is_recorded()))
    throw Error(Status::INVALID_STATE,
                concat("cannot let a stream that is being captured wait for ",
                       recorded == NOT_CAPTURED ? "work outside the capture"
                                                : "an event of another capture",
                       "; wait before the capture begins, or add a node that waits at each "
                       "launch"));
  // The driver's event may have a record of an earlier event, outside the capture.
  if (recorded == NOT_CAPTURED) return event.is_new() ? Wait::NOTHING : Wait::PLAIN;
  if (kind_ == Kind::LEGACY)
    throw Error(Status::INVALID_STATE,
                concat("cannot let ", label(),
                       " wait for a stream that is being captured; use another stream"));
  return Wait::FORK;
}

void Stream::wait(const Event& event) const {
  const ContextAccess access(*context_, "stream");
  const ContextAccess event_access(*event.context(), "event");
  const Wait kind = check_wait(event);
  if (kind == Wait::NOTHING) return;
  Ref<CaptureSession> session;
  if (kind == Wait::FORK) session = find_capture(event.capture());
  // Other code may have recorded the event in its capture.
  const bool may_fork = kind == Wait::FORK || event.is_shared();
  if (may_fork) free_blocks();  // before the capture
  if (session) session->add_fork(Ref<const Stream>(this));
  const auto held = may_fork ? hold_records() : std::unique_lock<std::mutex>();
  check(call([&] {
          return cuda().cuStreamWaitEvent(native_, event.native(), CU_EVENT_WAIT_DEFAULT);
        }),
        [&] { return concat("make ", label(), " wait for an event"); });
  if (event.is_shared()) share();
  if (may_fork) note_captured();
  output_.clear();
}

void Stream::wait_in_graph(const Event& event) const {
  const ContextScope scope(*context_, "stream");
  const ContextAccess event_access(*event.context(), "event");
  if (capture_of(*this) == NOT_CAPTURED)
    throw Error(Status::INVALID_STATE,
                "cannot add a node that waits for an event: the stream is not being captured; let "
                "it wait with cucore_stream_wait_event()");
  hold_outside_bodies(*this, event, NodeKind::WAIT);
  event.note_in_graph();
  check(cuda().cuStreamWaitEvent(native_, event.native(), CU_EVENT_WAIT_EXTERNAL), [&] {
    return concat("add a node to the capture of ", label(), " that waits for an event");
  });
}

void Stream::wait(const Stream& other) const {
  require_usable();
  other.require_usable();
  if (&other == this || (other.native_ == native_ && other.context_ == context_)) return;
  const Ref<Event> event = Event::create(other.device(), {});
  event->record(other);
  wait(*event);
}

}  // namespace cucore::core
