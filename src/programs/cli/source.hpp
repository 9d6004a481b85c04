// SPDX-License-Identifier: Apache-2.0
// Compiles a source file, for compile and run.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distinct.hpp"
#include "handles.hpp"

namespace cucore::cli {

// The options of a compile, as on the command line.
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
  // The other options: toggles and numbers. Members that point into the strings above are set for a
  // compile.
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;

  // Adds the options that most programs need.
  void add_to(CLI::App& command);
  // Returns the files that the compiler reads and writes.
  FileUse files() const;
  // Adds the other options: each field of cucore_program_options has an option.
  void add_all_to(CLI::App& command);

 private:
  void add_rare_to(CLI::App& command);
};

// Returns the language of a file by its suffix, .ptx, .ll or .bc; nullopt for others.
std::optional<cucore_source_type> language_of(const std::string& path);

// Returns the requested language, else that of the file, else CUDA C++.
cucore_source_type source_type(const std::string& path, const CompileFlags& flags);

// Returns the kind of code for a container without a requested kind. It is machine code if the
// architecture allows it or the source requires it, else PTX.
cucore_code_type default_target(const std::string& path, const CompileFlags& flags);

// Returns a file as a program, not yet compiled.
Program load_program(const std::string& path, CompileFlags flags);

// Compiles a file and shows progress on a terminal.
ObjectCode compile_file(const std::string& path, CompileFlags flags, cucore_code_type target);

// Returns whether a file is CUDA C++ or NVVM IR by its name; "-" is.
bool is_source(const std::string& path);

}  // namespace cucore::cli
