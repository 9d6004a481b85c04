// SPDX-License-Identifier: Apache-2.0
#include "usage_error.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "subcommand.hpp"
#include "support/edit_distance.hpp"

namespace cucore::cli {
namespace {

std::vector<std::string> subcommands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  return names;
}

// Returns "--arch" and the other long options of the command and of those around it.
std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app; app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Returns the most similar name; "" if none is similar.
std::string nearest(std::string_view given, const std::vector<std::string>& names) {
  std::string best;
  for (const std::string& name : names)
    if (is_similar(given, name) &&
        (best.empty() || edit_distance(given, name) < edit_distance(given, best)))
      best = name;
  return best;
}

std::string explain_name(const CLI::App& command, const std::string& given) {
  if (given.starts_with('-')) {
    const std::string option = given.substr(0, given.find('='));
    const std::string known = nearest(option, long_options(command));
    return fmt::format("'{}' is not an option of {}{}", option, full_name(command),
                       known.empty() ? "" : "; did you mean '" + known + "'?");
  }
  const std::vector<std::string> names = subcommands(command);
  const std::string known = nearest(given, names);
  return known.empty() ? fmt::format("'{}' is not a subcommand; expected one of {}", given,
                                     fmt::join(names, ", "))
                       : fmt::format("'{}' is not a subcommand; did you mean '{}'?", given, known);
}

// Returns the option or argument that the parser's message names: "--grid: ...", "file is
// required".
const CLI::Option* named(const CLI::App& command, std::string_view message) {
  const std::string name(message.substr(0, message.find_first_of(": ")));
  for (const CLI::App* app = &command; app; app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      if (option->get_name() == name) return option;
  return nullptr;
}

// Returns "cubin, ptx" for the parser's "KIND:{cubin,ptx}".
std::string words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t first = type.find('{'), last = type.find('}');
  if (first == type.npos || last == type.npos) return {};
  std::string words;
  for (const char c : type.substr(first + 1, last - first - 1))
    words += c == ',' ? ", " : std::string(1, c);
  return words;
}

// Replaces the parser's own words.
std::string explain_value(const CLI::App& command, const CLI::ParseError& error) {
  constexpr std::string_view NOT_CONVERTED = "Could not convert: ";  // and "--bytes = x"
  std::string message = error.what();
  if (message.starts_with(NOT_CONVERTED)) message.erase(0, NOT_CONVERTED.size());
  const CLI::Option* option = named(command, message);
  if (!option) return message;
  const std::string name = option->get_name();
  const std::string type = option->get_type_name();
  const std::string value = type.substr(0, type.find(':'));
  if (error.get_name() == "RequiredError")
    return fmt::format(
        "{} requires {}", full_name(command),
        option->get_positional() ? fmt::format("the argument '{}'", name) : name + " " + value);
  if (error.get_name() == "ArgumentMismatch" && option->count() == 0)
    return fmt::format("{} has no value; expected {} {}", name, name, value);
  if (error.get_name() == "ArgumentMismatch" && option->count() > 1)
    return fmt::format("{} is given {} times; expected once", name, option->count());
  if (const std::string words = words_of(*option);
      error.get_name() == "ValidationError" && !words.empty())
    return fmt::format("{} is '{}'; expected one of {}", name, fmt::join(option->results(), " "),
                       words);
  // A check of number_check.hpp.
  if (const std::size_t at = message.find(": is '");
      error.get_name() == "ValidationError" && at != message.npos)
    return fmt::format("{} {}", name, message.substr(at + 2));
  if (error.get_name() == "ConversionError")
    return fmt::format("{} is '{}'; expected a number", name, fmt::join(option->results(), " "));
  return message;
}

}  // namespace

// If the given subcommand does not exist, CLI11 reports a missing subcommand first.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  for (const std::string& given : app.remaining(true))
    if (given.starts_with('-') || !subcommands(command).empty())
      return explain_name(command, given);
  if (const std::vector<std::string> names = subcommands(command);
      !names.empty() && command.get_require_subcommand_min() > 0)
    return fmt::format("{} requires a subcommand; expected one of {}", full_name(command),
                       fmt::join(names, ", "));
  return explain_value(command, error);
}

std::string help_hint(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  return fmt::format("'{} --help' lists the {}", full_name(command),
                     subcommands(command).empty() ? "options" : "subcommands");
}

}  // namespace cucore::cli
