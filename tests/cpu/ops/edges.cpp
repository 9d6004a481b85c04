// SPDX-License-Identifier: Apache-2.0
// Operand values: the limits of every type, and a few ordinary ones.
#include <algorithm>
#include <bit>
#include <limits>

#include "case.hpp"

namespace cucore::cpu::ops {
namespace {

template <typename T>
std::vector<uint64_t> integers() {
  using L = std::numeric_limits<T>;
  using U = std::make_unsigned_t<T>;
  std::vector<uint64_t> all;
  for (T value : {T(0), T(1), T(2), T(7), L::max(), L::min(), T(L::max() - 1), T(L::min() + 1),
                  T(-1), T(-2), T(0x5A), T(100)})
    all.push_back(U(value));
  all.push_back(U(0x0123456789ABCDEFull >> (64 - 8 * sizeof(T))));
  all.push_back(U(0xAAAAAAAAAAAAAAAAull));
  return all;
}

std::vector<uint64_t> singles() {
  std::vector<uint64_t> all;
  for (float value :
       {0.0f, -0.0f, 1.0f, -1.0f, 1.5f, 0.5f, 3.0f, 0x1p-126f, 0x1p-149f, -0x1p-127f,
        0x1.fffffep127f, -0x1.fffffep127f, 1.0f / 3, -1234.5678f, 2147483648.0f, 0x1.000002p0f})
    all.push_back(std::bit_cast<uint32_t>(value));
  for (uint32_t bits : {0x7F800000u, 0xFF800000u, 0x7FC00000u, 0xFFC01234u}) all.push_back(bits);
  return all;
}

std::vector<uint64_t> doubles() {
  std::vector<uint64_t> all;
  for (double value : {0.0, -0.0, 1.0, -1.0, 1.5, 0.5, 3.0, 0x1p-1022, 0x1p-1074, -0x1p-1023,
                       0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 1.0 / 3, -1234.5678, 0x1p63,
                       0x1.0000000000001p0})
    all.push_back(std::bit_cast<uint64_t>(value));
  for (uint64_t bits : {0x7FF0000000000000u, 0xFFF0000000000000u, 0x7FF8000000000000u})
    all.push_back(bits);
  return all;
}

// f16: 0, -0, 1, -1, 1.5, 1/3, 2, smallest subnormal, largest subnormal, smallest normal, largest,
// infinities, NaN.
std::vector<uint64_t> halves() {
  return {0x0000, 0x8000, 0x3C00, 0xBC00, 0x3E00, 0x3555, 0x4000, 0x0001,
          0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x6400};
}

std::vector<uint64_t> brains() {
  return {0x0000, 0x8000, 0x3F80, 0xBF80, 0x3FC0, 0x3EAB, 0x4000, 0x0001,
          0x807F, 0x0080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x4380};
}

std::vector<uint64_t> pairs(const std::vector<uint64_t>& single) {
  std::vector<uint64_t> all;
  for (size_t i = 0; i < single.size(); ++i)
    all.push_back(single[i] | single[(i * 5 + 3) % single.size()] << 16);
  return all;
}

// Common arguments of .approx: some decades, around 1 and pi, and the special values.
std::vector<uint64_t> units() {
  std::vector<uint64_t> all = singles();
  for (float value = 0x1p-20f; value < 0x1p21f; value *= 2.7f) {
    all.push_back(std::bit_cast<uint32_t>(value));
    all.push_back(std::bit_cast<uint32_t>(-value));
  }
  for (int i = -32; i <= 32; ++i) all.push_back(std::bit_cast<uint32_t>(float(i) * 0.0981747704f));
  for (float value : {0.99999994f, 1.0000001f, 126.0f, 127.5f, 128.0f, -126.5f, -149.0f, -150.5f})
    all.push_back(std::bit_cast<uint32_t>(value));
  return all;
}

std::vector<uint64_t> units64() {
  std::vector<uint64_t> all = doubles();
  for (double value = 0x1p-900; value < 0x1p900; value *= 0x1.7p60)
    for (double sign : {1.0, -1.0}) all.push_back(std::bit_cast<uint64_t>(sign * value));
  return all;
}

// Around the least normal f32, and the limits at which f32 rounds to it or to a subnormal.
std::vector<uint64_t> tiny_doubles() {
  std::vector<uint64_t> all;
  for (double factor :
       {1.0, 1 - 0x1p-23, 1 - 0x1p-24, 1 - 0x1.8p-25, 1 - 0x1p-25, 1 - 0x1.00001p-25,
        1 - 0x1.ffffep-26, 1 - 0x1p-30, 0x1p-23, 0x1p-24, 0x1.8p-24, 0x1p-25})
    for (double sign : {1.0, -1.0})
      all.push_back(std::bit_cast<uint64_t>(sign * factor * 0x1p-126));
  return all;
}

std::vector<uint64_t> every(Kind kind) {
  switch (kind) {
    case Kind::u8:
      return integers<uint8_t>();
    case Kind::s8:
      return integers<int8_t>();
    case Kind::u16:
      return integers<uint16_t>();
    case Kind::s16:
      return integers<int16_t>();
    case Kind::u32:
      return integers<uint32_t>();
    case Kind::s32:
      return integers<int32_t>();
    case Kind::u64:
      return integers<uint64_t>();
    case Kind::s64:
      return integers<int64_t>();
    case Kind::f16:
      return halves();
    case Kind::f16x2:
      return pairs(halves());
    case Kind::bf16:
      return brains();
    case Kind::bf16x2:
      return pairs(brains());
    case Kind::f32:
      return singles();
    case Kind::f64:
      return doubles();
    case Kind::shift:
      return {0, 1, 5, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x80000001, UINT32_MAX};
    case Kind::pred:
      return {0, 1};
    case Kind::few32:
      return {0, 1, 0x89ABCDEF, UINT32_MAX};
    case Kind::unit:
      return units();
    case Kind::unit64:
      return units64();
    case Kind::tiny:
      return {0x00800000, 0x00800001, 0x00FFFFFE, 0x00FFFFFF, 0x3F7FFFFE, 0x3F7FFFFF,
              0x3F800001, 0x3F000000, 0x3F000001, 0x40000000, 0x80800000, 0x807FFFFF,
              0xBF7FFFFF, 0x7E7FFFFF, 0x7E800001, 0x00000000};
    case Kind::tiny64:
      return tiny_doubles();
    case Kind::nan16:
      return {0x7C01, 0x7E00, 0x7E2A, 0x7F81, 0x7FC0, 0x7FFF, 0xFD55, 0xFE00, 0xFF81, 0xFFC1};
    case Kind::nan32:
      return {0x3F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0xFFA00000, 0xFFC01234, 0x80000000};
    case Kind::nan64:
      return {0x3FF0000000000000, 0x7FF0000000000001, 0x7FF8000000000000, 0xFFF8000000001234,
              0x7FF7FFFFE0000000, 0xFFF0002000000000, 0x8000000000000000};
    case Kind::lane32:
    case Kind::lane64:
      break;
  }
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 64; ++i) {
    uint64_t mixed = (i / 3 + 1) * 0x9E3779B97F4A7C15ull;
    all.push_back(kind == Kind::lane64 ? mixed : mixed >> 32);
  }
  return all;
}

bool is_double_nan(uint64_t bits) { return (bits & INT64_MAX) > 0x7FF0000000000000; }

}  // namespace

