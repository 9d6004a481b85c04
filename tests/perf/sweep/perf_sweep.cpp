// SPDX-License-Identifier: Apache-2.0
// Each function of cucore_perf.h, with each of its allocations failing in turn. A failure is
// reported, leaves no output and leaks nothing, and a later call succeeds.
#include <cucore_perf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "library_memory.hpp"

namespace sweep {
namespace {

constexpr uint64_t ENOUGH = 20000;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct World {
  World() {
    const std::string bytes = read_file(IMAGES "/saxpy_zstd.fatbin");
    EXPECT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_FATBIN, bytes.data(), bytes.size(), nullptr,
                                       &code, nullptr),
              CUCORE_OK);
    EXPECT_EQ(cucore_analysis_create(code, nullptr, &analysis, nullptr), CUCORE_OK);
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    EXPECT_EQ(cucore_roof_deserialize(ROOF, sizeof ROOF - 1, &roof, nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_stream_create(device, nullptr, &stream, nullptr), CUCORE_OK);
    const std::string ptx =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
    cucore_objectcode* loaded = nullptr;
    EXPECT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, ptx.data(), ptx.size(), nullptr,
                                       &loaded, nullptr),
              CUCORE_OK);
    EXPECT_EQ(cucore_objectcode_find_kernel(loaded, "k", &kernel, nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_analysis_create(loaded, nullptr, &modelled, nullptr), CUCORE_OK);
    cucore_objectcode_release(loaded);
    options.stream = stream;
    options.criterion = CUCORE_CRITERION_COUNT;
    options.min_samples = 3;
    options.flush = CUCORE_TOGGLE_OFF;
    options.setup = nothing;
    EXPECT_EQ(cucore_measurement_run(device, nothing, nullptr, &options, &measurement, nullptr),
              CUCORE_OK);
    profile_a_launch();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    cucore_report_release(report);
    cucore_measurement_release(measurement);
    cucore_roof_release(roof);
    std::filesystem::remove_all(folder);
    cucore_kernel_release(kernel);
    cucore_stream_release(stream);
    cucore_device_release(device);
    cucore_analysis_release(modelled);
    cucore_analysis_release(analysis);
    cucore_objectcode_release(code);
  }

  void profile_a_launch() {
    cucore_profiler* profiler = nullptr;
    EXPECT_EQ(cucore_profiler_create(nullptr, &profiler, nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_profiler_begin(profiler, nullptr), CUCORE_OK);
    cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
    launch.grid[0] = launch.block[0] = 1;
    EXPECT_EQ(cucore_kernel_launch(kernel, stream, &launch, nullptr, 0, nullptr), CUCORE_OK);
    EXPECT_EQ(cucore_profiler_end(profiler, &report, nullptr), CUCORE_OK);
    cucore_profiler_release(profiler);
  }

  static cucore_status nothing(const cucore_stream*, void*, cucore_error**) { return CUCORE_OK; }
  static cucore_work work() { return {sizeof(cucore_work), nullptr, nothing, nullptr}; }

  static constexpr char ROOF[] =
      R"({"schema": "cucore.roof/1", "machine": {"device": "a long name, longer than a short string"},
          "values": {"copy": 4e12}})";

  cucore_objectcode* code = nullptr;
  cucore_report* report = nullptr;
  cucore_roof* roof = nullptr;
  cucore_analysis* analysis = nullptr;
  cucore_analysis* modelled = nullptr;
  cucore_device* device = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_stream* stream = nullptr;
  cucore_measurement* measurement = nullptr;
  cucore_measurement_options options = CUCORE_MEASUREMENT_OPTIONS_INIT;
  std::string folder = testing::TempDir() + "roof-of-the-sweep-XXXXXX";
  std::vector<char> text = std::vector<char>(1 << 16);
};

struct Scenario {
  const char* function;
  std::function<cucore_status(World&, cucore_error**)> call;
  bool tolerates = false;  // a failure within the observation of an operation is not reported
};

