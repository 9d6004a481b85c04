// SPDX-License-Identifier: Apache-2.0
// Makes an allocation of SWEPT_LIBRARY fail, which has the function SWEPT_FUNCTION. Those of the
// libraries below it have a sweep of their own.
#pragma once

#include <cstdint>
#include <string>

namespace sweep {

// From arm_memory() to disarm_memory() the calling thread's nth allocation fails: that one, or it
// and all after it. None fails if nth is 0.
void arm_memory(uint64_t nth, bool all_after);
void disarm_memory();
bool memory_failed();             // since it was armed
std::string failed_allocation();  // its place, for a message

int64_t blocks_alive();  // of operator new, in all libraries

}  // namespace sweep
