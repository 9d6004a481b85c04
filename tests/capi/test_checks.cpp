// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: which driver has them, what the reports contain, and what ends with them.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

// In past_end(p), thread t stores to p[t] and to p[256 + t]. In racy(p), all threads store to p[0].
constexpr char CHECKED_KERNELS[] = R"(.version 8.0
.target sm_75
.address_size 64
.file 1 "checks.cu"
.visible .entry past_end(.param .u64 p)
{
  .reg .u32 %r<2>;
  .reg .u64 %rd<5>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  .loc 1 7 0
  st.global.u32 [%rd4], %r1;
  .loc 1 8 0
  st.global.u32 [%rd4+1024], %r1;
  ret;
}
.visible .entry racy(.param .u64 p)
{
  .reg .u32 %r<3>;
  .reg .u64 %rd<3>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %tid.x;
  .loc 1 20 0
  st.global.u32 [%rd2], %r2;
  ret;
}
// The first warp stores to p[t], and the second one loads it.
.visible .entry racy_pair(.param .u64 p)
{
  .reg .pred %p;
  .reg .u32 %r<4>;
  .reg .u64 %rd<5>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 31;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  setp.ge.u32 %p, %r1, 32;
  @%p bra $load;
  add.u32 %r1, %r1, 5;
  .loc 1 31 0
  st.global.u32 [%rd4], %r1;
  ret;
$load:
  .loc 1 32 0
  ld.global.u32 %r3, [%rd4];
  .loc 1 33 0
  st.global.u32 [%rd4+512], %r3;
  ret;
}
)";

cucore_checks_report_info report_of(const cucore_checks* checks, size_t index = 0) {
  cucore_checks_report_info info = CUCORE_CHECKS_REPORT_INFO_INIT;
  MUST(cucore_checks_report_at, checks, index, &info);
  return info;
}

class CheckApi : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    if (!is_emulated()) GTEST_SKIP() << "needs the CPU device";
    code_ = make_code(CUCORE_CODE_TYPE_PTX, CHECKED_KERNELS, sizeof CHECKED_KERNELS);
  }
  void TearDown() override {
    code_.reset();
    OnDevice::TearDown();
  }

  Checks start(const char* kinds = nullptr) {
    options_.kinds = kinds;
    Checks checks;
    MUST(cucore_checks_create, &options_, checks.out());
    return checks;
  }

  // Launches on an array of 256 ints and waits.
  void run(const char* kernel, uint32_t threads = 32) {
    const Buffer buffer = make_buffer(device_, 1024, stream_);
    const Kernel found = find_kernel(code_, kernel);
    const uint64_t address = cucore_buffer_address(buffer);
    const cucore_argument argument = CUCORE_ARGUMENT(address);
    const cucore_launch_options shape = grid(1, threads);
    MUST(cucore_kernel_launch, found, stream_, &shape, &argument, 1);
    MUST(cucore_stream_synchronize, stream_);
  }

  Code code_;
  cucore_checks_options options_ = CUCORE_CHECKS_OPTIONS_INIT;
};

TEST_F(OnDevice, ChecksNeedTheCpuDevice) {
  if (has_checks()) GTEST_SKIP() << "has checks";
  cucore_checks* checks = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "which has no checks|the CPU device|CUCORE_DRIVER",
        cucore_checks_create, nullptr, &checks);
}

