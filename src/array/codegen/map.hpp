// SPDX-License-Identifier: Apache-2.0
// The family MAP: each thread computes some vectors of neighbouring elements.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

void add_map_fields(Fields& fields, const Kernel& kernel, const Form& form,
                    const Addresses& addresses);
std::string map_body(const Kernel& kernel, const Form& form, const std::string& name);
bool map_is_ordered(const Kernel& kernel) noexcept;  // writes through indices that may repeat
Scratch map_scratch(const Kernel& kernel);
LaunchPlan map_launch(const Kernel& kernel, const Form& form);  // without parameters

}  // namespace cucore::array
