// SPDX-License-Identifier: Apache-2.0
// The life of machine code: when it exists, who executes it, what ends it, and what it must not
// depend on.
#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "configured.hpp"
#include "cpu/compile/plan.hpp"
#include "cpu/exec/module.hpp"
#include "text.hpp"

namespace cucore::cpu::test {
namespace {

const Plan& plan_of_kernel(const LoadedModule& module) {
  return plan_of(*static_cast<const KernelImage&>(*module.find_kernel("k")).decoded.function);
}

// a[i] = (b[i] + 1) * b[i] - 3, for the threads of a block.
const char* const POLYNOMIAL =
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;\n"
    "ld.global.b32 %r3, [%rd4]; add.s32 %r4, %r3, 1; mul.lo.s32 %r4, %r4, %r3;\n"
    "sub.s32 %r4, %r4, 3; st.global.b32 [%rd3], %r4;";

// Returns whether a launch of POLYNOMIAL has the right results.
bool polynomial_is_right(const Kernel& kernel) {
  Array<int> a(64), b(64);
  for (int i = 0; i < 64; ++i) b[size_t(i)] = i - 7;
  if (launch(kernel, shape(1, 64), nullptr, a.address(), b.address(), 0)) return false;
  for (int i = 0; i < 64; ++i)
    if (a[size_t(i)] != (i - 6) * (i - 7) - 3) return false;
  return true;
}

// Returns the permissions of a page, such as "r-xp"; an empty text if it is not mapped.
std::string permissions_of(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto place = reinterpret_cast<uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 &&
        begin <= place && place < end)
      return permissions;
  }
  return "";
}

TEST(Code, ExistsUnlessItIsDisabled) {
  for (const bool compile : {false, true}) {
    const Configured configured(compile);
    const auto module = load_text(kernel_text(POLYNOMIAL));
    const bool expected = compile && simd_level() == Simd::AVX512;
    EXPECT_EQ(plan_of_kernel(*module).code.data() != nullptr, expected);
    EXPECT_TRUE(polynomial_is_right(*module->find_kernel("k")));
  }
}

#ifdef __linux__
TEST(Code, IsNeverWritableAndGoesWithItsModule) {
  auto module = load_text(kernel_text(POLYNOMIAL));
  ASSERT_TRUE(polynomial_is_right(*module->find_kernel("k")));
  const uint8_t* const code = plan_of_kernel(*module).code.data();
  if (!code) GTEST_SKIP() << "the processor lacks AVX-512";
  EXPECT_EQ(permissions_of(code), "r-xp");
  module.reset();
  EXPECT_NE(permissions_of(code), "r-xp");
}

#if defined(__x86_64__) && defined(SYS_mprotect)
// Makes every later mprotect() that asks for executable memory fail.
bool refuse_executable_memory() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int RIGHT = 0, WRONG = 1, NO_FILTER = 2;

int run_without_executable_memory() {
  if (!refuse_executable_memory()) return NO_FILTER;
  const auto module = load_text(kernel_text(POLYNOMIAL));
  const bool right = polynomial_is_right(*module->find_kernel("k"));
  const Plan& plan = plan_of_kernel(*module);
  for (const Step& step : plan.steps)
    if (!step.run) return WRONG;
  return right && !plan.code.data() ? RIGHT : WRONG;
}

TEST(Code, HandlersRunWithoutExecutableMemory) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process without threads
  EXPECT_EXIT(
      std::exit(run_without_executable_memory()),
      [](int status) {
        return WIFEXITED(status) &&
               (WEXITSTATUS(status) == RIGHT || WEXITSTATUS(status) == NO_FILTER);
      },
      "");
}
#endif
#endif

