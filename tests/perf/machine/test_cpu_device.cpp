// SPDX-License-Identifier: Apache-2.0
// The limits of the architecture of $CUCORE_CPU_PROFILE are the attributes of the CPU device, and
// its answers to cuOccupancyMaxActiveBlocksPerMultiprocessor are those of cucore_occupancy_query().
#include <cucore_perf.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "../../cpu/driver/driver.hpp"
#include "perf/machine/limits.hpp"

namespace cutest {
namespace {

using cucore::perf::Limits;
using cucore::perf::limits_of;

class CpuDevice : public DeviceTest {
 protected:
  uint32_t attribute(CUdevice_attribute which) {
    int value = -1;
    EXPECT_CU(0, cu.cuDeviceGetAttribute(&value, which, 0));
    return static_cast<uint32_t>(value);
  }

  const std::string arch_ = std::getenv("CUCORE_CPU_PROFILE");
};

TEST_F(CpuDevice, HasTheLimitsOfTheTable) {
  const Limits& limits = limits_of(arch_);
  EXPECT_EQ(limits.arch, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(limits.warps * 32, attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  EXPECT_EQ(limits.blocks, attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  EXPECT_EQ(limits.shared, attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  EXPECT_EQ(limits.reserved, attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  EXPECT_EQ(limits.shared - limits.reserved,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  EXPECT_EQ(cucore::perf::REGISTERS,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
  EXPECT_EQ(cucore::perf::MAX_BLOCK, attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
}

// A kernel with `registers` registers: the bound is lower than the estimate from its declarations.
// The estimate also lets the largest block fit.
std::string kernel(unsigned registers) {
  const unsigned threads = 65536 / (registers + 8) / 32 * 32;
  return ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n.maxntid " +
         std::to_string(std::min(threads, 1024U)) + "\n.maxnreg " + std::to_string(registers) +
         "\n{ .reg .b32 %r<3000>; ret; }\n";
}

TEST_F(CpuDevice, AnswersAsTheCalculator) {
  const int optin =
      static_cast<int>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  size_t compared = 0;
  for (unsigned most = 16; most < 248; most += 9) {
    CUmodule loaded = nullptr;
    OK(cu.cuModuleLoadData(&loaded, kernel(most).c_str()));
    CUfunction function = nullptr;
    OK(cu.cuModuleGetFunction(&function, loaded, "k"));
    OK(cu.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin));
    int registers = 0, threads_at_most = 0;
    OK(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    OK(cu.cuFuncGetAttribute(&threads_at_most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    EXPECT_EQ(registers, static_cast<int>(most));
    for (int threads = 1; threads <= threads_at_most; threads += 61)
      for (int shared = 0; shared <= optin; shared += 3001) {
        int expected = -1;
        OK(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&expected, function, threads,
                                                          static_cast<size_t>(shared)));
        cucore_occupancy_needs needs = CUCORE_OCCUPANCY_NEEDS_INIT;
        needs.registers = static_cast<uint32_t>(registers);
        needs.threads = static_cast<uint32_t>(threads);
        needs.shared = static_cast<uint32_t>(shared);
        cucore_occupancy_info info = CUCORE_OCCUPANCY_INFO_INIT;
        ASSERT_EQ(cucore_occupancy_query(arch_.c_str(), &needs, &info, nullptr), CUCORE_OK);
        ASSERT_EQ(info.blocks, static_cast<uint32_t>(expected))
            << registers << " registers, " << threads << " threads, " << shared << " bytes";
        ++compared;
      }
    OK(cu.cuModuleUnload(loaded));
  }
  EXPECT_GT(compared, 4000U);
}

}  // namespace
}  // namespace cutest
