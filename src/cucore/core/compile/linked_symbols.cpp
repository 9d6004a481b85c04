// SPDX-License-Identifier: Apache-2.0
#include "core/compile/linked_symbols.hpp"

namespace cucore::core {
namespace {

using container::Code;
using image::NamedExpression;
using image::Symbol;

// Returns whether a linker has made the name from a duplicate of "name": "name_2", "name.1",
// "name__1".
bool is_renamed(std::string_view now, std::string_view before) {
  return now.size() > before.size() && now.starts_with(before) &&
         (now[before.size()] == '_' || now[before.size()] == '.' || now[before.size()] == '$') &&
         now.find_first_not_of("0123456789_.$", before.size()) == now.npos;
}

}  // namespace

bool is_internal(std::string_view lowered) {
  return lowered.find("_GLOBAL__N_") != lowered.npos || lowered.find("_INTERNAL_") != lowered.npos;
}

std::vector<Symbol> linked_symbols(std::vector<Symbol> image,
                                   const std::vector<const Code*>& inputs) {
  std::vector<NamedExpression> names;
  for (const Code* input : inputs)
    for (const Symbol& wanted : input->symbols) {
      if (wanted.expression.empty()) continue;
      for (const Symbol& found : image)
        if (found.lowered_name == wanted.lowered_name ||
            (is_internal(wanted.lowered_name) &&
             is_renamed(found.lowered_name, wanted.lowered_name)))
          names.push_back({wanted.expression, found.lowered_name});
    }
  for (const Code* input : inputs) image::adopt_classes(image, input->symbols);
  return image::merge_expressions(std::move(image), names);
}

}  // namespace cucore::core
