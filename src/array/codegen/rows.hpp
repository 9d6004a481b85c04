// SPDX-License-Identifier: Apache-2.0
// The family ROWS: some threads share a row, whose elements they keep in registers between passes.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

void add_rows_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses);
std::string rows_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan rows_launch(const Kernel& kernel, const Form& form);

}  // namespace cucore::array
