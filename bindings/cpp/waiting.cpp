// SPDX-License-Identifier: Apache-2.0
#include "waiting.hpp"

#include <atomic>
#include <condition_variable>
#include <cucore/device.hpp>
#include <mutex>
#include <system_error>

namespace cucore::bind {
namespace {

bool is_emulated() {
  static const bool answer = [] {
    Device device;
    cucore_device_open(0, device.out(), nullptr);
    return device.is_emulated();
  }();
  return answer;
}

}  // namespace

struct Waiting::Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> is_there{false};
  Error error;
};

void Waiting::run(std::shared_ptr<const Wait> wait, const std::shared_ptr<Outcome>& outcome) {
  cucore_error* error = nullptr;
  const cucore_status status = wait->run(&error);
  // First, so that a caller who then closes the last handle of an object also ends the object.
  wait.reset();
  const std::lock_guard lock(outcome->mutex);
  outcome->error = Error(status, error);
  outcome->is_there = true;
  outcome->changed.notify_one();
}

Waiting::Waiting(std::shared_ptr<const Wait> wait, bool looks_first)
    : outcome_(std::make_shared<Outcome>()) {
  try {
    std::thread(run, wait, outcome_).detach();
  } catch (const std::system_error&) {
    run(wait, outcome_);  // no further threads: then in one piece
  }
  if (!looks_first || is_emulated()) return;
  // Waking a thread is slow compared with a GPU's own end of work.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (!outcome_->is_there && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

bool Waiting::wait(std::chrono::milliseconds time) const {
  std::unique_lock lock(outcome_->mutex);
  return outcome_->changed.wait_for(lock, time, [&] { return outcome_->is_there.load(); });
}

void Waiting::require_success() const {
  if (outcome_->error) throw Failure(outcome_->error);
}

std::chrono::nanoseconds time_to_ask(const cucore_stream*) {
  return is_emulated() ? std::chrono::microseconds(10) : std::chrono::milliseconds(50);
}

std::chrono::nanoseconds time_to_ask(const cucore_event*) {
  return is_emulated() ? std::chrono::microseconds(10) : std::chrono::milliseconds(2);
}

}  // namespace cucore::bind
