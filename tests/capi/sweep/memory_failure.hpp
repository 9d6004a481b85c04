// SPDX-License-Identifier: Apache-2.0
// Makes an allocation of the library under test fail, and counts what it has not given back.
#pragma once

#include <cstdint>
#include <string>

namespace sweep {

// From arm() to disarm() the calling thread's nth allocation fails: that one, or it and all after
// it. What a fake allocates inside its own functions does not count.
void arm_memory(uint64_t nth, bool all_after);
void disarm_memory();
bool memory_failed();             // since it was armed
std::string failed_allocation();  // where that was, for a message

// Blocks made by operator new and not deleted, but for those of the fakes.
int64_t blocks_alive();

// The boundary that fakes are given.
void enter_fake();
void leave_fake();

}  // namespace sweep
