// SPDX-License-Identifier: Apache-2.0
// Machine code has the results, faults and instruction counts of the handlers that it replaces.
#include <gtest/gtest.h>

#include "configured.hpp"
#include "device.hpp"
#include "random_text.hpp"

namespace cucore::cpu::test {
namespace {

struct Outcome {
  std::vector<uint32_t> memory;
  std::string fault;
  uint64_t warp_instructions = 0, thread_instructions = 0;
  bool operator==(const Outcome&) const = default;
};

constexpr unsigned THREADS = 84;  // the last warp has 20

std::vector<uint32_t> edge_values(size_t count, unsigned seed) {
  constexpr uint32_t EDGES[] = {0,          1,          2,          31,         32,
                                0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
                                0x7f800000, 0xff800000, 0x7f800001, 0x7fc00123, 0xffc00000,
                                0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x33800000,
                                0x4b000000, 0xcf000000};
  std::mt19937 random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t& v : values)
    v = random() % 2 ? EDGES[random() % std::size(EDGES)] : uint32_t(random());
  return values;
}

// The kernel loads all registers from `in`, runs the body, and stores them to `out`.
std::string kernel_of(const std::string& body, unsigned registers) {
  const unsigned words = registers * 4 + 7;
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param "
      ".u64 "
      "out) {\n.shared .align 16 .b32 tile[256];\n"
      ".reg .b32 %R<" +
      std::to_string(registers) + ">, %a<4>;\n.reg .b64 %L<" + std::to_string(registers) +
      ">, %in, %out, %offset;\n.reg .f32 %F<" + std::to_string(registers) + ">;\n.reg .b16 %H<" +
      std::to_string(registers) +
      ">;\n.reg .pred %P<7>;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %a0, %tid.x;\n"
      "mul.wide.u32 %offset, %a0, " +
      std::to_string(words * 4) + "; add.s64 %in, %in, %offset; add.s64 %out, %out, %offset;\n";
  std::string load, store;
  unsigned at = 0;
  auto each = [&](const char* type, const char* letter, unsigned bytes, unsigned count) {
    for (unsigned i = 0; i < count; ++i, at += bytes) {
      const std::string name = letter + std::to_string(i), place = std::to_string(at) + "]";
      load += std::string("ld.global.") + type + " " + name + ", [%in+" + place + ";\n";
      store += std::string("st.global.") + type + " [%out+" + place + ", " + name + ";\n";
    }
  };
  each("b32", "%R", 4, registers);
  each("f32", "%F", 4, registers);
  for (unsigned i = 0; i < registers; ++i)
    load += "cvt.u16.u32 %H" + std::to_string(i) + ", %R" + std::to_string(i) + ";\n";
  for (unsigned i = 0; i < registers * 2; ++i) {
    const std::string half = "[%in+" + std::to_string(at + 4 * i) + "]";
    const std::string r = "%L" + std::to_string(i / 2);
    load += i % 2 ? "ld.global.b32 %a2, " + half + "; mov.b64 " + r + ", {%a1, %a2};\n"
                  : "ld.global.b32 %a1, " + half + ";\n";
    store += i % 2 ? ""
                   : "mov.b64 {%a1, %a2}, " + r + "; st.global.b32 [%out+" +
                         std::to_string(at + 4 * i) + "], %a1; st.global.b32 [%out+" +
                         std::to_string(at + 4 * i + 4) + "], %a2;\n";
  }
  at += registers * 8;
  for (unsigned i = 0; i < 7; ++i, at += 4) {
    const std::string p = "%P" + std::to_string(i), place = std::to_string(at) + "]";
    load += "ld.global.b32 %a1, [%in+" + place + "; setp.gt.s32 " + p + ", %a1, 5;\n";
    store += "selp.b32 %a1, 1, 0, " + p + "; st.global.b32 [%out+" + place + ", %a1;\n";
  }
  return text + load + body + store + "ret; }\n";
}

Outcome run(const std::string& ptx, bool compile, unsigned words, unsigned seed) {
  const Configured configured(compile);
  const auto module = load_text(ptx);
  Array<uint32_t> in(edge_values(size_t{words} * THREADS, seed)), out(size_t{words} * THREADS);
  LaunchStatistics statistics;
  const auto fault = launch(*module->find_kernel("k"), shape(1, THREADS), &statistics, in.address(),
                            out.address());
  Outcome outcome{out.values(), fault ? fault->text : "", statistics.warp_instructions,
                  statistics.thread_instructions};
  return outcome;
}

void expect_same(const std::string& body, unsigned registers, unsigned seed) {
  const std::string ptx = kernel_of(body, registers);
  const unsigned words = registers * 4 + 7;
  const Outcome expected = run(ptx, false, words, seed), actual = run(ptx, true, words, seed);
  EXPECT_EQ(actual.fault, expected.fault) << body;
  EXPECT_EQ(actual.warp_instructions, expected.warp_instructions);
  EXPECT_EQ(actual.thread_instructions, expected.thread_instructions);
  for (size_t i = 0; i < expected.memory.size(); ++i)
    ASSERT_EQ(actual.memory[i], expected.memory[i])
        << "word " << i % words << " of thread " << i / words << "\n"
        << body;
}

// Each instruction alone, with whole warps and a part of one, and its result in the next one.
TEST(Compile, EveryInstruction) {
  for (unsigned k = 0; k < std::size(INSTRUCTIONS); ++k) {
    RandomText text(k, 6);
    std::string body;
    for (int i = 0; i < 4; ++i) body += text.filled(INSTRUCTIONS[k]) + "\n";
    expect_same(body, 6, k);
    if (HasFatalFailure()) return;
  }
}

TEST(Compile, RandomInstructions) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomText text(seed, 6);
    expect_same(text.instructions(40), 6, seed);
    if (HasFatalFailure()) return;
  }
}

