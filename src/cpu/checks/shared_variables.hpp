// SPDX-License-Identifier: Apache-2.0
// The variables that the shared memory of a block consists of.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/exec/block.hpp"

namespace cucore::cpu {

// Returns "'reverse::s' + 252" or "dynamic shared memory + 16" for an offset in the memory of a
// block; "" between variables and behind the last one.
std::string shared_place(const LaunchState& launch, uint64_t offset);

// Returns the name of the variable with these bytes; "": none.
std::string shared_name(const LaunchState& launch, uint64_t begin, uint64_t size);

}  // namespace cucore::cpu
