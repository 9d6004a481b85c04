// Compiling a source file: what compile and run have in common.
#include "source.hpp"

#include <fmt/format.h>

#include <set>

#include "files.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> result;
  result.reserve(strings.size());
  for (const std::string& string : strings) result.push_back(string.c_str());
  return result;
}

void CompileFlags::add_to(CLI::App& command) {
  command.add_option("-a,--arch", arch, "architecture, sm_90 or compute_90; default: device 0's")
      ->type_name("ARCH");
  command.add_option("--std", standard, "language standard, c++20")->type_name("STD");
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* what,
                        const char* type) {
    command.add_option(name, to, what)->type_name(type)->allow_extra_args(false);
  };
  list("-n,--name", names, "template to instantiate, 'saxpy<float>'; repeatable", "EXPR");
  list("-I,--include-path", include_paths, "folder of headers; repeatable", "DIR");
  list("-D,--define", defines, "macro, NAME or NAME=VALUE; repeatable", "MACRO");
  list("-f,--flag", flags, "passed to the compiler as it is, --flag=--fmad=false; repeatable",
       "FLAG");
}

Program load_program(const std::string& path, const CompileFlags& flags) {
  const std::string source = read_file(path);
  const std::string name = path == "-" ? "stdin.cu" : path;
  const auto include_paths = pointers(flags.include_paths);
  const auto defines = pointers(flags.defines);
  const auto extra = pointers(flags.flags);
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = name.c_str();
  options.arch = or_null(flags.arch);
  options.standard = or_null(flags.standard);
  options.include_paths = include_paths.data();
  options.include_path_count = include_paths.size();
  options.define_macros = defines.data();
  options.define_macro_count = defines.size();
  options.flags = extra.data();
  options.flag_count = extra.size();
  return make<Program>(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, source.data(),
                       source.size(), &options);
}

ObjectCode compile_file(const std::string& path, const CompileFlags& flags,
                        cucore_code_type target) {
  const Program program = load_program(path, flags);
  const auto names = pointers(flags.names);
  const Progress progress("compiling " + file_name(path == "-" ? "stdin.cu" : path));
  return make<ObjectCode>(cucore_program_compile, program.get(), target, names.data(),
                          names.size());
}

bool is_source(const std::string& path) {
  static const std::set<std::string> suffixes{".cu", ".cuh", ".cpp", ".cc", ".c", ".txt"};
  return path == "-" || suffixes.count(file_suffix(path)) != 0;
}

}  // namespace cucore::cli
