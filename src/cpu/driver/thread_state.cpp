// SPDX-License-Identifier: Apache-2.0
// The state of the calling thread.
#include "cpu/driver/thread_state.hpp"

#include <pthread.h>

#include <new>

#include "cpu/driver/context.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

ThreadState::~ThreadState() {
  for (const auto& stream : default_streams) stream->queue()->retire();
}

// Uses a key instead of thread_local. The loader frees the thread-locals of a library that was
// opened late while other threads run. Destructors of thread-locals also run on the main thread at
// the end of the process. A key's destructor runs only at the end of a thread.
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

uint64_t id_of_current_context() {
  const auto& stack = thread_state().stack;
  return stack.empty() ? 0 : stack.back()->id();
}

std::shared_ptr<Context> current_context() {
  auto context = current_context_unchecked();
  require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  context->check();
  return context;
}

}  // namespace cucore::cpu
