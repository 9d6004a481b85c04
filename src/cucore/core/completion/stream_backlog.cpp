// SPDX-License-Identifier: Apache-2.0
#include "core/completion/stream_backlog.hpp"

namespace cucore::core {

void StreamBacklog::append(Future& future) noexcept {
  future.next_ = nullptr;
  (last_ ? last_->next_ : first_) = &future;
  last_ = &future;
}

Future& StreamBacklog::pop() noexcept {
  Future& future = *first_;
  first_ = future.next_;
  if (!first_) last_ = nullptr;
  return future;
}

}  // namespace cucore::core
