// One thread waits in the library, the main thread looks for signals meanwhile.
#include "interrupt.hpp"

#include <Python.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace cucore::bind {
namespace {

constexpr std::chrono::milliseconds BETWEEN_LOOKS{20};

struct Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> is_there{false};
  cucore_status status = CUCORE_OK;
  std::shared_ptr<cucore_error> error;
};

void wait_in_thread(const std::shared_ptr<const Wait>& wait,
                    const std::shared_ptr<Outcome>& outcome) {
  cucore_error* error = nullptr;
  const cucore_status status = wait->run(&error);
  const std::lock_guard lock(outcome->mutex);
  outcome->error.reset(error, ErrorRelease{});
  outcome->status = status;
  outcome->is_there = true;
  outcome->changed.notify_one();
}

bool is_emulated() {
  static const bool answer = [] {
    cucore_device* device = nullptr;
    cucore_device_open(0, &device, nullptr);
    const bool emulated = cucore_device_is_emulated(device) != 0;
    cucore_device_release(device);
    return emulated;
  }();
  return answer;
}

// Waking a thread is slow beside a GPU's own end of work.
void look_at(const Outcome& outcome) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (!outcome.is_there && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

// The handlers of the program run here; true if one raised.
bool handle_signals() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

}  // namespace

bool on_main_thread() {
  thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

std::chrono::nanoseconds time_to_ask(const cucore_stream*) {
  return is_emulated() ? std::chrono::microseconds(10) : std::chrono::milliseconds(50);
}

std::chrono::nanoseconds time_to_ask(const cucore_event*) {
  return is_emulated() ? std::chrono::microseconds(10) : std::chrono::milliseconds(2);
}

void wait_and_look(const std::shared_ptr<const Wait>& wait, bool at_once) {
  const auto outcome = std::make_shared<Outcome>();
  try {
    std::thread(wait_in_thread, wait, outcome).detach();
  } catch (const std::system_error&) {
    wait_in_thread(wait, outcome);  // no more threads: then without signals
  }
  if (at_once && !is_emulated()) look_at(*outcome);
  std::unique_lock lock(outcome->mutex);
  while (
      !outcome->changed.wait_for(lock, BETWEEN_LOOKS, [&] { return outcome->is_there.load(); })) {
    lock.unlock();
    if (handle_signals()) throw Interrupted{};
    lock.lock();
  }
  if (outcome->status != CUCORE_OK)
    throw Failure(outcome->status, cucore_error_retain(outcome->error.get()));
}

}  // namespace cucore::bind
