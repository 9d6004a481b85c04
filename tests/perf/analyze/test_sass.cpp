// SPDX-License-Identifier: Apache-2.0
// Machine code by hand: classes that depend on the architecture, widths, loops and filler. And
// the classes of all operations against the mnemonics of nvdisasm: tests/data/machine_code.
#include "perf/analyze/sass.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr uint64_t ALWAYS = 0x7000;
constexpr Sass FFMA{0x0000000502027223, 0x000fe20000000003};
constexpr Sass NOP{0x0000000000007918, 0x000fc00000000000};
constexpr Sass EXIT{0x000000000000794d, 0x000fea0003800000};
// The branches to themselves at the end of each function of nvcc 12, for sm_80 and for sm_90.
constexpr Sass SELF_80{0xfffffff000007947, 0x000fc0000383ffff};
constexpr Sass SELF_90{0xfffffffc00fc7947, 0x000fc0000383ffff};

// A branch over `instructions` from the next one.
Sass branch(int64_t instructions, uint16_t arch) {
  const int64_t words = instructions * 4;
  uint64_t low = 0x947 | ALWAYS;
  int64_t high_part = words;
  if (arch >= 90) {
    low |= static_cast<uint64_t>(words & 0xff) << 16;
    high_part = words >> 8;
  }
  const uint64_t bits = static_cast<uint64_t>(high_part) & ((uint64_t{1} << 48) - 1);
  return {low | bits << 34, bits >> 30};
}

MachineCode read(std::initializer_list<Sass> instructions, uint16_t arch) {
  std::string bytes(instructions.size() * SASS_SIZE, '\0');
  size_t at = 0;
  for (const Sass& instruction : instructions) {
    std::memcpy(&bytes[at], &instruction.low, 8);
    std::memcpy(&bytes[at + 8], &instruction.high, 8);
    at += SASS_SIZE;
  }
  return read_machine_code(image::ByteView("code", std::as_bytes(std::span(bytes))), arch);
}

TEST(Sass, FillerAtTheEndDoesNotCount) {
  EXPECT_EQ(read({FFMA, EXIT, SELF_80, NOP, NOP}, 80).instructions.size(), 2U);
  EXPECT_EQ(read({FFMA, EXIT, SELF_90, NOP, NOP}, 90).instructions.size(), 2U);
  EXPECT_EQ(read({FFMA, EXIT, SELF_90, NOP}, 90).loops.size(), 0U);
  EXPECT_EQ(read({FFMA, NOP, EXIT}, 90).instructions.size(), 3U);
  EXPECT_EQ(read({}, 90).instructions.size(), 0U);
}

TEST(Sass, BranchesBackAreLoops) {
  for (const uint16_t arch : {75, 80, 90, 100, 120}) {
    // 0: FFMA  1: outer, FFMA  2: inner, FFMA  3: to 2  4: to 1  5: forward to 7  6: FFMA  7: EXIT
    const MachineCode code = read({FFMA, FFMA, FFMA, branch(-2, arch), branch(-4, arch),
                                   branch(1, arch), FFMA, EXIT, branch(-1, arch)},
                                  arch);
    ASSERT_EQ(code.loops.size(), 2U) << arch;
    EXPECT_EQ(code.loops[0].first, 1U);
    EXPECT_EQ(code.loops[0].last, 4U);
    EXPECT_EQ(code.loops[1].first, 2U);
    EXPECT_EQ(code.loops[1].last, 3U);
    EXPECT_EQ(code.mix.of(InstructionClass::F32).all, 4U);
    EXPECT_EQ(code.mix.of(InstructionClass::F32).in_loops, 2U);
    EXPECT_EQ(code.mix.of(InstructionClass::BRANCH).all, 4U);
    EXPECT_EQ(code.mix.of(InstructionClass::ANY).all, 8U);
  }
}

TEST(Sass, BranchesOutOfTheCodeAreNotLoops) {
  for (const uint16_t arch : {80, 90})
    EXPECT_EQ(read({FFMA, branch(-3, arch), branch(9, arch), EXIT}, arch).loops.size(), 0U);
}

