// SPDX-License-Identifier: Apache-2.0
// cuLinkCreate to cuLinkDestroy: inputs of each kind, logs, and the linked code in use.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "driver.hpp"
#include "host_object.hpp"

namespace cutest {
namespace {

const std::string HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n";

// A kernel that stores the result of a function.
std::string caller(const std::string& kernel, const std::string& function,
                   const std::string& linkage = ".extern ") {
  return HEADER + linkage + ".func (.param .b32 r) " + function +
         (linkage.empty() ? "() { st.param.b32 [r], 5; ret; }\n" : "();\n") + ".visible .entry " +
         kernel +
         "(.param .u64 p) { .reg .b64 %rd1; .reg .b32 %r1;\nld.param.u64 %rd1, [p];\n"
         "{ .param .b32 q; call (q), " +
         function + "; ld.param.b32 %r1, [q]; }\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
}
std::string returning(const std::string& linkage, const std::string& function, int value) {
  return HEADER + linkage + ".func (.param .b32 r) " + function + "() { st.param.b32 [r], " +
         std::to_string(value) + "; ret; }\n";
}

// nvcc writes such pointers to fat binaries into programs.
std::string wrapper_of(const void* fatbin) {
  std::string bytes;
  append_bytes(bytes, uint32_t{0x466243b1});
  append_bytes(bytes, uint32_t{1});
  append_bytes(bytes, fatbin);
  append_bytes(bytes, uint64_t{0});
  return bytes;
}

class Link : public DeviceTest {
 protected:
  void TearDown() override {
    if (state) {
      EXPECT_CU(0, cu.cuLinkDestroy(state));
    }
    DeviceTest::TearDown();
  }
  CUresult create(std::vector<std::pair<CUjit_option, void*>> more = {}) {
    names = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
             CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    values = {error, reinterpret_cast<void*>(sizeof error), info,
              reinterpret_cast<void*>(sizeof info)};
    for (auto [name, value] : more) {
      names.push_back(name);
      values.push_back(value);
    }
    return cu.cuLinkCreate_v2(static_cast<unsigned>(names.size()), names.data(), values.data(),
                              &state);
  }
  CUresult add(const std::string& bytes, const char* name, CUjitInputType type = CU_JIT_INPUT_PTX) {
    return add_memory(bytes.data(), bytes.size(), name, type);
  }
  CUresult add_memory(const char* bytes, size_t size, const char* name, CUjitInputType type) {
    return cu.cuLinkAddData_v2(state, type, const_cast<char*>(bytes), size, name, 0, nullptr,
                               nullptr);
  }
  // Completes the link, loads the image and returns what the kernel stores.
  int run(const char* kernel) {
    void* image = nullptr;
    size_t size = 0;
    EXPECT_CU(0, cu.cuLinkComplete(state, &image, &size)) << error;
    if (!image) return -1;
    EXPECT_EQ(0, static_cast<const char*>(image)[size - 1]);
    const std::string copy(static_cast<const char*>(image), size);
    CUmodule linked = nullptr;
    EXPECT_CU(0, cu.cuModuleLoadData(&linked, copy.data())) << copy;
    const int value = run_in(linked, kernel);
    EXPECT_CU(0, cu.cuModuleUnload(linked));
    return value;
  }
  int run_in(CUmodule linked, const char* kernel) {
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, linked, kernel));
    CUdeviceptr out = 0;
    EXPECT_CU(0, cu.cuMemAlloc_v2(&out, 4));
    void* arguments[] = {&out};
    EXPECT_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    int value = -1;
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(&value, out, 4)) << fault_text();
    EXPECT_CU(0, cu.cuMemFree_v2(out));
    return value;
  }

  CUlinkState state = nullptr;
  char error[4096] = "", info[512] = "";
  std::vector<CUjit_option> names;
  std::vector<void*> values;
};

TEST_F(Link, TwoTexts) {
  OK(create());
  OK(add(caller("k", "f"), "a.ptx"));
  OK(add(returning(".visible ", "f", 42), "b.ptx"));
  EXPECT_EQ(42, run("k"));
  EXPECT_STREQ("", error);
  void *first = nullptr, *second = nullptr;
  OK(cu.cuLinkComplete(state, &first, nullptr));
  OK(cu.cuLinkComplete(state, &second, nullptr));
  EXPECT_EQ(first, second);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, add(returning(".visible ", "g", 1), "late.ptx"));
}

