// SPDX-License-Identifier: Apache-2.0
// Kernels: their names, parameters, attributes and occupancy.
#include "capi_testing.hpp"

namespace {

using namespace capi_test;

class Kernels : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    saxpy_ = find_kernel(code_, "saxpy");
  }
  void TearDown() override {
    saxpy_.reset();
    code_.reset();
    OnDevice::TearDown();
  }
  Code code_;
  Kernel saxpy_;
};

TEST_F(Kernels, OfAnotherOwnerAreBorrowed) {
  void* native = cucore_kernel_native(saxpy_);
  Kernel borrowed, again;
  SUCCEEDS(cucore_kernel_from_native, device_, native, borrowed.out());
  SUCCEEDS(cucore_kernel_from_native, device_, native, again.out());
  EXPECT_NE(borrowed.get(), again.get());
  EXPECT_EQ(cucore_kernel_native(borrowed), native);
  size_t offset = 7, size = 7;
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  MUST(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
  const int version = info.version_major * 100 + info.version_minor;
  EXPECT_STREQ(cucore_kernel_name(borrowed), version < 1203 ? "kernel" : "saxpy");
  if (version < 1204) {
    EXPECT_EQ(cucore_kernel_parameter_count(borrowed), SIZE_MAX);
    FAILS(CUCORE_ERROR_UNSUPPORTED, "12.4", cucore_kernel_parameter_at, borrowed, 3, device_,
          &offset, &size);
  } else {
    EXPECT_EQ(cucore_kernel_parameter_count(borrowed), 4u);
    SUCCEEDS(cucore_kernel_parameter_at, borrowed, 3, device_, &offset, &size);
    EXPECT_EQ(offset, 24u);
    EXPECT_EQ(size, 4u);
  }

  const std::vector<float> ones(8, 1.f);
  Buffer x, y;
  SUCCEEDS(cucore_buffer_create, device_, 32, stream_, x.out());
  SUCCEEDS(cucore_buffer_create, device_, 32, stream_, y.out());
  for (const Buffer* each : {&x, &y})
    SUCCEEDS(cucore_buffer_write, *each, 0, ones.data(), 32, stream_);
  const float a = 2;
  const uint32_t n = 8;
  const uint64_t from = cucore_buffer_address(x), to = cucore_buffer_address(y);
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(from),
                                       CUCORE_ARGUMENT(to), CUCORE_ARGUMENT(n)};
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 1;
  options.block[0] = 8;
  SUCCEEDS(cucore_kernel_launch, borrowed, stream_, &options, arguments, 4);
  borrowed.reset();
  again.reset();
  SUCCEEDS(cucore_kernel_launch, saxpy_, stream_, &options, arguments, 4);  // still loaded
  std::vector<float> result(8);
  SUCCEEDS(cucore_buffer_read, y, 0, result.data(), 32, stream_);
  if (!fake_) {
    EXPECT_EQ(result, std::vector<float>(8, 5.f));
  }
  cucore_kernel* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "native is NULL", cucore_kernel_from_native, device_,
        nullptr, &none);
}

TEST_F(Kernels, HaveObjectCode) {
  Code code;
  SUCCEEDS(cucore_kernel_objectcode, saxpy_, device_, code.out());
  EXPECT_EQ(code.get(), code_.get());
  Kernel borrowed;
  SUCCEEDS(cucore_kernel_from_native, device_, cucore_kernel_native(saxpy_), borrowed.out());
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "another owner", cucore_kernel_objectcode, borrowed, device_,
        &none);
  EXPECT_EQ(none, nullptr);
}

TEST_F(Kernels, TellTheirNameAndParameters) {
  EXPECT_STREQ(cucore_kernel_name(saxpy_), "saxpy");
  EXPECT_EQ(cucore_kernel_parameter_count(saxpy_), 4u);
  EXPECT_EQ(cucore_kernel_parameter_count(find_kernel(code_, "empty")), 0u);
  const size_t offsets[] = {0, 8, 16, 24}, sizes[] = {4, 8, 8, 4};
  for (const cucore_device* device : {device_.get(), static_cast<cucore_device*>(nullptr)})
    for (size_t i = 0; i < 4; ++i) {
      size_t offset = 7, size = 7;
      SUCCEEDS(cucore_kernel_parameter_at, saxpy_, i, device, &offset, &size);
      EXPECT_EQ(offset, offsets[i]);
      EXPECT_EQ(size, sizes[i]);
    }
  size_t offset = 7, size = 7;
  for (const size_t index : {size_t{4}, SIZE_MAX})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "saxpy|4 parameters", cucore_kernel_parameter_at, saxpy_,
          index, device_, &offset, &size);
  EXPECT_EQ(offset + size, 0u);
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "device", cucore_kernel_parameter_at, saxpy_, 0,
        reinterpret_cast<cucore_device*>(stream_.get()), &offset, &size);
}

