// SPDX-License-Identifier: Apache-2.0
// Programs: every option as NVRTC receives it, name expressions, headers, determinism, default
// targets.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;
namespace fs = std::filesystem;

cucore_program_options arch(const char* name = "compute_90") {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = name;
  return options;
}

// The flags of a field, without those of every compile.
std::vector<std::string> flags_of(const cucore_program_options& options,
                                  cucore_code_type target = CUCORE_CODE_TYPE_PTX) {
  compile(make_program(SAXPY_SOURCE, &options), target);
  std::vector<std::string> flags;
  for (const std::string& flag : last_options())
    if (flag != "--gpu-architecture=compute_90" && flag != "--no-cache" &&
        flag.substr(0, 15) != "--frandom-seed=")
      flags.push_back(flag);
  return flags;
}

using Flags = std::vector<std::string>;

TEST(ProgramOptions, TogglesBecomeFlags) {
  NEEDS_FAKE_COMPILER();
  const struct {
    cucore_toggle cucore_program_options::*field;
    const char *on, *off;  // "" nothing
  } toggles[] = {
#define T(field, on, off) {&cucore_program_options::field, on, off}
      T(relocatable_device_code, "--relocatable-device-code=true",
        "--relocatable-device-code=false"),
      T(extensible_whole_program, "--extensible-whole-program", ""),
      T(debug, "--device-debug", ""),
      T(lineinfo, "--generate-line-info", ""),
      T(device_code_optimize, "--dopt=on", ""),
      T(ftz, "--ftz=true", "--ftz=false"),
      T(prec_sqrt, "--prec-sqrt=true", "--prec-sqrt=false"),
      T(prec_div, "--prec-div=true", "--prec-div=false"),
      T(fma, "--fmad=true", "--fmad=false"),
      T(use_fast_math, "--use_fast_math", ""),
      T(extra_device_vectorization, "--extra-device-vectorization", ""),
      T(gen_opt_lto, "--gen-opt-lto", ""),
      T(source_include, "", "--no-source-include"),
      T(bundled_headers, "--use-bundled-headers", ""),
      T(builtin_move_forward, "--builtin-move-forward=true", "--builtin-move-forward=false"),
      T(builtin_initializer_list, "--builtin-initializer-list=true",
        "--builtin-initializer-list=false"),
      T(restrict_pointers, "--restrict", ""),
      T(device_as_default_execution_space, "--device-as-default-execution-space", ""),
      T(device_int128, "--device-int128", ""),
      T(device_float128, "--device-float128", ""),
      T(syntax_only, "--fdevice-syntax-only", ""),
      T(minimal, "--minimal", ""),
      T(warnings, "", "--disable-warnings"),
      T(display_error_numbers, "", "--no-display-error-number"),
      T(brief_diagnostics, "--brief-diagnostics=true", "--brief-diagnostics=false"),
      T(pch, "--pch", ""),
      T(pch_verbose, "--pch-verbose=true", "--pch-verbose=false"),
      T(pch_messages, "--pch-messages=true", "--pch-messages=false"),
      T(instantiate_templates_in_pch, "--instantiate-templates-in-pch=true",
        "--instantiate-templates-in-pch=false"),
#undef T
  };
  for (const auto& [field, on, off] : toggles) {
    cucore_program_options options = arch();
    EXPECT_EQ(flags_of(options), Flags{});
    options.*field = CUCORE_TOGGLE_ON;
    EXPECT_EQ(flags_of(options), *on ? Flags{on} : Flags{});
    options.*field = CUCORE_TOGGLE_OFF;
    EXPECT_EQ(flags_of(options), *off ? Flags{off} : Flags{});
    options.*field = static_cast<cucore_toggle>(3);
    cucore_program* none = nullptr;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_program_options.|is 3|cucore_toggle",
          cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
  }
}

