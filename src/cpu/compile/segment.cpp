// SPDX-License-Identifier: Apache-2.0
// The code of a segment: for a warp with all lanes, and for one with a part of them. In both, the
// first 16 lanes execute all instructions, and then the other 16.
#include "cpu/compile/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/compile/lane_registers.hpp"

namespace cucore::cpu {
namespace {

using namespace x86;
using enum Regular;

constexpr uint8_t POINTERS[MAX_ADDRESSES] = {R11, R9};
constexpr uint32_t ONE = 0x3f800000, CANONICAL_NAN = 0x7fffffff;
constexpr uint8_t NOT_A = 0x0f, A_EQUALS_C = 0xa5;  // tables of TERNARY_LOGIC
constexpr uint8_t RANGE_MIN = 4, RANGE_MAX = 5;     // with the sign of the result

class Compiler {
 public:
  Compiler(Assembler& code, std::span<const SegmentOp> ops, const std::unordered_set<Slot>& local)
      : code_(code), ops_(ops), values_(code, local) {}
  Detour run();

 private:
  // A register with addresses in shared memory, and the bounds of its accesses.
  struct Address {
    Slot slot = NO_SLOT;
    int32_t lowest = 0;  // offset, at most 0
    int32_t reach = 0;   // end of the farthest access
    uint32_t align = 4;
  };

  void find_addresses();
  void check_address(const Address& address, int half);
  void detour_if(Condition condition) { detours_.push_back(code_.jump_if(condition)); }
  void detour_if_any(int mask) {
    code_.mask(MASK_TEST, false, false, mask, 0, mask);
    detour_if(NOT_EQUAL);
  }
  void set_constant(int vector, uint32_t value) {
    code_.load_constant(R10, value);
    code_.vector(BROADCAST_GPR, false, vector, 0, int(R10));
  }
  void point_at(size_t address, int half);
  void shared_load(const SegmentOp& s);
  bool uses_nan() const;
  void load_bases();
  void masked_code();
  Detour detour();
  void half(WarpHalf half);
  void compile(const SegmentOp& s);
  bool compile_real(const SegmentOp& s);
  bool compile_mask(const SegmentOp& s);

  void arithmetic(const SegmentOp& s, int to, int a, int b);
  void binary(const SegmentOp& s);
  void multiply(const SegmentOp& s);
  void wide_product(const SegmentOp& s, const Value& d, const Value& a, const Value& b);
  void shift_wide(const SegmentOp& s);
  void ternary(const SegmentOp& s, int operands, uint8_t table);
  void copy(const SegmentOp& s);
  void extend(const SegmentOp& s);
  void narrow(const SegmentOp& s);
  void parameter(const SegmentOp& s);
  void select(const SegmentOp& s);
  void fused(const SegmentOp& s);
  void extreme(const SegmentOp& s, uint8_t which);
  void with_nan_register(const SegmentOp& s);
  void root(const SegmentOp& s);
  void reciprocal(const SegmentOp& s);
  void to_real(const SegmentOp& s);
  void compare(const SegmentOp& s);
  void mask_binary(const SegmentOp& s);

  static ValueKind kind(bool wide) { return wide ? ValueKind::WIDE : ValueKind::WORDS; }
  // Copies: a later read may move the values of the table.
  Value read(const SegmentOp& s, Regular operand, ValueKind kind) {
    return values_.read((*s.op)[operand], kind, s.lane.real);
  }
  Value make(const SegmentOp& s, ValueKind kind) { return values_.make((*s.op)[RESULT], kind); }
  void extend_half(bool is_signed, int to, int from, int half);

