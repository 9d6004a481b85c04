// SPDX-License-Identifier: Apache-2.0
// The paths tried for NVRTC and nvJitLink, in order, and the message for each path.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "driver/cuda.hpp"
#include "driver/library_info.hpp"
#include "driver/nvjitlink.hpp"
#include "driver/nvrtc.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"

namespace cucore::driver::test {
namespace {

// The system's loader finds nothing useful, whatever is installed on this machine.
struct ToolkitMachine {
  ToolkitMachine() {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      folder.add("fake_nvjitlink", std::string("system/") + name);
    environment["LD_LIBRARY_PATH"] = folder.path() + "/system";
  }
  std::string at(const std::string& place) const { return folder.path() + "/" + place; }

  Folder folder;
  Environment environment;
};

TEST(Nvrtc, TheVariableNamesAFile) {
  const std::string path = fake::path("fake_nvrtc");
  if (!own_process({{"CUCORE_NVRTC", path}})) return;
  EXPECT_EQ(nvrtc().path, path);
  EXPECT_EQ(nvrtc().version, 13000);
  const LibraryInfo info = query(Library::NVRTC);
  EXPECT_TRUE(info.available);
  EXPECT_EQ(info.path, path);
  EXPECT_EQ(info.version_major, 13);
}

TEST(Nvrtc, TheVariableNamesAFolder) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc_12_0", "own/libnvrtc.so.12");
  machine.environment["CUCORE_NVRTC"] = machine.at("own");
  if (!own_process(machine.environment)) return;
  EXPECT_TRUE(nvrtc().path.ends_with("/own/libnvrtc.so.12")) << nvrtc().path;
}

// A toolkit in a folder that the loader does not search, as that of NVIDIA's Python wheels.
TEST(Nvrtc, ItsBuiltinsComeFromItsFolder) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc", "cuda/lib/libnvrtc.so.13");
  machine.folder.add("fake_nvjitlink", "cuda/lib/libnvrtc-builtins.so.13.0");
  machine.environment["CUDA_HOME"] = machine.at("cuda");
  if (!own_process(machine.environment)) return;
  ASSERT_TRUE(nvrtc().path.ends_with("/cuda/lib/libnvrtc.so.13")) << nvrtc().path;
  const std::string folder = nvrtc().path.substr(0, nvrtc().path.rfind('/'));
  const std::string builtins = folder + "/libnvrtc-builtins.so.13.0";
  EXPECT_NE(dlopen(builtins.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Nvrtc, AVariableThatIsWrongIsNotWorkedAround) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc", "cuda/lib64/libnvrtc.so.13");
  machine.environment["CUDA_HOME"] = machine.at("cuda");
  machine.environment["CUCORE_NVRTC"] = "/no/such/libnvrtc.so";
  if (!own_process(machine.environment)) return;
  const Thrown failure = thrown([] { nvrtc(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_EQ(failure.message,
            "cannot load NVRTC: tried $CUCORE_NVRTC=/no/such/libnvrtc.so (no such file); correct "
            "or unset CUCORE_NVRTC");
  const LibraryInfo info = query(Library::NVRTC);
  EXPECT_FALSE(info.available);
  EXPECT_EQ(info.reason, failure.message);
  unsetenv("CUCORE_NVRTC");
  EXPECT_TRUE(nvrtc().path.ends_with("/cuda/lib64/libnvrtc.so.13")) << "a failure is not kept";
}

TEST(Nvrtc, AnEmptyFolderIsSaidToBe) {
  const Folder folder;
  if (!own_process({{"CUCORE_NVRTC", folder.path()}})) return;
  const Thrown failure = thrown([] { nvrtc(); });
  EXPECT_TRUE(has(failure.message, "has no libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so"))
      << failure.message;
}

TEST(Nvrtc, AnOldOrIncompleteOneIsRefused) {
  if (!own_process({{"CUCORE_NVRTC", fake::path("fake_nvrtc_11_8")}})) return;
  Thrown failure = thrown([] { nvrtc(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "is of CUDA 11.8, 12.0 is needed")) << failure.message;
  setenv("CUCORE_NVRTC", fake::path("fake_nvrtc_incomplete").c_str(), 1);
  failure = thrown([] { nvrtc(); });
  EXPECT_EQ(failure.status, MISSING);
  EXPECT_TRUE(has(failure.message, "lacks nvrtcGetCUBIN")) << failure.message;
}

TEST(Nvrtc, WhatTheProcessHasLoadedComesFirst) {
  ToolkitMachine machine;
  const std::string loaded = machine.folder.add("fake_nvrtc", "app/libnvrtc.so.13");
  machine.environment["CUCORE_NVRTC"] = fake::path("fake_nvrtc_12_0");
  if (!own_process(machine.environment)) return;
  const std::string path = std::string(getenv("LD_LIBRARY_PATH")) + "/../app/libnvrtc.so.13";
  ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_TRUE(nvrtc().path.ends_with("/app/libnvrtc.so.13")) << nvrtc().path;
  EXPECT_EQ(nvrtc().version, 13000);
}

TEST(Nvrtc, BesideACudaLibraryComesBeforeTheSystem) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvjitlink", "app/libcudart.so.13");
  machine.folder.add("fake_nvrtc", "app/libnvrtc.so.13");
  if (!own_process(machine.environment)) return;
  const std::string path = std::string(getenv("LD_LIBRARY_PATH")) + "/../app/libcudart.so.13";
  ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_TRUE(nvrtc().path.ends_with("/app/libnvrtc.so.13")) << nvrtc().path;
}

TEST(Nvrtc, InTheWheelBesideThatOfACudaLibrary) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvjitlink", "nvidia/cuda_runtime/lib/libcudart.so.12");
  machine.folder.add("fake_nvrtc_12_0", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  if (!own_process(machine.environment)) return;
  const std::string path =
      std::string(getenv("LD_LIBRARY_PATH")) + "/../nvidia/cuda_runtime/lib/libcudart.so.12";
  ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_TRUE(nvrtc().path.ends_with("/cuda_nvrtc/lib/libnvrtc.so.12")) << nvrtc().path;
}

TEST(Nvrtc, TheSystemComesBeforeTheUsersPath) {
  Folder folder;
  folder.add("fake_nvrtc", "system/libnvrtc.so.13");
  folder.add("fake_nvrtc_12_0", "user/libnvrtc.so.12");
  if (!own_process({{"LD_LIBRARY_PATH", folder.path() + "/system"}})) return;
  set_path(Library::NVRTC, std::string(getenv("LD_LIBRARY_PATH")) + "/../user");
  EXPECT_TRUE(nvrtc().path.ends_with("/system/libnvrtc.so.13")) << nvrtc().path;
  const Thrown failure = thrown([] { set_path(Library::NVRTC, "/elsewhere"); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::INVALID_STATE));
  EXPECT_TRUE(has(failure.message, "libnvrtc.so.13 is in use already")) << failure.message;
}

TEST(Nvrtc, TheUsersPathIsThatOfTheFolderInWhichItWasSet) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc_12_0", "user/libnvrtc.so.12");
  machine.folder.add("fake_nvrtc", "elsewhere/user/libnvrtc.so.12");
  if (!own_process(machine.environment)) return;
  const std::string folder = std::string(getenv("LD_LIBRARY_PATH")) + "/..";
  ASSERT_EQ(chdir(folder.c_str()), 0);
  set_path(Library::NVRTC, "./user");
  ASSERT_EQ(chdir("elsewhere"), 0);
  EXPECT_FALSE(has(nvrtc().path, "elsewhere")) << nvrtc().path;
  EXPECT_EQ(nvrtc().version, 12000);
}

TEST(Nvrtc, TheUsersPathComesBeforeToolkits) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc_12_0", "user/libnvrtc.so.12");
  machine.folder.add("fake_nvrtc", "cuda/lib64/libnvrtc.so.13");
  machine.environment["CUDA_HOME"] = machine.at("cuda");
  if (!own_process(machine.environment)) return;
  set_path(Library::NVRTC, "/no/such/folder");
  set_path(Library::NVRTC, std::string(getenv("CUDA_HOME")) + "/../user");
  EXPECT_TRUE(nvrtc().path.ends_with("/user/libnvrtc.so.12")) << nvrtc().path;
}

TEST(Nvrtc, ToolkitsAreLookedThroughInOrder) {
  ToolkitMachine machine;
  machine.folder.add("fake_nvrtc_incomplete", "home/lib64/libnvrtc.so.13");
  machine.folder.add("fake_nvrtc", "path/targets/x86_64-linux/lib/libnvrtc.so.13");
  machine.folder.add("fake_nvrtc", "path/targets/sbsa-linux/lib/libnvrtc.so.13");
  machine.environment["CUDA_HOME"] = machine.at("home");
  machine.environment["CUDA_PATH"] = machine.at("path");
  if (!own_process(machine.environment)) return;
  EXPECT_TRUE(has(nvrtc().path, "/path/targets/")) << nvrtc().path;
}

TEST(Nvrtc, OptionalEntriesAreToldWhenNeeded) {
  if (!own_process({{"CUCORE_NVRTC", fake::path("fake_nvrtc_12_0")}})) return;
  EXPECT_EQ(nvrtc().nvrtcSetFlowCallback, nullptr);
  const Thrown failure =
      thrown([] { require_nvrtc(nvrtc().nvrtcSetFlowCallback, "nvrtcSetFlowCallback", 12080); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::UNSUPPORTED));
  for (const char* part : {"nvrtcSetFlowCallback", "12.8", "12.0"})
    EXPECT_TRUE(has(failure.message, part)) << failure.message;
}

TEST(Nvrtc, NeedsNoDriver) {
  if (!own_process(
          {{"CUCORE_NVRTC", fake::path("fake_nvrtc")}, {"CUCORE_DRIVER", "/no/such/driver.so"}}))
    return;
  EXPECT_EQ(nvrtc_build(), "V13.0.88 CL-12345678");
  EXPECT_EQ(cuda_if_available(), nullptr);
}

TEST(Nvrtc, ItsResultsBecomeErrors) {
  try {
    check(NVRTC_ERROR_COMPILATION, "compile 'saxpy.cu'", "saxpy.cu(3): error: oh\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::COMPILATION);
    EXPECT_TRUE(has(error.message(), "compile 'saxpy.cu': NVRTC_ERROR_COMPILATION"));
    EXPECT_EQ(error.log(), "saxpy.cu(3): error: oh\n");
    EXPECT_STREQ(error.origin().library, "nvrtc");
    EXPECT_EQ(error.origin().code, 6);
    EXPECT_EQ(error.origin().name, "NVRTC_ERROR_COMPILATION");
  }
  check(NVRTC_SUCCESS, "compile");
  EXPECT_EQ(status_of(NVRTC_ERROR_INVALID_OPTION), Status::INVALID_ARGUMENT);
  EXPECT_EQ(status_of(static_cast<nvrtcResult>(99)), Status::COMPILATION);
}

TEST(Nvrtc, ABuildThatCannotBeAskedForIsAnErrorEachTime) {
  if (!own_process({{"CUCORE_NVRTC", fake::path("fake_nvrtc")}})) return;
  const fake::Client fake(fake::path("fake_nvrtc"));
  for (uint64_t nth = 1; nth <= 4; ++nth) {
    nvrtc();
    fake.reset();
    fake.fail_call(nullptr, nth, NVRTC_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(thrown([] { nvrtc_build(); }).status, static_cast<int>(Status::OUT_OF_MEMORY)) << nth;
    EXPECT_EQ(fake.live_objects(nullptr), 0u) << nth;
  }
  EXPECT_EQ(nvrtc_build(), "V13.0.88 CL-12345678");
}

TEST(Nvrtc, TheRealOneTellsItsBuild) {
  if (!own_process({})) return;
  const LibraryInfo info = query(Library::NVRTC);
  if (!info.available) GTEST_SKIP() << info.reason;
  const std::string build = nvrtc_build();
  EXPECT_TRUE(build.starts_with("V" + std::to_string(info.version_major) + ".")) << build;
  EXPECT_TRUE(has(build, " CL-")) << build;
}

TEST(NvJitLink, TheVariableNamesIt) {
  if (!own_process({{"CUCORE_NVJITLINK", fake::path("fake_nvjitlink")}})) return;
  EXPECT_EQ(nvjitlink().version, 13000);
  EXPECT_NE(nvjitlink().nvJitLinkVersion, nullptr);
  EXPECT_TRUE(query(Library::NVJITLINK).available);
}

TEST(NvJitLink, VersionedNamesAreFound) {
  if (!own_process({{"CUCORE_NVJITLINK", fake::path("fake_nvjitlink_12_0")}})) return;
  EXPECT_EQ(nvjitlink().version, 12000);
  EXPECT_EQ(nvjitlink().nvJitLinkVersion, nullptr);
  nvJitLinkHandle handle = nullptr;
  const char* options[] = {"-arch=sm_90"};
  check(nvjitlink().nvJitLinkCreate(&handle, 1, options), "create a link");
  check(nvjitlink().nvJitLinkDestroy(&handle), "destroy a link");
  const fake::Client fake(fake::path("fake_nvjitlink_12_0"));
  EXPECT_EQ(fake.created_objects(nullptr), 1u);
  EXPECT_EQ(fake.live_objects(nullptr), 0u);
}

TEST(NvJitLink, ItsResultsBecomeErrors) {
  try {
    check(NVJITLINK_ERROR_MISSING_ARCH, "link", "the log");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::INVALID_ARGUMENT);
    EXPECT_STREQ(error.origin().library, "nvjitlink");
    EXPECT_EQ(error.origin().name, "NVJITLINK_ERROR_MISSING_ARCH");
    EXPECT_EQ(error.log(), "the log");
  }
  EXPECT_EQ(status_of(NVJITLINK_ERROR_PTX_COMPILE), Status::LINKING);
}

TEST(NvJitLink, AMissingOneIsToldWithItsOwnVariable) {
  if (!own_process({{"CUCORE_NVJITLINK", "/no/such/file"}})) return;
  const LibraryInfo info = query(Library::NVJITLINK);
  EXPECT_FALSE(info.available);
  EXPECT_TRUE(has(info.reason, "cannot load nvJitLink: tried $CUCORE_NVJITLINK=/no/such/file"))
      << info.reason;
}

TEST(LibraryPath, TheDriverHasAnotherWay) {
  const Thrown failure = thrown([] { set_path(Library::DRIVER, "/a/b"); });
  EXPECT_EQ(failure.status, static_cast<int>(Status::INVALID_ARGUMENT));
  EXPECT_TRUE(has(failure.message, "cucore_driver_select")) << failure.message;
  EXPECT_EQ(thrown([] { set_path(static_cast<Library>(14), "/a"); }).status,
            static_cast<int>(Status::INVALID_ARGUMENT));
  EXPECT_EQ(thrown([] { set_path(Library::NVRTC, ""); }).status,
            static_cast<int>(Status::INVALID_ARGUMENT));
  for (const int number : {0, 14, -1})
    EXPECT_EQ(thrown([&] { query(static_cast<Library>(number)); }).status,
              static_cast<int>(Status::INVALID_ARGUMENT));
}

}  // namespace
}  // namespace cucore::driver::test
