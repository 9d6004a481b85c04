// SPDX-License-Identifier: Apache-2.0
// Random accesses have the same reports on a fast path of the checks as without it. At the begin of
// an allocation, warps access whole lines of the shadow; elsewhere, no access of a warp is a whole
// line. Accesses to shared memory are kept until a barrier, except in a cluster of several blocks.
// Loads of a stencil have one check, except if their addresses are in different registers.
#include <random>
#include <regex>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

constexpr unsigned STEPS = 12, BLOCKS = 2, THREADS = 96, REGION = 2048;

struct Steps {
  int count = STEPS;
  struct {
    unsigned char kind, place, who, order;
  } step[STEPS];
};

// Thread t of a block executes the steps. Loaded values go to `sink`.
constexpr const char* STEPS_SOURCE = R"cuda(
struct Steps { int count; struct { unsigned char kind, place, who, order; } step[12]; };
struct alignas(8) Pair { int x, y; };
struct alignas(16) Four { int x, y, z, w; };
template <class T> __device__ T make(int v);
template <> __device__ int make<int>(int v) { return v; }
template <> __device__ short make<short>(int v) { return short(v); }
template <> __device__ char make<char>(int v) { return char(v); }
template <> __device__ Pair make<Pair>(int v) { return {v, v + 1}; }
template <> __device__ Four make<Four>(int v) { return {v, v + 1, v + 2, v + 3}; }
__device__ int first(int v) { return v; }
__device__ int first(Pair v) { return v.x + v.y; }
__device__ int first(Four v) { return v.x + v.y + v.z + v.w; }

template <class T> __device__ int access(char* memory, bool store, unsigned place, int value) {
  T* p = (T*)memory + place % (2048 / sizeof(T));
  if (store) *p = make<T>(value);
  return store ? 0 : first(*p);
}
#ifdef SEPARATE
#define IN_OWN_REGISTER(p) asm volatile("" : "+l"(p))
#else
#define IN_OWN_REGISTER(p)
#endif
__device__ int stencil(const int* p) {
  const int *q = p + 1, *r = p + 2;
  IN_OWN_REGISTER(q); IN_OWN_REGISTER(r);
  int sum = *p;
  sum += *q;
  sum += *r;
  return sum;
}
__device__ int steps_of(const Steps& steps, char* memory) {
  const unsigned t = threadIdx.x, b = blockIdx.x;
  int sum = 0;
  for (int k = 0; k < steps.count; ++k) {
    const auto s = steps.step[k];
    const unsigned places[10] = {t, t + 1, 31 - t % 32, t * 2, t / 2, t / 16 * 64 + t % 16, 5,
                                 t * 7 % 64, t % 32, t + b * 96};
    const bool who[8] = {true, t < 32, t >= 32, t == 37, t % 32 < 16, t % 2 == 0, b == 0, b == 1};
    if (who[s.who]) {
      const unsigned place = places[s.place];
      const int value = k * 1000 + b * 300 + t;
      const bool store = s.kind % 2;
      switch (s.kind / 2) {
        case 0: case 1: sum += access<int>(memory, store, place, value); break;
        case 2: sum += access<Pair>(memory, store, place, value); break;
        case 3: sum += access<Four>(memory, store, place, value); break;
#ifdef BYTES
        case 4: sum += access<short>(memory, store, place, value); break;
        case 5: sum += access<char>(memory, store, place, value); break;
#endif
        case 6: if (store) atomicAdd((int*)memory + place % 512, value);
                else sum += *((volatile int*)memory + place % 512);
                break;
        case 7: sum += stencil((int*)memory + place % 510); break;
      }
    }
    if (s.order == 1) __syncthreads();
    if (s.order == 2) __syncwarp();
    if (s.order == 3) __threadfence();
  }
  return sum;
}
extern "C" __global__ void in_global(Steps steps, char* memory, int* sink) {
  sink[blockIdx.x * 96 + threadIdx.x] = steps_of(steps, memory);
}
extern "C" __global__ void in_shared(Steps steps, int* sink) {
  __shared__ __align__(16) char memory[2048];
  if (blockIdx.x) return;  // the order of two blocks depends on the cluster
  for (int k = threadIdx.x; k < 384; k += 96) ((int*)memory)[k] = 7;
  __syncthreads();
  sink[blockIdx.x * 96 + threadIdx.x] = steps_of(steps, memory);
}
)cuda";

Steps random_steps(std::mt19937& random, bool bytes, unsigned who) {
  auto below = [&](unsigned bound) { return static_cast<unsigned char>(random() % bound); };
  // Most programs have few kinds and places, so that their lines stay whole longer.
  const unsigned flavour = below(3);
  Steps steps;
  for (auto& s : steps.step) {
    const bool simple = flavour == 0 || (flavour == 1 && below(4) != 0);
    s.kind = simple ? below(4) : below(14);
    s.place = simple ? 9 : below(10);
    s.who = flavour == 0 && below(4) != 0 ? 0 : below(who);
    s.order = below(2) ? 0 : below(4);
    const unsigned char type = s.kind / 2;
    if ((type == 4 && !bytes) || (type == 3 && bytes)) s.kind %= 2;  // see the shift
  }
  return steps;
}