  Assembler& code_;
  std::span<const SegmentOp> ops_;
  LaneRegisters values_;
  std::vector<Address> addresses_;
  std::vector<size_t> detours_;
};

Detour Compiler::run() {
  find_addresses();
  load_bases();
  code_.compare_word_with_ones({RDI, int(offsetof(Warp, mask))});
  const size_t partial = code_.jump_if(NOT_EQUAL);
  for (const Address& address : addresses_)
    for (int n = 0; n < 2; ++n) check_address(address, n);
  if (uses_nan()) set_constant(NAN_REGISTER, CANONICAL_NAN);
  for (int n = 0; n < 2; ++n) {
    for (size_t k = 0; k < addresses_.size(); ++k) point_at(k, n);
    half({n, false});
  }
  code_.leave();
  code_.target(partial);
  if (!addresses_.empty()) return detour();
  masked_code();
  return {};
}

bool Compiler::uses_nan() const {
  return std::any_of(ops_.begin(), ops_.end(), [](const SegmentOp& s) { return s.lane.real; });
}

void Compiler::load_bases() {
  constexpr int BASES = int(offsetof(Warp, bases));
  constexpr int POINTER = sizeof(void*);
  constexpr Gpr REGISTERS[] = {RAX, RCX, RDX, R8};  // by SlotBase
  bool uses[std::size(REGISTERS)] = {}, uses_parameters = false;
  for (const SegmentOp& s : ops_) {
    for (const Slot slot : s.op->slots)
      if (slot != NO_SLOT) uses[slot & 3] = true;
    uses_parameters |= s.lane.shape == Shape::PARAMETER;
  }
  for (size_t base = 0; base < std::size(REGISTERS); ++base)
    if (uses[base]) code_.load_pointer(REGISTERS[base], {RDI, BASES + POINTER * int(base)});
  if (uses_parameters) code_.load_pointer(R9, {RDI, int(offsetof(Warp, params))});
}

void Compiler::masked_code() {
  if (uses_nan()) set_constant(NAN_REGISTER, CANONICAL_NAN);
  code_.load_word(R10, {RDI, int(offsetof(Warp, mask))});
  for (int n = 0; n < 2; ++n) {
    code_.mask(MASK_FROM_GPR, false, false, ACTIVE, 0, int(R10));
    code_.mask(MASK_SHIFT, false, true, ACTIVE_HIGH, 0, ACTIVE);
    code_.immediate(8);
    half({n, true});
    if (n == 0) code_.shift_right_16(R10);
  }
  code_.leave();
}

Detour Compiler::detour() {
  for (size_t jump : detours_) code_.target(jump);
  const auto [argument, function] = code_.jump_to_function();
  return {true, argument, function};
}

// ---- loads of shared memory

void Compiler::find_addresses() {
  for (const SegmentOp& s : ops_) {
    if (s.lane.shape != Shape::SHARED_LOAD) continue;
    const Slot slot = (*s.op)[LoadStore::ADDRESS];
    auto found = std::find_if(addresses_.begin(), addresses_.end(),
                              [&](const Address& a) { return a.slot == slot; });
    if (found == addresses_.end()) found = addresses_.insert(found, Address{slot});
    const auto offset = int32_t(s.op->imm);
    const uint32_t bytes = 4u * s.lane.count;
    found->lowest = std::min(found->lowest, offset);
    found->reach = std::max(found->reach, offset + int32_t(bytes));
    found->align = std::max(found->align, bytes);
  }
}

// Takes the detour unless the addresses of the half are aligned and have their accesses inside of
// the memory. They also lie in the 64 bytes from the first one on.
void Compiler::check_address(const Address& address, int half) {
  const MemoryAt lanes = {RAX, int32_t(address.slot) + half * 64};
  constexpr int LANES_REGISTER = NAN_REGISTER;
  code_.vector(LOAD, false, LANES_REGISTER, 0, lanes);
  code_.load_word(R10, {RDI, int(offsetof(Warp, shared_size))});  // at most 2^20 bytes
  code_.subtract_constant(R10, uint32_t(std::max(address.reach, 4)));
  detour_if(BELOW);
  code_.vector(BROADCAST_GPR, false, TEMPORARY, 0, int(R10));
  code_.vector(COMPARE_WORDS, false, MASK_TEMPORARY_2, LANES_REGISTER, TEMPORARY);
  code_.immediate(GREATER);
  detour_if_any(MASK_TEMPORARY_2);
  if (address.lowest < 0) {
    set_constant(TEMPORARY, uint32_t(-address.lowest));
    code_.vector(COMPARE_WORDS, false, MASK_TEMPORARY_2, LANES_REGISTER, TEMPORARY);
    code_.immediate(LESS);
    detour_if_any(MASK_TEMPORARY_2);
  }
  code_.load_word(R10, lanes);
  code_.vector(BROADCAST_GPR, false, TEMPORARY, 0, int(R10));
  code_.test_constant(R10, address.align - 1);
  detour_if(NOT_EQUAL);
  code_.vector(SUBTRACT, false, TEMPORARY, LANES_REGISTER, TEMPORARY);
  set_constant(TEMPORARY_2, ~(63 & ~(address.align - 1)));
  code_.vector(TEST_WORDS, false, MASK_TEMPORARY_2, TEMPORARY, TEMPORARY_2);
  detour_if_any(MASK_TEMPORARY_2);
}

// Sets the pointer to the first lane's address, and the indexes of the other lanes' words from it.
void Compiler::point_at(size_t address, int half) {
  const MemoryAt lanes = {RAX, int32_t(addresses_[address].slot) + half * 64};
  const int indexes = LANE_INDEXES + int(address);
  code_.load_word(R10, lanes);
  code_.vector(BROADCAST_GPR, false, TEMPORARY, 0, int(R10));
  code_.vector(LOAD, false, indexes, 0, lanes);
  code_.vector(SUBTRACT, false, indexes, indexes, TEMPORARY);
  code_.vector(SHIFT_IMMEDIATE, false, 2, indexes, indexes);  // right
  code_.immediate(2);
  code_.load_pointer(POINTERS[address], {RDI, int(offsetof(Warp, shared))});
  code_.add(POINTERS[address], R10);
}

// The memory behind shared memory is padded, so a load of 64 bytes may reach past its end.
void Compiler::shared_load(const SegmentOp& s) {
  const Slot slot = (*s.op)[LoadStore::ADDRESS];
  size_t k = 0;
  while (addresses_[k].slot != slot) ++k;
  for (size_t i = 0; i < s.lane.count; ++i) {
    const Value d = values_.make(s.op->at(LoadStore::VALUES, i), ValueKind::WORDS);
    code_.vector(PERMUTE, false, d.registers[0], LANE_INDEXES + int(k),
                 MemoryAt{POINTERS[k], int32_t(s.op->imm) + int32_t(4 * i)});
    values_.assign(d, false);
  }
}

void Compiler::half(WarpHalf half) {
  values_.begin(half);
  for (const SegmentOp& s : ops_) {
    values_.next();
    compile(s);
  }
  values_.next();
  values_.flush();
}

void Compiler::compile(const SegmentOp& s) {
  switch (s.lane.shape) {
    case Shape::BINARY:
      return binary(s);
    case Shape::MULTIPLY:
    case Shape::MULTIPLY_ADD:
      return multiply(s);
    case Shape::SHIFT_WIDE:
      return shift_wide(s);
    case Shape::COMPLEMENT:
      return ternary(s, 1, NOT_A);
    case Shape::LOGIC_3:
      return ternary(s, 3, uint8_t(s.op->imm));
    case Shape::COPY:
      return copy(s);
    case Shape::EXTEND:
      return extend(s);
    case Shape::NARROW:
      return narrow(s);
    case Shape::PARAMETER:
      return parameter(s);
    case Shape::SELECT:
      return select(s);
    case Shape::SHARED_LOAD:
      return shared_load(s);
    default:
      if (!compile_mask(s)) compile_real(s);
  }
}

bool Compiler::compile_mask(const SegmentOp& s) {
  switch (s.lane.shape) {
    case Shape::COMPARE:
      compare(s);
      return true;
    case Shape::MASK_BINARY:
    case Shape::MASK_COMPLEMENT:
    case Shape::COPY_MASK:
      mask_binary(s);
      return true;
    default:
      return false;
  }
}

bool Compiler::compile_real(const SegmentOp& s) {
  switch (s.lane.shape) {
    case Shape::REAL_BINARY:
      binary(s);
      return true;
    case Shape::REAL_FUSED:
      fused(s);
      return true;
    case Shape::REAL_MIN:
      extreme(s, RANGE_MIN);
      return true;
    case Shape::REAL_MAX:
      extreme(s, RANGE_MAX);
      return true;
    case Shape::REAL_NEGATE:
    case Shape::REAL_MAGNITUDE:
      with_nan_register(s);
      return true;
    case Shape::REAL_ROOT:
      root(s);
      return true;
    case Shape::REAL_RECIPROCAL:
    case Shape::REAL_RECIPROCAL_ROOT:
      reciprocal(s);
      return true;
    case Shape::TO_REAL:
      to_real(s);
      return true;
    default:
      return false;
  }
}

void Compiler::arithmetic(const SegmentOp& s, int to, int a, int b) {
  if (s.lane.rounding)
    code_.rounded(s.lane.encoding, s.lane.wide, to, a, b, s.lane.rounding);
  else
    code_.vector(s.lane.encoding, s.lane.wide, to, a, b);
}

// ---- integers and copies

void Compiler::binary(const SegmentOp& s) {
  const ValueKind k = kind(s.lane.wide);
  const Value a = read(s, FIRST, k), b = read(s, SECOND, k);
  const Value d = make(s, k);
  for (size_t i = 0; i < (s.lane.wide ? 2u : 1u); ++i)
    arithmetic(s, d.registers[i], a.registers[i], b.registers[i]);
  values_.assign(d, s.lane.real);
}

void Compiler::multiply(const SegmentOp& s) {
  const bool adds = s.lane.shape == Shape::MULTIPLY_ADD;
  const bool wide = s.lane.wide || s.lane.wide_product;
  const ValueKind k = kind(s.lane.wide);
  const Value a = read(s, FIRST, k), b = read(s, SECOND, k);
  const Value c = adds ? read(s, THIRD, kind(wide)) : Value{};
  const Value d = make(s, kind(wide));
  if (s.lane.wide_product) {
    wide_product(s, d, a, b);
  } else {
    for (size_t i = 0; i < (wide ? 2u : 1u); ++i)
      code_.vector(s.lane.encoding, wide, d.registers[i], a.registers[i], b.registers[i]);
  }
  for (size_t i = 0; adds && i < (wide ? 2u : 1u); ++i)
    code_.vector(wide ? ADD_WIDE : ADD, wide, d.registers[i], d.registers[i], c.registers[i]);
  values_.assign(d, false);
}

void Compiler::extend_half(bool is_signed, int to, int from, int half) {
  if (half) {
    code_.vector(EXTRACT_HALF, true, from, 0, to);
    code_.immediate(1);
    from = to;
  }
  code_.vector(is_signed ? EXTEND_SIGN : EXTEND_ZERO, false, to, 0, from);
}

void Compiler::wide_product(const SegmentOp& s, const Value& d, const Value& a, const Value& b) {
  const Encoding e = s.lane.is_signed ? MULTIPLY_SIGNED : MULTIPLY_UNSIGNED;
  for (int i = 0; i < 2; ++i) {
    extend_half(s.lane.is_signed, TEMPORARY, a.registers[0], i);
    extend_half(s.lane.is_signed, TEMPORARY_2, b.registers[0], i);
    code_.vector(e, true, d.registers[size_t(i)], TEMPORARY, TEMPORARY_2);
  }
}

void Compiler::shift_wide(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WIDE), n = read(s, SECOND, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WIDE);
  for (int i = 0; i < 2; ++i) {
    extend_half(false, TEMPORARY, n.registers[0], i);
    code_.vector(s.lane.encoding, true, d.registers[size_t(i)], a.registers[size_t(i)], TEMPORARY);
  }
  values_.assign(d, false);
}

// The first operand is also the destination.
void Compiler::ternary(const SegmentOp& s, int operands, uint8_t table) {
  const ValueKind k = kind(s.lane.wide);
  const Value a = read(s, FIRST, k);
  const Value b = operands == 3 ? read(s, SECOND, k) : a, c = operands == 3 ? read(s, THIRD, k) : a;
  const Value d = make(s, k);
  for (size_t i = 0; i < (s.lane.wide ? 2u : 1u); ++i) {
    code_.vector(MOVE, false, d.registers[i], 0, a.registers[i]);
    code_.vector(TERNARY_LOGIC, s.lane.wide, d.registers[i], b.registers[i], c.registers[i]);
    code_.immediate(table);
  }
  values_.assign(d, false);
}

void Compiler::copy(const SegmentOp& s) {
  const ValueKind k = kind(s.lane.wide);
  const Value a = values_.read((*s.op)[FIRST], k, true);
  const Value d = make(s, k);
  for (size_t i = 0; i < (s.lane.wide ? 2u : 1u); ++i)
    code_.vector(MOVE, false, d.registers[i], 0, a.registers[i]);
  values_.assign(d, a.is_raw);
}

void Compiler::extend(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WIDE);
  for (int i = 0; i < 2; ++i)
    extend_half(s.lane.is_signed, d.registers[size_t(i)], a.registers[0], i);
  values_.assign(d, false);
}