TEST(ProgramOptions, TextsBecomeFlags) {
  NEEDS_FAKE_COMPILER();
  const struct {
    const char* cucore_program_options::*field;
    const char* flag;
  } texts[] = {{&cucore_program_options::ofast_compile, "--Ofast-compile="},
               {&cucore_program_options::standard, "--std="},
               {&cucore_program_options::optimization_info, "--optimization-info="},
               {&cucore_program_options::time, "--time="},
               {&cucore_program_options::time_trace, "--fdevice-time-trace="},
               {&cucore_program_options::create_pch, "--create-pch="},
               {&cucore_program_options::use_pch, "--use-pch="},
               {&cucore_program_options::pch_directory, "--pch-dir="}};
  for (const auto& [field, flag] : texts) {
    cucore_program_options options = arch();
    options.*field = "some value";
    EXPECT_EQ(flags_of(options), Flags{std::string(flag) + "some value"});
  }
}

TEST(ProgramOptions, ListsBecomeFlagsInTheirOrder) {
  NEEDS_FAKE_COMPILER();
  const char* values[] = {"one", "two=2"};
  using Options = cucore_program_options;
  const struct {
    const char* const* Options::*list;
    size_t Options::*count;
    std::string flag;
  } lists[] = {{&Options::ptxas_options, &Options::ptxas_option_count, "--ptxas-options="},
               {&Options::define_macros, &Options::define_macro_count, "--define-macro="},
               {&Options::undefine_macros, &Options::undefine_macro_count, "--undefine-macro="},
               {&Options::include_paths, &Options::include_path_count, "--include-path="},
               {&Options::pre_includes, &Options::pre_include_count, "--pre-include="},
               {&Options::flags, &Options::flag_count, ""}};
  for (const auto& [list, count, flag] : lists) {
    Options options = arch();
    options.toolkit_headers = CUCORE_TOGGLE_OFF;  // a file to include would add its folders
    options.*list = values;
    options.*count = 2;
    EXPECT_EQ(flags_of(options), (Flags{flag + "one", flag + "two=2"}));
    const char* holes[] = {"one", nullptr};
    cucore_program* none = nullptr;
    options.*list = holes;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "NULL at index 1", cucore_program_create,
          CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
    options.*list = nullptr;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "is NULL but its count is 2", cucore_program_create,
          CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
  }
}

TEST(ProgramOptions, NumbersBecomeFlags) {
  NEEDS_FAKE_COMPILER();
  const int32_t codes[] = {177, 550};
  cucore_program_options options = arch();
  options.max_register_count = 40;
  options.split_compile = -1;
  options.diag_errors = options.diag_suppressions = options.diag_warnings = codes;
  options.diag_error_count = options.diag_suppression_count = options.diag_warning_count = 2;
  EXPECT_EQ(
      flags_of(options),
      (Flags{"--maxrregcount=40", "--split-compile=0", "--diag-error=177", "--diag-error=550",
             "--diag-suppress=177", "--diag-suppress=550", "--diag-warn=177", "--diag-warn=550"}));
  options = arch();
  options.split_compile = 4;
  EXPECT_EQ(flags_of(options), Flags{"--split-compile=4"});
  cucore_program* none = nullptr;
  options.split_compile = -2;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "split_compile is -2", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
  options.split_compile = 1024;
  EXPECT_EQ(flags_of(options), Flags{"--split-compile=1024"});
  options.split_compile = 1025;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "split_compile is 1025|up to 1024", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
  options = arch();
  options.max_register_count = -1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "max_register_count is -1", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
  options = arch();
  options.diag_errors = nullptr;
  options.diag_error_count = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "diag_errors is NULL", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
}

class BytesThatAreNotText : public OnDevice {};

// Names of files need not be UTF-8. A container holds text alone.
TEST_F(BytesThatAreNotText, BecomeTextInTheCode) {
  NEEDS_COMPILER();
  const char* macro = "A=\"caf\xe9\"";
  cucore_program_options options = arch();
  options.name = "caf\xe9.cu";
  options.define_macros = &macro;
  options.define_macro_count = 1;
  const char* const expression = "k<float/*\xe9*/>";
  const Code code =
      compile(make_program("template <class T> __global__ void k(T* p) { *p = 1; }\n", &options),
              CUCORE_CODE_TYPE_PTX, {expression});
  EXPECT_STREQ(cucore_objectcode_name(code), "caf\xEF\xBF\xBD.cu");
  const auto bytes = serialized(code);
  EXPECT_TRUE(contains(std::string(bytes.begin(), bytes.end()), "caf\xEF\xBF\xBD\\\""));
  Kernel kernel;
  SUCCEEDS(cucore_objectcode_find_kernel, code, expression, kernel.out());
}

