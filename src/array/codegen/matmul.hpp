// SPDX-License-Identifier: Apache-2.0
// The family MATMUL: each block computes a tile of a matrix product.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

void add_matmul_fields(Fields& fields, const Kernel& kernel, const Form& form,
                       const Addresses& addresses);
std::string matmul_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan matmul_launch(const Kernel& kernel, const Form& form);
int64_t matmul_tile(const Kernel& kernel) noexcept;  // rows and columns of a block

}  // namespace cucore::array
