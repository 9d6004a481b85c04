// SPDX-License-Identifier: Apache-2.0
// Sets the host's rounding mode, or its whole floating-point environment, for a scope.
#pragma once

#include <cfenv>

#include "ptx/ast.hpp"

namespace cucore::cpu {

class HostRounding {
 public:
  explicit HostRounding(ptx::Rounding r) : before_(std::fegetround()) {
    switch (r) {
      case ptx::Rounding::rz:
      case ptx::Rounding::rzi:
        std::fesetround(FE_TOWARDZERO);
        break;
      case ptx::Rounding::rm:
      case ptx::Rounding::rmi:
        std::fesetround(FE_DOWNWARD);
        break;
      case ptx::Rounding::rp:
      case ptx::Rounding::rpi:
        std::fesetround(FE_UPWARD);
        break;
      default:
        std::fesetround(FE_TONEAREST);
        break;
    }
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

// Rounds to the nearest, keeps subnormal numbers, and raises no signal. The thread that launches
// may have another environment, and threads that it starts inherit that.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&before_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace cucore::cpu