TEST_F(CheckApi, FindAnAccessBeyondAnAllocation) {
  const Checks checks = start();
  EXPECT_EQ(cucore_checks_is_running(checks), 1);
  EXPECT_EQ(cucore_checks_report_count(checks), 0u);
  run("past_end");
  SUCCEEDS(cucore_checks_end, checks);
  EXPECT_EQ(cucore_checks_is_running(checks), 0);
  ASSERT_EQ(cucore_checks_report_count(checks), 1u);
  const cucore_checks_report_info r = report_of(checks);
  cucore_checks_report_info wrong = {};
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_checks_report_info", cucore_checks_report_at, checks,
        size_t{0}, &wrong);
  EXPECT_STREQ(r.kind, "out-of-bounds");
  EXPECT_STREQ(r.kernel, "past_end");
  EXPECT_STREQ(r.file, "checks.cu");
  EXPECT_EQ(r.line, 8);
  EXPECT_GT(r.ptx_line, 0);
  EXPECT_STREQ(r.space, "global");
  EXPECT_EQ(r.has_thread, 1);
  EXPECT_EQ(r.block[0], 0u);
  EXPECT_LT(r.thread[0], 32u);
  EXPECT_EQ(r.size, 4u);
  EXPECT_EQ(r.allocation_size, 1024u);
  EXPECT_EQ(r.address, r.allocation + 1024 + 4 * r.thread[0]);
  EXPECT_TRUE(contains(r.allocated_by, "call")) << r.allocated_by;
  EXPECT_GE(r.times, 1u);
  EXPECT_TRUE(contains(r.text, "out-of-bounds") && contains(r.text, "checks.cu:8")) << r.text;
  EXPECT_EQ(cucore_checks_text(checks), std::string(r.text) + "\n");
  EXPECT_EQ(cucore_checks_json(checks),
            "{\"reports\":[" + std::string(r.json) + "],\"dropped\":0}");
}

TEST_F(CheckApi, FindARaceUnderASeed) {
  options_.schedule = "random";
  options_.seed = 7;
  const Checks checks = start("race");
  run("racy", 64);
  SUCCEEDS(cucore_checks_end, checks);
  ASSERT_EQ(cucore_checks_report_count(checks), 1u);
  const cucore_checks_report_info r = report_of(checks);
  EXPECT_STREQ(r.kind, "global-race");
  EXPECT_NE(*r.other, '\0');
  EXPECT_STREQ(r.other_file, "checks.cu");
  EXPECT_EQ(r.other_line, 20);
  EXPECT_STREQ(r.schedule, "random:7");
  EXPECT_EQ(r.seed, 7u);
}

TEST_F(CheckApi, ChooseASeedAndReturnIt) {
  options_.schedule = "random";
  std::string chosen;
  {
    const Checks checks = start("race");
    chosen = cucore_checks_schedule(checks);
    EXPECT_EQ(chosen.rfind("random:", 0), 0u) << chosen;
    run("racy", 64);
    SUCCEEDS(cucore_checks_end, checks);
    EXPECT_EQ(cucore_checks_schedule(checks), chosen);
    ASSERT_EQ(cucore_checks_report_count(checks), 1u);
    EXPECT_EQ(report_of(checks).schedule, chosen);
    EXPECT_EQ(report_of(checks).seed, std::stoull(chosen.substr(7)));
    EXPECT_TRUE(contains(cucore_checks_json(checks), "\"schedule\":\"" + chosen + "\""))
        << cucore_checks_json(checks);
  }
  options_.schedule = "sequential";
  const Checks checks = start("race");
  SUCCEEDS(cucore_checks_end, checks);
  EXPECT_STREQ(cucore_checks_schedule(checks), "");
}

TEST_F(CheckApi, BoundEachLaunch) {
  const auto fails = [&](uint64_t cucore_checks_options::*budget, uint64_t amount) {
    options_ = CUCORE_CHECKS_OPTIONS_INIT;
    options_.*budget = amount;
    const Checks checks = start("memory");
    EXPECT_THROW(run("racy"), std::runtime_error);
    MUST(cucore_device_reset, device_);
    stream_ = make_stream(device_);
    MUST(cucore_checks_end, checks);
    EXPECT_EQ(cucore_checks_report_count(checks), 1u) << cucore_checks_text(checks);
    EXPECT_TRUE(contains(cucore_checks_text(checks), "fault: kernel 'racy'"));
    return std::string(cucore_checks_text(checks));
  };
  const std::string time = fails(&cucore_checks_options::launch_instructions, 1);
  EXPECT_TRUE(contains(time, "budget of 1 warp")) << time;
  EXPECT_TRUE(contains(time, "cucore_checks_options.launch_instructions")) << time;
  const std::string memory = fails(&cucore_checks_options::launch_memory, 1024);
  EXPECT_TRUE(contains(memory, "a launch has 1024 bytes")) << memory;
  EXPECT_TRUE(contains(memory, "cucore_checks_options.launch_memory sets")) << memory;
  run("racy");  // the budgets have ended
}