class CheckPaths : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    std::vector<std::string> options{"-arch=compute_90", "-lineinfo"};
    if (GetParam()) options.push_back("-DBYTES");
    program_ = std::make_unique<Program>(STEPS_SOURCE, options);
    check(control()->set_schedule("sequential"), "set_schedule");
  }
  void TearDown() override {
    if (explains_faults()) control()->set_schedule("parallel");
  }
  // Both return the reports without addresses.
  std::string in_global(const Steps& steps, unsigned shift) {
    const Checking checking("all");
    const Buffer<int> sink(BLOCKS * THREADS);
    CUdeviceptr memory = 0;
    check(calls().cuMemAlloc(&memory, REGION + 64), "cuMemAlloc");
    const std::vector<char> values(REGION / 4 * 3, 7);
    check(calls().cuMemcpyHtoD(memory + shift, values.data(), values.size()), "cuMemcpyHtoD");
    program_->run("in_global", {BLOCKS, THREADS}, steps, memory + shift, sink);
    calls().cuMemFree(memory);
    return report_text();
  }
  std::string in_shared(const Steps& steps, unsigned cluster) {
    const Checking checking("all");
    const Buffer<int> sink(BLOCKS * THREADS);
    Shape shape{BLOCKS, THREADS};
    shape.cluster = cluster;
    program_->run("in_shared", shape, steps, sink);
    return report_text();
  }
  static std::string report_text() {
    std::string text;
    for (const FoundReport& r : take_reports()) text += r.kind + ' ' + r.text + '\n';
    return std::regex_replace(text, std::regex("0x[0-9a-f]+|call [0-9]+"), "X");
  }
  std::unique_ptr<Program> program_;
};

// Most steps load rows of a stencil, or store one of their words.
Steps stencil_steps(std::mt19937& random) {
  auto below = [&](unsigned bound) { return static_cast<unsigned char>(random() % bound); };
  const unsigned char places[] = {0, 0, 1, 6, 7, 7, 8, 9, 9, 9};
  Steps steps;
  for (auto& s : steps.step) {
    s.kind = below(3) ? 14 : 1;
    s.place = places[below(sizeof places)];
    s.who = below(2) ? 0 : below(8);
    s.order = below(3) ? below(2) : below(4);
  }
  return steps;
}

TEST_P(CheckPaths, StencilsReportAsSeparateLoadsDo) {
  std::vector<std::string> options{"-arch=compute_90", "-lineinfo", "-DSEPARATE"};
  if (GetParam()) options.push_back("-DBYTES");
  auto separate = std::make_unique<Program>(STEPS_SOURCE, options);
  const auto without_lines = [](const std::string& text) {
    return std::regex_replace(text, std::regex(" [(]PTX line [0-9]+[)]"), "");
  };
  std::mt19937 random(20);
  unsigned with = 0;
  for (unsigned k = 0; k < 100; ++k) {
    const Steps steps = stencil_steps(random);
    const std::string together = without_lines(in_global(steps, 16));
    std::swap(program_, separate);
    const std::string each = without_lines(in_global(steps, 16));
    std::swap(program_, separate);
    ASSERT_EQ(together, each) << "program " << k;
    with += !together.empty();
  }
  EXPECT_GT(with, 20u);
}

TEST_P(CheckPaths, LinesReportAsCellsDo) {
  // Lines have 64 bytes, or 16 if cells are bytes. The shift keeps the accesses aligned.
  const unsigned shift = GetParam() ? 8 : 16;
  std::mt19937 random(18);
  unsigned with = 0, without = 0;
  for (unsigned k = 0; k < 200; ++k) {
    const Steps steps = random_steps(random, GetParam(), 8);
    const std::string lines = in_global(steps, 0), cells = in_global(steps, shift);
    ASSERT_EQ(lines, cells) << "program " << k;
    ++(lines.empty() ? without : with);
  }
  EXPECT_GT(with, 40u);
  EXPECT_GT(without, 4u);
}

// Readers of several warps share a record by other rules in a cluster. Counts depend on them, and
// in rare cases whether a race with such a reader is found.
constexpr unsigned MOST_DIFFERENT = 2;
std::string without_counts(const std::string& text) {
  return std::regex_replace(text, std::regex("; [0-9]+ times"), "");
}

TEST_P(CheckPaths, KeptAccessesReportAsOthersDo) {
  std::mt19937 random(19);
  unsigned with = 0, without = 0, different = 0;
  for (unsigned k = 0; k < 200; ++k) {
    Steps steps = random_steps(random, GetParam(), 6);
    for (auto& s : steps.step)
      if (s.kind < 4 && random() % 2) s.kind = 13;  // atomics
    const std::string kept = without_counts(in_shared(steps, 1)),
                      others = without_counts(in_shared(steps, BLOCKS));
    different += kept != others;
    if (different > MOST_DIFFERENT) {
      ASSERT_EQ(kept, others) << "program " << k;
    }
    ++(kept.empty() ? without : with);
  }
  EXPECT_GT(with, 40u);
  EXPECT_GT(without, 4u);
}

INSTANTIATE_TEST_SUITE_P(Cells, CheckPaths, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "OfBytes" : "OfWords");
});

}  // namespace
}  // namespace cucore::cpu::kernels
