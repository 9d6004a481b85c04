// SPDX-License-Identifier: Apache-2.0
// What NVRTC's command line says about files: where it looks for headers, and what it writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cucore::core {

struct FileFlags {
  std::vector<std::string> include_paths, pre_includes;
  bool search_siblings = true;
  bool names_current_directory = false;  // a relative path, or debug information that has it
  std::string side_effect;               // the flag that makes each run another: "--time", or ""
};

// Short and long spellings, the value after '=', glued on, or in the next argument.
FileFlags read_file_flags(const std::vector<std::string>& flags);

// The flags that decide how the source is read: without the architecture, and without those that
// make the compiler write files. nullopt if some flags are in a file.
std::optional<std::vector<std::string>> flags_of_source(const std::vector<std::string>& flags);

}  // namespace cucore::core
