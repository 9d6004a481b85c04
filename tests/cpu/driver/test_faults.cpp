// SPDX-License-Identifier: Apache-2.0
// Injected faults, counters, leak report.
#include <cstring>

#include "driver.hpp"

namespace cutest {
namespace {

class Faults : public DeviceTest {
 protected:
  void TearDown() override {
    plan("");
    DeviceTest::TearDown();
  }
  void plan(const char* text) { EXPECT_CU(0, cu.control().set_fault_plan(text)) << text; }
  CUresult allocate(size_t size = 16) {
    CUdeviceptr p = 0;
    return cu.cuMemAlloc_v2(&p, size);
  }
  std::string report() {
    size_t length = 0;
    EXPECT_CU(0, cu.control().report(nullptr, 0, &length));
    std::string json(length + 1, 0);
    EXPECT_CU(0, cu.control().report(json.data(), json.size(), nullptr));
    json.resize(length);
    return json;
  }
};

TEST_F(Faults, TheNthCallFails) {
  plan("cuMemAlloc_v2@2=2; cuStreamCreate@1=304");
  CUstream s = nullptr;
  EXPECT_CU(0, allocate());
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, allocate());
  EXPECT_CU(0, allocate());
  EXPECT_CU(CUDA_ERROR_OPERATING_SYSTEM, cu.cuStreamCreate(&s, 0));
  EXPECT_CU(0, cu.cuStreamCreate(&s, 0));
}

TEST_F(Faults, FromTheNthOnAndEvery) {
  plan("cuMemAlloc@2+=999");  // a base name means every version
  EXPECT_CU(0, allocate());
  EXPECT_CU(CUDA_ERROR_UNKNOWN, allocate());
  EXPECT_CU(CUDA_ERROR_UNKNOWN, allocate());
  plan("cuMemAlloc@*=2");
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, allocate());
}

TEST_F(Faults, ByChanceButTheSameEveryTime) {
  std::string first, second;
  for (std::string* out : {&first, &second}) {
    plan("cuCtxSynchronize@p=0.3,seed=7=719");
    for (int i = 0; i < 200; ++i) *out += cu.cuCtxSynchronize() ? 'x' : '.';
  }
  EXPECT_EQ(first, second);
  auto struck = std::count(first.begin(), first.end(), 'x');
  EXPECT_GT(struck, 30);
  EXPECT_LT(struck, 90);
}

TEST_F(Faults, StickyOnes) {
  plan("cuLaunchKernelEx@1=sticky:700");
  CUlaunchConfig c{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 0};
  CUfunction f = function("nothing");
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuLaunchKernelEx(&c, f, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, allocate());
  EXPECT_NE(std::string::npos, fault_text().find("injected"));
}

TEST_F(Faults, InsideAKernelsRun) {
  plan("launch:nothing@2=702");
  OK(launch("nothing", {}));
  OK(cu.cuCtxSynchronize());
  OK(launch("nothing", {}));  // the launch itself succeeds
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, cu.cuCtxSynchronize());
  EXPECT_NE(std::string::npos, fault_text().find("nothing"));
}

TEST_F(Faults, LessMemory) {
  plan("mem.limit=1M");
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, allocate(2 << 20));
  size_t total = 0;
  OK(cu.cuMemGetInfo_v2(nullptr, &total));
  EXPECT_EQ(size_t{1} << 20, total);
  plan("");
  EXPECT_CU(0, allocate(2 << 20));
}

