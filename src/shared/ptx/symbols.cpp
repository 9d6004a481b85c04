// SPDX-License-Identifier: Apache-2.0
// Scoped symbol table of a function body.
#include "ptx/symbols.hpp"

#include <utility>

namespace cucore::ptx {

void ScopedSymbols::clear() {
  if (slots_.size() > 4096) slots_.resize(64);
  for (Slot& slot : slots_) slot = {};
  used_ = 0;
  entries_.clear();
  scopes_.clear();
  has_numbered_names_ = false;
}

void ScopedSymbols::close_scope() {
  uint32_t first = scopes_.back();
  scopes_.pop_back();
  while (entries_.size() > first) {
    const Entry& entry = entries_.back();
    slots_[entry.slot].entry = entry.shadowed;
    entries_.pop_back();
  }
}

bool ScopedSymbols::declare(std::string_view name, const Symbol& symbol) {
  Slot& slot = slot_for(name, hash_of(name));
  auto depth = static_cast<uint32_t>(scopes_.size());
  if (slot.entry != NONE && entries_[slot.entry].depth == depth) return false;
  auto slot_index = static_cast<uint32_t>(&slot - slots_.data());
  entries_.push_back({symbol, slot_index, slot.entry, depth});
  slot.entry = static_cast<uint32_t>(entries_.size() - 1);
  char last = name.back();
  if (symbol.kind != SymbolKind::RANGE && last >= '0' && last <= '9') has_numbered_names_ = true;
  return true;
}

const Symbol* ScopedSymbols::find(std::string_view name, uint64_t hash, uint32_t* depth) const {
  const Slot& slot = slots_[find_slot(name, hash)];
  if (slot.entry == NONE) return nullptr;
  const Entry& entry = entries_[slot.entry];
  if (depth != nullptr) *depth = entry.depth;
  return &entry.symbol;
}

size_t ScopedSymbols::find_slot(std::string_view name, uint64_t hash) const {
  size_t mask = slots_.size() - 1;
  size_t at = (hash ^ hash >> 29) & mask;
  while (!slots_[at].name.empty() && (slots_[at].hash != hash || slots_[at].name != name))
    at = (at + 1) & mask;
  return at;
}

ScopedSymbols::Slot& ScopedSymbols::slot_for(std::string_view name, uint64_t hash) {
  if (used_ * 2 >= slots_.size()) grow();
  Slot& slot = slots_[find_slot(name, hash)];
  if (slot.name.empty()) {
    slot.name = name;
    slot.hash = hash;
    ++used_;
  }
  return slot;
}

void ScopedSymbols::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& slot : old) {
    if (slot.name.empty()) continue;
    size_t at = find_slot(slot.name, slot.hash);
    slots_[at] = slot;
    // All shadowed entries of the name also refer to the slot.
    for (uint32_t entry = slot.entry; entry != NONE; entry = entries_[entry].shadowed)
      entries_[entry].slot = static_cast<uint32_t>(at);
  }
}

}  // namespace cucore::ptx
