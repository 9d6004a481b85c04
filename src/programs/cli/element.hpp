// SPDX-License-Identifier: Apache-2.0
// The element types of arguments: reading, counting up and printing one value each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::cli {

// One type by the name that stands on the command line, "f32".
struct ElementType {
  std::string_view name;
  std::size_t size;
  // Reads a value; throws a usage failure that quotes the text.
  void (*parse)(std::string_view text, std::byte* out);
  // Writes the value index, for iota.
  void (*count)(std::size_t index, std::byte* out);
  std::string (*format)(const std::byte* value);
  double (*as_double)(const std::byte* value);
};

// The type of a name; a usage failure that lists all names if there is none.
const ElementType& element_type(std::string_view name);

// "i8, u8, ... f64".
std::string element_type_names();

// Reads a whole number without a sign; a usage failure that says what it was for.
std::size_t parse_count(std::string_view text, std::string_view what);

}  // namespace cucore::cli
