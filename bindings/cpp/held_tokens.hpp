// SPDX-License-Identifier: Apache-2.0
// Host functions of a language as long as a graph needs them. A graph holds a token, which stands
// for a function. Threads of the library drop it with the graph; a thread of the language takes it
// and drops the function.
#pragma once

#include <cucore.h>

#include <cstdint>

namespace cucore::bind {

// Returns a number that the process uses once, not 0.
uint64_t new_token();

// The graph, what is made from it, and what runs of that, hold the token of an owner.
void hold_token(cucore_graph* graph, uint64_t owner, uint64_t token);

// Returns a token of the owner that was dropped, and forgets it; 0: none.
uint64_t take_dropped_token(uint64_t owner);

}  // namespace cucore::bind