TEST(Sass, ANumberMayHaveTwoMeanings) {
  const Sass instruction{0x836 | ALWAYS, 0};
  EXPECT_EQ(classify(instruction, 70).which, InstructionClass::MATRIX);  // HMMA of Volta
  EXPECT_EQ(classify(instruction, 80).which, InstructionClass::UNKNOWN);
  EXPECT_EQ(classify(instruction, 90).which, InstructionClass::INTEGER);  // VIADD
}

TEST(Sass, UnknownOperationsStayUnknown) {
  const Sass instruction{0x1ff | ALWAYS, 0};
  EXPECT_EQ(classify(instruction, 90).which, InstructionClass::UNKNOWN);
  EXPECT_EQ(read({instruction, FFMA}, 90).mix.of(InstructionClass::UNKNOWN).all, 1U);
}

TEST(Sass, WidthsAreThoseOfOneThread) {
  constexpr uint32_t BYTES[] = {1, 1, 2, 2, 4, 8, 16};
  for (uint64_t width = 0; width < std::size(BYTES); ++width) {
    const Sass load{0x981 | ALWAYS, width << 9};
    EXPECT_EQ(classify(load, 90).which, InstructionClass::LOAD_GLOBAL);
    EXPECT_EQ(width_of(load, InstructionClass::LOAD_GLOBAL), BYTES[width]);
  }
  EXPECT_EQ(width_of(FFMA, InstructionClass::F32), 0U);
  // ldmatrix and stmatrix have no width in these bits.
  for (const uint64_t operation : {0x03b, 0x044})
    EXPECT_EQ(width_of({operation | ALWAYS, 0xa00}, InstructionClass::LOAD_SHARED), 0U);
}

// The mnemonic of nvdisasm for an operation of an architecture, and an example.
struct Disassembled {
  uint16_t arch;
  std::string mnemonic, group;  // no group: the mnemonic is new
  uint32_t width;
  uint64_t count;
  Sass example;
};

std::vector<Disassembled> read_operations(std::istream& file) {
  std::vector<Disassembled> rows;
  std::string line, word;
  std::getline(file, line);  // names
  while (std::getline(file, line)) {
    std::stringstream words(line);
    Disassembled& row = rows.emplace_back();
    const auto text = [&] {
      std::getline(words, word, ',');
      return word;
    };
    row.arch = static_cast<uint16_t>(std::stoul(text().substr(3)));  // sm_90a
    text();  // the operation, which the example has too
    row.mnemonic = text();
    row.group = text();
    row.width = static_cast<uint32_t>(std::stoul(text()));
    row.count = std::stoull(text());
    row.example = {std::stoull(text(), nullptr, 16), std::stoull(text(), nullptr, 16)};
  }
  return rows;
}

TEST(Sass, ClassesAreThoseOfNvdisasm) {
  std::ifstream file(CUCORE_SASS_OPERATIONS);
  ASSERT_TRUE(file) << CUCORE_SASS_OPERATIONS " is missing";
  std::map<uint16_t, std::pair<uint64_t, uint64_t>> counts;  // all, unknown
  for (const Disassembled& row : read_operations(file)) {
    auto& [all, unknown] = counts[row.arch];
    all += row.count;
    const InstructionClass which = classify(row.example, row.arch).which;
    if (which == InstructionClass::UNKNOWN) {
      unknown += row.count;
      continue;
    }
    EXPECT_EQ(class_name(which), row.group) << row.mnemonic << " of sm_" << row.arch;
    EXPECT_EQ(width_of(row.example, which), row.width) << row.mnemonic << " of sm_" << row.arch;
  }
  EXPECT_GE(counts.size(), 8U);
  for (const auto& [arch, count] : counts) {
    EXPECT_GT(count.first, 10000U) << "sm_" << arch;
    EXPECT_LE(count.second * 200, count.first) << "sm_" << arch;
  }
}

TEST(Sass, CodeThatEndsInsideAnInstructionIsRefused) {
  const std::string bytes(24, '\0');
  EXPECT_THROW(read_machine_code(image::ByteView("code", std::as_bytes(std::span(bytes))), 90),
               Error);
}

}  // namespace
}  // namespace cucore::perf