TEST_F(Link, AStrongFunctionReplacesAWeakOne) {
  OK(create());
  OK(add(returning(".weak ", "f", 1), "weak"));
  OK(add(caller("k", "f"), "a.ptx"));
  OK(add(returning(".weak ", "f", 2), "weak 2"));
  OK(add(returning(".visible ", "f", 3), "strong"));
  EXPECT_EQ(3, run("k"));
}

TEST_F(Link, LocalFunctionsOfOneNameAreSeparate) {
  OK(create());
  OK(add(returning(".visible ", "f", 42), "a.ptx"));
  OK(add(caller("k1", "f", ""), "b.ptx"));  // an f of its own, which returns 5
  OK(add(caller("k2", "f"), "c.ptx"));
  EXPECT_EQ(5, run("k1"));
  EXPECT_EQ(42, run("k2"));
}

TEST_F(Link, VariablesAreShared) {
  const std::string writer =
      HEADER +
      ".common .global .b32 x[2];\n.visible .entry w(.param .u64 p) { .reg .b64 %rd1;\n"
      "mov.u64 %rd1, x; st.global.u32 [%rd1+4], 9; ret; }\n";
  const std::string reader =
      HEADER +
      ".extern .global .b32 x[2];\n.global .u64 pointer = generic(x) + 4;\n"
      ".visible .entry r(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r1;\n"
      "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [pointer]; ld.u32 %r1, [%rd2];\n"
      "st.global.u32 [%rd1], %r1; ret; }\n";
  OK(create());
  OK(add(reader, "a.ptx"));
  OK(add(writer, "b.ptx"));
  void* image = nullptr;
  OK(cu.cuLinkComplete(state, &image, nullptr));
  CUmodule linked = nullptr;
  OK(cu.cuModuleLoadData(&linked, image));
  EXPECT_EQ(0, run_in(linked, "r"));
  run_in(linked, "w");
  EXPECT_EQ(9, run_in(linked, "r"));
  CUdeviceptr x = 0;
  size_t bytes = 0;
  OK(cu.cuModuleGetGlobal_v2(&x, &bytes, linked, "x"));
  EXPECT_EQ(8u, bytes);
}

TEST_F(Link, FaultsNameTheSourceOfTheirInput) {
  const std::string body =
      " { .reg .b64 %rd1; mov.u64 %rd1, 0;\n.loc 1 LINE 3\n"
      "st.global.u32 [%rd1], 1;\nret; }\n";
  auto module = [&](const char* file, const char* kernel, const char* line) {
    std::string text =
        HEADER + ".file 1 \"" + file + "\"\n.visible .entry " + kernel + "(.param .u64 p)" + body;
    return text.replace(text.find("LINE"), 4, line);
  };
  OK(create());
  OK(add(module("one.cu", "k1", "11"), "a.ptx"));
  OK(add(module("two.cu", "k2", "22"), "b.ptx"));
  void* image = nullptr;
  OK(cu.cuLinkComplete(state, &image, nullptr));
  CUmodule linked = nullptr;
  OK(cu.cuModuleLoadData(&linked, image));
  CUfunction f = nullptr;
  OK(cu.cuModuleGetFunction(&f, linked, "k2"));
  CUdeviceptr none = 0;
  void* arguments[] = {&none};
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_NE(std::string::npos, fault_text().find("two.cu:22")) << fault_text();
}

TEST_F(Link, LogsNameWhatIsWrong) {
  OK(create());
  OK(add(caller("k", "f"), "input.ptx"));
  void* image = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_SOURCE, cu.cuLinkComplete(state, &image, nullptr));
  const std::string undefined = "error   : Undefined reference to 'f' in 'input.ptx'";
  EXPECT_EQ(undefined, error);
  EXPECT_EQ(undefined.size(), reinterpret_cast<uintptr_t>(values[1]));
  OK(add(returning(".visible ", "f", 1), "b.ptx"));
  EXPECT_CU(CUDA_ERROR_INVALID_SOURCE, add(returning(".visible ", "f", 2), nullptr));
  EXPECT_EQ(
      undefined + "\nerror   : Multiple definition of 'f' in 'Input 3', first defined in 'b.ptx'",
      error);
  EXPECT_CU(CUDA_ERROR_INVALID_SOURCE, cu.cuLinkComplete(state, &image, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, add(HEADER + ".bogus", "c.ptx"));
  EXPECT_CU(CUDA_ERROR_UNKNOWN, cu.cuLinkComplete(state, &image, nullptr));
}