// Each access of a race has its own line.
TEST_F(CheckApi, TextsOfRacesHaveThePlaceOfEachAccess) {
  const Checks checks = start("race");
  run("racy_pair", 64);
  SUCCEEDS(cucore_checks_end, checks);
  ASSERT_EQ(cucore_checks_report_count(checks), 1u) << cucore_checks_text(checks);
  const cucore_checks_report_info r = report_of(checks);
  EXPECT_STREQ(r.kernel, "racy_pair");
  EXPECT_EQ(r.line == 31, r.other_line == 32) << r.text;
  const std::string mine = "checks.cu:" + std::to_string(r.line) + " (PTX line " +
                           std::to_string(r.ptx_line) + "); block (0,0,0) thread";
  const std::string other = "it at checks.cu:" + std::to_string(r.other_line) + " (PTX line " +
                            std::to_string(r.other_ptx_line) + "), without a synchronisation";
  EXPECT_TRUE(contains(r.text, "global-race: kernel 'racy_pair' block (0,0,0) thread")) << r.text;
  EXPECT_TRUE(contains(r.text, "in global memory at " + mine)) << r.text;
  EXPECT_TRUE(contains(r.text, other)) << r.text;
}

TEST_F(CheckApi, VerifyFailsWithTheReports) {
  const Checks checks = start();
  run("past_end");
  FAILS(CUCORE_ERROR_CHECKS, "1 report|expected none|out-of-bounds|checks.cu:8",
        cucore_checks_verify, checks);
  Error error;
  EXPECT_EQ(cucore_checks_verify(checks, error.out()), CUCORE_ERROR_CHECKS);
  EXPECT_STREQ(cucore_error_log(error), cucore_checks_text(checks));
  const Checks clean = start();
  run("past_end", 1);
  cucore_checks_end(clean, nullptr);
  EXPECT_EQ(cucore_checks_verify(clean, nullptr), CUCORE_ERROR_CHECKS);
}

TEST_F(CheckApi, VerifySucceedsWithoutReports) {
  const Checks checks = start();
  SUCCEEDS(cucore_checks_verify, checks);
  EXPECT_STREQ(cucore_checks_text(checks), "");
  EXPECT_STREQ(cucore_checks_json(checks), "{\"reports\":[],\"dropped\":0}");
}

TEST_F(CheckApi, CheckOnlyTheChosenKinds) {
  const Checks checks = start("none");
  EXPECT_THROW(run("past_end"), std::runtime_error);  // a fault, as without checks
  SUCCEEDS(cucore_device_reset, device_);
  SUCCEEDS(cucore_checks_verify, checks);
}

TEST_F(CheckApi, SuppressReports) {
  for (const char* rule :
       {"out-of-bounds", "* past_end", "out-* past_* checks.cu:8", "* * *:8", "out?of-*"}) {
    const std::string text = "# known\n\n" + std::string(rule) + "\n";
    options_.suppressions = text.c_str();
    const Checks checks = start();
    run("past_end");
    SUCCEEDS(cucore_checks_verify, checks);
    EXPECT_STREQ(cucore_checks_text(checks), "") << rule;
  }
  // The report has one place, and a line of the source.
  for (const char* rule : {"shared-race", "* other", "* * checks.cu:9", "* * ptx:*", "* * ptx:?"}) {
    options_.suppressions = rule;
    const Checks checks = start();
    run("past_end");
    EXPECT_EQ(cucore_checks_verify(checks, nullptr), CUCORE_ERROR_CHECKS) << rule;
  }
}

