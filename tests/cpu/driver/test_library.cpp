// SPDX-License-Identifier: Apache-2.0
// Loading code: libraries, modules, kernels, functions, globals, errors.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include "driver.hpp"
#include "image/elf_file.hpp"

namespace cutest {
namespace {

class Code : public DeviceTest {
 protected:
  CUresult load(const std::string& image, std::string* error_log = nullptr) {
    char error[512] = "", info[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {error, reinterpret_cast<void*>(sizeof error), info,
                      reinterpret_cast<void*>(sizeof info)};
    library = nullptr;
    CUresult result =
        cu.cuLibraryLoadData(&library, image.c_str(), options, values, 4, nullptr, nullptr, 0);
    if (error_log) *error_log = error;
    filled = reinterpret_cast<uintptr_t>(values[1]);
    return result;
  }
  CUkernel kernel(const char* name) {
    CUkernel k = nullptr;
    EXPECT_CU(0, cu.cuLibraryGetKernel(&k, library, name)) << name;
    return k;
  }
  static std::string header(const char* version, const char* target) {
    return std::string(".version ") + version + "\n.target " + target +
           "\n.address_size 64\n.visible .entry k() { ret; }\n";
  }
  CUlibrary library = nullptr;
  uintptr_t filled = 0;
};

// A GPU lets a kernel write a constant through an address that the program has requested.
TEST_F(Code, ConstantsWhoseAddressTheProgramHas) {
  const std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .const .align 8 .u64 fixed[2] = {5, 6};
.visible .entry own_address()
{
  .reg .b64 %a<3>;
  mov.u64 %a1, fixed;
  cvta.const.u64 %a2, %a1;
  st.u64 [%a2], %a1;
  ret;
}
.visible .entry given_address(.param .u64 p)
{
  .reg .pred %q;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [p];
  isspacep.const %q, %a1;
  selp.u64 %a2, 1, 0, %q;
  st.u64 [%a1+8], %a2;
  ld.const.u64 %a3, [fixed+8];
  st.u64 [%a1], %a3;
  ret;
}
)";
  const auto run = [&](const char* name, void** parameters) {
    EXPECT_CU(0, cu.cuLaunchKernel(reinterpret_cast<CUfunction>(kernel(name)), 1, 1, 1, 1, 1, 1, 0,
                                   nullptr, parameters, nullptr));
    return cu.cuCtxSynchronize();
  };
  OK(load(text));
  CUdeviceptr p = 0;
  size_t size = 0;
  OK(cu.cuLibraryGetGlobal(&p, &size, library, "fixed"));
  EXPECT_EQ(16u, size);
  void* parameters[] = {&p};
  OK(run("given_address", parameters));
  uint64_t values[2] = {};
  OK(cu.cuMemcpyDtoH_v2(values, p, 16));
  EXPECT_EQ(1u, values[0]) << "the new value is read";
  EXPECT_EQ(1u, values[1]) << "it is constant memory still";
  OK(cu.cuLibraryUnload(library));
  OK(load(text));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, run("own_address", nullptr));
  EXPECT_NE(std::string::npos, fault_text().find("read-only memory")) << fault_text();
}

TEST_F(Code, KernelsOfALibrary) {
  OK(load(PTX));
  unsigned count = 0;
  OK(cu.cuLibraryGetKernelCount(&count, library));
  std::vector<CUkernel> all(count);
  OK(cu.cuLibraryEnumerateKernels(all.data(), count, library));
  std::set<std::string> names;
  for (CUkernel k : all) {
    const char* name = nullptr;
    OK(cu.cuKernelGetName(&name, k));
    names.insert(name);
    CUlibrary owner = nullptr;
    OK(cu.cuKernelGetLibrary(&owner, k));
    EXPECT_EQ(library, owner);
  }
  EXPECT_EQ(count, names.size());
  EXPECT_TRUE(names.count("fill") && names.count("traps") && names.count("mixed"));
  EXPECT_EQ(kernel("fill"), kernel("fill")) << "one handle a kernel";
  CUkernel k = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuLibraryGetKernel(&k, library, "no such kernel"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLibraryGetKernel(&k, library, nullptr));
  CUkernel saved = kernel("fill");
  OK(cu.cuLibraryUnload(library));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLibraryGetKernel(&k, library, "fill"));
  const char* name = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuKernelGetName(&name, saved));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLibraryUnload(library));
}