std::vector<Scenario> scenarios() {
  return {
      {"cucore_occupancy_query",
       [](World&, cucore_error** error) {
         cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
         needs.threads = 32;
         cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
         return cucore_occupancy_query("sm_90", &needs, &info, error);
       }},
      {"cucore_roof_open",
       [](World& world, cucore_error** error) {
         // The first call has measured and kept a roof.
         cucore_roof_options kept = CUCORE_ROOF_OPTIONS_INIT;
         kept.directory = world.folder.c_str();
         kept.max_time_ms = 1;
         cucore_roof* out = nullptr;
         const cucore_status status = cucore_roof_open(world.device, &kept, &out, error);
         EXPECT_EQ(out != nullptr, status == CUCORE_OK);
         cucore_roof_release(out);
         return status;
       }},
      {"cucore_roof_value",
       [](World& world, cucore_error** error) {
         double value = 0;
         return cucore_roof_value(world.roof, CUCORE_ROOF_KIND_COPY, &value, error);
       }},
      {"cucore_roof_serialize",
       [](World& world, cucore_error** error) {
         size_t size = 0;
         return cucore_roof_serialize(world.roof, world.text.data(), world.text.size(), &size,
                                      error);
       }},
      {"cucore_roof_deserialize",
       [](World&, cucore_error** error) {
         cucore_roof* out = nullptr;
         const cucore_status status =
             cucore_roof_deserialize(World::ROOF, sizeof World::ROOF - 1, &out, error);
         EXPECT_EQ(out != nullptr, status == CUCORE_OK);
         cucore_roof_release(out);
         return status;
       }},
      {"cucore_analysis_create",
       [](World& world, cucore_error** error) {
         const char* names[] = {"sm_90", "sm_120"};
         const char* allow[] = {"A103"};
         cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
         options.archs = names;
         options.arch_count = 2;
         options.allow = allow;
         options.allow_count = 1;
         options.sources = CUCORE_TOGGLE_ON;
         options.roof = world.roof;
         cucore_analysis* out = nullptr;
         const cucore_status status = cucore_analysis_create(world.code, &options, &out, error);
         EXPECT_EQ(out != nullptr, status == CUCORE_OK);
         cucore_analysis_release(out);
         return status;
       }},
      {"cucore_analysis_kernel_at",
       [](World& world, cucore_error** error) {
         cucore_analysis_info info = CUCORE_ANALYSIS_INFO_INIT;
         return cucore_analysis_kernel_at(world.analysis, 0, &info, error);
       }},
      {"cucore_analysis_instructions",
       [](World& world, cucore_error** error) {
         cucore_instruction_info info = CUCORE_INSTRUCTION_INFO_INIT;
         cucore_analysis_info kernel = CUCORE_ANALYSIS_INFO_INIT;
         cucore_analysis_kernel_at(world.analysis, 0, &kernel, nullptr);
         return cucore_analysis_instructions(world.analysis, 0, kernel.level,
                                             CUCORE_INSTRUCTION_CLASS_ANY, &info, error);
       }},
      {"cucore_analysis_occupancy",
       [](World& world, cucore_error** error) {
         cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
         size_t machine = 0;
         cucore_analysis_info kernel = CUCORE_ANALYSIS_INFO_INIT;
         while (cucore_analysis_kernel_at(world.analysis, machine, &kernel, nullptr) == CUCORE_OK &&
                kernel.level != CUCORE_CODE_LEVEL_MACHINE)
           ++machine;
         return cucore_analysis_occupancy(world.analysis, machine, "sm_90", 128, 0, &info, error);
       }},
      {"cucore_analysis_model",
       [](World& world, cucore_error** error) {
         cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
         launch.grid[0] = 1000;
         launch.block[0] = 32;
         cucore_model_info info = CUCORE_MODEL_INFO_INIT;
         const cucore_status status =
             cucore_analysis_model(world.modelled, 0, &launch, nullptr, 0, &info, error);
         EXPECT_EQ(info.quality != CUCORE_MODEL_QUALITY_NONE, status == CUCORE_OK);
         return status;
       }},
      {"cucore_analysis_finding_at",
       [](World& world, cucore_error** error) {
         cucore_finding finding = CUCORE_FINDING_INIT;
         // The code has no finding: the failure is that of the index, also without memory.
         const cucore_status status =
             cucore_analysis_finding_at(world.analysis, 99, &finding, error);
         if (status != CUCORE_ERROR_INVALID_ARGUMENT) return status;
         cucore_error_release(*error);
         *error = nullptr;
         return CUCORE_OK;
       }},
      {"cucore_analysis_write",
       [](World& world, cucore_error** error) {
         size_t size = 0;
         const cucore_status status =
             cucore_analysis_write(world.analysis, CUCORE_REPORT_FORMAT_TEXT, world.text.data(),
                                   world.text.size(), &size, error);
         if (status != CUCORE_OK) return status;
         return cucore_analysis_write(world.analysis, CUCORE_REPORT_FORMAT_JSON, world.text.data(),
                                      world.text.size(), &size, error);
       }},
      {"cucore_measurement_run",
       [](World& world, cucore_error** error) {
         cucore_measurement* out = nullptr;
         const cucore_status status = cucore_measurement_run(world.device, World::nothing, nullptr,
                                                             &world.options, &out, error);
         EXPECT_EQ(out != nullptr, status == CUCORE_OK);
         cucore_measurement_release(out);
         return status;
       }},
      {"cucore_measurement_run_kernel",
       [](World& world, cucore_error** error) {
         // Without a geometry the launch fails, also without memory.
         cucore_measurement* out = nullptr;
         const cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
         const cucore_status status = cucore_measurement_run_kernel(world.kernel, &launch, nullptr,
                                                                    0, &world.options, &out, error);
         EXPECT_EQ(out, nullptr);
         if (status != CUCORE_ERROR_INVALID_ARGUMENT) return status;
         cucore_error_release(*error);
         *error = nullptr;
         return CUCORE_OK;
       }},
      {"cucore_measurement_run_pair",
       [](World& world, cucore_error** error) {
         const cucore_work work = World::work();
         cucore_measurement *a = nullptr, *b = nullptr;
         cucore_comparison_info info = CUCORE_COMPARISON_INFO_INIT;
         const cucore_status status = cucore_measurement_run_pair(
             world.device, &work, &work, &world.options, &a, &b, &info, error);
         EXPECT_EQ(a != nullptr, status == CUCORE_OK);
         EXPECT_EQ(b != nullptr, status == CUCORE_OK);
         EXPECT_EQ(info.verdict != CUCORE_COMPARISON_VERDICT_NONE, status == CUCORE_OK);
         cucore_measurement_release(a);
         cucore_measurement_release(b);
         return status;
       }},
      {"cucore_measurement_query",
       [](World& world, cucore_error** error) {
         cucore_measurement_info info = CUCORE_MEASUREMENT_INFO_INIT;
         return cucore_measurement_query(world.measurement, &info, error);
       }},
      {"cucore_measurement_compare",
       [](World& world, cucore_error** error) {
         cucore_comparison_info info = CUCORE_COMPARISON_INFO_INIT;
         return cucore_measurement_compare(world.measurement, world.measurement, &info, error);
       }},
      {"cucore_measurement_write",
       [](World& world, cucore_error** error) {
         size_t size = 0;
         cucore_status status = CUCORE_OK;
         for (const auto format : {CUCORE_REPORT_FORMAT_TEXT, CUCORE_REPORT_FORMAT_JSON,
                                   CUCORE_REPORT_FORMAT_CSV, CUCORE_REPORT_FORMAT_GNUPLOT})
           if (status == CUCORE_OK)
             status = cucore_measurement_write(&world.measurement, 1, format, world.text.data(),
                                               world.text.size(), &size, error);
         return status;
       }},
  };
}

