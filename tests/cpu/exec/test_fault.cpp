// SPDX-License-Identifier: Apache-2.0
// The events that must end a launch, and the error texts.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "cpu/checks/check_set.hpp"
#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const STORE =
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r1;";

TEST(Faults, OnePastTheEnd) {
  Array<int> a(40);
  const auto fault = run_text(kernel_text(STORE), shape(1, 64), a.address());
  expect_fault(fault, CUDA_ERROR_ILLEGAL_ADDRESS,
               {"kernel 'k'", "block (0,0,0)", "thread (40,0,0)", "wrote 4 bytes",
                "0 bytes past the end of the 160-byte allocation", "PTX line", "st.global.u32"});
}

TEST(Faults, FarBeyondAndBefore) {
  Array<int> a(40);
  expect_fault(run_text(kernel_text("ld.global.u32 %r3, [%rd0+1000];"), shape(1, 1), a.address()),
               CUDA_ERROR_ILLEGAL_ADDRESS,
               {"read 4 bytes", "840 bytes past the end of the 160-byte allocation"});
  expect_fault(run_text(kernel_text("ld.global.u32 %r3, [%rd0+-4];"), shape(1, 1), a.address()),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"4 bytes before the 160-byte allocation"});
}

TEST(Faults, AcrossTheEnd) {
  Array<int> a(40);
  expect_fault(
      run_text(kernel_text("ld.global.u64 %rd3, [%rd0+156];"), shape(1, 1), a.address() + 0),
      CUDA_ERROR_MISALIGNED_ADDRESS, {"read 8 bytes"});
  Array<char> odd(13);
  expect_fault(run_text(kernel_text("ld.global.u64 %rd3, [%rd0+8];"), shape(1, 1), odd.address()),
               CUDA_ERROR_ILLEGAL_ADDRESS,
               {"across the end of the 13-byte allocation", "offset 8"});
}

TEST(Faults, NullAndWildPointers) {
  expect_fault(run_text(kernel_text("ld.global.u32 %r3, [%rd0+16];"), shape(1, 1), 0),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"near the null pointer"});
  int on_the_host = 0;
  expect_fault(run_text(kernel_text("ld.global.u32 %r3, [%rd0];"), shape(1, 1),
                        reinterpret_cast<uint64_t>(&on_the_host)),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"illegal address"});
  expect_fault(run_text(kernel_text("ld.u32 %r3, [%rd0];"), shape(1, 1), ~uint64_t{3}),
               CUDA_ERROR_ILLEGAL_ADDRESS, {});
}

TEST(Faults, Misaligned) {
  Array<int> a(64);
  for (const char* text :
       {"ld.global.u32 %r3, [%rd0+2];", "st.global.u16 [%rd0+1], %rs1;",
        "ld.global.v4.u32 {%r3,%r4,%r5,%r6}, [%rd0+8];", "atom.global.add.u64 %rd3, [%rd0+4], 1;",
        "ld.acquire.gpu.global.u32 %r3, [%rd0+1];"})
    expect_fault(run_text(kernel_text(text), shape(1, 32), a.address()),
                 CUDA_ERROR_MISALIGNED_ADDRESS,
                 {"misaligned address", std::string(text, std::strlen(text) - 1).c_str()});
}

TEST(Faults, FreedMemory) {
  Array<int> a(64);
  const uint64_t address = a.address();
  a.free();
  expect_fault(run_text(kernel_text(STORE), shape(1, 32), address), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"256-byte allocation", "that was freed"});
}

TEST(Faults, FreedByTheKernelItself) {
  const std::string before =
      ".extern .func (.param .b64 r) malloc(.param .b64 s);\n.extern .func free(.param .b64 p);\n";
  const std::string body =
      "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 64; call.uni (r), malloc, (s); "
      "ld.param.b64 %rd2, [r]; }\n"
      "st.u32 [%rd2], 5; ld.u32 %r3, [%rd2]; st.global.u32 [%rd0], %r3;\n"
      "{ .param .b64 s; st.param.b64 [s], %rd2; call.uni free, (s); }\n"
      "mov.u32 %r4, 0;\nAGAIN: ld.u32 %r3, [%rd2]; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 3; "
      "@%p1 bra AGAIN;";
  Array<int> a(1);
  expect_fault(run_text(kernel_text(body, before), shape(1, 1), a.address()),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"that was freed"});
  EXPECT_EQ(a[0], 5);
}

