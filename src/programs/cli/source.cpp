// SPDX-License-Identifier: Apache-2.0
// Compiles a source file, for compile and run.
#include "source.hpp"

#include <fmt/format.h>

#include <set>

#include "files.hpp"
#include "image.hpp"
#include "strings.hpp"
#include "terminal.hpp"
#include "toggles.hpp"

namespace cucore::cli {
namespace {

using Options = cucore_program_options;

struct ToggleRow {
  cucore_toggle Options::*field;
  const char* name;
  const char* what;
};
constexpr ToggleRow TOGGLES[] = {
    {&Options::relocatable_device_code, "rdc", "code that is linked with other code later"},
    {&Options::extensible_whole_program, "ewp", "whole program that may be extended"},
    {&Options::debug, "debug", "debug information"},
    {&Options::lineinfo, "lineinfo", "line numbers for profilers"},
    {&Options::device_code_optimize, "dopt", "optimise in spite of --debug"},
    {&Options::ftz, "ftz", "denormal floats become 0"},
    {&Options::prec_sqrt, "prec-sqrt", "exact square roots of floats"},
    {&Options::prec_div, "prec-div", "exact division of floats"},
    {&Options::fma, "fma", "contract to fused multiply-add"},
    {&Options::use_fast_math, "use-fast-math", "all options for fast, inexact floats"},
    {&Options::extra_device_vectorization, "extra-device-vectorization", "vectorise more"},
    {&Options::link_time_optimization, "lto", "LTOIR alone"},
    {&Options::gen_opt_lto, "gen-opt-lto", "optimise before link-time optimisation"},
    {&Options::source_include, "source-include",
     "quoted includes search the folder of the file that includes them"},
    {&Options::bundled_headers, "use-bundled-headers", "headers that come with the compiler"},
    {&Options::toolkit_headers, "toolkit-headers",
     "search the headers of the CUDA toolkit; on by default"},
    {&Options::builtin_move_forward, "builtin-move-forward", "std::move as a builtin"},
    {&Options::builtin_initializer_list, "builtin-initializer-list",
     "std::initializer_list as a builtin"},
    {&Options::restrict_pointers, "restrict", "pointer parameters do not alias"},
    {&Options::device_as_default_execution_space, "device-as-default-execution-space",
     "functions without an attribute are __device__"},
    {&Options::device_int128, "device-int128", "__int128"},
    {&Options::device_float128, "device-float128", "__float128"},
    {&Options::syntax_only, "syntax-only", "check, make nothing"},
    {&Options::minimal, "minimal", "leave out declarations that few kernels need"},
    {&Options::warnings, "warnings", "warnings; on by default"},
    {&Options::display_error_numbers, "display-error-numbers", "numbers of messages"},
    {&Options::brief_diagnostics, "brief-diagnostics", "messages without source lines"},
    {&Options::compiler_cache, "compiler-cache", "let NVRTC cache results in the driver"},
    {&Options::pch, "pch", "precompiled headers, made and used as needed"},
    {&Options::pch_verbose, "pch-verbose", "report why a precompiled header is not used"},
    {&Options::pch_messages, "pch-messages", "report which precompiled header is used"},
    {&Options::instantiate_templates_in_pch, "instantiate-templates-in-pch",
     "instantiate before the header is written"},
    {&Options::use_libdevice, "libdevice", "of NVVM IR: link CUDA's device library as needed"},
};

struct TextRow {
  std::string CompileFlags::*field;
  const char* name;
  const char* what;
  const char* type;
};
constexpr TextRow TEXTS[] = {
    {&CompileFlags::ofast, "--ofast-compile", "0, min, mid or max: compile faster", "LEVEL"},
    {&CompileFlags::optimization_info, "--optimization-info", "report optimisations, inline",
     "KIND"},
    {&CompileFlags::time, "--time", "file for times of the phases, - for the log", "FILE"},
    {&CompileFlags::time_trace, "--time-trace", "file for a trace of the compile", "FILE"},
    {&CompileFlags::seed, "--random-seed", "default: derived from the inputs", "TEXT"},
    {&CompileFlags::create_pch, "--create-pch", "precompiled header to write", "FILE"},
    {&CompileFlags::use_pch, "--use-pch", "precompiled header to use", "FILE"},
    {&CompileFlags::pch_directory, "--pch-dir", "folder of precompiled headers", "DIR"},
};

void add_list(CLI::App& command, const char* name, std::vector<std::string>& to, const char* what,
              const char* type) {
  command.add_option(name, to, what)->type_name(type)->allow_extra_args(false);
}

void add_numbers(CLI::App& command, const char* name, std::vector<std::int32_t>& to,
                 const char* what) {
  command.add_option(name, to, what)->type_name("N")->allow_extra_args(false);
}

// Sets an array of the struct and its count; NULL and 0 for an empty list.
template <class T, class U>
void set_list(const std::vector<T>& from, const U*& array, std::size_t& count) {
  array = from.empty() ? nullptr : from.data();
  count = from.size();
}

// The additional modules of NVVM IR, as bytes.
struct Modules {
  std::vector<std::string> texts;
  std::vector<const void*> pointers;
  std::vector<std::size_t> sizes;