#if HAS_CUPTI
Scenario preset_scenario() {
  return {"cucore_preset_passes", [](World&, cucore_error** error) {
            int32_t passes = 0;
            return cucore_preset_passes("FK100", "all", &passes, error);
          }};
}
#endif

// A profiler with a session, for calls within one.
struct Profiling {
  explicit Profiling(cucore_error** error) {
    status = cucore_profiler_create(nullptr, &profiler, error);
    if (status == CUCORE_OK) status = cucore_profiler_begin(profiler, error);
  }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;
  ~Profiling() { cucore_profiler_release(profiler); }

  cucore_profiler* profiler = nullptr;
  cucore_status status = CUCORE_OK;
};

// A call that fails for its arguments, also without memory.
cucore_status refused(cucore_status status, cucore_status expected, cucore_error** error) {
  if (status != expected) return status;
  cucore_error_release(*error);
  *error = nullptr;
  return CUCORE_OK;
}

std::vector<Scenario> profiler_scenarios() {
  return {
      {"cucore_profiler_create",
       [](World&, cucore_error** error) {
         cucore_profiler* out = nullptr;
         cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
         const char* const metrics[] = {"a metric with a long name, longer than a short string"};
         options.metrics = metrics;
         options.metric_count = 1;
         const cucore_status status = cucore_profiler_create(&options, &out, error);
         EXPECT_EQ(out != nullptr, status == CUCORE_OK);
         cucore_profiler_release(out);
         return status;
       }},
      {"cucore_profiler_begin",
       [](World&, cucore_error** error) { return Profiling(error).status; }},
      {"cucore_profiler_end",
       [](World&, cucore_error** error) {
         const Profiling profiling(error);
         if (profiling.status != CUCORE_OK) return profiling.status;
         cucore_report* report = nullptr;
         const cucore_status status = cucore_profiler_end(profiling.profiler, &report, error);
         EXPECT_EQ(report != nullptr, status == CUCORE_OK);
         cucore_report_release(report);
         return status;
       }},
      {"cucore_profiler_begin_range",
       [](World&, cucore_error** error) {
         const Profiling profiling(error);
         if (profiling.status != CUCORE_OK) return profiling.status;
         return cucore_profiler_begin_range(profiling.profiler, "a name longer than a short string",
                                            error);
       }},
      {"cucore_profiler_end_range",
       [](World&, cucore_error** error) {
         const Profiling profiling(error);
         if (profiling.status != CUCORE_OK) return profiling.status;
         const cucore_status status = cucore_profiler_begin_range(profiling.profiler, "a", error);
         if (status != CUCORE_OK) return status;
         return cucore_profiler_end_range(profiling.profiler, error);
       }},
      {"cucore_profiler_run",
       [](World&, cucore_error** error) {
         const Profiling profiling(error);
         if (profiling.status != CUCORE_OK) return profiling.status;
         return cucore_profiler_run(profiling.profiler, "a", World::nothing, nullptr, error);
       },
       true},
      {"cucore_profiler_declare",
       [](World&, cucore_error** error) {
         static int destroyed = 0;
         destroyed = 0;
         cucore_status status = CUCORE_OK;
         {
           const Profiling profiling(error);
           if (profiling.status != CUCORE_OK) return profiling.status;
           status = cucore_profiler_declare(
               profiling.profiler, "a kernel with a long name, longer than a short string",
               [](const cucore_operation*, cucore_declaration*, void*) {}, nullptr,
               [](void*) { ++destroyed; }, error);
         }
         EXPECT_EQ(destroyed, status == CUCORE_OK ? 1 : 0);
         return status;
       }},
      {"cucore_perf_start_from_environment",
       [](World&, cucore_error** error) {
         unsetenv("CUCORE_PROFILE");
         return cucore_perf_start_from_environment(error);
       }},
  };
}

