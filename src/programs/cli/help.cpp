// SPDX-License-Identifier: Apache-2.0
// --help and --version, as text and as JSON.
#include "help.hpp"

#include <cucore.h>

#include <sstream>
#include <string>

#include "print.hpp"
#include "report.hpp"
#include "subcommand.hpp"

namespace cucore::cli {
namespace {

// Returns a name such as "cucore cache list".
Json names_of(const CLI::Option& option) {
  Json names = Json::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The part after a colon lists the allowed values, which the description also contains.
std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

Json describe_option(const CLI::Option& option) {
  Json all = option.get_positional() ? Json{{"name", option.get_single_name()}}
                                     : Json{{"names", names_of(option)}};
  all["value"] = value_of(option);
  all["required"] = option.get_required();
  all["repeatable"] = option.get_expected_max() > 1;
  all["description"] = option.get_description();
  return all;
}

Json describe_app(const CLI::App& app, const std::string& help) {
  Json arguments = Json::array(), options = Json::array(), subcommands = Json::array();
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? arguments : options).push_back(describe_option(*option));
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    subcommands.push_back({{"name", one->get_name()}, {"description", one->get_description()}});
  return {{"command", full_name(app)},  {"description", app.get_description()},
          {"arguments", arguments},     {"options", options},
          {"subcommands", subcommands}, {"help", help}};
}

}  // namespace

void print_help(const CLI::App& app, const CLI::ParseError& request) {
  const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&request) != nullptr;
  if (wants_json())
    return print_json(is_version ? Json{{"cucore", version_string()}}
                                 : describe_app(innermost(app), app.help()));
  std::ostringstream text;
  app.exit(request, text, text);
  print("{}", Raw{text.str()});
}

}  // namespace cucore::cli
