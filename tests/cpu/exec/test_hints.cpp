// SPDX-License-Identifier: Apache-2.0
// Instructions without an effect on values here: griddepcontrol, setmaxnreg, pmevent and
// applypriority. A kernel runs on after them with its registers and memory unchanged.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

// Each thread stores n + its number, computed before the instruction and stored after it.
std::string around(const std::string& instruction) {
  return kernel_text(
      "add.u32 %r3, %r0, %r1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;\n" +
      instruction + "\nst.global.u32 [%rd2], %r3;");
}

void expect_no_effect(const std::string& instruction, unsigned threads = 128) {
  Array<unsigned> a(threads);
  expect_success(run_text(around(instruction), shape(1, threads), a.address(), 0, 1000));
  for (unsigned i = 0; i < threads; ++i) ASSERT_EQ(a[i], 1000 + i) << instruction;
}

TEST(Hints, DependenciesOfGrids) {
  expect_no_effect("griddepcontrol.wait;");
  expect_no_effect("griddepcontrol.launch_dependents;");
  expect_no_effect("griddepcontrol.launch_dependents; griddepcontrol.wait;", 1);
}

// Threads of one warp may disagree about dependent launches.
TEST(Hints, DependenciesInBranches) {
  expect_no_effect(
      "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0;"
      "@%p1 griddepcontrol.launch_dependents; @!%p1 griddepcontrol.wait;");
}

TEST(Hints, NumbersOfRegisters) {
  expect_no_effect("setmaxnreg.dec.sync.aligned.u32 24;");
  expect_no_effect("setmaxnreg.inc.sync.aligned.u32 256;");
  // Producers release registers, consumers take them.
  expect_no_effect(
      "setp.lt.u32 %p1, %r1, 128; @%p1 bra PRODUCER;"
      "setmaxnreg.inc.sync.aligned.u32 240; bra DONE;\n"
      "PRODUCER: setmaxnreg.dec.sync.aligned.u32 40;\nDONE:",
      256);
}

TEST(Hints, EventsOfProfilers) {
  expect_no_effect("pmevent 0;");
  expect_no_effect("pmevent 15;");
  expect_no_effect("pmevent.mask 0x8001;");
}

TEST(Hints, FencesOfProxies) { expect_no_effect("membar.proxy.alias;"); }

// This device has no counters of performance.
TEST(Hints, CountersAreZero) {
  Array<uint64_t> a(2, 7);
  expect_success(run_text(kernel_text("mov.u64 %rd2, %pm0_64; mov.u64 %rd3, %pm7_64;"
                                      "st.global.v2.u64 [%rd0], {%rd2, %rd3};"),
                          shape(1, 1), a.address()));
  EXPECT_EQ(a.values(), (std::vector<uint64_t>{0, 0}));
}

TEST(Hints, PrioritiesOfCaches) {
  Array<unsigned> a(64);
  const auto text = [](const char* instruction) {
    return kernel_text(std::string("ld.global.u32 %r3, [%rd0];") + instruction +
                       "add.u32 %r3, %r3, 1; bar.sync 0; st.global.u32 [%rd0], %r3;");
  };
  for (const char* instruction : {"applypriority.global.L2::evict_normal [%rd0], 128;",
                                  "applypriority.L2::evict_normal [%rd0+128], 128;"})
    expect_success(run_text(text(instruction), shape(1, 32), a.address()));
  EXPECT_EQ(a[0], 2u);
}

// A hint does not access memory, so that any address is valid.
TEST(Hints, PrioritiesOfNoMemory) {
  expect_success(run_text(kernel_text("applypriority.global.L2::evict_normal [%rd1], 128;"),
                          shape(1, 32), 0, 128));
}

}  // namespace
}  // namespace cucore::cpu::test