TEST(ProgramOptions, SeedAndCache) {
  NEEDS_FAKE_COMPILER();
  const auto has = [](const std::string& flag) {
    const auto options = last_options();
    return std::find(options.begin(), options.end(), flag) != options.end();
  };
  cucore_program_options options = arch();
  flags_of(options);
  EXPECT_TRUE(has("--no-cache"));
  const Flags first = last_options();
  flags_of(options);
  EXPECT_EQ(last_options(), first) << "equal inputs, equal seeds";
  options.name = "other";
  flags_of(options);
  EXPECT_NE(last_options(), first) << "another program, another seed";
  options = arch();
  options.random_seed = "mine";
  options.compiler_cache = CUCORE_TOGGLE_ON;
  flags_of(options);
  EXPECT_TRUE(has("--frandom-seed=mine"));
  EXPECT_FALSE(has("--no-cache"));
}

TEST(ProgramOptions, LinkTimeOptimization) {
  NEEDS_FAKE_COMPILER();
  cucore_program_options options = arch();
  EXPECT_EQ(flags_of(options, CUCORE_CODE_TYPE_LTOIR), Flags{"--dlink-time-opt"});
  options.link_time_optimization = CUCORE_TOGGLE_ON;
  EXPECT_EQ(flags_of(options, CUCORE_CODE_TYPE_LTOIR), Flags{"--dlink-time-opt"});
  const Program program = make_program(SAXPY_SOURCE, &options);
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "link_time_optimization|LTOIR", cucore_program_compile,
        program, CUCORE_CODE_TYPE_PTX, nullptr, 0, &none);
}

TEST(ProgramOptions, HeadersInMemoryReachTheCompiler) {
  NEEDS_FAKE_COMPILER();
  const char *names[] = {"a.h", "b/c.h"}, *sources[] = {"int a;", "int c;"};
  cucore_program_options options = arch();
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 2;
  flags_of(options);
  ASSERT_EQ(fake_nvrtc()->header_count(), 2u);
  EXPECT_STREQ(fake_nvrtc()->header_at(0), "a.h");
  EXPECT_STREQ(fake_nvrtc()->header_at(1), "b/c.h");
  cucore_program* none = nullptr;
  options.header_sources = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "header_sources", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, &none);
}

TEST(Programs, CopyTheirSourceAndOptions) {
  NEEDS_COMPILER();
  std::string source = SAXPY_SOURCE, name = "compute_90";
  cucore_program_options options = arch(name.c_str());
  const Program program = make_program(source, &options);
  std::fill(source.begin(), source.end(), '!');
  std::fill(name.begin(), name.end(), '!');
  EXPECT_EQ(cucore_objectcode_symbol_count(compile(program)), 1u);
  EXPECT_EQ(cucore_program_backend(program), CUCORE_BACKEND_NVRTC);
}

TEST(Programs, RefuseSourcesThatAreNone) {
  cucore_program* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_CODE, "PTX", cucore_program_create, CUCORE_SOURCE_TYPE_PTX, "", 0,
        nullptr, &none);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "NVVM IR|empty", cucore_program_create,
        CUCORE_SOURCE_TYPE_NVVM_IR, "", 0, nullptr, &none);
  for (const int type : {0, 4})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "type|cucore_source_type", cucore_program_create,
          static_cast<cucore_source_type>(type), "", 0, nullptr, &none);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "NUL at offset 3", cucore_program_create,
        CUCORE_SOURCE_TYPE_CUDA_CPP, "int\0x;", 6, nullptr, &none);
  for (const char* name : {"", "sm_", "sm90", "pascal", "sm_90z", "sm_90 "}) {
    const cucore_program_options options = arch(name);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "arch", cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP,
          "", 0, &options, &none);
  }
}

TEST(Programs, RefuseTargetsThatAreNone) {
  const cucore_program_options options = arch();
  const Program program = make_program("", &options);
  cucore_objectcode* none = nullptr;
  for (const int target : {0, 4, 5, 6, 7, 99})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "PTX, CUBIN or LTOIR", cucore_program_compile, program,
          static_cast<cucore_code_type>(target), nullptr, 0, &none);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "compute_90|sm_90", cucore_program_compile, program,
        CUCORE_CODE_TYPE_CUBIN, nullptr, 0, &none);
  const char* holes[] = {nullptr};
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "name_expressions|index 0", cucore_program_compile, program,
        CUCORE_CODE_TYPE_PTX, holes, 1, &none);
}

