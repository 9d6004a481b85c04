// SPDX-License-Identifier: Apache-2.0
// Schedules: random orders expose missing barriers and repeat with their seed.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

constexpr unsigned SEEDS = 20;

// Each warp reads what the warp before it wrote. Without a barrier, the order of the warps decides.
constexpr const char* SOURCE = R"cuda(
template <bool Barrier> __device__ void chain(int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = -1;
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  if (Barrier) __syncthreads();
  out[threadIdx.x] = s[(threadIdx.x + 96) % 128];
}
extern "C" __global__ void missing(int* out) { chain<false>(out); }
extern "C" __global__ void correct(int* out) { chain<true>(out); }
// Each warp takes a ticket before and after a barrier, so that the numbers are the order of the warps.
extern "C" __global__ void order(int* out) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, first = threadIdx.x % 32 == 0;
  if (first) out[1 + 2 * warp] = atomicAdd(out, 1);
  __syncthreads();
  if (first) out[2 + 2 * warp] = atomicAdd(out, 1);
}
extern "C" __global__ void past_end(int* out) { out[128 + threadIdx.x] = 1; }
)cuda";

class Schedules : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    program_ = std::make_unique<Program>(SOURCE, std::vector<std::string>{"-arch=compute_90"});
  }
  void TearDown() override {
    if (explains_faults()) control()->set_schedule("parallel");
  }
  std::vector<int> result(const char* kernel) {
    const Buffer<int> out(128);
    program_->run(kernel, {1, 128}, out);
    return out.read();
  }
  // The tickets of all warps of many blocks, see the kernel `order`.
  std::vector<int> order() {
    constexpr unsigned BLOCKS = 32, WARPS = 4;
    const Buffer<int> out(1 + 2 * BLOCKS * WARPS);
    program_->run("order", {BLOCKS, 32 * WARPS}, out);
    return out.read();
  }
  static void use(const std::string& schedule) {
    check(control()->set_schedule(schedule.c_str()), "set_schedule");
  }
  std::unique_ptr<Program> program_;
};

TEST_F(Schedules, SomeSeedExposesAMissingBarrier) {
  std::set<std::vector<int>> results;
  const std::vector<int> right = result("correct");
  for (unsigned seed = 0; seed < SEEDS; ++seed) {
    use("random:" + std::to_string(seed));
    results.insert(result("missing"));
    EXPECT_EQ(result("correct"), right) << seed;
  }
  EXPECT_GT(results.size(), 1u);
}

// The launches of a schedule have orders of their own, which begin anew with the schedule.
TEST_F(Schedules, ASeedThatIsSetAgainRepeatsItsOrders) {
  std::set<std::vector<int>> orders;
  for (unsigned seed = 0; seed < SEEDS; ++seed) {
    const std::string schedule = "random:" + std::to_string(seed);
    use(schedule);
    const std::vector<int> first = order(), second = order();
    use(schedule);
    EXPECT_EQ(order(), first) << seed;
    EXPECT_EQ(order(), second) << seed;
    orders.insert({first, second});
  }
  EXPECT_EQ(orders.size(), 2 * SEEDS);
}

TEST_F(Schedules, SequentialRepeats) {
  use("sequential");
  const std::vector<int> first = result("missing");
  for (int k = 0; k < 5; ++k) EXPECT_EQ(result("missing"), first);
}

TEST_F(Schedules, SequentialRepeatsTheOrderOfBlocksAndWarps) {
  use("sequential");
  const std::vector<int> first = order();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(order(), first);
}

// Runs in a process of its own, see below.
TEST_F(Schedules, DISABLED_PrintOrders) {
  for (const std::vector<int>& values : {order(), result("missing"), order()}) {
    std::printf("\norder:");
    for (const int value : values) std::printf(" %d", value);
  }
  std::printf("\n");
}

// Returns what a process prints whose schedule is that of its environment. The order also depends
// on the number of the launch.
std::string orders_of_process(const std::string& schedule) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "CUCORE_CPU_SCHEDULE=" + schedule + " '" + program +
                              "' --gtest_also_run_disabled_tests --gtest_filter='*PrintOrders'";
  FILE* const output = popen(command.c_str(), "r");
  if (!output) return "";
  std::string orders, line;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    line += char(c);
    if (c != '\n') continue;
    if (line.starts_with("order:")) orders += line;
    line.clear();
  }
  pclose(output);
  return orders;
}

TEST_F(Schedules, ProcessesRepeatTheOrderOfBlocksAndWarps) {
  std::set<std::string> orders;
  for (const char* schedule : {"sequential", "random:1", "random:2", "random:3"}) {
    const std::string first = orders_of_process(schedule);
    EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3) << first;
    EXPECT_EQ(orders_of_process(schedule), first) << schedule;
    orders.insert(first);
  }
  EXPECT_EQ(orders.size(), 4u);
}

TEST_F(Schedules, FaultsNameTheSeed) {
  use("random:7");
  CUdeviceptr data = 0;
  check(calls().cuMemAlloc(&data, 512), "cuMemAlloc");
  try {
    program_->run("past_end", {1, 128}, data);
    FAIL() << "no fault";
  } catch (const std::exception& error) {
    program_->forget();
    EXPECT_NE(std::string(error.what()).find("schedule random:7"), std::string::npos)
        << error.what();
  }
}

TEST_F(Schedules, ReportsNameTheSeed) {
  use("random:8");
  const Checking checking("race");
  result("missing");
  const auto reports = take_reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_NE(reports[0].text.find("schedule random:8"), std::string::npos) << reports[0].text;
}

}  // namespace
}  // namespace cucore::cpu::kernels