std::vector<Scenario> report_scenarios() {
  return {
      {"cucore_report_efficiency",
       [](World& world, cucore_error** error) {
         double memory = 0;
         return cucore_report_efficiency(world.report, nullptr, &memory, nullptr, error);
       }},
      {"cucore_report_kernel_at",
       [](World& world, cucore_error** error) {
         cucore_kernel_row row = CUCORE_KERNEL_ROW_INIT;
         return cucore_report_kernel_at(world.report, 0, &row, error);
       }},
      {"cucore_report_counter",
       [](World& world, cucore_error** error) {
         double value = 0;
         return refused(cucore_report_counter(world.report, 0, "cpu.barriers", &value, error),
                        CUCORE_ERROR_NOT_FOUND, error);
       }},
      {"cucore_report_finding_at",
       [](World& world, cucore_error** error) {
         cucore_finding finding = CUCORE_FINDING_INIT;
         return refused(cucore_report_finding_at(world.report, 99, &finding, error),
                        CUCORE_ERROR_INVALID_ARGUMENT, error);
       }},
      {"cucore_report_write",
       [](World& world, cucore_error** error) {
         size_t size = 0;
         return cucore_report_write(world.report, CUCORE_REPORT_FORMAT_TEXT, nullptr, 0, &size,
                                    error);
       }},
  };
}

