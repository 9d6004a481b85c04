// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/sass.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace cucore::perf {
namespace {

constexpr uint64_t OPERATIONS = 0x200;
constexpr uint64_t BRANCH_OPERATION = 0x147;
constexpr uint64_t IDLE_OPERATION = 0x118;
constexpr uint64_t MATRIX_LOAD = 0x03b;  // which have their width elsewhere
constexpr uint64_t MATRIX_STORE = 0x044;
constexpr uint64_t PREDICATE = 0xf000;
constexpr uint64_t ALWAYS = 0x7000;  // the predicate that is true
constexpr unsigned WIDTH_SHIFT = 9;  // in the upper half: U8, S8, U16, S16, 32, 64, 128, 256 bits
constexpr std::array<uint32_t, 8> SASS_WIDTHS{1, 1, 2, 2, 4, 8, 16, 32};
constexpr uint16_t FAR_BRANCHES = 90;  // from here on the offset has 8 bits more

struct SassRow {
  uint16_t operation;
  uint16_t first, last;  // architectures
  SassClass meaning;
};

constexpr SassRow SASS_ROWS[] = {
#define SASS(operation, first, last, which, mnemonic) \
  {operation, first, last, {InstructionClass::which, mnemonic}},
#include "perf/analyze/sass_opcodes.inc"
#undef SASS
};

uint64_t operation_of(const Sass& instruction) { return instruction.low % OPERATIONS; }

// The index of the first row of each operation.
const std::array<uint16_t, OPERATIONS + 1>& row_index() {
  static constexpr auto INDEX = [] {
    std::array<uint16_t, OPERATIONS + 1> index{};
    size_t at = 0;
    for (size_t operation = 0; operation <= OPERATIONS; ++operation) {
      while (at < std::size(SASS_ROWS) && SASS_ROWS[at].operation < operation) ++at;
      index[operation] = static_cast<uint16_t>(at);
    }
    return index;
  }();
  return INDEX;
}
static_assert(std::ranges::is_sorted(SASS_ROWS, {}, &SassRow::operation));

// The distance in bytes from the next instruction to the target.
int64_t distance_of(const Sass& branch, uint16_t arch) {
  // Bits 34 to 81, signed, in units of 4 bytes; later architectures put 8 lower bits at 16 to 23.
  const uint64_t bits = branch.low >> 34 | branch.high << 30;
  const auto value = static_cast<int64_t>(bits << 16) >> 16;
  if (arch < FAR_BRANCHES) return value * 4;
  return (value * 256 + static_cast<int64_t>(branch.low >> 16 & 0xff)) * 4;
}

std::optional<uint32_t> target_of(const Sass& branch, size_t at, size_t count, uint16_t arch) {
  if (operation_of(branch) != BRANCH_OPERATION) return std::nullopt;
  const int64_t bytes = distance_of(branch, arch);
  const int64_t target = static_cast<int64_t>(at) + 1 + bytes / static_cast<int64_t>(SASS_SIZE);
  if (bytes % static_cast<int64_t>(SASS_SIZE) != 0 || target < 0 ||
      target >= static_cast<int64_t>(count))
    return std::nullopt;
  return static_cast<uint32_t>(target);
}

// ptxas ends each function with a branch to itself and fills up with instructions without effect.
size_t size_without_filler(const std::vector<Sass>& code, uint16_t arch) {
  size_t size = code.size();
  while (size > 0 && operation_of(code[size - 1]) == IDLE_OPERATION) --size;
  if (size > 0 && (code[size - 1].low & PREDICATE) == ALWAYS &&
      target_of(code[size - 1], size - 1, code.size(), arch) == size - 1)
    --size;
  return size;
}

std::vector<CodeLoop> loops_of(const std::vector<Sass>& code, uint16_t arch) {
  std::vector<CodeLoop> loops;
  for (uint32_t at = 0; at < code.size(); ++at) {
    const auto target = target_of(code[at], at, code.size(), arch);
    if (target && *target <= at) loops.push_back({*target, at});
  }
  std::ranges::sort(loops, [](const CodeLoop& a, const CodeLoop& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  // Several branches back to one place are one loop.
  const auto same = [](const CodeLoop& a, const CodeLoop& b) { return a.first == b.first; };
  loops.erase(std::unique(loops.begin(), loops.end(), same), loops.end());
  return loops;
}

}  // namespace

SassClass classify(const Sass& instruction, uint16_t arch) {
  const uint64_t operation = operation_of(instruction);
  for (size_t at = row_index()[operation]; at < row_index()[operation + 1]; ++at)
    if (arch >= SASS_ROWS[at].first && arch <= SASS_ROWS[at].last) return SASS_ROWS[at].meaning;
  return {};
}

uint32_t width_of(const Sass& instruction, InstructionClass which) {
  const uint64_t operation = operation_of(instruction);
  if (operation == MATRIX_LOAD || operation == MATRIX_STORE) return 0;
  return is_access(which) ? SASS_WIDTHS[instruction.high >> WIDTH_SHIFT & 7] : 0;
}

std::vector<bool> marks_of_loops(const std::vector<CodeLoop>& loops, size_t instructions) {
  std::vector<bool> marks(instructions);
  for (const CodeLoop& loop : loops)
    std::fill(marks.begin() + loop.first, marks.begin() + loop.last + 1, true);
  return marks;
}

MachineCode read_machine_code(const image::ByteView& code, uint16_t arch) {
  if (code.size() % SASS_SIZE != 0) code.fail(0, "the code ends inside an instruction");
  MachineCode result;
  result.instructions.resize(code.size() / SASS_SIZE);
  for (size_t at = 0; at < result.instructions.size(); ++at)
    result.instructions[at] = {code.get<uint64_t>(at * SASS_SIZE),
                               code.get<uint64_t>(at * SASS_SIZE + 8)};
  result.instructions.resize(size_without_filler(result.instructions, arch));
  result.loops = loops_of(result.instructions, arch);
  const std::vector<bool> in_loop = marks_of_loops(result.loops, result.instructions.size());
  for (size_t at = 0; at < result.instructions.size(); ++at) {
    const SassClass meaning = classify(result.instructions[at], arch);
    result.mix.add(meaning.which, in_loop[at], width_of(result.instructions[at], meaning.which));
  }
  return result;
}

}  // namespace cucore::perf
