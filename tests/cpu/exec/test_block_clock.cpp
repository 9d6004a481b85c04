// SPDX-License-Identifier: Apache-2.0
// The order of the warps of a block against vector clocks: each warp has the last id of each other
// one that happened before.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/clocks.hpp"
#include "cpu/checks/reports.hpp"
#include "expect.hpp"
#include "text.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint32_t OPERATION = 1;

// A clock, and the vector clocks of the same steps.
class Clocks {
 public:
  explicit Clocks(uint32_t warps) : warps_(warps), clock_(warps, source_) {}
  void begin(uint32_t block) {
    clock_.begin(OPERATION, block);
    block_ = block;
    seen_.assign(warps_, std::vector<uint32_t>(warps_, source_.last()));
    ids_.assign(warps_, {});
    begun_.assign(warps_, true);
    gathered_.clear();
  }
  void access(uint32_t warp) {
    const uint32_t id = clock_.segment(warp);
    if (begun_[warp]) ids_[warp].push_back(id);
    EXPECT_EQ(ids_[warp].back(), id) << "a segment lasts until a synchronisation";
    begun_[warp] = false;
  }
  void arrive(uint32_t number, uint32_t warps) {
    std::vector<uint32_t>& all = gathered_.try_emplace(number, warps_, 0).first->second;
    for (uint32_t w = 0; w < warps_; ++w) {
      if (!(warps >> w & 1)) continue;
      clock_.arrive(w, number);
      for (uint32_t x = 0; x < warps_; ++x) all[x] = std::max(all[x], seen_[w][x]);
      all[w] = std::max(all[w], source_.last());
      begun_[w] = true;
    }
  }
  // The warps arrive and wait, which completes the barrier.
  void barrier(uint32_t number, uint32_t warps) {
    arrive(number, warps);
    clock_.release(number, warps);
    const std::vector<uint32_t> all = gathered_[number];
    gathered_.erase(number);
    for (uint32_t w = 0; w < warps_; ++w)
      for (uint32_t x = 0; x < warps_ && (warps >> w & 1); ++x)
        seen_[w][x] = std::max(seen_[w][x], all[x]);
  }
  void expect_order() const {
    for (uint32_t w = 0; w < warps_; ++w)
      for (uint32_t x = 0; x < warps_; ++x)
        for (const uint32_t id : ids_[x]) {
          const Segment segment{OPERATION, block_, x, 0};
          const bool is_ordered = w == x ? begun_[x] || id != ids_[x].back() : id <= seen_[w][x];
          ASSERT_EQ(clock_.ordered(w, id, segment), is_ordered) << w << " after " << x << " " << id;
          ASSERT_TRUE(id > clock_.floor(w) || w == x || is_ordered) << "the floor of " << w;
        }
  }

 private:
  const uint32_t warps_;
  SegmentSource source_;
  BlockClock clock_;
  uint32_t block_ = 0;
  std::vector<std::vector<uint32_t>> seen_, ids_;
  std::vector<bool> begun_;
  std::map<uint32_t, std::vector<uint32_t>> gathered_;  // by barrier
};

TEST(BlockClocks, KeepTheOrderOfRandomBarriers) {
  std::mt19937 random(3);
  auto below = [&](uint32_t bound) { return uint32_t(random() % bound); };
  for (int turn = 0; turn < 400; ++turn) {
    const uint32_t warps = 1 + below(6), all = (1u << warps) - 1;
    Clocks clocks(warps);
    for (uint32_t block = 0; block < 3; ++block) {
      clocks.begin(block);
      // Many blocks have barriers of all alone.
      const bool has_parts = below(2);
      for (int step = 0; step < 24; ++step) {
        for (uint32_t w = 0; w < warps; ++w)
          if (below(2)) clocks.access(w);
        // Arrivals at one barrier wait while others complete.
        if (has_parts && below(3) == 0) clocks.arrive(below(3), below(all + 1));
        if (below(2)) clocks.barrier(below(3), has_parts && below(2) ? 1 + below(all) : all);
        ASSERT_NO_FATAL_FAILURE(clocks.expect_order()) << "turn " << turn << " step " << step;
      }
    }
  }
}

TEST(BlockClocks, ForgetTheBarriersOfTheBlockBefore) {
  Clocks clocks(2);
  clocks.begin(0);
  clocks.access(0);
  clocks.barrier(0, 1);  // of a part
  clocks.access(0);
  clocks.begin(1);
  clocks.access(0);
  clocks.access(1);
  clocks.expect_order();
}

