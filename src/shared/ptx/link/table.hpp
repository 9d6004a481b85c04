// SPDX-License-Identifier: Apache-2.0
// The names that the inputs of a link share, and the definition of each.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/link/input.hpp"

namespace cucore::ptx::link {

// A symbol of an input.
struct Place {
  const Input* input = nullptr;
  const Symbol* symbol = nullptr;
  explicit operator bool() const { return symbol != nullptr; }
};

class SymbolTable {
 public:
  // Returns the reasons that `input` does not fit to the earlier inputs, or "".
  std::string conflicts(const Input& input) const;
  // Adds the names of an input without conflicts. The input must outlive the table.
  void add(const Input& input);

  // Returns the definition of a name that is not local; empty without one.
  Place definition(std::string_view name) const;
  bool has(std::string_view name) const { return entries_.count(name) != 0; }
  // Returns true if the result contains this symbol: local ones, and the definition of each name.
  bool is_chosen(const Symbol& symbol) const;

 private:
  struct Entry {
    Place first;       // the symbol that later ones are compared with
    Place definition;  // empty: only declared
  };
  static bool takes_part(const Symbol& symbol);
  static bool replaces(const Symbol& later, const Symbol& earlier);

  std::unordered_map<std::string_view, Entry> entries_;
};

}  // namespace cucore::ptx::link
