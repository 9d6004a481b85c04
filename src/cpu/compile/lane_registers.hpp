// SPDX-License-Identifier: Apache-2.0
// Holds PTX registers of half a warp in vector and mask registers while a segment is compiled.
#pragma once

#include <array>
#include <unordered_set>
#include <vector>

#include "cpu/compile/assembler.hpp"
#include "cpu/exec/operands.hpp"

namespace cucore::cpu {

// Registers with a fixed use. Two are temporary values of one instruction.
inline constexpr int LANE_INDEXES = 27;  // and 28, in a segment with loads
inline constexpr int TEMPORARY = 29, TEMPORARY_2 = 30, NAN_REGISTER = 31;
inline constexpr int MASK_TEMPORARY = 0, MASK_TEMPORARY_2 = 1, ACTIVE_HIGH = 6, ACTIVE = 7;

// A value in registers: one vector of 32-bit elements, two of 64-bit elements, or a mask.
enum class ValueKind : uint8_t { WORDS, WIDE, MASK };

struct Value {
  Slot slot = NO_SLOT;
  ValueKind kind = ValueKind::WORDS;
  std::array<int, 2> registers{};
  bool is_changed = false;  // memory has an older value
  bool is_raw = false;      // NaN results are not yet the canonical NaN
  uint32_t used = 0;        // time of the last use
};

// How the code of one half writes lanes: all of them, or those of the active mask.
struct WarpHalf {
  int number = 0;
  bool masked = false;
};

class LaneRegisters {
 public:
  LaneRegisters(Assembler& code, const std::unordered_set<Slot>& local)
      : code_(code), local_(local) {}

  // Forgets all values, and begins the code of one half.
  void begin(WarpHalf half);
  // Begins an instruction: its operands stay in registers until the next one begins.
  void next() { ++time_; }
  // Returns the value of a slot in registers. Only `raw` readers accept NaN that are not canonical.
  const Value& read(Slot slot, ValueKind kind, bool raw = false);
  // Returns registers for a new value of the slot. A later assign() gives them to the slot.
  Value make(Slot slot, ValueKind kind);
  void assign(Value value, bool raw);
  // Writes all values that others may read.
  void flush();
  // Returns the place of a slot's lanes in this half.
  MemoryAt place(Slot slot, ValueKind kind) const;

 private:
  Value* find(Slot slot);
  void load(const Value& v);
  void canonicalise(Value& v);
  void write(Value& v);
  void write_vector(const Value& v);
  void write_mask(const Value& v);
  void evict(size_t index);
  int take(bool mask);
  void release(const Value& v);

  Assembler& code_;
  const std::unordered_set<Slot>& local_;  // not read outside of the segment
  WarpHalf half_;
  std::vector<Value> values_;
  std::vector<int> vectors_, masks_;  // free
  uint32_t time_ = 0;
};

}  // namespace cucore::cpu
