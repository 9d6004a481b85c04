// SPDX-License-Identifier: Apache-2.0
#include "array/model/dtype.hpp"

#include <algorithm>
#include <array>

namespace cucore::array {
namespace {

struct Row {
  std::string_view name;
  Kind kind;
  uint8_t size;
  Dtype floating;  // see float_of
};

using enum Dtype;

constexpr std::array<Row, DTYPE_COUNT> ROWS = {{
    {"default", Kind::BOOL, 0, DEFAULT},
    {"bool", Kind::BOOL, 1, FLOAT16},
    {"int8", Kind::SIGNED, 1, FLOAT16},
    {"int16", Kind::SIGNED, 2, FLOAT32},
    {"int32", Kind::SIGNED, 4, FLOAT64},
    {"int64", Kind::SIGNED, 8, FLOAT64},
    {"uint8", Kind::UNSIGNED, 1, FLOAT16},
    {"uint16", Kind::UNSIGNED, 2, FLOAT32},
    {"uint32", Kind::UNSIGNED, 4, FLOAT64},
    {"uint64", Kind::UNSIGNED, 8, FLOAT64},
    {"float16", Kind::REAL, 2, FLOAT16},
    {"bfloat16", Kind::REAL, 2, BFLOAT16},
    {"float32", Kind::REAL, 4, FLOAT32},
    {"float64", Kind::REAL, 8, FLOAT64},
    {"complex64", Kind::COMPLEX, 8, COMPLEX64},
    {"complex128", Kind::COMPLEX, 16, COMPLEX128},
}};

const Row& row(Dtype dtype) noexcept { return ROWS[static_cast<size_t>(dtype)]; }

Dtype of_size(Kind kind, size_t size) noexcept {
  for (size_t at = 1; at < DTYPE_COUNT; ++at)
    if (ROWS[at].kind == kind && ROWS[at].size == size) return Dtype(at);
  return FLOAT64;  // no integer holds both uint64 and a signed type
}

// The kind without the difference of signed and unsigned.
Kind class_of(Dtype dtype) noexcept {
  return kind_of(dtype) == Kind::UNSIGNED ? Kind::SIGNED : kind_of(dtype);
}

Dtype promote_integers(Dtype a, Dtype b) noexcept {
  if (kind_of(a) == kind_of(b)) return size_of(a) >= size_of(b) ? a : b;
  const Dtype with_sign = kind_of(a) == Kind::SIGNED ? a : b;
  const Dtype without = kind_of(a) == Kind::SIGNED ? b : a;
  if (size_of(with_sign) > size_of(without)) return with_sign;
  return of_size(Kind::SIGNED, size_of(without) * 2);
}

// The float that holds an integer, together with a float of that type: both 16-bit floats hold 8
// bits.
Dtype float_beside(Dtype dtype, Dtype other) noexcept {
  if (kind_of(dtype) == Kind::REAL) return dtype;
  return float_of(dtype) == FLOAT16 ? other : float_of(dtype);
}

Dtype promote_floats(Dtype a, Dtype b) noexcept {
  const Dtype x = float_beside(a, b), y = float_beside(b, a);
  if (x == y) return x;
  if (size_of(x) == size_of(y)) return FLOAT32;  // float16 and bfloat16
  return size_of(x) > size_of(y) ? x : y;
}

}  // namespace

bool is_dtype(int32_t number) noexcept { return number > 0 && size_t(number) < DTYPE_COUNT; }
Kind kind_of(Dtype dtype) noexcept { return row(dtype).kind; }
size_t size_of(Dtype dtype) noexcept { return row(dtype).size; }
std::string_view name_of(Dtype dtype) noexcept { return row(dtype).name; }
Dtype float_of(Dtype dtype) noexcept { return row(dtype).floating; }

Dtype real_of(Dtype dtype) noexcept {
  return dtype == COMPLEX64 ? FLOAT32 : dtype == COMPLEX128 ? FLOAT64 : dtype;
}
Dtype complex_of(Dtype dtype) noexcept {
  if (kind_of(dtype) == Kind::COMPLEX) return dtype;
  return float_of(dtype) == FLOAT64 ? COMPLEX128 : COMPLEX64;
}

Dtype promote(Dtype a, Dtype b) noexcept {
  if (a == b || b == BOOL) return a;
  if (a == BOOL) return b;
  if (kind_of(a) == Kind::COMPLEX || kind_of(b) == Kind::COMPLEX)
    return std::max(complex_of(a), complex_of(b));
  if (kind_of(a) == Kind::REAL || kind_of(b) == Kind::REAL) return promote_floats(a, b);
  return promote_integers(a, b);
}

Dtype dtype_of(Weak weak, const Defaults& defaults) noexcept {
  switch (weak) {
    case Weak::BOOL:
      return BOOL;
    case Weak::INT:
      return defaults.integer;
    case Weak::REAL:
      return defaults.real;
    case Weak::COMPLEX:
      return complex_of(defaults.real);
  }
  return BOOL;
}

Dtype promote(Dtype dtype, Weak weak, const Defaults& defaults) noexcept {
  const Kind kind = kind_of(dtype);
  switch (weak) {
    case Weak::BOOL:
      return dtype;
    case Weak::INT:
      return kind == Kind::BOOL ? defaults.integer : dtype;
    case Weak::REAL:
      return is_inexact(kind) ? dtype : defaults.real;
    case Weak::COMPLEX:
      return is_inexact(kind) ? complex_of(dtype) : complex_of(defaults.real);
  }
  return dtype;
}

Dtype result_dtype(std::span<const Dtype> dtypes, std::span<const Weak> weak,
                   const Defaults& defaults) noexcept {
  if (dtypes.empty()) return dtype_of(*std::max_element(weak.begin(), weak.end()), defaults);
  const auto is_first = [&](Dtype dtype) { return dtype == dtypes[0]; };
  if (weak.empty() && std::all_of(dtypes.begin(), dtypes.end(), is_first)) return dtypes[0];
  // Floats come before integers, so that int16, uint16 and float32 are float32 and not float64.
  Dtype result = DEFAULT;
  for (const Kind kind : {Kind::COMPLEX, Kind::REAL, Kind::SIGNED, Kind::BOOL})
    for (const Dtype dtype : dtypes)
      if (class_of(dtype) == kind) result = result == DEFAULT ? dtype : promote(result, dtype);
  // The strongest weak number decides: bool, int and real are below it.
  if (!weak.empty())
    result = promote(result, *std::max_element(weak.begin(), weak.end()), defaults);
  return result;
}

bool can_cast(Dtype from, Dtype to, Casting casting) noexcept {
  if (from == to || casting == Casting::UNSAFE) return true;
  if (casting == Casting::NONE) return false;
  if (promote(from, to) == to) return true;
  if (casting == Casting::SAFE) return false;
  const auto level = [](Dtype dtype) {  // same_kind also permits unsigned to signed
    const Kind kind = kind_of(dtype);
    return kind == Kind::UNSIGNED ? 1
           : kind == Kind::SIGNED ? 2
           : kind == Kind::BOOL   ? 0
                                  : int(kind);
  };
  return level(from) <= level(to);
}

}  // namespace cucore::array