std::vector<uint64_t> edges(Kind kind, size_t operands) {
  std::vector<uint64_t> all = every(kind);
  bool is_small = kind == Kind::pred || kind == Kind::few32 || kind >= Kind::tiny;
  if (operands < 3 || is_small) return all;
  // Three and more operands use every second value, so that the products stay small.
  std::vector<uint64_t> some;
  size_t step = operands == 3 ? 2 : 4;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  if (operands == 3) some.push_back(all.back());
  return some;
}

std::vector<Values> operands_of(const Case& row) {
  std::vector<Values> all(1, Values{});
  bool lanes = !row.in.empty() && (row.in[0] == Kind::lane32 || row.in[0] == Kind::lane64);
  for (size_t operand = 0; operand < row.in.size(); ++operand) {
    std::vector<uint64_t> values = edges(row.in[operand], lanes ? 2 : row.in.size());
    std::vector<Values> longer;
    // The first operand varies fastest, so that neighbouring lanes differ in it.
    for (uint64_t value : values)
      for (Values one : all) {
        one[operand] = value;
        longer.push_back(one);
      }
    all = std::move(longer);
  }
  // The result of two NaN operands in f64 depends on the order in which the compiler passes them.
  // PTX does not specify it.
  if (std::ranges::count(row.in, Kind::nan64) > 1)
    std::erase_if(all, [&](const Values& one) {
      return std::count_if(one.begin(), one.begin() + static_cast<long>(row.in.size()),
                           is_double_nan) > 1;
    });
  while (all.size() % WARP != 0) all.push_back(all[all.size() % 7 % all.size()]);
  return all;
}

unsigned bytes_of(Kind kind) {
  switch (kind) {
    case Kind::u16:
    case Kind::s16:
    case Kind::f16:
    case Kind::bf16:
    case Kind::nan16:
      return 2;
    case Kind::tiny64:
    case Kind::nan64:
    case Kind::u64:
    case Kind::s64:
    case Kind::f64:
    case Kind::lane64:
    case Kind::unit64:
      return 8;
    default:
      return 4;
  }
}

const char* register_type(Kind kind) {
  switch (bytes_of(kind)) {
    case 2:
      return "b16";
    case 8:
      return "b64";
    default:
      return "b32";
  }
}

Table make_table() {
  Table table;
  add_integer_cases(table);
  add_bit_cases(table);
  add_video_cases(table);
  add_real_cases(table);
  add_half_cases(table);
  add_float_pair_cases(table);
  add_compare_cases(table);
  add_convert_cases(table);
  add_stochastic_cases(table);
  add_approx_cases(table);
  add_move_cases(table);
  add_memory_cases(table);
  add_atomic_cases(table);
  add_warp_cases(table);
  add_corner_cases(table);
  return table;
}

}  // namespace cucore::cpu::ops
