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

}  // namespace

std::optional<Spills> count_spills(const ByteView& code, const std::vector<uint32_t>& marked) {
  Spills spills;
  for (const uint64_t at : marked) {
    if (at % INSTRUCTION_SIZE != 0 || at + INSTRUCTION_SIZE > code.size()) return std::nullopt;
    const uint64_t operation = code.get<uint64_t>(at) & OPERATION_MASK;
    const uint32_t width = WIDTHS[code.get<uint64_t>(at + 8) >> WIDTH_SHIFT & 7];
    if (width == 0 || (operation != STORE_LOCAL && operation != LOAD_LOCAL)) return std::nullopt;
    (operation == STORE_LOCAL ? spills.stores : spills.loads) += width;
  }
  return spills;
}

}  // namespace cucore::image
