// SPDX-License-Identifier: Apache-2.0
// Every program of both_*.cpp, in one module per way to compile, with one thread per input.
#include "both.hpp"

#include "device.hpp"

namespace cucore::cpu::kernels {

std::vector<Twin>& twins() {
  static std::vector<Twin> all;
  return all;
}

namespace {

using Both = Kernels;

constexpr size_t THREADS = 416;  // one and a half blocks, the last warp full

std::string source_of_all() {
  std::string text =
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
      "#define HD __host__ __device__\n"
      "typedef __int128 int128_t; typedef unsigned __int128 uint128_t;\n";
  for (const Twin& twin : twins())
    text += "namespace " + twin.name + " { " + twin.source + " }\nextern \"C\" __global__ void k_" +
            twin.name +
            "(const unsigned* in, unsigned long long* out, unsigned n) {\n"
            "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n) out[i] = " +
            twin.name + "::f(in[i], i);\n}\n";
  return text;
}

std::vector<unsigned> inputs() {
  std::vector<unsigned> words = random_words(THREADS);
  const unsigned edges[] = {0, 1, 2, 3, 31, 32, 255, 256, 0x7FFFFFFF, 0x80000000, 0x80000001, ~0u};
  for (size_t i = 0; i < std::size(edges); ++i) words[i * 7] = edges[i];
  return words;
}

TEST_P(Both, TheHostAgrees) {
  std::vector<std::string> options = GetParam().options;
  options.push_back("-fmad=false");  // the host does not fuse
  const Program program(source_of_all(), options);
  // The recursions are deeper than the stack of 1 KiB that GPUs have by default.
  ASSERT_EQ(calls().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16 << 10), CUDA_SUCCESS);
  const std::vector<unsigned> words = inputs();
  const Buffer<unsigned> in(words);
  for (const Twin& twin : twins()) {
    SCOPED_TRACE(twin.name);
    const Buffer<unsigned long long> out(THREADS);
    ASSERT_NO_THROW(program.run(("k_" + twin.name).c_str(), {4, 128}, in, out, unsigned(THREADS)));
    const auto got = out.read();
    for (size_t i = 0; i < THREADS; ++i)
      ASSERT_EQ(got[i], twin.host(words[i], unsigned(i))) << "of " << words[i] << ", thread " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Both, testing::ValuesIn(EXACT_BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
