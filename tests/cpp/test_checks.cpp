// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: options, reports, and the failure of verify().
#include <cucore/checks.hpp>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::Checks;
using cucore::ChecksOptions;
using cucore::Kernel;

class CppChecks : public OnDevice {
 protected:
  void SetUp() override {
    if (!is_on_cpu()) GTEST_SKIP() << "needs a driver with checks";
  }

  // Reads and writes n elements; the buffers have four.
  void run(int n) {
    const Kernel saxpy = must(code_.find_kernel("saxpy"));
    const auto x = make_buffer({1, 2, 3, 4}), y = make_buffer({10, 20, 30, 40});
    SUCCEEDS(saxpy.launch(stream_, {1, 32}, 2.0f, x, y, n));
    SUCCEEDS(stream_.synchronize());
  }

  cucore::ObjectCode code_ = make_code();
};

TEST_F(CppChecks, FindNothingInAGoodKernel) {
  const Checks checks = must(Checks::create());
  EXPECT_TRUE(checks.is_running());
  run(4);
  SUCCEEDS(checks.verify());
  EXPECT_FALSE(checks.is_running());
  EXPECT_EQ(checks.report_count(), 0u);
  EXPECT_EQ(checks.text(), "");
}

TEST_F(CppChecks, ReportABadKernel) {
  ChecksOptions options;
  options.kinds = "memory";
  options.schedule = "random";
  options.seed = 3;
  const Checks checks = must(Checks::create(options));
  run(5);
  FAILS(checks, "out-of-bounds", checks.verify());
  ASSERT_GE(checks.report_count(), 1u);
  const cucore::CheckReport report = must(checks.report_at(0));
  EXPECT_STREQ(report.kind, "out-of-bounds");
  EXPECT_EQ(report.seed, 3u);
  EXPECT_NE(checks.text().find(report.text), std::string_view::npos);
  EXPECT_NE(checks.json().find(report.json), std::string_view::npos);
  FAILS(invalid_argument, "index is 99", checks.report_at(99));
}

TEST_F(CppChecks, SuppressAndCount) {
  ChecksOptions options;
  options.suppressions = "out-of-bounds saxpy";
  options.faults = "cuCtxGetDevice@1000=999";
  const Checks checks = must(Checks::create(options));
  run(5);
  SUCCEEDS(checks.end());
  EXPECT_EQ(must(checks.query()), 0u);
  EXPECT_EQ(checks.fault_count(), 0u);
  EXPECT_GE(must(checks.call_count("cuMemAllocAsync")), 2u);
}

TEST_F(CppChecks, BoundLaunchesAndNameTheSchedule) {
  ChecksOptions options;
  options.schedule = "random:5";
  options.launch_instructions = options.launch_memory = options.launch_output = 1 << 30;
  const Checks checks = must(Checks::create(options));
  SUCCEEDS(checks.end());
  EXPECT_EQ(checks.schedule(), "random:5");
}

TEST_F(CppChecks, EndWithTheirLastReference) {
  { const Checks checks = must(Checks::create()); }
  Checks checks = must(Checks::create());
  FAILS(invalid_state, "other checks are running", Checks::create());
  checks.reset();
  SUCCEEDS(must(Checks::create()).end());
}

}  // namespace
