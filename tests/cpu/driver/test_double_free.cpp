// SPDX-License-Identifier: Apache-2.0
// The report of memory that a program frees twice, and the frees that have none.
#include "driver.hpp"

namespace cutest {
namespace {

class DoubleFree : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    check("memory");
  }
  void TearDown() override {
    check("");
    DeviceTest::TearDown();
  }
  void check(const char* checks) {
    OK(cu.control().set_checks(checks, 0));
    OK(cu.control().clear_checks());
  }
  std::string reports() {
    char text[4096] = "";
    EXPECT_CU(0, cu.control().check_text(text, sizeof text, nullptr));
    return text;
  }
  // One report with these parts.
  void expect_report(const std::vector<std::string>& parts) {
    EXPECT_EQ(cu.control().check_count(), 1u) << reports();
    for (const std::string& part : parts)
      EXPECT_NE(reports().find(part), std::string::npos) << part << " in " << reports();
    OK(cu.control().clear_checks());
  }
  CUdeviceptr allocate(size_t bytes = 100) {
    CUdeviceptr p = 0;
    EXPECT_CU(0, cu.cuMemAlloc_v2(&p, bytes));
    return p;
  }
  static std::string hex(uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
  }
};

TEST_F(DoubleFree, NamesTheCalls) {
  const CUdeviceptr p = allocate();
  OK(cu.cuMemFree_v2(p));
  EXPECT_EQ(reports(), "");
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p));
  expect_report({"double-free: cuMemFree_v2: " + hex(p) + " was freed before",
                 "allocation of 100 bytes at " + hex(p), "made by call ", " of cuMemAlloc_v2",
                 "freed by call ", " of cuMemFree_v2"});
}

TEST_F(DoubleFree, OfPinnedMemory) {
  void* p = nullptr;
  OK(cu.cuMemHostAlloc(&p, 100, 0));
  OK(cu.cuMemFreeHost(p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeHost(p));
  expect_report({"double-free: cuMemFreeHost: ", "of cuMemHostAlloc", "of cuMemFreeHost"});
}

TEST_F(DoubleFree, OfMemoryInTheOrderOfAStream) {
  CUstream stream = nullptr;
  CUdeviceptr p = 0;
  OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cu.cuMemAllocAsync(&p, 100, stream));
  close_gate(stream);
  OK(cu.cuMemFreeAsync(p, stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(p, stream));
  expect_report({"double-free: cuMemFreeAsync: ", "a call whose stream has not reached the free",
                 "of cuMemAllocAsync"});
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p));
  expect_report({"double-free: cuMemFree_v2: "});
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFreeAsync(p, stream));
  expect_report({"double-free: cuMemFreeAsync: ", "freed by call ", " of cuMemFreeAsync"});
  OK(cu.cuStreamDestroy_v2(stream));
}

// Neighbours in memory hide no address.
TEST_F(DoubleFree, OfOneOfManyAllocations) {
  std::vector<CUdeviceptr> all;
  for (int i = 0; i < 8; ++i) all.push_back(allocate(1));
  OK(cu.cuMemFree_v2(all[3]));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(all[3]));
  expect_report({hex(all[3]) + " was freed before"});
  for (int i = 0; i < 8; ++i) {
    if (i == 3) continue;
    OK(cu.cuMemFree_v2(all[size_t(i)]));
  }
  EXPECT_EQ(reports(), "");
}

TEST_F(DoubleFree, OtherFreesHaveNoReport) {
  const CUdeviceptr p = allocate();
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p + 4));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(12345));
  OK(cu.cuMemFree_v2(0));
  OK(cu.cuMemFree_v2(p));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p + 4));
  check("race");
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree_v2(p));
  EXPECT_EQ(reports(), "");
}

}  // namespace
}  // namespace cutest
