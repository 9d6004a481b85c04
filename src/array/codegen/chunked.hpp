// SPDX-License-Identifier: Apache-2.0
// The family CHUNKED: a block reduces a part of a long row, and the last block adds the parts.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

Scratch chunked_scratch(const Kernel& kernel);
void add_chunked_fields(Fields& fields, const Kernel& kernel, const Form& form,
                        const Addresses& addresses);
std::string chunked_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan chunked_launch(const Kernel& kernel, const Form& form);

// The places of the partial results: a field "x7" per reduction.
void add_partials(Fields& fields, const Kernel& kernel, const Addresses& addresses, int64_t count);
int64_t partials_size(const Kernel& kernel, int64_t count);

}  // namespace cucore::array