TEST(Faults, SharedAndLocal) {
  const std::string shared =
      ".shared .align 4 .b8 s[128]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.s32 %r3, %r3, %r4; "
      "st.shared.u32 [%r3], %r1;";
  EXPECT_FALSE(run_text(kernel_text(shared), shape(1, 32)));
  expect_fault(run_text(kernel_text(shared), shape(1, 64)), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"thread (32,0,0)", "past the end of the 128 bytes of shared memory"});
  const std::string local =
      ".local .align 4 .b8 l[16]; mov.u64 %rd2, l; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, "
      "%rd3; st.local.u32 [%rd2], %r1;";
  EXPECT_FALSE(run_text(kernel_text(local), shape(1, 4)));
  expect_fault(run_text(kernel_text(local), shape(1, 32)), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"thread (4,0,0)", "local memory"});
}

TEST(Faults, ThroughGenericAddresses) {
  const std::string text =
      ".shared .align 4 .b8 s[64]; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; mul.wide.u32 %rd3, "
      "%r1, 4; add.s64 %rd2, %rd2, %rd3;"
      "st.u32 [%rd2], %r1; ld.u32 %r3, [%rd2]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd4, "
      "%rd0; st.u32 [%rd4], %r3;";
  Array<int> a(64);
  EXPECT_FALSE(run_text(kernel_text(text), shape(1, 16), a.address()));
  EXPECT_EQ(a[15], 15);
  expect_fault(run_text(kernel_text(text), shape(1, 17), a.address()), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"thread (16,0,0)", "64 bytes of shared memory"});
}

TEST(Faults, MemoryOfAnotherDevice) {
  const uint64_t other = AddressSpace::instance().allocate(64, 16, MemoryKind::DEVICE, 1);
  auto module = load_text(kernel_text(STORE));
  Shape s = shape(1, 4);
  EXPECT_FALSE(launch(*module->find_kernel("k"), s, nullptr, other, uint64_t{0}, 0));
  s.limits.accessible_devices = 1;
  expect_fault(launch(*module->find_kernel("k"), s, nullptr, other, uint64_t{0}, 0),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"device 1 without peer access"});
  AddressSpace::instance().release(other);
}

TEST(Faults, Trap) {
  expect_fault(run_text(kernel_text("setp.eq.u32 %p1, %r1, 7; @%p1 trap;"), shape(1, 32)),
               CUDA_ERROR_LAUNCH_FAILED, {"trap", "thread (7,0,0)"});
}

TEST(Faults, Assertion) {
  const std::string before =
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 g, "
      ".param .b64 c);\n"
      ".global .align 1 .b8 m[6] = {120, 32, 62, 32, 48, 0};\n.global .align 1 .b8 f[5] = {97, 46, "
      "99, 117, 0};\n";
  const std::string body =
      "setp.ne.u32 %p1, %r1, 3; @%p1 bra DONE;\nmov.u64 %rd2, m; cvta.global.u64 %rd2, %rd2; "
      "mov.u64 %rd3, f; cvta.global.u64 %rd3, %rd3;\n"
      "{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;\n"
      "st.param.b64 [p0], %rd2; st.param.b64 [p1], %rd3; st.param.b32 [p2], 12; st.param.b64 [p3], "
      "%rd3; st.param.b64 [p4], 1;\n"
      "call.uni __assertfail, (p0, p1, p2, p3, p4); }\nDONE:";
  Output output;
  Shape s = shape(2, 32);
  s.output = &output;
  const auto fault = run_text(kernel_text(body, before), s);
  testing::internal::CaptureStderr();
  output.flush();
  const std::string text = testing::internal::GetCapturedStderr();
  expect_fault(fault, CUDA_ERROR_ASSERT, {"x > 0"});
  EXPECT_NE(text.find("a.cu:12: a.cu: block: ["), std::string::npos) << text;
  EXPECT_NE(text.find("thread: [3,0,0] Assertion `x > 0` failed."), std::string::npos) << text;
}

TEST(Faults, BarrierThatNotAllReach) {
  const std::string text =
      "setp.eq.u32 %p1, %r1, 5; @%p1 bra OTHER; bar.sync 1; bra DONE; OTHER: bar.sync 2; DONE:";
  expect_fault(run_text(kernel_text(text), shape(1, 64)), CUDA_ERROR_LAUNCH_TIMEOUT,
               {"deadlock", "bar.sync 1", "bar.sync 2", "threads wait at PTX line"});
}

TEST(Faults, SyncThatAMemberNeverReaches) {
  const std::string text =
      "setp.eq.u32 %p1, %r1, 5; @%p1 bra OTHER; shfl.sync.idx.b32 %r3, %r1, 0, 31, -1; bra "
      "DONE;\nOTHER: bar.sync 0; DONE:";
  expect_fault(run_text(kernel_text(text), shape(1, 32)), CUDA_ERROR_LAUNCH_TIMEOUT,
               {"deadlock", "shfl.sync"});
}

