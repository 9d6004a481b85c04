// SPDX-License-Identifier: Apache-2.0
// Calls: functions of other modules, the stack of a call, and arguments in registers.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// A module with `f(p, q)`, and the address of the function.
class OtherModule {
 public:
  explicit OtherModule(const std::string& body)
      : module_(load_text(std::string(HEAD) +
                          ".visible .func f(.param .b64 p, .param .b64 q) {\n"
                          ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n" +
                          body + "ret;\n}\n.visible .global .align 8 .u64 entry = f;\n")) {}
  uint64_t function() const {
    uint64_t address = 0;
    const uint64_t entry = module_->find_global("entry")->address;
    std::memcpy(&address, AddressSpace::instance().host(entry, sizeof address), sizeof address);
    return address;
  }

 private:
  std::shared_ptr<LoadedModule> module_;
};

// The words of a are the function, p and q. The kernel reads them several times.
std::string calling(const std::string& after = "") {
  return kernel_text(
      repeated("ld.global.u64 %rd3, [%rd0]; ld.global.u64 %rd4, [%rd0+8];"
               "ld.global.u64 %rd5, [%rd0+16];\n",
               8) +
      "{ .param .b64 p; .param .b64 q; st.param.b64 [p], %rd4; st.param.b64 [q], %rd5;\n"
      "P: .callprototype _ (.param .b64 _, .param .b64 _); call %rd3, (p, q), P; }\n" +
      after);
}

// The function has many more memory instructions than the module of the kernel. Its last copy
// ends in the kernel.
TEST(OtherModules, HaveMoreMemoryInstructions) {
  const OtherModule other(
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x; mov.u32 %r3, 0;\n" +
      repeated("ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r3, %r2;\n", 5000) +
      "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, %rd3; atom.global.add.u32 %r2, [%rd2], %r3;\n"
      "st.global.u32 [%rd2+128], %r1; shl.b32 %r1, %r1, 2;\n"
      "cp.async.ca.shared.global [%r1], [%rd1], 4;\n");
  Array<uint32_t> p(1, 3), q(64), b(32);
  const Array<uint64_t> a({other.function(), p.address(), q.address()});
  expect_success(run_text(calling("cp.async.wait_all; shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd6, %r4;"
                                  "ld.shared.u32 %r5, [%r4]; add.s64 %rd6, %rd6, %rd1;"
                                  "ld.global.u64 %rd7, [%rd0]; st.global.u32 [%rd6], %r5;"),
                          shape(3, 32, 128), a.address(), b.address()));
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(q[t], 3 * 15000u) << t;
    EXPECT_EQ(q[32 + t], t);
    EXPECT_EQ(b[t], 3u);
  }
}

// The kernel has read the memory with as many instructions as the function has before its store.
TEST(OtherModules, CannotWriteMemoryThatTheKernelMayRead) {
  const OtherModule other(repeated("ld.param.u64 %rd1, [p];\n", 10) +
                          "st.global.u64 [%rd1], %rd1;\n");
  Array<uint64_t> a(3);
  a[0] = other.function();
  a[1] = a.address();
  expect_success(run_text(calling(), shape(1, 32), a.address()));
  EXPECT_EQ(a[0], a.address());
  a[0] = other.function();
  AddressSpace::instance().set_read_only(a.address(), true);
  expect_fault(run_text(calling(), shape(1, 32), a.address()), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"read-only memory"});
}

TEST(CallStacks, OverflowWithTheAddressesOfManyParameters) {
  const std::string function =
      ".func f() {\n.reg .b64 %q<2>;\n" +
      repeated("{ .param .align 16 .b8 p[1048576]; mov.u64 %q1, p; }\n", 4096) + "ret;\n}\n";
  expect_fault(run_text(kernel_text("call f;", function), shape(1, 32)), CUDA_ERROR_LAUNCH_FAILED,
               {"stack overflow"});
}