TEST(BlockClocks, AnArrivalChangesTheVersionOfItsWarpAlone) {
  SegmentSource source;
  BlockClock clock(3, source);
  clock.begin(OPERATION, 0);
  const uint64_t common = clock.common_version();
  const uint64_t versions[] = {clock.version(0), clock.version(1), clock.version(2)};
  clock.arrive(1, 0);
  EXPECT_EQ(clock.common_version(), common);
  EXPECT_EQ(clock.version(0), versions[0]);
  EXPECT_NE(clock.version(1), versions[1]);
  EXPECT_EQ(clock.version(2), versions[2]);
  const uint64_t arrived = clock.version(1);
  clock.release(0, 0b111);
  EXPECT_NE(clock.common_version(), common);
  EXPECT_NE(clock.version(0), versions[0]);
  EXPECT_NE(clock.version(1), arrived);
  const uint64_t released = clock.version(1);
  clock.begin(OPERATION, 1);
  EXPECT_GT(clock.version(1), released) << "rules of the block before must not return";
}

TEST(BlockClocks, TakeOneIdForSeveralWarps) {
  SegmentSource source;
  BlockClock clock(2, source);
  clock.begin(OPERATION, 0);
  const uint64_t common = clock.common_version();
  const uint32_t several = clock.several();
  EXPECT_NE(clock.common_version(), common) << "rules contain the id";
  EXPECT_EQ(clock.several(), several);
  clock.arrive(0, 0);
  clock.arrive(1, 0);
  clock.release(0, 0b11);
  EXPECT_EQ(clock.several_if_any(), 0u);
  EXPECT_NE(clock.several(), several);
}

// The reports of a kernel of two blocks under a random schedule, in which one worker runs both
// blocks by turns.
std::vector<Report> reports_of(const std::string& text, uint64_t seed, int n) {
  const Array<uint32_t> words(32), others(32);
  const Schedule before = schedule();
  Reports::instance().clear();
  set_schedule({WarpOrder::RANDOM, seed});
  enable_checks(CHECK_RACE);
  expect_success(run_text(text, shape(2, 128), words.address(), others.address(), n));
  enable_checks(0);
  set_schedule(before);
  std::vector<Report> reports = Reports::instance().contents().reports;
  Reports::instance().clear();
  return reports;
}

// Warp 1 of block 0 and warp 0 of block 1 read the same words. Warp 1 writes them after a barrier
// of its block. The warps of block 0 wait for longer than a slice, so the ids of block 1 are
// between theirs. Warp 0 waits after its first store, the others wait before their accesses. Bit 0
// of n: warp 1 stores to shared memory before its load. Bit 1: warp 0 does.
TEST(BlocksOfAWorker, DoNotHideTheReadsOfEachOther) {
  const std::string text = kernel_text(
      "mul.lo.u32 %r3, %r1, 4; mov.u32 %r4, s; add.u32 %r4, %r4, %r3; mov.u32 %r8, 0;\n"
      "shr.u32 %r5, %r1, 5; and.b32 %r6, %r1, 31; mul.wide.u32 %rd2, %r6, 4;\n"
      "add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n"
      "and.b32 %r9, %r0, 1; setp.ne.u32 %p4, %r9, 0; and.b32 %r9, %r0, 2; setp.ne.u32 %p5, %r9, "
      "0;\n"
      "setp.ne.u32 %p0, %r2, 0; @%p0 bra other_block;\n"
      "setp.ne.u32 %p1, %r5, 0; @%p1 bra other_warps;\n"
      "@%p5 st.shared.u32 [%r4], %r1;\n"
      "wait: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 20000; @%p2 bra wait;\n"
      "ld.global.u32 %r7, [%rd4]; st.shared.u32 [%r4], %r7; bra meet;\n"
      "other_warps: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 40000; @%p2 bra other_warps;\n"
      "setp.ne.u32 %p3, %r5, 1; @%p3 bra meet; @%p4 st.shared.u32 [%r4], %r8;\n"
      "ld.global.u32 %r7, [%rd3]; st.shared.u32 [%r4], %r7;\n"
      "meet: bar.sync 0; setp.ne.u32 %p3, %r5, 1; @%p3 bra done;\n"
      "add.u32 %r7, %r7, 5; st.global.u32 [%rd3], %r7; bra done;\n"
      "other_block: setp.ne.u32 %p1, %r5, 0; @%p1 bra done;\n"
      "ld.global.u32 %r7, [%rd3]; st.shared.u32 [%r4], %r7;\ndone:",
      ".shared .align 4 .b8 s[512];\n");
  for (const int n : {0, 1, 2, 3})
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      const auto found = reports_of(text, seed, n);
      ASSERT_EQ(found.size(), 1u) << "seed " << seed << ", n " << n;
      EXPECT_EQ(found[0].kind, ReportKind::GLOBAL_RACE);
    }
}

}  // namespace
}  // namespace cucore::cpu::test
