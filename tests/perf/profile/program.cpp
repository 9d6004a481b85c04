// SPDX-License-Identifier: Apache-2.0
// A program without a profiler, which launches one kernel three times. It also uses libcrypto for
// the first time, whose end at the exit must not precede that of the profile.
#include <cucore.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry observed_kernel() { ret; }
)";

void must(cucore_status status, cucore_error* error) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "%s\n", cucore_error_message(error));
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--log") == 0)
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
  cucore_kernel_release(kernel);
  cucore_objectcode_release(code);
  cucore_stream_release(stream);
  cucore_device_release(device);
  return 0;
}
