// SPDX-License-Identifier: Apache-2.0
// Driver calls that use a context. A reset waits until those in progress have returned, and later
// calls do not use the context.
#pragma once

#include <array>
#include <atomic>
#include <new>

#include "core/objects/context.hpp"

namespace cucore::core {

namespace detail {

// The contexts that one thread uses. Only that thread changes it.
struct alignas(64) ThreadAccesses {
  static constexpr uint32_t DEPTH = 6;

  std::array<std::atomic<const Context*>, DEPTH> contexts{};
  uint32_t depth = 0;
  std::atomic<bool> is_taken{false};
};

// Never null: a thread without a record uses a full one. The TLS model saves a call per access.
extern constinit thread_local ThreadAccesses* thread_accesses
    __attribute__((tls_model("initial-exec")));

// Returns the calling thread's record, if it has or can get one with room; else null.
ThreadAccesses* find_accesses() noexcept;

}  // namespace detail

// While this lives, a context that was alive at the beginning is not destroyed. Costs no atomic
// operation, because a reset makes the stores of all threads visible by a system call.
//
// Device::context() must not be called while this lives: it waits for a reset, which waits for
// this.
class ContextAccess {
 public:
  // Throws INVALID_STATE if the context is lost; `what` names the object that lives in it:
  // "stream".
  ContextAccess(const Context& context, const char* what) : ContextAccess(context, std::nothrow) {
    context.require_alive(what);
  }
  // The context may be lost: see is_alive().
  [[gnu::always_inline]] ContextAccess(const Context& context, std::nothrow_t) noexcept
      : context_(context), accesses_(detail::thread_accesses) {
    if (accesses_->depth == detail::ThreadAccesses::DEPTH) [[unlikely]] {
      accesses_ = detail::find_accesses();
      if (!accesses_) {
        context.begin_counted_access();
        return;
      }
    }
    accesses_->contexts[accesses_->depth++].store(&context, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  [[gnu::always_inline]] ~ContextAccess() {
    if (!accesses_) [[unlikely]] {
      context_.end_counted_access();
      return;
    }
    accesses_->contexts[--accesses_->depth].store(nullptr, std::memory_order_release);
  }
  ContextAccess(const ContextAccess&) = delete;
  ContextAccess& operator=(const ContextAccess&) = delete;

  bool is_alive() const noexcept { return !context_.is_lost(); }

 private:
  const Context& context_;
  detail::ThreadAccesses* accesses_;  // null: counted by the context
};

// A ContextAccess without a call. It is none if the record of the thread has no room.
class QuickContextAccess {
 public:
  [[gnu::always_inline]] QuickContextAccess(const Context& context, std::nothrow_t) noexcept
      : context_(context),
        accesses_(*detail::thread_accesses),
        has_room_(accesses_.depth != detail::ThreadAccesses::DEPTH) {
    if (!has_room_) [[unlikely]]
      return;
    accesses_.contexts[accesses_.depth++].store(&context, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  [[gnu::always_inline]] ~QuickContextAccess() {
    if (has_room_) [[likely]]
      accesses_.contexts[--accesses_.depth].store(nullptr, std::memory_order_release);
  }
  QuickContextAccess(const QuickContextAccess&) = delete;
  QuickContextAccess& operator=(const QuickContextAccess&) = delete;

  // Whether this is an access to a context that is alive.
  bool is_alive() const noexcept { return has_room_ && !context_.is_lost(); }

 private:
  const Context& context_;
  detail::ThreadAccesses& accesses_;
  const bool has_room_;
};

// Waits until no other thread uses a lost context.
void wait_for_accesses(const Context& context) noexcept;

}  // namespace cucore::core
