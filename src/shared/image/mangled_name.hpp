// SPDX-License-Identifier: Apache-2.0
// Reads the parameter types from a mangled C++ function name: "_Z4axpyIfEvT_PKS0_PS0_m".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cucore::image {

enum class TypeKind : uint8_t {
  OTHER,    // a type whose dependence on template arguments is not resolved
  INTEGER,  // also bool and characters
  FLOAT,
  POINTER,  // also a reference and nullptr
  NAMED     // a class, a union or an enumeration
};

// Returns the kinds of the parameters, in order. Returns nullopt for a name that is not mangled and
// for rare forms: local types, lambdas, packs, expressions. Reads the Itanium C++ ABI, which CUDA's
// compilers use on every system. The time is linear in the length of the name.
std::optional<std::vector<TypeKind>> parameter_kinds(std::string_view mangled);

}  // namespace cucore::image
