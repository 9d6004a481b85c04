// SPDX-License-Identifier: Apache-2.0
#include "launch_world.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr char PTX[] = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry three(.param .f32 a, .param .s32 n, .param .u64 data)
{
  ret;
}
)";

// A benchmark of failing calls would measure nothing.
void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "launch_bench: %s\n", what);
  std::exit(2);
}

void must(cucore_status status, cucore_error* error) {
  require(status == CUCORE_OK, cucore_error_message(error));
}

#define MUST(function, ...)                     \
  do {                                          \
    cucore_error* error = nullptr;              \
    must(function(__VA_ARGS__, &error), error); \
  } while (0)

// The driver's own function, without libcucore, as another program would find it.
decltype(&::cuLaunchKernelEx) find_bare_launch() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
  require(info.available, info.reason);
  void* library = dlopen(info.path, RTLD_NOW | RTLD_LOCAL);
  require(library, "cannot open the driver in use a second time");
  const auto get =
      reinterpret_cast<decltype(&::cuGetProcAddress)>(dlsym(library, "cuGetProcAddress_v2"));
  require(get, "the driver has no cuGetProcAddress_v2");
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  get("cuLaunchKernelEx", &found, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
  require(found, "the driver has no cuLaunchKernelEx");
  // The scripted driver lists its calls; the growth of the list is not part of a launch.
  using SetLogging = void (*)(int32_t);
  if (const auto set_logging = reinterpret_cast<SetLogging>(dlsym(library, "fake_set_logging")))
    set_logging(0);
  return reinterpret_cast<decltype(&::cuLaunchKernelEx)>(found);
}

}  // namespace

World::World() {
  open();
  prepare_bare();
}

void World::open() {
  MUST(cucore_device_open, 0, &device_);
  MUST(cucore_stream_create, device_, nullptr, &stream_);
  MUST(cucore_stream_create, device_, nullptr, &second_stream_);
  MUST(cucore_stream_create, device_, nullptr, &shared_stream_);
  MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, &default_stream_);
  MUST(cucore_event_create, device_, nullptr, &event_);
  MUST(cucore_buffer_create, device_, 4096, stream_, &buffer_);
  MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code_);
  MUST(cucore_objectcode_find_kernel, code_, "three", &kernel_);
  packed_.data = cucore_buffer_address(buffer_);
  CUCORE_ARGUMENT_SET(arguments_[0], packed_.a);
  CUCORE_ARGUMENT_SET(arguments_[1], packed_.n);
  CUCORE_ARGUMENT_SET(arguments_[2], packed_.data);
  for (int i = 0; i < 3; ++i) with_buffer_[i] = arguments_[i];
  with_buffer_[2] = {buffer_, CUCORE_ARGUMENT_OBJECT};
  options_.grid[0] = 1;
  options_.block[0] = 32;
}

void World::prepare_bare() {
  launch_bare_ = find_bare_launch();
  pointers_[0] = &packed_.a;
  pointers_[1] = &packed_.n;
  pointers_[2] = &packed_.data;
  config_.gridDimX = config_.gridDimY = config_.gridDimZ = 1;
  config_.blockDimX = 32;
  config_.blockDimY = config_.blockDimZ = 1;
  config_.hStream = static_cast<CUstream>(cucore_stream_native(shared_stream_));
  launch();
  launch_bare();
  synchronize();
}

void World::launch_bare() {
  const auto function = static_cast<CUfunction>(cucore_kernel_native(kernel_));
  require(launch_bare_(&config_, function, pointers_, nullptr) == CUDA_SUCCESS, "a launch failed");
}

void World::launch() { MUST(cucore_kernel_launch, kernel_, stream_, &options_, arguments_, 3); }

void World::launch_packed() {
  MUST(cucore_kernel_launch_packed, kernel_, stream_, &options_, &packed_, sizeof packed_);
}

void World::launch_on_shared_stream() {
  MUST(cucore_kernel_launch, kernel_, shared_stream_, &options_, arguments_, 3);
}

void World::launch_on_default_stream() {
  MUST(cucore_kernel_launch, kernel_, default_stream_, &options_, arguments_, 3);
}

void World::launch_buffer() {
  MUST(cucore_kernel_launch, kernel_, stream_, &options_, with_buffer_, 3);
}

void World::launch_buffer_elsewhere() {
  MUST(cucore_kernel_launch, kernel_, second_stream_, &options_, with_buffer_, 3);
}

void World::renew_buffer() {
  cucore_buffer_release(buffer_);
  MUST(cucore_buffer_create, device_, 4096, stream_, &buffer_);
  packed_.data = cucore_buffer_address(buffer_);
  with_buffer_[2].data = buffer_;
}

void World::synchronize() { MUST(cucore_device_synchronize, device_); }

void World::record() { MUST(cucore_event_record, event_, stream_); }

void World::find_kernel() {
  cucore_kernel* kernel = nullptr;
  MUST(cucore_objectcode_find_kernel, code_, "three", &kernel);
  cucore_kernel_release(kernel);
}

void World::make_stream() {
  cucore_stream* stream = nullptr;
  MUST(cucore_stream_create, device_, nullptr, &stream);
  cucore_stream_release(stream);
}

void World::make_event() {
  cucore_event* event = nullptr;
  MUST(cucore_event_create, device_, nullptr, &event);
  cucore_event_release(event);
}

void World::make_buffer() {
  cucore_buffer* buffer = nullptr;
  MUST(cucore_buffer_create, device_, 4096, stream_, &buffer);
  cucore_buffer_release(buffer);
}

void World::make_objectcode() {
  cucore_objectcode* code = nullptr;
  MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
  cucore_objectcode_release(code);
}
