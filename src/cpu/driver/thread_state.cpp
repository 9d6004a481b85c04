// SPDX-License-Identifier: Apache-2.0
// The calling thread's state.
#include "cpu/driver/thread_state.hpp"

#include <pthread.h>

#include <new>

#include "cpu/driver/context.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

ThreadState::~ThreadState() {
  for (const auto& stream : default_streams) stream->queue()->retire();
}

// A key instead of thread_local: a library that was opened late would have its thread-locals in
// memory that the loader frees on other threads, and in a destructor that runs at the end of the
// process on the main thread; a key's runs when a thread ends, and only then.
ThreadState* try_thread_state() noexcept {
  static const struct Key {
    pthread_key_t key{};
    bool good = pthread_key_create(&key, [](void* p) { delete static_cast<ThreadState*>(p); }) == 0;
  } key;
  if (!key.good) return nullptr;
  if (void* known = pthread_getspecific(key.key)) return static_cast<ThreadState*>(known);
  auto made = std::unique_ptr<ThreadState>(new (std::nothrow) ThreadState);
  if (!made || pthread_setspecific(key.key, made.get()) != 0) return nullptr;
  return made.release();
}

ThreadState& thread_state() {
  ThreadState* state = try_thread_state();
  require(state != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  return *state;
}

std::shared_ptr<Context> current_context_unchecked() {
  auto& stack = thread_state().stack;
  return stack.empty() ? nullptr : stack.back();
}

std::shared_ptr<Context> current_context() {
  auto context = current_context_unchecked();
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  context->check();
  return context;
}

}  // namespace cucore::cpu