TEST_F(Link, TextOfALaterVersionChangesNothing) {
  OK(create());
  OK(add(caller("k", "f"), "a.ptx"));
  OK(add(returning(".visible ", "f", 1), "b.ptx"));
  EXPECT_CU(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, add(".version 99.0\n.target sm_80\n", "d.ptx"));
  EXPECT_EQ(1, run("k"));
}

TEST_F(Link, AnAdditionAfterTheEndEndsTheImage) {
  OK(create());
  OK(add(returning(".visible ", "f", 1), "b.ptx"));
  void* image = nullptr;
  OK(cu.cuLinkComplete(state, &image, nullptr));
  OK(cu.cuLinkComplete(state, &image, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, add(returning(".visible ", "g", 1), "c.ptx"));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLinkComplete(state, &image, nullptr));
}

TEST_F(Link, AnInputMayHaveALogOfItsOwn) {
  OK(create());
  char own[256] = "";
  CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* value[] = {own, reinterpret_cast<void*>(sizeof own)};
  std::string bad = HEADER + ".bogus";
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, cu.cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, bad.data(),
                                                        bad.size(), "bad", 2, option, value));
  EXPECT_NE(nullptr, std::strstr(own, "line 4"));
  EXPECT_EQ(own, std::string(error) + "\n");
}

TEST_F(Link, ASmallLogIsCut) {
  OK(create());
  values[1] = reinterpret_cast<void*>(uintptr_t{8});
  CUlinkState other = nullptr;
  OK(cu.cuLinkCreate_v2(4, names.data(), values.data(), &other));
  std::string bad = "nothing";
  EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, cu.cuLinkAddData_v2(other, CU_JIT_INPUT_PTX, bad.data(), 7,
                                                          "bad", 0, nullptr, nullptr));
  EXPECT_EQ(7u, std::strlen(error));
  EXPECT_EQ(7u, reinterpret_cast<uintptr_t>(values[1]));
  OK(cu.cuLinkDestroy(other));
}

TEST_F(Link, MachineCodeAndIntermediateCodeAreRefused) {
  OK(create());
  const std::string cubin =
      "\x7f"
      "ELF\2\1\1" +
      std::string(64, '\0');
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, add(cubin, "a.cubin", CU_JIT_INPUT_CUBIN));
  EXPECT_NE(nullptr, std::strstr(error, "compute_XX")) << error;
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, add("\xed\x43\x4e\x7f...", "lto", CU_JIT_INPUT_NVVM));
  EXPECT_NE(nullptr, std::strstr(error, "nvJitLink -lto -ptx")) << error;
}

TEST_F(Link, FatBinariesObjectsAndLibraries) {
  const std::string fatbin = fatbin_of(returning(".visible ", "f", 7), 80);
  const std::string object =
      host_object_of({fatbin, fatbin_of(returning(".visible ", "g", 8), 80)});
  const std::string unused = host_object_of({fatbin_of(caller("k", "missing"), 80)});
  const std::string library =
      archive_of({{"readme.txt", "text"}, {"unused.o", unused}, {"f.o", object}});
  const std::pair<std::string, CUjitInputType> inputs[] = {{fatbin, CU_JIT_INPUT_FATBINARY},
                                                           {object, CU_JIT_INPUT_OBJECT},
                                                           {library, CU_JIT_INPUT_LIBRARY}};
  for (const auto& [bytes, type] : inputs) {
    OK(create());
    OK(add(caller("k", "f"), "a.ptx"));
    OK(add(bytes, "b", type)) << error;
    EXPECT_EQ(7, run("k")) << type;
    for (size_t cut : {size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
      CUlinkState other = nullptr;
      OK(cu.cuLinkCreate_v2(0, nullptr, nullptr, &other));
      EXPECT_NE(
          0, static_cast<int>(cu.cuLinkAddData_v2(other, type, const_cast<char*>(bytes.data()), cut,
                                                  "cut", 0, nullptr, nullptr)))
          << type << " " << cut;
      OK(cu.cuLinkDestroy(other));
    }
    OK(cu.cuLinkDestroy(state));
  }
  state = nullptr;
}

TEST_F(Link, Files) {
  const std::string path = ::testing::TempDir() + "cucore_link_input.ptx";
  std::ofstream(path) << caller("k", "f");
  OK(create());
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND,
            cu.cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
  EXPECT_NE(nullptr, std::strstr(error, "/no/such/file"));
  EXPECT_CU(CUDA_ERROR_INVALID_IMAGE,
            cu.cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/dev/zero", 0, nullptr, nullptr));
  OK(cu.cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, path.c_str(), 0, nullptr, nullptr));
  void* image = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_SOURCE, cu.cuLinkComplete(state, &image, nullptr));
  EXPECT_NE(nullptr, std::strstr(error, path.c_str())) << "the path is the name of the input";
  std::remove(path.c_str());
}

