// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/allowed.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "perf/analyze/rules.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr std::string_view COMMENT = "cucore: allow(";
constexpr uintmax_t LARGEST_SOURCE = 16 << 20;  // bytes

// Reads regular files alone, because a pipe or a device may have no end.
std::string read_source(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path path(file);
  if (!std::filesystem::is_regular_file(path, failed) || failed) return {};
  const uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed || size > LARGEST_SOURCE) return {};
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_allowed_by(std::string_view line, const Rule& rule) {
  const size_t comment = line.find("//");
  const size_t begin = comment == line.npos ? line.npos : line.find(COMMENT, comment);
  if (begin == line.npos) return false;
  std::string_view ids = line.substr(begin + COMMENT.size());
  ids = ids.substr(0, ids.find(')'));
  const std::string_view id = rule.id;
  for (size_t at = ids.find(id); at != ids.npos; at = ids.find(id, at + 1)) {
    const size_t end = at + id.size();
    if (end == ids.size() || ids[end] == ',' || ids[end] == ' ') return true;
  }
  return false;
}

Allowed::Allowed(const std::vector<std::string>& ids, bool read_sources)
    : read_sources_(read_sources) {
  for (const std::string& id : ids) {
    const Rule* const rule = find_rule(id);
    if (!rule)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("allow contains '", id, "'; expected A101 to A118"));
    everywhere_.insert(rule->number);
  }
}

bool Allowed::covers(const Finding& finding, const std::vector<std::string_view>& ptx) {
  if (everywhere_.contains(finding.rule->number)) return true;
  const Place& place = finding.place;
  if (place.ptx_line != 0 && place.ptx_line <= ptx.size() &&
      is_allowed_by(ptx[place.ptx_line - 1], *finding.rule))
    return true;
  if (!read_sources_ || place.line == 0 || place.file.empty()) return false;
  const auto& lines = lines_of(place.file);
  return place.line <= lines.size() && is_allowed_by(lines[place.line - 1], *finding.rule);
}

const std::vector<std::string>& Allowed::lines_of(const std::string& file) {
  const auto [found, is_new] = sources_.try_emplace(file);
  if (is_new) {
    const std::string text = read_source(file);
    for (const std::string_view line : lines_of_text(text)) found->second.emplace_back(line);
  }
  return found->second;
}

}  // namespace cucore::perf
