// SPDX-License-Identifier: Apache-2.0
// The family SORT: blocks sort tiles of rows, and later launches merge them.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

Scratch sort_scratch(const Kernel& kernel);
int32_t sort_merges(const Kernel& kernel) noexcept;  // launches after the first one
void add_sort_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses);
std::string sort_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan sort_launch(const Kernel& kernel, const Form& form);
int64_t sort_threads(const Kernel& kernel) noexcept;

}  // namespace cucore::array
