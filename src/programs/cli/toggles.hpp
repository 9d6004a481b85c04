// SPDX-License-Identifier: Apache-2.0
// Toggles, for which compilers and linkers have defaults: --ftz, --no-ftz, or neither.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace cucore::cli {

// A toggle of an options struct: its flag, and the text of the flag.
template <class Options>
struct ToggleRow {
  std::optional<bool> Options::*field;
  const char* name;
  const char* what;
};

// Adds a flag for a toggle of an options struct, and its opposite.
template <class Options>
void add_toggle(CLI::App& command, Options& options, std::optional<bool> Options::*field,
                const std::string& name, const std::string& what) {
  command.add_flag_function(
      "--" + name + ",!--no-" + name,
      [&options, field](std::int64_t count) { options.*field = count > 0; }, what);
}

}  // namespace cucore::cli
