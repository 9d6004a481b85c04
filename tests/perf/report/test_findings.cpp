// SPDX-License-Identifier: Apache-2.0
// Each finding in a report that has it, and none in a report of good kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "samples.hpp"

namespace {

using namespace cucore::perf;

std::vector<std::string> ids_of(ReportData& data) {
  complete_report(data);
  data.findings.clear();
  add_profile_findings(data);
  std::vector<std::string> ids;
  for (const ReportFinding& finding : data.findings) {
    EXPECT_NE(finding.name, "");
    EXPECT_NE(finding.message, "");
    EXPECT_NE(finding.advice, "");
    ids.push_back(finding.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

// A session that is busy, with one kernel of 1 ms and 10 calls.
ReportData with(const KernelRow& row) {
  ReportData data = samples::h200();
  data.seconds = row.seconds.total;
  data.kernels = {row};
  return data;
}

KernelRow with_amounts(double bytes, double f32) {
  KernelRow row = samples::kernel("k");
  row.bytes.read = row.bytes.written = bytes * 10 / 2;
  row.bytes.requested = row.bytes.sector = row.bytes.compulsory = bytes * 10;
  row.operations.f32 = row.operations.total = f32 * 10;
  return row;
}

Severity severity_of(const ReportData& data, const std::string& id) {
  for (const ReportFinding& finding : data.findings)
    if (finding.id == id) return finding.severity;
  return Severity{};
}

TEST(ProfileFindings, GoodKernelsHaveNotesOnly) {
  ReportData memory = with(with_amounts(3.6e9, 1e9));
  EXPECT_EQ(ids_of(memory), Ids{"P204"});
  EXPECT_EQ(memory.findings[0].severity, Severity::NOTE);
  EXPECT_EQ(memory.findings[0].message, "The kernel has 90 % of the memory rate of the device");
  ReportData compute = with(with_amounts(1e8, 5.4e10));
  EXPECT_EQ(ids_of(compute), Ids{"P205"});
  EXPECT_EQ(compute.findings[0].severity, Severity::NOTE);
}

TEST(ProfileFindings, ShortKernelsAreBoundByTheLaunch) {
  KernelRow row = with_amounts(1, 1);
  row.seconds.mean = 2e-6;
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P201"});
  EXPECT_EQ(data.findings[0].severity, Severity::WARNING);
  EXPECT_EQ(data.findings[0].message,
            "A call takes 2.000 us, the launch of an empty kernel 1.900 us");
}

TEST(ProfileFindings, SmallGridsLeaveMultiprocessorsIdle) {
  KernelRow row = with_amounts(1, 1);
  row.geometry.grid[0] = 1;
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P202"});
  EXPECT_EQ(data.findings[0].message, "1 block for 132 multiprocessors; the others are idle");
}

TEST(ProfileFindings, UncoalescedAccessIsTheReasonOfLowRates) {
  KernelRow row = with_amounts(1e8, 1);
  row.bytes.sector = 2 * row.bytes.requested;
  row.sectors_per_request = 8;
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P203"});
  EXPECT_EQ(
      data.findings[0].message,
      "The device moves 2.0 times the bytes that the threads request, 8.0 sectors per request");
  row.bytes.sector = 1.9 * row.bytes.requested;
  data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P206"});
  // A kernel that also fills the memory has both.
  row = with_amounts(3.6e9, 1);
  row.bytes.sector = 3 * row.bytes.requested;
  data = with(row);
  EXPECT_EQ(ids_of(data), (Ids{"P203", "P204"}));
}

TEST(ProfileFindings, LatencyIsExplainedByTheOccupancy) {
  KernelRow row = with_amounts(4e8, 6e9);
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P206"});
  EXPECT_EQ(data.findings[0].message,
            "The kernel has 10 % of the memory rate and 10 % of the compute rate");
  row.occupancy = 0.25;
  data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P206"});
  EXPECT_EQ(data.findings[0].message,
            "The kernel has 10 % of the memory rate and 10 % of the compute rate; its occupancy is "
            "25 %, limited by registers");
}

TEST(ProfileFindings, BankConflictsAndDivergenceComeFromCounters) {
  KernelRow row = samples::kernel("k");
  row.counters = {{"cpu.shared_load_wavefronts", 300},  {"cpu.shared_load_bank_conflicts", 150},
                  {"cpu.shared_store_wavefronts", 100}, {"cpu.shared_store_bank_conflicts", 50},
                  {"cpu.instructions", 1000},           {"cpu.divergent_branches", 20}};
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), (Ids{"P207", "P208"}));
  EXPECT_EQ(data.findings[0].message,
            "50 % of the accesses to shared memory are repeated because of bank conflicts");
  EXPECT_EQ(data.findings[1].message,
            "One of 50 instructions of a warp is a branch that parts its threads");
  row.counters["cpu.shared_load_bank_conflicts"] = 50;  // 100 of 400
  row.counters["cpu.divergent_branches"] = 10;
  data = with(row);
  EXPECT_EQ(ids_of(data), Ids{});
}

TEST(ProfileFindings, SpillsRepeatedTrafficAndSlowTypes) {
  KernelRow row = samples::kernel("k");
  row.resources.spill_loads = 4;
  row.resources.spill_stores = 8;
  ReportData data = with(row);
  EXPECT_EQ(ids_of(data), Ids{"P209"});
  EXPECT_EQ(data.findings[0].message, "Registers are spilled to local memory, 12 bytes per thread");

  row = with_amounts(3.6e9, 1);
  row.bytes.compulsory /= 4;
  data = with(row);
  EXPECT_EQ(ids_of(data), (Ids{"P210", "P204"}));
  EXPECT_EQ(data.findings[0].message,
            "Device memory moves 36.00 GB, 4.0 times the 9.000 GB of different data");

  row = with_amounts(1, 0);
  row.operations.f32 = 1e5;
  row.operations.f64 = row.operations.total = 9e9;
  data = with(row);
  data.roof.f64 = 1e12;
  EXPECT_EQ(ids_of(data), Ids{"P211"});
  data.roof.f64 = 2e13;  // a third of f32
  data.kernels[0].operations.f64 = data.kernels[0].operations.total = 1.8e11;
  EXPECT_EQ(ids_of(data), Ids{"P205"});
}

TEST(ProfileFindings, SessionsHaveIdleDevicesCopiesAndFailures) {
  ReportData data = with(samples::kernel("k"));
  data.seconds = 0.021;  // 10 ms of kernels
  EXPECT_EQ(ids_of(data), Ids{"P212"});
  EXPECT_EQ(data.findings[0].kernel, NO_INDEX);
  data.seconds = 0.02;
  OperationRow copy;
  copy.kind = "read";
  copy.seconds = 0.011;
  copy.bytes = 5'000'000;
  data.operations = {copy};
  EXPECT_EQ(ids_of(data), Ids{"P213"});
  EXPECT_EQ(data.findings[0].message, "Copies of 5.000 MB take 11.00 ms, the kernels 10.00 ms");
  data.operations[0].kind = "allocate";
  EXPECT_EQ(ids_of(data), Ids{});
  data.kernels[0].counters = {{"cpu.instructions", 32 * 810}, {"cpu.warp_instructions", 1000}};
  EXPECT_EQ(ids_of(data), Ids{});
  data.kernels[0].counters["cpu.instructions"] = 32 * 790;
  EXPECT_EQ(ids_of(data), Ids{"P208"});
  EXPECT_EQ(data.findings[0].message,
            "21 % of the threads of its warps wait, while others take another path");
  data.kernels[0].counters = {};
  data.kernels[0].failed = 1;
  EXPECT_EQ(ids_of(data), Ids{"P214"});
  EXPECT_EQ(data.findings[0].severity, Severity::ERROR);
  EXPECT_EQ(data.findings[0].message, "1 launch failed");
}

TEST(ProfileFindings, MissingPartsOverheadAndCutTimelinesAreNotes) {
  ReportData data = with(samples::kernel("k"));
  data.missing = {{"activity", "CUPTI is missing.", "Install it."}};
  data.overhead = {0.02, 0.031};
  data.seconds = data.kernels[0].seconds.total = 1;
  data.dropped_records = 2;
  EXPECT_EQ(ids_of(data), (Ids{"P215", "P216", "P217"}));
  EXPECT_EQ(data.findings[0].message, "activity: CUPTI is missing");
  EXPECT_EQ(data.findings[0].advice, "Install it.");
  EXPECT_EQ(data.findings[1].message, "The profiler takes 3.1 % of the time; the budget is 2.0 %");
  for (const ReportFinding& finding : data.findings) EXPECT_EQ(finding.severity, Severity::NOTE);
  data.seconds = data.kernels[0].seconds.total = 0.3;
  EXPECT_EQ(ids_of(data), (Ids{"P215", "P217"})) << "less than 10 ms does not matter";
  data.seconds = data.kernels[0].seconds.total = 1;
  data.source = ProfileSource::EMULATED;
  EXPECT_EQ(ids_of(data), (Ids{"P215", "P217"})) << "counts have no budget";
}

// A large launch on the CPU device, whose counts show nothing wasteful.
KernelRow counted_row() {
  KernelRow row;
  row.name = "k";
  row.calls = 2;
  row.geometry = {{1000, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0};
  row.counters = {{"cpu.instructions", 32e6}, {"cpu.warp_instructions", 1e6}};
  row.bytes.requested = row.bytes.sector = 1e6;
  return row;
}

ReportData counted_report(const KernelRow& row) {
  ReportData data = with(row);
  data.source = ProfileSource::EMULATED;
  data.machine.multiprocessors = 132;
  return data;
}

TEST(ProfileFindings, SmallLaunchesAreNotesWithoutTimes) {
  KernelRow row = counted_row();
  ReportData data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{});
  row.counters = {{"cpu.instructions", 16 * 31.0}, {"cpu.warp_instructions", 18}};
  row.geometry.grid[0] = 1;
  row.geometry.block[0] = 32;
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), (Ids{"P201", "P202"}));
  EXPECT_EQ(data.findings[0].severity, Severity::NOTE);
  EXPECT_EQ(data.findings[0].message,
            "A call executes 9 instructions of warps, which takes less time than its launch");
  EXPECT_EQ(data.findings[1].message, "1 block for 132 multiprocessors; the others are idle");
  row.geometry.grid[0] = 132;
  row.counters = {{"cpu.instructions", 64e3}, {"cpu.warp_instructions", 2000}};
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{}) << "at the limits";
}

