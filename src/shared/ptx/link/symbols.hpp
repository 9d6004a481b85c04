// SPDX-License-Identifier: Apache-2.0
// The symbols of one PTX module, as a linker compares them.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace cucore::ptx::link {

// A parameter, as far as a caller depends on it.
struct Shape {
  uint64_t size = 0;
  unsigned element = 0;
  bool is_float = false;
  bool is_register = false;
  bool is_array = false;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Symbol {
  std::string_view name;
  Linkage linkage = Linkage::INTERNAL;
  bool is_function = false;
  bool is_defined = false;
  bool is_used = false;        // by a definition of the module
  std::vector<uint32_t> uses;  // symbols of the module, by their places in the list

  // Variables
  Space space = Space::generic;
  uint64_t size = 0;
  uint32_t align = 1;
  Type type = Type::none;
  uint8_t vector = 1;
  bool is_unsized = false;
  bool is_indexed = false;  // the elements have a meaning for the code of the module
  bool is_managed = false;

  // Functions
  bool is_entry = false;
  uint32_t return_count = 0;
  uint64_t param_bytes = 0;
  std::vector<Shape> parameters;  // returns, then inputs

  unsigned element() const { return size_of(type) * vector; }
  bool is_local() const { return linkage == Linkage::INTERNAL; }
  // Memory whose size the launch decides: `.extern .shared x[]`.
  bool is_dynamic() const {
    return !is_function && !is_defined && space == Space::shared && is_unsized;
  }
};

// Variables first, then functions, each in the order of the text.
std::vector<Symbol> read_symbols(const Module& module);

}  // namespace cucore::ptx::link
