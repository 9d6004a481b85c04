// SPDX-License-Identifier: Apache-2.0
// The executor's hot data: decoded instructions, and the state of a warp for handlers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/exec/operands.hpp"

namespace cucore::cpu {

inline constexpr int LANES = 32;
inline constexpr uint32_t FULL_MASK = ~uint32_t{0};

struct Warp;
struct Op;
struct Block;
struct Worker;
struct DecodedFunction;

using Handler = void (*)(Warp&, const Op&);

// The two low bits of a slot.
enum SlotBase : uint32_t {
  FRAME_BASE = 0,     // registers of the current function
  CONSTANT_BASE = 1,  // immediates of the current function
  BLOCK_BASE = 2,     // special registers common to all threads of a block, and lane tables
  THREAD_BASE = 3,    // %tid
};

enum class OpKind : uint8_t {
  PLAIN,  // calls the handler, then continues with the next instruction
  BRANCH,
  BRANCH_TABLE,
  CALL,
  RETURN,
  EXIT,
  SYNC,  // a handler that needs all lanes of its member mask together
  WARP_BARRIER,
  BARRIER,
  ARRIVE,
  REDUCE,        // bar.red
  CLUSTER_WAIT,  // barrier.cluster.wait
  YIELD,         // calls the handler, then lets others run
  END,
};

// One PTX instruction. It keeps its index, so that program counters are those of the PTX.
struct Op {
  Handler run = nullptr;
  Slot slots[8] = {};  // indexed by the names in operands.hpp
  uint64_t imm = 0;
  Slot guard = NO_SLOT;
  uint32_t target = 0;  // branch target, or index of cold data
  uint32_t site = 0;    // memory access: its entry in the interval cache
  uint16_t batch = 0;   // unguarded plain instructions from here to the end of the basic block
  OpKind kind = OpKind::PLAIN;
  bool guard_negated = false;

  template <class Family>
  Slot operator[](Family operand) const {
    return at(operand, 0);
  }
  template <class Family>
  Slot& operator[](Family operand) {
    return at(operand, 0);
  }
  // Returns the slot that is `index` after that of the operand.
  template <class Family>
  Slot at(Family operand, size_t index) const {
    static_assert(std::is_enum_v<Family>);
    return slots[size_t(operand) + index];
  }
  template <class Family>
  Slot& at(Family operand, size_t index) {
    static_assert(std::is_enum_v<Family>);
    return slots[size_t(operand) + index];
  }
};
static_assert(sizeof(Op) == 64 || sizeof(void*) != 8);

// The last allocation that a memory instruction hit. Entry 0 of a table belongs to no instruction:
// its base is the address space's generation for which the table is valid.
struct Site {
  uint64_t base = 1;
  uint64_t size = 0;   // 0: not cached
  uint64_t delta = 0;  // host address - device address
};

// Registers of one call of one function, for the lanes that called together.
struct Frame {
  const DecodedFunction* function = nullptr;
  Frame* parent = nullptr;
  std::byte* registers = nullptr;
  std::byte* params = nullptr;  // lane by lane
  Site* sites = nullptr;        // of the function's module
  uint32_t param_stride = 0;
  uint32_t return_pc = 0;
  uint32_t lanes = 0;
  uint32_t depth = 0;
  uint32_t local_base = 0;
  uint32_t dynamic = 0;  // bytes of local memory by alloca, of the lane that has most
  uint32_t dynamic_of[LANES] = {};
};

enum class GroupState : uint8_t { READY, WARP_SYNC, WARP_BARRIER, BARRIER, CLUSTER, ASLEEP };

// Lanes of a warp with the same program counter.
struct Group {
  Frame* frame = nullptr;
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t stamp = 0;  // time of its last run
  uint32_t wait = 0;   // barrier number or member mask
  uint64_t wake = 0;   // end of nanosleep, in nanoseconds of the steady clock
  GroupState state = GroupState::READY;
};

struct Warp {
  std::byte* bases[4] = {};
  uint32_t mask = 0;    // lanes for which the current instruction executes
  uint32_t active = 0;  // lanes of the running group
  uint32_t carry = 0;   // condition code CC.CF, one bit per lane
  uint32_t pc = 0;
  Site* sites = nullptr;
  const std::byte* params = nullptr;  // the launch's parameters
  std::byte* shared = nullptr;
  uint64_t shared_size = 0;
  std::byte* local = nullptr;
  uint64_t local_stride = 0;  // bytes of local memory per thread
  Frame* frame = nullptr;
  int64_t quantum = 0;  // instructions until others must run; waits in loops cost more
  const std::atomic<uint64_t>* generation = nullptr;  // generation of the address space
  Worker* worker = nullptr;
  Block* block = nullptr;
  uint32_t index = 0;   // index in its block
  uint32_t live = 0;    // lanes that have not exited
  bool rotate = false;  // the last slice ran out: the group that has waited longest is next
  bool asleep = false;  // a group may be asleep
  uint32_t group_count = 0;
  uint32_t clock = 0;
  Group groups[LANES];

  template <class T>
  T* at(Slot slot) const {
    return reinterpret_cast<T*>(bases[slot & 3] + (slot & ~uint32_t{3}));
  }
};

}  // namespace cucore::cpu
