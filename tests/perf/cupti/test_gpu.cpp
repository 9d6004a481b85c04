// SPDX-License-Identifier: Apache-2.0
// Counters of launches on a GPU whose user may read them. Their numbers follow from the kernels.
#include <cucore.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "client/native.hpp"
#include "perf/cupti/launch_counters.hpp"
#include "perf/cupti/presets.hpp"

namespace {

using namespace cucore;
using namespace cucore::perf;

constexpr const char* COUNT = "count launches";
constexpr uint32_t THREADS = 256;
constexpr size_t BYTES = size_t{256} << 20, LANES_OF_KERNEL = BYTES / 4;

// out[i] = in[i * step mod LANES_OF_KERNEL]
constexpr const char* SOURCE = R"(
extern "C" __global__ void gather(const float* in, float* out, unsigned step, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * step & mask];
})";

template <class Function, class... Arguments>
void call(Function&& function, Arguments&&... arguments) {
  client::call(COUNT, std::forward<Function>(function), std::forward<Arguments>(arguments)...);
}

template <auto RELEASE>
struct Releaser {
  template <class Handle>
  void operator()(Handle* handle) const {
    RELEASE(handle);
  }
};
template <class Handle, auto RELEASE>
using Owner = std::unique_ptr<Handle, Releaser<RELEASE>>;

class GpuCounters : public testing::Test {
 protected:
  void SetUp() override {
    cucore_device* device = nullptr;
    cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
    if (cucore_device_open(0, &device, nullptr) != CUCORE_OK) GTEST_SKIP() << "needs a GPU";
    device_.reset(device);
    call(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
    if (std::string(driver.path).find("cucore-cpu") != std::string::npos)
      GTEST_SKIP() << "needs a GPU";
    load();
    try {
      chip_ = std::make_unique<Chip>(chip_name(0, COUNT), COUNT);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  void load() {
    cucore_stream* stream = nullptr;
    call(cucore_stream_create, device_.get(), nullptr, &stream);
    stream_.reset(stream);
    cucore_program* program = nullptr;
    call(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, SOURCE, std::strlen(SOURCE), nullptr,
         &program);
    const Owner<cucore_program, cucore_program_release> owner(program);
    cucore_objectcode* code = nullptr;
    call(cucore_program_compile, program, CUCORE_CODE_TYPE_PTX, nullptr, size_t{0}, &code);
    const Owner<cucore_objectcode, cucore_objectcode_release> kept(code);
    cucore_kernel* kernel = nullptr;
    call(cucore_objectcode_find_kernel, code, "gather", &kernel);
    kernel_.reset(kernel);
    for (auto& buffer : buffers_) {
      cucore_buffer* made = nullptr;
      call(cucore_buffer_create, device_.get(), BYTES, stream, &made);
      buffer.reset(made);
      call(cucore_buffer_fill, made, size_t{0}, BYTES, "\0", size_t{1}, stream);
    }
    launch(1);
    call(cucore_stream_synchronize, stream);
  }

  void launch(uint32_t step) {
    const uint64_t in = cucore_buffer_address(buffers_[0].get());
    const uint64_t out = cucore_buffer_address(buffers_[1].get());
    const uint32_t mask = LANES_OF_KERNEL - 1;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(in), CUCORE_ARGUMENT(out),
                                         CUCORE_ARGUMENT(step), CUCORE_ARGUMENT(mask)};
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = LANES_OF_KERNEL / THREADS;
    options.block[0] = THREADS;
    call(cucore_kernel_launch, kernel_.get(), stream_.get(), &options, arguments, size_t{4});
  }

  CUcontext context() {
    void *retain = nullptr, *get = nullptr;
    call(cucore_library_symbol, CUCORE_LIBRARY_DRIVER, "cuDevicePrimaryCtxRetain", &retain);
    call(cucore_library_symbol, CUCORE_LIBRARY_DRIVER, "cuCtxSetCurrent", &get);
    CUcontext context = nullptr;
    EXPECT_EQ(reinterpret_cast<CUresult (*)(CUcontext*, CUdevice)>(retain)(&context, 0), 0);
    EXPECT_EQ(reinterpret_cast<CUresult (*)(CUcontext)>(get)(context), 0);
    return context;
  }

  Owner<cucore_device, cucore_device_release> device_;
  Owner<cucore_stream, cucore_stream_release> stream_;
  Owner<cucore_kernel, cucore_kernel_release> kernel_;
  Owner<cucore_buffer, cucore_buffer_release> buffers_[2];
  std::unique_ptr<Chip> chip_;
};

double value(const LaunchCounters& counters, const std::vector<double>& values, const char* name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (std::string(counters.metrics()[i]) == name) return values[i];
  ADD_FAILURE() << "no metric " << name;
  return NAN;
}

TEST_F(GpuCounters, count_the_requests_and_sectors_of_each_launch) {
  LaunchCounters counters(context(), *chip_, metrics_of(preset_of("memory"), *chip_), COUNT);
  counters.begin();
  launch(1);
  launch(8);
  launch(2);
  const auto launches = counters.end();
  ASSERT_EQ(launches.size(), 3u);
  const double sectors_per_request[] = {4, 32, 8};
  for (size_t i = 0; i < 3; ++i) {
    const auto of = [&](const char* name) { return value(counters, launches[i], name); };
    const double requests = of("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    EXPECT_EQ(requests, LANES_OF_KERNEL / 32.0);
    EXPECT_EQ(of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
              requests * sectors_per_request[i]);
    EXPECT_EQ(of("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), requests * 4);
    EXPECT_EQ(of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), 0);
  }
}

TEST_F(GpuCounters, count_the_bytes_of_device_memory) {
  LaunchCounters counters(context(), *chip_, metrics_of(preset_of("quick"), *chip_), COUNT);
  EXPECT_EQ(counters.passes(), 1u);
  for (int round = 0; round < 3; ++round) {
    counters.begin();
    launch(1);
    const auto launches = counters.end();
    ASSERT_EQ(launches.size(), 1u);
    // The L2 cache holds a part of what an earlier launch wrote, and keeps a part of this one's.
    const double read = launches[0][0], written = launches[0][1], nanoseconds = launches[0][2];
    EXPECT_NEAR(read / BYTES, 1, 0.15);
    EXPECT_NEAR(written / BYTES, 1, 0.2);
    std::printf("read %.1f MB, wrote %.1f MB in %.1f us\n", read / 1e6, written / 1e6,
                nanoseconds / 1e3);
  }
}

}  // namespace
