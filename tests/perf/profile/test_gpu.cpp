// SPDX-License-Identifier: Apache-2.0
// Profiles and measurements with the real CUPTI on a GPU. tests/gpu/profile.sh runs them, with the
// variable of NVTX.
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "profiled.hpp"

namespace {

using profiled::BLOCKS;
using profiled::ProfiledGraph;
using profiled::THREADS;

bool has_gpu() {
  cucore_device* device = nullptr;
  if (cucore_device_open(0, &device, nullptr) != CUCORE_OK) return false;
  const bool is_gpu = cucore_device_is_emulated(device) == 0;
  cucore_device_release(device);
  return is_gpu;
}

class GpuProfile : public ProfiledGraph {
 protected:
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << "needs a GPU";
    ProfiledGraph::SetUp();
  }
  void launch_graph(int launches) {
    ProfiledGraph::launch_graph(launches);
    EXPECT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  }
  void expect_kernels_of_graphs(uint64_t calls) {
    EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_ACTIVITY);
    ASSERT_EQ(cucore_report_kernel_count(report), 1u) << write();
    EXPECT_EQ(row().calls, calls);
    EXPECT_GT(row().min, 0);
    EXPECT_FALSE(contains(json(), "kernelsofgraphs")) << write();
  }
};

TEST_F(GpuProfile, HasKernelsOfGraphsFromBeforeTheSession) {
  capture(10);
  launch_graph(1);
  begin();
  const auto start = std::chrono::steady_clock::now();
  launch_graph(1);
  const std::chrono::duration<double> first = std::chrono::steady_clock::now() - start;
  launch_graph(19);
  end();
  expect_kernels_of_graphs(200);
  std::printf("first launch of a graph in a session: %.1f ms\n", first.count() * 1e3);
}

TEST_F(GpuProfile, HasKernelsOfGraphsOfTheSession) {
  begin();
  capture(10);
  launch_graph(20);
  end();
  expect_kernels_of_graphs(200);
  EXPECT_TRUE(contains(json(), "\"captured\":10"));
}

class GpuNvtx : public GpuProfile {
 protected:
  static constexpr const char* NAMES[] = {"outer", "inner", "library: solve", "start and end"};
  void SetUp() override {
    if (!std::getenv("NVTX_INJECTION64_PATH")) GTEST_SKIP() << "needs NVTX_INJECTION64_PATH";
    GpuProfile::SetUp();
  }
  void work_in_ranges() {
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    nvtxEventAttributes_t solve{};
    solve.version = NVTX_VERSION;
    solve.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    solve.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    solve.message.registered = nvtxDomainRegisterStringA(domain, "solve");
    for (int i = 0; i < 3; ++i) {
      nvtxRangePushA("outer");
      nvtxRangePushA("inner");
      EXPECT_EQ(launch(), CUCORE_OK);
      nvtxRangePop();
      nvtxDomainRangePushEx(domain, &solve);
      nvtxMarkA("a point in time");
      EXPECT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
      nvtxDomainRangePop(domain);
      nvtxRangePop();
    }
    const nvtxRangeId_t range = nvtxRangeStartA("start and end");
    EXPECT_EQ(launch(), CUCORE_OK);
    nvtxRangeEnd(range);
    EXPECT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
  }
};

TEST_F(GpuNvtx, RangesAreInTheReport) {
  options.source = CUCORE_PROFILER_SOURCE_ACTIVITY;
  options.timeline = CUCORE_TOGGLE_ON;
  begin();
  work_in_ranges();
  end();
  for (const char* const name : NAMES)
    EXPECT_EQ(cucore_report_efficiency(report, name, nullptr, nullptr, nullptr), CUCORE_OK) << name;
  EXPECT_FALSE(contains(write(), "a point in time"));
  std::printf("%s\n", write(CUCORE_REPORT_FORMAT_TEXT).c_str());
}

// For CUCORE_PROFILE, whose report the caller reads.
TEST_F(GpuNvtx, WorkWithoutASession) { work_in_ranges(); }

class GpuMeasurement : public GpuProfile {
 protected:
  static constexpr uint32_t MANY = 1 << 18;  // blocks, of 64 MiB each array
  double median(cucore_clock clock, uint32_t blocks, cucore_buffer* in, cucore_buffer* out) {
    cucore_measurement_options how = CUCORE_MEASUREMENT_OPTIONS_INIT;
    how.clock = clock;
    how.stream = stream;
    how.batch = CUCORE_TOGGLE_OFF;
    cucore_launch_options shape = CUCORE_LAUNCH_OPTIONS_INIT;
    shape.grid[0] = blocks;
    shape.block[0] = THREADS;
    const cucore_argument arguments[] = {{in, CUCORE_ARGUMENT_OBJECT},
                                         {out, CUCORE_ARGUMENT_OBJECT}};
    cucore_measurement* measurement = nullptr;
    EXPECT_EQ(
        cucore_measurement_run_kernel(kernel, &shape, arguments, 2, &how, &measurement, &error),
        CUCORE_OK)
        << message();
    cucore_measurement_info info = CUCORE_MEASUREMENT_INFO_INIT;
    EXPECT_EQ(cucore_measurement_query(measurement, &info, nullptr), CUCORE_OK);
    cucore_measurement_release(measurement);
    return info.median;
  }
};

// The blocks of the kernel are short, so that its records slow it down by a few percent.
TEST_F(GpuMeasurement, ActivityAgreesWithEvents) {
  cucore_buffer *in = nullptr, *out = nullptr;
  constexpr size_t SIZE = size_t{MANY} * THREADS * sizeof(float);
  ASSERT_EQ(cucore_buffer_create(device, SIZE, stream, &in, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_buffer_create(device, SIZE, stream, &out, nullptr), CUCORE_OK);
  for (const uint32_t blocks : {BLOCKS, MANY}) {
    const double events = median(CUCORE_CLOCK_EVENTS, blocks, in, out);
    const double activity = median(CUCORE_CLOCK_ACTIVITY, blocks, in, out);
    std::printf("%u blocks: events %.2f us, activity %.2f us\n", blocks, events * 1e6,
                activity * 1e6);
    EXPECT_GT(activity, 0);
    EXPECT_NEAR(activity, events, 0.1 * events + 3e-6);
  }
  cucore_buffer_release(in);
  cucore_buffer_release(out);
}

}  // namespace
