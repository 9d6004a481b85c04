// One thread waits in the library, the main thread looks for signals meanwhile.
#include "interrupt.hpp"

#include <Python.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cucore::bind {
namespace {

constexpr std::chrono::milliseconds BETWEEN_LOOKS{20};

struct Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_there = false;
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

void wait_and_look(std::shared_ptr<const Wait> wait) {
  const auto outcome = std::make_shared<Outcome>();
  std::thread([wait = std::move(wait), outcome] { wait_in_thread(wait, outcome); }).detach();
  std::unique_lock lock(outcome->mutex);
  while (!outcome->changed.wait_for(lock, BETWEEN_LOOKS, [&] { return outcome->is_there; })) {
    lock.unlock();
    if (handle_signals()) throw Interrupted{};
    lock.lock();
  }
  if (outcome->status != CUCORE_OK)
    throw Failure(outcome->status, cucore_error_retain(outcome->error.get()));
}

}  // namespace cucore::bind