TEST_F(CheckApi, StopAtNoSuppressedReport) {
  options_.stop_at_report = 1;
  options_.suppressions = "out-of-bounds past_end";
  const Checks checks = start();
  run("past_end");
  SUCCEEDS(cucore_checks_verify, checks);
}

TEST_F(CheckApi, ReadSuppressionsOfAFile) {
  const std::string path = testing::TempDir() + "checks." + std::to_string(getpid());
  std::ofstream(path) << "out-of-bounds past_end\n";
  const char* const files[] = {path.c_str()};
  options_.suppression_files = files;
  options_.suppression_file_count = 1;
  {
    const Checks checks = start();
    run("past_end");
    SUCCEEDS(cucore_checks_verify, checks);
  }
  std::ofstream(path) << "\nkind kernel place more\n";
  cucore_checks* checks = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, path + ":2 has 4 words|KIND KERNEL FILE:LINE",
        cucore_checks_create, &options_, &checks);
  std::remove(path.c_str());
  FAILS(CUCORE_ERROR_NOT_FOUND, path, cucore_checks_create, &options_, &checks);
}

TEST_F(CheckApi, QueryWhileTheyRun) {
  const Checks checks = start();
  size_t count = 77;
  SUCCEEDS(cucore_checks_query, checks, &count);
  EXPECT_EQ(count, 0u);
  run("past_end");
  SUCCEEDS(cucore_checks_query, checks, &count);
  EXPECT_EQ(count, 1u);
  const char* const text = report_of(checks).text;  // borrowed until the release
  const std::string copy = text;
  run("past_end");
  SUCCEEDS(cucore_checks_end, checks);
  EXPECT_EQ(text, copy);
  EXPECT_GT(report_of(checks).times, 32u);
}

TEST_F(CheckApi, RunOneAtATime) {
  cucore_checks* second = nullptr;
  {
    const Checks checks = start();
    FAILS(CUCORE_ERROR_INVALID_STATE, "other checks are running|end the other",
          cucore_checks_create, nullptr, &second);
  }
  const Checks after_release = start();
  SUCCEEDS(cucore_checks_end, after_release);
  SUCCEEDS(cucore_checks_end, after_release);
  const Checks after_end = start();
}

TEST_F(CheckApi, RefuseWrongOptions) {
  cucore_checks* checks = nullptr;
  const auto refused = [&](const char* cucore_checks_options::*field, const char* value,
                           const std::string& parts) {
    cucore_checks_options options = CUCORE_CHECKS_OPTIONS_INIT;
    options.*field = value;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_checks_create, &options, &checks);
  };
  refused(&cucore_checks_options::kinds, "memory,rice",
          "cucore_checks_options.kinds is 'memory,rice'|expected all|leak");
  refused(&cucore_checks_options::schedule, "sometimes",
          "cucore_checks_options.schedule is 'sometimes'|random:SEED");
  refused(&cucore_checks_options::faults, "cuNothing@3=2",
          "cucore_checks_options.faults is 'cuNothing@3=2'|allocation@3=2");
  refused(&cucore_checks_options::trace_file, "/dev/null",
          "cucore_checks_options.trace_file is '/dev/null'");
  refused(&cucore_checks_options::suppressions, "a b c d",
          "cucore_checks_options.suppressions:1 has 4 words");
  refused(&cucore_checks_options::suppressions, "# races\nstrem-race kernel",
          "cucore_checks_options.suppressions:2 has the unknown kind 'strem-race'|"
          "did you mean 'stream-race'?|expected one of out-of-bounds, use-after-free,|, fault");
  refused(&cucore_checks_options::suppressions, "everything",
          "has the unknown kind 'everything'; expected one of");
  options_.seed = 7;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_checks_options.seed is 7|schedule is random",
        cucore_checks_create, &options_, &checks);
  options_.seed = 0;
  options_.stop_at_report = 2;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "stop_at_report", cucore_checks_create, &options_, &checks);
  options_.stop_at_report = 0;
  options_.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reserved", cucore_checks_create, &options_, &checks);
}