TEST_F(Code, LibrariesNeedNoContext) {
  size_t offset = 0, size = 0;
  std::thread([&] {
    ASSERT_CU(0, load(PTX));
    CUfunction f = nullptr;
    // Kernels may differ from image to image, so a GPU's driver (580) also requires a context here.
    EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT,
              cu.cuKernelGetParamInfo(kernel("fill"), 2, &offset, &size));
    EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuKernelGetFunction(&f, kernel("fill")));
  }).join();
  OK(cu.cuKernelGetParamInfo(kernel("fill"), 2, &offset, &size));
  EXPECT_EQ(12u, offset);
  EXPECT_EQ(4u, size);
  OK(cu.cuLibraryUnload(library));
}

// The estimate of registers keeps the bound of the load, and occupancy follows from it.
TEST_F(Code, TheRegistersOfALoadAreBounded) {
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry many()\n"
      "{ .reg .b32 %r<800>; ret; }\n";
  CUjit_option option = CU_JIT_MAX_REGISTERS;
  int registers[3] = {};
  for (uintptr_t bound : {uintptr_t{0}, uintptr_t{32}}) {
    void* value = reinterpret_cast<void*>(bound);
    CUmodule made = nullptr;
    CUfunction f = nullptr;
    if (!bound) {
      EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
                cu.cuModuleLoadDataEx(&made, text.c_str(), 1, &option, &value));
    }
    OK(cu.cuModuleLoadDataEx(&made, text.c_str(), bound ? 1 : 0, &option, &value));
    OK(cu.cuModuleGetFunction(&f, made, "many"));
    OK(cu.cuFuncGetAttribute(&registers[bound ? 1 : 0], CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    OK(cu.cuModuleUnload(made));
  }
  EXPECT_GT(registers[0], 40);
  EXPECT_EQ(registers[1], 32);
  void* value = reinterpret_cast<void*>(uintptr_t{40});
  CUlibrary made = nullptr;
  CUkernel k = nullptr;
  OK(cu.cuLibraryLoadData(&made, text.c_str(), &option, &value, 1, nullptr, nullptr, 0));
  OK(cu.cuLibraryGetKernel(&k, made, "many"));
  OK(cu.cuFuncGetAttribute(&registers[2], CU_FUNC_ATTRIBUTE_NUM_REGS,
                           reinterpret_cast<CUfunction>(k)));
  EXPECT_EQ(registers[2], 40);
  OK(cu.cuLibraryUnload(made));
}

// A block of 1024 threads has 64 registers per thread. The driver writes the option's own value.
TEST_F(Code, ThreadsPerBlockBoundRegisters) {
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry many()\n"
      ".maxntid 32, 1, 1\n{ .reg .b32 %r<4000>; ret; }\n";
  CUjit_option option = CU_JIT_THREADS_PER_BLOCK;
  for (const auto& [threads, wanted] :
       {std::pair{32u, 255}, {1024u, 64}, {1000u, 64}, {384u, 168}}) {
    void* value = reinterpret_cast<void*>(uintptr_t{threads});
    CUmodule made = nullptr;
    CUfunction f = nullptr;
    int registers = 0;
    OK(cu.cuModuleLoadDataEx(&made, text.c_str(), 1, &option, &value));
    OK(cu.cuModuleGetFunction(&f, made, "many"));
    OK(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    EXPECT_EQ(registers, wanted) << threads;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(value), threads);
    OK(cu.cuModuleUnload(made));
  }
}

TEST_F(Code, LoadsWriteTheirWallTime) {
  CUjit_option option = CU_JIT_WALL_TIME;
  for (const char* text : {PTX, "no PTX"}) {
    void* value = reinterpret_cast<void*>(~uintptr_t{0});
    CUmodule made = nullptr;
    const CUresult loaded = cu.cuModuleLoadDataEx(&made, text, 1, &option, &value);
    float milliseconds = -1;
    std::memcpy(&milliseconds, &value, sizeof milliseconds);
    EXPECT_GT(milliseconds, 0) << text;
    EXPECT_LT(milliseconds, 60000) << text;
    if (loaded == CUDA_SUCCESS) {
      OK(cu.cuModuleUnload(made));
    }
  }
  void* value = reinterpret_cast<void*>(~uintptr_t{0});
  CUlibrary library = nullptr;
  OK(cu.cuLibraryLoadData(&library, PTX, &option, &value, 1, nullptr, nullptr, 0));
  float milliseconds = -1;
  std::memcpy(&milliseconds, &value, sizeof milliseconds);
  EXPECT_GT(milliseconds, 0);
  OK(cu.cuLibraryUnload(library));
}

TEST_F(Code, KernelsLaunchInPlaceOfFunctions) {
  OK(load(PTX));
  CUdeviceptr p = 0;
  unsigned value = 6, n = 32;
  OK(cu.cuMemAlloc_v2(&p, 128));
  void* parameters[] = {&p, &value, &n};
  auto as_function = reinterpret_cast<CUfunction>(kernel("fill"));
  OK(cu.cuLaunchKernel(as_function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  unsigned back[32] = {};
  OK(cu.cuMemcpyDtoH_v2(back, p, sizeof back));
  EXPECT_EQ(6u, back[31]);
  int blocks = 0, registers = 0;
  OK(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, as_function, 32, 0));
  EXPECT_GT(blocks, 0);
  OK(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, as_function));
  EXPECT_GT(registers, 0);
  CUfunction f = nullptr, again = nullptr;
  OK(cu.cuKernelGetFunction(&f, kernel("fill")));
  OK(cu.cuKernelGetFunction(&again, kernel("fill")));
  EXPECT_EQ(f, again);
  OK(cu.cuLibraryUnload(library));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cu.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
}

TEST_F(Code, EachContextHasItsOwnVariables) {
  OK(load(PTX));
  CUcontext other = nullptr;
  CUdeviceptr here = 0, there = 0;
  size_t bytes = 0;
  OK(cu.cuLibraryGetGlobal(&here, &bytes, library, "counter"));
  EXPECT_EQ(4u, bytes);
  OK(cu.cuMemsetD32_v2(here, 1000, 1));
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
  OK(cu.cuLibraryGetGlobal(&there, &bytes, library, "counter"));
  EXPECT_NE(here, there);
  unsigned value = 0;
  OK(cu.cuMemcpyDtoH_v2(&value, there, 4));
  EXPECT_EQ(7u, value) << "initialised anew";
  OK(cu.cuCtxDestroy_v2(other));
  OK(cu.cuMemcpyDtoH_v2(&value, here, 4));
  EXPECT_EQ(1000u, value);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuLibraryGetGlobal(&here, &bytes, library, "none"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLibraryGetGlobal(&here, &bytes, library, "nothing"))
      << "a kernel";
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuLibraryGetManaged(&here, &bytes, library, "counter"));
  OK(cu.cuLibraryUnload(library));
}

