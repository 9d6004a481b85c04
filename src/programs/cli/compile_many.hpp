// SPDX-License-Identifier: Apache-2.0
// Compiles several files at once, each to a separate file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"

namespace cucore::cli {

struct ManyRequest {
  std::vector<std::string> files;
  std::string folder;        // folder of the results
  std::string suffix;        // ".cubin": replaces the suffix of the source
  bool in_container = true;  // results are containers, which keep the names
  bool compress = false;
  bool quiet = false;
  std::size_t jobs = 0;       // worker processes; 0: one per core
  std::uint32_t seconds = 0;  // limit per compile; 0: no limit
  bool use_cache = false;
  CodeType target = CodeType::ptx;
};

// Tries every file; throws a failure at the end if one could not be compiled.
void compile_many(const ManyRequest& request, const CompileFlags& flags);

}  // namespace cucore::cli
