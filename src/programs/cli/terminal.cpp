// SPDX-License-Identifier: Apache-2.0
// Output for terminals: colours and a progress line.
#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "colored_log.hpp"
#include "columns.hpp"
#include "print.hpp"
#include "support/environment.hpp"

namespace cucore::cli {
namespace {

std::string log_source;              // NOLINT: the command has one log
std::vector<std::string> log_names;  // NOLINT
bool is_silent = false;              // NOLINT

// https://no-color.org: a value that is not empty disables colours.
bool wants_color() { return is_terminal() && environment("NO_COLOR").empty(); }

// Returns the log with line feeds in its names escaped.
std::string with_whole_lines(std::string log) {
  for (const std::string& name : log_names) {
    const std::string shown = escaped(name);
    for (std::size_t at = log.find(name); at != log.npos; at = log.find(name, at + shown.size()))
      log.replace(at, name.size(), shown);
  }
  return log;
}

// Returns the end of a text that is wider than the terminal. A carriage return cannot clear a line
// that the terminal has wrapped.
std::string one_line(const std::string& text) {
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  if (columns < 4 || text.size() < columns) return text;
  std::size_t from = text.size() - (columns - 4);
  while (from < text.size() && (text[from] & 0xC0) == 0x80) ++from;  // inside a UTF-8 sequence
  return "..." + text.substr(from);
}

std::string paint(std::string_view text, std::string_view code) {
  return wants_color() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

bool is_terminal() { return isatty(STDERR_FILENO) && environment("TERM") != "dumb"; }

void print_failure(const std::string& message, const std::string& detail, const std::string& log,
                   const std::vector<Diagnostic>& diagnostics) {
  print_error("cucore: {} {}\n", Raw{paint("error:", "1;31")}, message);
  if (!detail.empty()) print_error("  {}\n", Raw{paint(escaped(detail), "2")});
  if (log.empty()) return;
  print_error("\n");
  print_log(log, diagnostics);
}

void print_log(const std::string& text_of, const std::vector<Diagnostic>& diagnostics) {
  if (text_of.empty()) return;
  const std::string log = with_whole_lines(text_of);
  const std::string text = is_terminal()
                               ? annotated_log(log, diagnostics, log_source, wants_color())
                               : escaped(log, Layout::TEXT);
  print_error("{}{}", Raw{text}, Raw{text.back() == '\n' ? "" : "\n"});
}

void set_log_source(const std::string& path) {
  log_source = path;
  add_log_name(path);
}

void add_log_name(const std::string& name) {
  if (name.find('\n') != name.npos) log_names.push_back(name);
}

Silence::Silence() { is_silent = true; }

Silence::~Silence() { is_silent = false; }

void print_warning(const std::string& message) {
  if (is_silent) return;
  print_error("cucore: {} {}\n", Raw{paint("warning:", "1;33")}, message);
}

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (is_terminal()) thread_ = std::thread([this] { turn(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::turn() {
  using namespace std::chrono_literals;
  constexpr std::string_view SIGNS = "|/-\\";
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  // Short work shows nothing, because a line that appears for a moment is useless.
  if (changed_.wait_for(lock, 500ms, [this] { return done_; })) return;
  for (std::size_t tick = 0; !done_; ++tick) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    print_error("\r{}", Raw{one_line(fmt::format("{} {} {:.1f} s", SIGNS[tick % SIGNS.size()],
                                                 escaped(what_), time.count()))});
    std::fflush(stderr);
    changed_.wait_for(lock, 100ms, [this] { return done_; });
  }
  print_error("\r\x1b[K");
}

}  // namespace cucore::cli
