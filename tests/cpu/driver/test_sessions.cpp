// SPDX-License-Identifier: Apache-2.0
// Sessions of checks: their settings end with them, and leaks are reported with their origin.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "cpu/driver/session_table.hpp"
#include "driver.hpp"

namespace cutest {
namespace {

class Sessions : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    CUuuid id;
    std::memcpy(id.bytes, CUCORE_CPU_SESSIONS_ID, sizeof id.bytes);
    OK(cu.cuGetExportTable(reinterpret_cast<const void**>(&table_), &id));
  }
  void TearDown() override {
    table_->end();
    DeviceTest::TearDown();
  }
  void begin(const char* checks, const char* faults = nullptr) {
    OK(table_->begin(checks, 0, nullptr, faults, nullptr));
  }
  std::string json() {
    size_t length = 0;
    EXPECT_CU(0, table_->json(nullptr, 0, &length));
    std::string text(length + 1, 0);
    EXPECT_CU(0, table_->json(text.data(), text.size(), nullptr));
    text.resize(length);
    return text;
  }
  static bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }

  const cucore_cpu_sessions* table_ = nullptr;
};

TEST_F(Sessions, EndOnceAndOneAfterAnother) {
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, table_->end());
  begin("all");
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, table_->begin("all", 0, nullptr, nullptr, nullptr));
  OK(table_->end());
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, table_->end());
  begin("all");
}

TEST_F(Sessions, RefuseWrongSettingsWithAReason) {
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin("races", 0, nullptr, nullptr, nullptr));
  char reason[256] = "";
  OK(table_->reason(reason, sizeof reason, nullptr));
  EXPECT_TRUE(has(reason, "kinds is 'races'; expected all or a list")) << reason;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin("all", 2, nullptr, nullptr, nullptr));
  begin("all");  // the refused ones have left no session
}

TEST_F(Sessions, ChooseASeedAndReportIt) {
  OK(table_->begin("all", 0, "random", nullptr, nullptr));
  const std::string text = json();
  const size_t at = text.find("\"schedule\":\"random:");
  EXPECT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text, json());
  OK(table_->end());
  EXPECT_EQ(text.substr(at, 25), json().substr(at, 25));  // the results keep it
  OK(table_->begin("all", 0, "sequential", nullptr, nullptr));
  EXPECT_FALSE(has(json(), "schedule")) << json();
}

TEST_F(Sessions, RefuseOtherStructs) {
  cucore_cpu_session_settings settings = {};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin_with(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin_with(&settings));
  settings.size = sizeof settings;
  settings.reserved = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin_with(&settings));
  settings.reserved = 0;
  settings.stop = 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->begin_with(&settings));
  settings.stop = 0;
  OK(table_->begin_with(&settings));
}

