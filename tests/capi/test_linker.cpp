// SPDX-License-Identifier: Apache-2.0
// Linking: backends, options, names that survive, failures with the whole log, PTX and NVVM IR as
// programs.
#include <algorithm>
#include <cstring>

#include "linker_testing.hpp"

namespace {

using namespace capi_test;

bool has_nvvm() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  Error error;
  return cucore_library_query(CUCORE_LIBRARY_NVVM, &info, error.out()) == CUCORE_OK &&
         info.available;
}

constexpr char CALLER[] =
    "__device__ float helper(float);\n"
    "template <class T> __global__ void use(T* p) { *p = helper(*p); }\n";
constexpr char CALLEE[] = "__device__ float helper(float x) { return x * 3.0f + 1.0f; }\n";

// Returns the library's list of symbols: "use<float>=_Z3useIfEvPT_" of each.
std::vector<std::string> names_of(const cucore_objectcode* code) {
  std::vector<std::string> names;
  for (size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    MUST(cucore_objectcode_symbol_at, code, i, &info);
    if (info.kind == CUCORE_SYMBOL_KERNEL)
      names.push_back(std::string(info.expression) + "=" + info.lowered_name);
  }
  return names;
}

TEST(Linker, LinksLtoIrAndKeepsTheNames) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for(CALLER, CUCORE_CODE_TYPE_LTOIR, "a.cu", {"use<float>"});
  const Code b = compile_for(CALLEE, CUCORE_CODE_TYPE_LTOIR, "b.cu");
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, a);
  SUCCEEDS(cucore_linker_add, linker, b);
  EXPECT_EQ(cucore_linker_backend(linker), CUCORE_BACKEND_NVJITLINK);
  const Code cubin = link(linker);
  EXPECT_EQ(cucore_objectcode_type(cubin), CUCORE_CODE_TYPE_CUBIN);
  EXPECT_STREQ(cucore_objectcode_arch(cubin), "sm_90");
  EXPECT_STREQ(cucore_objectcode_name(cubin), "a.cu");
  EXPECT_EQ(names_of(cubin), std::vector<std::string>{"use<float>=_Z3useIfEvPT_"});
  // The call between the two is gone: the PTX of the same link has one function and no call.
  const std::string ptx = bytes_of(link(linker, CUCORE_CODE_TYPE_PTX));
  EXPECT_FALSE(contains(ptx, "call")) << ptx;
  EXPECT_TRUE(contains(ptx, "fma.rn.f32")) << ptx;
  EXPECT_EQ(bytes_of(link(linker)), bytes_of(cubin)) << "equal inputs, other bytes";
}

TEST(Linker, LinksMixedKinds) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for(CALLER, CUCORE_CODE_TYPE_PTX, "a.cu", {"use<float>"});
  const Code b = compile_for(CALLEE, CUCORE_CODE_TYPE_CUBIN, "b.cu");
  const Code c =
      compile_for("__global__ void other() {}", CUCORE_CODE_TYPE_LTOIR, "c.cu", {"other"});
  const Linker linker = make_linker();
  for (const auto* code : {&a, &b, &c}) SUCCEEDS(cucore_linker_add, linker, *code);
  std::vector<std::string> names = names_of(link(linker));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"other=_Z5otherv", "use<float>=_Z3useIfEvPT_"}));
}

// Names of files need not be UTF-8. A container holds text alone.
TEST(Linker, MakesTextOfBytesThatAreNotText) {
  NEEDS_REAL_LINKER();
  cucore_linker_options options = for_sm_90();
  options.name = "caf\xe9";
  const char* const kernel = "one";
  options.kernels_used = &kernel;
  options.kernels_used_count = 1;
  const Linker linker = make_linker(options);
  const Code code =
      compile_for("__global__ void one() {}", CUCORE_CODE_TYPE_LTOIR, "a.cu", {"one"});
  SUCCEEDS(cucore_linker_add, linker, code);
  const Code linked = link(linker);
  EXPECT_STREQ(cucore_objectcode_name(linked), "caf\xEF\xBF\xBD");
  EXPECT_FALSE(serialized(linked).empty());
}

TEST(Linker, AcceptsInputsAfterALink) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for("__global__ void one() {}", CUCORE_CODE_TYPE_LTOIR, "a.cu", {"one"});
  const Code b = compile_for("__global__ void two() {}", CUCORE_CODE_TYPE_LTOIR, "b.cu", {"two"});
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, a);
  EXPECT_EQ(names_of(link(linker)), std::vector<std::string>{"one=_Z3onev"});
  SUCCEEDS(cucore_linker_add, linker, b);
  std::vector<std::string> names = names_of(link(linker));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"one=_Z3onev", "two=_Z3twov"}));
}

