// SPDX-License-Identifier: Apache-2.0
// The driver's state in a process: before cuInit, after a fork, at the end, and the effect of the
// environment. Each test is a separate process; this one never calls cuInit.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "child_checks.hpp"
#include "cpu/driver/code_table.hpp"
#include "driver.hpp"
#include "image/elf_file.hpp"

namespace cutest {
namespace {

class Process : public ::testing::Test {
 protected:
  // Runs `body` in a child, which must end by itself within a minute; `body` may call exit.
  static void in_child(const std::function<void(Driver&)>& body) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      Driver cu;
      body(cu);
      std::_Exit(0);
    }
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(0, WEXITSTATUS(status));
  }
  static CUfunction ready(Driver& cu, const char* kernel) {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction f = nullptr;
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
    CHECK_CU(0, cu.cuModuleLoadData(&module, PTX));
    CHECK_CU(0, cu.cuModuleGetFunction(&f, module, kernel));
    return f;
  }
};

// A CUBIN with one section, the empty table of names.
std::string empty_cubin() {
  cucore::image::ElfHeader header{};
  std::memcpy(header.ident, "\x7f\x45\x4c\x46\2\1\1\x41\x08", 9);
  header.machine = cucore::image::MACHINE_CUDA;
  header.version = 1;
  header.header_size = header.section_offset = sizeof header;
  header.section_entry_size = sizeof(cucore::image::ElfSectionHeader);
  header.section_count = 1;
  cucore::image::ElfSectionHeader names{};
  names.type = cucore::image::SECTION_STRINGS;
  names.offset = sizeof header + sizeof names;
  names.size = 1;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&names), sizeof names);
  return bytes.append(1, '\0');
}

// A file without blocks, which was last used in 1970.
void make_old_file(const std::string& path, off_t size) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const timespec times[2] = {{1, 0}, {1, 0}};
  CHECK(file >= 0 && ftruncate(file, size) == 0 && futimens(file, times) == 0);
  close(file);
}

// Stores 1 to flag[0], and waits for flag[1].
constexpr char HOLD_PTX[] = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry hold(.param .u64 p)
{
  .reg .pred %p<2>;
  .reg .u32 %r<2>;
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.volatile.global.u32 [%rd1], 1;
AGAIN:
  ld.volatile.global.u32 %r1, [%rd1+4];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  ret;
}
)";

TEST_F(Process, NothingWorksBeforeCuInit) {
  in_child([](Driver& cu) {
    int n = 0;
    CUcontext context = nullptr;
    const char* text = nullptr;
    CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuDeviceGetCount(&n));
    CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuCtxGetCurrent(&context));
    CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuDevicePrimaryCtxRetain(&context, 0));
    CHECK_CU(0, cu.cuDriverGetVersion(&n));
    CHECK_CU(0, cu.cuGetErrorName(CUDA_SUCCESS, &text));
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuDeviceGetCount(&n));
  });
}

TEST_F(Process, AForkedChildMayNotUseTheDriver) {
  in_child([](Driver& cu) {
    CUfunction f = ready(cu, "nothing");
    CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    pid_t child = fork();
    if (child == 0) {
      int n = 0;
      CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuDeviceGetCount(&n));
      CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuInit(0));
      CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuCtxSynchronize());
      std::exit(0);  // runs the exit handlers of the copy
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_CU(0, cu.cuCtxSynchronize());  // the parent continues
  });
}