TEST(ProfileFindings, SharedMemoryLimitsTheOccupancyWithoutTimes) {
  KernelRow row = counted_row();
  row.occupancy = 0.15;
  row.occupancy_limiter = "shared";
  row.resources.shared = 40000;
  row.geometry.dynamic_shared = 4000;
  ReportData data = counted_report(row);
  ASSERT_EQ(ids_of(data), Ids{"P219"});
  EXPECT_EQ(data.findings[0].severity, Severity::WARNING);
  EXPECT_NE(data.findings[0].message.find("15 % of its warps"), std::string::npos);
  EXPECT_NE(data.findings[0].message.find("44.00 kB"), std::string::npos)
      << data.findings[0].message;
  row.occupancy_limiter = "registers";
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{}) << "the CPU device has no registers of its own";
  row.occupancy_limiter = "shared";
  row.occupancy = 0.25;
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{});
}

TEST(ProfileFindings, LocalMemoryIsAWarning) {
  KernelRow row = counted_row();
  row.counters["cpu.local_bytes"] = 5e5;
  row.places[102] = {.file = "k.cu", .line = 3, .ptx_line = 9};
  ReportData data = counted_report(row);
  ASSERT_EQ(ids_of(data), Ids{"P218"});
  EXPECT_EQ(data.findings[0].place.line, 3u) << "of the analysis";
  EXPECT_EQ(
      data.findings[0].message,
      "The threads load and store 500.0 kB of local memory, which is a part of device memory; "
      "of global memory they request 1.000 MB");
  row.counted_places[218] = {.file = "k.cu", .line = 5, .ptx_line = 11};
  data = counted_report(row);
  ASSERT_EQ(ids_of(data), Ids{"P218"});
  EXPECT_EQ(data.findings[0].place.line, 5u) << "counts are exact";
  row.counters["cpu.local_bytes"] = 4e5;
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{});
}

