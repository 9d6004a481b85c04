// SPDX-License-Identifier: Apache-2.0
// Names inside a function body, with nested scopes: registers, register ranges (`%r<8>`),
// variables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace cucore::ptx {

enum class SymbolKind : uint8_t { NONE, REG, RANGE, VARIABLE };

struct Symbol {
  SymbolKind kind = SymbolKind::NONE;
  uint32_t index = 0;  // first register, or index in Function::variables
  uint32_t count = 1;  // registers of a range
};

// FNV-1a, one character at a time, so that a scanner can stop at any prefix.
inline constexpr uint64_t HASH_START = 0xcbf29ce484222325;
constexpr uint64_t hash_step(uint64_t hash, char c) {
  return (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
}
constexpr uint64_t hash_of(std::string_view text) {
  uint64_t hash = HASH_START;
  for (char c : text) hash = hash_step(hash, c);
  return hash;
}

// Open addressing; a slot keeps its name when its scope ends, so probing needs no tombstones.
class ScopedSymbols {
 public:
  ScopedSymbols() : slots_(64) {}

  void clear();
  void open_scope() { scopes_.push_back(static_cast<uint32_t>(entries_.size())); }
  void close_scope();
  size_t depth() const { return scopes_.size(); }

  // Returns false if the innermost scope already has that name.
  bool declare(std::string_view name, const Symbol& symbol);

  // Returns nullptr if no scope has that name; `depth` receives the depth of its scope.
  const Symbol* find(std::string_view name, uint64_t hash, uint32_t* depth = nullptr) const;
  const Symbol* find(std::string_view name) const { return find(name, hash_of(name)); }

  // Returns true after the declaration of a single register with a name such as `t1`. A numbered
  // name may then be that register or a member of a range.
  bool has_numbered_names() const { return has_numbered_names_; }

 private:
  struct Slot {
    std::string_view name;
    uint64_t hash = 0;
    uint32_t entry = NONE;
  };
  struct Entry {
    Symbol symbol;
    uint32_t slot;
    uint32_t shadowed;
    uint32_t depth;
  };

  Slot& slot_for(std::string_view name, uint64_t hash);
  size_t find_slot(std::string_view name, uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> scopes_;
  bool has_numbered_names_ = false;
};

}  // namespace cucore::ptx