  explicit Modules(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) texts.push_back(read_file(path));
    for (const std::string& text : texts) {
      pointers.push_back(text.data());
      sizes.push_back(text.size());
    }
  }
};

void set_texts(CompileFlags& flags) {
  Options& options = flags.options;
  options.arch = or_null(flags.arch);
  options.standard = or_null(flags.standard);
  options.ofast_compile = or_null(flags.ofast);
  options.optimization_info = or_null(flags.optimization_info);
  options.time = or_null(flags.time);
  options.time_trace = or_null(flags.time_trace);
  options.random_seed = or_null(flags.seed);
  options.create_pch = or_null(flags.create_pch);
  options.use_pch = or_null(flags.use_pch);
  options.pch_directory = or_null(flags.pch_directory);
}

void set_numbers(CompileFlags& flags) {
  Options& options = flags.options;
  set_list(flags.diag_errors, options.diag_errors, options.diag_error_count);
  set_list(flags.diag_suppressions, options.diag_suppressions, options.diag_suppression_count);
  set_list(flags.diag_warnings, options.diag_warnings, options.diag_warning_count);
}

// "-" has no name of its own, but messages and the language need one.
std::string shown_name(const std::string& path, cucore_source_type type) {
  // CUDA C++ resolves includes relative to this exact file name.
  if (path != "-") return type == CUCORE_SOURCE_TYPE_CUDA_CPP ? path : code_name(path);
  return type == CUCORE_SOURCE_TYPE_PTX       ? "stdin.ptx"
         : type == CUCORE_SOURCE_TYPE_NVVM_IR ? "stdin.ll"
                                              : "stdin.cu";
}

// Reports a source that is not text with the file's name, because the library sees only bytes.
void require_source(const std::string& source, const std::string& path, cucore_source_type type) {
  const auto known = detect(source, path);
  const bool is_image = is_container(source) || (known && *known != CUCORE_CODE_TYPE_PTX &&
                                                 *known != CUCORE_CODE_TYPE_LTOIR);
  if (is_image)
    throw failed(
        fmt::format("{} is already compiled, it is {}: 'cucore inspect' shows it, "
                    "'cucore link' takes it",
                    path, is_container(source) ? "a container" : type_name(*known)));
  const std::size_t nul = source.find('\0');
  if (nul != source.npos && type == CUCORE_SOURCE_TYPE_CUDA_CPP)
    throw failed(fmt::format("{} is not text: it has a NUL at offset {}", path, nul));
}

Program make_program(const std::string& path, CompileFlags& flags) {
  const cucore_source_type type = source_type(path, flags);
  const std::string source = read_file(path);
  require_source(source, path, type);
  const std::string name = shown_name(path, type);
  add_log_name(name);
  const auto include_paths = pointers(flags.include_paths);
  const auto defines = pointers(flags.defines);
  const auto undefines = pointers(flags.undefines);
  const auto pre_includes = pointers(flags.pre_includes);
  const auto ptxas = pointers(flags.ptxas);
  const auto extra = pointers(flags.flags);
  const auto module_names = pointers(flags.extra_sources);
  const Modules modules(flags.extra_sources);
  Options& options = flags.options;
  options.name = name.c_str();
  set_texts(flags);
  set_numbers(flags);
  set_list(include_paths, options.include_paths, options.include_path_count);
  set_list(defines, options.define_macros, options.define_macro_count);
  set_list(undefines, options.undefine_macros, options.undefine_macro_count);
  set_list(pre_includes, options.pre_includes, options.pre_include_count);
  set_list(ptxas, options.ptxas_options, options.ptxas_option_count);
  set_list(extra, options.flags, options.flag_count);
  set_list(module_names, options.extra_source_names, options.extra_source_count);
  set_list(modules.pointers, options.extra_sources, options.extra_source_count);
  set_list(modules.sizes, options.extra_source_sizes, options.extra_source_count);
  try {
    return make<Program>(cucore_program_create, type, source.data(), source.size(), &options);
  } catch (const Failure& failure) {
    throw failure.about(path);
  }
}

}  // namespace

