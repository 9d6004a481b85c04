// SPDX-License-Identifier: Apache-2.0
// Reports name the right instructions in memory whose pages have the site of one instruction, see
// cell_pages.hpp. Blocks 0 and 2 access all cells by one instruction, with gaps between the lanes.
// Blocks 1 and 3 access one cell by others. The order of the blocks is certain.
#include <algorithm>
#include <regex>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

constexpr const char* PAGES_SOURCE = R"cuda(
extern "C" __global__ void visit(int* memory, int all, int one, int place, int* sink) {
  int sum = 0;
  if (blockIdx.x % 2 == 0) {
#pragma unroll 1
    for (int k = 0; k < 32; ++k) {
      const int i = (k * 256 + threadIdx.x) * 5 % 8192;
      if (all == 0)
        memory[i] = i + blockIdx.x;
      else
        sum += memory[i];
    }
  } else if (threadIdx.x == 0 && blockIdx.x == 1) {
    if (one == 0)
      memory[place] = -1;
    else
      sum += memory[place];
  } else if (threadIdx.x == 0) {
    memory[place] = -2;
  }
  sink[blockIdx.x * 256 + threadIdx.x] = sum;
}
)cuda";
constexpr unsigned ALL_STORE = 9, ALL_LOAD = 11, ONE_STORE = 15, ONE_LOAD = 17, LAST_STORE = 19;
constexpr unsigned CELLS = 8192, WIDTH = 256, WARM_UPS = 8;

class CheckPages : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    program_ = std::make_unique<Program>(PAGES_SOURCE,
                                         std::vector<std::string>{"-arch=compute_90", "-lineinfo"});
    check(control()->set_schedule("sequential"), "set_schedule");
  }
  void TearDown() override {
    if (explains_faults()) control()->set_schedule("parallel");
  }
  // Runs the blocks after `warm_ups` launches of block 0. Returns the reports.
  std::vector<FoundReport> reports(int all, int one, int place, unsigned blocks,
                                   unsigned warm_ups) const {
    const Checking checking("all");
    const Buffer<int> memory(CELLS), sink(4 * WIDTH);
    for (unsigned k = 0; k < warm_ups; ++k)
      program_->run("visit", {1, WIDTH}, memory, all, one, place, sink);
    EXPECT_TRUE(take_reports().empty());
    program_->run("visit", {blocks, WIDTH}, memory, all, one, place, sink);
    return take_reports();
  }
  std::unique_ptr<Program> program_;
};

std::string texts(const std::vector<FoundReport>& reports) {
  std::string text;
  for (const FoundReport& report : reports) text += report.kind + ' ' + report.text + '\n';
  return std::regex_replace(text, std::regex("0x[0-9a-f]+|call [0-9]+"), "X");
}

using Lines = std::vector<std::pair<unsigned, unsigned>>;
Lines lines_of(const std::vector<FoundReport>& reports) {
  Lines lines;
  for (const FoundReport& report : reports) lines.emplace_back(report.line, report.other_line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct RacesOfPages {
  int all, one;  // 0: a store, 1: a load
  unsigned blocks;
  Lines lines;
};

TEST_F(CheckPages, RacesNameBothInstructions) {
  const RacesOfPages rows[] = {
      {0, 0, 2, {{ONE_STORE, ALL_STORE}}},
      {0, 0, 3, {{ALL_STORE, ALL_STORE}, {ALL_STORE, ONE_STORE}, {ONE_STORE, ALL_STORE}}},
      {0, 1, 3, {{ALL_STORE, ALL_STORE}, {ALL_STORE, ONE_LOAD}, {ONE_LOAD, ALL_STORE}}},
      {1, 0, 3, {{ALL_LOAD, ONE_STORE}, {ONE_STORE, ALL_LOAD}}},
      {1, 1, 3, {}},
      {1, 1, 4, {{LAST_STORE, ALL_LOAD}}},
  };
  for (const RacesOfPages& row : rows)
    for (const int place : {0, 4095, 4096, 5000, 8191}) {
      const auto fresh = reports(row.all, row.one, place, row.blocks, 0);
      const auto warm = reports(row.all, row.one, place, row.blocks, WARM_UPS);
      EXPECT_EQ(lines_of(warm), row.lines)
          << row.all << row.one << row.blocks << " at " << place << '\n'
          << texts(warm);
      EXPECT_EQ(texts(warm), texts(fresh)) << row.all << row.one << row.blocks << " at " << place;
    }
}

// The page has the site again after its only other access has been replaced. Some warps access both
// pages.
TEST_F(CheckPages, LaterRacesNameTheLastInstruction) {
  const Checking checking("all");
  const Buffer<int> memory(CELLS), sink(4 * WIDTH);
  const auto visit = [&](unsigned blocks, int place) {
    program_->run("visit", {blocks, WIDTH}, memory, 0, 0, place, sink);
    return lines_of(take_reports());
  };
  const Lines race{{ONE_STORE, ALL_STORE}};
  for (const int place : {77, 77, 4000, 4000, 4095, 4095, 4096, 4096, 4100, 4100}) {
    for (unsigned warm = 0; warm < WARM_UPS; ++warm) EXPECT_TRUE(visit(1, place).empty());
    EXPECT_EQ(visit(2, place), race) << place;
  }
}

}  // namespace
}  // namespace cucore::cpu::kernels
