// Compiling a source file: what compile and run have in common.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "handles.hpp"

namespace cucore::cli {

/// The options that say how to compile, as they stand on the command line.
struct CompileFlags {
  std::string arch;
  std::string standard;
  std::vector<std::string> names;
  std::vector<std::string> include_paths;
  std::vector<std::string> defines;
  std::vector<std::string> flags;

  void add_to(CLI::App& command);
};

/// A file as a program, not yet compiled.
Program load_program(const std::string& path, const CompileFlags& flags);

/// The library takes arrays of C strings; this one points into the strings it was made from.
std::vector<const char*> pointers(const std::vector<std::string>& strings);

/// Compiles a file, with a sign of life where a person waits.
ObjectCode compile_file(const std::string& path, const CompileFlags& flags,
                        cucore_code_type target);

/// Whether a file is CUDA C++ by its name; "-" is.
bool is_source(const std::string& path);

}  // namespace cucore::cli