TEST(Linker, RefusesWhatItWouldLeaveOut) {
  NEEDS_REAL_LINKER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = "whole.cu";
  const Code whole = compile(make_program("extern \"C\" __global__ void k() {}", &options),
                             CUCORE_CODE_TYPE_CUBIN);
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, whole);
  Code out;
  Error error;
  EXPECT_EQ(cucore_linker_link(linker, CUCORE_CODE_TYPE_CUBIN, out.out(), error.out()),
            CUCORE_ERROR_LINKING);
  EXPECT_EQ(out.get(), nullptr);
  EXPECT_TRUE(contains(cucore_error_message(error), "whole.cu (CUBIN) is linked already"))
      << cucore_error_message(error);
}

TEST(Linker, SaysWhichReferenceIsUndefined) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for(CALLER, CUCORE_CODE_TYPE_PTX, "a.cu", {"use<float>"});
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, a);
  Code out;
  Error error;
  EXPECT_EQ(cucore_linker_link(linker, CUCORE_CODE_TYPE_CUBIN, out.out(), error.out()),
            CUCORE_ERROR_LINKING);
  EXPECT_EQ(out.get(), nullptr);
  EXPECT_TRUE(contains(cucore_error_message(error), "link a.cu for sm_90"))
      << cucore_error_message(error);
  EXPECT_TRUE(contains(cucore_error_message(error), "helper")) << cucore_error_message(error);
  EXPECT_TRUE(contains(cucore_error_log(error), "helper"));
  EXPECT_STREQ(cucore_error_log(error), cucore_linker_log(linker));
  EXPECT_STREQ(cucore_error_origin(error), "nvjitlink");
}

// The same internal name twice: link-time optimisation renames one of them, and the expression
// becomes ambiguous.
TEST(Linker, TellsAnAmbiguousExpression) {
  NEEDS_REAL_LINKER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = "same.cu";
  options.random_seed = "1";
  options.relocatable_device_code = CUCORE_TOGGLE_ON;
  const char* first = "namespace { template <int I> __global__ void k(int* p) { *p += 1; } }";
  const char* second = "namespace { template <int I> __global__ void k(int* p) { *p += 2; } }";
  const Code a = compile(make_program(first, &options), CUCORE_CODE_TYPE_LTOIR, {"k<1>"});
  const Code b = compile(make_program(second, &options), CUCORE_CODE_TYPE_LTOIR, {"k<1>"});
  const Linker linker = make_linker();
  SUCCEEDS(cucore_linker_add, linker, a);
  SUCCEEDS(cucore_linker_add, linker, b);
  const Code both = link(linker);
  std::vector<std::string> names = names_of(both);
  if (names.size() < 2) GTEST_SKIP() << "this nvJitLink does not rename: " << names.size();
  if (!has_device() || is_emulated()) GTEST_SKIP() << "needs a device for CUBINs";
  Kernel kernel;
  FAILS(CUCORE_ERROR_NOT_FOUND, "\"k<1>\" is ambiguous|2 kernels", cucore_objectcode_find_kernel,
        both, "k<1>", kernel.out());
}

TEST(Linker, TakesEveryOption) {
  NEEDS_REAL_LINKER();
  const Code a =
      compile_for(std::string(CALLER) + CALLEE, CUCORE_CODE_TYPE_LTOIR, "a.cu", {"use<float>"});
  const char* kernels[] = {"_Z3useIfEvPT_"};
  const char* variables[] = {"unknown"};
  const char* ptxas[] = {"-v"};
  const char* flags[] = {"-jump-table-density=50"};
  for (const cucore_toggle toggle : {CUCORE_TOGGLE_ON, CUCORE_TOGGLE_OFF}) {
    cucore_linker_options options = for_sm_90();
    options.name = "linked";
    options.time = options.verbose = options.debug = options.lineinfo = options.ftz = toggle;
    options.prec_div = options.prec_sqrt = options.fma = toggle;
    options.optimize_unused_variables = toggle;
    options.optimization_level = toggle == CUCORE_TOGGLE_ON ? "0" : "3";
    options.max_register_count = 64;
    options.split_compile = options.split_compile_extended = 1;
    options.kernels_used = kernels, options.kernels_used_count = 1;
    options.variables_used = variables, options.variables_used_count = 1;
    options.ptxas_options = ptxas, options.ptxas_option_count = 1;
    options.flags = flags, options.flag_count = 1;
    const Linker linker = make_linker(options);
    SUCCEEDS(cucore_linker_add, linker, a);
    const Code code = link(linker);
    EXPECT_STREQ(cucore_objectcode_name(code), "linked");
    if (toggle == CUCORE_TOGGLE_ON) {
      EXPECT_FALSE(std::string(cucore_linker_log(linker)).empty());
    }
  }
}