TEST(Programs, CompileToEveryTarget) {
  NEEDS_COMPILER();
  cucore_program_options options = arch("sm_90");
  options.name = "saxpy.cu";
  const Program program = make_program(SAXPY_SOURCE, &options);
  for (const auto target : {CUCORE_CODE_TYPE_PTX, CUCORE_CODE_TYPE_CUBIN, CUCORE_CODE_TYPE_LTOIR}) {
    const Code code = compile(program, target);
    EXPECT_EQ(cucore_objectcode_type(code), target);
    EXPECT_STREQ(cucore_objectcode_name(code), "saxpy.cu");
    EXPECT_FALSE(bytes_of(code).empty());
  }
}

TEST(Programs, BringTheWholeLogOfAFailure) {
  NEEDS_COMPILER();
  const cucore_program_options options = arch();
  const Program program = make_program("\n#error deliberately\n", &options);
  cucore_objectcode* code = reinterpret_cast<cucore_objectcode*>(garbage());
  Error error;
  EXPECT_EQ(cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, &code, error.out()),
            CUCORE_ERROR_COMPILATION);
  EXPECT_EQ(code, nullptr);
  const std::string log = cucore_error_log(error), message = cucore_error_message(error);
  EXPECT_TRUE(contains(log, "default_program(2)")) << log;
  EXPECT_TRUE(contains(log, "detected in the compilation")) << log;
  EXPECT_FALSE(contains(log + message, ".cucore")) << "the internal folder shows: " << log;
  EXPECT_TRUE(contains(message, "deliberately")) << message;
  EXPECT_STREQ(cucore_error_origin(error), "nvrtc");
  EXPECT_STREQ(cucore_error_native_name(error), "NVRTC_ERROR_COMPILATION");
}

TEST(Programs, BringWarningsWithTheCode) {
  NEEDS_COMPILER();
  const cucore_program_options options = arch();
  const Code code =
      compile(make_program("#warning carefully\n" + std::string(SAXPY_SOURCE), &options));
  EXPECT_TRUE(contains(cucore_objectcode_log(code), "carefully")) << cucore_objectcode_log(code);
  EXPECT_FALSE(contains(cucore_objectcode_log(code), ".cucore"));
}

TEST(Programs, RefuseFlagsThatTheCompilerDoesNotKnow) {
  NEEDS_COMPILER();
  const char* flags[] = {"--no-such-option"};
  cucore_program_options options = arch();
  options.flags = flags;
  options.flag_count = 1;
  const Program program = make_program("", &options);
  cucore_objectcode* none = nullptr;
  Error error;
  const cucore_status status =
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, &none, error.out());
  EXPECT_NE(status, CUCORE_OK);
  EXPECT_TRUE(contains(std::string(cucore_error_message(error)) + cucore_error_log(error),
                       "no-such-option"))
      << describe(status, error);
}

class Instances : public OnDevice {};

TEST_F(Instances, AreFoundByTheirExpressions) {
  NEEDS_COMPILER();
  const cucore_program_options options = arch(is_emulated() ? "compute_75" : nullptr);
  const Program program = make_program(
      "template <class T> __global__ void scale(T* x, T a) { x[threadIdx.x] *= a; }\n", &options);
  const Code code =
      compile(program, CUCORE_CODE_TYPE_PTX, {"scale<float>", "scale<double>", "scale<float>"});
  const auto bytes = serialized(code);
  Code restored;
  SUCCEEDS(cucore_objectcode_deserialize, bytes.data(), bytes.size(), nullptr, restored.out());
  for (const cucore_objectcode* one : {code.get(), restored.get()}) {
    const Kernel kernel = find_kernel(one, "scale<float>"),
                 spaced = find_kernel(one, " scale< float >"),
                 lowered = find_kernel(one, cucore_kernel_name(kernel));
    EXPECT_EQ(kernel.get(), spaced.get());
    EXPECT_EQ(kernel.get(), lowered.get());
    EXPECT_NE(kernel.get(), find_kernel(one, "scale<double>").get());
    cucore_kernel* none = nullptr;
    FAILS(CUCORE_ERROR_NOT_FOUND, "scale<int>|scale<float>|scale<double>",
          cucore_objectcode_find_kernel, one, "scale<int>", &none);
  }
}

