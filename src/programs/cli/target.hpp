// SPDX-License-Identifier: Apache-2.0
// The target of a compile or link: options, choice of the kind, and writing the file.
#pragma once

#include <cucore/objectcode.hpp>

#include <CLI/CLI.hpp>
#include <optional>
#include <set>
#include <string>

#include "report.hpp"

namespace cucore::cli {

// The options for the output.
struct Output {
  std::string file;
  std::string target;
  bool compress = false;
  bool quiet = false;

  void add_to(CLI::App& command, const std::set<std::string>& targets);
};

// Returns the kind of code for a word of --target.
std::optional<CodeType> target_of(std::string_view word);

// Returns whether the result is stored as a container, which keeps names and metadata.
bool wants_container(const Output& output);

// Returns the kind from --target, else from the output's suffix; nullopt if neither sets it.
std::optional<CodeType> said_target(const Output& output);

// Returns the output's name for messages.
std::string shown_output(const Output& output);

// Writes object code and reports it; its log goes to stderr. `more` is added to the JSON object.
void write_code(const Output& output, const ObjectCode& code, const Json& more);

}  // namespace cucore::cli
