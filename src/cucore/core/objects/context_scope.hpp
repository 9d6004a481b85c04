// SPDX-License-Identifier: Apache-2.0
// Makes a context current for a scope in which no reset destroys it.
#pragma once

#include <optional>

#include "core/objects/context_access.hpp"
#include "core/objects/device.hpp"
#include "driver/context_guard.hpp"

namespace cucore::core {

class ContextScope {
 public:
  // Throws INVALID_STATE if the context is lost; `what` names the object that lives in it:
  // "stream".
  ContextScope(const Context& context, const char* what) : access_(context, what) {
    guard_.emplace(context.native());
  }
  // For releases.
  ContextScope(const Context& context, std::nothrow_t) noexcept
      : access_(context, std::nothrow), is_alive_(access_.is_alive() && !driver::is_gone()) {
    if (is_alive_) guard_.emplace(context.native(), std::nothrow);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  // If false, all objects of the context are gone, or the process must not use the driver.
  bool is_alive() const noexcept { return is_alive_; }
  // If false, only calls that need no current context can succeed.
  bool is_current() const noexcept { return guard_ && *guard_; }

 private:
  const ContextAccess access_;
  const bool is_alive_ = true;
  std::optional<driver::ContextGuard> guard_;
};

// Makes a call of the driver whose stream or event names the context. The driver needs no current
// context for it; if it reports that it does, the call is repeated with one. Needs a ContextAccess.
template <class Call>
CUresult call_without_context(const Context& context, Call&& call) {
  const CUresult result = call();
  if (result != CUDA_ERROR_INVALID_CONTEXT) [[likely]]
    return result;
  const driver::ContextGuard guard(context.native());
  return call();
}

// Keeps the present primary context of a device alive for a scope.
class PrimaryAccess {
 public:
  [[gnu::always_inline]] explicit PrimaryAccess(const Device& device) {
    do {
      access_.reset();
      context_ = device.context();
      access_.emplace(*context_, std::nothrow);
    } while (!access_->is_alive());
  }
  PrimaryAccess(const PrimaryAccess&) = delete;
  PrimaryAccess& operator=(const PrimaryAccess&) = delete;

  const Ref<Context>& context() const { return context_; }

 private:
  Ref<Context> context_;
  std::optional<ContextAccess> access_;
};

// The same, and makes it current.
class PrimaryScope {
 public:
  explicit PrimaryScope(const Device& device)
      : access_(device), guard_(access_.context()->native()) {}
  PrimaryScope(const PrimaryScope&) = delete;
  PrimaryScope& operator=(const PrimaryScope&) = delete;

  const Ref<Context>& context() const { return access_.context(); }

 private:
  const PrimaryAccess access_;
  const driver::ContextGuard guard_;
};

}  // namespace cucore::core
