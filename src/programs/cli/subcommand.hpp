// SPDX-License-Identifier: Apache-2.0
// The subcommand that a command line chose.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cucore::cli {

// Returns the innermost subcommand of the command line.
const CLI::App& innermost(const CLI::App& app);

// Returns "cucore cache list".
std::string full_name(const CLI::App& command);

}  // namespace cucore::cli
