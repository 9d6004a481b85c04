// SPDX-License-Identifier: Apache-2.0
// The kernel that a name means: a name expression or a name in the code, found without a search.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "image/image.hpp"

namespace cucore::core {

class KernelNames {
 public:
  // `symbols` must outlive this object: names are not copied.
  explicit KernelNames(const std::vector<image::Symbol>& symbols);

  // Returns the names in the code that it may mean: none, one, or several after a link has renamed
  // kernels of one expression. A name in the code means only itself.
  std::span<const std::string_view> find(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string_view, std::string_view> lowered_;
  std::unordered_map<std::string, std::vector<std::string_view>, Hash, std::equal_to<>>
      expressions_;
};

// Returns the name of a symbol for messages: its expression, or its name in the code.
std::string shown_name(const image::Symbol& symbol);

// Expressions are compared as in C++: white space matters only between words.
std::string normal_expression(std::string_view expression);

}  // namespace cucore::core
