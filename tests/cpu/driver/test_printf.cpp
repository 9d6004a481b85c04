// SPDX-License-Identifier: Apache-2.0
// When the output of kernels is written: at the calls that NVIDIA's driver documents, and at no
// other. A program that loses output on a GPU therefore loses it here.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "driver.hpp"

namespace cutest {
namespace {

// The kernels `say(value)`, which prints "<value>\n" per thread, `count(first, n)`, which prints n
// lines of 8 bytes, "1000000\n" and so on, and `assert_()`, whose assertion fails.
constexpr const char* PRINTS = R"(
.version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 u, .param .b64 s);
.global .align 1 .b8 line[4] = {37, 117, 10, 0};
.global .align 1 .b8 name[2] = {120, 0};

.visible .entry say(.param .u32 value)
{
  .local .align 8 .b8 arguments[8];
  .reg .b32 %r<3>;
  .reg .b64 %a<4>;
  ld.param.u32 %r1, [value];
  mov.u64 %a1, arguments;
  cvta.local.u64 %a2, %a1;
  st.local.u32 [%a1], %r1;
  mov.u64 %a3, line;
  cvta.global.u64 %a3, %a3;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %a3; st.param.b64 [a], %a2;
    call.uni (r), vprintf, (f, a); }
  ret;
}

.visible .entry count(.param .u32 first, .param .u32 n)
{
  .local .align 8 .b8 arguments[8];
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  ld.param.u32 %r1, [first];
  ld.param.u32 %r2, [n];
  add.u32 %r2, %r2, %r1;
  mov.u64 %a1, arguments;
  cvta.local.u64 %a2, %a1;
  mov.u64 %a3, line;
  cvta.global.u64 %a3, %a3;
again:
  st.local.u32 [%a1], %r1;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %a3; st.param.b64 [a], %a2;
    call.uni (r), vprintf, (f, a); }
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, %r2;
  @%p bra again;
  ret;
}

.visible .entry assert_()
{
  .reg .b64 %a<2>;
  mov.u64 %a1, name;
  cvta.global.u64 %a1, %a1;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 u; .param .b64 s;
    st.param.b64 [m], %a1; st.param.b64 [f], %a1; st.param.b32 [l], 7; st.param.b64 [u], %a1;
    st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, u, s); }
  ret;
}
)";

constexpr size_t DEFAULT_FIFO = size_t{1} << 20;

class Printf : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuModuleLoadData(&prints, PRINTS));
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuMemAlloc_v2(&memory, 64));
  }
  CUresult print(const char* kernel, std::vector<void*> parameters, CUstream on) {
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, prints, kernel));
    return cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, on, parameters.data(), nullptr);
  }
  // Prints a line on stream_ and lets the kernel end; no call of this function writes output.
  void say(unsigned value) {
    ASSERT_CU(0, print("say", {&value}, stream));
    ASSERT_CU(0, cu.cuEventRecord(event, stream));
    ASSERT_TRUE(eventually([&] { return cu.cuEventQuery(event) == CUDA_SUCCESS; }));
  }
  static std::string written(const std::function<void()>& calls) {
    testing::internal::CaptureStdout();
    calls();
    return testing::internal::GetCapturedStdout();
  }

  CUmodule prints = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
};

TEST_F(Printf, IsKeptWhereNoCallFlushes) {
  int host = 0;
  CUdeviceptr other = 0;
  EXPECT_EQ(written([&] {
              say(1);
              EXPECT_CU(0, cu.cuStreamQuery(stream));
              EXPECT_CU(0, cu.cuMemcpyDtoHAsync_v2(&host, memory, 4, stream));
              EXPECT_CU(0, cu.cuMemcpyHtoDAsync_v2(memory, &host, 4, stream));
              EXPECT_CU(0, cu.cuMemsetD32Async(memory, 0, 1, stream));
              EXPECT_CU(0, cu.cuMemAlloc_v2(&other, 16));
              EXPECT_CU(0, cu.cuEventRecord(event, stream));
              EXPECT_CU(0, cu.cuStreamWaitEvent(stream, event, 0));
              EXPECT_TRUE(eventually([&] { return cu.cuStreamQuery(stream) == CUDA_SUCCESS; }));
            }),
            "");
  EXPECT_EQ(written([&] { cu.cuCtxSynchronize(); }), "1\n");
}