TEST_F(Sessions, BoundLaunchesAndRestoreTheBounds) {
  const auto increase = function("increase");
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 16));
  unsigned value = 1;
  void* parameters[] = {&p, &value};
  cucore_cpu_session_settings settings = {};
  settings.size = sizeof settings;
  settings.launch_instructions = 3;
  OK(table_->begin_with(&settings));
  OK(cu.cuLaunchKernel(increase, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  OK(table_->end());
  EXPECT_CU(CUDA_ERROR_LAUNCH_TIMEOUT, cu.cuCtxSynchronize());
  char text[512] = "";
  OK(cu.control().last_fault_text(nullptr, text, sizeof text, nullptr));
  EXPECT_TRUE(has(text, "cucore_checks_options.launch_instructions sets")) << text;
  CUcontext other = nullptr;
  CUmodule loaded = nullptr;
  CUfunction again = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cu.cuModuleLoadData(&loaded, PTX));
  OK(cu.cuModuleGetFunction(&again, loaded, "increase"));
  OK(cu.cuMemAlloc_v2(&p, 16));
  OK(cu.cuLaunchKernel(again, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  OK(cu.cuCtxSynchronize());
  OK(cu.cuCtxDestroy_v2(other));
}

TEST_F(Sessions, RestoreTheFaultPlan) {
  CUdeviceptr p = 0;
  OK(cu.control().set_fault_plan("cuMemAlloc@2=999"));
  OK(cu.cuMemAlloc_v2(&p, 16));
  begin("", "allocation@2=2");
  void* host = nullptr;
  OK(cu.cuMemAlloc_v2(&p, 16));
  EXPECT_CU(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAllocHost_v2(&host, 16));
  OK(cu.cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL));
  OK(table_->end());
  EXPECT_TRUE(has(json(), "\"faults\":1,")) << json();
  EXPECT_TRUE(has(json(), "\"cuMemAllocHost_v2\":1")) << json();
  EXPECT_CU(CUDA_ERROR_UNKNOWN, cu.cuMemAlloc_v2(&p, 16));  // the plan continues its count
  OK(cu.control().set_fault_plan(""));
}

TEST_F(Sessions, ReportLeaksOfTheSessionAlone) {
  CUdeviceptr before = 0, kept = 0, freed = 0;
  OK(cu.cuMemAlloc_v2(&before, 16));
  begin("leak");
  CUstream stream = nullptr;
  CUevent own = nullptr;
  OK(cu.cuMemAlloc_v2(&kept, 48));
  OK(cu.cuMemAlloc_v2(&freed, 64));
  OK(cu.cuMemFree_v2(freed));
  OK(cu.cuStreamCreate(&stream, 0));
  OK(cu.cuEventCreate(&own, 0));
  OK(table_->keep(own));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, table_->keep(nullptr));
  OK(table_->end());
  const std::string text = json();
  EXPECT_TRUE(has(text, "48 bytes at")) << text;
  EXPECT_TRUE(has(text, "of cuMemAlloc_v2")) << text;
  EXPECT_TRUE(has(text, "stream 0x")) << text;
  EXPECT_FALSE(has(text, "16 bytes") || has(text, "64 bytes") || has(text, "event")) << text;
}

TEST_F(Sessions, ReportWhatAContextLeavesBehind) {
  begin("leak");
  CUcontext other = nullptr;
  CUdeviceptr p = 0;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cu.cuMemAlloc_v2(&p, 80));
  OK(cu.cuCtxDestroy_v2(other));
  EXPECT_TRUE(has(json(), "80 bytes at")) << json();
}

TEST_F(Sessions, RefuseHostFunctions) {
  begin("all");
  struct Seen {
    const cucore_cpu_sessions* table;
    CUresult end = CUDA_SUCCESS;
  } seen{table_};
  OK(cu.cuLaunchHostFunc(
      nullptr,
      [](void* data) {
        auto& s = *static_cast<Seen*>(data);
        s.end = s.table->end();
      },
      &seen));
  OK(cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_NOT_PERMITTED, seen.end);
}

// PTX can name a file by any bytes; the reports stay valid JSON.
TEST_F(Sessions, WriteUtf8) {
  const char ptx[] =
      ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a\xff\xc3\xa4\xed\xa0\x80.cu\"\n"
      ".visible .entry k(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %v;\nld.param.u64 %a, [p];\n"
      "mov.u32 %v, 0;\n.loc 1 3 0\nst.global.u32 [%a+64], %v;\nret;\n}\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  OK(cu.cuModuleLoadData(&module, ptx));
  OK(cu.cuModuleGetFunction(&function, module, "k"));
  OK(cu.cuMemAlloc_v2(&p, 64));
  begin("memory");
  void* parameters[] = {&p};
  OK(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  OK(table_->end());
  EXPECT_TRUE(has(json(), "\"file\":\"a\\ufffd\xc3\xa4\\ufffd\\ufffd\\ufffd.cu\"")) << json();
}

TEST_F(Sessions, TraceInManyThreads) {
  const std::string path = testing::TempDir() + "sessions.trace";
  std::remove(path.c_str());
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      int count = 0;
      while (!is_over) cu.cuDeviceGetCount(&count);
    });
  for (int i = 0; i < 20; ++i) {
    OK(table_->begin("all", 0, nullptr, nullptr, path.c_str()));
    OK(table_->end());
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  std::remove(path.c_str());
}

}  // namespace
}  // namespace cutest
