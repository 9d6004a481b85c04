// SPDX-License-Identifier: Apache-2.0
// One row of the conformance table: a PTX form, its operands and the expected results.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cucore::cpu::ops {

// The kind of an operand selects its edge values and the width of its register.
enum class Kind : uint8_t {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  shift,   // 32 bits: shift amounts, positions, lengths
  pred,    // 0 or 1 in 32 bits
  few32,   // 32 bits, few values: for operands that only need to vary
  lane32,  // 32 bits that differ between neighbouring threads
  lane64,
  unit,  // f32 in the usual range of .approx functions
  unit64,
  tiny,    // f32 whose products and quotients are next to the least normal number
  tiny64,  // f64 next to the least normal f32
  nan16,   // NaN of every kind, for f16 and bf16
  nan32,
  nan64,
};

inline constexpr size_t MAX_VALUES = 6;
inline constexpr unsigned WARP = 32;

using Values = std::array<uint64_t, MAX_VALUES>;

// Results of one thread from its operands.
using Reference = std::function<void(const Values& in, Values& out)>;
// Results of the 32 threads of a warp, for instructions between them.
using WarpReference = std::function<void(const Values* in, Values* out)>;

// The allowed difference between a result and the reference.
enum class Compare : uint8_t {
  exact,   // bit for bit
  approx,  // within the bound, see Case::relative and absolute
};

struct Case {
  std::string name;  // the instruction's dotted name, with a note if one form has several rows
  std::string body;  // text with $0.. for operands, $d0.. for results, $m and $s for scratch memory
  std::vector<Kind> in;
  std::vector<Kind> out;
  Reference reference = {};
  WarpReference warp_reference = {};
  Compare compare = Compare::exact;
  double relative = 0, absolute = 0;  // bounds of .approx; one of them is sufficient
  unsigned min_target = 70;
  std::string globals = {};  // module-scope declarations that the row needs; names end with $n
};

class Table {
 public:
  Case& add(Case row) {
    rows_.push_back(std::move(row));
    return rows_.back();
  }
  const std::vector<Case>& rows() const { return rows_; }

 private:
  std::vector<Case> rows_;
};

// Returns the edge values of a kind; fewer for forms with many operands.
std::vector<uint64_t> edges(Kind kind, size_t operands);
// Returns all combinations for a row, in the order of threads, padded to whole warps.
std::vector<Values> operands_of(const Case& row);

unsigned bytes_of(Kind kind);
const char* register_type(Kind kind);  // "b32"

void add_integer_cases(Table& table);
void add_bit_cases(Table& table);
void add_video_cases(Table& table);
void add_real_cases(Table& table);
void add_float_pair_cases(Table& table);
void add_half_cases(Table& table);
void add_compare_cases(Table& table);
void add_convert_cases(Table& table);
void add_stochastic_cases(Table& table);
void add_approx_cases(Table& table);
void add_move_cases(Table& table);
void add_memory_cases(Table& table);
void add_atomic_cases(Table& table);
void add_warp_cases(Table& table);
// Repeats present rows with other operands; must be the last call.
void add_corner_cases(Table& table);

Table make_table();

}  // namespace cucore::cpu::ops
