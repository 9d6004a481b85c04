// SPDX-License-Identifier: Apache-2.0
// Encodes the x86-64 instructions that compiled segments consist of: 512-bit vectors, masks, and a
// few scalar instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cucore::cpu {

// An instruction without its operands.
struct Encoding {
  uint8_t map = 0;     // of opcodes; 1: 0F, 2: 0F 38, 3: 0F 3A
  uint8_t prefix = 0;  // 0: none, 1: 66, 2: F3, 3: F2
  uint8_t opcode = 0;
};

namespace x86 {
enum Gpr : uint8_t {
  RAX = 0,
  RCX = 1,
  RDX = 2,
  RSI = 6,
  RDI = 7,
  R8 = 8,
  R9 = 9,
  R10 = 10,
  R11 = 11
};
enum Condition : uint8_t { BELOW = 2, NOT_EQUAL = 5 };

inline constexpr Encoding LOAD{1, 2, 0x6f}, STORE{1, 2, 0x7f}, MOVE{1, 1, 0x6f};
inline constexpr Encoding BROADCAST{2, 1, 0x18}, BROADCAST_WIDE{2, 1, 0x19};
inline constexpr Encoding BROADCAST_GPR{2, 1, 0x7c};
inline constexpr Encoding TERNARY_LOGIC{3, 1, 0x25}, AND{1, 1, 0xdb};
inline constexpr Encoding ADD{1, 1, 0xfe}, ADD_WIDE{1, 1, 0xd4};
inline constexpr Encoding MULTIPLY_SIGNED{2, 1, 0x28}, MULTIPLY_UNSIGNED{1, 1, 0xf4};
inline constexpr Encoding EXTEND_SIGN{2, 1, 0x25}, EXTEND_ZERO{2, 1, 0x35};
inline constexpr Encoding NARROW{2, 2, 0x35};
inline constexpr Encoding EXTRACT_HALF{3, 1, 0x3b}, INSERT_HALF{3, 1, 0x3a};
inline constexpr Encoding SUBTRACT{1, 1, 0xfa}, PERMUTE{2, 1, 0x36}, SHIFT_IMMEDIATE{1, 1, 0x72};
inline constexpr Encoding COMPARE_WORDS{3, 1, 0x1e}, TEST_WORDS{2, 1, 0x27};
inline constexpr uint8_t LESS = 1, GREATER = 6;  // conditions of COMPARE_WORDS
inline constexpr Encoding BLEND{2, 1, 0x64};
inline constexpr Encoding COMPARE_REAL{1, 0, 0xc2};
inline constexpr uint8_t UNORDERED = 3;  // condition of COMPARE_REAL: one operand is a NaN
inline constexpr Encoding DIVIDE{1, 0, 0x5e}, ROOT{1, 0, 0x51}, RANGE{3, 1, 0x50};
inline constexpr Encoding FUSED{2, 1, 0xb8};

inline constexpr Encoding MASK_LOAD{1, 0, 0x90}, MASK_STORE{1, 0, 0x91};
inline constexpr Encoding MASK_STORE_32{1, 1, 0x91}, MASK_FROM_GPR{1, 0, 0x92};
inline constexpr Encoding MASK_MOVE{1, 0, 0x90}, MASK_NOT{1, 0, 0x44};
inline constexpr Encoding MASK_AND{1, 0, 0x41}, MASK_AND_NOT{1, 0, 0x42}, MASK_OR{1, 0, 0x45};
inline constexpr Encoding MASK_XOR{1, 0, 0x47}, MASK_TEST{1, 0, 0x98}, MASK_SHIFT{3, 1, 0x30};
inline constexpr Encoding JOIN_8{1, 1, 0x4b}, JOIN_16{1, 0, 0x4b};
}  // namespace x86

// A place in memory: a base register and an offset.
struct MemoryAt {
  uint8_t base = 0;
  int32_t offset = 0;
};

class Assembler {
 public:
  // Vector instructions: `to` is the first operand, `a` the second of three, `b` the last one.
  // `mask` limits the lanes that are written.
  void vector(Encoding e, bool wide, int to, int a, int b, int mask = 0) {
    evex(e, wide, to, a, (b & 16) == 0, (b & 8) == 0, LENGTH_512, mask);
    byte(uint8_t(0xc0 | (to & 7) << 3 | (b & 7)));
  }
  void vector(Encoding e, bool wide, int to, int a, MemoryAt b, int mask = 0) {
    evex(e, wide, to, a, true, b.base < 8, LENGTH_512, mask);
    address(to, b);
  }
  // A computation with floats under a rounding of its own: 1 down, 2 up, 3 to zero.
  void rounded(Encoding e, bool wide, int to, int a, int b, int rounding) {
    evex(e, wide, to, a, (b & 16) == 0, (b & 8) == 0, rounding << 5 | 0x10, 0);
    byte(uint8_t(0xc0 | (to & 7) << 3 | (b & 7)));
  }
  // Instructions between mask registers, general registers and memory. `l` is the bit of the
  // encoding that distinguishes those of three operands.
  void mask(Encoding e, bool l, bool wide, int to, int a, int b) {
    vex(e, l, wide, a, b < 8);
    byte(uint8_t(0xc0 | (to & 7) << 3 | (b & 7)));
  }
  void mask(Encoding e, bool wide, int to, MemoryAt b) {
    vex(e, false, wide, 0, b.base < 8);
    address(to, b);
  }

