// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel on the command line: scalars and arrays.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "element.hpp"

namespace cucore::cli {

// One --arg: "f32:2.0", or an array, "buf:f32:1024:fill=1.0".
struct Argument {
  const ElementType* type = nullptr;
  bool is_array = false;
  std::vector<std::byte> bytes;  // the scalar, or the initial content of the array
  std::string file;              // file with the initial content; "": none

  std::size_t count() const { return bytes.size() / type->size; }
  const std::byte* element(std::size_t index) const { return bytes.data() + index * type->size; }
};

// Parses one --arg. A usage failure quotes it and shows the correct form.
Argument parse_argument(std::string_view text);

// Splits "KEY=VALUE", where KEY is the number of an array argument.
struct Indexed {
  std::size_t index;
  std::string value;
};
Indexed parse_indexed(std::string_view text, std::string_view option,
                      const std::vector<Argument>& arguments);

}  // namespace cucore::cli
