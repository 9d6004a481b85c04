// SPDX-License-Identifier: Apache-2.0
// The family SCAN: each element of the inner axis is combined with those before it.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

// Rows longer than a chunk need a launch for the totals of the chunks first.
bool scan_needs_totals(const Kernel& kernel) noexcept;
Scratch scan_scratch(const Kernel& kernel);
void add_scan_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses);
std::string scan_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan scan_launch(const Kernel& kernel, const Form& form);

}  // namespace cucore::array
