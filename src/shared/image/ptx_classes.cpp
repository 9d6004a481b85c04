// SPDX-License-Identifier: Apache-2.0
// Decides classes that PTX declarations leave open.
#include "image/ptx_classes.hpp"

#include <algorithm>
#include <optional>

#include "image/mangled_name.hpp"
#include "image/ptx_uses.hpp"

namespace cucore::image {

namespace {

// ".b32" and the like may hold a float as well as an integer.
bool is_untyped(const Declaration& one) { return one.type.starts_with(".b"); }

bool may_be_pointer(const Declaration& one) { return one.type == ".u64" || one.type == ".b64"; }

bool is_open(const Declaration& one, bool marks_pointers) {
  return one.parameter_class == ParameterClass::INTEGER &&
         (is_untyped(one) || (may_be_pointer(one) && !marks_pointers));
}

ParameterClass class_of(const Declaration& one, ParameterUse use, bool marks_pointers) {
  if (use == ParameterUse::FLOAT && is_untyped(one)) return ParameterClass::FLOAT;
  if (marks_pointers || !may_be_pointer(one)) return ParameterClass::INTEGER;
  return use == ParameterUse::ADDRESS ? ParameterClass::POINTER : ParameterClass::UNKNOWN;
}

// Returns the types in the name, unless the declarations contradict them.
std::vector<TypeKind> kinds_in_name(std::string_view name,
                                    std::span<const Declaration> declarations) {
  const std::vector<TypeKind> unknown(declarations.size(), TypeKind::OTHER);
  const auto kinds = parameter_kinds(name);
  if (!kinds || kinds->size() != declarations.size()) return unknown;
  for (size_t i = 0; i < kinds->size(); ++i) {
    const bool is_float = declarations[i].parameter_class == ParameterClass::FLOAT;
    const bool is_word = may_be_pointer(declarations[i]);
    const bool says_float = (*kinds)[i] == TypeKind::FLOAT;
    if ((is_float && !says_float && (*kinds)[i] != TypeKind::OTHER) || (is_word && says_float))
      return unknown;
  }
  return *kinds;
}

// Returns the class of a 64-bit word. An enumeration is an integer; a class would be declared as
// bytes.
std::optional<ParameterClass> class_of(TypeKind kind) {
  if (kind == TypeKind::POINTER) return ParameterClass::POINTER;
  if (kind == TypeKind::INTEGER || kind == TypeKind::NAMED) return ParameterClass::INTEGER;
  return std::nullopt;
}

}  // namespace

bool marks_pointers(std::string_view preamble) {
  // NVVM 20 came with compute_100; NVVM 7.0.1 compiles for earlier targets.
  constexpr uint64_t FIRST_VERSION = 20;
  constexpr std::string_view MARK = "Based on NVVM ";
  const size_t found = preamble.find(MARK);
  if (found == preamble.npos) return false;
  const std::string_view version = preamble.substr(found + MARK.size());
  return parse_number(version.substr(0, version.find('.'))).value_or(0) >= FIRST_VERSION;
}

void settle_classes(Symbol& kernel, std::span<const Declaration> declarations,
                    std::string_view body, bool marks_pointers) {
  // A compiler that marks one pointer of a kernel marks all of them.
  marks_pointers = marks_pointers || std::any_of(declarations.begin(), declarations.end(),
                                                 [](const auto& one) { return one.is_pointer; });
  std::vector<size_t> open;
  for (size_t i = 0; i < declarations.size(); ++i)
    if (is_open(declarations[i], marks_pointers)) open.push_back(i);
  if (open.empty()) return;
  std::vector<Parameter>& parameters = *kernel.parameters;
  const std::vector<TypeKind> kinds = kinds_in_name(kernel.lowered_name, declarations);
  std::erase_if(open, [&](size_t i) {
    const auto known = may_be_pointer(declarations[i]) ? class_of(kinds[i]) : std::nullopt;
    if (known) parameters[i].parameter_class = *known;
    return known.has_value();
  });
  std::vector<std::string_view> names;
  for (const size_t i : open) names.push_back(declarations[i].name);
  const std::vector<ParameterUse> uses = find_uses(body, names);
  for (size_t i = 0; i < open.size(); ++i)
    parameters[open[i]].parameter_class = class_of(declarations[open[i]], uses[i], marks_pointers);
}

}  // namespace cucore::image
