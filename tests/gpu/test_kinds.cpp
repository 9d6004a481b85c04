// SPDX-License-Identifier: Apache-2.0
// Every loadable kind of object code is launched on the device and its result checked. A bundle
// uses the best image per device, and released code leaves no memory behind.
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

// Each image returns its own number.
constexpr char SAYS_ITS_NUMBER[] =
    "extern \"C\" __global__ void which(int* out) { *out = NUMBER; }\n";
constexpr char CALLS[] =
    "__device__ int twice(int);\n"
    "template <class T> __global__ void apply(T* p) { *p = twice(*p); }\n";
constexpr char CALLED[] = "__device__ int twice(int x) { return 2 * x; }\n";

class Kinds : public OnGpu {
 protected:
  bool is_emulated() const { return cucore_device_is_emulated(device_); }

  Code build(const std::string& source, cucore_code_type target, const char* arch, int number = 0,
             const std::vector<const char*>& expressions = {}) const {
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    const std::string define = "NUMBER=" + std::to_string(number);
    const char* defines[] = {define.c_str()};
    options.define_macros = defines;
    options.define_macro_count = 1;
    options.arch = arch;
    options.relocatable_device_code = CUCORE_TOGGLE_ON;
    return compile(make_program(source, &options), target, expressions);
  }

  int ask(const cucore_objectcode* code) {
    const Array<int> out(*this, {0});
    run(find_kernel(code, "which"), grid(1, 1), out);
    return out.read().front();
  }

  Linker linker_of(std::initializer_list<const cucore_objectcode*> inputs) const {
    cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
    options.arch = cucore_device_arch(device_);
    Linker linker;
    MUST(cucore_linker_create, &options, linker.out());
    for (const auto* input : inputs) MUST(cucore_linker_add, linker, input);
    return linker;
  }

  // Launched, written to a container, read again and launched from there.
  void expect_applies(const cucore_objectcode* code) {
    const auto bytes = serialized(code);
    Code read;
    MUST(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, read.out());
    for (const auto* each : {code, static_cast<const cucore_objectcode*>(read)}) {
      const Array<int> value(*this, {21});
      run(find_kernel(each, "apply<int>"), grid(1, 1), value);
      EXPECT_EQ(value.read().front(), 42);
    }
  }

  void expect_links(cucore_code_type calling, cucore_code_type called, cucore_code_type target) {
    const char* arch = cucore_device_arch(device_);
    const Code caller = build(CALLS, calling, arch, 0, {"apply<int>"});
    const Code callee = build(CALLED, called, arch);
    Code linked;
    SUCCEEDS(cucore_linker_link, linker_of({caller, callee}), target, linked.out());
    expect_applies(linked);
  }
};

TEST_F(Kinds, PtxAndCubinAndLtoirOfTheCompiler) {
  for (const auto target : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN, CUCORE_CODE_TYPE_LTOIR}) {
    if (is_emulated() && target == CUCORE_CODE_TYPE_CUBIN) continue;
    const Code code = build(SAYS_ITS_NUMBER, target, cucore_device_arch(device_), 7);
    EXPECT_EQ(ask(code), 7) << target;
  }
}

// Fat binaries of nvcc, if it is installed, with the toolkit's compression.
TEST_F(Kinds, FatBinariesOfNvcc) {
  const char* folder = std::getenv("CUCORE_TEST_IMAGES");
  if (!folder) GTEST_SKIP() << "needs CUCORE_TEST_IMAGES";
  for (const char* mode : {"none", "speed", "size"}) {
    std::ifstream file(std::string(folder) + "/saxpy." + mode + ".fatbin", std::ios::binary);
    if (!file) GTEST_SKIP() << "needs nvcc at build time";
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    const Code code = make_code(CUCORE_CODE_TYPE_FATBIN, bytes.data(), bytes.size());
    const Array<float> x(*this, {1, 2, 3}), y(*this, {10, 20, 30});
    run(find_kernel(code, "saxpy"), grid(1, 32), 2.0f, x, y, 3);
    EXPECT_EQ(y.read(), (std::vector<float>{12, 24, 36})) << mode;
  }
}

