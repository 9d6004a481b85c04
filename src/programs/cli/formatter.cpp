// SPDX-License-Identifier: Apache-2.0
#include "formatter.hpp"

#include <algorithm>
#include <sstream>

#include "columns.hpp"

namespace cucore::cli {

Formatter::Formatter() : width_(output_columns()) {
  column_width(std::min<std::size_t>(30, width_ / 3));
}

// CLI11 separates groups of options by two empty lines.
std::string Formatter::make_help(const CLI::App* app, std::string name,
                                 CLI::AppFormatMode mode) const {
  std::string help = CLI::Formatter::make_help(app, name, mode);
  for (std::size_t at; (at = help.find("\n\n\n")) != help.npos;) help.erase(at, 1);
  return help;
}

std::string Formatter::make_description(const CLI::App* app) const {
  return wrapped(app->get_description(), 0, 0, width_);
}

// Indented lines are examples, which a reader copies.
std::string Formatter::make_footer(const CLI::App* app) const {
  if (app->get_footer().empty()) return {};
  std::istringstream lines(app->get_footer());
  std::string out = "\n";
  for (std::string line; std::getline(lines, line);)
    out += line.starts_with(' ') ? line + '\n' : wrapped(line, 0, 0, width_);
  return out;
}

std::string Formatter::make_subcommand(const CLI::App* command) const {
  const std::string name = "  " + command->get_display_name();
  return name + wrapped(command->get_description(), get_column_width(), name.size(), width_);
}

std::string Formatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string name =
      "  " + make_option_name(option, is_positional) + make_option_opts(option);
  return name + wrapped(make_option_desc(option), get_column_width(), name.size(), width_);
}

std::string Formatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  // CLI11 adds the value of an option without one: "--check{all}".
  const std::string full = CLI::Formatter::make_option_name(option, is_positional);
  const std::string name = full.substr(0, full.find('{'));
  const std::size_t opposite = name.find(",--no-");
  if (opposite == name.npos) return name;
  return "--[no-]" + name.substr(2, opposite - 2);
}

std::string Formatter::make_option_opts(const CLI::Option* option) const {
  const std::string type = option->get_type_name();
  // The part after a colon lists the allowed values, which the description also contains.
  std::string out = option->get_positional() ? "" : " " + type.substr(0, type.find(':'));
  if (option->get_positional() && option->get_expected_max() > 1) out += "...";
  if (type.empty()) out.clear();
  if (option->get_required() && !option->get_positional()) out += " (required)";
  return out;
}

}  // namespace cucore::cli
