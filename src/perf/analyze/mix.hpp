// SPDX-License-Identifier: Apache-2.0
// The classes of instructions, how many a kernel has of each, and how wide its accesses are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cucore::perf {

// The numbers are those of cucore_perf.h. ANY stands for all classes.
enum class InstructionClass : uint8_t {
  ANY,
#define CLASS(id, name) id,
#include "perf/analyze/instruction_class.inc"
#undef CLASS
  COUNT
};

inline constexpr size_t CLASSES = static_cast<size_t>(InstructionClass::COUNT);
inline constexpr size_t WIDTHS = 6;  // 1, 2, 4, 8, 16 and 32 bytes

// Returns a name such as "load_global".
const char* class_name(InstructionClass which);
bool is_access(InstructionClass which);  // of memory, with a width

// How many instructions of one class.
struct Count {
  uint32_t all = 0;
  uint32_t in_loops = 0;
  std::array<uint32_t, WIDTHS> widths{};  // by the bytes of one thread: 1 << index
};

class Mix {
 public:
  // `bytes` of one thread; 0: not an access.
  void add(InstructionClass which, bool in_loop, uint32_t bytes);
  const Count& of(InstructionClass which) const { return counts_[static_cast<size_t>(which)]; }

 private:
  std::array<Count, CLASSES> counts_{};
};

}  // namespace cucore::perf
