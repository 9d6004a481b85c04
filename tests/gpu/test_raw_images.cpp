// SPDX-License-Identifier: Apache-2.0
// Damaged machine code: cut off or with a flipped bit, loaded and searched for a kernel. It is
// refused or works. The process never crashes, although the driver does not check the code.
#include <cstring>
#include <random>

#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

// A kernel with calls, branches, shared and constant data: all sections that a CUBIN may have.
constexpr char RAW_SOURCE[] = R"(
__constant__ float weights[64];
__device__ int counter;
__device__ __noinline__ float twist(float x, int n) { return n ? twist(x * 1.5f, n - 1) : x; }
extern "C" __global__ void work(float* out, const float* in, int n, int depth) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] * weights[i & 63] : 0;
  __syncthreads();
  switch (i & 7) {
    case 0: tile[threadIdx.x] += sinf(in[i]); break;
    case 3: tile[threadIdx.x] = twist(in[i], depth); break;
    case 5: atomicAdd(&counter, 1); break;
  }
  if (i < n) out[i] = tile[(threadIdx.x * 7) & 127];
})";

enum Verdict { REFUSED = 10, WORKS = 11 };

struct Section {
  size_t offset, size;
};

// Returns the section with the kernel's instructions.
Section text_of(const std::string& cubin) {
  const auto read = [&](size_t at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, cubin.data() + at, size);
    return value;
  };
  const size_t table = read(40, 8), entry = read(58, 2), count = read(60, 2), names = read(62, 2);
  const size_t strings = read(table + names * entry + 24, 8);
  for (size_t i = 0; i < count; ++i) {
    const size_t header = table + i * entry;
    const std::string name = cubin.c_str() + strings + read(header, 4);
    if (name == ".text.work") return {read(header + 24, 8), read(header + 32, 8)};
  }
  throw std::runtime_error("the CUBIN has no .text.work");
}

class RawImages : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    if (cucore_device_is_emulated(device_)) GTEST_SKIP() << "runs no machine code";
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = cucore_device_arch(device_);
    cubin_ = bytes_of(compile(make_program(RAW_SOURCE, &options), CUCORE_CODE_TYPE_CUBIN));
  }

  // The outcome of an image in this process.
  Verdict try_image(const std::string& bytes) const {
    Code code;
    if (cucore_objectcode_create(CUCORE_CODE_TYPE_CUBIN, bytes.data(), bytes.size(), nullptr,
                                 code.out(), nullptr) != CUCORE_OK)
      return REFUSED;
    Kernel kernel;
    if (cucore_objectcode_find_kernel(code, "work", kernel.out(), nullptr) != CUCORE_OK)
      return REFUSED;
    int32_t registers = 0;
    (void)cucore_kernel_attribute(kernel, CUCORE_KERNEL_ATTRIBUTE_NUM_REGS, device_, &registers,
                                  nullptr);
    return WORKS;
  }

  std::string cubin_;
};

TEST_F(RawImages, TheSoundOneWorks) { EXPECT_EQ(try_image(cubin_), WORKS); }

TEST_F(RawImages, CutOffAtFiftyPlaces) {
  for (size_t i = 0; i < 50; ++i)
    EXPECT_EQ(try_image(cubin_.substr(0, cubin_.size() * i / 50)), REFUSED) << i;
  EXPECT_EQ(try_image(cubin_.substr(0, cubin_.size() - 1)), REFUSED);
}

TEST_F(RawImages, ThreeHundredFlippedBits) {
  std::mt19937_64 random(20260601);
  const Section text = text_of(cubin_);
  int in_text = 0, works_in_text = 0, works = 0;
  for (int i = 0; i < 300; ++i) {
    // A third of them are inside the instructions, which are a small part of a small file.
    const uint64_t bit =
        i % 3 == 0 ? text.offset * 8 + random() % (text.size * 8) : random() % (cubin_.size() * 8);
    std::string flipped = cubin_;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const bool worked = try_image(flipped) == WORKS;
    works += worked;
    if (bit / 8 < text.offset || bit / 8 >= text.offset + text.size) continue;
    ++in_text;
    works_in_text += worked;
  }
  EXPECT_GE(works_in_text * 10, in_text * 9) << works_in_text << " of " << in_text;
  RecordProperty("flips_in_text", in_text);
  RecordProperty("not_refused_in_text", works_in_text);
  RecordProperty("not_refused", works);
  std::printf("300 flips: %d not refused; in .text %d of %d\n", works, works_in_text, in_text);
  // The device still works.
  EXPECT_EQ(try_image(cubin_), WORKS);
}

}  // namespace
}  // namespace gpu_test
