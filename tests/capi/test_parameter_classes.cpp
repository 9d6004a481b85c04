// SPDX-License-Identifier: Apache-2.0
// Classes of parameters that the PTX of a target below compute_100, the name and the source leave
// open. NVRTC compiles once more, and nvJitLink links once more, for a target whose PTX marks
// pointers.
#include <nvrtc.h>

#include <algorithm>

#include "linker_testing.hpp"

namespace {

using namespace capi_test;
using Classes = std::vector<cucore_parameter_class>;

constexpr auto UNKNOWN_CLASS = CUCORE_PARAMETER_CLASS_UNKNOWN;
constexpr auto INTEGER = CUCORE_PARAMETER_CLASS_INTEGER;
constexpr auto POINTER = CUCORE_PARAMETER_CLASS_POINTER;

// The scripted compiler acts as two compilers; the one for targets below 100 marks no pointers.
constexpr char OPEN[] =
    "#two-compilers\n"
    "extern \"C\" __global__ void k(Id<float*>::type p, Id<long>::type n, int i) {}\n";
constexpr char KNOWN[] =
    "#two-compilers\n"
    "extern \"C\" __global__ void k(float* p, long n, int i) {}\n";

cucore_program_options for_arch(const char* name) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = name;
  return options;
}

// Returns the classes of the kernel whose name in the code contains `name`.
Classes classes_of(const cucore_objectcode* code, const std::string& name = "k") {
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    MUST(cucore_objectcode_symbol_at, code, i, &info);
    if (!contains(info.lowered_name, name)) continue;
    size_t count = 0;
    MUST(cucore_objectcode_symbol_parameters, code, i, nullptr, 0, &count);
    std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
    MUST(cucore_objectcode_symbol_parameters, code, i, infos.data(), count, &count);
    Classes classes;
    for (const cucore_parameter_info& one : infos) classes.push_back(one.parameter_class);
    return classes;
  }
  throw std::runtime_error("no kernel " + name);
}

bool has(const std::vector<std::string>& options, const std::string& part) {
  return std::ranges::any_of(options, [&](const auto& option) { return contains(option, part); });
}

class OpenClasses : public testing::Test {
 protected:
  void SetUp() override {
    NEEDS_FAKE_COMPILER();
    fake_nvrtc()->reset();
  }
  void TearDown() override {
    if (!fake_nvrtc()) return;
    EXPECT_EQ(fake_nvrtc()->live_objects("program"), 0u);
    fake_nvrtc()->reset();
  }
};

TEST_F(OpenClasses, NeedNoSecondCompileInTheUsualCase) {
  uint64_t compiles = 0;
  const auto expect_one_compile = [&](const char* source, const char* arch,
                                      cucore_code_type target) {
    const auto options = for_arch(arch);
    const Code code = compile(make_program(source, &options), target);
    EXPECT_EQ(fake_nvrtc()->compile_count(), ++compiles) << arch << source;
    if (target != CUCORE_CODE_TYPE_LTOIR) {
      EXPECT_EQ(classes_of(code), (Classes{POINTER, INTEGER, INTEGER})) << arch << source;
    }
  };
  expect_one_compile(KNOWN, "compute_90", CUCORE_CODE_TYPE_PTX);
  expect_one_compile(KNOWN, "sm_90", CUCORE_CODE_TYPE_CUBIN);
  expect_one_compile(OPEN, "compute_100", CUCORE_CODE_TYPE_PTX);
  expect_one_compile(OPEN, "sm_120", CUCORE_CODE_TYPE_CUBIN);
  expect_one_compile(OPEN, "sm_90", CUCORE_CODE_TYPE_LTOIR);
}

TEST_F(OpenClasses, AreStatedByASecondCompile) {
  for (const cucore_code_type target : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN}) {
    fake_nvrtc()->reset();
    auto options = for_arch("sm_90");
    const char* macro = "N=3";
    options.define_macros = &macro, options.define_macro_count = 1;
    const Code code =
        compile(make_program(std::string(OPEN) + "#warning once\n", &options), target);
    EXPECT_EQ(fake_nvrtc()->compile_count(), 2u);
    EXPECT_EQ(classes_of(code), (Classes{POINTER, INTEGER, INTEGER}));
    EXPECT_TRUE(has(last_options(), "--gpu-architecture=compute_100"));
    EXPECT_TRUE(has(last_options(), "--define-macro=N=3"));
    EXPECT_FALSE(has(last_options(), "sm_90"));
  }
}

