// SPDX-License-Identifier: Apache-2.0
// The statements of a kernel as a reader would write them: "r = sqrt(a * b) + 1".
#pragma once

#include <string>
#include <vector>

#include "array/plan/kernel.hpp"
#include "array/text/names.hpp"

namespace cucore::array {

std::vector<std::string> formulas_of(const Kernel& kernel, Names& names);

std::string short_name(Dtype dtype);  // "f32"
std::string number_text(const Constant& constant);

}  // namespace cucore::array
