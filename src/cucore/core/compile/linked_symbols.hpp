// SPDX-License-Identifier: Apache-2.0
// The names of a linked image's kernels: those of its inputs, if they still mean one kernel.
#pragma once

#include <string_view>
#include <vector>

#include "container/objectcode.hpp"

namespace cucore::core {

// Assigns the name expressions of the inputs to the symbols of the linked image. Link-time
// optimisation renames internal symbols that would clash. Such an expression is assigned to every
// kernel that it may mean, so its look-up is ambiguous.
std::vector<image::Symbol> linked_symbols(std::vector<image::Symbol> image,
                                          const std::vector<const container::Code*>& inputs);

// Returns true for the name of a kernel that is static or in an anonymous namespace.
bool is_internal(std::string_view lowered);

}  // namespace cucore::core