TEST(DefaultArch, OfCubinIsDeviceZerosOrAsked) {
  NEEDS_COMPILER();
  const Program program = make_program(SAXPY_SOURCE);
  if (has_device() && !is_emulated()) {
    EXPECT_STREQ(cucore_objectcode_arch(compile(program, CUCORE_CODE_TYPE_CUBIN)),
                 cucore_device_arch(open_device()));
    return;
  }
  cucore_objectcode* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "arch", cucore_program_compile, program,
        CUCORE_CODE_TYPE_CUBIN, nullptr, 0, &none);
}

TEST(DefaultArch, OfPtxIsDeviceZeros) {
  NEEDS_COMPILER();
  if (!has_device()) GTEST_SKIP() << "no device";
  const std::string number = std::string(cucore_device_arch(open_device())).substr(3);
  EXPECT_EQ(cucore_objectcode_arch(compile(make_program(SAXPY_SOURCE))), "compute_" + number);
}

// A folder that is removed with the test, and the working folder during it.
class WorkingFolder {
 public:
  WorkingFolder()
      : before_(fs::current_path()),
        path_(fs::path(testing::TempDir()) / ("cucore_capi_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / "work");
    fs::create_directories(path_ / "source");
    fs::current_path(path_ / "work");
  }
  ~WorkingFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path before_, path_;
};

constexpr const char* INCLUDES =
    "#include \"answer.h\"\nextern \"C\" __global__ void k(int* x) { *x = ANSWER; }\n";

cucore_status try_compile(const cucore_program_options& options, std::string& log) {
  Code code;
  Error error;
  const Program program = make_program(INCLUDES, &options);
  const cucore_status status =
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), error.out());
  log = cucore_error_log(error);
  return status;
}

TEST(Includes, DoNotComeFromTheWorkingFolder) {
  NEEDS_REAL_COMPILER();
  const WorkingFolder folder;
  folder.write("work/answer.h", "#define ANSWER 41\n");
  std::string log;
  cucore_program_options options = arch();
  EXPECT_EQ(try_compile(options, log), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(log, "answer.h")) << log;
  options.name = "program.cu";
  EXPECT_EQ(try_compile(options, log), CUCORE_ERROR_COMPILATION);
}

TEST(Includes, ComeFromBesideTheSourceThatIsNamed) {
  NEEDS_REAL_COMPILER();
  const WorkingFolder folder;
  folder.write("source/answer.h", "#define ANSWER 42\n");
  const std::string name = folder.path("source/program.cu");
  cucore_program_options options = arch();
  options.name = name.c_str();
  std::string log;
  EXPECT_EQ(try_compile(options, log), CUCORE_OK) << log;
  options.source_include = CUCORE_TOGGLE_OFF;
  EXPECT_EQ(try_compile(options, log), CUCORE_ERROR_COMPILATION);
}

TEST(Includes, ComeFromMemoryAndFromIncludePaths) {
  NEEDS_REAL_COMPILER();
  const WorkingFolder folder;
  folder.write("source/answer.h", "#define ANSWER 42\n");
  const std::string path = folder.path("source");
  const char* paths[] = {path.c_str()};
  cucore_program_options options = arch();
  options.include_paths = paths;
  options.include_path_count = 1;
  std::string log;
  EXPECT_EQ(try_compile(options, log), CUCORE_OK) << log;
  options.include_path_count = 0;
  const char *names[] = {"answer.h"}, *sources[] = {"#define ANSWER INNER\n"},
             *macros[] = {"INNER=43"};
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 1;
  options.define_macros = macros;
  options.define_macro_count = 1;
  EXPECT_EQ(try_compile(options, log), CUCORE_OK) << log;
}

// Whether the toolkit of the compiler in use has headers; the message for a skip otherwise.
std::string toolkit_folders() {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  EXPECT_EQ(cucore_library_query(CUCORE_LIBRARY_NVRTC, &info, nullptr), CUCORE_OK);
  return info.header_folders ? info.header_folders : "";
}

