// SPDX-License-Identifier: Apache-2.0
#include "core/compile/diagnostics.hpp"

#include <charconv>
#include <optional>

namespace cucore::core {
namespace {

// The words that tools write before a message; a word comes before its prefixes.
struct Word {
  std::string_view text;
  Severity severity;
};
constexpr Word WORDS[] = {{"catastrophic error", Severity::FATAL},
                          {"internal error", Severity::FATAL},
                          {"fatal error", Severity::FATAL},
                          {"fatal", Severity::FATAL},
                          {"error", Severity::ERROR},
                          {"ERROR", Severity::ERROR},
                          {"warning", Severity::WARNING},
                          {"WARNING", Severity::WARNING},
                          {"remark", Severity::NOTE},
                          {"note", Severity::NOTE},
                          {"info", Severity::NOTE}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Parses "error: text", "warning #177-D: text", "error : text", "fatal : text".
bool take_severity(std::string_view text, Diagnostic& out) {
  text = trimmed(text);
  for (const Word& word : WORDS) {
    std::string_view rest = text;
    if (!take(rest, word.text)) continue;
    if (!rest.empty() && rest.front() != ' ' && rest.front() != ':' && rest.front() != '*')
      continue;
    const size_t colon = rest.find(':');
    const std::string_view between = trimmed(rest.substr(0, colon));
    // Between the word and the colon is nothing, or the number or name of the message.
    if (colon == rest.npos || (!between.empty() && between.find(' ') != between.npos)) continue;
    const std::string_view message = trimmed(rest.substr(colon + 1));
    out.severity = word.severity;
    out.text = between.starts_with('#') ? std::string(message) + " [" + std::string(between) + "]"
                                        : std::string(message);
    return true;
  }
  return false;
}

// Parses "file(12): rest", "file(12,5): rest", "file (12, 5): rest".
std::optional<std::string_view> after_parentheses(std::string_view line, Diagnostic& out) {
  for (size_t open = line.find('('); open != line.npos; open = line.find('(', open + 1)) {
    std::string_view rest = line.substr(open + 1);
    const auto number = take_number(rest);
    if (!number) continue;
    int column = 0;
    if (take(rest, ",")) {
      rest = trimmed(rest);
      column = take_number(rest).value_or(0);
    }
    if (!take(rest, "):")) continue;
    out.file = trimmed(line.substr(0, open));
    out.line = *number;
    out.column = column;
    return rest;
  }
  return std::nullopt;
}

// Parses "file:12:5: rest", "file:12: rest".
std::optional<std::string_view> after_colons(std::string_view line, Diagnostic& out) {
  for (size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon + 1);
    const auto number = take_number(rest);
    if (!number || !take(rest, ":")) continue;
    out.file = trimmed(line.substr(0, colon));
    out.line = *number;
    if (const auto column = take_number(rest); column && take(rest, ":")) out.column = *column;
    return rest;
  }
  return std::nullopt;
}

// Parses "ptxas application ptx input, line 12; error : text".
std::optional<std::string_view> after_line_word(std::string_view line, Diagnostic& out) {
  const size_t found = line.find(", line ");
  if (found == line.npos) return std::nullopt;
  std::string_view rest = line.substr(found + 7);
  const auto number = take_number(rest);
  if (!number || !take(rest, ";")) return std::nullopt;
  std::string_view file = line.substr(0, found);
  take(file, "ptxas ");
  out.file = trimmed(file);
  out.line = *number;
  return rest;
}

// Parses "ptxas fatal : text", "nvlink error : text", "libnvvm : error: text": the tool is not a
// file.
bool is_tool_message(std::string_view line, Diagnostic& out) {
  for (const std::string_view tool : {"ptxas ", "nvlink ", "nvrtc: ", "libnvvm : ", "nvJitLink "}) {
    std::string_view rest = line;
    if (take(rest, tool) && take_severity(rest, out)) return true;
  }
  return take_severity(line, out);
}

bool read_place(std::string_view line, Diagnostic& out) {
  for (const auto place : {after_line_word, after_parentheses, after_colons}) {
    Diagnostic placed;
    const auto rest = place(line, placed);
    if (!rest) continue;
    if (!take_severity(*rest, placed)) {
      // libNVVM: "<stdin> (3, 5): parse expected type"
      const std::string_view message = trimmed(*rest);
      if (place != after_parentheses || !message.starts_with("parse ")) continue;
      placed.text = message;
    }
    out = std::move(placed);
    return true;
  }
  return false;
}

// Returns the column in the source that a line " ^" under a repeated source line marks; `indent` is
// the compiler's text before the source line.
int caret_column(std::string_view line, size_t indent) {
  const size_t caret = line.find_first_not_of(' ');
  if (caret == line.npos || line[caret] != '^' || caret < indent) return 0;
  return trimmed(line.substr(caret)).find_first_not_of("^~") == line.npos
             ? static_cast<int>(caret - indent) + 1
             : 0;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view log) {
  constexpr size_t NVRTC_INDENT = 2;
  std::vector<Diagnostic> all;
  bool may_point = false;  // the last diagnostic has no column yet
  while (!log.empty()) {
    const size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == log.npos ? log.size() : end + 1);
    Diagnostic found;
    const bool is_indented = line.starts_with("  ");
    if (!is_indented && (read_place(line, found) || is_tool_message(line, found))) {
      may_point = found.column == 0 && found.line != 0;
      all.push_back(std::move(found));
    } else if (const int column = may_point ? caret_column(line, NVRTC_INDENT) : 0) {
      all.back().column = column;
      may_point = false;
    }
  }
  return all;
}

}  // namespace cucore::core