TEST_F(Process, AForkBeforeCuInitIsFine) {
  in_child([](Driver& cu) {
    int n = 0;
    cu.cuDriverGetVersion(&n);
    pid_t child = fork();
    if (child == 0) {
      CHECK_CU(0, cu.cuInit(0));
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  });
}

TEST_F(Process, EndsWhileKernelsRun) {
  in_child([](Driver& cu) {
    CUfunction f = ready(cu, "spin");
    unsigned* flag = nullptr;
    CHECK_CU(0, cu.cuMemAllocHost_v2(reinterpret_cast<void**>(&flag), 64));
    *flag = 0;
    void* parameters[] = {&flag};
    for (int i = 0; i < 3; ++i) {
      CUstream s = nullptr;
      CHECK_CU(0, cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
      CHECK_CU(0, cu.cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, s, parameters, nullptr));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::exit(0);  // the kernels never end
  });
}

TEST_F(Process, CallsDuringExitAreDeinitialized) {
  in_child([](Driver& cu) {
    static Driver* driver;
    driver = &cu;
    std::atexit([] {
      int n = 0;
      if (driver->cuDeviceGetCount(&n) != CUDA_ERROR_DEINITIALIZED) std::_Exit(92);
      if (driver->cuInit(0) != CUDA_ERROR_DEINITIALIZED) std::_Exit(93);
    });
    ready(cu, "nothing");
    std::exit(0);
  });
}

TEST_F(Process, Profiles) {
  struct Wanted {
    const char* name;
    int major, minor, sms, threads, shared_optin;
  };
  for (const Wanted& w :
       {Wanted{"sm_75", 7, 5, 40, 1024, 65536}, Wanted{"sm_80", 8, 0, 108, 2048, 166912},
        Wanted{"sm_89", 8, 9, 128, 1536, 101376}, Wanted{"sm_90", 9, 0, 132, 2048, 232448},
        Wanted{"sm_100", 10, 0, 148, 2048, 232448}}) {
    in_child([&](Driver& cu) {
      setenv("CUCORE_CPU_PROFILE", w.name, 1);
      CUfunction f = ready(cu, "nothing");
      auto get = [&](CUdevice_attribute a) {
        int value = -1;
        CHECK_CU(0, cu.cuDeviceGetAttribute(&value, a, 0));
        return value;
      };
      CHECK(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == w.major);
      CHECK(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == w.minor);
      CHECK(get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == w.sms);
      CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) == w.threads);
      CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == w.shared_optin);
      int blocks = 0;
      CHECK_CU(0, cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 512, 0));
      CHECK(blocks == w.threads / 512);
      CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
      CHECK_CU(0, cu.cuCtxSynchronize());
    });
  }
}

TEST_F(Process, TextsOfFaultsShowPtxOnDemand) {
  for (const char* shown : {"", "0", "1"}) {
    in_child([&](Driver& cu) {
      setenv("CUCORE_CPU_SHOW_PTX", shown, 1);
      CUfunction f = ready(cu, "traps");
      CHECK_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
      CHECK_CU(CUDA_ERROR_LAUNCH_FAILED, cu.cuCtxSynchronize());
      char text[256] = "";
      CHECK_CU(0, cu.control().last_fault_text(nullptr, text, sizeof text, nullptr));
      CHECK(std::strstr(text, "kernel 'traps' block (0,0,0) thread (0,0,0): trap instruction"));
      CHECK((std::strstr(text, ": trap") != std::strrchr(text, ':')) == (*shown == '1'));
    });
  }
}

TEST_F(Process, UnknownProfileFailsAtCuInit) {
  in_child([](Driver& cu) {
    setenv("CUCORE_CPU_PROFILE", "sm_1", 1);
    CHECK_CU(CUDA_ERROR_INVALID_DEVICE, cu.cuInit(0));
  });
}

TEST_F(Process, WrongSettingsFailAtCuInitAndAreNamed) {
  const char* const wrong[][2] = {
      {"CUCORE_CPU_DEVICES", "two"},    {"CUCORE_CPU_DEVICES", "65"},
      {"CUCORE_CPU_MEMORY", "lots"},    {"CUCORE_CPU_MEMORY", "0"},
      {"CUCORE_CPU_THREADS", "-1"},     {"CUCORE_CPU_SIMD", "avx1024"},
      {"CUCORE_CPU_MODE", "synch"},     {"CUCORE_CPU_TIMEOUT", "1e6"},
      {"CUCORE_CPU_FAULT", "cuInit=2"}, {"CUCORE_CPU_FAULT", "cuMemAloc@1=2"},
      {"CUCORE_CPU_PROFILE", "sm_91"},  {"CUCORE_CPU_TRACE", "/no/such/folder/x"},
      {"CUCORE_CPU_SHOW_PTX", "yes"},   {"CUCORE_CPU_LAUNCH_MEMORY", "some"},
      {"CUCORE_CPU_COMPILE", "on"},     {"CUCORE_CPU_LAUNCH_MEMORY", "0"},
      {"CUCORE_CPU_LAUNCH_OUTPUT", "0"}};
  for (const auto& [name, value] : wrong) {
    in_child([&](Driver& cu) {
      setenv(name, value, 1);
      CHECK(cu.cuInit(0) != CUDA_SUCCESS);
      char text[256] = "";
      CHECK_CU(0, cu.control().last_load_log(text, sizeof text, nullptr));
      CHECK(std::strstr(text, name) && std::strstr(text, value));
      unsetenv(name);
      CHECK_CU(0, cu.cuInit(0));
    });
  }
}

