// SPDX-License-Identifier: Apache-2.0
// Makes an allocation of the library under test fail, and counts its blocks that are not freed.
#pragma once

#include <cstdint>
#include <string>

namespace sweep {

// From arm() to disarm() the calling thread's nth allocation fails: that one, or it and all after
// it. Allocations of a fake inside its own functions do not count.
void arm_memory(uint64_t nth, bool all_after);
void disarm_memory();
bool memory_failed();             // since it was armed
std::string failed_allocation();  // its place, for a message

// Blocks made by operator new and not deleted, except those of the fakes.
int64_t blocks_alive();

// The boundary functions for fakes.
void enter_fake();
void leave_fake();

}  // namespace sweep