TEST_F(Code, ModuleOfALibrary) {
  OK(load(PTX));
  CUmodule m = nullptr, again = nullptr, of_function = nullptr;
  OK(cu.cuLibraryGetModule(&m, library));
  OK(cu.cuLibraryGetModule(&again, library));
  EXPECT_EQ(m, again);
  CUfunction f = nullptr;
  OK(cu.cuModuleGetFunction(&f, m, "fill"));
  OK(cu.cuFuncGetModule(&of_function, f));
  EXPECT_EQ(m, of_function);
  EXPECT_CU(CUDA_ERROR_NOT_PERMITTED, cu.cuModuleUnload(m));
  OK(cu.cuLibraryUnload(library));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuModuleGetFunction(&f, m, "fill"));
}

TEST_F(Code, Modules) {
  unsigned count = 0;
  OK(cu.cuModuleGetFunctionCount(&count, module));
  std::vector<CUfunction> all(count);
  OK(cu.cuModuleEnumerateFunctions(all.data(), count, module));
  EXPECT_TRUE(std::count(all.begin(), all.end(), function("fill")));
  const char* name = nullptr;
  OK(cu.cuFuncGetName(&name, function("mixed")));
  EXPECT_STREQ("mixed", name);
  CUfunction f = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cu.cuModuleGetFunction(&f, module, "no such function"));
  CUmodule second = nullptr;
  OK(cu.cuModuleLoadDataEx(&second, PTX, 0, nullptr, nullptr));
  OK(cu.cuModuleGetFunction(&f, second, "fill"));
  OK(cu.cuModuleUnload(second));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuFuncGetName(&name, f));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuModuleUnload(second));
}

