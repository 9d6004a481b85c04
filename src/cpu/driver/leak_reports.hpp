// SPDX-License-Identifier: Apache-2.0
// The check `leak`: reports of memory and objects that outlive their context or their session.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "cpu/driver/registry.hpp"

namespace cucore::cpu {

class Context;

// A point in the sequence of all allocations and objects.
struct LeakMark {
  uint64_t allocations = 0, objects = 0;
  static LeakMark now();
};

// Sets the mark; what was made before it is not reported.
void set_leak_mark(LeakMark mark);

// Reports what is alive.
void report_live_objects();
// Reports what a context that ends still owns; `handles` are its objects. A graph or an executable
// has no context. It is reported with the one that was current on the thread that made it.
void report_leaks_of(const Context& context,
                     const std::unordered_map<uint64_t, ObjectKind>& handles);

// Adds the graphs and executables of the program that are reported with the context. They stay
// valid, and no other context reports them.
void take_graphs_of(const Context& context, std::unordered_map<uint64_t, ObjectKind>& handles);

}  // namespace cucore::cpu