// Only the classes show that a second compile ran.
TEST_F(OpenClasses, LeaveNoTraceOfASecondCompile) {
  const auto options = for_arch("sm_90");
  const std::string source = std::string(OPEN) + "#warning once\n";
  const Code with = compile(make_program(source, &options));
  fake_nvrtc()->fail_call("nvrtcGetSupportedArchs", 1, NVRTC_ERROR_INTERNAL_ERROR);
  const Code without = compile(make_program(source, &options));
  EXPECT_EQ(fake_nvrtc()->compile_count(), 3u);
  EXPECT_EQ(classes_of(without), (Classes{UNKNOWN_CLASS, UNKNOWN_CLASS, INTEGER}));
  EXPECT_EQ(bytes_of(with), bytes_of(without));
  EXPECT_STREQ(cucore_objectcode_log(with), cucore_objectcode_log(without));
  EXPECT_EQ(cucore_objectcode_diagnostic_count(with), 1u);
  const std::string first(reinterpret_cast<const char*>(serialized(with).data()),
                          serialized(with).size());
  EXPECT_FALSE(contains(first, "compute_100"));
  EXPECT_FALSE(contains(first, "class-probe-target"));
}

TEST_F(OpenClasses, StayUnknownIfTheSecondCompileFails) {
  const auto options = for_arch("sm_90");
  const struct {
    const char* call;
    uint64_t nth;
  } failures[] = {{"nvrtcGetNumSupportedArchs", 1},
                  {"nvrtcCreateProgram", 2},
                  {"nvrtcCompileProgram", 2},
                  {"nvrtcGetPTXSize", 2},
                  {"nvrtcGetPTX", 2}};
  for (const auto& [call, nth] : failures) {
    fake_nvrtc()->reset();
    fake_nvrtc()->fail_call(call, nth, NVRTC_ERROR_COMPILATION);
    Code code;
    const Program program = make_program(OPEN, &options);
    SUCCEEDS(cucore_program_compile, program, CUCORE_CODE_TYPE_CUBIN, nullptr, 0, code.out());
    EXPECT_TRUE(fake_nvrtc()->failures_used()) << call;
    EXPECT_EQ(classes_of(code), (Classes{UNKNOWN_CLASS, UNKNOWN_CLASS, INTEGER})) << call;
    EXPECT_STREQ(cucore_objectcode_log(code), "") << call;
  }
}

TEST_F(OpenClasses, StayUnknownIfNoTargetMarksPointers) {
  fake_nvrtc()->set_version(12060);
  const auto options = for_arch("sm_90");
  const Code code = compile(make_program(OPEN, &options));
  EXPECT_EQ(fake_nvrtc()->compile_count(), 1u);
  EXPECT_EQ(classes_of(code), (Classes{UNKNOWN_CLASS, UNKNOWN_CLASS, INTEGER}));
}

TEST_F(OpenClasses, WriteNoFileASecondTime) {
  auto options = for_arch("sm_90");
  options.time = "times.csv", options.time_trace = "trace.json", options.create_pch = "k.pch";
  const char* flags[] = {"-time", "more.csv", "-I", "folder"};
  options.flags = flags, options.flag_count = 4;
  const Code code = compile(make_program(OPEN, &options));
  EXPECT_EQ(fake_nvrtc()->compile_count(), 2u);
  EXPECT_EQ(classes_of(code), (Classes{POINTER, INTEGER, INTEGER}));
  for (const char* part : {"time", "trace", "pch", "csv"})
    EXPECT_FALSE(has(last_options(), part)) << part;
  EXPECT_TRUE(has(last_options(), "folder"));

  const char* file[] = {"-optf", "flags.txt"};
  options = for_arch("sm_90");
  options.flags = file, options.flag_count = 2;
  compile(make_program(OPEN, &options));
  EXPECT_EQ(fake_nvrtc()->compile_count(), 3u) << "flags in a file may name files to write";
}

constexpr char ID[] = "template <class T> struct Id { using type = T; };\n";

Classes compiled(const std::string& source, const char* arch,
                 const std::vector<const char*>& expressions = {}) {
  const auto options = for_arch(arch);
  const Code code =
      compile(make_program(ID + source, &options), CUCORE_CODE_TYPE_CUBIN, expressions);
  return classes_of(code, "kernel_");
}