TEST(Faults, EndlessRecursion) {
  const std::string before =
      ".func (.param .b32 r) f(.param .b32 x)\n{ .reg .b32 %r<4>; ld.param.b32 %r1, [x]; { .param "
      ".b32 y; .param .b32 q; st.param.b32 [y], %r1;"
      " call.uni (q), f, (y); ld.param.b32 %r2, [q]; } add.s32 %r2, %r2, 1; st.param.b32 [r], %r2; "
      "ret; }\n";
  const std::string body =
      "{ .param .b32 y; .param .b32 q; st.param.b32 [y], %r1; call.uni (q), f, (y); ld.param.b32 "
      "%r2, [q]; }";
  expect_fault(run_text(kernel_text(body, before), shape(1, 32)), CUDA_ERROR_LAUNCH_FAILED,
               {"stack overflow", "in function 'f'"});
}

TEST(Faults, IndirectCallOfNoFunction) {
  const std::string body = "P: .callprototype _ (); call %rd0, P;";
  auto module_text = kernel_text("P: .callprototype _ (); call %rd0, (), P;");
  std::optional<Fault> fault;
  try {
    fault = run_text(module_text, shape(1, 1), 1234);
  } catch (const std::exception&) {
    fault = run_text(kernel_text(body), shape(1, 1), 1234);
  }
  expect_fault(fault, CUDA_ERROR_INVALID_PC, {"0x4d2"});
}

TEST(Faults, InstructionBudget) {
  const Settings before = settings();
  Settings s = before;
  s.instruction_budget = 100000;
  configure(s);
  const auto endless = run_text(kernel_text("LOOP: bra LOOP;"), shape(4, 64));
  Array<int> a(32);
  const auto ends = run_text(kernel_text(STORE), shape(1, 32), a.address());
  configure(before);
  expect_fault(endless, CUDA_ERROR_LAUNCH_TIMEOUT, {"budget of 100000", "CUCORE_CPU_TIMEOUT"});
  EXPECT_FALSE(ends);
}

// The text names a thread that runs, before threads that wait, and the function in which it is.
TEST(Faults, InstructionBudgetNamesARunningThread) {
  const Settings before = settings();
  Settings s = before;
  s.instruction_budget = 100000;
  configure(s);
  const std::string function = ".func spin() {\nLOOP: bra LOOP;\nret;\n}\n";
  const auto fault = run_text(
      kernel_text("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra WAIT;\ncall spin;\nWAIT: bar.sync 0;",
                  function),
      shape(1, 64));
  configure(before);
  expect_fault(fault, CUDA_ERROR_LAUNCH_TIMEOUT,
               {"budget of 100000",
                "kernel 'k' block (0,0,0) thread (32,0,0) in function 'spin' is at PTX line 5"});
}

// Without the count of sleep, this loop would take minutes for its million instructions. The
// schedule does not matter.
TEST(Faults, InstructionBudgetCountsSleep) {
  const Settings before = settings();
  Settings s = before;
  s.instruction_budget = 1000000;
  configure(s);
  const std::string loop = "LOOP: nanosleep.u32 1000000; bra LOOP;";
  for (const WarpOrder order : {WarpOrder::PARALLEL, WarpOrder::SEQUENTIAL}) {
    set_schedule({order, 0});
    const auto asleep = run_text(kernel_text(loop), shape(1, 1));
    set_schedule({});
    expect_fault(asleep, CUDA_ERROR_LAUNCH_TIMEOUT, {"budget of 1000000", "CUCORE_CPU_TIMEOUT"});
  }
  const auto short_sleep =
      run_text(kernel_text("mov.u32 %r3, 0;\nAGAIN: nanosleep.u32 1000000; add.u32 %r3, %r3, 1; "
                           "setp.lt.u32 %p1, %r3, 9; @%p1 bra AGAIN;"),
               shape(1, 1));
  configure(before);
  EXPECT_FALSE(short_sleep);  // 900,000 and a few
}

TEST(Faults, SourceLineOfTheFault) {
  const std::string text =
      kernel_text(".loc 1 77 3\nst.global.u32 [%rd0], %r1;") + ".file 1 \"dir/kernel.cu\"\n";
  expect_fault(run_text(text, shape(1, 1), 64), CUDA_ERROR_ILLEGAL_ADDRESS, {"dir/kernel.cu:77"});
}

