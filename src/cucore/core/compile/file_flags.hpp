// SPDX-License-Identifier: Apache-2.0
// The part of NVRTC's command line that concerns files: its search for headers, and the files that
// it writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cucore::core {

struct FileFlags {
  std::vector<std::string> include_paths, pre_includes;
  bool search_siblings = true;
  bool names_current_directory = false;  // a relative path, or debug information that contains it
  std::string side_effect;               // the flag that makes each run different: "--time", or ""
};

// Accepts short and long spellings, with the value after '=', attached, or in the next argument.
FileFlags read_file_flags(const std::vector<std::string>& flags);

// Returns the flags that affect the parsing of the source: without the architecture, and without
// those that make the compiler write files. Returns nullopt if some flags are in a file.
std::optional<std::vector<std::string>> flags_of_source(const std::vector<std::string>& flags);

}  // namespace cucore::core