TEST_F(Kinds, LinkedWithLinkTimeOptimization) {
  if (is_emulated()) GTEST_SKIP() << "the linker makes machine code";
  expect_links(CUCORE_CODE_TYPE_LTOIR, CUCORE_CODE_TYPE_LTOIR, CUCORE_CODE_TYPE_CUBIN);
}

// PTX from link-time optimisation runs on all devices, including the CPU device.
TEST_F(Kinds, LinkedToPtx) {
  expect_links(CUCORE_CODE_TYPE_LTOIR, CUCORE_CODE_TYPE_LTOIR, CUCORE_CODE_TYPE_PTX);
}

TEST_F(Kinds, LinkedOfMixedKinds) {
  if (is_emulated()) GTEST_SKIP() << "the linker makes machine code";
  expect_links(CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN, CUCORE_CODE_TYPE_CUBIN);
}

TEST_F(Kinds, PtxAsAProgram) {
  if (is_emulated()) GTEST_SKIP() << "PTX programs become machine code";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = cucore_device_arch(device_);
  options.max_register_count = 24;
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_PTX, PTX, PTX_SIZE, &options, program.out());
  const Code code = compile(program, CUCORE_CODE_TYPE_CUBIN);
  const Array<float> x(*this, {1, 2, 3}), y(*this, {10, 20, 30});
  run(find_kernel(code, "saxpy"), grid(1, 32), 2.0f, x, y, 3);
  EXPECT_EQ(y.read(), (std::vector<float>{12, 24, 36}));
}

// The image with the device's own machine code is used; without one, the PTX.
TEST_F(Kinds, ABundleGivesTheImageThatFits) {
  const std::string own = cucore_device_arch(device_);
  const Code ptx = build(SAYS_ITS_NUMBER, CUCORE_CODE_TYPE_PTX, "compute_75", 1);
  const Code other = build(SAYS_ITS_NUMBER, CUCORE_CODE_TYPE_CUBIN, "sm_80", 80);
  const Code mine = build(SAYS_ITS_NUMBER, CUCORE_CODE_TYPE_CUBIN, own.c_str(), 90);
  const auto bundle = [](std::vector<const cucore_objectcode*> images) {
    Code code;
    MUST(cucore_objectcode_bundle, images.data(), images.size(), code.out());
    return code;
  };
  const bool ampere = own == "sm_80" || own == "sm_86" || own == "sm_89";
  if (!ampere) {
    EXPECT_EQ(ask(bundle({other, ptx})), 1);
  }
  const Code all = bundle({other, mine, ptx});
  EXPECT_EQ(ask(all), is_emulated() ? 1 : 90);
  const auto bytes = serialized(all);
  Code read;
  SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, read.out());
  EXPECT_EQ(ask(read), is_emulated() ? 1 : 90);
}

// 1 MiB of device data each time: unloaded code frees it.
TEST_F(Kinds, DroppedCodeLeavesNoMemoryBehind) {
  const Code ptx = build(
      "__device__ char data[1 << 20]; extern \"C\" __global__ void which(int* o)"
      " { *o = data[0] + 5; }",
      CUCORE_CODE_TYPE_PTX, nullptr);
  const std::string text = bytes_of(ptx);
  const auto load_and_drop = [&] {
    const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    EXPECT_EQ(ask(code), 5);
  };
  const auto free_memory = [&] {
    size_t free = 0, total = 0;
    MUST(cucore_device_memory, device_, &free, &total);
    return free;
  };
  for (int i = 0; i < 4; ++i) load_and_drop();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const size_t before = free_memory();
  for (int i = 0; i < 400; ++i) load_and_drop();
  // A thread of the library unloads the last ones.
  size_t lost = SIZE_MAX;
  for (int i = 0; i < 100 && lost > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const size_t now = free_memory();
    lost = before > now ? before - now : 0;
  }
  RecordProperty("lost_bytes", std::to_string(lost));
  EXPECT_LE(lost, size_t{8} << 20) << "400 drops of 1 MiB each";
}

}  // namespace
}  // namespace gpu_test
