// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: options, reports, and the failure of verify().
#include <cucore/checks.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::Checks;
using cucore::ChecksOptions;
using cucore::Kernel;

// The first kernel does not end. The second one prints six bytes.
const std::string BOUNDED = R"(.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 count) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};
.visible .entry forever()
{
LOOP:
  bra LOOP;
}
.visible .entry say()
{
  .reg .b64 %rd<3>;
  mov.u64 %rd1, text;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, 0;
  {
    .param .b64 format; .param .b64 arguments; .param .b32 count;
    st.param.b64 [format], %rd1;
    st.param.b64 [arguments], %rd2;
    call.uni (count), vprintf, (format, arguments);
  }
  ret;
}
)";

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

TEST_F(CppChecks, InjectFaults) {
  ChecksOptions options;
  options.kinds = "none";
  options.faults = "allocation@2+=2";
  const Checks checks = must(Checks::create(options));
  make_buffer(64);
  FAILS(out_of_device_memory, "", cucore::Buffer::create(device_, 64, stream_));
  SUCCEEDS(checks.end());
  EXPECT_GE(checks.fault_count(), 1u);
  make_buffer(64);  // the plan has ended
}

TEST_F(CppChecks, FindLeaks) {
  ChecksOptions options;
  options.kinds = "leak";
  const Checks checks = must(Checks::create(options));
  const cucore::Event event = must(cucore::Event::create(device_));
  const cucore::Buffer kept = make_buffer(200);
  make_buffer(300);
  FAILS(checks, "leak: cuEventCreate", checks.verify());
  ASSERT_EQ(checks.report_count(), 2u) << checks.text();
  const cucore::CheckReport report = must(checks.report_at(0));
  EXPECT_STREQ(report.kind, "leak");
  EXPECT_EQ(report.allocation, kept.address().value());
  EXPECT_EQ(report.allocation_size, 200u);
}

TEST_F(CppChecks, TraceTheCallsOfTheDriver) {
  ChecksOptions options;
  options.kinds = "none";
  options.trace_file = testing::TempDir() + "cpp_trace." + std::to_string(getpid());
  const Checks checks = must(Checks::create(options));
  must(cucore::Event::create(device_));
  SUCCEEDS(checks.end());
  must(cucore::Stream::create(device_));
  std::ifstream file(options.trace_file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(contains(text, "\"call\":\"cuEventCreate\"")) << text;
  EXPECT_FALSE(contains(text, "cuStreamCreate")) << text;
  std::remove(options.trace_file.c_str());
}

TEST_F(CppChecks, BoundLaunches) {
  const cucore::ObjectCode code = must(cucore::ObjectCode::create(cucore::CodeType::ptx, BOUNDED));
  struct Row {
    std::uint64_t ChecksOptions::*budget;
    std::uint64_t enough, amount;
    const char *kernel, *text;
  };
  const Row rows[] = {
      {&ChecksOptions::launch_instructions, 0, 1000, "forever", "budget of 1000 warp"},
      {&ChecksOptions::launch_memory, 1 << 20, 1024, "say", "a launch has 1024 bytes"},
      {&ChecksOptions::launch_output, 6 * 32, 6 * 32 - 1, "say", "a launch has 191"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const Kernel kernel = must(code.find_kernel(row.kernel));
    ChecksOptions options;
    options.kinds = "memory";
    for (const std::uint64_t amount : {row.enough, row.amount}) {
      if (!amount) continue;
      options.*row.budget = amount;
      const Checks checks = must(Checks::create(options));
      SUCCEEDS(kernel.launch(stream_, {1, 32}));
      if (amount == row.enough) {
        SUCCEEDS(stream_.synchronize());
        SUCCEEDS(checks.verify());
        continue;
      }
      FAILS(kernel_fault, row.text, stream_.synchronize());
      SUCCEEDS(device_.reset_context());
      stream_ = must(cucore::Stream::create(device_));
      FAILS(checks, row.text, checks.verify());
    }
  }
  const Kernel say = must(code.find_kernel("say"));  // the budgets have ended
  SUCCEEDS(say.launch(stream_, {1, 32}));
  SUCCEEDS(stream_.synchronize());
}

TEST_F(CppChecks, NameTheirSchedule) {
  ChecksOptions options;
  options.schedule = "random:5";
  const Checks fixed = must(Checks::create(options));
  SUCCEEDS(fixed.end());
  EXPECT_EQ(fixed.schedule(), "random:5");
  options.schedule = "random";
  const Checks chosen = must(Checks::create(options));
  run(4);
  SUCCEEDS(chosen.end());
  EXPECT_EQ(chosen.schedule().substr(0, 7), "random:");
  options.seed = 9;
  const Checks given = must(Checks::create(options));
  SUCCEEDS(given.end());
  EXPECT_EQ(given.schedule(), "random:9");
  options.schedule = "sequential";
  options.seed = 0;
  const Checks other = must(Checks::create(options));
  SUCCEEDS(other.end());
  EXPECT_EQ(other.schedule(), "");
}

TEST_F(CppChecks, EndWithTheirLastReference) {
  { const Checks checks = must(Checks::create()); }
  Checks checks = must(Checks::create());
  FAILS(invalid_state, "other checks are running", Checks::create());
  checks.reset();
  SUCCEEDS(must(Checks::create()).end());
}

}  // namespace