TEST(CallStacks, AlignVariablesAndParameters) {
  const std::string functions =
      ".func (.reg .u32 r) f() {\n.local .align 32 .b8 v[32]; .reg .b64 %q<2>;\n"
      "mov.u64 %q1, v; cvt.u32.u64 r, %q1; and.b32 r, r, 31; ret;\n}\n"
      ".func (.reg .u32 r) g(.param .align 64 .b8 p[64]) {\n.local .align 8 .b8 v[16];\n"
      ".reg .b64 %q<2>; .reg .b32 %s<2>; mov.u64 %q1, v; st.local.u32 [%q1], 5;\n"
      "mov.u64 %q1, p; cvt.u32.u64 r, %q1; and.b32 r, r, 63; ld.local.u32 %s1, [%q1+60];\n"
      "add.u32 r, r, %s1; ret;\n}\n";
  Array<uint32_t> a(64);
  expect_success(run_text(
      kernel_text(".local .align 8 .b8 w[16]; mov.u64 %rd3, w; st.local.u32 [%rd3], %r1;\n"
                  "call (%r3), f; { .param .align 64 .b8 p[64]; st.param.u32 [p+60], %r1;\n"
                  "call (%r4), g, (p); } mul.wide.u32 %rd2, %r1, 8; add.s64 %rd2, %rd2, %rd0;\n"
                  "st.global.v2.u32 [%rd2], {%r3, %r4};",
                  functions),
      shape(1, 32), a.address()));
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(a[2 * t], 0u);
    EXPECT_EQ(a[2 * t + 1], t);
  }
}

// The lanes below 20 call; the others keep their results.
TEST(CallArguments, PredicatesHaveOneBitPerLane) {
  const std::string function =
      ".func (.reg .pred %q) f(.reg .pred %p) {\nnot.pred %q, %p; ret;\n}\n";
  Array<uint32_t> a(64);
  expect_success(
      run_text(kernel_text("and.b32 %r3, %r1, 3; setp.eq.u32 %p0, %r3, 0; and.b32 %r3, %r1, 1;"
                           "setp.eq.u32 %p1, %r3, 1; mov.pred %p3, %p1; setp.lt.u32 %p2, %r1, 20;\n"
                           "@%p2 call (%p1), f, (%p0); @%p2 call (%p3), f, (1);\n"
                           "selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 1, 0, %p3;"
                           "mul.wide.u32 %rd2, %r1, 8; add.s64 %rd2, %rd2, %rd0;\n"
                           "st.global.v2.u32 [%rd2], {%r4, %r5};",
                           function),
               shape(1, 32), a.address()));
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(a[2 * t], t < 20 ? unsigned(t % 4 != 0) : t % 2) << t;
    EXPECT_EQ(a[2 * t + 1], t < 20 ? 0 : t % 2) << t;
  }
}

// f exchanges the halves of its argument, in registers; g does it in memory.
TEST(CallArguments, RegistersOf128BitsKeepBothHalves) {
  const std::string functions =
      ".func (.reg .b128 %q) f(.reg .b128 %p) {\n.reg .b64 %h<3>;\n"
      "mov.b128 {%h1, %h2}, %p; mov.b128 %q, {%h2, %h1}; ret;\n}\n"
      ".func (.param .b128 q) g(.param .b128 p) {\n.reg .b64 %h<3>;\n"
      "ld.param.v2.b64 {%h1, %h2}, [p]; st.param.v2.b64 [q], {%h2, %h1}; ret;\n}\n";
  for (const char* name : {"f", "g"}) {
    Array<uint64_t> a(64);
    expect_success(
        run_text(kernel_text(std::string(".reg .b128 %x<2>;\n"
                                         "cvt.u64.u32 %rd3, %r1; add.s64 %rd4, %rd3, 1000;"
                                         "mov.b128 %x0, {%rd3, %rd4}; mov.b128 %x1, {%rd3, %rd3};\n"
                                         "setp.ge.u32 %p0, %r1, 7; @%p0 call (%x1), ") +
                                 name +
                                 ", (%x0);\nmov.b128 {%rd5, %rd6}, %x1; mul.wide.u32 %rd2, %r1, 16;"
                                 "add.s64 %rd2, %rd2, %rd0; st.global.v2.u64 [%rd2], {%rd5, %rd6};",
                             functions),
                 shape(1, 32), a.address()));
    for (unsigned t = 0; t < 32; ++t) {
      EXPECT_EQ(a[2 * t], t < 7 ? t : t + 1000) << name << t;
      EXPECT_EQ(a[2 * t + 1], t) << name << t;
    }
  }
}

}  // namespace
}  // namespace cucore::cpu::test