TEST(ProfileFindings, AccidentalDoublesAreAWarning) {
  KernelRow row = counted_row();
  row.operations.f32 = 4e5;
  row.operations.f64 = 5e5;
  ReportData data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{}) << "on purpose";
  row.places[103] = {.file = "k.cu", .line = 7, .ptx_line = 9};
  data = counted_report(row);
  ASSERT_EQ(ids_of(data), Ids{"P211"});
  EXPECT_EQ(data.findings[0].place.line, 7u);
  row.operations.f64 = 3e5;
  data = counted_report(row);
  EXPECT_EQ(ids_of(data), Ids{});
  // On a GPU the bound matters, and not only the rate of f64.
  row = with_amounts(1, 0);
  row.operations.f64 = row.operations.total = 1.8e11;
  row.places[103] = {.file = "k.cu", .line = 7, .ptx_line = 9};
  data = with(row);
  data.roof.f64 = 2e13;  // a third of f32
  EXPECT_EQ(ids_of(data), Ids{"P211"});
}

TEST(ProfileFindings, RangesBeyondTheLimitAreANote) {
  ReportData data = with(samples::kernel("k"));
  data.dropped_ranges = 3;
  ASSERT_EQ(ids_of(data), (Ids{"P217"}));
  EXPECT_EQ(data.findings[0].severity, Severity::NOTE);
  EXPECT_EQ(data.findings[0].message,
            "3 ranges began beyond the limit and have no row; their kernels count in the ranges "
            "around them");
}

