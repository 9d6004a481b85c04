// Counts spills: each mark is the offset of an instruction, whose width the instruction says.
#include "image/spills.hpp"

#include <array>

namespace cucore::image {

namespace {

constexpr uint64_t kInstructionSize = 16;  // from sm_70 on
constexpr uint64_t kOperationMask = 0xfff;
constexpr uint64_t kStoreLocal = 0x387;
constexpr uint64_t kLoadLocal = 0x983;
constexpr unsigned kWidthShift = 9;  // in the upper half: U8, S8, U16, S16, 32, 64, 128 bits
constexpr std::array<uint32_t, 8> kWidths{1, 1, 2, 2, 4, 8, 16, 0};

}  // namespace

std::optional<Spills> count_spills(const ByteView& code, const std::vector<uint32_t>& marked) {
  Spills spills;
  for (const uint64_t at : marked) {
    if (at % kInstructionSize != 0 || at + kInstructionSize > code.size()) return std::nullopt;
    const uint64_t operation = code.get<uint64_t>(at) & kOperationMask;
    const uint32_t width = kWidths[code.get<uint64_t>(at + 8) >> kWidthShift & 7];
    if (width == 0 || (operation != kStoreLocal && operation != kLoadLocal)) return std::nullopt;
    (operation == kStoreLocal ? spills.stores : spills.loads) += width;
  }
  return spills;
}

}  // namespace cucore::image