void Compiler::narrow(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WIDE);
  const Value d = make(s, ValueKind::WORDS);
  code_.vector(x86::NARROW, false, a.registers[0], 0, d.registers[0]);
  code_.vector(x86::NARROW, false, a.registers[1], 0, TEMPORARY);
  code_.vector(INSERT_HALF, true, d.registers[0], d.registers[0], TEMPORARY);
  code_.immediate(1);
  values_.assign(d, false);
}

void Compiler::parameter(const SegmentOp& s) {
  const MemoryAt p{R9, int32_t(s.op->imm)};
  const Value d = values_.make(s.op->at(LoadStore::VALUES, 0), kind(s.lane.wide));
  code_.vector(s.lane.wide ? BROADCAST_WIDE : BROADCAST, s.lane.wide, d.registers[0], 0, p);
  if (s.lane.wide) code_.vector(MOVE, false, d.registers[1], 0, d.registers[0]);
  values_.assign(d, false);
}

void Compiler::select(const SegmentOp& s) {
  const ValueKind k = kind(s.lane.wide);
  const Value a = read(s, FIRST, k), b = read(s, SECOND, k), p = read(s, THIRD, ValueKind::MASK);
  const Value d = make(s, k);
  int mask = p.registers[0];
  if (s.op->target & 1) {
    code_.mask(MASK_NOT, false, false, MASK_TEMPORARY_2, 0, mask);
    mask = MASK_TEMPORARY_2;
  }
  for (size_t i = 0; i < (s.lane.wide ? 2u : 1u); ++i) {
    if (i == 1) {
      code_.mask(MASK_SHIFT, false, true, MASK_TEMPORARY_2, 0, mask);
      code_.immediate(8);
      mask = MASK_TEMPORARY_2;
    }
    code_.vector(BLEND, s.lane.wide, d.registers[i], b.registers[i], a.registers[i], mask);
  }
  values_.assign(d, false);
}