TEST_F(CheckApi, RefuseAnIndexThatIsTooLarge) {
  const Checks checks = start();
  cucore_checks_report_info info = CUCORE_CHECKS_REPORT_INFO_INIT;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "index is 0|0 reports", cucore_checks_report_at, checks,
        size_t{0}, &info);
}

TEST_F(CheckApi, StopAtTheFirstReport) {
  options_.stop_at_report = 1;
  const Checks checks = start();
  EXPECT_THROW(run("past_end"), std::runtime_error);
  SUCCEEDS(cucore_device_reset, device_);
  EXPECT_EQ(cucore_checks_verify(checks, nullptr), CUCORE_ERROR_CHECKS);
}

TEST_F(CheckApi, FailTheThirdAllocation) {
  options_.faults = "allocation@3+=2";  // the library repeats a failed call
  Checks checks = start("none");
  for (int i = 1; i <= 4; ++i) {
    cucore_buffer* buffer = nullptr;
    const cucore_status status = cucore_buffer_create_pinned(device_, 64, &buffer, nullptr);
    EXPECT_EQ(status, i < 3 ? CUCORE_OK : CUCORE_ERROR_OUT_OF_DEVICE_MEMORY) << i;
    cucore_buffer_release(buffer);
  }
  SUCCEEDS(cucore_checks_end, checks);
  EXPECT_GE(cucore_checks_fault_count(checks), 2u);
  uint64_t calls = 0;
  SUCCEEDS(cucore_checks_call_count, checks, "cuMemHostAlloc", &calls);
  uint64_t others = 0;
  SUCCEEDS(cucore_checks_call_count, checks, "cuMemAllocHost", &others);
  EXPECT_EQ(calls + others, 2 + cucore_checks_fault_count(checks));
  SUCCEEDS(cucore_checks_call_count, checks, "cuNothing", &calls);
  EXPECT_EQ(calls, 0u);
  for (int i = 0; i < 4; ++i) make_buffer(device_, 64, stream_);  // the plan has ended
}

TEST_F(CheckApi, TraceTheCallsOfTheDriver) {
  const std::string path = testing::TempDir() + "trace." + std::to_string(getpid());
  options_.trace_file = path.c_str();
  {
    const Checks checks = start("none");
    make_event(device_);
  }
  make_stream(device_);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(contains(text, "\"call\":\"cuEventCreate\"")) << text;
  EXPECT_FALSE(contains(text, "cuStreamCreate")) << text;
  std::remove(path.c_str());
}

TEST_F(CheckApi, FindLeaks) {
  Buffer before = make_buffer(device_, 100, stream_);
  Buffer kept, pinned;
  Event event;
  {
    const Checks checks = start("leak");
    kept = make_buffer(device_, 200, stream_);
    event = make_event(device_);
    make_buffer(device_, 300, stream_);
    make_stream(device_);
    SUCCEEDS(cucore_checks_end, checks);
    const std::string text = cucore_checks_text(checks);
    ASSERT_EQ(cucore_checks_report_count(checks), 2u) << text;
    const cucore_checks_report_info r = report_of(checks);
    EXPECT_STREQ(r.kind, "leak");
    EXPECT_EQ(r.allocation, cucore_buffer_address(kept));
    EXPECT_EQ(r.allocation_size, 200u);
    EXPECT_TRUE(contains(r.allocated_by, "of cuMemAlloc")) << r.allocated_by;
    EXPECT_TRUE(contains(report_of(checks, 1).text, "event")) << text;
  }
  const Checks checks = start("leak");
  kept.reset();
  event.reset();
  before.reset();
  SUCCEEDS(cucore_checks_verify, checks);
}

