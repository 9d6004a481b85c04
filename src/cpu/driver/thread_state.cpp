// The calling thread's state.
#include "cpu/driver/thread_state.hpp"

#include "cpu/driver/context.hpp"
#include "cpu/driver/stream.hpp"

namespace cucpu {

ThreadState::~ThreadState() {
  for (const auto& stream : default_streams) stream->queue()->retire();
}

ThreadState& thread_state() {
  static thread_local ThreadState state;
  return state;
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

}  // namespace cucpu
