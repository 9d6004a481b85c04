// SPDX-License-Identifier: Apache-2.0
// Occupancy on the sm_90 profile, by hand calculation.
#include "driver.hpp"

namespace cutest {
namespace {

class Occupancy : public DeviceTest {
 protected:
  int blocks(const char* name, int size, size_t shared = 0) {
    int n = -1;
    EXPECT_CU(0, cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, function(name), size, shared));
    return n;
  }
};

TEST_F(Occupancy, ByThreadsAndBlocks) {
  EXPECT_EQ(2, blocks("nothing", 1024));  // 64 warps
  EXPECT_EQ(4, blocks("nothing", 512));
  EXPECT_EQ(4, blocks("nothing", 481));   // 16 warps
  EXPECT_EQ(32, blocks("nothing", 32));   // 32 blocks
  EXPECT_EQ(0, blocks("nothing", 1056));  // cannot be launched
  EXPECT_EQ(16, blocks("at_most_64", 128)) << "bounds of the compile do not count";
}

TEST_F(Occupancy, BySharedMemory) {
  EXPECT_EQ(5, blocks("much_shared", 32));        // 233472 / (40960 + 1024)
  EXPECT_EQ(4, blocks("much_shared", 32, 8192));  // / (49152 + 1024)
  EXPECT_EQ(0, blocks("much_shared", 32, 8193));  // needs opting in
  OK(cu.cuFuncSetAttribute(function("much_shared"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           100000));
  EXPECT_EQ(1, blocks("much_shared", 32, 100000));
}

TEST_F(Occupancy, AvailableSharedMemory) {
  size_t bytes = 0;
  OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 2, 256));
  EXPECT_EQ(49152u, bytes) << "what a launch may request";
  OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 5, 128));
  EXPECT_EQ(46592u, bytes) << "a fifth, in units of 128 bytes";
  OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("much_shared"), 1, 256));
  EXPECT_EQ(49152u - 40960, bytes);
  OK(cu.cuFuncSetAttribute(function("nothing"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           100000));
  OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 2, 128));
  EXPECT_EQ(100000u, bytes);
  OK(cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 3, 128));
  EXPECT_EQ(77824u, bytes);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function("nothing"), 9, 256));
}

TEST_F(Occupancy, PotentialBlockSize) {
  int grid = 0, block = 0;
  OK(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function("nothing"), nullptr, 0, 0));
  EXPECT_EQ(1024, block);
  EXPECT_EQ(2 * 132, grid);
  OK(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function("nothing"), nullptr, 0, 300));
  EXPECT_LE(block, 300);
  OK(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(
      &grid, &block, function("nothing"), [](int threads) { return size_t(threads) * 64; }, 0, 0,
      CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
  EXPECT_LE(block * 64, 49152);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuOccupancyMaxPotentialBlockSizeWithFlags(
                                          &grid, &block, function("nothing"), nullptr, 0, 0, 8));
}

TEST_F(Occupancy, Clusters) {
  CUlaunchConfig c{16, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, 0};
  CUlaunchAttribute a{};
  a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  a.value.clusterDim = {8, 1, 1};
  c.attrs = &a;
  c.numAttrs = 1;
  int n = 0;
  OK(cu.cuOccupancyMaxActiveClusters(&n, function("nothing"), &c));
  EXPECT_EQ(8 * (16 * 2 / 8) + 4 * 2 / 8, n);
  OK(cu.cuOccupancyMaxPotentialClusterSize(&n, function("nothing"), &c));
  EXPECT_EQ(8, n);
  a.value.clusterDim = {16, 1, 1};
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE,
            cu.cuOccupancyMaxActiveClusters(&n, function("nothing"), &c));
}

TEST_F(Occupancy, BadArguments) {
  int n = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function("nothing"), 32, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, function("nothing"), 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nullptr, 32, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                          &n, function("nothing"), 32, 0, 4));
}

class Devices : public ::testing::Test {
 protected:
  Driver& cu = DeviceTest::driver();
};

TEST_F(Devices, EveryAttributeHasAValue) {
  for (int a = 1; a < CU_DEVICE_ATTRIBUTE_MAX; ++a) {
    int value = 0;
    EXPECT_CU(0, cu.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(a), 0)) << a;
  }
  int value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE,
            cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 2));
}

TEST_F(Devices, Identity) {
  int count = 0;
  OK(cu.cuDeviceGetCount(&count));
  ASSERT_EQ(2, count) << "the test runs with CUCORE_CPU_DEVICES=2";
  char name[100], bus[32];
  OK(cu.cuDeviceGetName(name, sizeof name, 1));
  EXPECT_STREQ("cucore CPU reference device", name);
  OK(cu.cuDeviceGetName(name, 7, 1));
  EXPECT_STREQ("cucore", name);
  OK(cu.cuDeviceGetPCIBusId(bus, sizeof bus, 1));
  CUdevice device = -1;
  OK(cu.cuDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(1, device);
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuDeviceGetByPCIBusId(&device, "0000:7f:00.0"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuDeviceGetByPCIBusId(&device, "nonsense"));
  CUuuid a{}, b{};
  OK(cu.cuDeviceGetUuid_v2(&a, 0));
  OK(cu.cuDeviceGetUuid_v2(&b, 1));
  EXPECT_NE(0, memcmp(&a, &b, sizeof a));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuDeviceGet(&device, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuDeviceGet(&device, -1));
}

}  // namespace
}  // namespace cutest
