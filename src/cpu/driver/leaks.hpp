// SPDX-License-Identifier: Apache-2.0
// Counts the objects that a program had not freed at the end of a context, for the control table's
// report.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/registry.hpp"

namespace cucore::cpu {

class Context;

struct LeakTotals {
  uint64_t contexts_closed = 0;
  uint64_t allocations = 0;
  uint64_t bytes = 0;
  std::array<uint64_t, OBJECT_KINDS> handles{};
};

void record_leaks(const Context& context, Allocations::Leak memory);
void count_leaked_handles(const Context& context,
                          const std::unordered_map<uint64_t, ObjectKind>& handles);
LeakTotals leak_totals();
void reset_leak_totals();

}  // namespace cucore::cpu
