// SPDX-License-Identifier: Apache-2.0
// The libraries that are opened for others: the paths tried, their versions, and their functions.
#include <dlfcn.h>
#include <stdlib.h>

#include <string>

#include "driver/library_info.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"

namespace cucore::driver::test {
namespace {

const int NOT_FOUND = static_cast<int>(Status::NOT_FOUND);

struct Plain {
  Library library;
  const char *title, *variable, *file, *wheel;
  int major, minor;  // reported by fake_plain
};
const Plain PLAIN[] = {
    {Library::CUBLAS, "cuBLAS", "CUCORE_CUBLAS", "libcublas.so.13", "cublas", 13, 4},
    {Library::CUBLASLT, "cuBLASLt", "CUCORE_CUBLASLT", "libcublasLt.so.13", "cublas", 13, 4},
    {Library::CUFFT, "cuFFT", "CUCORE_CUFFT", "libcufft.so.12", "cufft", 13, 4},
    {Library::CUSOLVER, "cuSOLVER", "CUCORE_CUSOLVER", "libcusolver.so.12", "cusolver", 13, 4},
    {Library::CURAND, "cuRAND", "CUCORE_CURAND", "libcurand.so.10", "curand", 13, 4},
    {Library::CUSPARSE, "cuSPARSE", "CUCORE_CUSPARSE", "libcusparse.so.12", "cusparse", 13, 4},
    {Library::NCCL, "NCCL", "CUCORE_NCCL", "libnccl.so.2", "nccl", 2, 28},
    {Library::CUPTI, "CUPTI", "CUCORE_CUPTI", "libcupti.so.13", "cuda_cupti", 13, 0},
    {Library::NVML, "NVML", "CUCORE_NVML", "libnvidia-ml.so.1", nullptr, 13, 580},
};

// Puts a file for every library into a folder.
void add_all(const Folder& folder, const std::string& place, const char* fake = "fake_plain") {
  for (const Plain& plain : PLAIN) folder.add(fake, place + "/" + plain.file);
}

int answer(void* function) { return reinterpret_cast<int (*)()>(function)(); }

TEST(PlainLibraries, TheVariableNamesEachOne) {
  Environment environment;
  for (const Plain& plain : PLAIN) environment[plain.variable] = fake::path("fake_plain");
  if (!own_process(environment)) return;
  for (const Plain& plain : PLAIN) {
    SCOPED_TRACE(plain.title);
    const LibraryInfo info = query(plain.library);
    ASSERT_TRUE(info.available) << info.reason;
    EXPECT_EQ(info.path, fake::path("fake_plain"));
    EXPECT_EQ(info.version_major, plain.major);
    EXPECT_EQ(info.version_minor, plain.minor);
    EXPECT_EQ(answer(find_symbol(plain.library, "fake_plain_answer")), 42);
    EXPECT_EQ(thrown([&] { set_path(plain.library, "/elsewhere"); }).status,
              static_cast<int>(Status::INVALID_STATE));
  }
}

TEST(PlainLibraries, ASymbolOpensTheLibraryByItself) {
  if (!own_process({{"CUCORE_CUFFT", fake::path("fake_plain")}})) return;
  EXPECT_EQ(answer(find_symbol(Library::CUFFT, "fake_plain_answer")), 42);
}

TEST(PlainLibraries, ASymbolThatIsNotThereIsNamedWithTheVersion) {
  if (!own_process({{"CUCORE_CUBLAS", fake::path("fake_plain")}})) return;
  const Thrown failure = thrown([] { find_symbol(Library::CUBLAS, "cublasNoSuch"); });
  EXPECT_EQ(failure.status, NOT_FOUND);
  EXPECT_EQ(failure.message, "cannot find 'cublasNoSuch' in cuBLAS 13.4 (" +
                                 fake::path("fake_plain") +
                                 "): correct the name, or use a version that has it");
}

TEST(PlainLibraries, AMissingOneListsEveryPlace) {
  const Folder folder;
  if (!own_process({{"LD_LIBRARY_PATH", folder.path()}, {"CUDA_HOME", "/no/such/cuda"}})) return;
  const struct {
    Library library;
    std::vector<const char*> parts;
  } expected[] = {
      {Library::NVML,
       {"cannot load NVML: tried ", "libnvidia-ml.so.1 (no such file)", "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64", "/own/path (no such file)", "$CUDA_HOME=/no/such/cuda/lib64",
        "set CUCORE_NVML or install the NVIDIA driver"}}};
  for (const auto& [library, parts] : expected) {
    set_path(library, "/own/path");
    const LibraryInfo info = query(library);
    if (info.available) GTEST_SKIP() << "this machine has " << info.path;
    const Thrown failure = thrown([&] { find_symbol(library, "anything"); });
    EXPECT_EQ(failure.status, MISSING);
    EXPECT_EQ(failure.message, info.reason);
    for (const char* part : parts) EXPECT_TRUE(has(failure.message, part)) << failure.message;
  }
}

TEST(PlainLibraries, AVariableThatIsWrongIsNotWorkedAround) {
  Environment environment;
  for (const Plain& plain : PLAIN) environment[plain.variable] = "/no/such/file";
  if (!own_process(environment)) return;
  for (const Plain& plain : PLAIN) {
    const Thrown failure = thrown([&] { find_symbol(plain.library, "anything"); });
    EXPECT_EQ(failure.status, MISSING);
    EXPECT_EQ(failure.message, std::string("cannot load ") + plain.title + ": tried $" +
                                   plain.variable + "=/no/such/file (no such file); correct or " +
                                   "unset " + plain.variable);
  }
}

// A file of another library, and one that cannot report its version, are refused.
TEST(PlainLibraries, AnotherLibraryIsRefused) {
  Environment environment;
  for (const Plain& plain : PLAIN) environment[plain.variable] = fake::path("fake_nvrtc");
  if (!own_process(environment)) return;
  for (const Plain& plain : PLAIN) {
    Thrown failure = thrown([&] { find_symbol(plain.library, "nvrtcVersion"); });
    EXPECT_EQ(failure.status, MISSING);
    EXPECT_TRUE(has(failure.message, "(lacks ")) << failure.message;
    setenv(plain.variable, fake::path("fake_plain_failing").c_str(), 1);
    failure = thrown([&] { find_symbol(plain.library, "fake_plain_answer"); });
    EXPECT_EQ(failure.status, MISSING);
    EXPECT_TRUE(has(failure.message, "(does not report its version)")) << failure.message;
  }
}

TEST(PlainLibraries, TheSystemThenTheUsersPathThenToolkits) {
  const Folder folder;
  add_all(folder, "system");
  add_all(folder, "user");
  if (!own_process({{"LD_LIBRARY_PATH", folder.path() + "/system"}})) return;
  const std::string base = std::string(getenv("LD_LIBRARY_PATH")) + "/..";
  for (const Plain& plain : PLAIN) {
    set_path(plain.library, base + "/user");
    EXPECT_TRUE(has(query(plain.library).path, "/system/")) << query(plain.library).path;
  }
}

TEST(PlainLibraries, InToolkits) {
  const Folder folder;
  add_all(folder, "nothing", "fake_nvrtc");  // the loader finds nothing suitable
  for (const char* name : {"libcublas.so.12", "libcublas.so"})
    folder.add("fake_nvrtc", std::string("nothing/") + name);
  folder.add("fake_plain", "cuda/lib64/libcublas.so.13");
  if (!own_process({{"LD_LIBRARY_PATH", folder.path() + "/nothing"},
                    {"CUDA_HOME", folder.path() + "/cuda"}}))
    return;
  EXPECT_TRUE(has(query(Library::CUBLAS).path, "/cuda/lib64/")) << query(Library::CUBLAS).reason;
}

TEST(PlainLibraries, ThatOfCuptiHasAFolderOfItsOwn) {
  const Folder folder;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    folder.add("fake_nvrtc", std::string("nothing/") + name);
  folder.add("fake_plain_old", "cuda/extras/CUPTI/lib64/libcupti.so.12");
  if (!own_process({{"LD_LIBRARY_PATH", folder.path() + "/nothing"},
                    {"CUDA_HOME", folder.path() + "/cuda"}}))
    return;
  const LibraryInfo info = query(Library::CUPTI);
  EXPECT_TRUE(has(info.path, "/cuda/extras/CUPTI/lib64/")) << info.reason;
  EXPECT_EQ(info.version_major, 18);
  EXPECT_EQ(info.version_minor, 0);
}

TEST(PlainLibraries, InTheWheelsBesideALoadedLibrary) {
  const Folder folder;
  folder.add("fake_nvjitlink", "nvidia/cuda_runtime/lib/libcudart.so.12");
  for (const Plain& plain : PLAIN) {
    folder.add("fake_nvrtc", std::string("nothing/") + plain.file);
    if (plain.wheel)
      folder.add("fake_plain_old", std::string("nvidia/") + plain.wheel + "/lib/" + plain.file);
  }
  if (!own_process({{"LD_LIBRARY_PATH", folder.path() + "/nothing"}})) return;
  const std::string runtime =
      std::string(getenv("LD_LIBRARY_PATH")) + "/../nvidia/cuda_runtime/lib/libcudart.so.12";
  ASSERT_NE(dlopen(runtime.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  for (const Plain& plain : PLAIN)
    if (plain.wheel) {
      const LibraryInfo info = query(plain.library);
      EXPECT_TRUE(has(info.path, std::string("/") + plain.wheel + "/lib/")) << info.reason;
    }
  EXPECT_EQ(query(Library::NCCL).version_major, 2);
  EXPECT_EQ(query(Library::NCCL).version_minor, 8);
}

TEST(PlainLibraries, WhatTheProcessHasLoadedComesFirst) {
  const Folder folder;
  const std::string loaded = folder.add("fake_plain", "app/libcusparse.so.12");
  if (!own_process({{"CUCORE_CUSPARSE", fake::path("fake_plain_old")}, {"LOADED", loaded}})) return;
  ASSERT_NE(dlopen(getenv("LOADED"), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  EXPECT_EQ(query(Library::CUSPARSE).path, std::string(getenv("LOADED")));
}

// Each with a function that identifies the library. NVML needs a driver, the rest do not.
TEST(PlainLibraries, TheRealOnes) {
  if (!own_process({})) return;
  const struct {
    Library library;
    const char* function;
  } known[] = {{Library::CUBLAS, "cublasCreate_v2"},    {Library::CUBLASLT, "cublasLtMatmul"},
               {Library::CUFFT, "cufftPlan1d"},         {Library::CUSOLVER, "cusolverDnCreate"},
               {Library::CURAND, "curandGenerate"},     {Library::CUSPARSE, "cusparseCreate"},
               {Library::NCCL, "ncclCommInitAll"},      {Library::CUPTI, "cuptiActivityEnable"},
               {Library::NVML, "nvmlInit_v2"},          {Library::NVRTC, "nvrtcCompileProgram"},
               {Library::NVVM, "nvvmCompileProgram"},   {Library::NVJITLINK, "nvJitLinkCreate"},
               {Library::NVJITLINK, "nvJitLinkVersion"}};
  int found = 0;
  for (const auto& [library, function] : known) {
    const LibraryInfo info = query(library);
    if (!info.available) {
      EXPECT_EQ(thrown([&] { find_symbol(library, function); }).status, MISSING);
      continue;
    }
    EXPECT_GE(info.version_major, 2) << info.path;
    EXPECT_NE(find_symbol(library, function), nullptr);
    EXPECT_EQ(thrown([&] { find_symbol(library, "noSuchFunction"); }).status, NOT_FOUND);
    ++found;
  }
  if (found == 0) GTEST_SKIP() << "none is installed";
}

TEST(PlainLibraries, FunctionsOfTheDriver) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver")}})) return;
  void* const exported = find_symbol(Library::DRIVER, "cuDriverGetVersion");
  int version = 0;
  EXPECT_EQ(reinterpret_cast<int (*)(int*)>(exported)(&version), 0);
  EXPECT_EQ(version, 13000);
  EXPECT_NE(find_symbol(Library::DRIVER, "cuMemAlloc"), nullptr) << "by cuGetProcAddress alone";
  const Thrown failure = thrown([] { find_symbol(Library::DRIVER, "cuNoSuch"); });
  EXPECT_EQ(failure.status, NOT_FOUND);
  EXPECT_TRUE(has(failure.message, "'cuNoSuch' in the driver 13.0 (")) << failure.message;
}

TEST(PlainLibraries, ADriverThatIsMissing) {
  if (!own_process({{"CUCORE_DRIVER", "/no/such/driver.so"}})) return;
  EXPECT_EQ(thrown([] { find_symbol(Library::DRIVER, "cuInit"); }).status, MISSING);
}

}  // namespace
}  // namespace cucore::driver::test