TEST_F(Process, NumberOfDevices) {
  for (int wanted : {1, 8, 64}) {
    in_child([&](Driver& cu) {
      setenv("CUCORE_CPU_DEVICES", std::to_string(wanted).c_str(), 1);
      CHECK_CU(0, cu.cuInit(0));
      int n = 0;
      CHECK_CU(0, cu.cuDeviceGetCount(&n));
      CHECK(n == wanted);
    });
  }
  in_child([](Driver& cu) {
    setenv("CUCORE_CPU_DEVICES", "0", 1);
    CHECK_CU(CUDA_ERROR_NO_DEVICE, cu.cuInit(0));
  });
}

TEST_F(Process, FaultsFromTheEnvironment) {
  in_child([](Driver&) {
    setenv("CUCORE_CPU_FAULT", "cuInit@1=100; mem.limit=2M", 1);
    // A second copy of the environment's reader: this process has made only look-ups so far.
    Driver cu;
    CHECK_CU(0, cu.control().set_fault_plan("cuInit@1=100; mem.limit=2M"));
    CHECK_CU(CUDA_ERROR_NO_DEVICE, cu.cuInit(0));
    CHECK_CU(0, cu.cuInit(0));
    size_t total = 0;
    CHECK_CU(0, cu.cuDeviceTotalMem_v2(&total, 0));
    CHECK(total == size_t{2} << 20);
  });
}

TEST_F(Process, SynchronousMode) {
  in_child([](Driver& cu) {
    setenv("CUCORE_CPU_MODE", "sync", 1);
    ready(cu, "nothing");
    static std::atomic<int> done;
    CUstream s = nullptr;
    CHECK_CU(0, cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int i = 1; i <= 20; ++i) {
      CHECK_CU(0, cu.cuLaunchHostFunc(
                      s,
                      [](void*) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        ++done;
                      },
                      nullptr));
      CHECK(done == i);
      CHECK_CU(0, cu.cuStreamQuery(s));
    }
  });
}

// The test below runs it in a process whose environment enables a trace from the start.
TEST_F(Process, DISABLED_TracedCalls) {
  Driver cu;
  CHECK_CU(CUDA_ERROR_NO_DEVICE, cu.cuInit(0));
  CHECK_CU(0, cu.cuInit(0));
  int n = 0;
  CHECK_CU(0, cu.cuDeviceGetCount(&n));
  CHECK_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemcpyHtoD_v2_ptds(4096, &n, 4));
}

TEST_F(Process, TraceAndFaultPlanOfTheEnvironment) {
  std::string file = ::testing::TempDir() + "cucore_cpu_trace.json";
  std::remove(file.c_str());
  std::string self = std::string(512, 0);
  self.resize(static_cast<size_t>(readlink("/proc/self/exe", self.data(), self.size())));
  std::string command = "CUCORE_CPU_FAULT='cuInit@1=100' CUCORE_CPU_TRACE='" + file + "' '" + self +
                        "' --gtest_also_run_disabled_tests --gtest_filter=*TracedCalls >/dev/null";
  ASSERT_EQ(0, std::system(command.c_str()));
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::remove(file.c_str());
  EXPECT_NE(std::string::npos, text.find("\"call\":\"cuInit\",\"count\":1,\"arguments\":[\"0x0\"],"
                                         "\"result\":100"))
      << text;
  EXPECT_NE(std::string::npos, text.find("\"call\":\"cuInit\",\"count\":2")) << text;
  EXPECT_NE(std::string::npos,
            text.find("\"call\":\"cuMemcpyHtoD_v2\",\"count\":1,\"arguments\":[\"0x1000\""))
      << text;
  EXPECT_EQ('\n', text.back());
}

