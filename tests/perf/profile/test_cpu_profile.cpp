// SPDX-License-Identifier: Apache-2.0
// Profiles on the CPU device: exact counts, and times of events.
#include <thread>
#include <vector>

#include "profiled.hpp"

namespace {

using profiled::BLOCKS;
using profiled::BYTES;
using profiled::Profiled;
using profiled::THREADS;

class CpuProfile : public Profiled {};

constexpr double WARPS = BLOCKS * THREADS / 32.0;

// A warp reads and writes 32 neighbouring floats: 4 sectors of 32 bytes each. There are 13
// instructions per thread.
TEST_F(CpuProfile, CountsWhatKernelsDo) {
  begin();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  EXPECT_EQ(launch(1), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EMULATED);
  ASSERT_EQ(cucore_report_kernel_count(report), 2u);
  const cucore_kernel_row first = row();
  EXPECT_STREQ(first.name, "twice");
  EXPECT_EQ(first.grid[0], BLOCKS) << "the row with the most instructions comes first";
  EXPECT_EQ(first.block[0], THREADS);
  EXPECT_EQ(first.calls, 3u);
  EXPECT_EQ(first.timed, 0u);
  EXPECT_TRUE(std::isnan(first.total)) << "counting changes times";
  EXPECT_EQ(first.bytes_source, CUCORE_AMOUNT_SOURCE_COUNTER);
  EXPECT_EQ(first.bytes_read, 3.0 * BYTES);
  EXPECT_EQ(first.bytes_written, 3.0 * BYTES);
  EXPECT_EQ(first.sectors_per_request, 4);
  EXPECT_EQ(counter("cpu.global_load_requests"), 3 * WARPS);
  EXPECT_EQ(counter("cpu.global_load_sectors"), 3 * WARPS * 4);
  EXPECT_EQ(counter("cpu.global_store_requests"), 3 * WARPS);
  EXPECT_EQ(counter("cpu.global_store_sectors"), 3 * WARPS * 4);
  EXPECT_EQ(counter("cpu.instructions"), 3 * WARPS * 32 * 13);
  EXPECT_EQ(counter("cpu.divergent_branches"), 0);
  EXPECT_EQ(counter("cpu.barriers"), 0);
  EXPECT_EQ(counter("cpu.local_bytes"), 0);
  EXPECT_EQ(counter("cpu.atomic_sectors"), 0);
  EXPECT_EQ(counter("cpu.shared_load_wavefronts"), 0);
  EXPECT_EQ(counter("cpu.shared_load_bank_conflicts"), 0);
  EXPECT_EQ(counter("cpu.shared_store_wavefronts"), 0);
  EXPECT_EQ(counter("cpu.shared_store_bank_conflicts"), 0);
  EXPECT_TRUE(contains(json(), "\"f32\":768")) << "a product per thread";
  EXPECT_GT(first.occupancy, 0);
  EXPECT_GT(first.registers, 0);
  EXPECT_EQ(row(1).calls, 1u);
}

class CpuGraphProfile : public profiled::ProfiledGraph {};

TEST_F(CpuGraphProfile, CountsLaunchesOfGraphs) {
  begin();
  capture(1);
  launch_graph(5);
  end();
  EXPECT_EQ(row().calls, 5u);
  EXPECT_TRUE(contains(json(), "\"captured\":1"));
  EXPECT_TRUE(contains(json(), "\"graph_launch\""));
  EXPECT_FALSE(contains(json(), "kernelsofgraphs"));
}

TEST_F(CpuGraphProfile, CountsKernelsOfGraphsFromBeforeTheSession) {
  capture(3);
  begin();
  launch_graph(5);
  end();
  ASSERT_EQ(cucore_report_kernel_count(report), 1u);
  EXPECT_EQ(row().calls, 15u);
  EXPECT_EQ(counter("cpu.global_load_sectors"), 15 * WARPS * 4);
}

TEST_F(CpuGraphProfile, NamesKernelsOfGraphsThatEventsDoNotSee) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  capture(1);
  begin();
  launch_graph(5);
  end();
  EXPECT_EQ(cucore_report_kernel_count(report), 0u);
  EXPECT_TRUE(contains(write(),
                       "The kernels of 5 launches of graphs have no rows. The source EVENTS does "
                       "not see them."));
  EXPECT_TRUE(contains(write(), "Use the source EMULATED."));
}

