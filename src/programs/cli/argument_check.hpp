// SPDX-License-Identifier: Apache-2.0
// Compares arguments of the command line with the classes of a kernel's parameters.
#pragma once

#include <cucore.h>

#include <vector>

#include "argument.hpp"

namespace cucore::cli {

// "integer", "float", "pointer", "aggregate", "unknown".
const char* parameter_class_name(cucore_parameter_class parameter_class);

// All parameters of a kernel on a device; empty if neither the code nor the driver records them.
std::vector<cucore_parameter_info> parameters_of(const cucore_kernel* kernel,
                                                 const cucore_device* device);

// Throws for the first argument that its parameter cannot take. Counts and sizes are left to the
// launch, which knows them also where the class is unknown.
void check_classes(const cucore_kernel* kernel, const cucore_device* device,
                   const std::vector<Argument>& arguments);

}  // namespace cucore::cli
