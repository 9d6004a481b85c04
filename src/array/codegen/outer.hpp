// SPDX-License-Identifier: Apache-2.0
// The family OUTER: the reduced axes are slower in memory than the last outer ones, the columns.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

Scratch outer_scratch(const Kernel& kernel);
void add_outer_fields(Fields& fields, const Kernel& kernel, const Form& form,
                      const Addresses& addresses);
std::string outer_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan outer_launch(const Kernel& kernel, const Form& form);

}  // namespace cucore::array
