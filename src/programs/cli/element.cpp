// SPDX-License-Identifier: Apache-2.0
// The element types of arguments: parse, count and print one value each.
#include "element.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <type_traits>

#include "failure.hpp"

namespace cucore::cli {
namespace {

template <class T>
std::from_chars_result read_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>) {
    return std::from_chars(text.data(), end, value);
  } else {
    // A sign after the prefix is not a digit.
    if ((text.starts_with("0x") || text.starts_with("0X")) && text.substr(2, 1) != "-")
      return std::from_chars(text.data() + 2, end, value, 16);
    return std::from_chars(text.data(), end, value);
  }
}

template <class T>
T parse_number(std::string_view text, std::string_view what) {
  T value{};
  const auto [stop, error] = read_number(text, value);
  if (error == std::errc::result_out_of_range)
    throw usage(fmt::format("'{}' is out of the range of {}", text, what));
  if (error != std::errc() || stop != text.data() + text.size())
    throw usage(fmt::format("'{}' is not a value of {}", text, what));
  return value;
}

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

template <class T, const char* Name>
constexpr ElementType row() {
  return {Name, sizeof(T),
          [](std::string_view text, std::byte* out) { store(parse_number<T>(text, Name), out); },
          [](std::size_t index, std::byte* out) { store(static_cast<T>(index), out); },
          // A one-byte number is printed as a number, not as a character.
          [](const std::byte* value) { return fmt::format("{}", +load<T>(value)); },
          [](const std::byte* value) { return static_cast<double>(load<T>(value)); }};
}

constexpr char I8[] = "i8", U8[] = "u8", I16[] = "i16", U16[] = "u16", I32[] = "i32", U32[] = "u32",
               I64[] = "i64", U64[] = "u64", F32[] = "f32", F64[] = "f64";

constexpr std::array ELEMENT_TYPES{row<std::int8_t, I8>(),   row<std::uint8_t, U8>(),
                                   row<std::int16_t, I16>(), row<std::uint16_t, U16>(),
                                   row<std::int32_t, I32>(), row<std::uint32_t, U32>(),
                                   row<std::int64_t, I64>(), row<std::uint64_t, U64>(),
                                   row<float, F32>(),        row<double, F64>()};

}  // namespace

std::string element_type_names() {
  std::string names;
  for (const ElementType& type : ELEMENT_TYPES)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

const ElementType& element_type(std::string_view name) {
  for (const ElementType& type : ELEMENT_TYPES)
    if (type.name == name) return type;
  throw usage(fmt::format("'{}' is not a type; expected one of {}", name, element_type_names()));
}

std::size_t parse_count(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  const auto [stop, error] = read_number(text, count);
  if (error == std::errc() && stop == text.data() + text.size()) return count;
  throw usage(fmt::format("{} is '{}'; expected a number", what, text));
}

}  // namespace cucore::cli