// A program may choose a folder that has files of its own.
TEST_F(Process, TheFolderOfPtxKeepsOtherFiles) {
  const std::string folder = ::testing::TempDir() + "ptx_folder." + std::to_string(getpid());
  const std::string hex(63, 'a');
  const std::string own[] = {"/" + hex + "b.ptx", "/.123-4.tmp"};
  const std::string foreign[] = {"/mine.ptx",   "/mine.tmp",        "/" + hex + ".ptx", "/.1-.tmp",
                                 "/.1-x.tmp",   "/.12.tmp",         "/1-2.tmp",         "/.1-2.ptx",
                                 "/.1-2-3.tmp", "/" + hex + "B.ptx"};
  in_child([&](Driver& cu) {
    CHECK(mkdir(folder.c_str(), 0700) == 0);
    for (const std::string& name : own) make_old_file(folder + name, off_t{600} << 20);
    for (const std::string& name : foreign) make_old_file(folder + name, off_t{600} << 20);
    setenv("CUCORE_CPU_PTX_DIR", folder.c_str(), 1);
    CHECK_CU(0, cu.cuInit(0));
    CUuuid id;
    std::memcpy(id.bytes, CUCORE_CPU_CODE_ID, sizeof id.bytes);
    const cucore_cpu_code* table = nullptr;
    CHECK_CU(0, cu.cuGetExportTable(reinterpret_cast<const void**>(&table), &id));
    const std::string cubin = empty_cubin();
    CHECK_CU(0, table->remember_ptx(cubin.data(), cubin.size(), PTX, std::strlen(PTX)));
    for (const std::string& name : own) CHECK(access((folder + name).c_str(), F_OK) != 0);
    for (const std::string& name : foreign) CHECK(access((folder + name).c_str(), F_OK) == 0);
  });
  std::filesystem::remove_all(folder);
}

// The fork happens during a launch of another thread. A copy of the process has no work, so its
// calls do not close managed memory.
TEST_F(Process, CallsOfAForkedChildCheckNothing) {
  in_child([](Driver& cu) {
    setenv("CUCORE_CPU_CHECK", "host", 1);
    setenv("CUCORE_CPU_MODE", "sync", 1);
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction hold = nullptr;
    CUdeviceptr managed = 0;
    unsigned* flags = nullptr;
    CHECK_CU(0, cu.cuInit(0));
    CHECK_CU(0, cu.cuCtxCreate_v4(&context, nullptr, 0, 0));
    CHECK_CU(0, cu.cuModuleLoadData(&module, HOLD_PTX));
    CHECK_CU(0, cu.cuModuleGetFunction(&hold, module, "hold"));
    CHECK_CU(0, cu.cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    CHECK_CU(0, cu.cuMemAllocHost_v2(reinterpret_cast<void**>(&flags), 64));
    flags[0] = flags[1] = 0;
    std::thread launching([&] {
      void* parameters[] = {&flags};
      CHECK_CU(0, cu.cuCtxSetCurrent(context));
      CHECK_CU(0, cu.cuLaunchKernel(hold, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    });
    while (std::atomic_ref<unsigned>(flags[0]).load() == 0) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      int n = 0, ends[2] = {};
      CHECK_CU(CUDA_ERROR_NOT_INITIALIZED, cu.cuDeviceGetCount(&n));
      CHECK(pipe(ends) == 0);
      CHECK(write(ends[1], reinterpret_cast<const void*>(managed), 4) == 4);  // else EFAULT
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::atomic_ref<unsigned>(flags[1]).store(1);
    launching.join();
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  });
}

}  // namespace
}  // namespace cutest
