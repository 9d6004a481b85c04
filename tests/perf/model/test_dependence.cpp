// SPDX-License-Identifier: Apache-2.0
// The first address or branch that the arguments of a launch do not determine. Each kernel has a
// comment on the line that is expected, or none.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "perf/model/dependence.hpp"
#include "ptx/parser.hpp"

namespace cucore::perf {
namespace {

constexpr const char* HEAD = ".version 8.3\n.target sm_90\n.address_size 64\n";

// A kernel with the pointer %a, the number %n, the index %t of the thread and its address %p.
std::string kernel(const std::string& body, const std::string& before = "") {
  return std::string(HEAD) + before +
         ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
         ".reg .pred %q<4>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>;\n"
         ".reg .b64 %a; .reg .b64 %p; .reg .b32 %n; .reg .b32 %t;\n"
         ".shared .align 16 .b8 s[1024]; .local .align 4 .b8 l[64];\n"
         "ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;\n"
         "mul.wide.u32 %p, %t, 4; add.u64 %p, %a, %p;\n" +
         body + "\nend:\nret;\n}\n";
}

struct Found {
  std::string line;
  std::string text;
};

std::optional<Found> find(const std::string& ptx) {
  ptx::Diagnostics log;
  const std::unique_ptr<ptx::Module> module = ptx::parse(ptx, log);
  EXPECT_NE(module, nullptr) << log.to_string();
  if (!module) return std::nullopt;
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry) continue;
    const auto found = first_dependence(*module, function);
    if (!found) return std::nullopt;
    const ptx::Instruction& instruction = found->function->instructions[found->instruction];
    return Found{std::string(module->text_of(instruction)), found->text()};
  }
  return std::nullopt;
}

void expect_none(const std::string& ptx) {
  const auto found = find(ptx);
  EXPECT_FALSE(found.has_value()) << found->line << ": " << found->text;
}

void expect_found(const std::string& ptx, const std::string& line, const std::string& text) {
  const auto found = find(ptx);
  ASSERT_TRUE(found.has_value()) << ptx;
  EXPECT_NE(found->line.find(line), std::string::npos) << found->line;
  EXPECT_EQ(found->text, text);
}

constexpr const char* ADDRESS = "an address depends on a loaded value";
constexpr const char* BRANCH = "a branch depends on a loaded value";

TEST(Dependence, ArgumentsAndIndicesDetermineAffineAccesses) {
  expect_none(
      kernel("setp.ge.u32 %q0, %t, %n; @%q0 bra end; ld.global.f32 %f0, [%p];\n"
             "fma.rn.f32 %f0, %f0, %f0, %f0; st.global.f32 [%p], %f0;"));
}

TEST(Dependence, LoadedValuesMayBeData) {
  expect_none(
      kernel("ld.global.u32 %r0, [%p]; st.shared.u32 [s], %r0; bar.sync 0;\n"
             "ld.shared.u32 %r1, [s]; st.global.u32 [%p], %r1;"));
}

TEST(Dependence, FindsALoadedAddress) {
  expect_found(kernel("ld.global.u32 %r0, [%p]; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %a;\n"
                      "ld.global.u32 %r1, [%d0];"),
               "ld.global.u32 %r1, [%d0]", ADDRESS);
}

TEST(Dependence, FindsALoadedBranch) {
  expect_found(kernel("ld.global.u32 %r0, [%p]; setp.eq.u32 %q0, %r0, 7; @%q0 bra end;"), "bra end",
               BRANCH);
}

TEST(Dependence, FindsAnAccessWithALoadedGuard) {
  expect_found(kernel("ld.global.u32 %r0, [%p]; setp.eq.u32 %q0, %r0, 7;\n"
                      "@%q0 st.global.u32 [%p], %r0;"),
               "st.global.u32", BRANCH);
}

TEST(Dependence, AGuardPassesItsDependenceOn) {
  expect_found(kernel("ld.global.u32 %r0, [%p]; setp.eq.u32 %q0, %r0, 7; mov.u64 %d0, %a;\n"
                      "@%q0 mov.u64 %d0, %p; st.global.u32 [%d0], %t;"),
               "st.global.u32 [%d0]", ADDRESS);
}

TEST(Dependence, AtomicOperationsReturnLoadedValues) {
  expect_found(kernel("atom.global.add.u32 %r0, [%p], 1; mul.wide.u32 %d0, %r0, 4;\n"
                      "add.u64 %d0, %d0, %a; st.global.u32 [%d0], %t;"),
               "st.global.u32 [%d0]", ADDRESS);
}

TEST(Dependence, SharedMemoryPassesIndices) {
  expect_none(
      kernel("st.shared.u32 [s], %n; bar.sync 0; ld.shared.u32 %r0, [s];\n"
             "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %a; ld.global.u32 %r1, [%d0];"));
}

TEST(Dependence, SharedMemoryPassesLoadedValues) {
  expect_found(kernel("ld.global.u32 %r2, [%p]; st.shared.u32 [s], %r2; bar.sync 0;\n"
                      "ld.shared.u32 %r0, [s]; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %a;\n"
                      "ld.global.u32 %r1, [%d0];"),
               "ld.global.u32 %r1, [%d0]", ADDRESS);
}