TEST(OpenClassesOfNvrtc, AreThoseOfTheTargetsOwnBranches) {
  NEEDS_REAL_COMPILER();
  const std::string source =
      "#if __CUDA_ARCH__ == 900\n"
      "typedef float* Word;\n"
      "#elif __CUDA_ARCH__ == 750\n"
      "typedef unsigned long Word;\n"
      "#else\n"
      "#error another architecture\n"
      "#endif\n"
      "extern \"C\" __global__ void kernel_(Id<Word>::type w, Id<long>::type n) {}\n";
  EXPECT_EQ(compiled(source, "sm_90"), (Classes{POINTER, INTEGER}));
  EXPECT_EQ(compiled(source, "sm_75"), (Classes{INTEGER, INTEGER}));
  const std::string specific =
      "#if __CUDA_ARCH_FEAT_SM90_ALL\n"
      "extern \"C\" __global__ void kernel_(Id<float*>::type w) {}\n"
      "#else\n"
      "extern \"C\" __global__ void kernel_(Id<long>::type w) {}\n"
      "#endif\n";
  EXPECT_EQ(compiled(specific, "sm_90a"), (Classes{POINTER}));
  EXPECT_EQ(compiled(specific, "sm_90"), (Classes{INTEGER}));
}

TEST(OpenClassesOfNvrtc, DoNotFollowTheUseOfAnInteger) {
  NEEDS_REAL_COMPILER();
  EXPECT_EQ(compiled("extern \"C\" __global__ void kernel_(Id<unsigned long>::type a, "
                     "Id<float*>::type b) { *reinterpret_cast<int*>(a) = 1; }\n",
                     "sm_90"),
            (Classes{INTEGER, POINTER}));
}

TEST(OpenClassesOfNvrtc, AreFoundInAnonymousNamespaces) {
  NEEDS_REAL_COMPILER();
  EXPECT_EQ(compiled("namespace { template <class T> __global__ void kernel_("
                     "typename Id<T>::type a, typename Id<T*>::type b) {} }\n",
                     "sm_80", {"kernel_<long>"}),
            (Classes{INTEGER, POINTER}));
}

constexpr char KERNEL_UNIT[] =
    "__device__ float helper(float);\n"
    "extern \"C\" __global__ void kernel_(Id<float*>::type p, Id<long>::type n, int i) {\n"
    "  if (i) *p = helper(*p);\n"
    "}\n"
    "extern \"C\" __global__ void unused_(Id<float*>::type p, Id<long>::type n) {}\n";
constexpr char HELPER_UNIT[] = "__device__ float helper(float x) { return x * 3.0f + 1.0f; }\n";

// The callee may have any kind: only LTOIR is linked a second time.
TEST(OpenClassesOfLtoir, AreKeptByLinks) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for(std::string(ID) + KERNEL_UNIT, CUCORE_CODE_TYPE_LTOIR, "a.cu");
  const Classes of_kernel{POINTER, INTEGER, INTEGER}, of_unused{POINTER, INTEGER};
  EXPECT_EQ(classes_of(a, "kernel_"), of_kernel) << "with an undefined function";
  EXPECT_EQ(classes_of(a, "unused_"), of_unused);
  for (const cucore_code_type type :
       {CUCORE_CODE_TYPE_LTOIR, CUCORE_CODE_TYPE_CUBIN, CUCORE_CODE_TYPE_PTX}) {
    const Code b = compile_for(HELPER_UNIT, type, "b.cu");
    const Linker linker = make_linker();
    SUCCEEDS(cucore_linker_add, linker, a);
    SUCCEEDS(cucore_linker_add, linker, b);
    const Code cubin = link(linker);
    EXPECT_EQ(classes_of(cubin, "kernel_"), of_kernel) << type;
    EXPECT_EQ(classes_of(cubin, "unused_"), of_unused) << type;
    EXPECT_FALSE(contains(cucore_objectcode_log(cubin), "100")) << type;
    if (type != CUCORE_CODE_TYPE_LTOIR) continue;
    const Code ptx = link(linker, CUCORE_CODE_TYPE_PTX);
    EXPECT_TRUE(contains(bytes_of(ptx), ".target sm_90"));
    EXPECT_EQ(classes_of(ptx, "kernel_"), of_kernel);
  }
}

}  // namespace
