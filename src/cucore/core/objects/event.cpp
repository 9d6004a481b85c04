// SPDX-License-Identifier: Apache-2.0
#include "core/objects/event.hpp"

#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

Ref<Event> Event::create(const Device& device, const EventOptions& options) {
  const PrimaryScope primary(device);
  unsigned flags = 0;
  if (!options.timing) flags |= CU_EVENT_DISABLE_TIMING;
  if (options.blocking_sync) flags |= CU_EVENT_BLOCKING_SYNC;
  if (options.interprocess) flags |= CU_EVENT_INTERPROCESS;
  CUevent native = nullptr;
  check(cuda().cuEventCreate(&native, flags),
        [&] { return "create an event on " + device.label(); });
  try {
    return make<Event>(primary.context(), native, options);
  } catch (...) {
    driver::check_release(cuda().cuEventDestroy(native), "destroy an event");
    throw;
  }
}

Event::~Event() {
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return;
  const auto* cu = driver::cuda_if_available();
  // The driver may not need the context if it could not be made current.
  if (cu) driver::check_release(cu->cuEventDestroy(native_), "destroy an event");
}

void Event::record(const Stream& stream) {
  require_usable();
  stream.require_on(device(), "event");
  const ContextScope scope(*context_, "event");
  check(cuda().cuEventRecord(native_, stream.native()),
        [&] { return "record an event on " + device().label(); });
  if (stream.may_be_captured()) may_be_captured_.store(true, std::memory_order_relaxed);
  if (stream.is_shared()) is_shared_.store(true, std::memory_order_relaxed);
  records_.fetch_add(1, std::memory_order_release);
}

void Event::synchronize() const {
  require_usable();
  const ContextScope scope(*context_, "event");
  check(cuda().cuEventSynchronize(native_),
        [&] { return "wait for an event of " + device().label(); });
}

bool Event::query() const {
  require_usable();
  const ContextScope scope(*context_, "event");
  PrintedOutput& output = context_->output();
  const uint64_t record = records_.load(std::memory_order_acquire);
  const CUresult result = cuda().cuEventQuery(native_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  const bool may_have_printed = is_shared() || output.launches() != 0;
  const CUresult written = may_have_printed ? output_.write_once(output, record) : CUDA_SUCCESS;
  check(result, [&] { return "query an event of " + device().label(); });
  check(written, [&] { return "write what kernels on " + device().label() + " have printed"; });
  return true;
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
  if (!start.timing_ || !end.timing_)
    throw_state(which(!start.timing_, !end.timing_) +
                " made without timing; set cucore_event_options.timing to 1");
  if (&start.device() != &end.device())
    throw_state(concat("they were made from different devices, ", start.device().label(), " and ",
                       end.device().label(), "; use two events of one device"));
  const bool started = start.records_.load(std::memory_order_acquire) != 0;
  const bool ended = end.records_.load(std::memory_order_acquire) != 0;
  if (!started || !ended)
    throw_state(which(!started, !ended) + " never recorded; call cucore_event_record() first");

  const ContextScope scope(*end.context_, "event");
  float milliseconds = 0;
  const CUresult result = cuda().cuEventElapsedTime(&milliseconds, start.native_, end.native_);
  if (result == CUDA_ERROR_NOT_READY)
    throw Error(Status::NOT_READY,
                "cannot measure the time between two events: one is not complete; call "
                "cucore_event_synchronize() on the end event first",
                {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  check(result, "measure the time between two events");
  return milliseconds;
}

}  // namespace cucore::core
