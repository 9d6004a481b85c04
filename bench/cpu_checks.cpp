// SPDX-License-Identifier: Apache-2.0
// The cost of all checks on the CPU device, by kinds of accesses: the processor time of kernels
// with checks and without. The runs alternate, and the shortest of each kind count, so that other
// work on the machine changes little. Prints one line per kernel. Returns 1 if there is a report,
// or if a ratio stays above the limit for processors with AVX-512. CUCORE_CPU_CHECK chooses the
// checks. An argument chooses the kernels whose names contain it.
#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <memory>
#include <string>

#include "../tests/cpu/exec/text.hpp"
#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "figures.hpp"

namespace {

using namespace cucore::cpu;
using namespace cucore::cpu::test;

constexpr int ROUNDS = 15;
// The ratios are to be at most 3. Scattered accesses to records depend on the caches, so that other
// work on the machine raises their ratios by up to a fifth. A kernel above the limit is measured
// again, because that work may end. A slower check stays slow.
constexpr double MOST = 3.5;
// Two instructions read the same random words, so that each word needs its own record of which one
// it was. A kernel that does little else waits for the caches.
constexpr double MOST_OF_TWO_GATHERS = 4.5;
constexpr int MOST_TRIES = 5;
constexpr uint32_t N = 1 << 19;  // elements

struct Program {
  const char* name;
  // %r1 is the number of the thread in the grid, %rd0 the input of N * 8 bytes, %rd1 the output.
  const char* body;
  double most = MOST;
};

constexpr Program KERNELS[] = {
    {"copy of f32",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;"},
    {"copy of f32, moved by 3",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u32 %r2, [%rd3+12]; st.global.u32 [%rd4+12], %r2;"},
    {"copy of f64, moved by 1",
     "mul.wide.u32 %rd2, %r1, 8; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u64 %rd5, [%rd3+8]; st.global.u64 [%rd4+8], %rd5;"},
    {"stencil of f32, 3 points",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.f32 %f0, [%rd3]; ld.global.f32 %f1, [%rd3+4]; ld.global.f32 %f2, [%rd3+8];\n"
     "add.f32 %f0, %f0, %f1; add.f32 %f0, %f0, %f2; st.global.f32 [%rd4], %f0;"},
    {"stencil of f64, 5 points",
     "mul.wide.u32 %rd2, %r1, 8; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.f64 %fd0, [%rd3+4096]; ld.global.f64 %fd1, [%rd3+4104];\n"
     "ld.global.f64 %fd2, [%rd3+4112]; ld.global.f64 %fd3, [%rd3]; ld.global.f64 %fd4, "
     "[%rd3+8200];\n"
     "add.f64 %fd0, %fd0, %fd1; add.f64 %fd0, %fd0, %fd2; add.f64 %fd0, %fd0, %fd3;\n"
     "add.f64 %fd0, %fd0, %fd4; st.global.f64 [%rd4+4104], %fd0;"},
    {"gather of f32",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd4, %rd1, %rd2;\n"
     "mul.lo.u32 %r3, %r1, 0x9e3779b1; shr.u32 %r3, %r3, 13; mul.wide.u32 %rd3, %r3, 4;\n"
     "add.u64 %rd3, %rd3, %rd0; ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;"},
    {"two gathers of f32",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd4, %rd1, %rd2;\n"
     "mul.lo.u32 %r3, %r1, 0x9e3779b1; shr.u32 %r3, %r3, 13; mul.wide.u32 %rd3, %r3, 4;\n"
     "add.u64 %rd3, %rd3, %rd0; ld.global.u32 %r2, [%rd3];\n"
     "mul.lo.u32 %r3, %r1, 0x85ebca6b; shr.u32 %r3, %r3, 13; mul.wide.u32 %rd3, %r3, 4;\n"
     "add.u64 %rd3, %rd3, %rd0; ld.global.u32 %r4, [%rd3];\n"
     "add.u32 %r2, %r2, %r4; st.global.u32 [%rd4], %r2;",
     MOST_OF_TWO_GATHERS},
    {"scatter of f32",
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; ld.global.u32 %r2, [%rd3];\n"
     "mul.lo.u32 %r3, %r1, 0x9e3779b1; and.b32 %r3, %r3, 0x7ffff; mul.wide.u32 %rd4, %r3, 4;\n"
     "add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r2;"},
    {"stride of 2 words",
     "mul.wide.u32 %rd2, %r1, 8; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;"},
    {"transposed, rows of 1024",
     "and.b32 %r2, %r1, 1023; shr.u32 %r3, %r1, 10; mad.lo.u32 %r4, %r2, 512, %r3;\n"
     "mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd0, %rd2; ld.global.u32 %r5, [%rd3];\n"
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd4, %rd1, %rd2; st.global.u32 [%rd4], %r5;"},
    {"naive product of matrices",
     // 512 columns; 16 steps of k
     "and.b32 %r2, %r1, 511; shr.u32 %r3, %r1, 9; mov.u32 %r4, 0; mov.f32 %f0, 0f00000000;\n"
     "shl.b32 %r5, %r3, 7; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd2, %rd0;\n"
     "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd3, %rd0;\nagain:\n"
     "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd3]; fma.rn.f32 %f0, %f1, %f2, %f0;\n"
     "ld.global.f32 %f1, [%rd2+4]; ld.global.f32 %f2, [%rd3+2048]; fma.rn.f32 %f0, %f1, %f2, %f0;\n"
     "add.u64 %rd2, %rd2, 8; add.u64 %rd3, %rd3, 4096;\n"
     "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra again;\n"
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd4, %rd1, %rd2; st.global.f32 [%rd4], %f0;"},
    {"bytes",
     "cvt.u64.u32 %rd2, %r1; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u8 %r2, [%rd3]; st.global.u8 [%rd4], %r2;"},
    {"half of the lanes",
     "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra done;\n"
     "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
     "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;\ndone:"},
};

std::string text_of(const Program& program) {
  return kernel_text(std::string("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
                                 "mad.lo.u32 %r1, %r2, %r3, %r1;\n") +
                     program.body);
}

double seconds_of(const Kernel& kernel, uint32_t checks, uint64_t in, uint64_t out) {
  enable_checks(checks);
  const double start = processor_seconds();
  const auto fault = launch(kernel, shape(N / 128, 128), nullptr, in, out, N);
  const double seconds = processor_seconds() - start;
  enable_checks(0);
  if (fault) std::printf("%s\n", fault->text.c_str());
  return fault ? 1e9 : seconds;
}

struct Seconds {
  double plain = 1e9, checked = 1e9;
  double ratio() const { return checked / plain; }
};

Seconds measure(const Kernel& kernel, uint32_t checks, uint64_t in, uint64_t out) {
  Seconds least;
  for (int round = 0; round < ROUNDS; ++round) {
    least.plain = std::min(least.plain, seconds_of(kernel, 0, in, out));
    least.checked = std::min(least.checked, seconds_of(kernel, checks, in, out));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.threads = 1;
  configure(settings);
  const char* const chosen = std::getenv("CUCORE_CPU_CHECK");
  const uint32_t checks = parse_checks(chosen ? chosen : "all").value_or(0);
  bool is_good = true;
  for (const Program& program : KERNELS) {
    if (argc > 1 && std::string(program.name).find(argv[1]) == std::string::npos) continue;
    const Array<double> in(N + 4096), out(N + 4096);  // with cells of their own
    const auto module = load_text(text_of(program));
    const Kernel& kernel = *module->find_kernel("k");
    bool is_below = false;
    for (int tries = 0; tries < MOST_TRIES && !is_below; ++tries) {
      const Seconds seconds = measure(kernel, checks, in.address(), out.address());
      is_below = seconds.ratio() <= program.most || simd_level() != Simd::AVX512;
      std::printf("%-30s %7.2f ms %7.2f ms  %.2f%s\n", program.name, seconds.plain * 1e3,
                  seconds.checked * 1e3, seconds.ratio(), is_below ? "" : "  above the limit");
    }
    is_good &= is_below;
  }
  if (const std::string reports = Reports::instance().text(); !reports.empty()) {
    std::fputs(reports.c_str(), stderr);
    return 1;
  }
  return !is_good;
}
