// SPDX-License-Identifier: Apache-2.0
// The layout of --help: lines that fit a terminal, and --[no-]ftz for a flag and its opposite.
#include "formatter.hpp"

#include <fmt/format.h>

#include <string_view>

namespace cucore::cli {
namespace {

constexpr std::size_t TEXT_WIDTH = 96;

// Wraps the text; its first line begins after `used` columns.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  std::string out;
  const auto new_line = [&] {
    out += '\n' + std::string(indent, ' ');
    used = indent;
  };
  if (used + 2 > indent) new_line();
  out.append(indent - used, ' ');
  used = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (used > indent && used + 1 + word.size() > TEXT_WIDTH) new_line();
    if (used > indent) out += ' ', ++used;
    out += word;
    used += word.size();
    text.remove_prefix(word.size());
    text.remove_prefix(text.find_first_not_of(' ') == text.npos ? text.size()
                                                                : text.find_first_not_of(' '));
  }
  return out + '\n';
}

}  // namespace

std::string Formatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string name =
      "  " + make_option_name(option, is_positional) + make_option_opts(option);
  return name + wrapped(make_option_desc(option), get_column_width(), name.size());
}

std::string Formatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string name = CLI::Formatter::make_option_name(option, is_positional);
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
