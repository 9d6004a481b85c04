// SPDX-License-Identifier: Apache-2.0
// Unused events for the next futures, because creating one costs more than recording it.
#pragma once

#include <vector>

#include "core/objects/context.hpp"

namespace cucore::core {

// The events of one context at a time; a reset destroys those of its context. Not locked.
class EventPool {
 public:
  // Returns an unused event of the context. If it returns null, the caller must create one; room
  // for its release is then reserved. If it throws, nothing has changed.
  CUevent acquire(const Ref<Context>& context);
  // Call if the event could not be created.
  void cancel(const Context& context) noexcept;
  void release(const Context& context, CUevent event) noexcept;
  void forget(const Context& context) noexcept;  // the reset has destroyed them
  bool is_empty() const { return free_.empty(); }

  // All events, if none is in use: the caller destroys them; memory is freed as well.
  struct Rest {
    Ref<Context> context;
    std::vector<CUevent> events;
  };
  Rest empty() noexcept;

 private:
  void belong_to(const Ref<Context>& context) noexcept;

  Ref<Context> context_;
  std::vector<CUevent> free_;  // has room for all that were created
  size_t made_ = 0;            // free, in use, and about to be created
};

}  // namespace cucore::core