  // 64-bit and 32-bit loads of general registers.
  void load_pointer(int to, MemoryAt p) { load(true, to, p); }
  void load_word(int to, MemoryAt p) { load(false, to, p); }
  void load_constant(int to, uint32_t value) {
    if (to >= 8) byte(0x41);
    byte(uint8_t(0xb8 | (to & 7)));
    word(value);
  }
  void compare_word_with_ones(MemoryAt p) {
    if (p.base >= 8) byte(0x41);
    byte(0x83);
    address(7, p);
    byte(0xff);
  }
  void shift_right_16(int r) {
    if (r >= 8) byte(0x41);
    byte(0xc1);
    byte(uint8_t(0xe8 | (r & 7)));
    byte(16);
  }
  // Returns the position of the jump's distance, for target().
  size_t jump_if(x86::Condition condition) {
    byte(0x0f);
    byte(uint8_t(0x80 | condition));
    word(0);
    return code_.size() - 4;
  }
  void target(size_t jump) {
    const auto distance = uint32_t(code_.size() - jump - 4);
    for (int i = 0; i < 4; ++i) code_[jump + size_t(i)] = uint8_t(distance >> 8 * i);
  }
  void leave() {
    clear_upper_halves();
    byte(0xc3);
  }
  // Subtracts a constant from, or tests it with, the 32 bits of a register from R8 on.
  void subtract_constant(int r, uint32_t value) {
    with_constant(0x81, uint8_t(0xe8 | (r & 7)), value);
  }
  void test_constant(int r, uint32_t value) { with_constant(0xf7, uint8_t(0xc0 | (r & 7)), value); }
  // 64 bits, both from R8 on.
  void add(int to, int from) {
    byte(0x4d);
    byte(0x01);
    byte(uint8_t(0xc0 | (from & 7) << 3 | (to & 7)));
  }
  // Continues in a function with another second argument. Returns the positions of the 64-bit
  // constants of the argument and the function, for set_pointer().
  std::pair<size_t, size_t> jump_to_function() {
    clear_upper_halves();
    const size_t argument = load_pointer_constant(0x48, 0xbe);  // RSI
    const size_t function = load_pointer_constant(0x48, 0xb8);  // RAX
    byte(0xff);
    byte(0xe0);
    return {argument, function};
  }
  void set_pointer(size_t position, uintptr_t value) {
    for (size_t i = 0; i < 8; ++i) code_[position + i] = uint8_t(uint64_t{value} >> 8 * i);
  }
  void immediate(uint8_t value) { byte(value); }

  const std::vector<uint8_t>& code() const { return code_; }
  size_t size() const { return code_.size(); }

 private:
  static constexpr int LENGTH_512 = 0x40;

  void byte(uint8_t b) { code_.push_back(b); }
  void word(uint32_t v) {
    for (int i = 0; i < 4; ++i) byte(uint8_t(v >> 8 * i));
  }
  void clear_upper_halves() {  // vzeroupper
    for (uint8_t b : {0xc5, 0xf8, 0x77}) byte(b);
  }
  void with_constant(uint8_t opcode, uint8_t operand, uint32_t value) {
    byte(0x41);
    byte(opcode);
    byte(operand);
    word(value);
  }
  size_t load_pointer_constant(uint8_t prefix, uint8_t opcode) {
    byte(prefix);
    byte(opcode);
    word(0);
    word(0);
    return code_.size() - 8;
  }
  // A 32-bit offset from a base other than RSP and R12, which need another encoding.
  void address(int reg, MemoryAt p) {
    byte(uint8_t(0x80 | (reg & 7) << 3 | (p.base & 7)));
    word(uint32_t(p.offset));
  }
  void load(bool wide, int to, MemoryAt p) {
    byte(uint8_t(0x40 | (wide ? 8 : 0) | (to >= 8 ? 4 : 0) | (p.base >= 8 ? 1 : 0)));
    byte(0x8b);
    address(to, p);
  }
  void evex(Encoding e, bool wide, int to, int a, bool x, bool b, int length, int mask) {
    byte(0x62);
    byte(uint8_t((to & 8 ? 0 : 0x80) | (x ? 0x40 : 0) | (b ? 0x20 : 0) | (to & 16 ? 0 : 0x10) |
                 e.map));
    byte(uint8_t((wide ? 0x80 : 0) | (~a & 15) << 3 | 4 | e.prefix));
    byte(uint8_t(length | (a & 16 ? 0 : 8) | mask));
    byte(e.opcode);
  }
  void vex(Encoding e, bool l, bool wide, int a, bool b) {
    byte(0xc4);
    byte(uint8_t(0xc0 | (b ? 0x20 : 0) | e.map));
    byte(uint8_t((wide ? 0x80 : 0) | (~a & 15) << 3 | (l ? 4 : 0) | e.prefix));
    byte(e.opcode);
  }

  std::vector<uint8_t> code_;
};

}  // namespace cucore::cpu
