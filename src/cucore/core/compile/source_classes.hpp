// SPDX-License-Identifier: Apache-2.0
// Reads the declarations of extern "C" kernels in CUDA C++, for what PTX leaves open: below
// compute_100 it declares pointers and 64-bit integers alike, and such a kernel's name has no
// types.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "image/image.hpp"

namespace cucore::core {

// The class of each parameter, as the declarations of the kernel in `source` write it: POINTER for
// a declarator with *, & or [], INTEGER for the integer types by their names, else UNKNOWN. Empty
// where there is no declaration, or several that differ in their number of parameters.
std::vector<image::ParameterClass> classes_in_source(std::string_view source,
                                                     std::string_view kernel);

// Completes the classes of 64-bit parameters of `kernels` from the texts that were compiled.
void add_classes_of_sources(std::span<image::Symbol> kernels,
                            std::span<const std::string_view> sources);

}  // namespace cucore::core
