// SPDX-License-Identifier: Apache-2.0
// Sorting of long rows by the digits of their keys: a part of the family SORT.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

bool sorts_by_digits(const Kernel& kernel) noexcept;
Scratch radix_scratch(const Kernel& kernel);
int32_t radix_phases(const Kernel& kernel) noexcept;
void add_radix_fields(Fields& fields, const Kernel& kernel, const Form& form,
                      const Addresses& addresses);
std::string radix_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan radix_launch(const Kernel& kernel);

}  // namespace cucore::array
