// SPDX-License-Identifier: Apache-2.0
// The family MAP with transposed operands. A block computes a tile of the last axis and of the axis
// that is the fastest one of these operands. It reads them in the order of their memory, and turns
// them in shared memory.
#pragma once

#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

// Sets the tile of the form, and marks the nodes whose elements go through it. Changes nothing if
// no operand is transposed, or if the axes are short.
void choose_tile(const Kernel& kernel, Form& form);

void add_tile_fields(Fields& fields, const Kernel& kernel, const Form& form);
std::string tiled_body(const Kernel& kernel, const Form& form, const std::string& name);
int64_t tile_count(const Kernel& kernel, const Form& form);

}  // namespace cucore::array
