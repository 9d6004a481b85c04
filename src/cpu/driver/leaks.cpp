// SPDX-License-Identifier: Apache-2.0
// Totals of the objects that ended contexts still owned.
#include "cpu/driver/leaks.hpp"

#include <mutex>

namespace cucore::cpu {
namespace {

struct Guarded {
  std::mutex mutex;
  LeakTotals totals;
};
Guarded& guarded() {
  static Guarded& g = *new Guarded;  // never destroyed
  return g;
}

}  // namespace

void record_leaks(const Context&, Allocations::Leak memory) {
  std::lock_guard lock(guarded().mutex);
  LeakTotals& t = guarded().totals;
  ++t.contexts_closed;
  t.allocations += memory.count;
  t.bytes += memory.bytes;
}

void count_leaked_handles(const Context&, const std::unordered_map<uint64_t, ObjectKind>& handles) {
  std::lock_guard lock(guarded().mutex);
  for (auto [handle, kind] : handles) {
    // A function ends with its module and has no release function.
    if (kind != ObjectKind::FUNCTION) ++guarded().totals.handles[static_cast<size_t>(kind)];
  }
}

LeakTotals leak_totals() {
  std::lock_guard lock(guarded().mutex);
  return guarded().totals;
}

void reset_leak_totals() {
  std::lock_guard lock(guarded().mutex);
  guarded().totals = {};
}

}  // namespace cucore::cpu
