// SPDX-License-Identifier: Apache-2.0
// Compiling a source file: what compile and run have in common.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distinct.hpp"
#include "handles.hpp"

namespace cucore::cli {

// The options that say how to compile, as they stand on the command line.
struct CompileFlags {
  std::string language;
  std::string arch;
  std::string standard;
  std::vector<std::string> names;
  std::vector<std::string> include_paths;
  std::vector<std::string> defines;
  std::vector<std::string> flags;
  std::vector<std::string> undefines, pre_includes, ptxas, extra_sources;
  std::vector<std::int32_t> diag_errors, diag_suppressions, diag_warnings;
  std::string ofast, optimization_info, time, time_trace, seed, create_pch, use_pch, pch_directory;
  // The rest: toggles and numbers. What points into the strings above is set for a compile.
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;

  // Those that most programs need.
  void add_to(CLI::App& command);
  // The files that the compiler is to read and write.
  FileUse files() const;
  // The others too: each field of cucore_program_options has its option.
  void add_all_to(CLI::App& command);

 private:
  void add_rare_to(CLI::App& command);
};

// The language of a file by its name, .ptx, .ll and .bc; nothing if that says nothing.
std::optional<cucore_source_type> language_of(const std::string& path);

// The language that is said, else the file's, else CUDA C++.
cucore_source_type source_type(const std::string& path, const CompileFlags& flags);

// The kind of code that a container gets when no kind is named: machine code where the
// architecture allows it or the source leaves no choice, else PTX.
cucore_code_type default_target(const std::string& path, const CompileFlags& flags);

// A file as a program, not yet compiled.
Program load_program(const std::string& path, CompileFlags flags);

// Compiles a file, with a sign of life where a person waits.
ObjectCode compile_file(const std::string& path, CompileFlags flags, cucore_code_type target);

// Whether a file is CUDA C++ or NVVM IR by its name; "-" is.
bool is_source(const std::string& path);

}  // namespace cucore::cli
