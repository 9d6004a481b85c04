// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "support/environment.hpp"

namespace cucore::cli {
namespace {

constexpr std::size_t USUAL = 80;

// Some terminals, as those of editors, do not report a size.
std::size_t environment_columns() {
  const std::string text = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return failure == std::errc() && end == text.data() + text.size() ? columns : 0;
}

}  // namespace

std::size_t terminal_columns(int stream) {
  if (!isatty(stream)) return 0;
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  const std::size_t columns = environment_columns();
  return columns == 0 ? USUAL : columns;
}

// Longer lines are hard to read, and shorter ones would leave no room after the names of options.
std::size_t output_columns() {
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  return columns == 0 ? USUAL : std::clamp<std::size_t>(columns, 40, 100);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used,
                    std::size_t width) {
  std::string out;
  const auto new_line = [&] {
    out += '\n' + std::string(indent, ' ');
    used = indent;
  };
  if (used != 0 && used + 2 > indent)
    new_line();
  else
    out.append(indent - used, ' ');
  used = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (used > indent && used + 1 + word.size() > width) new_line();
    if (used > indent) out += ' ', ++used;
    out += word;
    used += word.size();
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return out + '\n';
}

}  // namespace cucore::cli