cucore_status compile_text(const char* source, const cucore_program_options& options,
                           std::string& message) {
  Code code;
  Error error;
  const Program program = make_program(source, &options);
  const cucore_status status =
      cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(), error.out());
  message = status ? cucore_error_message(error) : "";
  return status;
}

TEST(ToolkitHeaders, AreFoundWithoutAnOption) {
  NEEDS_REAL_COMPILER();
  if (toolkit_folders().empty()) GTEST_SKIP() << "needs the headers of a CUDA toolkit";
  const cucore_program_options options = arch();
  std::string message;
  for (const char* source : {
           "#include <cuda_fp16.h>\n__global__ void k(__half* x) { *x = __float2half(1.f); }",
           "#include <cooperative_groups.h>\n"
           "__global__ void k() { cooperative_groups::this_thread_block().sync(); }",
           "#include <cuda/std/array>\n"
           "__global__ void k(int* x) { *x = cuda::std::array<int, 3>{1, 2, 3}.size(); }",
           "#include <cub/block/block_reduce.cuh>\n"
           "__global__ void k(int* x) {\n"
           "  __shared__ cub::BlockReduce<int, 32>::TempStorage room;\n"
           "  *x = cub::BlockReduce<int, 32>(room).Sum(1);\n}",
       })
    EXPECT_EQ(compile_text(source, options, message), CUCORE_OK) << source << "\n" << message;
}

TEST(ToolkitHeaders, ComeAfterTheIncludePathsOfTheProgram) {
  NEEDS_REAL_COMPILER();
  const WorkingFolder folder;
  folder.write("source/cuda_fp16.h", "#define IS_OWN 1\n");
  const std::string path = folder.path("source");
  const char* paths[] = {path.c_str()};
  cucore_program_options options = arch();
  options.include_paths = paths;
  options.include_path_count = 1;
  std::string message;
  EXPECT_EQ(
      compile_text("#include <cuda_fp16.h>\nstatic_assert(IS_OWN, \"\");\n", options, message),
      CUCORE_OK)
      << message;
}

TEST(ToolkitHeaders, AreLeftOutWithOff) {
  NEEDS_REAL_COMPILER();
  cucore_program_options options = arch();
  options.toolkit_headers = CUCORE_TOGGLE_OFF;
  std::string message;
  EXPECT_EQ(compile_text("#include <cuda_fp16.h>\n", options, message), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(message,
                       "cuda_fp16.h is a header of the CUDA toolkit, and "
                       "cucore_program_options.toolkit_headers is OFF"))
      << message;
}

TEST(ToolkitHeaders, ChangeNothingOfASourceThatIncludesNoFile) {
  NEEDS_REAL_COMPILER();
  const char* source = "namespace { __device__ int x; }\n__global__ void k() { x = 1; }\n";
  cucore_program_options options = arch();
  const Code with = compile(make_program(source, &options));
  options.toolkit_headers = CUCORE_TOGGLE_OFF;
  EXPECT_EQ(serialized(with), serialized(compile(make_program(source, &options))));
}

TEST(ToolkitHeaders, AreAnOptionOfCudaAlone) {
  cucore_program_options options = arch();
  options.toolkit_headers = CUCORE_TOGGLE_ON;
  Program program;
  const std::string ptx = ".version 7.0\n.target sm_70\n.address_size 64\n";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "toolkit_headers", cucore_program_create,
        CUCORE_SOURCE_TYPE_PTX, ptx.data(), ptx.size(), &options, program.out());
  options.toolkit_headers = CUCORE_TOGGLE_DEFAULT;
  options.reserved_1 = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_program_options.reserved_1 is 1; leave it 0",
        cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, &options, program.out());
}

TEST(MissingHeaders, AreAnsweredWithTheRemedy) {
  NEEDS_REAL_COMPILER();
  const cucore_program_options options = arch();
  std::string message;
  EXPECT_EQ(compile_text("#include \"mine.h\"\n", options, message), CUCORE_ERROR_COMPILATION);
  EXPECT_TRUE(contains(message, "set cucore_program_options.include_paths to the folder of mine.h"))
      << message;
}

}  // namespace
