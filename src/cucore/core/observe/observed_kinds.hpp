// SPDX-License-Identifier: Apache-2.0
// The check that precedes each operation: whether an observer observes its kind.
#pragma once

#include <cucore.h>

#include <atomic>
#include <cstdint>

namespace cucore::core {

// The kinds of all observers.
inline constinit std::atomic<uint32_t> observed_kinds{0};

inline bool is_observed(cucore_operation_kind kind) noexcept {
  return observed_kinds.load(std::memory_order_relaxed) & static_cast<uint32_t>(kind);
}

}  // namespace cucore::core
