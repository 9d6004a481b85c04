// SPDX-License-Identifier: Apache-2.0
// The checked form of a function: which instructions access memory or synchronise, and the variable
// that an address is derived from. Built at the first checked launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/checks/lane_checks.hpp"
#include "cpu/checks/product_registers.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/exec/access.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

enum class Hook : uint8_t {
  NONE,
  LOAD,
  STORE,
  ATOMIC,
  FENCE,
  OTHER,  // another instruction with a memory operand: resolve() reports its accesses
  SYNC,   // an operation on an mbarrier
  OWN,    // checks of its own, as those of registers of products and of cp.async
};

struct CheckedOp {
  Hook hook = Hook::NONE;
  Region region = Region::GLOBAL;
  uint8_t value_bytes = 0;     // of one element in memory
  uint8_t register_bytes = 0;  // of one element in its register
  uint8_t count = 1;           // elements
  bool strong = false;         // an order other than weak: no data race with another strong access
  bool releases = false;
  bool swaps = false;           // compare-and-swap
  bool loops = false;           // in shared memory, machine code does it by compare-and-swap
  bool narrow = false;          // a strong access or a fence with the scope of the block
  bool copies = false;          // the loaded registers are only stored
  bool unused = false;          // no instruction reads the loaded registers
  bool is_shared_read = false;  // a weak load
  bool may_be_kept = false;     // see KeptAccesses
  bool may_have_rows = false;   // see check_rows()
  bool is_usual = false;        // see check_usual()
  bool bounded = false;
  bool has_use = false;        // of registers of products
  bool dynamic = false;        // the variable is the dynamic shared memory
  bool frame_local = false;    // bounds are relative to the local memory of the call
  uint32_t low = 0, high = 0;  // the variable's bytes in its window
  uint32_t site = 0;           // for messages about the other access of a race
  QuickCheck quick = nullptr;  // nullptr: none

  uint32_t size() const { return uint32_t{value_bytes} * count; }
};

// Returns the kind of access to cells.
inline CellAccess cell_access(const CheckedOp& checked) {
  if (checked.hook == Hook::LOAD)
    return checked.strong ? CellAccess::STRONG_READ : CellAccess::READ;
  return checked.strong ? CellAccess::STRONG_WRITE : CellAccess::WRITE;
}

struct CheckTable {
  std::vector<Hook> hooks;  // by instruction
  std::vector<CheckedOp> ops;
  std::vector<RegisterUse> uses;  // by instruction; empty: no products
};

// The places of a module's memory instructions, by the site of their Op.
using Places = std::vector<Place>;

struct ModuleChecks {
  std::shared_ptr<const Places> places;
  std::vector<bool> swaps;   // by site
  std::vector<bool> narrow;  // by site
  bool has_narrow = false;
  bool has_narrow_fence = false;
  uint32_t shared_granule = 4;  // the narrowest access to shared memory
};

Place place_of(const DecodedFunction& function, size_t index);
const CheckTable& build_check_table(const DecodedFunction& function);
// Both build their result at the first call, and are safe for several threads.
inline const CheckTable& check_table(const DecodedFunction& function) {
  const CheckTable* table = function.checks.load(std::memory_order_acquire);
  return table ? *table : build_check_table(function);
}
const ModuleChecks& module_checks(const DecodedModule& module);

}  // namespace cucore::cpu
