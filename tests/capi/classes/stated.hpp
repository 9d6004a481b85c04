// SPDX-License-Identifier: Apache-2.0
// A second reader of kernel declarations in PTX, which shares no code with the library's.
#pragma once

#include <cucore.h>

#include <map>
#include <string>
#include <vector>

namespace classes_test {

// Returns the class of each parameter, by the kernel's name, from the declarations alone. A 64-bit
// word without .ptr counts as an integer.
std::map<std::string, std::vector<cucore_parameter_class>> stated_classes(const std::string& ptx);

}  // namespace classes_test
