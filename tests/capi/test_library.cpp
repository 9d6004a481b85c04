// SPDX-License-Identifier: Apache-2.0
// The libraries in use, and their choice before the first use.
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

TEST(Library, TellsOfTheDriver) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
  EXPECT_EQ(info.struct_size, sizeof info);
  if (!info.available) {
    EXPECT_STRNE(info.reason, "");
    EXPECT_STREQ(info.path, "");
    return;
  }
  EXPECT_STRNE(info.path, "");
  EXPECT_STREQ(info.reason, "");
  EXPECT_GE(info.version_major, 12);
  if (fake_driver()) {
    EXPECT_STREQ(info.path, std::getenv("CUCORE_DRIVER"));
  }
}

TEST(Library, TellsOfTheCompiler) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVRTC, &info);
  if (fake_nvrtc()) {
    EXPECT_EQ(info.available, 1);
    EXPECT_STREQ(info.path, std::getenv("CUCORE_NVRTC"));
    EXPECT_EQ(info.version_major, 13);
  }
  EXPECT_EQ(info.available == 0, *info.reason != '\0');
}

TEST(Library, RefusesWhatIsNoLibrary) {
  for (const int number : {0, 14, -1}) {
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    info.available = 7;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "library|cucore_library", cucore_library_query,
          static_cast<cucore_library>(number), &info);
    EXPECT_EQ(info.available, 0);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "library", cucore_library_set_path,
          static_cast<cucore_library>(number), "/tmp");
  }
}

TEST(Library, RefusesAnInfoThatIsTooSmall) {
  constexpr size_t FIRST_INFO = offsetof(cucore_library_info, reason) + sizeof(const char*);
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  for (const size_t size : {size_t{0}, size_t{8}, FIRST_INFO - 1}) {
    info.struct_size = size;
    FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_library_info.struct_size", cucore_library_query,
          CUCORE_LIBRARY_NVRTC, &info);
  }
}

TEST(Library, FillsInNoMoreThanTheCallerKnows) {
  struct {
    cucore_library_info info;
    char later[16];
  } newer = {CUCORE_LIBRARY_INFO_INIT, {}};
  std::memset(newer.later, 0x5a, sizeof newer.later);
  newer.info.struct_size = sizeof newer;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVRTC, &newer.info);
  EXPECT_NE(newer.info.path, nullptr);
  EXPECT_EQ(newer.info.struct_size, sizeof newer);
}

TEST(Library, GivesFunctionsOfTheDriver) {
  if (!has_device()) GTEST_SKIP() << "no driver in use";
  for (const char* name : {"cuDriverGetVersion", "cuGetProcAddress_v2", "cuGetExportTable"}) {
    if (fake_driver() && std::string(name) == "cuGetExportTable") continue;  // it has none
    void* found = garbage();
    SUCCEEDS(cucore_library_symbol, CUCORE_LIBRARY_DRIVER, name, &found);
    EXPECT_NE(found, nullptr);
  }
  void* found = nullptr;
  SUCCEEDS(cucore_library_symbol, CUCORE_LIBRARY_DRIVER, "cuDriverGetVersion", &found);
  int version = 0;
  EXPECT_EQ(reinterpret_cast<int (*)(int*)>(found)(&version), 0);
  EXPECT_GE(version, 12000);
}

TEST(Library, GivesFunctionsOfTheCompiler) {
  NEEDS_COMPILER();
  void* found = nullptr;
  SUCCEEDS(cucore_library_symbol, CUCORE_LIBRARY_NVRTC, "nvrtcVersion", &found);
  int major = 0, minor = 0;
  EXPECT_EQ(reinterpret_cast<int (*)(int*, int*)>(found)(&major, &minor), 0);
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVRTC, &info);
  EXPECT_EQ(info.version_major, major);
}

TEST(Library, NamesAFunctionThatIsNotThere) {
  NEEDS_COMPILER();
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVRTC, &info);
  for (const std::string name : {"nvrtcNoSuch", ""}) {
    void* found = garbage();
    FAILS(CUCORE_ERROR_NOT_FOUND,
          "'" + name + "'|NVRTC " + std::to_string(info.version_major) + "|" + info.path,
          cucore_library_symbol, CUCORE_LIBRARY_NVRTC, name.c_str(), &found);
    EXPECT_EQ(found, nullptr);
  }
}

TEST(Library, RefusesSymbolsOfWhatIsNoLibrary) {
  for (const int number : {0, 14, -1}) {
    void* found = garbage();
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "library|cucore_library", cucore_library_symbol,
          static_cast<cucore_library>(number), "cuInit", &found);
    EXPECT_EQ(found, nullptr);
  }
}

// Each of the others is open and has a version, or reports the reason; a symbol of it reports the
// same.
TEST(Library, TellsOfEveryLibrary) {
  for (int number = CUCORE_LIBRARY_CUBLAS; number <= CUCORE_LIBRARY_NVML; ++number) {
    const auto library = static_cast<cucore_library>(number);
    cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
    SUCCEEDS(cucore_library_query, library, &info);
    void* found = garbage();
    if (info.available) {
      EXPECT_GT(info.version_major, 0) << info.path;
      FAILS(CUCORE_ERROR_NOT_FOUND, info.path, cucore_library_symbol, library, "noSuch", &found);
    } else {
      FAILS(CUCORE_ERROR_LIBRARY_MISSING, info.reason, cucore_library_symbol, library, "noSuch",
            &found);
    }
    EXPECT_EQ(found, nullptr);
  }
}

TEST(Library, ADriverHasNoPathToSet) {
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_driver_select", cucore_library_set_path,
        CUCORE_LIBRARY_DRIVER, "/tmp");
}

TEST(Library, APathComesTooLateAfterFirstUse) {
  NEEDS_COMPILER();
  FAILS(CUCORE_ERROR_INVALID_STATE, "NVRTC", cucore_library_set_path, CUCORE_LIBRARY_NVRTC, "/tmp");
}

TEST(Library, ADriverIsChosenBeforeFirstUseAlone) {
  if (!has_device()) GTEST_SKIP() << "no driver in use";
  FAILS(CUCORE_ERROR_INVALID_STATE, "driver", cucore_driver_select, "/no/such/driver.so");
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &info);
  SUCCEEDS(cucore_driver_select, info.path);
  if (is_emulated())
    SUCCEEDS(cucore_driver_select, "cpu");
  else
    FAILS(CUCORE_ERROR_INVALID_STATE, "driver", cucore_driver_select, "cpu");
}

TEST(Library, ADriverHasAKnownNameOrAPath) {
  for (const char* name : {"", "nvidea", "CPU", "libcuda.so.1"})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name, cucore_driver_select, name);
}

}  // namespace
