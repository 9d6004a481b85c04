// SPDX-License-Identifier: Apache-2.0
// The subcommands: each adds itself to the command line, and runs after the command line is parsed.
#pragma once

#include <CLI/CLI.hpp>

namespace cucore::cli {

void add_info(CLI::App& app);
void add_compile(CLI::App& app);
void add_analyze(CLI::App& app);
void add_bench(CLI::App& app);
void add_profile(CLI::App& app);
void add_roof(CLI::App& app);
void add_inspect(CLI::App& app);
void add_link(CLI::App& app);
void add_bundle(CLI::App& app);
void add_sign(CLI::App& app);
void add_verify(CLI::App& app);
void add_run(CLI::App& app);
void add_cache(CLI::App& app);

}  // namespace cucore::cli