TEST_F(Code, ConstantsAndGlobals) {
  CUdeviceptr p = 0;
  size_t bytes = 0;
  OK(cu.cuModuleGetGlobal_v2(&p, &bytes, module, "table"));
  EXPECT_EQ(64u, bytes);
  OK(cu.cuModuleGetGlobal_v2(&p, nullptr, module, "scale"));
  unsigned value = 0;
  OK(cu.cuMemcpyDtoH_v2(&value, p, 4));
  EXPECT_EQ(3u, value);
  OK(cu.cuModuleGetGlobal_v2(nullptr, &bytes, module, "counter"));
  EXPECT_EQ(4u, bytes);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuModuleGetGlobal_v2(nullptr, nullptr, module, "counter"));
  CUdeviceptr out = 0;
  OK(cu.cuMemAlloc_v2(&out, 4));
  for (unsigned wanted = 7; wanted < 10; ++wanted) {
    OK(launch("count", {&out}));
    OK(cu.cuMemcpyDtoH_v2(&value, out, 4));
    EXPECT_EQ(wanted, value);
  }
}

TEST_F(Code, FromFiles) {
  std::string path = ::testing::TempDir() + "cucore_cpu_driver_test.ptx";
  std::ofstream(path) << PTX;
  OK(cu.cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  kernel("fill");
  OK(cu.cuLibraryUnload(library));
  CUmodule m = nullptr;
  OK(cu.cuModuleLoad(&m, path.c_str()));
  OK(cu.cuModuleUnload(m));
  std::remove(path.c_str());
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND, cu.cuModuleLoad(&m, path.c_str()));
}

TEST_F(Code, CubinIsRefusedWithAReason) {
  std::string log;
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, load("\x7f"
                                               "ELF\2\1\1",
                                               &log));
  EXPECT_NE(std::string::npos, log.find("CUBIN"));
  EXPECT_NE(std::string::npos, log.find("compute_XX"));
  EXPECT_EQ(log.size() + 1, filled);
  char text[512] = "";
  OK(cu.control().last_load_log(text, sizeof text, nullptr));
  EXPECT_EQ(log, text);
}

// A CUBIN that was cut: its headers refer to memory that does not exist.
TEST_F(Code, ACubinWithoutItsEndIsRefused) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* memory = static_cast<unsigned char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(MAP_FAILED, static_cast<void*>(memory));
  OK(static_cast<CUresult>(munmap(memory + page, page)));
  const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
  cucore::image::ElfHeader header{};
  std::memcpy(header.ident, ident, sizeof ident);
  header.machine = cucore::image::MACHINE_CUDA;
  header.section_count = 20;
  // The headers of the sections, the sections, the header itself, and its first bytes end too
  // early.
  for (uint64_t sections : {uint64_t{page} - 64, uint64_t{64}, uint64_t{1} << 40}) {
    header.section_offset = sections;
    std::memset(memory, 0xff, page);
    std::memcpy(memory, &header, sizeof header);
    CUmodule m = nullptr;
    EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, cu.cuModuleLoadData(&m, memory)) << sections;
  }
  for (size_t size : {size_t{8}, sizeof header - 1}) {
    std::memcpy(memory + page - size, &header, size);
    memory[page - 1] = 0;
    CUmodule m = nullptr;
    EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, cu.cuModuleLoadData(&m, memory + page - size)) << size;
  }
  munmap(memory, page);
}