TEST(Linker, RefusesOptionsThatExcludeEachOther) {
  NEEDS_REAL_LINKER();
  const Code a = compile_for(CALLEE, CUCORE_CODE_TYPE_LTOIR, "a.cu");
  Code out;
  cucore_linker_options options = for_sm_90();
  options.link_time_optimization = CUCORE_TOGGLE_OFF;
  const Linker off = make_linker(options);
  SUCCEEDS(cucore_linker_add, off, a);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "link_time_optimization is OFF|LTOIR", cucore_linker_link,
        off, CUCORE_CODE_TYPE_CUBIN, out.out());
  options = for_sm_90();
  options.ptx = CUCORE_TOGGLE_ON;
  const Linker ptx = make_linker(options);
  SUCCEEDS(cucore_linker_add, ptx, a);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "ptx is ON|CUBIN", cucore_linker_link, ptx,
        CUCORE_CODE_TYPE_CUBIN, out.out());
  FAILS(CUCORE_ERROR_UNSUPPORTED, "LTOIR", cucore_linker_link, ptx, CUCORE_CODE_TYPE_LTOIR,
        out.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "FATBIN", cucore_linker_link, ptx, CUCORE_CODE_TYPE_FATBIN,
        out.out());
}

TEST(Linker, NamesTheFieldThatIsWrong) {
  Linker out;
  const auto refuses = [&](const char* parts, auto set) {
    cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
    set(options);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_linker_create, &options, out.out());
  };
  refuses("cucore_linker_options.arch|sm90", [](auto& o) { o.arch = "sm90"; });
  refuses("optimization_level|\"2\"", [](auto& o) { o.optimization_level = "2"; });
  refuses("max_register_count|-1", [](auto& o) { o.max_register_count = -1; });
  refuses("split_compile|-2", [](auto& o) { o.split_compile = -2; });
  refuses("split_compile_extended|1025|1024", [](auto& o) { o.split_compile_extended = 1025; });
  refuses("ftz|7", [](auto& o) { o.ftz = static_cast<cucore_toggle>(7); });
  refuses("kernels_used|NULL", [](auto& o) { o.kernels_used_count = 1; });
}

TEST(Linker, NeedsAnInput) {
  const Linker linker = make_linker();
  Code out;
  FAILS(CUCORE_ERROR_INVALID_STATE, "nothing to link", cucore_linker_link, linker,
        CUCORE_CODE_TYPE_CUBIN, out.out());
}

// The toolkit's nvJitLink cannot link code of a later toolkit.
TEST(Linker, NamesBothVersionsThatDoNotFit) {
  NEEDS_REAL_LINKER();
  const std::string newer =
      "//\n// Cuda compilation tools, release 99.1, V99.1.1\n.version 8.0\n.target sm_90\n"
      ".address_size 64\n.visible .entry k() { ret; }\n";
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, newer.data(), newer.size());
  cucore_linker_options options = for_sm_90();
  const Linker linker = make_linker(options);
  SUCCEEDS(cucore_linker_add, linker, code);
  EXPECT_EQ(cucore_linker_backend(linker), CUCORE_BACKEND_DRIVER);
  options.link_time_optimization = CUCORE_TOGGLE_ON;
  const Linker lto = make_linker(options);
  SUCCEEDS(cucore_linker_add, lto, code);
  Code out;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "CUDA 99.1|nvJitLink 1", cucore_linker_link, lto,
        CUCORE_CODE_TYPE_CUBIN, out.out());
}

