// SPDX-License-Identifier: Apache-2.0
// One row of the table of matrix instructions: its text, its operands and a reference.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ptx/matrix.hpp"

namespace cucore::cpu::matrix {

// Words of a block: word i of thread t is at i * threads + t.
using Words = std::vector<uint32_t>;
using Random = std::mt19937_64;

struct Case {
  std::string name;
  // The text uses %a0, %a1 ... as operands and %d0, %d1 ... as results of 32 bits. It can use
  // registers of 64 bits (%x0 to %x31) and of 32 bits (%t0 to %t7). Operands are also at address
  // `%in`, and in the shared variable `sh`; results are at address `%out`.
  std::string body;
  unsigned in = 0, out = 0;  // words per thread
  std::function<void(Random&, Words& in)> fill;
  std::function<void(const Words& in, Words& out)> reference;
  unsigned threads = 32;
  unsigned shared = 0;          // words per thread in `sh`; 0: all
  unsigned first_sm = 75;       // the first architecture with the instruction
  bool needs_variant = false;   // sm_90a
  bool writes_results = false;  // the body itself stores them to %out
};

using Table = std::vector<Case>;

void add_moves(Table& table);
void add_products(Table& table);
void add_sparse_products(Table& table);
void add_fragments(Table& table);
void add_warpgroup_products(Table& table);

inline Table make_table() {
  Table table;
  add_moves(table);
  add_products(table);
  add_sparse_products(table);
  add_fragments(table);
  add_warpgroup_products(table);
  return table;
}

// "{%a0, %a1}"
inline std::string registers(char letter, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + (letter + std::to_string(first + i));
  return text + "}";
}

}  // namespace cucore::cpu::matrix