TEST_F(Link, TargetsAreChecked) {
  OK(create({{CU_JIT_TARGET, reinterpret_cast<void*>(uintptr_t{CU_TARGET_COMPUTE_75})}}));
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, add(caller("k", "f"), "a.ptx"));
  EXPECT_NE(nullptr, std::strstr(error, "sm_75")) << error;
  for (uintptr_t wrong : {uintptr_t{0}, uintptr_t{0x30000}, uintptr_t{5}}) {
    CUlinkState other = nullptr;
    CUjit_option name = CU_JIT_TARGET;
    auto* value = reinterpret_cast<void*>(wrong);
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLinkCreate_v2(1, &name, &value, &other)) << wrong;
  }
}

TEST_F(Link, HandlesAndArguments) {
  OK(create());
  void* image = nullptr;
  std::string text = HEADER;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLinkComplete(state, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, add("", "empty"));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, add(text, "type", static_cast<CUjitInputType>(77)));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuLinkCreate_v2(0, nullptr, nullptr, nullptr));
  OK(cu.cuLinkDestroy(state));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLinkDestroy(state));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, add(text, "late"));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuLinkComplete(state, &image, nullptr));
  state = nullptr;
}

TEST_F(Link, TheFirstAbiIsTheSame) {
  OK(cu.cuLinkCreate(0, nullptr, nullptr, &state));
  std::string text = HEADER;
  OK(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, text.data(), text.size(), "a", 0, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND,
            cu.cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
  void* old = nullptr;
  OK(cu.cuGetProcAddress_v2("cuLinkCreate", &old, 5050, 0, nullptr));
  EXPECT_EQ(cu.symbol("cuLinkCreate"), old);
}

// Numba's grid barrier calls functions of libcudadevrt.
TEST_F(Link, TheBarrierOfAGridIsThere) {
  const std::string kernel =
      HEADER +
      ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
      ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n"
      ".func (.param .b32 r) sync() { .reg .b64 %h; .reg .b32 %r1;\n"
      "{ .param .b32 s; .param .b64 q; st.param.b32 [s], 1;\n"
      "call (q), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %h, [q]; }\n"
      "{ .param .b64 a; .param .b32 b; .param .b32 q; st.param.b64 [a], %h;\n"
      "st.param.b32 [b], 0; call (q), cudaCGSynchronize, (a, b);\n"
      "ld.param.b32 %r1, [q]; }\nst.param.b32 [r], %r1; ret; }\n"
      // Each block adds 1; after the barrier, each thread adds the sum of all.
      ".visible .entry k(.param .u64 p) { .reg .b64 %rd1; .reg .b32 %r<6>; .reg .pred %p1;\n"
      "ld.param.u64 %rd1, [p]; mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 0;\n"
      "mov.u32 %r3, 3;\nLOOP:\n@%p1 red.global.add.u32 [%rd1], 1;\n"
      "{ .param .b32 q; call (q), sync; ld.param.b32 %r1, [q]; }\n"
      "ld.volatile.global.u32 %r2, [%rd1];\n"
      "red.global.add.u32 [%rd1+4], %r2; red.global.add.u32 [%rd1+8], %r1;\n"
      "{ .param .b32 q; call (q), sync; ld.param.b32 %r1, [q]; }\n"
      "sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @!%p1 bra END;\n"
      "setp.eq.u32 %p1, %r4, 0; bra LOOP;\nEND: ret; }\n";
  OK(create());
  OK(add(kernel, "a.ptx")) << error;
  void* image = nullptr;
  OK(cu.cuLinkComplete(state, &image, nullptr)) << error;
  CUmodule linked = nullptr;
  CUfunction f = nullptr;
  OK(cu.cuModuleLoadData(&linked, image));
  OK(cu.cuModuleGetFunction(&f, linked, "k"));
  CUdeviceptr memory = 0;
  OK(cu.cuMemAlloc_v2(&memory, 12));
  void* arguments[] = {&memory};
  unsigned values[3] = {};
  for (bool is_cooperative : {true, false}) {
    OK(cu.cuMemsetD32_v2(memory, 0, 3));
    if (is_cooperative)
      OK(cu.cuLaunchCooperativeKernel(f, 5, 1, 1, 33, 1, 1, 0, nullptr, arguments));
    else
      OK(cu.cuLaunchKernel(f, 5, 1, 1, 33, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cu.cuMemcpyDtoH_v2(values, memory, sizeof values)) << fault_text();
    if (is_cooperative) {
      EXPECT_EQ(15u, values[0]);
      EXPECT_EQ(165u * (5 + 10 + 15), values[1]);
    }
    EXPECT_EQ(is_cooperative ? 0u : 165u * 3, values[2]);
  }
}

TEST_F(Link, ManyThreadsLinkAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      ASSERT_CU(0, cu.cuCtxSetCurrent(context));
      for (int round = 0; round < 20; ++round) {
        CUlinkState mine = nullptr;
        ASSERT_CU(0, cu.cuLinkCreate_v2(0, nullptr, nullptr, &mine));
        for (const std::string& text : {caller("k", "f"), returning(".visible ", "f", i)})
          ASSERT_CU(0, cu.cuLinkAddData_v2(mine, CU_JIT_INPUT_PTX, const_cast<char*>(text.data()),
                                           text.size(), "x", 0, nullptr, nullptr));
        void* image = nullptr;
        ASSERT_CU(0, cu.cuLinkComplete(mine, &image, nullptr));
        CUmodule linked = nullptr;
        ASSERT_CU(0, cu.cuModuleLoadData(&linked, image));
        EXPECT_EQ(i, run_in(linked, "k"));
        ASSERT_CU(0, cu.cuModuleUnload(linked));
        ASSERT_CU(0, cu.cuLinkDestroy(mine));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// The bound holds in whatever way the result is loaded. The time is that of all calls.
TEST_F(Link, RegistersAreBounded) {
  const std::string many =
      HEADER + ".visible .entry many()\n.maxntid 32, 1, 1\n{ .reg .b32 %r<4000>; ret; }\n";
  const auto registers = [&](CUjit_option option, uintptr_t amount, CUjit_option of_input,
                             uintptr_t input_amount) {
    std::vector<std::pair<CUjit_option, void*>> more = {{CU_JIT_WALL_TIME, nullptr}};
    if (amount) more.push_back({option, reinterpret_cast<void*>(amount)});
    EXPECT_CU(0, create(std::move(more)));
    void* value = reinterpret_cast<void*>(input_amount);
    EXPECT_CU(0, cu.cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, const_cast<char*>(many.data()),
                                     many.size(), "many", input_amount ? 1 : 0, &of_input, &value));
    void* image = nullptr;
    size_t size = 0;
    EXPECT_CU(0, cu.cuLinkComplete(state, &image, &size));
    float milliseconds = 0;
    std::memcpy(&milliseconds, &values[4], sizeof milliseconds);
    EXPECT_GT(milliseconds, 0);
    const std::string copy(static_cast<const char*>(image), size);
    EXPECT_CU(0, cu.cuLinkDestroy(state));
    state = nullptr;
    CUmodule made = nullptr;
    CUfunction f = nullptr;
    int count = 0;
    EXPECT_CU(0, cu.cuModuleLoadData(&made, copy.data()));
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, made, "many"));
    EXPECT_CU(0, cu.cuFuncGetAttribute(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    EXPECT_CU(0, cu.cuModuleUnload(made));
    return count;
  };
  constexpr CUjit_option MOST = CU_JIT_MAX_REGISTERS, THREADS = CU_JIT_THREADS_PER_BLOCK;
  EXPECT_EQ(registers(MOST, 0, MOST, 0), 255);
  EXPECT_EQ(registers(MOST, 38, MOST, 0), 38);
  EXPECT_EQ(registers(THREADS, 1024, MOST, 0), 64);
  EXPECT_EQ(registers(MOST, 0, MOST, 40), 40);
  EXPECT_EQ(registers(MOST, 38, MOST, 57),
            57);  // the options of an input replace those of the link
}

TEST_F(Link, AWrapperInMemoryLeadsToItsFatBinary) {
  const std::string fatbin = fatbin_of(returning(".visible ", "f", 7), 80);
  for (const CUjitInputType type : {CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX}) {
    OK(create());
    OK(add(caller("k", "f"), "a.ptx"));
    OK(add(wrapper_of(fatbin.data()), "b", type)) << error;
    EXPECT_EQ(7, run("k"));
    OK(cu.cuLinkDestroy(std::exchange(state, nullptr)));
  }
}

// The pointer of the wrapper is valid here. In a file it could be any number.
TEST_F(Link, AWrapperInAFileLeadsNowhere) {
  const std::string fatbin = fatbin_of(returning(".visible ", "f", 7), 80);
  const std::string wrapper = wrapper_of(fatbin.data());
  const std::string object = host_object_of({wrapper});
  const std::string path = ::testing::TempDir() + "cucore_link_wrapper";
  struct Row {
    CUjitInputType type;
    std::string bytes;
    const char* reason;
  };
  const Row rows[] = {{CU_JIT_INPUT_FATBINARY, wrapper, "does not contain it"},
                      {CU_JIT_INPUT_PTX, wrapper, "does not contain it"},
                      {CU_JIT_INPUT_CUBIN, wrapper, "does not contain it"},
                      {CU_JIT_INPUT_FATBINARY, wrapper.substr(0, 16), "does not contain it"},
                      {CU_JIT_INPUT_OBJECT, wrapper, "not well formed"},
                      {CU_JIT_INPUT_LIBRARY, wrapper, "not well formed"},
                      {CU_JIT_INPUT_OBJECT, object, "not well formed"},
                      {CU_JIT_INPUT_LIBRARY, archive_of({{"f.o", object}}), "not well formed"}};
  for (const Row& row : rows) {
    std::ofstream(path, std::ios::binary) << row.bytes;
    OK(create());
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE,
              cu.cuLinkAddFile_v2(state, row.type, path.c_str(), 0, nullptr, nullptr))
        << row.type;
    EXPECT_NE(nullptr, std::strstr(error, row.reason)) << row.type << ": " << error;
    OK(cu.cuLinkDestroy(std::exchange(state, nullptr)));
  }
  CUmodule loaded = nullptr;
  std::ofstream(path, std::ios::binary) << wrapper;
  EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, cu.cuModuleLoad(&loaded, path.c_str()));
  std::remove(path.c_str());
}

TEST_F(Link, AWrapperLeadsToNoOtherWrapper) {
  const std::string fatbin = fatbin_of(caller("k", "f", ""), 80);
  const std::string inner = wrapper_of(fatbin.data());
  std::string self = wrapper_of(nullptr);
  const void* itself = self.data();
  std::memcpy(self.data() + 8, &itself, sizeof itself);
  const std::string outer = wrapper_of(inner.data());
  for (const char* image : {std::as_const(self).data(), outer.data()}) {
    CUmodule loaded = nullptr;
    CUlibrary library = nullptr;
    OK(create());
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE,
              add_memory(image, outer.size(), "a", CU_JIT_INPUT_FATBINARY));
    EXPECT_NE(nullptr, std::strstr(error, "does not point to a fat binary")) << error;
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, cu.cuModuleLoadData(&loaded, image));
    EXPECT_CU(CUDA_ERROR_INVALID_IMAGE,
              cu.cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cu.cuLinkDestroy(std::exchange(state, nullptr)));
  }
  CUmodule loaded = nullptr;
  OK(cu.cuModuleLoadData(&loaded, inner.data()));
  OK(cu.cuModuleUnload(loaded));
}

}  // namespace
}  // namespace cutest