TEST(ProfileFindings, KernelsWithLittleTimeHaveNotes) {
  KernelRow slow = with_amounts(1e8, 1), brief = with_amounts(1e8, 1);
  for (KernelRow* row : {&slow, &brief}) row->bytes.sector = 4 * row->bytes.requested;
  slow.seconds.total = 98.1;
  brief.seconds.total = 1.9;
  ReportData data = with(brief);
  data.kernels.push_back(slow);
  data.seconds = 100;
  EXPECT_EQ(ids_of(data), (Ids{"P203", "P203"}));
  EXPECT_EQ(data.findings[0].kernel, 1U);
  EXPECT_EQ(data.findings[0].severity, Severity::WARNING);
  EXPECT_EQ(data.findings[1].severity, Severity::NOTE);
}

TEST(ProfileFindings, TheHeadlineNamesTheReasonOfTheSlowestKernel) {
  const ReportData slow = samples::slow_transpose();
  EXPECT_EQ(headline_of(slow).title,
            "transpose<float> takes 72 % of the time of the kernels: uncoalesced access (P203)");
  const std::vector<size_t> main = main_findings(slow);
  ASSERT_EQ(main.size(), slow.kernels.size());
  EXPECT_EQ(slow.findings[main[1]].id, "P204");
  EXPECT_EQ(slow.findings[main[3]].id, "P202");
  EXPECT_EQ(headline_of(samples::emulated()).title,
            "transpose_tile takes 67 % of the time of the kernels: bank conflicts (P207)");
  ReportData unknown = with(samples::kernel("k"));
  EXPECT_EQ(ids_of(unknown), Ids{});
  EXPECT_EQ(headline_of(unknown).title,
            "k takes 100 % of the time of the kernels; what holds it back is unknown");
  EXPECT_NE(headline_of(unknown).advice, "");
  // A note that the profiler has made stays.
  unknown.findings.push_back({"P299", "other", Severity::NOTE, 0, {}, "text", "advice"});
  add_profile_findings(unknown);
  EXPECT_EQ(unknown.findings.size(), 1U);
}

// Each step takes time in proportion to the rows, or a little more. All pairs would take minutes.
TEST(ProfileFindings, ManyRowsAreSortedAndWrittenInSeconds) {
  constexpr size_t ROWS = 40'000;
  ReportData data = samples::h200();
  KernelRow row = with_amounts(1e6, 1);
  row.bytes.sector = 3 * row.bytes.requested;
  row.note = "a note";
  for (size_t i = 0; i < ROWS; ++i) {
    row.geometry.dynamic_shared = static_cast<uint32_t>(i);
    row.seconds.total = static_cast<double>(i % 1000 + 1);
    data.kernels.push_back(row);
    data.seconds += row.seconds.total;
  }
  const std::clock_t start = std::clock();  // of the processor, which others use too
  complete_report(data);
  add_profile_findings(data);
  EXPECT_NE(profile_as_csv(data), "");
  EXPECT_NE(profile_as_html(data), "");
  const std::string text = profile_as_text(data);
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
  ASSERT_GE(data.findings.size(), ROWS);
  EXPECT_EQ(data.findings[0].kernel, 999U) << "the longest, and of those the first";
  EXPECT_EQ(data.findings[1].kernel, 1999U);
  EXPECT_NE(text.find("others\n"), std::string::npos);
  EXPECT_LT(text.size(), 50'000U);
}

TEST(ProfileFindings, IdsAreThoseOfTheTable) {
  std::set<std::string> ids;
  for (ReportData data : {samples::slow_transpose(), samples::emulated(), samples::nothing()})
    for (const ReportFinding& finding : data.findings) ids.insert(finding.id);
  EXPECT_EQ(
      ids, (std::set<std::string>{"P201", "P202", "P203", "P204", "P207", "P208", "P209", "P215"}));
  ReportData data = samples::slow_transpose();
  EXPECT_EQ(severity_of(data, "P203"), Severity::WARNING);
}

}  // namespace
