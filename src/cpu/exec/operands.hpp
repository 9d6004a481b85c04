// SPDX-License-Identifier: Apache-2.0
// The operands of a decoded instruction. Each family of instructions names its slots.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cucore::cpu {

// The position of an operand's lanes. The two low bits select the base; the other bits are a byte
// offset.
using Slot = uint32_t;
inline constexpr Slot NO_SLOT = ~Slot{0};

// Instructions with operands in the order of the text. Some write a second result.
enum class Regular : uint8_t {
  RESULT,
  FIRST,
  SECOND,
  THIRD,
  FOURTH,
  SECOND_RESULT = FOURTH,
  PREDICATE,
};

// Loads and stores of up to four values. FORM contains the widths of a packed access. TABLE is the
// index of a table with the slots of eight values.
enum class LoadStore : uint8_t { VALUES, ADDRESS = 4, FORM, TABLE = 7 };

// Atomic operations. TABLE is the index of a table with the slots of a vector: results, operands.
enum class Atomic : uint8_t { RESULT, OPERAND, REPLACEMENT, ADDRESS = 4, TABLE = 7 };

// cp.async. Reads SOURCE_SIZE bytes and zeroes the rest; reads nothing under IGNORE.
enum class CopyAsync : uint8_t { SIZE = 1, SOURCE_SIZE, IGNORE, ADDRESS, SOURCE, SOURCE_OFFSET };

// mbarrier. STATE is the state of a phase, or its parity.
enum class MbarrierOperand : uint8_t { RESULT, COUNT, STATE, ADDRESS = 4 };

// bar.sync, bar.arrive, bar.red. Without NUMBER, it is the barrier of the warpgroup.
enum class BlockBarrier : uint8_t { NUMBER, THREADS, RESULT, PREDICATE };

// Exchange between the lanes of a warp, and bar.warp.sync. MEMBERS is the member mask.
enum class Exchange : uint8_t { RESULT, PREDICATE, FIRST, SECOND, THIRD, MEMBERS = 7 };

// brx.idx.
enum class Jump : uint8_t { INDEX };

// One decoder sets the address for all of them.
static_assert(size_t(LoadStore::ADDRESS) == size_t(Atomic::ADDRESS) &&
              size_t(LoadStore::ADDRESS) == size_t(CopyAsync::ADDRESS) &&
              size_t(LoadStore::ADDRESS) == size_t(MbarrierOperand::ADDRESS));

}  // namespace cucore::cpu
