// SPDX-License-Identifier: Apache-2.0
// Compiles a source file, for compile and run.
#include "source.hpp"

#include <fmt/format.h>

#include <set>

#include "files.hpp"
#include "image.hpp"
#include "memory_reserve.hpp"
#include "strings.hpp"
#include "terminal.hpp"
#include "toggles.hpp"

namespace cucore::cli {
namespace {

using Options = ProgramOptions;

constexpr ToggleRow<Options> PROGRAM_TOGGLES[] = {
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
  std::string Options::*field;
  const char* name;
  const char* what;
  const char* type;
};
constexpr TextRow TEXTS[] = {
    {&Options::ofast_compile, "--ofast-compile", "0, min, mid or max: compile faster", "LEVEL"},
    {&Options::optimization_info, "--optimization-info", "report optimisations, inline", "KIND"},
    {&Options::time, "--time", "file for times of the phases, - for the log", "FILE"},
    {&Options::time_trace, "--time-trace", "file for a trace of the compile", "FILE"},
    {&Options::random_seed, "--random-seed", "default: derived from the inputs", "TEXT"},
    {&Options::create_pch, "--create-pch", "precompiled header to write", "FILE"},
    {&Options::use_pch, "--use-pch", "precompiled header to use", "FILE"},
    {&Options::pch_directory, "--pch-dir", "folder of precompiled headers", "DIR"},
};

void add_list(CLI::App& command, const char* name, std::vector<std::string>& to, const char* what,
              const char* type) {
  command.add_option(name, to, what)->type_name(type)->allow_extra_args(false);
}

void add_numbers(CLI::App& command, const char* name, std::vector<std::int32_t>& to,
                 const char* what) {
  command.add_option(name, to, what)->type_name("N")->allow_extra_args(false);
}

bool includes_in_quotes(std::string_view source) {
  for (std::size_t at = source.find('#'); at != source.npos; at = source.find('#', at + 1)) {
    constexpr std::string_view INCLUDE = "include";
    std::string_view rest = trimmed(source.substr(at + 1, source.find('\n', at) - at));
    if (!rest.starts_with(INCLUDE)) continue;
    if (trimmed(rest.substr(INCLUDE.size())).starts_with('"')) return true;
  }
  return false;
}

// "-" has no name of its own, but messages and the language need one.
std::string shown_name(const std::string& path, SourceType type, std::string_view source) {
  // CUDA C++ resolves includes relative to this exact file name. A name without a folder has none
  // for NVRTC, not even the current one.
  const bool needs_folder =
      type == SourceType::cuda_cpp && path.find('/') == path.npos && includes_in_quotes(source);
  if (path != "-")
    return (needs_folder ? "./" : "") + (type == SourceType::cuda_cpp ? path : code_name(path));
  return type == SourceType::ptx       ? "stdin.ptx"
         : type == SourceType::nvvm_ir ? "stdin.ll"
                                       : "stdin.cu";
}

// Reports a source that is not text with the file's name, because the library sees only bytes.
void require_source(const std::string& source, const std::string& path, SourceType type) {
  const auto known = detect(source, path);
  const bool is_image =
      is_container(source) || (known && *known != CodeType::ptx && *known != CodeType::ltoir);
  if (is_image)
    throw failed(
        fmt::format("{} is already compiled, it is {}: 'cucore inspect' shows it, "
                    "'cucore link' takes it",
                    path, is_container(source) ? "a container" : type_name(*known)));
  const std::size_t nul = source.find('\0');
  if (nul != source.npos && type == SourceType::cuda_cpp)
    throw failed(fmt::format("{} is not text: it has a NUL at offset {}", path, nul));
}

Program make_program(const std::string& path, const CompileFlags& flags) {
  const SourceType type = source_type(path, flags);
  const std::string source = read_file(path);
  require_source(source, path, type);
  Options options = flags.options;
  options.name = shown_name(path, type, source);
  add_log_name(options.name);
  for (const std::string& module : flags.extra_sources)
    options.extra_sources.push_back({module, read_file(module)});
  require_memory();
  try {
    return Program::create(type, source, options);
  } catch (const Error& error) {
    throw Failure(error).about(path);
  }
}

}  // namespace

void CompileFlags::add_to(CLI::App& command) {
  command
      .add_option("-a,--arch", options.arch,
                  "architecture, sm_90 or compute_90; default: device 0's")
      ->type_name("ARCH");
  command.add_option("--std", options.standard, "language standard, c++20")->type_name("STD");
  add_list(command, "-n,--name", names, "template to instantiate, 'saxpy<float>'; repeatable",
           "EXPR");
  add_list(command, "-I,--include-path", options.include_paths, "folder of headers; repeatable",
           "DIR");
  add_list(command, "-D,--define", options.define_macros, "macro, NAME or NAME=VALUE; repeatable",
           "MACRO");
  add_list(command, "-f,--flag", options.flags,
           "passed to the compiler unchanged, --flag=--fmad=false; repeatable", "FLAG");
}

FileUse CompileFlags::files() const {
  FileUse use{options.pre_includes, {}};
  use.inputs.insert(use.inputs.end(), extra_sources.begin(), extra_sources.end());
  if (!options.use_pch.empty()) use.inputs.push_back(options.use_pch);
  for (const std::string& output : {options.time, options.time_trace, options.create_pch})
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
  add_list(command, "-U,--undefine", options.undefine_macros, "macro to undefine; repeatable",
           "MACRO");
  add_list(command, "--pre-include", options.pre_includes, "header before the source; repeatable",
           "FILE");
  add_list(command, "-X,--ptxas", options.ptxas_options, "passed to ptxas, --ptxas=-v; repeatable",
           "OPTION");
  add_list(command, "--extra-source", extra_sources, "further module of NVVM IR; repeatable",
           "FILE");
  command.add_option("--maxrregcount", options.max_register_count, "most registers per thread")
      ->type_name("N");
  command
      .add_option("--split-compile", options.split_compile, "threads that optimise; -1: all cores")
      ->type_name("N");
  for (const ToggleRow<Options>& row : PROGRAM_TOGGLES)
    add_toggle(command, options, row.field, row.name, row.what);
  for (const TextRow& row : TEXTS)
    command.add_option(row.name, options.*row.field, row.what)->type_name(row.type);
  add_numbers(command, "--diag-error", options.diag_errors, "message to make an error; repeatable");
  add_numbers(command, "--diag-suppress", options.diag_suppressions,
              "message to leave out; repeatable");
  add_numbers(command, "--diag-warn", options.diag_warnings,
              "message to make a warning; repeatable");
}

std::optional<SourceType> language_of(const std::string& path) {
  const std::string suffix = file_suffix(path);
  if (suffix == ".ptx") return SourceType::ptx;
  if (suffix == ".ll" || suffix == ".bc") return SourceType::nvvm_ir;
  return std::nullopt;
}

SourceType source_type(const std::string& path, const CompileFlags& flags) {
  if (flags.language == "ptx") return SourceType::ptx;
  if (flags.language == "nvvm") return SourceType::nvvm_ir;
  if (flags.language == "cuda") return SourceType::cuda_cpp;
  return language_of(path).value_or(SourceType::cuda_cpp);
}

CodeType default_target(const std::string& path, const CompileFlags& flags) {
  switch (source_type(path, flags)) {
    case SourceType::ptx:
      return CodeType::cubin;
    case SourceType::nvvm_ir:
      return CodeType::ptx;
    default:
      return flags.options.arch.starts_with("sm_") ? CodeType::cubin : CodeType::ptx;
  }
}

Program load_program(const std::string& path, const CompileFlags& flags) {
  return make_program(path, flags);
}

ObjectCode compile_file(const std::string& path, const CompileFlags& flags, CodeType target) {
  const Program program = make_program(path, flags);
  set_log_source(path);
  const Progress progress("compiling " + file_name(path));
  return program.compile(target, flags.names);
}

bool is_source(const std::string& path) {
  static const std::set<std::string> suffixes{".cu", ".cuh", ".cpp", ".cc",
                                              ".c",  ".txt", ".ll",  ".bc"};
  return path == "-" || suffixes.count(file_suffix(path)) != 0;
}

}  // namespace cucore::cli
