// SPDX-License-Identifier: Apache-2.0
// Helpers for the tables: from register bits to a C++ type and back, and names of types.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "case.hpp"

namespace cucore::cpu::ops {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

template <typename T>
T from_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

template <typename T>
uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <typename T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, float>) return Kind::f32;
  if constexpr (std::is_same_v<T, double>) return Kind::f64;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1:
      return is_signed ? Kind::s8 : Kind::u8;
    case 2:
      return is_signed ? Kind::s16 : Kind::u16;
    case 4:
      return is_signed ? Kind::s32 : Kind::u32;
    default:
      return is_signed ? Kind::s64 : Kind::u64;
  }
}

template <typename T>
std::string type_name() {
  if (std::is_floating_point_v<T>) return "f" + std::to_string(8 * sizeof(T));
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

template <typename T>
std::string bits_name() {
  return "b" + std::to_string(8 * sizeof(T));
}

// f(T) for each of the types.
template <typename... T, typename F>
void for_types(F f) {
  (f(T{}), ...);
}

// "add.s32" becomes "add.s32 $d0, $0, $1;".
inline std::string plain(const std::string& name, size_t operands) {
  std::string text = name + " $d0";
  for (size_t i = 0; i < operands; ++i) text += ", $" + std::to_string(i);
  return text + ";";
}

// A row with operands and result of one C++ type.
template <typename T, typename F>
Case& add_unary(Table& table, const std::string& name, F f) {
  return table.add(
      {name, plain(name, 1), {kind_of<T>()}, {kind_of<T>()}, [f](const Values& in, Values& out) {
         out[0] = to_bits<T>(T(f(from_bits<T>(in[0]))));
       }});
}

template <typename T, typename F>
Case& add_binary(Table& table, const std::string& name, F f) {
  return table.add({name,
                    plain(name, 2),
                    {kind_of<T>(), kind_of<T>()},
                    {kind_of<T>()},
                    [f](const Values& in, Values& out) {
                      out[0] = to_bits<T>(T(f(from_bits<T>(in[0]), from_bits<T>(in[1]))));
                    }});
}

template <typename T, typename F>
Case& add_ternary(Table& table, const std::string& name, F f) {
  Kind kind = kind_of<T>();
  return table.add(
      {name, plain(name, 3), {kind, kind, kind}, {kind}, [f](const Values& in, Values& out) {
         out[0] = to_bits<T>(T(f(from_bits<T>(in[0]), from_bits<T>(in[1]), from_bits<T>(in[2]))));
       }});
}

}  // namespace cucore::cpu::ops
