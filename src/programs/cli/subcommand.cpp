// SPDX-License-Identifier: Apache-2.0
#include "subcommand.hpp"

namespace cucore::cli {

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

}  // namespace cucore::cli