// ---- floats

void Compiler::fused(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WORDS), b = read(s, SECOND, ValueKind::WORDS),
              c = read(s, THIRD, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WORDS);
  code_.vector(MOVE, false, d.registers[0], 0, c.registers[0]);
  arithmetic(s, d.registers[0], a.registers[0], b.registers[0]);
  values_.assign(d, true);
}

// A NaN is replaced by the other operand first, because the processor's instruction returns a
// signalling NaN.
void Compiler::extreme(const SegmentOp& s, uint8_t which) {
  const int a = read(s, FIRST, ValueKind::WORDS).registers[0],
            b = read(s, SECOND, ValueKind::WORDS).registers[0];
  const Value d = make(s, ValueKind::WORDS);
  code_.vector(COMPARE_REAL, false, MASK_TEMPORARY_2, a, a);
  code_.immediate(UNORDERED);
  code_.vector(BLEND, false, TEMPORARY, a, b, MASK_TEMPORARY_2);
  code_.vector(COMPARE_REAL, false, MASK_TEMPORARY_2, b, b);
  code_.immediate(UNORDERED);
  code_.vector(BLEND, false, TEMPORARY_2, b, a, MASK_TEMPORARY_2);
  code_.vector(s.lane.encoding, false, d.registers[0], TEMPORARY, TEMPORARY_2);
  code_.immediate(which);
  values_.assign(d, true);
}

