// SPDX-License-Identifier: Apache-2.0
// Explains why a command line is wrong, and suggests the intended name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cucore::cli {

// Returns the sentence for an error of the parser.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

// Returns "'cucore compile --help' lists the options", for the command that was given.
std::string help_hint(const CLI::App& app);

}  // namespace cucore::cli
