// SPDX-License-Identifier: Apache-2.0
// Compiles a source file, for compile and run.
#pragma once

#include <CLI/CLI.hpp>
#include <cucore/program.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distinct.hpp"

namespace cucore::cli {

// The options of a compile, as on the command line.
struct CompileFlags {
  std::string language;
  std::vector<std::string> names;
  std::vector<std::string> extra_sources;  // files, read for each compile
  ProgramOptions options;

  // Adds the options that most programs need.
  void add_to(CLI::App& command);
  // Returns the files that the compiler reads and writes.
  FileUse files() const;
  // Adds the other options: each field of ProgramOptions has an option.
  void add_all_to(CLI::App& command);

 private:
  void add_rare_to(CLI::App& command);
};

// Returns the language of a file by its suffix, .ptx, .ll or .bc; nullopt for others.
std::optional<SourceType> language_of(const std::string& path);

// Returns the requested language, else that of the file, else CUDA C++.
SourceType source_type(const std::string& path, const CompileFlags& flags);

// Returns the kind of code for a container without a requested kind. It is machine code if the
// architecture allows it or the source requires it, else PTX.
CodeType default_target(const std::string& path, const CompileFlags& flags);

// Returns a file as a program, not yet compiled.
Program load_program(const std::string& path, const CompileFlags& flags);

// Compiles a file and shows progress on a terminal.
ObjectCode compile_file(const std::string& path, const CompileFlags& flags, CodeType target);

// Returns whether a file is CUDA C++ or NVVM IR by its name; "-" is.
bool is_source(const std::string& path);

}  // namespace cucore::cli