TEST_F(Kernels, AreNamedInMessagesAsTheyWereAskedFor) {
  const char *expression = "axpy<float>", *lowered = "saxpy";
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.expressions = &expression;
  options.lowered_names = &lowered;
  options.expression_count = 1;
  Code code;
  SUCCEEDS(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, &options, code.out());
  Kernel kernel = find_kernel(code, "axpy< float >");
  EXPECT_STREQ(cucore_kernel_name(kernel), "saxpy");
  EXPECT_STREQ(cucore_kernel_label(kernel), "axpy< float >");
  const Kernel again = find_kernel(code, "saxpy");
  EXPECT_EQ(again.get(), kernel.get());
  EXPECT_STREQ(cucore_kernel_label(again), "axpy< float >") << "the first name stays";

  const cucore_launch_options launch = grid(1, 1);
  int32_t value = 0;
  size_t size = 0;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel axpy< float > takes 4", cucore_kernel_launch, kernel,
        stream_, &launch, nullptr, 0);
  const cucore_argument arguments[4] = {};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
        "argument 0 of kernel axpy< float >|NULL|parameter has 4 bytes (float)",
        cucore_kernel_launch, kernel, stream_, &launch, arguments, 4);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel axpy< float > take 28", cucore_kernel_launch_packed,
        kernel, stream_, &launch, &value, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel axpy< float > has 4", cucore_kernel_parameter_at,
        kernel, 4, device_, &size, &size);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "attribute 1000 of kernel axpy< float >",
        cucore_kernel_attribute, kernel, static_cast<cucore_kernel_attribute_name>(1000), device_,
        &value);
  kernel.reset();
}

TEST_F(Kernels, TellTheirAttributes) {
  int32_t value = -7;
  SUCCEEDS(cucore_kernel_attribute, saxpy_, CUCORE_KERNEL_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device_,
           &value);
  EXPECT_GE(value, 32);
  for (const int number : {-1, 1000}) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "attribute " + std::to_string(number) + "|saxpy",
          cucore_kernel_attribute, saxpy_, static_cast<cucore_kernel_attribute_name>(number),
          device_, &value);
    EXPECT_EQ(value, 0);
  }
}

TEST_F(Kernels, AreGivenAttributes) {
  constexpr auto SHARED = CUCORE_KERNEL_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  SUCCEEDS(cucore_kernel_set_attribute, saxpy_, SHARED, device_, 4096);
  int32_t value = 0;
  SUCCEEDS(cucore_kernel_attribute, saxpy_, SHARED, device_, &value);
  EXPECT_EQ(value, 4096);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "attribute 4|saxpy", cucore_kernel_set_attribute, saxpy_,
        CUCORE_KERNEL_ATTRIBUTE_NUM_REGS, device_, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "attribute 8", cucore_kernel_set_attribute, saxpy_, SHARED,
        device_, 1 << 30);
}

TEST_F(Kernels, TellTheirOccupancy) {
  int32_t blocks = 0, grid = 0, block = 0;
  SUCCEEDS(cucore_kernel_occupancy, saxpy_, device_, 256, 0, &blocks);
  EXPECT_GT(blocks, 0);
  SUCCEEDS(cucore_kernel_max_potential_block_size, saxpy_, device_, 0, 0, &grid, &block);
  EXPECT_GT(grid, 0);
  EXPECT_GT(block, 0);
  SUCCEEDS(cucore_kernel_max_potential_block_size, saxpy_, device_, 0, 64, &grid, &block);
  EXPECT_LE(block, 64);
  size_t shared = 0;
  SUCCEEDS(cucore_kernel_available_dynamic_shared, saxpy_, device_, 1, 32, &shared);
  EXPECT_GT(shared, 0u);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "occupancy|saxpy", cucore_kernel_occupancy, saxpy_, device_,
        0, 0, &blocks);
  EXPECT_EQ(blocks, 0);
}

TEST_F(Kernels, TellHowManyClustersFit) {
  NEEDS_FAKE_DRIVER();
  cucore_launch_options options = grid(8, 32);
  options.cluster[0] = 4;
  int32_t clusters = 0;
  SUCCEEDS(cucore_kernel_max_active_clusters, saxpy_, device_, &options, &clusters);
  EXPECT_EQ(clusters, 33);
}

}  // namespace
