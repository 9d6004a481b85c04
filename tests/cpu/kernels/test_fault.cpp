// SPDX-License-Identifier: Apache-2.0
// Faults in a kernel compiled from source are detected, named and stick to the context. CPU device
// only, because a GPU does not detect all of them.
#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

struct Mistake {
  const char* name;
  const char* body;   // of k(int* data, int n): data holds 64 ints, n is 64
  const char* error;  // the CUresult
  const char* text;   // part of the explanation; "" accepts any
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.name; }

constexpr Mistake MISTAKES[] = {
    {"past_the_end", "data[n] = 1;", "ILLEGAL_ADDRESS", "wrote 4 bytes"},
    {"far_past_the_end", "data[1 << 20] = 1;", "ILLEGAL_ADDRESS", ""},
    {"before_the_start", "data[-1] = n;", "ILLEGAL_ADDRESS", "wrote 4 bytes"},
    {"reading_past_the_end", "data[0] = data[n];", "ILLEGAL_ADDRESS", "read 4 bytes"},
    {"across_the_end", "*(long long*)(data + n - 1 + (n & 1)) = 1;", "MISALIGNED_ADDRESS", ""},
    {"vector_across_the_end", "*(int4*)(data + n - 2) = make_int4(1, 2, 3, 4);",
     "MISALIGNED_ADDRESS", ""},
    {"vector_past_the_end", "((int4*)data)[n / 4] = make_int4(1, 2, 3, 4);", "ILLEGAL_ADDRESS",
     "16 bytes"},
    {"one_lane_of_a_warp", "if (threadIdx.x == 17) data[n + 3] = 1;", "ILLEGAL_ADDRESS",
     "thread (17,0,0)"},
    {"null", "*(volatile int*)(long long)(n - 64) = 1;", "ILLEGAL_ADDRESS", ""},
    {"almost_null", "*(volatile int*)(long long)(n * 4) = 1;", "ILLEGAL_ADDRESS", ""},
    {"wild_pointer", "*(volatile int*)(0x123456789ABC0ull + n * 4) = 1;", "ILLEGAL_ADDRESS", ""},
    {"misaligned", "*(int*)((char*)data + 2) = 1;", "MISALIGNED_ADDRESS", ""},
    {"misaligned_double", "*(double*)(data + 1) = 1;", "MISALIGNED_ADDRESS", ""},
    {"misaligned_atomic", "atomicAdd((int*)((char*)data + 1), 1);", "MISALIGNED_ADDRESS", ""},
    {"atomic_past_the_end", "atomicAdd(data + n, 1);", "ILLEGAL_ADDRESS", ""},
    {"shared_past_the_end",
     "__shared__ int a[16]; a[threadIdx.x & 15] = n; __syncthreads(); data[0] = a[n + 5];",
     "ILLEGAL_ADDRESS", "shared memory"},
    {"shared_before_the_start",
     "__shared__ int a[16]; a[threadIdx.x & 15] = n; __syncthreads(); data[0] = a[n - 80];",
     "ILLEGAL_ADDRESS", "shared memory"},
    {"shared_misaligned",
     "__shared__ int a[16]; a[threadIdx.x & 15] = n; __syncthreads(); "
     "data[0] = *(int*)((char*)a + (n & 63) + 1);",
     "MISALIGNED_ADDRESS", ""},
    {"dynamic_shared_without_any",
     "extern __shared__ int d[]; d[threadIdx.x] = 1; data[0] = d[n - 64];", "ILLEGAL_ADDRESS",
     "shared memory"},
    {"local_past_the_end",
     "int a[8]; for (int k = 0; k < 8; ++k) a[k] = data[k]; a[data[1] + n * 100] = 5; "
     "data[0] = a[n & 7];",
     "ILLEGAL_ADDRESS", "local memory"},
    {"constant_past_the_end", "data[0] = table[n * 1000];", "ILLEGAL_ADDRESS", ""},
    {"constant_written", "int* p = (int*)(void*)table; asm volatile(\"\" : \"+l\"(p)); *p = n;",
     "ILLEGAL_ADDRESS", ""},
    {"call_of_null", "void (*f)() = (void (*)())(long long)(n - 64); f();", "INVALID_PC", ""},
    {"assertion", "assert(n < 10);", "ASSERT", ""},
    {"trap", "__trap();", "LAUNCH_FAILED", ""},
    {"heap_after_free", "int* p = new int[4]; delete[] p; p[n & 3] = 1;", "ILLEGAL_ADDRESS", ""},
    {"heap_past_the_end", "char* p = (char*)malloc(5); p[5 + (n & 1)] = 1; free(p);",
     "ILLEGAL_ADDRESS", ""},
    {"endless_recursion", "data[0] = deeper(n);", "LAUNCH_FAILED", "stack overflow"},
    {"barrier_that_some_never_reach", "if (threadIdx.x < 32) asm volatile(\"bar.sync 3, 96;\");",
     "LAUNCH_TIMEOUT", "deadlock"}};

class Faults : public testing::TestWithParam<Mistake> {};

constexpr const char* BEFORE =
    "__constant__ int table[4] = {1, 2, 3, 4};\n"
    "__device__ __noinline__ int deeper(int n) { volatile int a[16]; a[n & 15] = n; "
    "return deeper(n + 1) + a[(n + 1) & 15]; }\n"
    "extern \"C\" __global__ void fine(int* data) { data[threadIdx.x] = 7; }\n";

std::string error_of(const Program& program, const char* kernel, const Shape& shape,
                     CUdeviceptr data) {
  try {
    program.run(kernel, shape, data, 64);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_P(Faults, AreFound) {
  const Mistake& mistake = GetParam();
  if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
  if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
  const std::string source = std::string(BEFORE) +
                             "extern \"C\" __global__ void k(int* data, int n) { " + mistake.body +
                             " }\n";
  for (const Build& build : {BUILDS[0], BUILDS[1]}) {
    auto program = std::make_unique<Program>(source, build.options);
    CUdeviceptr data = 0;
    check(calls().cuMemAlloc(&data, 256), "cuMemAlloc");
    const std::string error = error_of(*program, "k", {2, 64}, data);  // resets the context
    EXPECT_NE(error.find(std::string("CUDA_ERROR_") + mistake.error), std::string::npos) << error;
    EXPECT_NE(error.find(mistake.text), std::string::npos) << error;
    EXPECT_NE(error.find("PTX line"), std::string::npos) << error;
    program->forget();  // its module ended with the context
    // The device works again.
    const Program again(source, build.options);
    const Buffer<int> after(64);
    again.run("fine", {1, 64}, after);
    EXPECT_EQ(after.read()[63], 7);
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, Faults, testing::ValuesIn(MISTAKES),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cucore::cpu::kernels
