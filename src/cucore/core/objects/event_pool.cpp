// SPDX-License-Identifier: Apache-2.0
#include "core/objects/event_pool.hpp"

namespace cucore::core {

void EventPool::belong_to(const Ref<Context>& context) noexcept {
  if (context_ == context || context->is_lost()) return;
  context_ = context;
  free_.clear();
  made_ = 0;
}

CUevent EventPool::acquire(const Ref<Context>& context) {
  belong_to(context);
  if (context_ != context) return nullptr;
  if (free_.empty()) {
    if (free_.capacity() <= made_) free_.reserve(made_ * 2 + 16);
    ++made_;
    return nullptr;
  }
  const CUevent event = free_.back();
  free_.pop_back();
  return event;
}

void EventPool::cancel(const Context& context) noexcept {
  if (context_.get() == &context) --made_;
}

void EventPool::release(const Context& context, CUevent event) noexcept {
  if (context_.get() == &context) free_.push_back(event);
}

void EventPool::forget(const Context& context) noexcept {
  if (context_.get() != &context) return;
  std::vector<CUevent>().swap(free_);
  made_ = 0;
  context_ = nullptr;
}

EventPool::Rest EventPool::empty() noexcept {
  if (made_ != free_.size()) return {};
  made_ = 0;
  return {std::exchange(context_, nullptr), std::exchange(free_, {})};
}

}  // namespace cucore::core
