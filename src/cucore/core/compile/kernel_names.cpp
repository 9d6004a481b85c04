// SPDX-License-Identifier: Apache-2.0
#include "core/compile/kernel_names.hpp"

#include <algorithm>
#include <cctype>

#include "container/text.hpp"

namespace cucore::core {

using image::Symbol;
using image::SymbolKind;

std::string normal_expression(std::string_view expression) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string out;
  bool space = false;
  for (const char c : expression) {
    if (c == ' ' || c == '\t' || c == '\n') {
      space = true;
      continue;
    }
    if (space && !out.empty() && is_word(out.back()) && is_word(c)) out += ' ';
    space = false;
    out += c;
  }
  return out;
}

KernelNames::KernelNames(const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols) {
    if (symbol.kind != SymbolKind::KERNEL) continue;
    lowered_.emplace(symbol.lowered_name, symbol.lowered_name);
    // Most symbols have no expression, so "" must not match them.
    if (symbol.expression.empty()) continue;
    auto& meant = expressions_[normal_expression(symbol.expression)];
    if (std::ranges::find(meant, symbol.lowered_name) == meant.end())
      meant.push_back(symbol.lowered_name);
  }
}

std::span<const std::string_view> KernelNames::find(std::string_view name) const {
  if (const auto found = lowered_.find(name); found != lowered_.end()) return {&found->second, 1};
  auto found = expressions_.find(name);
  if (found == expressions_.end())
    found = expressions_.find(normal_expression(container::clean_text(name)));
  if (found == expressions_.end()) return {};
  return found->second;
}

std::string shown_name(const image::Symbol& symbol) {
  return symbol.expression.empty() ? symbol.lowered_name : symbol.expression;
}

}  // namespace cucore::core
