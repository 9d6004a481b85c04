// SPDX-License-Identifier: Apache-2.0
// Loads of modules: time, undefined functions, and the layout of shared memory.
#include <gtest/gtest.h>

#include <chrono>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

std::string log_of(const std::string& text) {
  std::string log;
  CUresult code = CUDA_SUCCESS;
  const auto module = LoadedModule::load(text.data(), text.size(), 0, {}, log, code);
  EXPECT_EQ(module == nullptr, code == CUDA_ERROR_INVALID_PTX) << log;
  return log;
}

// The time of a kernel does not depend on the size of the functions that it calls.
TEST(Loads, ManyKernelsThatCallALargeFunction) {
  constexpr int KERNELS = 5000, INSTRUCTIONS = 20000, VARIABLES = 1000;
  std::string text = HEAD;
  for (int i = 0; i < VARIABLES; ++i) text += ".global .u32 v" + std::to_string(i) + ";\n";
  text += ".func f()\n{\n.reg .b64 %rd1;\n";
  for (int i = 0; i < INSTRUCTIONS; ++i)
    text += "mov.u64 %rd1, v" + std::to_string(i % VARIABLES) + ";\n";
  text += "ret;\n}\n";
  for (int i = 0; i < KERNELS; ++i)
    text += ".visible .entry k" + std::to_string(i) + "() { call f; ret; }\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(load_text(text)->kernels().size(), size_t{KERNELS});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

TEST(Loads, RefuseAddressesOfUndefinedFunctions) {
  const std::string head = HEAD, table = ".visible .global .u64 t = ";
  const std::string message = "unresolved extern function 'f'\n";
  const std::string declared = head + ".extern .func f();\n";
  EXPECT_EQ(log_of(declared + table + "f;\n"), message);
  EXPECT_EQ(log_of(declared + ".func g();\n.alias g, f;\n" + table + "g;\n"), message);
  EXPECT_EQ(log_of(declared + table + "0;\n"), "");
  EXPECT_EQ(log_of(head + ".func f();\n.func g() { ret; }\n.alias f, g;\n" + table + "f;\n"), "");
  EXPECT_EQ(
      log_of(head + ".extern .func (.param .b64 r) malloc(.param .b64 s);\n" + table + "malloc;\n"),
      "");
}

const char* const ALIGNED = ".extern .shared .align 1024 .b8 s[];\n";
const char* const STORE_ADDRESS =
    "mov.u32 %r3, s; st.shared.u8 [%r3+4095], 1; mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3;\n"
    "st.global.u32 [%rd0], %r3; st.global.u64 [%rd1], %rd4;\n";

TEST(DynamicSharedMemory, HasTheAlignmentOfItsDeclaration) {
  const auto module = load_text(
      kernel_text(".shared .align 8 .b8 bar[16];\n" + std::string(STORE_ADDRESS), ALIGNED));
  const Kernel& k = *module->find_kernel("k");
  EXPECT_EQ(k.info().static_shared, 16u);
  Array<uint32_t> a(1);
  Array<uint64_t> b(1);
  // The bytes before the aligned memory are not part of the limit.
  const uint32_t most = DeviceLimits().max_shared_per_block_optin - 16;
  for (const uint32_t bytes : {uint32_t{4096}, most}) {
    expect_success(launch(k, shape(1, 1, bytes), nullptr, a, b, 0));
    EXPECT_EQ(a[0], 1024u);
    EXPECT_EQ(b[0] % 65536, 1024u);
  }
  EXPECT_TRUE(launch(k, shape(1, 1, most + 1), nullptr, a, b, 0));
}

TEST(DynamicSharedMemory, HasTheAlignmentThatACalledFunctionNeeds) {
  Array<uint32_t> a(1);
  Array<uint64_t> b(1);
  const std::string function = ".func (.reg .b32 %r0) f() { mov.u32 %r0, s; ret; }\n";
  expect_success(run_text(kernel_text(".shared .b8 v[40];\n call (%r3), f;\n"
                                      "st.global.u32 [%rd0], %r3;",
                                      ALIGNED + function),
                          shape(1, 1, 64), a.address(), b.address()));
  EXPECT_EQ(a[0], 1024u);
}

TEST(DynamicSharedMemory, BeginsAtAMultipleOf16) {
  Array<uint32_t> a(1);
  Array<uint64_t> b(1);
  expect_success(
      run_text(kernel_text(".shared .b8 v[20];\n mov.u32 %r3, s; st.global.u32 [%rd0], %r3;",
                           ".extern .shared .align 4 .b8 s[];\n"),
               shape(1, 1, 64), a.address(), b.address()));
  EXPECT_EQ(a[0], 32u);
}

}  // namespace
}  // namespace cucore::cpu::test
