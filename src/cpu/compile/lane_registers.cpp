// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/lane_registers.hpp"

#include <algorithm>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

using namespace x86;

namespace {

constexpr int VECTORS = LANE_INDEXES;             // 0 to 26
constexpr int FIRST_MASK = 2, MASKS = 4;          // 2 to 5
constexpr uint8_t BASES[] = {RAX, RCX, RDX, R8};  // by SlotBase

int count_of(ValueKind kind) { return kind == ValueKind::WIDE ? 2 : 1; }

}  // namespace

void LaneRegisters::begin(WarpHalf half) {
  half_ = half;
  values_.clear();
  vectors_.clear();
  masks_.clear();
  for (int r = VECTORS; r-- > 0;) vectors_.push_back(r);
  for (int r = FIRST_MASK + MASKS; r-- > FIRST_MASK;) masks_.push_back(r);
}

MemoryAt LaneRegisters::place(Slot slot, ValueKind kind) const {
  const int bytes = kind == ValueKind::WORDS ? 64 : kind == ValueKind::WIDE ? 128 : 2;
  return {BASES[slot & 3], int32_t(slot & ~uint32_t{3}) + half_.number * bytes};
}

Value* LaneRegisters::find(Slot slot) {
  for (Value& v : values_)
    if (v.slot == slot) return &v;
  return nullptr;
}

void LaneRegisters::release(const Value& v) {
  for (int i = 0; i < count_of(v.kind); ++i)
    (v.kind == ValueKind::MASK ? masks_ : vectors_).push_back(v.registers[size_t(i)]);
}

// The value that was used longest ago goes back to memory. No instruction has as many operands as
// there are registers, so this is not an operand of the current one.
void LaneRegisters::evict(size_t index) {
  Value v = values_[index];
  values_.erase(values_.begin() + std::ptrdiff_t(index));
  if (v.is_changed) write(v);
  release(v);
}

int LaneRegisters::take(bool mask) {
  std::vector<int>& free = mask ? masks_ : vectors_;
  while (free.empty()) {
    size_t oldest = values_.size();
    for (size_t i = 0; i < values_.size(); ++i) {
      if ((values_[i].kind == ValueKind::MASK) != mask) continue;
      if (oldest == values_.size() || values_[i].used < values_[oldest].used) oldest = i;
    }
    evict(oldest);
  }
  const int r = free.back();
  free.pop_back();
  return r;
}

void LaneRegisters::load(const Value& v) {
  const MemoryAt p = place(v.slot, v.kind);
  if (v.kind == ValueKind::MASK) return code_.mask(MASK_LOAD, false, v.registers[0], p);
  for (int i = 0; i < count_of(v.kind); ++i)
    code_.vector(LOAD, false, v.registers[size_t(i)], 0, MemoryAt{p.base, p.offset + 64 * i});
}

void LaneRegisters::canonicalise(Value& v) {
  const int r = v.registers[0];
  code_.vector(COMPARE_REAL, false, MASK_TEMPORARY_2, r, r);
  code_.immediate(UNORDERED);
  code_.vector(MOVE, false, r, 0, NAN_REGISTER, MASK_TEMPORARY_2);
  v.is_raw = false;
}

const Value& LaneRegisters::read(Slot slot, ValueKind kind, bool raw) {
  Value* found = find(slot);
  if (found && found->kind != kind) {
    evict(size_t(found - values_.data()));
    found = nullptr;
  }
  if (!found) {
    Value v = make(slot, kind);
    load(v);
    values_.push_back(v);
    found = &values_.back();
  }
  found->used = time_;
  if (found->is_raw && !raw) canonicalise(*found);
  return *found;
}

Value LaneRegisters::make(Slot slot, ValueKind kind) {
  Value v;
  v.slot = slot;
  v.kind = kind;
  for (int i = 0; i < count_of(kind); ++i) v.registers[size_t(i)] = take(kind == ValueKind::MASK);
  v.used = time_;
  return v;
}

void LaneRegisters::assign(Value value, bool raw) {
  if (Value* old = find(value.slot)) {
    Value before = *old;
    values_.erase(values_.begin() + (old - values_.data()));
    if (before.kind != value.kind && before.is_changed) write(before);
    release(before);
  }
  value.is_changed = true;
  value.is_raw = raw;
  values_.push_back(value);
}

void LaneRegisters::write(Value& v) {
  if (v.is_raw) canonicalise(v);
  if (v.kind == ValueKind::MASK)
    write_mask(v);
  else
    write_vector(v);
  v.is_changed = false;
}

// Inactive lanes keep their value. The old value is loaded, changed and stored as a whole, because
// loads that follow a store under a mask are slow.
void LaneRegisters::write_vector(const Value& v) {
  const MemoryAt p = place(v.slot, v.kind);
  const bool wide = v.kind == ValueKind::WIDE;
  for (int i = 0; i < count_of(v.kind); ++i) {
    const MemoryAt at{p.base, p.offset + 64 * i};
    int r = v.registers[size_t(i)];
    if (half_.masked) {
      code_.vector(LOAD, false, TEMPORARY, 0, at);
      code_.vector(MOVE, wide, TEMPORARY, 0, r, i == 0 ? ACTIVE : ACTIVE_HIGH);
      r = TEMPORARY;
    }
    code_.vector(STORE, false, r, 0, at);
  }
}

// The second half stores the 32 bits of both, because a load of both does not receive its bits from
// two stores.
void LaneRegisters::write_mask(const Value& v) {
  const MemoryAt p = place(v.slot, v.kind);
  int r = v.registers[0];
  if (half_.masked) {
    code_.mask(MASK_LOAD, false, MASK_TEMPORARY, p);
    code_.mask(MASK_AND_NOT, true, false, MASK_TEMPORARY, ACTIVE, MASK_TEMPORARY);
    code_.mask(MASK_AND, true, false, MASK_TEMPORARY_2, ACTIVE, r);
    code_.mask(MASK_OR, true, false, MASK_TEMPORARY_2, MASK_TEMPORARY_2, MASK_TEMPORARY);
    r = MASK_TEMPORARY_2;
  }
  if (half_.number == 0) return code_.mask(MASK_STORE, false, r, p);
  const MemoryAt both{p.base, p.offset - 2};
  code_.mask(MASK_LOAD, false, MASK_TEMPORARY, both);
  code_.mask(JOIN_16, true, false, MASK_TEMPORARY, r, MASK_TEMPORARY);
  code_.mask(MASK_STORE_32, true, MASK_TEMPORARY, both);
}

void LaneRegisters::flush() {
  for (Value& v : values_)
    if (v.is_changed && !local_.contains(v.slot)) write(v);
}

}  // namespace cucore::cpu
