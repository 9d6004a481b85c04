// SPDX-License-Identifier: Apache-2.0
// Compiling many files at once, each to a file of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"

namespace cucore::cli {

struct ManyRequest {
  std::vector<std::string> files;
  std::string folder;        // of the results
  std::string suffix;        // ".cubin": what is appended instead of the source's
  bool in_container = true;  // results are containers, which keep the names
  bool compress = false;
  bool quiet = false;
  std::size_t jobs = 0;       // worker processes; 0: one a core
  std::uint32_t seconds = 0;  // of each compile; 0: no limit
  bool use_cache = false;
  cucore_code_type target = CUCORE_CODE_TYPE_PTX;
};

// Every file is tried; throws a failure at the end where one could not be compiled.
void compile_many(const ManyRequest& request, const CompileFlags& flags);

}  // namespace cucore::cli