void CompileFlags::add_to(CLI::App& command) {
  command.add_option("-a,--arch", arch, "architecture, sm_90 or compute_90; default: device 0's")
      ->type_name("ARCH");
  command.add_option("--std", standard, "language standard, c++20")->type_name("STD");
  add_list(command, "-n,--name", names, "template to instantiate, 'saxpy<float>'; repeatable",
           "EXPR");
  add_list(command, "-I,--include-path", include_paths, "folder of headers; repeatable", "DIR");
  add_list(command, "-D,--define", defines, "macro, NAME or NAME=VALUE; repeatable", "MACRO");
  add_list(command, "-f,--flag", flags,
           "passed to the compiler unchanged, --flag=--fmad=false; repeatable", "FLAG");
}

FileUse CompileFlags::files() const {
  FileUse use{pre_includes, {}};
  use.inputs.insert(use.inputs.end(), extra_sources.begin(), extra_sources.end());
  if (!use_pch.empty()) use.inputs.push_back(use_pch);
  for (const std::string& output : {time, time_trace, create_pch})
    if (!output.empty() && output != "-") use.outputs.push_back(output);  // "-" is the log
  return use;
}

void CompileFlags::add_all_to(CLI::App& command) {
  add_to(command);
  const std::size_t common = command.get_options().size();
  add_rare_to(command);
  const std::vector<CLI::Option*> all = command.get_options();
  for (std::size_t i = common; i < all.size(); ++i) all[i]->group("Rarer options");
}

void CompileFlags::add_rare_to(CLI::App& command) {
  command.add_option("-x,--language", language, "cuda, ptx or nvvm; default: by the file's suffix")
      ->check(CLI::IsMember({"cuda", "ptx", "nvvm"}))
      ->type_name("NAME");
  add_list(command, "-U,--undefine", undefines, "macro to undefine; repeatable", "MACRO");
  add_list(command, "--pre-include", pre_includes, "header before the source; repeatable", "FILE");
  add_list(command, "-X,--ptxas", ptxas, "passed to ptxas, --ptxas=-v; repeatable", "OPTION");
  add_list(command, "--extra-source", extra_sources, "further module of NVVM IR; repeatable",
           "FILE");
  command.add_option("--maxrregcount", options.max_register_count, "most registers per thread")
      ->type_name("N");
  command
      .add_option("--split-compile", options.split_compile, "threads that optimise; -1: all cores")
      ->type_name("N");
  for (const ToggleRow& row : TOGGLES) add_toggle(command, options, row.field, row.name, row.what);
  for (const TextRow& row : TEXTS)
    command.add_option(row.name, this->*row.field, row.what)->type_name(row.type);
  add_numbers(command, "--diag-error", diag_errors, "message to make an error; repeatable");
  add_numbers(command, "--diag-suppress", diag_suppressions, "message to leave out; repeatable");
  add_numbers(command, "--diag-warn", diag_warnings, "message to make a warning; repeatable");
}

std::optional<cucore_source_type> language_of(const std::string& path) {
  const std::string suffix = file_suffix(path);
  if (suffix == ".ptx") return CUCORE_SOURCE_TYPE_PTX;
  if (suffix == ".ll" || suffix == ".bc") return CUCORE_SOURCE_TYPE_NVVM_IR;
  return std::nullopt;
}

cucore_source_type source_type(const std::string& path, const CompileFlags& flags) {
  if (flags.language == "ptx") return CUCORE_SOURCE_TYPE_PTX;
  if (flags.language == "nvvm") return CUCORE_SOURCE_TYPE_NVVM_IR;
  if (flags.language == "cuda") return CUCORE_SOURCE_TYPE_CUDA_CPP;
  return language_of(path).value_or(CUCORE_SOURCE_TYPE_CUDA_CPP);
}

cucore_code_type default_target(const std::string& path, const CompileFlags& flags) {
  switch (source_type(path, flags)) {
    case CUCORE_SOURCE_TYPE_PTX:
      return CUCORE_CODE_TYPE_CUBIN;
    case CUCORE_SOURCE_TYPE_NVVM_IR:
      return CUCORE_CODE_TYPE_PTX;
    default:
      return flags.arch.starts_with("sm_") ? CUCORE_CODE_TYPE_CUBIN : CUCORE_CODE_TYPE_PTX;
  }
}

Program load_program(const std::string& path, CompileFlags flags) {
  return make_program(path, flags);
}

ObjectCode compile_file(const std::string& path, CompileFlags flags, cucore_code_type target) {
  const Program program = make_program(path, flags);
  const auto names = pointers(flags.names);
  set_log_source(path);
  const Progress progress("compiling " + file_name(path));
  return make<ObjectCode>(cucore_program_compile, program.get(), target, names.data(),
                          names.size());
}

bool is_source(const std::string& path) {
  static const std::set<std::string> suffixes{".cu", ".cuh", ".cpp", ".cc",
                                              ".c",  ".txt", ".ll",  ".bc"};
  return path == "-" || suffixes.count(file_suffix(path)) != 0;
}

}  // namespace cucore::cli