TEST_F(Printf, IsWrittenByEveryCallThatFlushes) {
  int host = 0;
  CUstream idle = nullptr;
  CUevent unused = nullptr;
  OK(cu.cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
  OK(cu.cuEventCreate(&unused, 0));
  CUmodule other = nullptr;
  CUlibrary library = nullptr;
  const std::pair<const char*, std::function<CUresult()>> calls[] = {
      {"cuCtxSynchronize", [&] { return cu.cuCtxSynchronize(); }},
      {"cuStreamSynchronize", [&] { return cu.cuStreamSynchronize(stream); }},
      {"cuStreamSynchronize of another", [&] { return cu.cuStreamSynchronize(idle); }},
      {"cuEventSynchronize", [&] { return cu.cuEventSynchronize(event); }},
      {"cuEventSynchronize of another", [&] { return cu.cuEventSynchronize(unused); }},
      {"cuMemcpyDtoH", [&] { return cu.cuMemcpyDtoH_v2(&host, memory, 4); }},
      {"cuMemcpyHtoD", [&] { return cu.cuMemcpyHtoD_v2(memory, &host, 4); }},
      {"cuMemcpyDtoD", [&] { return cu.cuMemcpyDtoD_v2(memory, memory + 16, 4); }},
      {"a launch", [&] { return launch("nothing", {}, 1, idle); }},
      {"cuModuleLoadData", [&] { return cu.cuModuleLoadData(&other, PTX); }},
      {"cuModuleUnload", [&] { return cu.cuModuleUnload(other); }},
      {"cuLibraryLoadData",
       [&] {
         return cu.cuLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0);
       }},
      {"cuLibraryUnload", [&] { return cu.cuLibraryUnload(library); }}};
  unsigned value = 10;
  for (const auto& [name, call] : calls) {
    EXPECT_EQ(written([&] { say(++value); }), "") << name;
    EXPECT_EQ(written([&] { EXPECT_CU(0, call()) << name; }), std::to_string(value) + "\n") << name;
  }
}

TEST_F(Printf, IsWrittenBeforeACallbackAndWithTheContext) {
  const std::string before = written([&] {
    say(1);
    const auto callback = [](CUstream, CUresult, void*) { std::fputs("callback\n", stdout); };
    OK(cu.cuStreamAddCallback(stream, callback, nullptr, 0));
    ASSERT_TRUE(eventually([&] { return cu.cuStreamQuery(stream) == CUDA_SUCCESS; }));
    std::fflush(stdout);
  });
  EXPECT_EQ(before, "1\ncallback\n");
  EXPECT_EQ(written([&] {
              say(2);
              OK(cu.cuCtxDestroy_v2(context));
            }),
            "2\n");
  OK(cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
  gate = nullptr;
}

TEST_F(Printf, OfAnotherContextIsKept) {
  CUcontext other = nullptr;
  EXPECT_EQ(written([&] {
              say(3);
              OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
              OK(cu.cuCtxSynchronize());
              OK(cu.cuCtxDestroy_v2(other));
            }),
            "");
  EXPECT_EQ(written([&] { OK(cu.cuStreamSynchronize(stream)); }), "3\n");
}

// The text of a full buffer begins with a whole line and ends with the newest.
TEST_F(Printf, OldestTextGoesWhenTheBufferIsFull) {
  unsigned first = 1000000, n = 200000;
  const std::string text = written([&] {
    OK(print("count", {&first, &n}, stream));
    OK(cu.cuStreamSynchronize(stream));
  });
  EXPECT_EQ(text.size(), DEFAULT_FIFO);
  EXPECT_EQ(text.substr(0, 8), std::to_string(first + n - DEFAULT_FIFO / 8) + "\n");
  EXPECT_EQ(text.substr(text.size() - 8), "1199999\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{DEFAULT_FIFO / 8});
}

TEST_F(Printf, SizeOfTheBufferIsALimit) {
  size_t size = 0;
  OK(cu.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT_EQ(size, DEFAULT_FIFO);
  OK(cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096));
  OK(cu.cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT_EQ(size, size_t{512} << 10);
  unsigned first = 1000000, n = 100000;
  EXPECT_EQ(written([&] {
              OK(print("count", {&first, &n}, stream));
              OK(cu.cuStreamSynchronize(stream));
            }).size(),
            size);
}

// The wait that meets a fault, and every later one, writes the output from before it.
TEST_F(Printf, BeforeAFaultIsWritten) {
  unsigned value = 5;
  CUdeviceptr nowhere = 0;
  unsigned one = 1;
  EXPECT_EQ(
      written([&] {
        close_gate(stream);  // a launch writes the output of kernels that have ended
        OK(print("say", {&value}, stream));
        OK(launch("fill", {&nowhere, &one, &one}, 1, stream));
        OK(cu.cuEventRecord(event, stream));
        open_gate();
        ASSERT_TRUE(eventually([&] { return cu.cuEventQuery(event) != CUDA_ERROR_NOT_READY; }));
      }),
      "");
  EXPECT_EQ(written([&] { EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuStreamSynchronize(stream)); }),
            "5\n");
}

TEST_F(Printf, OfAnAssertionGoesToStderr) {
  testing::internal::CaptureStderr();
  OK(print("assert_", {}, stream));
  OK(cu.cuEventRecord(event, stream));
  ASSERT_TRUE(eventually([&] { return cu.cuEventQuery(event) != CUDA_ERROR_NOT_READY; }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_CU(CUDA_ERROR_ASSERT, cu.cuEventSynchronize(event));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "x:7: x: block: [0,0,0], thread: [0,0,0] Assertion `x` failed.\n");
}

}  // namespace
}  // namespace cutest
