// SPDX-License-Identifier: Apache-2.0
// A program without a profiler, which launches one kernel three times. With --endless, it ends
// while another kernel runs, and with --wait it waits for a signal before its end. It also uses
// libcrypto for the first time, whose end at the exit must not precede that of the profile.
#include <cucore.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry observed_kernel() { ret; }
.visible .entry endless_kernel() {
again:
  bra again;
}
)";

volatile std::sig_atomic_t has_ended = 0;

bool has_option(int count, char** arguments, const char* option) {
  return count == 2 && std::strcmp(arguments[1], option) == 0;
}

void wait_for_signal() {
  std::signal(SIGTERM, [](int) { has_ended = 1; });
  std::puts("ready");
  std::fflush(stdout);
  while (!has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void must(cucore_status status, cucore_error* error) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "%s\n", cucore_error_message(error));
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (has_option(count, arguments, "--log"))
    cucore_log_set_callback([](cucore_log_level, const char* text, void*) { std::puts(text); },
                            CUCORE_LOG_WARNING, nullptr, nullptr, nullptr);
  cucore_error* error = nullptr;
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_kernel* kernel = nullptr;
  must(cucore_device_open(0, &device, &error), error);
  must(cucore_stream_create(device, nullptr, &stream, &error), error);
  must(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code, &error),
       error);
  size_t size = 0;
  char container[4096];
  must(cucore_objectcode_serialize(code, nullptr, container, sizeof container, &size, &error),
       error);
  must(cucore_objectcode_find_kernel(code, "observed_kernel", &kernel, &error), error);
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  for (int i = 0; i < 3; ++i)
    must(cucore_kernel_launch(kernel, stream, &options, nullptr, 0, &error), error);
  must(cucore_stream_synchronize(stream, &error), error);
  if (has_option(count, arguments, "--wait")) wait_for_signal();
  if (has_option(count, arguments, "--endless")) {
    must(cucore_objectcode_find_kernel(code, "endless_kernel", &kernel, &error), error);
    must(cucore_kernel_launch(kernel, stream, &options, nullptr, 0, &error), error);
    return 0;
  }
  cucore_kernel_release(kernel);
  cucore_objectcode_release(code);
  cucore_stream_release(stream);
  cucore_device_release(device);
  return 0;
}
