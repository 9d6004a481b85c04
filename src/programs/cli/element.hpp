// SPDX-License-Identifier: Apache-2.0
// The element types of arguments: parse, count and print one value each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::cli {

// One type, by its name on the command line, "f32".
struct ElementType {
  std::string_view name;
  std::size_t size;
  // Parses a value; throws a usage failure that quotes the text.
  void (*parse)(std::string_view text, std::byte* out);
  // Writes the value `index`, for iota.
  void (*count)(std::size_t index, std::byte* out);
  std::string (*format)(const std::byte* value);
  double (*as_double)(const std::byte* value);
};

// Returns the type with this name; an unknown name is a usage failure that lists all names.
const ElementType& element_type(std::string_view name);

// "i8, u8, ... f64".
std::string element_type_names();

// Parses a whole number without a sign; a usage failure names its purpose.
std::size_t parse_count(std::string_view text, std::string_view what);

}  // namespace cucore::cli
