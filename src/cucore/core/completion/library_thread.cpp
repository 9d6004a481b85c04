// SPDX-License-Identifier: Apache-2.0
#include "core/completion/library_thread.hpp"

#include <pthread.h>

#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "driver/cuda.hpp"
#include "support/concat.hpp"
#include "support/signals_blocked.hpp"

namespace cucore::core {
namespace {

struct Start {
  const char* name;
  void (*body)(void*) noexcept;
  void* argument;
};

void* run(void* given) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(given));
  const Start start = *owned;
  pthread_setname_np(pthread_self(), start.name);
  start.body(start.argument);
  return nullptr;
}

// The stack that a compiler needs; threads of virtual machines may have less.
class Attributes {
 public:
  Attributes() {
    constexpr size_t LEAST = size_t{8} << 20;
    size_t size = 0;
    pthread_attr_init(&native_);
    if (pthread_attr_getstacksize(&native_, &size) == 0 && size < LEAST)
      pthread_attr_setstacksize(&native_, LEAST);
  }
  ~Attributes() { pthread_attr_destroy(&native_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const pthread_attr_t* get() const { return &native_; }

 private:
  pthread_attr_t native_;
};

pthread_t start_thread(const char* name, void (*body)(void*) noexcept, void* argument,
                       const pthread_attr_t* attributes) {
  auto start = std::make_unique<Start>(Start{name, body, argument});
  const SignalsBlocked blocked;
  pthread_t thread;
  if (const int result = pthread_create(&thread, attributes, &run, start.get()); result != 0)
    throw Error(Status::OUT_OF_MEMORY,
                concat("cannot start the library's thread ", name, ": error ", result,
                       " of the system; raise the limit of threads (ulimit -u)"));
  (void)start.release();
  return thread;
}

struct Errand {
  const std::function<void()>& work;
  std::exception_ptr failure;

  static void run(void* given) noexcept {
    auto& self = *static_cast<Errand*>(given);
    try {
      self.work();
    } catch (...) {
      self.failure = std::current_exception();
    }
  }
};

}  // namespace

void start_library_thread(const char* name, void (*body)(void*) noexcept, void* argument) {
  pthread_detach(start_thread(name, body, argument, nullptr));
}

// The thread is joined, so that it has released the exception before this thread reads it.
void run_on_library_thread(const char* name, const std::function<void()>& work) {
  Errand errand{work, nullptr};
  pthread_join(start_thread(name, &Errand::run, &errand, Attributes().get()), nullptr);
  if (errand.failure) std::rethrow_exception(errand.failure);
}

bool wait_at_exit(const std::function<bool()>& is_done) noexcept {
  constexpr std::chrono::milliseconds LONGEST{200};
  const auto end = std::chrono::steady_clock::now() + LONGEST;
  bool done = is_done();
  for (; !done && std::chrono::steady_clock::now() < end; done = is_done())
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  return done;
}

// Tries repeatedly, because ThreadSanitizer (gcc 12) does not support a timed mutex with another
// clock.
std::unique_lock<std::mutex> lock_at_exit(std::mutex& busy) noexcept {
  std::unique_lock lock(busy, std::defer_lock);
  wait_at_exit([&] { return lock.try_lock(); });
  return lock;
}

void relax_captures() noexcept {
  const auto* cu = driver::cuda_if_available();
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (cu) (void)cu->cuThreadExchangeStreamCaptureMode(&mode);
}

}  // namespace cucore::core
