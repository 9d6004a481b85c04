// SPDX-License-Identifier: Apache-2.0
// The cost of counting on the CPU device: the processor time of loops of one access each, counted
// and not counted. The runs alternate, and the shortest of each kind count, so that other work on
// the machine changes little. Prints one line per loop, and returns 1 if a ratio is above 4.
#include <cstdio>

#include <algorithm>
#include <memory>
#include <string>

#include "../tests/cpu/exec/text.hpp"
#include "cpu/counts/launch_trace.hpp"
#include "figures.hpp"

namespace {

using namespace cucore::cpu;
using namespace cucore::cpu::test;

constexpr int ROUNDS = 9;
constexpr double MOST = 4;

struct Loop {
  const char* name;
  // %r5 is a random number of the lane and the iteration. %r6 is the lane.
  const char* body;
};

constexpr Loop LOOPS[] = {
    {"shared load, random", "and.b32 %r7, %r5, 0x3ffc; ld.shared.u32 %r8, [%r7];"},
    {"shared load, 2 of a bank", "shl.b32 %r7, %r6, 3; ld.shared.u32 %r8, [%r7];"},
    {"shared load, 32 of a bank", "shl.b32 %r7, %r6, 7; ld.shared.u32 %r8, [%r7];"},
    {"shared load of 8 bytes, random", "and.b32 %r7, %r5, 0x3ff8; ld.shared.u64 %rd4, [%r7];"},
    {"shared load of 8 bytes, 32 of a bank", "shl.b32 %r7, %r6, 7; ld.shared.u64 %rd4, [%r7];"},
    {"shared load of 16 bytes, random",
     "and.b32 %r7, %r5, 0x3ff0; ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r7];"},
    {"shared load of 16 bytes, 32 of a bank",
     "shl.b32 %r7, %r6, 8; ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r7];"},
    {"shared store, random", "and.b32 %r7, %r5, 0x3ffc; st.shared.u32 [%r7], %r6;"},
    {"shared store of 16 bytes, random",
     "and.b32 %r7, %r5, 0x3ff0; st.shared.v4.u32 [%r7], {%r6, %r6, %r6, %r6};"},
    {"shared atomic, random", "and.b32 %r7, %r5, 0x3ffc; red.shared.add.u32 [%r7], 1;"},
    {"global load, random",
     "and.b32 %r7, %r5, 0xffffc; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "ld.global.u32 %r8, [%rd3];"},
    {"global load, random in 16 MiB",
     "and.b32 %r7, %r5, 0xfffffc; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "ld.global.u32 %r8, [%rd3];"},
    {"global load, rows of 256 bytes",
     "mul.wide.u32 %rd3, %r6, 256; add.u64 %rd3, %rd3, %rd0; ld.global.u32 %r8, [%rd3];"},
    {"global store, random",
     "and.b32 %r7, %r5, 0xffffc; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "st.global.u32 [%rd3], %r6;"},
    {"global atomic, random",
     "and.b32 %r7, %r5, 0xffffc; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "red.global.add.u32 [%rd3], 1;"},
    {"global atomic of 8 bytes, random",
     "and.b32 %r7, %r5, 0xffff8; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "red.global.add.u64 [%rd3], 1;"},
    {"global atomic of 8 bytes, conflicts",
     "and.b32 %r7, %r5, 0xf8; cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd0;\n"
     "red.global.add.u64 [%rd3], 1;"},
    {"local load, random",
     "and.b32 %r7, %r5, 0xfc; mov.u32 %r9, l; add.u32 %r7, %r7, %r9; ld.local.u32 %r8, [%r7];"},
};

std::string text_of(const Loop& loop) {
  return kernel_text(
      std::string(".shared .align 16 .b8 s[16384]; .local .align 16 .b8 l[256];\n"
                  "and.b32 %r6, %r1, 31; mov.u32 %r3, 0;\n"
                  "mad.lo.u32 %r4, %r1, 0x9e3779b1, 12345;\nagain:\n"
                  "mad.lo.u32 %r4, %r4, 1664525, 1013904223; shr.u32 %r5, %r4, 8;\n") +
      loop.body + "\nadd.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r0;\n@%p1 bra again;");
}

double seconds_of(const Kernel& kernel, bool counted, uint64_t memory) {
  if (counted) start_trace(std::make_shared<TraceCollector>(TraceOptions{false, false, 1}));
  const double start = processor_seconds();
  const auto fault = launch(kernel, shape(8, 128), nullptr, memory, memory, 4000);
  const double seconds = processor_seconds() - start;
  if (counted) stop_trace();
  if (fault) std::printf("%s\n", fault->text.c_str());
  return fault ? 1e9 : seconds;
}

}  // namespace

int main() {
  Settings settings;
  settings.threads = 1;
  configure(settings);
  const Array<uint32_t> memory(1 << 22);
  double worst = 0;
  for (const Loop& loop : LOOPS) {
    const auto module = load_text(text_of(loop));
    const Kernel& kernel = *module->find_kernel("k");
    double plain = 1e9, counted = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
      plain = std::min(plain, seconds_of(kernel, false, memory.address()));
      counted = std::min(counted, seconds_of(kernel, true, memory.address()));
    }
    worst = std::max(worst, counted / plain);
    std::printf("%-40s %7.2f ms %7.2f ms  %.2f\n", loop.name, plain * 1e3, counted * 1e3,
                counted / plain);
  }
  return worst > MOST;
}