// The canonical NaN has all bits but the sign.
void Compiler::with_nan_register(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WORDS);
  if (s.lane.shape == Shape::REAL_MAGNITUDE) {
    code_.vector(AND, false, d.registers[0], a.registers[0], NAN_REGISTER);
  } else {
    code_.vector(MOVE, false, d.registers[0], 0, a.registers[0]);
    code_.vector(TERNARY_LOGIC, false, d.registers[0], d.registers[0], NAN_REGISTER);
    code_.immediate(A_EQUALS_C);
  }
  values_.assign(d, true);
}

void Compiler::root(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WORDS);
  code_.vector(ROOT, false, d.registers[0], 0, a.registers[0]);
  values_.assign(d, true);
}

void Compiler::reciprocal(const SegmentOp& s) {
  int divisor = read(s, FIRST, ValueKind::WORDS).registers[0];
  const Value d = make(s, ValueKind::WORDS);
  if (s.lane.shape == Shape::REAL_RECIPROCAL_ROOT) {
    code_.vector(ROOT, false, TEMPORARY, 0, divisor);
    divisor = TEMPORARY;
  }
  code_.load_constant(RSI, ONE);
  code_.vector(BROADCAST_GPR, false, TEMPORARY_2, 0, int(RSI));
  code_.vector(DIVIDE, false, d.registers[0], TEMPORARY_2, divisor);
  values_.assign(d, true);
}

