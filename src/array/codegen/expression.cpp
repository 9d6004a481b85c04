// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/expression.hpp"

#include <array>

#include "support/concat.hpp"

namespace cucore::array {
namespace {

struct Spelling {
  std::string_view name, narrow, wide;  // of float32 and 32-bit integers; of 64-bit types
};

// Functions whose names do not follow the pattern sinf and sin.
constexpr Spelling SPELLINGS[] = {
    {"sqrt_rn", "__fsqrt_rn", "__dsqrt_rn"}, {"div_rn", "__fdiv_rn", "__ddiv_rn"},
    {"popc", "__popc", "__popcll"},          {"isinf", "isinf", "isinf"},
    {"isfinite", "isfinite", "isfinite"},    {"signbit", "signbit", "signbit"},
};

bool is_wide(Dtype dtype) { return size_of(real_of(dtype)) == 8; }

std::string spelled(std::string_view name, Dtype dtype) {
  for (const Spelling& row : SPELLINGS)
    if (row.name == name) return std::string(is_wide(dtype) ? row.wide : row.narrow);
  return is_wide(dtype) ? std::string(name) : concat(name, "f");
}

}  // namespace

std::string_view compute_type(Dtype dtype) noexcept {
  static constexpr std::array<std::string_view, DTYPE_COUNT> NAMES = {
      "",    "bool", "i8",  "i16", "i32", "i64", "u8",  "u16",
      "u32", "u64",  "f32", "f32", "f32", "f64", "c64", "c128"};
  return NAMES[static_cast<size_t>(dtype)];
}

std::string expression_text(const Op& op, ExpressionClass expression_class, Dtype dtype) {
  const std::string_view text = op.expressions[static_cast<size_t>(expression_class)];
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find('{', at);
    result += text.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const size_t close = text.find('}', open);
    result += spelled(text.substr(open + 1, close - open - 1), dtype);
    at = close + 1;
  }
  return result;
}

}  // namespace cucore::array
