// SPDX-License-Identifier: Apache-2.0
// How often loops of PTX run.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "perf/analyze/trip_counts.hpp"
#include "ptx/parser.hpp"

namespace cucore::perf {
namespace {

// Returns the trip counts of the loops of a kernel in the order of their first instructions.
std::vector<std::optional<uint64_t>> trips(const std::string& body) {
  const std::string text =
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n"
      "ld.param.u32 %r15, [n];\n" +
      body + "\nend:\nret;\n}\n";
  ptx::Diagnostics log;
  const std::unique_ptr<ptx::Module> module = ptx::parse(text, log);
  EXPECT_NE(module, nullptr) << log.to_string();
  std::vector<std::optional<uint64_t>> all;
  if (!module) return all;
  const PtxKernel kernel(*module, module->functions.front());
  TripCounts counts(kernel);
  for (const CodeLoop& loop : kernel.loops()) all.push_back(counts.of(loop));
  return all;
}

std::optional<uint64_t> trip(const std::string& body) {
  const auto all = trips(body);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? std::nullopt : all.front();
}

std::string loop(const std::string& first, const std::string& step, const std::string& compare,
                 const std::string& branch = "@%p0 bra again;") {
  return "mov.u32 %r0, " + first + ";\nagain:\nadd.s32 %r0, %r0, " + step + ";\n" + compare + "\n" +
         branch;
}

TEST(TripCounts, OfEachComparison) {
  EXPECT_EQ(trip(loop("0", "1", "setp.ne.s32 %p0, %r0, 10;")), 10u);
  EXPECT_EQ(trip(loop("0", "1", "setp.lt.s32 %p0, %r0, 10;")), 10u);
  EXPECT_EQ(trip(loop("0", "1", "setp.le.s32 %p0, %r0, 10;")), 11u);
  EXPECT_EQ(trip(loop("10", "-1", "setp.gt.s32 %p0, %r0, 0;")), 10u);
  EXPECT_EQ(trip(loop("10", "-1", "setp.ge.s32 %p0, %r0, 0;")), 11u);
  EXPECT_EQ(trip(loop("0", "4", "setp.lt.u32 %p0, %r0, 10;")), 3u);
  EXPECT_EQ(trip(loop("-8", "8", "setp.ne.s32 %p0, %r0, 0;")), 1u);
  EXPECT_EQ(trip(loop("20", "1", "setp.lt.s32 %p0, %r0, 10;")), 1u);
}

TEST(TripCounts, OfANegatedBranch) {
  EXPECT_EQ(trip(loop("0", "1", "setp.eq.s32 %p0, %r0, 10;", "@!%p0 bra again;")), 10u);
  EXPECT_EQ(trip(loop("0", "1", "setp.ge.s32 %p0, %r0, 10;", "@!%p0 bra again;")), 10u);
}

TEST(TripCounts, OfACopiedCounter) {
  EXPECT_EQ(trip("mov.u32 %r1, 5;\nmov.u32 %r0, %r1;\nagain:\nadd.s32 %r2, %r0, 3;\n"
                 "setp.lt.s32 %p0, %r2, 20;\nmov.u32 %r0, %r2;\n@%p0 bra again;"),
            5u);
}

TEST(TripCounts, ComparedBeforeTheUpdate) {
  EXPECT_EQ(trip("mov.u32 %r0, 0;\nagain:\nsetp.lt.s32 %p0, %r0, 10;\nadd.s32 %r0, %r0, 1;\n"
                 "@%p0 bra again;"),
            11u);
}

TEST(TripCounts, AreUnknownOtherwise) {
  EXPECT_EQ(trip(loop("0", "1", "setp.lt.s32 %p0, %r0, %r15;")), std::nullopt);
  EXPECT_EQ(trip(loop("%r15", "1", "setp.lt.s32 %p0, %r0, 10;")), std::nullopt);
  EXPECT_EQ(trip(loop("0", "%r15", "setp.lt.s32 %p0, %r0, 10;")), std::nullopt);
  // The counter passes the bound, or never reaches it.
  EXPECT_EQ(trip(loop("0", "3", "setp.ne.s32 %p0, %r0, 10;")), std::nullopt);
  EXPECT_EQ(trip(loop("0", "-1", "setp.lt.s32 %p0, %r0, 10;")), std::nullopt);
  EXPECT_EQ(trip(loop("0", "1", "setp.lt.u32 %p0, %r0, -1;")), std::nullopt);
}

TEST(TripCounts, AreUnknownWithASecondExit) {
  EXPECT_EQ(trip(loop("0", "1",
                      "setp.eq.s32 %p1, %r0, %r15; @%p1 bra end;\n"
                      "setp.lt.s32 %p0, %r0, 10;")),
            std::nullopt);
  EXPECT_EQ(trip(loop("0", "1",
                      "setp.eq.s32 %p1, %r0, %r15; @%p1 ret;\n"
                      "setp.lt.s32 %p0, %r0, 10;")),
            std::nullopt);
}

TEST(TripCounts, OfNestedLoops) {
  const std::string inner =
      "mov.u32 %r1, 0;\ninner:\nadd.s32 %r1, %r1, 1;\n"
      "setp.ne.s32 %p1, %r1, 4;\n@%p1 bra inner;\n";
  const auto all = trips("mov.u32 %r0, 0;\nagain:\n" + inner +
                         "add.s32 %r0, %r0, 1;\nsetp.ne.s32 %p0, %r0, 7;\n@%p0 bra again;");
  EXPECT_EQ(all, (std::vector<std::optional<uint64_t>>{7, 4}));
}

// The counter of the inner loop begins with its last value from the second time on.
TEST(TripCounts, AreUnknownForACounterThatIsNotReset) {
  const auto all = trips(
      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nagain:\ninner:\n"
      "mov.u32 %r2, 1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n"
      "@%p1 bra inner;\n"
      "add.s32 %r0, %r0, 1;\nsetp.ne.s32 %p0, %r0, 7;\n@%p0 bra again;");
  for (const auto& each : all) EXPECT_NE(each, std::optional<uint64_t>(4));
  const auto apart = trips(
      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nagain:\nmov.u32 %r3, 1;\ninner:\n"
      "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n@%p1 bra inner;\n"
      "add.s32 %r0, %r0, 1;\nsetp.ne.s32 %p0, %r0, 7;\n@%p0 bra again;");
  EXPECT_EQ(apart, (std::vector<std::optional<uint64_t>>{7, std::nullopt}));
}

}  // namespace
}  // namespace cucore::perf
