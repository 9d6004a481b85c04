// SPDX-License-Identifier: Apache-2.0
// Repeats a launch under a session: perf_costs launch_counted COUNT... count.py counts the
// instructions of libcucore-perf. Another observer of launches is there, so that the session counts
// each launch itself. Without one libcucore counts most of them, see launch_tallied in costs.cpp.
// The session may take no time for events, so that it times only the first launches.
#include <cucore_perf.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 b, .param .f32 c) { ret; }
)";

#define CALL(function, ...)                                                                 \
  do {                                                                                      \
    cucore_error* error = nullptr;                                                          \
    if (function(__VA_ARGS__, &error) != CUCORE_OK) {                                       \
      std::fprintf(stderr, "perf_costs: " #function ": %s\n", cucore_error_message(error)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

struct World {
  World() {
    CALL(cucore_device_open, 0, &device);
    CALL(cucore_stream_create, device, nullptr, &stream);
    cucore_objectcode* code = nullptr;
    CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
    CALL(cucore_objectcode_find_kernel, code, "k", &kernel);
    cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
    options.source = CUCORE_PROFILER_SOURCE_EVENTS;
    options.overhead = 1e-9;
    CALL(cucore_profiler_create, &options, &profiler);
  }
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_profiler* profiler = nullptr;
};

void launch(const World& world, int count) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  const uint64_t a = 0;
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  for (int i = 0; i < count; ++i)
    CALL(cucore_kernel_launch, world.kernel, world.stream, &options, arguments, 3);
}

}  // namespace

extern "C" __attribute__((noinline)) void repeat(const World& world, int count) {
  launch(world, count);
  if (const char* planted = std::getenv("COSTS_PLANTED"))
    for (int i = 0; i < count * std::atoi(planted); ++i) (void)cucore_perf_version();
}

int main(int count, char** arguments) {
  if (count < 3 || std::strcmp(arguments[1], "launch_counted") != 0) {
    std::fprintf(stderr, "usage: perf_costs launch_counted COUNT...\n");
    return 2;
  }
  const World world;
  cucore_observer_options other = CUCORE_OBSERVER_OPTIONS_INIT;
  other.kinds = CUCORE_OPERATION_LAUNCH;
  other.begin = [](const cucore_operation*, void**, void*) {};
  cucore_observer* observer = nullptr;
  CALL(cucore_observer_create, &other, &observer);
  CALL(cucore_profiler_begin, world.profiler);
  launch(world, 500);  // more than the session looks at in any case
  for (int i = 2; i < count; ++i) repeat(world, std::atoi(arguments[i]));
  cucore_report* report = nullptr;
  CALL(cucore_profiler_end, world.profiler, &report);
  cucore_report_release(report);
  cucore_observer_release(observer);
  return 0;
}
