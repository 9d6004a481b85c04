// SPDX-License-Identifier: Apache-2.0
#include "core/completion/future.hpp"

#include "core/completion/completion_poller.hpp"
#include "support/concat.hpp"

namespace cucore::core {

Future::Future(Ref<Queue> queue, uint64_t token)
    : token_(token),
      queue_(std::move(queue)),
      spin_ns_(queue_->options().spin_ns),
      sweep_ns_(queue_->options().sweep_ns) {
  queue_->expect();
}

Future::~Future() {
  // It was never watched, so no completion follows.
  if (queue_ && !driver::forked()) queue_->forget();
}

void Future::watch(const Stream& stream) {
  stream.require_usable();
  driver::cuda();  // before any lock: a forked child lacks the threads that hold them
  device_ = &stream.device();
  is_shared_ = stream.is_shared();
  CompletionPoller::of(stream.device()).watch(stream, *this);
}

void Future::end(const Outcome& outcome) noexcept {
  outcome_ = outcome;
  const Ref<Queue> queue = std::exchange(queue_, nullptr);
  const bool awaited = state_.exchange(KNOWN, std::memory_order_acq_rel) == AWAITED;
  if (claim_.exchange(Claim::DELIVERED) == Claim::NONE)
    queue->put(token_, static_cast<cucore_status>(outcome.status));
  else
    queue->forget();
  state_.store(ENDED, std::memory_order_release);
  if (awaited) wake_all(state_);
}

// Once the outcome is known, waits at most for the queue. A thread of higher priority may have
// interrupted the one that fills the queue. A yield would not let that one continue.
bool Future::has_ended() const noexcept {
  constexpr unsigned SPINS = 64;
  constexpr int64_t MOMENT_NS = 20'000;
  uint32_t state = this->state();
  for (unsigned turn = 0; state == KNOWN && !driver::forked(); state = this->state())
    if (++turn < SPINS)
      spin_pause(turn);
    else
      wait_while(state_, KNOWN, deadline_after(MOMENT_NS));
  return state >= KNOWN;
}

bool Future::detach() const noexcept {
  auto none = Claim::NONE;
  return claim_.compare_exchange_strong(none, Claim::DETACHED) || none == Claim::DETACHED;
}

void Future::throw_outcome() const {
  if (outcome_.status == Status::OK) return;
  if (outcome_.failure) throw Error(outcome_.failure->error);
  throw Error(outcome_.status, "the awaited work failed, and there was no memory to say more");
}

// In a child of a fork, no thread would end it; at exit the completion poller has ended it, or
// hangs.
void Future::ask() const {
  if (has_ended()) return;
  driver::cuda();
  if (CompletionPoller* poller = CompletionPoller::find(*device_)) poller->query(*this);
}

void Future::require_success() const {
  if (!is_known()) {
    if (driver::forked()) driver::cuda();
    throw Error(Status::NOT_READY, "the awaited work is not complete yet");
  }
  throw_outcome();
}

bool Future::query() const {
  ask();
  if (!has_ended()) return false;
  throw_outcome();
  return true;
}

void Future::wait(int64_t timeout_ns) const {
  ask();
  if (!has_ended() && timeout_ns != 0) sleep(timeout_ns);
  if (!has_ended())
    throw Error(Status::NOT_READY,
                concat("the awaited work is not complete after ", timeout_ns, " ns"));
  throw_outcome();
}

void Future::sleep(int64_t timeout_ns) const {
  const Deadline deadline = deadline_after(timeout_ns), spinning = deadline_after(spin_ns_);
  {
    const Queue::Spinner spinner;
    const bool spins = spin_ns_ != 0 && !spinner.is_one_too_many;
    for (unsigned turn = 0; spins && !has_ended(); ++turn) {
      if (turn % 16 == 0 && (is_over(spinning) || is_over(deadline))) break;
      spin_pause(turn);
    }
  }
  uint32_t pending = PENDING;
  state_.compare_exchange_strong(pending, AWAITED);
  TimedWaits waits(sweep_ns_);
  while (!has_ended() && !is_over(deadline)) {
    if (driver::exiting())
      throw Error(Status::INVALID_STATE, "cannot wait for work: the process is exiting");
    waits.wait_while(state_, AWAITED, deadline);
  }
}

}  // namespace cucore::core
