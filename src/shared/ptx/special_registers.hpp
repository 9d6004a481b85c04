// SPDX-License-Identifier: Apache-2.0
// Names of the special registers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cucore::ptx {

// Returns the SpecialRegister called `name` ("%tid", "%envreg3"), in the encoding of
// Operand::index.
std::optional<uint32_t> find_special_register(std::string_view name);

// Returns true for a register of 64 bits.
bool is_wide_special_register(uint32_t index);

}  // namespace cucore::ptx
