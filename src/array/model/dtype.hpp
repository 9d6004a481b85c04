// SPDX-License-Identifier: Apache-2.0
// The types of elements, and the type of a result (NumPy 2's promotion, NEP 50).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cucore::array {

// The numbers are those of cucore_array_dtype.
enum class Dtype : uint8_t {
  DEFAULT = 0,  // the type that the operation's rule chooses
  BOOL = 1,
  INT8 = 2,
  INT16 = 3,
  INT32 = 4,
  INT64 = 5,
  UINT8 = 6,
  UINT16 = 7,
  UINT32 = 8,
  UINT64 = 9,
  FLOAT16 = 10,
  BFLOAT16 = 11,
  FLOAT32 = 12,
  FLOAT64 = 13,
  COMPLEX64 = 14,
  COMPLEX128 = 15,
};
constexpr size_t DTYPE_COUNT = 16;  // with DEFAULT

enum class Kind : uint8_t { BOOL = 0, SIGNED = 1, UNSIGNED = 2, REAL = 3, COMPLEX = 4 };

bool is_dtype(int32_t number) noexcept;  // one of the 15, not DEFAULT
Kind kind_of(Dtype dtype) noexcept;
size_t size_of(Dtype dtype) noexcept;  // bytes of an element
std::string_view name_of(Dtype dtype) noexcept;

constexpr bool is_integer(Kind kind) { return kind == Kind::SIGNED || kind == Kind::UNSIGNED; }
constexpr bool is_inexact(Kind kind) { return kind == Kind::REAL || kind == Kind::COMPLEX; }

// The type of the parts of a complex type; another type itself.
Dtype real_of(Dtype dtype) noexcept;
// The smallest complex type that holds a value of `dtype` as NumPy defines it: COMPLEX64 of
// float16.
Dtype complex_of(Dtype dtype) noexcept;
// The type in which functions such as sqrt compute a value of `dtype`: FLOAT16 of int8.
Dtype float_of(Dtype dtype) noexcept;

// The type that can hold the values of both, as numpy.promote_types.
Dtype promote(Dtype a, Dtype b) noexcept;

// Numbers without a type of their own: they take the type of the arrays in the same operation.
enum class Weak : uint8_t { BOOL, INT, REAL, COMPLEX };

// The defaults of weak numbers where no array decides.
struct Defaults {
  Dtype integer = Dtype::INT64;
  Dtype real = Dtype::FLOAT64;
};

// The type of `dtype` and a weak number together.
Dtype promote(Dtype dtype, Weak weak, const Defaults& defaults) noexcept;
// The type of a weak number alone.
Dtype dtype_of(Weak weak, const Defaults& defaults) noexcept;

// The common type of arrays and weak numbers. At least one of the spans is not empty.
Dtype result_dtype(std::span<const Dtype> dtypes, std::span<const Weak> weak,
                   const Defaults& defaults = {}) noexcept;

// The numbers are those of the parameter `casting` of cucore_array_can_cast.
enum class Casting : uint8_t { SAME_KIND = 0, NONE = 1, SAFE = 2, UNSAFE = 3 };
bool can_cast(Dtype from, Dtype to, Casting casting) noexcept;

}  // namespace cucore::array