TEST_F(Faults, UnimplementedFunctionsCanFailOtherwise) {
  plan("cuGraphicsMapResources@1=999");
  auto map =
      reinterpret_cast<CUresult (*)(unsigned, void*, void*)>(cu.symbol("cuGraphicsMapResources"));
  EXPECT_CU(CUDA_ERROR_UNKNOWN, map(0, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, map(0, nullptr, nullptr));
}

TEST_F(Faults, AllocationsAreThoseOfAllFunctions) {
  CUmemGenericAllocationHandle physical = 0;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  const CUDA_ARRAY_DESCRIPTOR plane{4, 4, CU_AD_FORMAT_FLOAT, 1};
  const CUDA_ARRAY3D_DESCRIPTOR levels{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUarray made = nullptr;
  CUmipmappedArray mipmapped = nullptr;
  plan("allocation@*=2");
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemCreate(&physical, size_t{2} << 20, &properties, 0));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuArrayCreate_v2(&made, &plane));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuArray3DCreate_v2(&made, &levels));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMipmappedArrayCreate(&mipmapped, &levels, 1));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, allocate());
}

TEST_F(Faults, BadPlansAreRefused) {
  plan("cuMemAlloc@1=2");
  for (const char* bad :
       {"cuMemAlloc", "cuMemAlloc@=2", "cuMemAlloc@0=2", "cuMemAlloc@1=0", "cuMemAlloc@1=x", "@1=2",
        "cuMemAlloc@1=sticky:", "cuMemAlloc@p=2=700", "cuMemAlloc@p=0.5x=2",
        "cuMemAlloc@p=0.5,sed=7=2", "mem.limit=lots", "cuMemAlloc@1=2;;nonsense"})
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.control().set_fault_plan(bad)) << bad;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.control().set_fault_plan(nullptr));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, allocate()) << "the old plan is still in force";
}

TEST_F(Faults, CallsAndLiveObjectsAreReported) {
  OK(cu.control().reset_report());
  CUevent e = nullptr;
  OK(cu.cuEventCreate(&e, 0));
  EXPECT_CU(0, allocate());
  EXPECT_EQ(1u, cu.control().call_count("cuEventCreate"));
  EXPECT_EQ(1u, cu.control().call_count("cuMemAlloc"));
  EXPECT_EQ(1u, cu.control().call_count("cuMemAlloc_v2"));
  std::string json = report();
  EXPECT_NE(std::string::npos, json.find("\"cuEventCreate\":1")) << json;
  EXPECT_NE(std::string::npos, json.find("\"live\":{")) << json;
}

TEST_F(Faults, WhatAContextLeavesBehindIsReported) {
  OK(cu.control().reset_report());
  CUcontext c = nullptr;
  OK(cu.cuCtxCreate_v4(&c, nullptr, 0, 0));
  CUstream s = nullptr;
  CUevent e = nullptr;
  OK(cu.cuStreamCreate(&s, 0));
  OK(cu.cuEventCreate(&e, 0));
  OK(cu.cuEventDestroy_v2(e));
  EXPECT_CU(0, allocate(1000));
  OK(cu.cuCtxDestroy_v2(c));
  std::string leaked = report();
  leaked = leaked.substr(leaked.find("\"leaked\""));
  EXPECT_NE(std::string::npos, leaked.find("\"contexts_ended\":1")) << leaked;
  EXPECT_NE(std::string::npos, leaked.find("\"streams\":1")) << leaked;
  EXPECT_NE(std::string::npos, leaked.find("\"events\":0")) << leaked;
  EXPECT_NE(std::string::npos, leaked.find("\"allocations\":1,\"bytes\":1000")) << leaked;
}

TEST_F(Faults, TextsAreCutToTheBuffer) {
  plan("cuCtxSynchronize@1=sticky:719");
  EXPECT_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuCtxSynchronize());
  char small[8];
  std::memset(small, 'x', sizeof small);
  size_t length = 0;
  OK(cu.control().last_fault_text(nullptr, small, 4, &length));
  EXPECT_STREQ("fau", small);
  EXPECT_EQ('x', small[4]);
  EXPECT_GT(length, 10u);
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT,
            cu.control().last_fault_text(reinterpret_cast<CUcontext>(5), small, 4, nullptr));
}

}  // namespace
}  // namespace cutest
