// SPDX-License-Identifier: Apache-2.0
// Every option of a program, passed to the real NVRTC, which must accept each flag of the table.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

using Options = cucore_program_options;
using Set = std::function<void(Options&)>;

constexpr const char* ONE[] = {"--verbose"};
constexpr const char* MACRO[] = {"NAME=1"};
constexpr const char* UNDEFINED[] = {"NAME"};
constexpr const char* FOLDER[] = {"/tmp"};
constexpr const char* HEADER_NAME[] = {"pre.h"};
constexpr const char* HEADER[] = {"#define PRE 1\n"};
constexpr const char* FLAG[] = {"--extra-device-vectorization"};
constexpr int32_t CODE[] = {177};

std::string temporary(const char* name) {
  return testing::TempDir() + "cucore_" + std::to_string(getpid()) + name;
}

// Both states of a field that has two.
std::multimap<std::string, Set> cases() {
  std::multimap<std::string, Set> all;
  static const std::string trace = temporary("trace"), pch = temporary("capi.pch");
#define TOGGLE_(field)                                                 \
  all.emplace(#field, [](Options& o) { o.field = CUCORE_TOGGLE_ON; }); \
  all.emplace(#field, [](Options& o) { o.field = CUCORE_TOGGLE_OFF; });
#define VALUE_(field, value) all.emplace(#field, [](Options& o) { o.field = value; });
#define LIST_(field, values)           \
  all.emplace(#field, [](Options& o) { \
    o.field##s = values;               \
    o.field##_count = 1;               \
  });
  TOGGLE_(relocatable_device_code)
  TOGGLE_(extensible_whole_program)
  TOGGLE_(debug)
  TOGGLE_(lineinfo)
  TOGGLE_(device_code_optimize)
  TOGGLE_(ftz)
  TOGGLE_(prec_sqrt)
  TOGGLE_(prec_div)
  TOGGLE_(fma)
  TOGGLE_(use_fast_math)
  TOGGLE_(extra_device_vectorization)
  TOGGLE_(gen_opt_lto)
  TOGGLE_(source_include)
  TOGGLE_(builtin_move_forward)
  TOGGLE_(builtin_initializer_list)
  TOGGLE_(restrict_pointers)
  TOGGLE_(device_as_default_execution_space)
  TOGGLE_(device_int128)
  TOGGLE_(device_float128)
  TOGGLE_(syntax_only)
  TOGGLE_(minimal)
  TOGGLE_(warnings)
  TOGGLE_(display_error_numbers)
  TOGGLE_(brief_diagnostics)
  TOGGLE_(pch)
  TOGGLE_(pch_verbose)
  TOGGLE_(pch_messages)
  TOGGLE_(instantiate_templates_in_pch)
  TOGGLE_(bundled_headers)
  TOGGLE_(link_time_optimization)
  VALUE_(max_register_count, 40)
  VALUE_(split_compile, 2)
  VALUE_(ofast_compile, "max")
  VALUE_(standard, "c++20")
  VALUE_(optimization_info, "inline")
  VALUE_(time, "-")
  VALUE_(time_trace, trace.c_str())
  VALUE_(create_pch, pch.c_str())
  VALUE_(use_pch, pch.c_str())
  VALUE_(pch_directory, "/tmp")
  LIST_(ptxas_option, ONE)
  LIST_(define_macro, MACRO)
  LIST_(undefine_macro, UNDEFINED)
  LIST_(include_path, FOLDER)
  LIST_(flag, FLAG)
  LIST_(diag_error, CODE)
  LIST_(diag_suppression, CODE)
  LIST_(diag_warning, CODE)
#undef TOGGLE_
#undef VALUE_
#undef LIST_
  all.emplace("pre_include", [](Options& o) {
    o.pre_includes = HEADER_NAME;
    o.pre_include_count = 1;
    o.header_names = HEADER_NAME;
    o.header_sources = HEADER;
    o.header_count = 1;
  });
  return all;
}

// Returns whether a compile with the option may fail, with the reason.
bool may_fail(const std::string& field) {
  // no such file exists; the test only checks that NVRTC accepts the flag
  return field == "use_pch";
}

TEST(Flags, OfEveryOptionAreKnownToNvrtc) {
  NEEDS_REAL_COMPILER();
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_NVRTC, &info);
  const int version = info.version_major * 100 + info.version_minor;
  for (const auto& [field, set] : cases()) {
    if (field == "bundled_headers" && version < 1303) continue;
    SCOPED_TRACE(field);
    Options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = field == "device_float128" ? "compute_100"
                   : field == "ptxas_option"  ? "sm_90"
                                              : "compute_90";
    set(options);
    const auto target = field == "gen_opt_lto" || field == "link_time_optimization"
                            ? CUCORE_CODE_TYPE_LTOIR
                        : field == "ptxas_option" ? CUCORE_CODE_TYPE_CUBIN
                                                  : CUCORE_CODE_TYPE_PTX;
    const Program program = make_program(SAXPY_SOURCE, &options);
    Code code;
    Error error;
    const cucore_status status =
        cucore_program_compile(program, target, nullptr, 0, code.out(), error.out());
    EXPECT_STRNE(cucore_error_native_name(error), "NVRTC_ERROR_INVALID_OPTION")
        << describe(status, error);
    EXPECT_TRUE(status == CUCORE_OK || may_fail(field)) << describe(status, error);
  }
  std::filesystem::remove(temporary("trace.json"));  // the compiler adds the suffix
  std::filesystem::remove(temporary("capi.pch"));
}

TEST(Flags, OfTheTableHaveACaseEach) {
  std::ifstream table(CUCORE_NVRTC_OPTIONS);
  if (!table) GTEST_SKIP() << "no table here";
  const auto all = cases();
  const std::regex line("^[A-Z_]+\\((\\w+), \"");
  size_t lines = 0;
  std::smatch match;
  for (std::string text; std::getline(table, text);)
    if (std::regex_search(text, match, line)) {
      ++lines;
      EXPECT_TRUE(all.count(match[1].str())) << match[1] << " has no case";
    }
  EXPECT_GT(lines, 40u);
}

}  // namespace