// Code for a linker: a GPU loads the library, and fails at its first use.
TEST_F(Code, CodeForALinkerLoadsAndIsOfNoUse) {
  cucore::image::ElfHeader object{};
  const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::memcpy(object.ident, ident, sizeof ident);
  object.machine = 62;
  const unsigned char lto[64] = {0xed, 0x43, 0x4e, 0x7f, 1};
  for (const void* image : {static_cast<const void*>(&object), static_cast<const void*>(lto),
                            static_cast<const void*>("!<arch>\na.o/\n")}) {
    CUmodule module = nullptr;
    CUlibrary made = nullptr;
    CUkernel kernel = nullptr;
    unsigned count = 0;
    constexpr auto NO_BINARY = CUDA_ERROR_NO_BINARY_FOR_GPU;
    EXPECT_CU(NO_BINARY, cu.cuModuleLoadData(&module, image));
    OK(cu.cuLibraryLoadData(&made, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
    char log[200] = "";
    OK(cu.control().last_load_log(log, sizeof log, nullptr));
    EXPECT_NE(nullptr, std::strstr(log, "link it")) << log;
    EXPECT_CU(NO_BINARY, cu.cuLibraryGetKernel(&kernel, made, "k"));
    EXPECT_CU(NO_BINARY, cu.cuLibraryGetKernelCount(&count, made));
    EXPECT_CU(NO_BINARY, cu.cuLibraryGetModule(&module, made));
    OK(cu.cuLibraryUnload(made));
  }
}

TEST_F(Code, WhatIsNoCode) {
  for (const char* image : {"", "hello", "\1\2\3\4", "P", "\x50", "\xb1\x43", "// only a comment"})
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, load(image)) << image;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

TEST_F(Code, PtxErrorsAreInTheLog) {
  std::string log;
  EXPECT_CU(CUDA_ERROR_INVALID_PTX,
            load(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
                 "  add.s32 %r1, %r2, %r3;\n  ret;\n}\n",
                 &log));
  EXPECT_NE(std::string::npos, log.find("line 6")) << log;
  EXPECT_GT(filled, 1u);
}

TEST_F(Code, LogsAreCutToTheirBuffers) {
  char small[8];
  std::memset(small, 'x', sizeof small);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {small, reinterpret_cast<void*>(4)};
  EXPECT_CU(
      CUDA_ERROR_INVALID_PTX,
      cu.cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_75\n.bogus\n", 2, options, values));
  EXPECT_EQ(0, small[3]);
  EXPECT_EQ('x', small[4]);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuModuleLoadDataEx(&module, PTX, 2, nullptr, nullptr));
  CUjit_option unknown[] = {static_cast<CUjit_option>(900)};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuModuleLoadDataEx(&module, PTX, 1, unknown, values));
}

TEST_F(Code, VersionsAndTargets) {
  EXPECT_CU(0, load(header("6.4", "sm_75")));
  EXPECT_CU(0, load(header("9.0", "sm_90")));
  EXPECT_CU(0, load(header("8.0", "sm_90a")));
  std::string log;
  EXPECT_CU(0, load(header("9.3", "sm_90")));  // from a compiler newer than this driver
  EXPECT_CU(0, load(header("9.10", "sm_90")));
  EXPECT_CU(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, load(header("10.0", "sm_90"), &log));
  EXPECT_NE(std::string::npos, log.find("10.0")) << log;
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, load(header("8.7", "sm_100"), &log));
  EXPECT_NE(std::string::npos, log.find("sm_100")) << log;
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, load(header("8.7", "sm_100a")));
}

TEST_F(Code, Attributes) {
  OK(load(PTX));
  CUkernel k = kernel("much_shared");
  int value = -1;
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, k, 0));
  EXPECT_EQ(40960, value);
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, k, 0));
  EXPECT_EQ(75, value);
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, k, 0));
  EXPECT_EQ(90, value);
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel("at_most_64"),
                             0));
  EXPECT_EQ(64, value);
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 0));
  EXPECT_EQ(49152 - 40960, value);
  OK(cu.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448 - 40960, k,
                             0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    232448 - 40960 + 1, k, 0));
  CUfunction f = nullptr;
  OK(cu.cuKernelGetFunction(&f, k));
  OK(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
  EXPECT_EQ(232448 - 40960, value) << "set for the device's functions";
  OK(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, 1));
  EXPECT_EQ(49152 - 40960, value) << "not for other devices'";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 8));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE,
            cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 7));
  OK(cu.cuLibraryUnload(library));
}

TEST_F(Code, Parameters) {
  CUfunction f = function("mixed");
  const size_t wanted[][2] = {{0, 1}, {8, 8}, {16, 2}, {24, 12}, {36, 4}, {40, 8}};
  for (size_t i = 0; i < 6; ++i) {
    size_t offset = 99, size = 99;
    OK(cu.cuFuncGetParamInfo(f, i, &offset, &size));
    EXPECT_EQ(wanted[i][0], offset) << i;
    EXPECT_EQ(wanted[i][1], size) << i;
  }
  size_t offset = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuFuncGetParamInfo(f, 6, &offset, nullptr));
}

}  // namespace
}  // namespace cutest
