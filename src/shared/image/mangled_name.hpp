// SPDX-License-Identifier: Apache-2.0
// Reads the parameter types out of a C++ function's name in the code: "_Z4axpyIfEvT_PKS0_PS0_m".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cucore::image {

enum class TypeKind : uint8_t {
  OTHER,    // a type that depends on template arguments in a way that is not followed
  INTEGER,  // also bool and characters
  FLOAT,
  POINTER,  // also a reference and nullptr
  NAMED     // a class, a union or an enumeration
};

// The kinds of the parameters, in order. nullopt for a name that is not mangled, and for rare
// forms of names that are not read: local types, lambdas, packs, expressions. Reads the Itanium
// C++ ABI, which CUDA's compilers use on every system. Takes time linear in the length of the
// name.
std::optional<std::vector<TypeKind>> parameter_kinds(std::string_view mangled);

}  // namespace cucore::image
