// SPDX-License-Identifier: Apache-2.0
#include "support/suppressions.hpp"

#include <algorithm>
#include <utility>

#include "support/edit_distance.hpp"

namespace cucore {
namespace {

constexpr std::string_view BLANKS = " \t\r\v\f";

std::vector<std::string> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string> words;
  for (;;) {
    const size_t first = line.find_first_not_of(BLANKS);
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    const size_t end = std::min(line.find_first_of(BLANKS), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// A '*' retries from the next character until the rest matches.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Returns "" for a kind that matches one of REPORT_KINDS.
std::string fault_of_kind(const std::string& kind) {
  const auto fits = [&](const char* known) { return matches(kind, known); };
  if (std::any_of(REPORT_KINDS.begin(), REPORT_KINDS.end(), fits)) return "";
  const char* nearest = REPORT_KINDS[0];
  for (const char* known : REPORT_KINDS)
    if (edit_distance(kind, known) < edit_distance(kind, nearest)) nearest = known;
  std::string text = "has the unknown kind '" + kind + "'; ";
  if (is_similar(kind, nearest)) text += std::string("did you mean '") + nearest + "'? ";
  text += "expected one of";
  for (const char* known : REPORT_KINDS)
    text += (known == REPORT_KINDS[0] ? " " : ", ") + std::string(known);
  return text;
}

}  // namespace

std::optional<Suppressions::WrongLine> Suppressions::add(std::string_view text) {
  for (unsigned number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    if (words.size() > 3)
      return WrongLine{
          number, "has " + std::to_string(words.size()) + " words; expected KIND KERNEL FILE:LINE"};
    if (std::string reason = fault_of_kind(words[0]); !reason.empty())
      return WrongLine{number, std::move(reason)};
    Rule rule{.kind = std::move(words[0])};
    if (words.size() > 1) rule.kernel = std::move(words[1]);
    if (words.size() > 2) rule.place = std::move(words[2]);
    rules_.push_back(std::move(rule));
  }
  return std::nullopt;
}

std::string Suppressions::text() const {
  std::string text;
  for (const Rule& rule : rules_) text += rule.kind + ' ' + rule.kernel + ' ' + rule.place + '\n';
  return text;
}

bool Suppressions::match(const ReportIdentity& report) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return matches(rule.kind, report.kind) && matches(rule.kernel, report.kernel) &&
           (matches(rule.place, report.place) || matches(rule.place, report.other_place));
  });
}

}  // namespace cucore