// More values than the processor has registers.
TEST(Compile, ManyRegisters) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomText text(seed, 40);
    expect_same(text.instructions(400), 40, seed);
    if (HasFatalFailure()) return;
  }
}

// More code than a function may have: handlers execute the rest.
TEST(Compile, MoreThanTheLimitOfCode) {
  RandomText text(1, 40);
  expect_same(text.instructions(120'000), 40, 1);
}

// A part of each warp runs one side of a branch, and the rest the other.
TEST(Compile, PartsOfAWarp) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomText text(seed, 6);
    const std::string body = text.instructions(10) + "@%P1 bra OTHER;\n" + text.instructions(20) +
                             "bra.uni JOIN;\nOTHER:\n" + text.instructions(20) + "JOIN:\n" +
                             text.instructions(10);
    expect_same(body, 6, seed);
    if (HasFatalFailure()) return;
  }
}

// The addresses of shared memory come from a table: equal, consecutive, in any order, far apart.
TEST(Compile, LoadsOfSharedMemory) {
  const char* const ADDRESSES[] = {
      "mov.u32 %a1, 64;",
      "shl.b32 %a1, %a0, 2;",
      "xor.b32 %a1, %a0, 5; shl.b32 %a1, %a1, 2;",
      "shr.u32 %a1, %a0, 4; shl.b32 %a1, %a1, 6;",
      "shl.b32 %a1, %a0, 4; and.b32 %a1, %a1, 240;",
      "and.b32 %a1, %a0, 15; shl.b32 %a1, %a1, 2; add.u32 %a1, %a1, 940;",
      "mul.lo.u32 %a1, %a0, 212; and.b32 %a1, %a1, 1008;",
      "sub.u32 %a1, 15, %a0; and.b32 %a1, %a1, 60;"};
  for (const char* address : ADDRESSES)
    for (unsigned seed = 0; seed < 6; ++seed) {
      RandomText text(seed, 6);
      const std::string fill =
          "shl.b32 %a1, %a0, 2; mov.u32 %a2, tile; add.u32 %a1, %a1, %a2; add.u32 %R0, %R0, %a0;"
          "st.shared.b32 [%a1], %R0; st.shared.b32 [%a1+336], %R1; st.shared.b32 [%a1+672], %R2;"
          "bar.sync 0;\n";
      const std::string body =
          fill + address + "mov.u32 %a2, tile; add.u32 %a1, %a1, %a2;\n" + text.instructions(4) +
          "ld.shared.b32 %R3, [%a1+16];\n" + text.instructions(3) +
          "ld.shared.f32 %F2, [%a1+4];\n" + text.instructions(3) +
          (seed % 2 ? "" : "ld.shared.v4.f32 {%F3, %F4, %F5, %F0}, [%a1];\n") +
          text.instructions(5) + "add.u32 %a1, %a1, 4;\n" + text.instructions(2) +
          "ld.shared.b32 %R5, [%a1+-4];\n" + text.instructions(5);
      expect_same(body, 6, seed);
      if (HasFatalFailure()) return;
    }
}