TEST(PtxProgram, IsCompiledByALinker) {
  NEEDS_REAL_LINKER();
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = "p.ptx";
  options.max_register_count = 32;
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_PTX, PTX, PTX_SIZE, &options, program.out());
  EXPECT_EQ(cucore_program_backend(program), CUCORE_BACKEND_NVJITLINK);
  const Code cubin = compile(program, CUCORE_CODE_TYPE_CUBIN);
  EXPECT_STREQ(cucore_objectcode_arch(cubin), "sm_90");
  EXPECT_FALSE(names_of(cubin).empty());
  Code out;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "compiles to a CUBIN, not to PTX", cucore_program_compile,
        program, CUCORE_CODE_TYPE_PTX, nullptr, 0, out.out());
  const char* expression = "k<int>";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "name expressions are for CUDA C++", cucore_program_compile,
        program, CUCORE_CODE_TYPE_CUBIN, &expression, 1, out.out());
}

TEST(PtxProgram, NamesEveryOptionThatItHasNoUseFor) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.minimal = CUCORE_TOGGLE_ON;
  options.standard = "c++20";
  Program out;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "standard|minimal|PTX", cucore_program_create,
        CUCORE_SOURCE_TYPE_PTX, PTX, PTX_SIZE, &options, out.out());
  FAILS(CUCORE_ERROR_INVALID_CODE, "PTX", cucore_program_create, CUCORE_SOURCE_TYPE_PTX, "junk",
        size_t{4}, nullptr, out.out());
}

constexpr char NVVM[] =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
    "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
    "declare float @__nv_sinf(float)\n"
    "define void @k(float* %p) {\n"
    "  %x = load float, float* %p\n"
    "  %y = call float @__nv_sinf(float %x)\n"
    "  store float %y, float* %p\n"
    "  ret void\n"
    "}\n"
    "!nvvm.annotations = !{!0}\n"
    "!0 = !{void (float*)* @k, !\"kernel\", i32 1}\n"
    "!nvvmir.version = !{!1}\n"
    "!1 = !{i32 2, i32 0}\n";

TEST(NvvmProgram, CompilesWithLibdevice) {
  if (!has_nvvm()) GTEST_SKIP() << "needs libNVVM";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.use_libdevice = CUCORE_TOGGLE_ON;
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_NVVM_IR, NVVM, sizeof NVVM - 1, &options,
           program.out());
  EXPECT_EQ(cucore_program_backend(program), CUCORE_BACKEND_NVVM);
  const Code ptx = compile(program, CUCORE_CODE_TYPE_PTX);
  EXPECT_EQ(names_of(ptx), std::vector<std::string>{"=k"});
  EXPECT_FALSE(contains(bytes_of(ptx), ".extern")) << bytes_of(ptx);
  EXPECT_EQ(cucore_objectcode_type(compile(program, CUCORE_CODE_TYPE_LTOIR)),
            CUCORE_CODE_TYPE_LTOIR);
}

TEST(NvvmProgram, MakesTextOfANameThatIsNotText) {
  if (!has_nvvm()) GTEST_SKIP() << "needs libNVVM";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  options.use_libdevice = CUCORE_TOGGLE_ON;
  options.name = "caf\xe9.ll";
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_NVVM_IR, NVVM, sizeof NVVM - 1, &options,
           program.out());
  const Code ptx = compile(program, CUCORE_CODE_TYPE_PTX);
  EXPECT_STREQ(cucore_objectcode_name(ptx), "caf\xEF\xBF\xBD.ll");
  EXPECT_FALSE(serialized(ptx).empty());
}

TEST(NvvmProgram, TellsWhatIsWrongWithTheIr) {
  if (!has_nvvm()) GTEST_SKIP() << "needs libNVVM";
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "sm_90";
  Program program;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_NVVM_IR, "define junk", size_t{11}, &options,
           program.out());
  Code out;
  Error error;
  EXPECT_EQ(
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, out.out(), error.out()),
      CUCORE_ERROR_COMPILATION);
  EXPECT_STREQ(cucore_error_origin(error), "nvvm");
  EXPECT_FALSE(std::string(cucore_error_log(error)).empty());
}

TEST(NvvmProgram, ChecksTheExtraSources) {
  const char* names[] = {"a"};
  const void* sources[] = {"x"};
  size_t sizes[] = {0};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.extra_source_names = names;
  options.extra_source_count = 1;
  Program out;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "extra_sources|NULL", cucore_program_create,
        CUCORE_SOURCE_TYPE_NVVM_IR, "x", size_t{1}, &options, out.out());
  options.extra_sources = sources;
  options.extra_source_sizes = sizes;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "extra_sources|index 0|\"a\"", cucore_program_create,
        CUCORE_SOURCE_TYPE_NVVM_IR, "x", size_t{1}, &options, out.out());
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "extra_sources|NVVM IR", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "x", size_t{1}, &options, out.out());
}

}  // namespace
