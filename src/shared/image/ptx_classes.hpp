// SPDX-License-Identifier: Apache-2.0
// Decides the classes of a kernel's parameters where their declarations do not: NVVM 7, which
// compiles for targets below compute_100, declares pointers and 64-bit integers alike, as ".u64".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "image/ptx_declaration.hpp"

namespace cucore::image {

// True if the compiler that names itself in the preamble writes .ptr for every pointer.
bool marks_pointers(std::string_view preamble);

// Completes the classes of the kernel's parameters, which their declarations gave. A 64-bit word
// that may be a pointer or an integer becomes UNKNOWN, unless something decides, in this order:
// the declarations of its neighbours, the types in the kernel's C++ name, the instructions of
// `body`.
void settle_classes(Symbol& kernel, std::span<const Declaration> declarations,
                    std::string_view body, bool marks_pointers);

}  // namespace cucore::image
