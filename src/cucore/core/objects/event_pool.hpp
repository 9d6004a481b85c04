// SPDX-License-Identifier: Apache-2.0
// Events that futures have done with, for the next ones: making one costs more than recording it.
#pragma once

#include <vector>

#include "core/objects/context.hpp"

namespace cucore::core {

// Of one context at a time: those of a context that was reset have gone with it. Not locked.
class EventPool {
 public:
  // An event of the context that nobody uses. Null: one has to be made, and there is room for it,
  // so that giving it back cannot fail. Throws, and then nothing has changed.
  CUevent acquire(const Ref<Context>& context);
  // It could not be made.
  void cancel(const Context& context) noexcept;
  void release(const Context& context, CUevent event) noexcept;
  void forget(const Context& context) noexcept;  // they have gone with it
  bool is_empty() const { return free_.empty(); }

  // All, if none is in use: to be destroyed by the caller; memory goes too.
  struct Rest {
    Ref<Context> context;
    std::vector<CUevent> events;
  };
  Rest empty() noexcept;

 private:
  void belong_to(const Ref<Context>& context) noexcept;

  Ref<Context> context_;
  std::vector<CUevent> free_;  // with room for all that were made
  size_t made_ = 0;            // free, in use, and about to be made
};

}  // namespace cucore::core
