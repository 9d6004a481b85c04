// SPDX-License-Identifier: Apache-2.0
// What a compile or a link is to make, and into which file: the options, the choice, the writing.
#pragma once

#include <cucore.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <set>
#include <string>

#include "report.hpp"

namespace cucore::cli {

// The options that say where the result goes.
struct Output {
  std::string file;
  std::string target;
  bool compress = false;
  bool quiet = false;

  void add_to(CLI::App& command, const std::set<std::string>& targets);
};

// The kind of code that a word of --target names.
std::optional<cucore_code_type> target_of(std::string_view word);

// Whether the result is to be stored as a container, which keeps names and provenance.
bool wants_container(const Output& output);

// The kind that --target names, else the output's suffix; nothing if neither does.
std::optional<cucore_code_type> said_target(const Output& output);

// The output's name in messages.
std::string shown_output(const Output& output);

// Stores object code and tells of it; its log goes to stderr. `more` joins the JSON object.
void write_code(const Output& output, const cucore_objectcode* code, const Json& more);

}  // namespace cucore::cli