// The 1024 bytes of shared memory end before, at and behind the accesses.
TEST(Compile, FaultsOfSharedMemory) {
  for (int start = 940; start < 1040; start += 4)
    for (const char* offset : {"0", "-940", "16", "1"}) {
      const std::string body = "and.b32 %a1, %a0, 15; shl.b32 %a1, %a1, 2; add.u32 %a1, %a1, " +
                               std::to_string(start - 60) +
                               "; st.shared.b32 [tile], %R1;\n"
                               "add.s32 %R1, %R2, %R3;\nld.shared.b32 %R2, [%a1+" +
                               offset + "];\nadd.s32 %R4, %R2, %R3;\n";
      expect_same(body, 6, unsigned(start));
      if (HasFatalFailure()) return;
    }
}

// Addresses and offsets at which sums wrap or leave the memory, misaligned ones, and a lane that
// differs from the others. The last warp would fault in its handlers, so it ends before.
TEST(Compile, HostileAddresses) {
  constexpr const char* STARTS[] = {"0",    "4",    "1",          "2",          "8",         "960",
                                    "1012", "1016", "1020",       "1023",       "1024",      "2048",
                                    "-4",   "-64",  "0x7ffffffc", "0x80000000", "0xfffff000"};
  constexpr const char* OFFSETS[] = {"4",   "8",       "16",       "-4",        "-16",
                                     "-64", "1048576", "-1048576", "2147483632"};
  constexpr const char* OTHERS[] = {"1", "2", "4", "16", "64", "-64", "0x40000000", "-4096"};
  constexpr const char* LOADS[] = {"ld.shared.b32 %R3, [%a1+", "ld.shared.v2.b32 {%R3, %R4}, [%a1+",
                                   "ld.shared.v4.f32 {%F3, %F4, %F5, %F0}, [%a1+"};
  std::mt19937 random(7);
  auto any = [&](const auto& list) { return std::string(list[random() % std::size(list)]); };
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::string body =
        "shl.b32 %a1, %a0, 2; st.shared.b32 [%a1], %R0;\nbar.sync 0;\n"
        "setp.gt.u32 %P6, %a0, 63; @%P6 exit;\n"
        "mov.u32 %a2, 64; and.b32 %a1, %a0, 3; shl.b32 %a1, %a1, " +
        std::to_string(random() % 2 ? 2 : 4) + "; add.u32 %a1, %a1, " +
        (random() % 2 ? any(STARTS) : "128") + ";\n";
    if (random() % 2)
      body += "setp.eq.u32 %P6, %a0, " + std::to_string(random() % 64) +
              "; @%P6 add.u32 %a1, %a1, " + any(OTHERS) + ";\n";
    body += "add.s32 %R1, %R2, %R3;\nld.shared.b32 %R2, [%a2+-16];\n";
    for (unsigned n = random() % 4 ? 1 : 2; n > 0; --n)
      body += any(LOADS) + (random() % 2 ? any(OFFSETS) : "0") + "];\n";
    expect_same(body + "add.s32 %R4, %R2, %R3;\n", 6, seed);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace cucore::cpu::test
