// SPDX-License-Identifier: Apache-2.0
// Reads the declarations of extern "C" kernels in CUDA C++, for facts that PTX leaves open. Below
// compute_100 PTX declares both pointers and 64-bit integers as words, and such a kernel's name has
// no types.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "image/image.hpp"

namespace cucore::core {

// Returns the class of each parameter from the declarations of the kernel in `source`. It is
// POINTER for a declarator with *, & or [], INTEGER for the names of integer types, else UNKNOWN.
// Returns none without a declaration, or if several differ in their number of parameters.
std::vector<image::ParameterClass> classes_in_source(std::string_view source,
                                                     std::string_view kernel);

// Completes the classes of 64-bit parameters of `kernels` from the compiled texts.
void add_classes_of_sources(std::span<image::Symbol> kernels,
                            std::span<const std::string_view> sources);

}  // namespace cucore::core