TEST_F(CheckApi, FindLeaksOfGraphs) {
  Graph built, copied, captured;
  Executable executable;
  {
    const Checks checks = start("leak");
    built = make_graph(device_);
    SUCCEEDS(cucore_graph_clone, built, copied.out());
    SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
    SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
    executable = make_executable(built);
    make_executable(make_graph(device_));
    SUCCEEDS(cucore_checks_end, checks);
    const std::string text = cucore_checks_text(checks);
    ASSERT_EQ(cucore_checks_report_count(checks), 4u) << text;
    for (size_t i = 0; i < 4; ++i) EXPECT_STREQ(report_of(checks, i).kind, "leak");
    for (const char* part :
         {"leak: cuGraphCreate: graph 0x", "leak: cuGraphClone: graph 0x",
          "leak: cuStreamEndCapture: graph 0x", ": executable graph 0x", "of cuGraphInstantiate"})
      EXPECT_TRUE(contains(text, part)) << text;
  }
  const Checks checks = start("leak");
  built.reset(), copied.reset(), captured.reset(), executable.reset();
  SUCCEEDS(cucore_checks_verify, checks);
}

// Neither releases that wait for the end of work nor objects of the library itself are leaks.
TEST_F(CheckApi, PendingReleasesAreNoLeaks) {
  const Checks checks = start("leak");
  for (int i = 0; i < 20; ++i) {
    const Stream other = make_stream(device_);
    const Buffer buffer = make_buffer(device_, 1024, other);
    const Kernel racy = find_kernel(code_, "racy");
    const uint64_t address = cucore_buffer_address(buffer);
    const cucore_argument argument = CUCORE_ARGUMENT(address);
    const cucore_launch_options shape = grid(1, 32);
    MUST(cucore_kernel_launch, racy, other, &shape, &argument, 1);
    const int pattern = 1;
    MUST(cucore_buffer_fill, buffer, 0, 1024, &pattern, 4, stream_);
  }
  SUCCEEDS(cucore_checks_end, checks);
  EXPECT_STREQ(cucore_checks_text(checks), "");
}

// Work between two sessions counts as initialised and as ordered.
TEST_F(CheckApi, ForgetWhatHappenedBetweenThem) {
  const Buffer buffer = make_buffer(device_, 1024, stream_);
  Buffer tracked;
  {
    const Checks checks = start();
    tracked = make_buffer(device_, 1024, stream_);  // with a record of its initialised bytes
  }
  const Kernel racy = find_kernel(code_, "racy");
  const uint64_t address = cucore_buffer_address(tracked);
  const cucore_argument argument = CUCORE_ARGUMENT(address);
  const cucore_launch_options shape = grid(1, 1);
  MUST(cucore_kernel_launch, racy, stream_, &shape, &argument, 1);
  const Checks checks = start();
  int value = 0;
  MUST(cucore_buffer_copy, buffer, 0, tracked, 0, 4, stream_);
  MUST(cucore_buffer_read, buffer, 0, &value, 4, stream_);
  SUCCEEDS(cucore_checks_verify, checks);
}

TEST_F(CheckApi, EndWhileAHostFunctionQueriesThem) {
  const Checks checks = start();
  struct Work {
    const cucore_checks* checks;
    std::atomic<bool> may_query{false}, was_running{false};
  } work{checks};
  const auto query = [](void* data) {
    auto& self = *static_cast<Work*>(data);
    self.may_query.wait(false);
    self.was_running = cucore_checks_is_running(self.checks) != 0;
  };
  MUST(cucore_stream_launch_host, stream_, query, &work, nullptr);
  std::thread end([&] { SUCCEEDS(cucore_checks_end, checks); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for the wait of the end
  work.may_query = true;
  work.may_query.notify_all();
  end.join();
  EXPECT_TRUE(work.was_running);
  EXPECT_FALSE(cucore_checks_is_running(checks));
}

TEST_F(CheckApi, EndFromManyThreads) {
  const Checks checks = start();
  run("past_end");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      size_t count = 0;
      EXPECT_EQ(cucore_checks_query(checks, &count, nullptr), CUCORE_OK);
      EXPECT_EQ(cucore_checks_end(checks, nullptr), CUCORE_OK);
      EXPECT_EQ(cucore_checks_report_count(checks), 1u);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
