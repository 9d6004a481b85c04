// SPDX-License-Identifier: Apache-2.0
// Files of lines "name | text". The table of differences has "name | text of the CPU device |
// reason".
#include "compare.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace cucore::cpu::record {
namespace {

constexpr const char* SEPARATOR = " | ";

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t end; (end = line.find(SEPARATOR, at)) != std::string::npos; at = end + 3)
    parts.push_back(line.substr(at, end - at));
  parts.push_back(line.substr(at));
  return parts;
}

// Returns the lines by name; each line has `count` fields.
std::map<std::string, std::vector<std::string>> table(const std::string& path, size_t count) {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " is not readable");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> parts = fields(line);
    if (parts.size() != count) throw std::runtime_error(path + ": malformed line: " + line);
    const std::string name = parts[0];
    if (!rows.emplace(name, std::move(parts)).second)
      throw std::runtime_error(path + ": repeated row: " + name);
  }
  return rows;
}

void report(const std::string& name, const std::string& recorded, const std::string& text) {
  std::printf("%s\n  recorded  %s\n  this run  %s\n", name.c_str(), recorded.c_str(), text.c_str());
}

}  // namespace

Lines read_lines(const std::string& path) {
  Lines lines;
  for (const auto& [name, parts] : table(path, 2)) lines.emplace_back(name, parts[1]);
  return lines;
}

void write_lines(const Lines& lines, const std::string& note, const std::string& path) {
  std::ofstream file(path);
  file << "# Results of the driver's calls: name | results and values. Recorded by record.sh.\n# "
       << note << "\n";
  for (const auto& [name, text] : lines) file << name << SEPARATOR << text << "\n";
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

int compare(const Lines& lines, const std::string& record, const std::string& differences,
            bool whole) {
  if (!std::ifstream(record)) {
    std::printf("%s does not exist: nothing is recorded yet\n", record.c_str());
    return 77;
  }
  auto recorded = table(record, 2);
  auto wanted = table(differences, 3);
  size_t failures = 0, same = 0, different = 0, unrecorded = 0;
  for (const auto& [name, text] : lines) {
    const auto reference = recorded.find(name);
    const auto exception = wanted.find(name);
    if (reference == recorded.end() && exception == wanted.end()) {
      ++unrecorded;
      continue;
    }
    const std::string before = reference == recorded.end() ? "(no row)" : reference->second[1];
    const bool expected =
        exception == wanted.end() ? text == before : text == exception->second[1] && text != before;
    if (!expected) {
      ++failures;
      report(name, before, text);
      if (exception != wanted.end())
        std::printf("  the table of differences has  %s\n", exception->second[1].c_str());
    } else {
      ++(exception == wanted.end() ? same : different);
    }
    if (reference != recorded.end()) recorded.erase(reference);
    if (exception != wanted.end()) wanted.erase(exception);
  }
  if (whole) {
    for (const auto& [name, row] : recorded) report(name, row[1], "(no row)"), ++failures;
    for (const auto& [name, row] : wanted) report(name, "(a difference)", "(no row)"), ++failures;
  }
  std::printf("%zu rows as recorded, %zu wanted differences, %zu not recorded, %zu failures\n",
              same, different, unrecorded, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace cucore::cpu::record
