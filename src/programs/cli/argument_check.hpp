// SPDX-License-Identifier: Apache-2.0
// Compares arguments of the command line with the classes of a kernel's parameters.
#pragma once

#include <cucore/kernel.hpp>
#include <vector>

#include "argument.hpp"

namespace cucore::cli {

// Returns "integer", "float", "pointer", "aggregate" or "unknown".
const char* parameter_class_name(ParameterClass parameter_class);

// Returns all parameters of a kernel on a device; empty if neither the code nor the driver records
// them.
std::vector<Parameter> parameters_of(const Kernel& kernel, const Device& device);

// Throws for the first argument that does not fit its parameter. The launch checks counts and
// sizes, because it can do so even for parameters of unknown class.
void check_classes(const Kernel& kernel, const Device& device,
                   const std::vector<Argument>& arguments);

}  // namespace cucore::cli
