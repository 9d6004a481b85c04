// SPDX-License-Identifier: Apache-2.0
// --help and --version, as text and as JSON.
#pragma once

#include <CLI/CLI.hpp>

namespace cucore::cli {

// Prints what a call for help or for the version asks for.
void print_help(const CLI::App& app, const CLI::ParseError& request);

}  // namespace cucore::cli
