// SPDX-License-Identifier: Apache-2.0
// Shows a compiler's log in colour, with the source lines that it names.
#include "colored_log.hpp"
#include "escape.hpp"
#include "strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>

namespace cucore::cli {
namespace {

using Lines = std::vector<std::string>;

// A diagnostic may name any file through #line.
constexpr std::uintmax_t LARGEST_SOURCE = std::uintmax_t{1} << 26;
constexpr std::string_view BOLD = "1", DIM = "2", RED = "1;31", GREEN = "1;32", YELLOW = "1;33",
                           BLUE = "1;36";

Lines split(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The severity words of a log.
struct Words {
  Severity severity;
  std::string_view color;
  std::array<std::string_view, 3> words;
};
constexpr Words WORDS[] = {
    {Severity::note, BLUE, {"remark", "note", "info"}},
    {Severity::warning, YELLOW, {"warning", "WARNING", "warning"}},
    {Severity::error, RED, {"error", "ERROR", "error"}},
    {Severity::fatal, RED, {"catastrophic error", "fatal error", "fatal"}},
};

class Annotator {
 public:
  Annotator(const std::string& log, const std::vector<Diagnostic>& diagnostics,
            const std::string& source, bool color)
      : log_(split(escaped(log, Layout::TEXT))),
        diagnostics_(diagnostics),
        source_(source),
        color_(color) {}

  std::string annotate() {
    for (std::size_t i = 0; i < log_.size(); ++i) add_line(i);
    return std::move(out_);
  }

 private:
  void add_line(std::size_t index) {
    const std::string& line = log_[index];
    if (next_ == diagnostics_.size() || !holds(line, diagnostics_[next_])) {
      const std::string_view text = trimmed(line);
      const bool marks = !text.empty() && text.find_first_not_of("^~") == text.npos;
      out_ += (marks ? paint(line, GREEN) : line) + '\n';
      return;
    }
    const Diagnostic& diagnostic = diagnostics_[next_++];
    out_ += painted(line, diagnostic) + '\n';
    add_source(diagnostic, index + 1 < log_.size() ? log_[index + 1] : std::string());
  }

  // The text of a diagnostic ends with " [#177-D]" if the log has the number before it, and may
  // have several lines.
  static bool holds(const std::string& line, const Diagnostic& diagnostic) {
    const std::string whole = escaped(diagnostic.text, Layout::TEXT);
    std::string_view text = whole;
    text = text.substr(0, text.find('\n'));
    if (text.ends_with(']')) text = text.substr(0, text.rfind(" [#"));
    return !text.empty() && line.find(text) != line.npos;
  }

  std::string painted(const std::string& line, const Diagnostic& diagnostic) const {
    for (const Words& words : WORDS) {
      if (words.severity != diagnostic.severity) continue;
      for (const std::string_view word : words.words) {
        const std::size_t at = line.find(word);
        if (at == line.npos) continue;
        return paint(line.substr(0, at), BOLD) + paint(word, words.color) +
               line.substr(at + word.size());
      }
    }
    return line;
  }

  void add_source(const Diagnostic& diagnostic, const std::string& repeated) {
    const std::string* line = source_line(diagnostic);
    if (!line || trimmed(*line).empty() || trimmed(*line) == trimmed(repeated)) return;
    out_ += paint(fmt::format("{:>5} | ", diagnostic.line), DIM) + *line + '\n';
    const auto column = static_cast<std::size_t>(std::max(diagnostic.column, 0));
    if (column == 0 || column > line->size() + 1) return;
    // Tabs stay, so that the mark is below its character.
    std::string space = line->substr(0, column - 1);
    std::replace_if(
        space.begin(), space.end(), [](char c) { return c != '\t'; }, ' ');
    out_ += paint("      | ", DIM) + space + paint("^", GREEN) + '\n';
  }

  const std::string* source_line(const Diagnostic& diagnostic) {
    if (diagnostic.line <= 0) return nullptr;
    std::error_code ignored;
    const bool named = std::filesystem::is_regular_file(diagnostic.file, ignored);
    const Lines& lines = lines_of(named ? std::string(diagnostic.file) : source_);
    const auto index = static_cast<std::size_t>(diagnostic.line) - 1;
    return index < lines.size() ? &lines[index] : nullptr;
  }

  const Lines& lines_of(const std::string& path) {
    const auto [found, is_new] = files_.try_emplace(path);
    if (!is_new) return found->second;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return found->second;
    if (std::filesystem::file_size(path, ignored) > LARGEST_SOURCE) return found->second;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    found->second = split(escaped(text, Layout::TEXT));
    return found->second;
  }

  std::string paint(std::string_view text, std::string_view code) const {
    if (!color_ || text.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  const Lines log_;
  const std::vector<Diagnostic>& diagnostics_;
  const std::string& source_;
  const bool color_;
  std::size_t next_ = 0;  // the first diagnostic that no line has matched yet
  std::map<std::string, Lines> files_;
  std::string out_;
};

}  // namespace

std::string annotated_log(const std::string& log, const std::vector<Diagnostic>& diagnostics,
                          const std::string& source, bool color) {
  return Annotator(log, diagnostics, source, color).annotate();
}

}  // namespace cucore::cli
