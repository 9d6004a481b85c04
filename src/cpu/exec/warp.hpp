// The executor's hot data: decoded instructions, and the state of a warp that handlers work on.
#ifndef CUCPU_EXEC_WARP_HPP
#define CUCPU_EXEC_WARP_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/exec/operands.hpp"

namespace cucore::cpu {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;

inline constexpr int LANES = 32;
inline constexpr u32 FULL_MASK = ~u32{0};

struct Warp;
struct Op;
struct Block;
struct Worker;
struct DecodedFunction;

using Handler = void (*)(Warp&, const Op&);

// The two low bits of a slot.
enum SlotBase : u32 {
  FRAME_BASE = 0,     // registers of the current function
  CONSTANT_BASE = 1,  // immediates of the current function
  BLOCK_BASE = 2,     // special registers that all threads of a block share, and lane tables
  THREAD_BASE = 3,    // %tid
};

enum class OpKind : u8 {
  Plain,  // handler, then the next instruction
  Branch,
  BranchTable,
  Call,
  Return,
  Exit,
  Sync,  // a handler that wants all lanes of its member mask together
  WarpBarrier,
  Barrier,
  Arrive,
  Reduce,  // bar.red
  Yield,   // handler, then let others run
  End,
};

// One PTX instruction. An instruction keeps its index, so that program counters are PTX's.
struct Op {
  Handler run = nullptr;
  Slot slots[8] = {};  // by the names of operands.hpp
  u64 imm = 0;
  Slot guard = NO_SLOT;
  u32 target = 0;  // branch target, or index of cold data
  u32 site = 0;    // of a memory access: its entry in the interval cache
  u16 batch = 0;   // unguarded plain instructions from here to the end of the basic block
  OpKind kind = OpKind::Plain;
  bool guard_negated = false;

  template <class Family>
  Slot operator[](Family operand) const {
    return at(operand, 0);
  }
  template <class Family>
  Slot& operator[](Family operand) {
    return at(operand, 0);
  }
  // The slot that is `index` behind that of the operand.
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

// The last allocation that a memory instruction hit. Entry 0 of a table is no instruction's: its
// base is the generation of the address space for which the table holds.
struct Site {
  u64 base = 1;
  u64 size = 0;   // 0: nothing cached
  u64 delta = 0;  // host address - device address
};

// Registers of one call of one function for the lanes that called together.
struct Frame {
  const DecodedFunction* function = nullptr;
  Frame* parent = nullptr;
  std::byte* registers = nullptr;
  std::byte* params = nullptr;  // lane after lane
  u32 param_stride = 0;
  u32 return_pc = 0;
  u32 lanes = 0;
  u32 depth = 0;
  u32 local_base = 0;
};

enum class GroupState : u8 { Ready, WarpSync, WarpBarrier, Barrier };

// Lanes of a warp that are at the same place.
struct Group {
  Frame* frame = nullptr;
  u32 pc = 0;
  u32 mask = 0;
  u32 stamp = 0;  // when it ran last
  u32 wait = 0;   // barrier number or member mask
  GroupState state = GroupState::Ready;
};

struct Warp {
  std::byte* bases[4] = {};
  u32 mask = 0;    // lanes for which the current instruction executes
  u32 active = 0;  // lanes of the running group
  u32 carry = 0;   // condition code CC.CF, one bit a lane
  u32 pc = 0;
  Site* sites = nullptr;
  const std::byte* params = nullptr;  // the launch's parameters
  std::byte* shared = nullptr;
  u64 shared_size = 0;
  std::byte* local = nullptr;
  u64 local_stride = 0;  // bytes of local memory of one thread
  Frame* frame = nullptr;
  s64 quantum = 0;  // instructions until others must run; waiting in loops costs more of it
  const std::atomic<u64>* generation = nullptr;  // of the address space
  Worker* worker = nullptr;
  Block* block = nullptr;
  u32 index = 0;        // in its block
  u32 live = 0;         // lanes that have not exited
  bool rotate = false;  // the last slice ran out: next, whoever has waited longest
  u32 group_count = 0;
  u32 clock = 0;
  Group groups[LANES];

  template <class T>
  T* at(Slot slot) const {
    return reinterpret_cast<T*>(bases[slot & 3] + (slot & ~u32{3}));
  }
};

}  // namespace cucore::cpu

#endif