TEST_F(CpuProfile, TimesByEventsOnRequest) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  hints.bytes_read = 1000;
  hints.bytes_written = 500;
  hints.operations = 300;
  begin();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EVENTS);
  const cucore_kernel_row first = row();
  EXPECT_EQ(first.calls, 5u);
  EXPECT_GE(first.timed, 4u) << "the first time does not count if it contains a load of code";
  EXPECT_GT(first.mean, 0);
  EXPECT_LE(first.min, first.mean);
  EXPECT_GE(first.max, first.mean);
  EXPECT_DOUBLE_EQ(first.total, 5 * first.mean);
  EXPECT_EQ(first.bytes_source, CUCORE_AMOUNT_SOURCE_DECLARED);
  EXPECT_EQ(first.bytes_read, 5000);
  EXPECT_EQ(first.bytes_written, 2500);
  EXPECT_EQ(first.operations, 1500);
}

TEST_F(CpuProfile, KnowsNoBytesIfALaunchHasNoHints) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  options.model = CUCORE_TOGGLE_OFF;
  begin();
  hints.bytes_read = 1000;
  EXPECT_EQ(launch(), CUCORE_OK);
  hints.bytes_read = 0;
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_NONE);
  EXPECT_TRUE(std::isnan(row().bytes_read));
}

TEST_F(CpuProfile, TakesDeclarationsBeforeHints) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  options.model = CUCORE_TOGGLE_OFF;
  create();
  static int destroyed = 0;
  destroyed = 0;
  const cucore_declare_fn declare = [](const cucore_operation* launch, cucore_declaration* out,
                                       void* data) {
    EXPECT_EQ(out->struct_size, sizeof *out);
    EXPECT_EQ(out->bytes_read, 0);
    out->bytes_read = *static_cast<double*>(data) * launch->launch->grid[0];
    out->operations = -1;  // as unknown
  };
  double per_block = 10;
  ASSERT_EQ(cucore_profiler_declare(
                profiler, "twice", declare, &per_block, [](void*) { ++destroyed; }, &error),
            CUCORE_OK);
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
  hints.bytes_read = hints.operations = 7;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().bytes_read, 2 * 10.0 * BLOCKS);
  EXPECT_TRUE(std::isnan(row().operations));
  EXPECT_EQ(destroyed, 0);
  cucore_profiler_release(profiler);
  profiler = nullptr;
  EXPECT_EQ(destroyed, 1);
}