// A compiler receives this folder for a program without one, and the name of an instantiation.
TEST(Faults, NamesAreThoseOfTheSource) {
  std::string text =
      kernel_text(".loc 1 77 3\nst.global.u32 [%rd0], %r1;") + ".file 1 \"/.cucore/kernel.cu\"\n";
  text.replace(text.find("entry k("), 8, "entry _Z1kIfEvPT_i(");
  auto module = load_text(text);
  const auto fault = launch(*module->find_kernel("_Z1kIfEvPT_i"), shape(1, 1), nullptr,
                            uint64_t{64}, uint64_t{0}, 0);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->text.find("kernel 'k<float>' block (0,0,0) thread (0,0,0): illegal address: "),
            0u)
      << fault->text;
  EXPECT_NE(fault->text.find("; at kernel.cu:77 (PTX line "), std::string::npos) << fault->text;
}

TEST(Faults, NamesOfKernelsAreReadable) {
  const std::pair<const char*, const char*> names[] = {
      {"saxpy", "saxpy"},
      {"_Z5saxpyPfi", "saxpy"},
      {"_ZN2ns1kIfLi3EEEvPT_", "ns::k<float, 3>"},
      {"_ZN12_GLOBAL__N_11kIiEEvT_", "(anonymous namespace)::k<int>"},
      {"_Z1kI4PairIifEEvT_", "k<Pair<int, float> >"},
      {"_Z1kIPFviEEvT_", "k<void (*)(int)>"},
      {"_Zwrong", "_Zwrong"},
      {"", ""}};
  for (const auto& [name, wanted] : names) EXPECT_EQ(shown_name(name), wanted) << name;
}

TEST(Faults, ShowPtxWhereThatIsWanted) {
  const Settings before = settings();
  Settings s = before;
  const std::string text = kernel_text("st.global.u32 \t[%rd0],\n\t%r1;");
  for (const bool show : {false, true}) {
    s.show_ptx = show;
    configure(s);
    const auto fault = run_text(text, shape(1, 1), 64);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->text.ends_with(": st.global.u32 [%rd0], %r1"), show) << fault->text;
    EXPECT_NE(fault->text.find("; at PTX line "), std::string::npos) << fault->text;
  }
  configure(before);
}

TEST(Faults, OthersStopSoon) {
  // One block faults; all others would run forever.
  const std::string text = "setp.ne.u32 %p1, %r2, 3; @%p1 bra LOOP; trap; LOOP: bra LOOP;";
  expect_fault(run_text(kernel_text(text), shape(8, 32)), CUDA_ERROR_LAUNCH_FAILED,
               {"block (3,0,0)"});
}

TEST(Faults, TooMuchSharedMemory) {
  auto module = load_text(kernel_text(STORE));
  const auto fault =
      launch(*module->find_kernel("k"), shape(1, 1, 1 << 20), nullptr, uint64_t{0}, uint64_t{0}, 0);
  expect_fault(fault, CUDA_ERROR_INVALID_VALUE, {});
}

TEST(Loading, ErrorsAreReported) {
  std::string log;
  CUresult code = CUDA_SUCCESS;
  auto load = [&](const std::string& text, DeviceLimits limits = {}) {
    log.clear();
    return LoadedModule::load(text.data(), text.size(), 0, limits, log, code);
  };
  EXPECT_FALSE(load("nonsense"));
  EXPECT_EQ(code, CUDA_ERROR_INVALID_PTX);
  EXPECT_FALSE(log.empty());
  EXPECT_FALSE(load(kernel_text("call.uni g;", ".extern .func g();\n")));
  EXPECT_EQ(code, CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(log.find("unresolved extern function 'g'"), std::string::npos) << log;
  DeviceLimits old;
  old.sm = 75;
  EXPECT_FALSE(load(kernel_text(""), old));
  EXPECT_EQ(code, CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST(Loading, GivesItsMemoryBack) {
  const auto before = AddressSpace::instance().use(0, MemoryKind::CODE);
  {
    auto module = load_text(kernel_text("", ".visible .global .align 4 .u32 g[100] = {1, 2};\n"));
    const GlobalInfo* g = module->find_global("g");
    ASSERT_TRUE(g);
    EXPECT_EQ(g->size, 400u);
    EXPECT_EQ(static_cast<int*>(AddressSpace::instance().host(g->address, 8))[1], 2);
    EXPECT_GT(AddressSpace::instance().use(0, MemoryKind::CODE).bytes, before.bytes);
  }
  EXPECT_EQ(AddressSpace::instance().use(0, MemoryKind::CODE).bytes, before.bytes);
}

}  // namespace
}  // namespace cucore::cpu::test
