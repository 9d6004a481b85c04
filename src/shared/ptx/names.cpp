// SPDX-License-Identifier: Apache-2.0
// Names and sizes of types and registers, and source lines, for verification and for messages.
#include <algorithm>

#include "ptx/ast.hpp"

namespace cucore::ptx {
namespace {

struct TypeInfo {
  std::string_view name;
  uint8_t bytes;
};

constexpr TypeInfo TYPES[] = {{"", 0},
#define PTX_TYPE(id, name, bytes) {name, bytes},
                              PTX_TYPES(PTX_TYPE)
#undef PTX_TYPE
};

}  // namespace

unsigned size_of(Type type) { return TYPES[static_cast<size_t>(type)].bytes; }

std::string_view name_of(Type type) { return TYPES[static_cast<size_t>(type)].name; }

bool is_float(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::tf32:
    case Type::f32:
    case Type::f64:
    case Type::f32x2:
      return true;
    default:
      return false;
  }
}

bool is_signed(Type type) { return (type >= Type::s8 && type <= Type::s64) || type == Type::s16x2; }

std::string register_name(const Function& function, uint32_t index) {
  // Ranges are sorted by their first register.
  auto after =
      std::upper_bound(function.register_names.begin(), function.register_names.end(), index,
                       [](uint32_t key, const RegisterRange& range) { return key < range.first; });
  if (after == function.register_names.begin()) return "%?";
  const RegisterRange& range = *--after;
  std::string name(range.name);
  if (range.is_numbered) name += std::to_string(index - range.first);
  return name;
}

const SourceLine* source_line_of(const Function& function, size_t instruction) {
  const auto& lines = function.source_lines;
  auto after = std::upper_bound(
      lines.begin(), lines.end(), instruction,
      [](size_t index, const SourceLine& line) { return index < line.first_instruction; });
  return after == lines.begin() ? nullptr : &*--after;
}

std::string_view file_name(const Module& module, uint32_t number) {
  for (const SourceFile& file : module.files)
    if (file.number == number) return file.name;
  return {};
}

}  // namespace cucore::ptx