// The owner of a declaration may use the profiler when another one takes its place.
TEST_F(CpuProfile, EndsADeclarationWithoutALock) {
  begin();
  const cucore_declare_fn declare = [](const cucore_operation*, cucore_declaration*, void*) {};
  const cucore_destroy_fn use = [](void* data) {
    auto* const used = static_cast<cucore_profiler*>(data);
    EXPECT_EQ(cucore_profiler_begin_range(used, "destroy", nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_profiler_end_range(used, nullptr), CUCORE_OK);
  };
  ASSERT_EQ(cucore_profiler_declare(profiler, "twice", declare, profiler, use, &error), CUCORE_OK);
  ASSERT_EQ(cucore_profiler_declare(profiler, "twice", declare, nullptr, nullptr, &error),
            CUCORE_OK);
  end();
  EXPECT_TRUE(contains(json(), "\"name\":\"destroy\"")) << json();
}

// Rows of the CPU device and of the session are joined by their names and geometries.
TEST_F(CpuProfile, JoinsManyGeometries) {
  constexpr uint32_t GEOMETRIES = 2000;
  begin();
  for (uint32_t i = 0; i < GEOMETRIES; ++i) {
    hints.dynamic_shared = i;
    ASSERT_EQ(launch(1), CUCORE_OK);
  }
  end();
  ASSERT_EQ(cucore_report_kernel_count(report), GEOMETRIES);
  for (uint32_t i = 0; i < GEOMETRIES; ++i) {
    EXPECT_EQ(row(i).calls, 1U);
  }
}

TEST_F(CpuProfile, HasRangesOfThreads) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  begin();
  ASSERT_EQ(cucore_profiler_begin_range(profiler, "outer", &error), CUCORE_OK);
  ASSERT_EQ(cucore_profiler_begin_range(profiler, "inner", &error), CUCORE_OK);
  EXPECT_EQ(launch(), CUCORE_OK);
  ASSERT_EQ(cucore_profiler_end_range(profiler, &error), CUCORE_OK);
  std::thread([&] {
    EXPECT_EQ(cucore_profiler_end_range(profiler, nullptr), CUCORE_ERROR_INVALID_STATE);
  }).join();
  ASSERT_EQ(cucore_profiler_end_range(profiler, &error), CUCORE_OK);
  EXPECT_EQ(cucore_profiler_end_range(profiler, &error), CUCORE_ERROR_INVALID_STATE);
  EXPECT_TRUE(contains(message(), "no range to end"));
  end();
  double memory = 0, compute = 0;
  EXPECT_EQ(cucore_report_efficiency(report, "inner", &memory, &compute, nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_report_efficiency(report, "outer", &memory, &compute, nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_report_efficiency(report, "none", &memory, &compute, nullptr),
            CUCORE_ERROR_NOT_FOUND);
}

TEST_F(CpuProfile, HasALimitOfRanges) {
  options.max_records = 2;
  begin();
  for (const char* const name : {"a", "b", "c", "a"}) {
    ASSERT_EQ(cucore_profiler_begin_range(profiler, name, &error), CUCORE_OK) << message();
    ASSERT_EQ(cucore_profiler_end_range(profiler, &error), CUCORE_OK) << message();
  }
  end();
  double memory = 0, compute = 0;
  EXPECT_EQ(cucore_report_efficiency(report, "b", &memory, &compute, nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_report_efficiency(report, "c", &memory, &compute, nullptr),
            CUCORE_ERROR_NOT_FOUND);
  EXPECT_TRUE(contains(json(), "1rangebeganbeyondthelimit")) << json();
}

TEST_F(CpuProfile, RunsAWorkInARange) {
  begin();
  const cucore_work_fn work = [](const cucore_stream* on, void* data, cucore_error**) {
    auto* const self = static_cast<CpuProfile*>(data);
    EXPECT_NE(on, self->stream);
    return self->launch();
  };
  ASSERT_EQ(cucore_profiler_run(profiler, "work", work, this, &error), CUCORE_OK) << message();
  const cucore_work_fn failing = [](const cucore_stream*, void*, cucore_error** failure) {
    *failure = cucore_error_create(CUCORE_ERROR_SHAPE, "no such shape", nullptr);
    return CUCORE_ERROR_SHAPE;
  };
  EXPECT_EQ(cucore_profiler_run(profiler, "failing", failing, nullptr, &error), CUCORE_ERROR_SHAPE);
  EXPECT_TRUE(contains(message(), "no such shape"));
  EXPECT_EQ(cucore_profiler_end_range(profiler, nullptr), CUCORE_ERROR_INVALID_STATE);
  end();
  double memory = 0;
  EXPECT_EQ(cucore_report_efficiency(report, "work", &memory, nullptr, nullptr), CUCORE_OK);
  EXPECT_EQ(row().calls, 1u);
}

TEST_F(CpuProfile, CountsOtherOperationsExactly) {
  begin();
  std::vector<float> values(BYTES / sizeof(float));
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cucore_buffer_write(x, 0, values.data(), BYTES, stream, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_buffer_copy(y, 0, x, 0, 100, stream, nullptr), CUCORE_OK);
  EXPECT_NE(cucore_buffer_copy(y, 0, x, 0, BYTES + 1, stream, nullptr), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_kernel_count(report), 0u);
  const std::string text = json();
  EXPECT_TRUE(contains(text, "\"bytes\":" + std::to_string(2 * BYTES))) << text;
  EXPECT_TRUE(contains(text, "\"bytes\":100"));
  EXPECT_TRUE(contains(text, "\"failed\":1"));
}

TEST_F(CpuProfile, HasATimelineOnRequest) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  options.timeline = CUCORE_TOGGLE_ON;
  options.max_records = 3;
  begin();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  end();
  const std::string trace = write(CUCORE_REPORT_FORMAT_TRACE);
  size_t kernels = 0;
  for (size_t at = 0; (at = trace.find("\"name\": \"twice\"", at)) != std::string::npos; ++at)
    ++kernels;
  EXPECT_EQ(kernels, 3u) << trace;
}

TEST_F(CpuProfile, StatesWhatItDoesNotHave) {
  options.source = CUCORE_PROFILER_SOURCE_COUNTERS;
  options.model = CUCORE_TOGGLE_ON;
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(cucore_report_source(report), CUCORE_PROFILER_SOURCE_EMULATED);
  EXPECT_TRUE(contains(json(), "\"what\":\"counters\""));
  EXPECT_FALSE(contains(json(), "\"what\":\"model\"")) << "which counts make unnecessary";
  EXPECT_TRUE(contains(write(), "The CPU device has no hardware counters."));
}

TEST_F(CpuProfile, HasOneSessionAtATime) {
  cucore_report* none = nullptr;
  create();
  EXPECT_EQ(cucore_profiler_end(profiler, &none, nullptr), CUCORE_ERROR_INVALID_STATE);
  EXPECT_EQ(cucore_profiler_begin_range(profiler, "a", nullptr), CUCORE_ERROR_INVALID_STATE);
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK);
  EXPECT_EQ(cucore_profiler_begin(profiler, nullptr), CUCORE_ERROR_INVALID_STATE);
  cucore_profiler* other = nullptr;
  ASSERT_EQ(cucore_profiler_create(nullptr, &other, nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_profiler_begin(other, &error), CUCORE_ERROR_INVALID_STATE);
  EXPECT_TRUE(contains(message(), "another profiler"));
  end();
  cucore_error_release(error);
  error = nullptr;
  EXPECT_EQ(cucore_profiler_begin(other, &error), CUCORE_OK) << message();
  cucore_profiler_release(other);  // drops its session
  ASSERT_EQ(cucore_profiler_begin(profiler, &error), CUCORE_OK) << message();
  cucore_report_release(report);
  end();
}

TEST_F(CpuProfile, RefusesWrongOptions) {
  const auto refuses = [&](const char* part) {
    cucore_profiler* none = nullptr;
    EXPECT_EQ(cucore_profiler_create(&options, &none, &error), CUCORE_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(message(), part)) << message();
    EXPECT_EQ(none, nullptr);
    cucore_error_release(error);
    error = nullptr;
    options = CUCORE_PROFILER_OPTIONS_INIT;
  };
  options.overhead = 1.5;
  refuses("overhead is 1.5");
  options.overhead = NAN;
  refuses("overhead");
  options.source = static_cast<cucore_profiler_source>(9);
  refuses("source is 9");
  options.reserved = 1;
  refuses("reserved");
  options.timeline = static_cast<cucore_toggle>(7);
  refuses("timeline");
  options.metric_count = 1;
  refuses("metrics");
}

TEST_F(CpuProfile, SeesLaunchesOfAllThreads) {
  begin();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) EXPECT_EQ(launch(), CUCORE_OK);
    });
  for (std::thread& thread : threads) thread.join();
  end();
  EXPECT_EQ(row().calls, 100u);
}

}  // namespace
