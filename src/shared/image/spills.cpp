// SPDX-License-Identifier: Apache-2.0
// Counts spills: each mark is the offset of an instruction, which encodes the width.
#include "image/spills.hpp"

#include <array>

namespace cucore::image {

namespace {

constexpr uint64_t INSTRUCTION_SIZE = 16;  // from sm_70 on
constexpr uint64_t OPERATION_MASK = 0xfff;
constexpr uint64_t STORE_LOCAL = 0x387;
constexpr uint64_t LOAD_LOCAL = 0x983;
constexpr unsigned WIDTH_SHIFT = 9;  // in the upper half: U8, S8, U16, S16, 32, 64, 128 bits
constexpr std::array<uint32_t, 8> WIDTHS{1, 1, 2, 2, 4, 8, 16, 0};
// ptxas 13.0 stores the size of the record in 16 bits, so that 8192 marks of 8 bytes vanish.
constexpr uint64_t LOST_MARKS = 8192;

bool is_local(uint64_t operation) { return operation == STORE_LOCAL || operation == LOAD_LOCAL; }

// Whether the code has so many accesses without a mark that marks may be lost.
bool may_lose_marks(const ByteView& code, size_t marks) {
  if (code.size() / INSTRUCTION_SIZE < marks + LOST_MARKS) return false;
  uint64_t accesses = 0;
  for (uint64_t at = 0; at + INSTRUCTION_SIZE <= code.size(); at += INSTRUCTION_SIZE)
    accesses += is_local(code.get<uint64_t>(at) & OPERATION_MASK);
  return accesses >= marks + LOST_MARKS;
}

}  // namespace

std::optional<Spills> count_spills(const ByteView& code, const std::vector<uint32_t>& marked) {
  if (may_lose_marks(code, marked.size())) return std::nullopt;
  Spills spills;
  for (const uint64_t at : marked) {
    if (at % INSTRUCTION_SIZE != 0 || at + INSTRUCTION_SIZE > code.size()) return std::nullopt;
    const uint64_t operation = code.get<uint64_t>(at) & OPERATION_MASK;
    const uint32_t width = WIDTHS[code.get<uint64_t>(at + 8) >> WIDTH_SHIFT & 7];
    if (width == 0 || !is_local(operation)) return std::nullopt;
    (operation == STORE_LOCAL ? spills.stores : spills.loads) += width;
  }
  return spills;
}

}  // namespace cucore::image