TEST(Dependence, CopiesFillSharedMemoryWithLoadedValues) {
  expect_found(kernel("cp.async.ca.shared.global [s], [%p], 4; cp.async.wait_all;\n"
                      "ld.shared.u32 %r0, [s]; setp.eq.u32 %q0, %r0, 7; @%q0 bra end;"),
               "bra end", BRANCH);
}

TEST(Dependence, LocalMemoryPassesLoadedValues) {
  expect_none(
      kernel("st.local.u32 [l], %n; ld.local.u32 %r0, [l]; setp.eq.u32 %q0, %r0, 7;\n"
             "@%q0 bra end;"));
  expect_found(kernel("ld.global.u32 %r1, [%p]; st.local.u32 [l], %r1; ld.local.u32 %r0, [l];\n"
                      "setp.eq.u32 %q0, %r0, 7; @%q0 bra end;"),
               "bra end", BRANCH);
}

TEST(Dependence, ClocksAreNotDetermined) {
  expect_found(kernel("mov.u32 %r0, %clock; setp.gt.u32 %q0, %r0, %n; @%q0 bra end;"), "bra end",
               BRANCH);
  expect_found(kernel("mov.u32 %r0, %smid; setp.gt.u32 %q0, %r0, %n; @%q0 bra end;"), "bra end",
               BRANCH);
}

TEST(Dependence, RoundedValuesAreNamed) {
  expect_found(kernel("cvt.rn.f32.u32 %f0, %t; mul.f32 %f0, %f0, 0f3DCCCCCD;\n"
                      "setp.gt.f32 %q0, %f0, 0f3F800000; @%q0 bra end;"),
               "bra end", "a branch depends on a rounded value");
  expect_found(kernel("cvt.rn.f32.u32 %f0, %t; mul.f32 %f0, %f0, 0f3DCCCCCD;\n"
                      "cvt.rzi.u32.f32 %r0, %f0; mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %a;\n"
                      "st.global.u32 [%d0], %t;"),
               "st.global.u32", "an address depends on a rounded value");
  expect_none(kernel("cvt.rn.f32.u32 %f0, %t; setp.gt.f32 %q0, %f0, 0f3F800000; @%q0 bra end;"));
}

TEST(Dependence, LoopsPassValuesBackwards) {
  expect_found(kernel("mov.u32 %r0, 0;\nagain:\nadd.u32 %r1, %r0, 1;\n"
                      "setp.lt.u32 %q0, %r1, %n; mov.u32 %r0, %r2; ld.global.u32 %r2, [%p];\n"
                      "@%q0 bra again;"),
               "bra again", BRANCH);
}

const std::string NEXT =
    ".func (.param .b32 r) next(.param .b32 x)\n{\n.reg .b32 %r<4>; ld.param.u32 %r0, [x];\n"
    "add.u32 %r1, %r0, 1; st.param.b32 [r], %r1; ret;\n}\n";
std::string with_call(const std::string& argument) {
  return "{ .param .b32 x; .param .b32 y; st.param.b32 [x], " + argument +
         "; call.uni (y), next, (x); ld.param.b32 %r1, [y]; }\n"
         "setp.eq.u32 %q0, %r1, 7; @%q0 bra end;";
}

TEST(Dependence, CallsPassArgumentsAndResults) {
  expect_none(kernel(with_call("%n"), NEXT));
  expect_found(kernel("ld.global.u32 %r0, [%p];\n" + with_call("%r0"), NEXT), "bra end", BRANCH);
}

TEST(Dependence, FunctionsWithoutABodyReturnUnknownValues) {
  expect_found(kernel(with_call("%n"), ".extern .func (.param .b32 r) next(.param .b32 x);\n"),
               "bra end", BRANCH);
}

TEST(Dependence, FindsAnAccessInACalledFunction) {
  const std::string load =
      ".func touch(.param .b64 x)\n{\n.reg .b64 %d<4>; .reg .b32 %r<2>; ld.param.u64 %d0, [x];\n"
      "st.global.u32 [%d0], 7; ret;\n}\n";
  const auto call = [](const char* address) {
    return std::string("{ .param .b64 x; st.param.b64 [x], ") + address +
           "; call.uni touch, (x); }";
  };
  expect_none(kernel(call("%p"), load));
  expect_found(kernel("ld.global.u64 %d1, [%p];\n" + call("%d1"), load), "st.global.u32 [%d0]",
               ADDRESS);
}

TEST(Dependence, ParametersThroughARegisterAreArguments) {
  expect_none(kernel("mov.b64 %d0, a; ld.param.u64 %d1, [%d0]; st.global.u32 [%d1], %t;"));
}

// Code whose values change in each round of the search.
TEST(Dependence, EndsForLongChains) {
  std::string body = "mov.u32 %r0, %n;\n";
  constexpr int LENGTH = 3000;
  for (int at = LENGTH; at > 0; --at)
    body += "mov.u32 %x" + std::to_string(at) + ", %x" + std::to_string(at - 1) + ";\n";
  body += "ld.global.u32 %x0, [%p]; setp.eq.u32 %q0, %x3000, 7; @%q0 bra end;";
  expect_found(kernel(".reg .b32 %x<3001>;\n" + body), "", ADDRESS);
}

}  // namespace
}  // namespace cucore::perf