// A predicate 2 GiB behind the first register. Offsets in machine code end there.
TEST(Code, HasNoRegisterThatIsTooFar) {
  constexpr unsigned MOST = (1u << 22) - 2;  // registers, without the two predicates
  const std::string text =
      std::string(HEAD) + ".visible .entry k()\n{\n.reg .b128 %q<" + std::to_string(MOST) +
      ">; .reg .pred %p<2>;\nnot.pred %p0, %p1; xor.pred %p1, %p0, %p1;\nret;\n}\n";
  const std::string room(300'000, '/');  // a comment: the length of the text bounds the registers
  const auto module = load_text(text + room + "\n");
  EXPECT_EQ(plan_of_kernel(*module).code.data(), nullptr);
}

// ---- ends of endless loops

const char* const ENDLESS =
    "LOOP: add.s32 %r3, %r3, %r1; xor.b32 %r4, %r3, %r0; mul.lo.s32 %r3, %r4, %r3; bra.uni LOOP;";

TEST(Code, EndsWithTheBudgetOfInstructions) {
  for (const bool compile : {false, true}) {
    const Configured configured(compile, 100'000);
    const auto module = load_text(kernel_text(ENDLESS));
    LaunchStatistics statistics;
    const auto fault =
        launch(*module->find_kernel("k"), shape(1, 40), &statistics, uint64_t{0}, uint64_t{0}, 0);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, CUDA_ERROR_LAUNCH_TIMEOUT);
    EXPECT_LT(statistics.warp_instructions, 300'000u);
  }
}

TEST(Code, EndsAfterTheFaultOfAnotherBlock) {
  const std::string text = std::string("setp.eq.u32 %p1, %r2, 1; @%p1 trap;\n") + ENDLESS;
  const auto fault = run_text(kernel_text(text), shape(2, 32));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, CUDA_ERROR_LAUNCH_FAILED);
}

// ---- threads

TEST(Code, ManyThreadsBuildOnePlan) {
  constexpr unsigned THREADS = 64;
  for (int round = 0; round < 8; ++round) {
    const auto module = load_text(kernel_text(POLYNOMIAL));
    std::vector<const Plan*> plans(THREADS);
    std::atomic<unsigned> wrong{0}, ready{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < THREADS; ++t)
      threads.emplace_back([&, t] {
        for (++ready; ready < THREADS;) std::this_thread::yield();
        wrong += !polynomial_is_right(*module->find_kernel("k"));
        plans[t] = &plan_of_kernel(*module);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
    for (const Plan* plan : plans) EXPECT_EQ(plan, plans[0]);
  }
}

// ---- the environment of the launching thread

#ifdef __x86_64__
// Rounds up, takes subnormal numbers for zero, and raises signals.
class HostileFloats {
 public:
  HostileFloats() : before_(_mm_getcsr()) { _mm_setcsr(VALUE); }
  ~HostileFloats() { _mm_setcsr(before_); }
  HostileFloats(const HostileFloats&) = delete;
  HostileFloats& operator=(const HostileFloats&) = delete;
  static bool is_set() { return (_mm_getcsr() & ~0x3fu) == VALUE; }

 private:
  static constexpr unsigned FLUSH = 0x8000, NO_SUBNORMALS = 0x40, UP = 0x4000;
  static constexpr unsigned QUIET_INEXACT = 0x1000;
  static constexpr unsigned VALUE = FLUSH | UP | QUIET_INEXACT | NO_SUBNORMALS;
  const unsigned before_;
};

// Sums of 1 and 2^-30, products with a subnormal result, and a division by zero.
const char* const SENSITIVE =
    "mov.b32 %f0, 0f3F800000; mov.b32 %f1, 0f30800000; add.f32 %f2, %f0, %f1;\n"
    "mov.b32 %f3, 0f00800000; mov.b32 %f4, 0f3F000000; mul.f32 %f5, %f3, %f4;\n"
    "mov.b32 %f6, 0f00000000; div.rn.f32 %f7, %f0, %f6; add.f64 %fd0, 0d3FF0000000000000, "
    "0d3C00000000000000;\n"
    "st.global.f32 [%rd0], %f2; st.global.f32 [%rd0+4], %f5; st.global.f32 [%rd0+8], %f7;\n"
    "st.global.f64 [%rd0+16], %fd0;";

TEST(Code, IgnoresTheFloatsOfTheCaller) {
  for (const bool compile : {false, true}) {
    const Configured configured(compile);
    const auto module = load_text(kernel_text(SENSITIVE));
    Array<uint32_t> a(6);
    std::optional<Fault> fault;
    bool kept = false;
    {
      const HostileFloats hostile;
      fault = launch(*module->find_kernel("k"), shape(1, 32), nullptr, a.address(), uint64_t{0}, 0);
      kept = HostileFloats::is_set();
    }
    EXPECT_TRUE(kept);
    ASSERT_FALSE(fault) << fault->text;
    EXPECT_EQ(a.values(),
              (std::vector<uint32_t>{0x3f800000, 0x00400000, 0x7f800000, 0, 0, 0x3ff00000}));
  }
}
#endif

}  // namespace
}  // namespace cucore::cpu::test