void Compiler::to_real(const SegmentOp& s) {
  const Value a = read(s, FIRST, ValueKind::WORDS);
  const Value d = make(s, ValueKind::WORDS);
  code_.vector(s.lane.encoding, false, d.registers[0], 0, a.registers[0]);
  values_.assign(d, false);
}

// ---- predicates

void Compiler::compare(const SegmentOp& s) {
  const ValueKind k = kind(s.lane.wide);
  const Value a = read(s, FIRST, k), b = read(s, SECOND, k);
  const Value d = make(s, ValueKind::MASK);
  const int parts[] = {s.lane.wide ? MASK_TEMPORARY : d.registers[0], MASK_TEMPORARY_2};
  for (size_t i = 0; i < (s.lane.wide ? 2u : 1u); ++i) {
    code_.vector(s.lane.encoding, s.lane.wide, parts[i], a.registers[i], b.registers[i]);
    code_.immediate(s.lane.condition);
  }
  if (s.lane.wide)
    code_.mask(JOIN_8, true, false, d.registers[0], MASK_TEMPORARY_2, MASK_TEMPORARY);
  values_.assign(d, false);
}

void Compiler::mask_binary(const SegmentOp& s) {
  const int a = read(s, FIRST, ValueKind::MASK).registers[0];
  const int b =
      s.lane.shape == Shape::MASK_BINARY ? read(s, SECOND, ValueKind::MASK).registers[0] : a;
  const Value d = make(s, ValueKind::MASK);
  if (s.lane.shape == Shape::MASK_BINARY)
    code_.mask(s.lane.encoding, true, false, d.registers[0], a, b);
  else
    code_.mask(s.lane.shape == Shape::COPY_MASK ? MASK_MOVE : MASK_NOT, false, false,
               d.registers[0], 0, a);
  values_.assign(d, false);
}

}  // namespace

Detour compile_segment(Assembler& code, std::span<const SegmentOp> ops,
                       const std::unordered_set<Slot>& local) {
  return Compiler(code, ops, local).run();
}

}  // namespace cucore::cpu
