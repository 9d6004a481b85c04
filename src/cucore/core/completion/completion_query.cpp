// SPDX-License-Identifier: Apache-2.0
#include "core/completion/completion_query.hpp"

#include "core/completion/pending_work.hpp"

namespace cucore::core {
namespace {

// Returns the outcome of what `fail` throws; without the memory for it, the status alone.
template <class Fail>
Outcome outcome_of(Status status, Fail&& fail) noexcept {
  try {
    try {
      fail();
    } catch (const Error& error) {
      return {error.status(), make<Failure>(error)};
    }
  } catch (...) {
  }
  return {status, nullptr};
}

}  // namespace

Outcome EventQuery::failure_of(const Device& device, CUresult result) noexcept {
  return outcome_of(driver::status_of(result), [&] {
    driver::check(result, [&] { return "await the work of a stream of " + device.label(); });
  });
}

bool EventQuery::has_ended(const StreamBacklog& backlog, Outcome& outcome) noexcept {
  const Context& context = *backlog.context();
  if (work_.is_closed()) {
    outcome = outcome_of(Status::INVALID_STATE, [] {
      throw Error(Status::INVALID_STATE, "the process is exiting: the awaited work was given up");
    });
    return true;
  }
  if (context.is_lost()) {
    outcome = outcome_of(Status::INVALID_STATE, [&] { context.require_alive("awaited work"); });
    return true;
  }
  if (faulted_ == &context) {
    outcome = fault_;
    return true;
  }
  const auto* cu = driver::cuda_if_available();
  const Future& first = backlog.first();
  const CUresult result = cu ? cu->cuEventQuery(first.event_) : CUDA_ERROR_NOT_READY;
  if (result == CUDA_ERROR_NOT_READY) return false;
  // The driver writes what kernels have printed. The wait returns at once if the event is done or
  // the context is broken. After another failure of the query, the work may still run.
  if ((result == CUDA_SUCCESS || driver::is_sticky(result)) &&
      (first.is_shared_ || context.output().launches() != 0))
    (void)cu->cuEventSynchronize(first.event_);
  if (result == CUDA_SUCCESS) return true;
  outcome = failure_of(device_, result);
  // A broken context is broken for all of its work.
  if (driver::is_sticky(result)) {
    fault_ = outcome;
    faulted_ = &context;
  }
  return true;
}

}  // namespace cucore::core
