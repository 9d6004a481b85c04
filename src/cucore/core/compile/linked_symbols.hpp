// SPDX-License-Identifier: Apache-2.0
// The names under which a linked image's kernels are found: those of its inputs, where they still
// mean one kernel.
#pragma once

#include <string_view>
#include <vector>

#include "container/objectcode.hpp"

namespace cucore::core {

// Gives the symbols read from the linked image the name expressions of the inputs. Link-time
// optimisation renames what is internal and would clash: such an expression is given to every
// kernel that it may mean, which makes it ambiguous when it is looked up.
std::vector<image::Symbol> linked_symbols(std::vector<image::Symbol> image,
                                          const std::vector<const container::Code*>& inputs);

// True of the name of a kernel in an anonymous namespace, or of a static one.
bool is_internal(std::string_view lowered);

}  // namespace cucore::core
