// SPDX-License-Identifier: Apache-2.0
// The functions of reports in cucore_perf.h, on reports that the test makes itself.
#include <cucore_perf.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "perf/capi/handles.hpp"
#include "perf/report/profile_report.hpp"
#include "samples.hpp"

namespace {

using namespace cucore::perf;

class ReportApi : public testing::Test {
 protected:
  void SetUp() override {
    ReportData data = samples::slow_transpose();
    data.findings.clear();
    data.kernels[0].counters = {{"cpu.instructions", 123}};
    data.kernels[2].geometry.dynamic_shared = 100;
    data.ranges[1].memory_efficiency = data.ranges[1].compute_efficiency = UNKNOWN;
    const std::vector<std::vector<RowTime>> times = {{}, {{1, 0.1}}, {}};
    report = cucore::wrap(cucore::make<FinishedReport>(data, times));
  }
  void TearDown() override {
    cucore_error_release(error);
    cucore_report_release(report);
  }
  cucore_kernel_row row(size_t index) {
    cucore_kernel_row result = CUCORE_KERNEL_ROW_INIT;
    EXPECT_EQ(cucore_report_kernel_at(report, index, &result, nullptr), CUCORE_OK);
    return result;
  }
  std::string write(cucore_report_format format) {
    size_t size = 0;
    EXPECT_EQ(cucore_report_write(report, format, nullptr, 0, &size, nullptr), CUCORE_OK);
    std::string text(size, 'x');
    EXPECT_EQ(cucore_report_write(report, format, text.data(), size, &size, nullptr), CUCORE_OK);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  std::string message() const { return cucore_error_message(error); }

  cucore_report* report = nullptr;
  cucore_error* error = nullptr;
};

TEST_F(ReportApi, RowsHaveTheFiguresOfKernels) {
  ASSERT_EQ(cucore_report_kernel_count(report), 4U);
  const cucore_kernel_row first = row(0);
  EXPECT_STREQ(first.name, "_Z9transposeIfEvPKT_PS0_i");
  EXPECT_EQ(first.grid[0], 256U);
  EXPECT_EQ(first.grid[1], 256U);
  EXPECT_EQ(first.block[0], 32U);
  EXPECT_EQ(first.block[1], 8U);
  EXPECT_EQ(first.registers, 32);
  EXPECT_EQ(first.spills, -1);
  EXPECT_EQ(first.calls, 1000U);
  EXPECT_EQ(first.timed, 64U);
  EXPECT_DOUBLE_EQ(first.total, 0.812);
  EXPECT_DOUBLE_EQ(first.mean, 812e-6);
  EXPECT_LT(first.min, first.mean);
  EXPECT_GT(first.max, first.mean);
  EXPECT_DOUBLE_EQ(first.bytes_read, 268435456e3);
  EXPECT_DOUBLE_EQ(first.bytes_written, 268435456e3);
  EXPECT_EQ(first.bytes_source, CUCORE_AMOUNT_SOURCE_MODEL);
  EXPECT_EQ(first.sectors_per_request, 18);
  EXPECT_DOUBLE_EQ(first.operations, 4.2e11);
  EXPECT_NEAR(first.memory_percent, 2 * 268435456 / 812e-6 / 4e12 * 100, 1e-9);
  EXPECT_NEAR(first.compute_percent, 4.2e8 / 812e-6 / 3e13 * 100, 1e-9);
  EXPECT_NEAR(first.intensity, 4.2e8 / (2 * 268435456.0), 1e-9);
  EXPECT_EQ(first.occupancy, 1);
  EXPECT_EQ(first.bound, CUCORE_KERNEL_BOUND_LATENCY);
  EXPECT_EQ(row(1).bound, CUCORE_KERNEL_BOUND_MEMORY);
  EXPECT_EQ(row(2).bound, CUCORE_KERNEL_BOUND_LAUNCH);
  EXPECT_EQ(row(2).shared, 4196);
  EXPECT_TRUE(std::isnan(row(2).sectors_per_request));
  EXPECT_EQ(row(3).bound, CUCORE_KERNEL_BOUND_GRID);
  EXPECT_EQ(row(3).spills, 40);
  cucore_kernel_row none = CUCORE_KERNEL_ROW_INIT;
  none.calls = 7;
  EXPECT_EQ(cucore_report_kernel_at(report, 4, &none, &error), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "index is 4; expected less than 4");
  EXPECT_EQ(none.calls, 0U);
  none.struct_size = 8;
  EXPECT_EQ(cucore_report_kernel_at(report, 0, &none, nullptr), CUCORE_ERROR_ABI_MISMATCH);
  EXPECT_EQ(cucore_report_kernel_at(report, 0, nullptr, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
}

TEST_F(ReportApi, RangesHaveEfficiencies) {
  double memory = -1, compute = -1;
  ASSERT_EQ(cucore_report_efficiency(report, nullptr, &memory, &compute, nullptr), CUCORE_OK);
  EXPECT_GT(memory, 0.2);
  EXPECT_LT(memory, 0.4);
  EXPECT_GT(compute, 0);
  double same = -1;
  ASSERT_EQ(cucore_report_efficiency(report, "", &same, nullptr, nullptr), CUCORE_OK);
  EXPECT_EQ(same, memory);
  ASSERT_EQ(cucore_report_efficiency(report, "step", &memory, nullptr, nullptr), CUCORE_OK);
  EXPECT_DOUBLE_EQ(memory, row(1).memory_percent / 100);  // its only kernel is row 1
  EXPECT_EQ(cucore_report_efficiency(report, "stop", &memory, &compute, &error),
            CUCORE_ERROR_NOT_FOUND);
  EXPECT_EQ(message(), "range is stop, which the report does not have");
  EXPECT_EQ(memory, 0);
}

TEST_F(ReportApi, CountersHaveNames) {
  double value = 0;
  ASSERT_EQ(cucore_report_counter(report, 0, "cpu.instructions", &value, nullptr), CUCORE_OK);
  EXPECT_EQ(value, 123);
  EXPECT_EQ(cucore_report_counter(report, 0, "cpu.other", &value, &error), CUCORE_ERROR_NOT_FOUND);
  EXPECT_EQ(message(), "name is cpu.other, which is not a counter of _Z9transposeIfEvPKT_PS0_i");
  EXPECT_EQ(value, 0);
  for (const cucore_status status :
       {cucore_report_counter(report, 9, "cpu.instructions", &value, nullptr),
        cucore_report_counter(report, 0, nullptr, &value, nullptr),
        cucore_report_counter(report, 0, "cpu.instructions", nullptr, nullptr),
        cucore_report_counter(nullptr, 0, "cpu.instructions", &value, nullptr)})
    EXPECT_EQ(status, CUCORE_ERROR_INVALID_ARGUMENT);
}

TEST_F(ReportApi, FindingsNameTheirKernel) {
  const size_t count = cucore_report_finding_count(report);
  ASSERT_EQ(count, samples::slow_transpose().findings.size());
  cucore_finding finding = CUCORE_FINDING_INIT;
  ASSERT_EQ(cucore_report_finding_at(report, 0, &finding, nullptr), CUCORE_OK);
  EXPECT_STREQ(finding.id, "P203");
  EXPECT_STREQ(finding.name, "uncoalesced access");
  EXPECT_STREQ(finding.kernel, "_Z9transposeIfEvPKT_PS0_i");
  EXPECT_STREQ(finding.arch, "sm_90");
  EXPECT_STREQ(finding.file, "");
  EXPECT_NE(std::string(finding.advice), "");
  EXPECT_EQ(finding.severity, CUCORE_FINDING_SEVERITY_WARNING);
  EXPECT_EQ(finding.count, 1U);
  bool has_session = false;
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(cucore_report_finding_at(report, i, &finding, nullptr), CUCORE_OK);
    has_session |= std::string(finding.id) == "P215" && std::string(finding.kernel).empty();
  }
  EXPECT_TRUE(has_session);
  EXPECT_EQ(cucore_report_finding_at(report, count, &finding, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(finding.id, nullptr);
}

TEST_F(ReportApi, FormatsAreThoseOfTheWriters) {
  const cucore::perf::ReportData& data = cucore::use(report, "report").data();
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_TEXT), profile_as_text(data));
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_JSON), profile_as_json(data));
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_CSV), profile_as_csv(data));
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_GNUPLOT), profile_as_gnuplot(data));
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_TRACE), profile_as_trace(data));
  EXPECT_EQ(write(CUCORE_REPORT_FORMAT_HTML), profile_as_html(data));
  size_t size = 0;
  for (const int format : {-1, 0, 7})
    EXPECT_EQ(cucore_report_write(report, static_cast<cucore_report_format>(format), nullptr, 0,
                                  &size, nullptr),
              CUCORE_ERROR_INVALID_ARGUMENT);
  char small[8] = "before";
  EXPECT_EQ(
      cucore_report_write(report, CUCORE_REPORT_FORMAT_TEXT, small, sizeof small, &size, nullptr),
      CUCORE_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(size, profile_as_text(data).size() + 1);
  EXPECT_STREQ(small, "before");
  EXPECT_EQ(cucore_report_write(report, CUCORE_REPORT_FORMAT_TEXT, nullptr, 9, &size, nullptr),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

TEST_F(ReportApi, PropertiesAcceptNull) {
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
  EXPECT_EQ(cucore_report_source(nullptr), 0);
  EXPECT_EQ(cucore_report_kernel_count(nullptr), 0U);
  EXPECT_EQ(cucore_report_finding_count(nullptr), 0U);
  EXPECT_EQ(cucore_report_retain(nullptr), nullptr);
  cucore_report_release(nullptr);
  EXPECT_EQ(cucore_report_retain(report), report);
  cucore_report_release(report);
}

TEST_F(ReportApi, HandlesOfOtherTypesAreRefused) {
  size_t size = 0;
  EXPECT_EQ(cucore_report_write(nullptr, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, &size, &error),
            CUCORE_ERROR_INVALID_ARGUMENT);
  const auto* const other = reinterpret_cast<const cucore_report*>(error);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(cucore_report_write(other, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, &size, nullptr),
            CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cucore_report_kernel_count(other), 0U);
}

}  // namespace
