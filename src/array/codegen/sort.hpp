// SPDX-License-Identifier: Apache-2.0
// The family SORT: blocks sort tiles of rows, and later launches merge them.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

Scratch sort_scratch(const Kernel& kernel);
int32_t sort_launches(const Kernel& kernel) noexcept;
void add_sort_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses);
std::string sort_body(const Kernel& kernel, const Form& form, const std::string& name);
LaunchPlan sort_launch(const Kernel& kernel, const Form& form);
int64_t sort_threads(const Kernel& kernel) noexcept;

const Node& sorted_node(const Kernel& kernel);
uint16_t sort_key_node(const Kernel& kernel);
Dtype sort_key_dtype(const Kernel& kernel);
// Bytes of a key in memory between launches: it has the type that kernels compute with.
int64_t sort_key_size(const Kernel& kernel);
int64_t sort_aligned(int64_t bytes) noexcept;

}  // namespace cucore::array