// Functions that cannot fail. They are called while allocations fail.
std::vector<std::pair<const char*, std::function<void(World&)>>> infallible() {
  return {
      {"cucore_perf_version", [](World&) { cucore_perf_version(); }},
      {"cucore_analysis_retain", [](World& world) { cucore_analysis_retain(world.analysis); }},
      {"cucore_analysis_release", [](World& world) { cucore_analysis_release(world.analysis); }},
      {"cucore_analysis_kernel_count",
       [](World& world) { cucore_analysis_kernel_count(world.analysis); }},
      {"cucore_analysis_finding_count",
       [](World& world) { cucore_analysis_finding_count(world.analysis); }},
      {"cucore_roof_retain", [](World& world) { cucore_roof_retain(world.roof); }},
      {"cucore_roof_release", [](World& world) { cucore_roof_release(world.roof); }},
      {"cucore_report_retain", [](World& world) { cucore_report_retain(world.report); }},
      {"cucore_report_release", [](World& world) { cucore_report_release(world.report); }},
      {"cucore_report_source", [](World& world) { cucore_report_source(world.report); }},
      {"cucore_report_kernel_count",
       [](World& world) { cucore_report_kernel_count(world.report); }},
      {"cucore_report_finding_count",
       [](World& world) { cucore_report_finding_count(world.report); }},
      {"cucore_profiler_retain", [](World&) { cucore_profiler_retain(nullptr); }},
      {"cucore_profiler_release", [](World&) { cucore_profiler_release(nullptr); }},
      {"cucore_measurement_retain",
       [](World& world) { cucore_measurement_retain(world.measurement); }},
      {"cucore_measurement_release",
       [](World& world) { cucore_measurement_release(world.measurement); }},
      {"cucore_measurement_samples",
       [](World& world) { cucore_measurement_samples(world.measurement, nullptr); }},
  };
}

std::set<std::string> exported() {
  std::ifstream map(CUCORE_PERF_MAP);
  std::set<std::string> names;
  for (std::string line; std::getline(map, line);) {
    std::smatch name;
    if (std::regex_match(line, name, std::regex("  (cucore_\\w+);"))) names.insert(name[1]);
  }
  if (!HAS_CUPTI) names.erase("cucore_preset_passes");
  return names;
}

class PerfSweep : public testing::Test {
 protected:
  void sweep_all(bool all_after) {
    std::set<std::string> visited;
    std::vector<Scenario> all = scenarios();
#if HAS_CUPTI
    all.push_back(preset_scenario());
#endif
    std::ranges::move(profiler_scenarios(), std::back_inserter(all));
    std::ranges::move(report_scenarios(), std::back_inserter(all));
    for (const Scenario& scenario : all) {
      SCOPED_TRACE(scenario.function);
      visited.insert(scenario.function);
      run(scenario, 0, false);
      for (uint64_t nth = 1; nth < ENOUGH; ++nth) {
        const bool struck = run(scenario, nth, all_after);
        ASSERT_FALSE(HasFailure()) << "allocation " << nth << " fails" << failed_allocation();
        if (!struck) break;
        ++struck_;
      }
      expect_level(scenario, all_after);
    }
    for (const auto& [function, call] : infallible()) {
      visited.insert(function);
      arm_memory(1, true);
      call(world_);
      disarm_memory();
      EXPECT_FALSE(memory_failed()) << function << failed_allocation();
    }
    EXPECT_EQ(visited, exported());
    EXPECT_GT(struck_, 100U);
  }

 private:
  // Fails one allocation, or none if nth is 0. Returns whether the call got so far.
  bool run(const Scenario& scenario, uint64_t nth, bool all_after) {
    cucore_error* error = nullptr;
    arm_memory(nth, all_after);
    const cucore_status status = scenario.call(world_, &error);
    disarm_memory();
    const bool struck = nth != 0 && memory_failed();
    EXPECT_EQ(cucore_error_status(error), status) << cucore_error_message(error);
    if (!struck || !scenario.tolerates || status != CUCORE_OK) {
      EXPECT_EQ(status, struck ? CUCORE_ERROR_OUT_OF_MEMORY : CUCORE_OK)
          << cucore_error_message(error);
    }
    cucore_error_release(error);
    return struck;
  }

  // Handles of freed memory are kept for later calls, up to a bound; a leak grows in all rounds.
  void expect_level(const Scenario& scenario, bool all_after) {
    int64_t before = 0, after = 1;
    for (int tries = 0; tries < 400 && after > before; ++tries) {
      before = blocks_alive();
      for (uint64_t nth = 1; nth < 4; ++nth) run(scenario, nth, all_after);
      after = blocks_alive();
    }
    EXPECT_LE(after, before) << "memory leaked";
  }

  World world_;
  uint64_t struck_ = 0;
};

TEST_F(PerfSweep, Allocations) { sweep_all(false); }
TEST_F(PerfSweep, AllocationsFromOneOn) { sweep_all(true); }

}  // namespace
}  // namespace sweep
