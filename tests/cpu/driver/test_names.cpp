// SPDX-License-Identifier: Apache-2.0
// The exported functions, with their names and versions.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "driver.hpp"

namespace cutest {
namespace {

struct Name {
  const char* name;
  const char* base;
  int version;
  bool per_thread;
  bool implemented;
};
const Name NAMES[] = {
#define ENTRY(needs, name, base, version, params, args) {#name, #base, version, false, true},
#define PER_THREAD(needs, name, impl, base, version, params, args) \
  {#name, #base, version, true, true},
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
#define OTHER(name, base, version, per_thread) {#name, #base, version, per_thread != 0, false},
#include "cpu/driver/other_names.inc"
#undef OTHER
};

class Names : public ::testing::Test {
 protected:
  void* find(const char* name, int version, cuuint64_t flags,
             CUdriverProcAddressQueryResult* status = nullptr) {
    void* p = this;
    EXPECT_CU(0, cu.cuGetProcAddress_v2(name, &p, version, flags, status)) << name;
    return p;
  }
  Driver& cu = DeviceTest::driver();
};

TEST_F(Names, EveryNameOfTheDriverIsExported) {
  EXPECT_EQ(637u, std::size(NAMES));
  for (const Name& n : NAMES) EXPECT_NE(nullptr, cu.symbol(n.name)) << n.name;
}

TEST_F(Names, TheSymbolsAreTheLibrarysOwn) {
  for (const Name& n : NAMES) {
    Dl_info info{};
    ASSERT_NE(0, dladdr(cu.symbol(n.name), &info)) << n.name;
    EXPECT_NE(nullptr, std::strstr(info.dli_fname, "libcucore-cpu")) << n.name;
  }
}

// Programs that open libcuda.so.1 get this library when its compat folder is in their path.
TEST_F(Names, TheCompatibilityNameIsTheSameLibrary) {
  const char* path = std::getenv("CUCORE_CPU_COMPAT");
  if (!path) GTEST_SKIP() << "CUCORE_CPU_COMPAT is not set";
  void* other = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nullptr, other) << dlerror();
  EXPECT_EQ(cu.library, other);
  void* named = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  EXPECT_EQ(nullptr, named) << "the library must never be taken for libcuda.so.1";
}

TEST_F(Names, BaseNameAndVersionGiveTheExportOfThatAbi) {
  for (const Name& n : NAMES) {
    cuuint64_t flags = n.per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                    : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    EXPECT_EQ(cu.symbol(n.name), find(n.base, n.version, flags)) << n.name << " " << n.version;
  }
}

TEST_F(Names, ExportedNamesAreNotFound) {
  EXPECT_EQ(nullptr, find("cuMemAlloc_v2", 13000, 0));
  EXPECT_EQ(nullptr, find("cuLaunchKernel_ptsz", 13000, 0));
}

TEST_F(Names, OlderVersionsGiveOlderAbis) {
  EXPECT_EQ(cu.symbol("cuCtxCreate_v2"), find("cuCtxCreate", 11000, 0));
  EXPECT_EQ(cu.symbol("cuCtxCreate_v3"), find("cuCtxCreate", 11040, 0));
  EXPECT_EQ(cu.symbol("cuCtxCreate_v4"), find("cuCtxCreate", 13000, 0));
  EXPECT_EQ(cu.symbol("cuEventElapsedTime"), find("cuEventElapsedTime", 12000, 0));
  EXPECT_EQ(cu.symbol("cuEventElapsedTime_v2"), find("cuEventElapsedTime", 12080, 0));
  EXPECT_EQ(cu.symbol("cuMemAlloc"), find("cuMemAlloc", 2000, 0));
}

TEST_F(Names, PerThreadFlagPrefersThePerThreadFunction) {
  constexpr auto FLAG = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(cu.symbol("cuMemcpyHtoD_v2_ptds"), find("cuMemcpyHtoD", 13000, FLAG));
  EXPECT_EQ(cu.symbol("cuMemcpyHtoD_v2"), find("cuMemcpyHtoD", 13000, 0));
  // Functions without a stream are the same in both variants.
  EXPECT_EQ(cu.symbol("cuMemAlloc_v2"), find("cuMemAlloc", 13000, FLAG));
}

TEST_F(Names, UnknownNamesAreNullWithAStatus) {
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(nullptr, find("cuMemAllocate", 13000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
  EXPECT_EQ(nullptr, find("cuLibraryLoadData", 11080, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
  EXPECT_NE(nullptr, find("cuLibraryLoadData", 12000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SUCCESS, status);
  void* p = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuGetProcAddress("cuMemAllocate", &p, 13000, 0));
}

TEST_F(Names, BadArguments) {
  void* p = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetProcAddress_v2(nullptr, &p, 13000, 0, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cu.cuGetProcAddress_v2("", &p, 13000, 0, nullptr));
  EXPECT_EQ(nullptr, p);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetProcAddress_v2("cuInit", nullptr, 13000, 0, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetProcAddress_v2("cuInit", &p, 14000, 0, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetProcAddress_v2("cuInit", &p, 13000, 64, nullptr));
}

TEST_F(Names, FunctionsThatAreNotImplementedSaySoAndAreCounted) {
  const auto& control = cu.control();
  ASSERT_CU(0, control.reset_report());
  unsigned others = 0;
  for (const Name& n : NAMES) {
    if (n.implemented) continue;
    ++others;
    auto function = reinterpret_cast<CUresult (*)(void*, void*, void*)>(cu.symbol(n.name));
    EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, function(nullptr, nullptr, nullptr)) << n.name;
  }
  EXPECT_EQ(174u, others);
  EXPECT_EQ(1u, control.call_count("cuImportExternalMemory"));
  EXPECT_EQ(0u, control.call_count("no such function"));
  std::string json(1 << 16, 0);
  size_t length = 0;
  ASSERT_CU(0, control.report(json.data(), json.size(), &length));
  json.resize(length);
  EXPECT_NE(std::string::npos, json.find("\"cuGraphicsMapResources_ptsz\":1"));
}

TEST_F(Names, VersionAndErrorTexts) {
  int version = 0;
  EXPECT_CU(0, cu.cuDriverGetVersion(&version));
  EXPECT_EQ(13000, version);
  const char* text = nullptr;
  EXPECT_CU(0, cu.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ("CUDA_ERROR_ILLEGAL_ADDRESS", text);
  EXPECT_CU(0, cu.cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ("out of memory", text);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetErrorName(static_cast<CUresult>(12345), &text));
  EXPECT_EQ(nullptr, text);
}

TEST_F(Names, NoPrivateTables) {
  CUuuid other{};
  std::memset(other.bytes, 0x5b, sizeof other.bytes);
  const void* table = this;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuGetExportTable(&table, &other));
  EXPECT_EQ(nullptr, table);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGetExportTable(nullptr, &other));
  EXPECT_EQ(sizeof(cucore_cpu_control), cu.control().size);
}

}  // namespace
}  // namespace cutest
