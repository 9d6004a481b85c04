// SPDX-License-Identifier: Apache-2.0
// Runs a loop on the CPU device: cpu_costs plain|counted ROUNDS. A session counts the second form.
// line_costs.py counts the instructions of the executor. A round loads and stores global and shared
// memory, computes, waits at a barrier, and diverges.
#include <cucore_perf.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry loop(.param .u64 data, .param .u32 rounds) {
  .shared .align 4 .b8 tile[256];
  .reg .b64 %data, %at;
  .reg .b32 %rounds, %thread, %place, %other, %odd;
  .reg .f32 %x, %y;
  .reg .pred %p, %q;
  ld.param.u64 %data, [data];
  ld.param.u32 %rounds, [rounds];
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %at, %thread, 4;
  add.u64 %at, %at, %data;
  mov.u32 %place, tile;
  shl.b32 %other, %thread, 2;
  add.u32 %place, %place, %other;
  and.b32 %odd, %thread, 1;
  setp.ne.u32 %q, %odd, 0;
again:
  ld.global.f32 %x, [%at];
  st.shared.f32 [%place], %x;
  bar.sync 0;
  ld.shared.f32 %y, [%place];
  fma.rn.f32 %x, %x, %y, %y;
  mul.f32 %x, %x, %x;
  @%q bra joined;
  add.f32 %x, %x, %y;
joined:
  st.global.f32 [%at], %x;
  sub.u32 %rounds, %rounds, 1;
  setp.ne.u32 %p, %rounds, 0;
  @%p bra again;
  ret;
}
)";
constexpr uint32_t THREADS = 64;

#define CALL(function, ...)                                                                \
  do {                                                                                     \
    cucore_error* error = nullptr;                                                         \
    if (function(__VA_ARGS__, &error) != CUCORE_OK) {                                      \
      std::fprintf(stderr, "cpu_costs: " #function ": %s\n", cucore_error_message(error)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

void run(uint32_t rounds) {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_buffer* data = nullptr;
  CALL(cucore_device_open, 0, &device);
  CALL(cucore_stream_create, device, nullptr, &stream);
  CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
  CALL(cucore_objectcode_find_kernel, code, "loop", &kernel);
  CALL(cucore_buffer_create, device, THREADS * sizeof(float), stream, &data);
  const uint32_t zero = 0;
  CALL(cucore_buffer_fill, data, 0, THREADS * sizeof(float), &zero, sizeof zero, stream);
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 1;
  options.block[0] = THREADS;
  const cucore_argument arguments[] = {{data, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(rounds)};
  CALL(cucore_kernel_launch, kernel, stream, &options, arguments, 2);
  CALL(cucore_stream_synchronize, stream);
}

}  // namespace

int main(int count, char** arguments) {
  const bool is_counted = count == 3 && std::strcmp(arguments[1], "counted") == 0;
  if (count != 3 || (!is_counted && std::strcmp(arguments[1], "plain") != 0)) {
    std::fprintf(stderr, "usage: cpu_costs plain|counted ROUNDS\n");
    return 2;
  }
  cucore_profiler* profiler = nullptr;
  if (is_counted) {
    cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
    options.source = CUCORE_PROFILER_SOURCE_EMULATED;
    CALL(cucore_profiler_create, &options, &profiler);
    CALL(cucore_profiler_begin, profiler);
  }
  run(static_cast<uint32_t>(std::atoi(arguments[2])));
  if (!is_counted) return 0;
  cucore_report* report = nullptr;
  CALL(cucore_profiler_end, profiler, &report);
  cucore_report_release(report);
  return 0;
}
