// SPDX-License-Identifier: Apache-2.0
// Percentages, bounds and efficiencies, each figure by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "perf/report/plain_text.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/profile_rules.hpp"
#include "samples.hpp"

namespace {

using namespace cucore::perf;

// The roof has 4 TB/s for copies, 4.4 for reads and 3.6 for writes. The operations per second are
// 120 T of f16, 60 T of f32, 30 T of f64 and integers, and 700 T of matrices. A launch takes 1.9
// us. The device has 132 multiprocessors. Each row has 10 calls of 1 ms.
class Rules : public testing::Test {
 protected:
  KernelRow completed(const KernelRow& row) {
    data.kernels = {row};
    complete_report(data);
    return data.kernels[0];
  }
  // Of one call.
  KernelRow with_bytes(double read, double written) {
    KernelRow row = samples::kernel("k");
    row.bytes.read = read * 10;
    row.bytes.written = written * 10;
    return row;
  }
  KernelRow with_operations(double ReportOperations::*type, double count) {
    KernelRow row = samples::kernel("k");
    row.operations.*type = count * 10;
    return row;
  }

  ReportData data = samples::h200();
};

TEST_F(Rules, MemoryIsComparedWithTheRateOfItsDirection) {
  EXPECT_DOUBLE_EQ(completed(with_bytes(1e9, 1e9)).percent.memory, 50);  // 2 of 4 TB/s
  EXPECT_DOUBLE_EQ(completed(with_bytes(2.2e9, 0)).percent.memory, 50);  // of 4.4 TB/s
  EXPECT_DOUBLE_EQ(completed(with_bytes(0, 1.8e9)).percent.memory, 50);  // of 3.6 TB/s
  EXPECT_DOUBLE_EQ(completed(with_bytes(2.2e9, UNKNOWN)).percent.memory, 50);
  EXPECT_TRUE(std::isnan(completed(with_bytes(UNKNOWN, UNKNOWN)).percent.memory));
  data.roof.read = UNKNOWN;
  EXPECT_DOUBLE_EQ(completed(with_bytes(2e9, 0)).percent.memory, 50);
  data.roof.copy = UNKNOWN;
  EXPECT_TRUE(std::isnan(completed(with_bytes(2e9, 1)).percent.memory));
}

TEST_F(Rules, ComputeIsTheFullestPipe) {
  EXPECT_DOUBLE_EQ(completed(with_operations(&ReportOperations::f32, 3e10)).percent.compute, 50);
  EXPECT_DOUBLE_EQ(completed(with_operations(&ReportOperations::f64, 3e10)).percent.compute, 100);
  EXPECT_DOUBLE_EQ(completed(with_operations(&ReportOperations::f16, 3e10)).percent.compute, 25);
  EXPECT_DOUBLE_EQ(completed(with_operations(&ReportOperations::integer, 3e10)).percent.compute,
                   100);
  EXPECT_DOUBLE_EQ(completed(with_operations(&ReportOperations::matrix, 7e10)).percent.compute, 10);
  KernelRow both = with_operations(&ReportOperations::f32, 3e10);
  both.operations.f64 = 2.4e11;
  EXPECT_DOUBLE_EQ(completed(both).percent.compute, 80);
  EXPECT_TRUE(std::isnan(completed(samples::kernel("k")).percent.compute));
}

TEST_F(Rules, OperationsWithoutATypeBelongToTheSlowestPipeThatCanDoThem) {
  const auto total = &ReportOperations::total;
  EXPECT_DOUBLE_EQ(completed(with_operations(total, 3e10)).percent.compute, 50);    // f32
  EXPECT_DOUBLE_EQ(completed(with_operations(total, 9e10)).percent.compute, 75);    // f16
  EXPECT_DOUBLE_EQ(completed(with_operations(total, 3.5e11)).percent.compute, 50);  // matrix
  EXPECT_DOUBLE_EQ(completed(with_operations(total, 1.4e12)).percent.compute, 200);
  data.roof.f32 = data.roof.f16 = data.roof.matrix = UNKNOWN;
  EXPECT_TRUE(std::isnan(completed(with_operations(total, 3e10)).percent.compute));
}

TEST_F(Rules, IntensityIsOperationsPerByte) {
  KernelRow row = with_bytes(1e6, 1e6);
  row.operations.total = 5e7;
  EXPECT_DOUBLE_EQ(completed(row).intensity, 2.5);
  EXPECT_TRUE(std::isnan(completed(with_bytes(UNKNOWN, 1)).intensity));
  EXPECT_TRUE(std::isnan(completed(with_bytes(0, 0)).intensity));
}

TEST_F(Rules, TheBoundIsTheLargerPercentageFrom60On) {
  EXPECT_EQ(completed(with_bytes(1.2e9, 1.2e9)).bound, Bound::MEMORY);  // 60 %
  EXPECT_EQ(completed(with_operations(&ReportOperations::f32, 3.6e10)).bound, Bound::COMPUTE);
  KernelRow both = with_bytes(1.4e9, 1.4e9);  // 70 %
  both.operations.f32 = 4.8e11;               // 80 %
  EXPECT_EQ(completed(both).bound, Bound::COMPUTE);
  both.operations.f32 = 3.9e11;  // 65 %
  EXPECT_EQ(completed(both).bound, Bound::MEMORY);
  both.bytes.read = both.bytes.written = 1.19e10;  // 59.5 %
  both.operations.f32 = 3.5e11;                    // 58 %
  EXPECT_EQ(completed(both).bound, Bound::LATENCY);
}

TEST_F(Rules, WithoutALimitTheLaunchOrTheGridIsTheBound) {
  KernelRow row = with_bytes(1e6, 1e6);
  row.operations.f32 = 1;
  row.seconds.mean = 3.79e-6;  // less than twice 1.9 us
  row.bytes.read = row.bytes.written = 10;
  EXPECT_EQ(completed(row).bound, Bound::LAUNCH);
  row.seconds.mean = 3.81e-6;
  EXPECT_EQ(completed(row).bound, Bound::LATENCY);
  row.geometry.grid[0] = 11;
  row.geometry.grid[1] = 12;
  EXPECT_EQ(completed(row).bound, Bound::LATENCY);  // as many as multiprocessors
  row.geometry.grid[0] = 10;
  EXPECT_EQ(completed(row).bound, Bound::GRID);
}

TEST_F(Rules, WithOneUnknownRateTheBoundIsUnknown) {
  EXPECT_EQ(completed(with_bytes(1e8, 1e8)).bound, Bound::UNKNOWN);
  EXPECT_EQ(completed(with_operations(&ReportOperations::f32, 1)).bound, Bound::UNKNOWN);
  EXPECT_EQ(completed(samples::kernel("k")).bound, Bound::UNKNOWN);
  KernelRow untimed = samples::kernel("k");
  untimed.seconds = {};
  untimed.geometry.grid[0] = 1;
  EXPECT_EQ(completed(untimed).bound, Bound::UNKNOWN);
}

TEST_F(Rules, EfficiencyIsTheMeanByTime) {
  data.kernels = {with_bytes(2e9, 2e9), with_bytes(1e9, 1e9)};  // 100 % and 50 %
  data.kernels[0].seconds.total = 1;
  data.kernels[1].seconds.total = 3;
  complete_report(data);
  EXPECT_DOUBLE_EQ(data.ranges[0].memory_efficiency, 0.625);
  EXPECT_TRUE(std::isnan(data.ranges[0].compute_efficiency));
  const RowTime times[] = {{1, 0.5}, {0, 0.5}};
  ReportRange range;
  set_efficiency(range, data.kernels, times);
  EXPECT_DOUBLE_EQ(range.memory_efficiency, 0.75);
}

TEST_F(Rules, EfficiencyNeedsHalfOfTheTimeAndIsAtMostOne) {
  data.kernels = {with_bytes(8e9, 8e9), samples::kernel("unknown")};  // 400 %
  data.kernels[0].seconds.total = 1;
  data.kernels[1].seconds.total = 1;
  complete_report(data);
  EXPECT_DOUBLE_EQ(data.ranges[0].memory_efficiency, 1);
  data.kernels[1].seconds.total = 1.1;
  complete_report(data);
  EXPECT_TRUE(std::isnan(data.ranges[0].memory_efficiency));
  ReportRange none;
  set_efficiency(none, data.kernels, {});
  EXPECT_TRUE(std::isnan(none.memory_efficiency));
}

TEST_F(Rules, AReportWithoutRangesOrKernelsIsComplete) {
  data.ranges.clear();
  data.kernels.clear();
  complete_report(data);
  EXPECT_EQ(kernel_seconds_of(data), 0);
  EXPECT_EQ(headline_of(data).title, "");
}

TEST(Roofs, ArePeaksOfReports) {
  Roof roof;
  for (size_t kind = 1; kind <= ROOF_KINDS; ++kind)
    roof.set(RoofKind(kind), static_cast<double>(kind));
  const ReportRoof peaks = report_roof_of(roof);
  EXPECT_EQ(peaks.copy, 1);
  EXPECT_EQ(peaks.read, 2);
  EXPECT_EQ(peaks.write, 3);
  EXPECT_EQ(peaks.l2, 4);
  EXPECT_EQ(peaks.f32, 6);
  EXPECT_EQ(peaks.f64, 7);
  EXPECT_EQ(peaks.f16, 8);
  EXPECT_EQ(peaks.integer, 9);
  EXPECT_EQ(peaks.matrix, 12);
  EXPECT_EQ(peaks.launch, 17);
  EXPECT_EQ(peaks.event_offset, 18);
  roof.set(RoofKind::MATRIX_BF16, UNKNOWN);
  EXPECT_EQ(report_roof_of(roof).matrix, 11);
}

TEST(Titles, AreNamesWithoutParameters) {
  EXPECT_EQ(kernel_title("saxpy"), "saxpy");
  EXPECT_EQ(kernel_title("_Z5saxpyPf"), "saxpy");
  EXPECT_EQ(kernel_title("_Z9transposeIfEvPKT_PS0_i"), "transpose<float>");
  EXPECT_EQ(kernel_title("_ZN12_GLOBAL__N_14biasEPfS0_"), "(anonymous namespace)::bias");
  EXPECT_EQ(kernel_title("_Z3mapIPFffEEvT_"), "map<float (*)(float)>");
  EXPECT_EQ(kernel_title("_Znot a name"), "_Znot a name");
  EXPECT_EQ(kernel_title(""), "");
}

}  // namespace
