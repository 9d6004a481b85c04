// SPDX-License-Identifier: Apache-2.0
// Decides the classes of a kernel's parameters if their declarations do not. NVVM 7, which compiles
// for targets below compute_100, declares both pointers and 64-bit integers as ".u64".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "image/ptx_declaration.hpp"

namespace cucore::image {

// Returns true if the compiler named in the preamble writes .ptr for every pointer.
bool marks_pointers(std::string_view preamble);

// Completes the classes that the declarations set. A 64-bit word may be a pointer or an
// integer. These decide, in this order: the declarations of its neighbours, the types in the
// kernel's C++ name, the instructions of `body`. If none does, it becomes UNKNOWN.
void settle_classes(Symbol& kernel, std::span<const Declaration> declarations,
                    std::string_view body, bool marks_pointers);

}  // namespace cucore::image
