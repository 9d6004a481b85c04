// SPDX-License-Identifier: Apache-2.0
// --help and --version, as text and as JSON.
#pragma once

#include <CLI/CLI.hpp>

namespace cucore::cli {

// Prints the help or the version that the call requests.
void print_help(const CLI::App& app, const CLI::ParseError& request);

}  // namespace cucore::cli
