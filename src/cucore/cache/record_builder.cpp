// SPDX-License-Identifier: Apache-2.0
#include "cache/record_builder.hpp"

#include <algorithm>

namespace cucore::cache {

RecordBuilder::RecordBuilder(const container::BuildInputs& inputs, const std::string& directory,
                             FileIndex& index, Toolkits& toolkits)
    : access_(*inputs.files),
      search_(access_, directory, index),
      facts_(search_.scan_all()),
      problem_(search_.problem()) {
  find_toolkits(toolkits);
  needs_trace_ = search_.has_computed();
  for (const auto& [path, facts] : facts_) {
    if (!facts->scan.has_computed) continue;
    // Macros of the toolkit choose among its own headers, which its version represents.
    if (const uint32_t toolkit = toolkit_of(path))
      toolkits_[toolkit - 1].is_bound = true;
    else
      needs_trace_ = true;
  }
  begun_ns_ = file_clock_ns();
  begun_at_ns_ = clock_ns();
}

void RecordBuilder::find_toolkits(Toolkits& toolkits) {
  for (const std::string& include : access_.include_paths) {
    auto found = toolkits.find(absolute_path(include + "/", search_.directory()));
    if (!found) continue;
    const auto same = [&](const ToolkitFolder& folder) { return folder.path == found->path; };
    if (std::ranges::none_of(toolkits_, same)) toolkits_.push_back(std::move(*found));
  }
}

uint32_t RecordBuilder::toolkit_of(const std::string& path) const {
  for (size_t i = 0; i < toolkits_.size(); ++i)
    if (toolkits_[i].has(path)) return static_cast<uint32_t>(i + 1);
  return 0;
}

// Returns the content of the file while the compiler read it; null if it cannot be determined.
std::shared_ptr<const FileFacts> RecordBuilder::settled_facts(const std::string& path) {
  const auto before = facts_.find(path);
  const auto now = stamp_of(path);
  if (!now) return nullptr;
  if (before != facts_.end() && before->second->stamp == *now && before->second->was_settled())
    return before->second;
  // Changed just before or during the compile, or named by a macro.
  auto after = FileIndex::read(path);
  if (!after) return nullptr;
  // A change back to the former content is also a change, because the compiler may have read the
  // content in between.
  const bool was_same = before != facts_.end() && before->second->digest == after->digest &&
                        after->stamp.changed_ns <= begun_at_ns_;
  const bool is_older = before == facts_.end() && after->stamp.changed_ns < begun_ns_ &&
                        after->stamp.modified_ns < begun_ns_;
  return was_same || is_older ? after : nullptr;
}

bool RecordBuilder::add(Record& record, const std::string& path) {
  auto facts = settled_facts(path);
  if (!facts) {
    problem_ = path + " changed during the compile";
    return false;
  }
  if (facts->scan.has_time || facts->scan.has_embed) {
    problem_ = (facts->scan.has_time ? "the time of the compile is in " : "#embed in ") + path;
    return false;
  }
  const FileStamp stamp = facts->was_settled() ? facts->stamp : FileStamp{};
  record.files.push_back({path, stamp, facts->digest, toolkit_of(path)});
  facts_[path] = std::move(facts);
  return true;
}

std::set<std::string> RecordBuilder::files_of(const std::vector<std::string>& headers) const {
  std::set<std::string> files;
  for (const std::string& header : headers) {
    // The compiler's own headers, and those in memory, have no file.
    const std::string path = absolute_path(header, search_.directory());
    if (!search_.is_in_memory(header) && path_state(path) == PathState::FILE) files.insert(path);
  }
  return files;
}

std::string RecordBuilder::any_file(const std::vector<std::string>& headers) const {
  const std::set<std::string> files = files_of(headers);
  return files.empty() ? any_file() : *files.begin();
}

std::optional<Record> RecordBuilder::finish(const std::vector<std::string>& headers,
                                            const container::Digest& key) {
  if (!problem_.empty()) return std::nullopt;
  std::set<std::string> read = files_of(headers);
  for (const auto& [path, facts] : facts_) read.insert(path);
  Record record;
  for (const std::string& path : read)
    if (!add(record, path)) return std::nullopt;
  record.probes = search_.probes(read, facts_);
  if (!search_.appeared().empty()) {
    problem_ = search_.appeared() + " appeared during the compile";
    return std::nullopt;
  }
  for (Probe& probe : record.probes) probe.toolkit = toolkit_of(probe.path);
  if (search_.looks_into_directory()) record.directory = search_.directory();
  record.toolkits = toolkits_;
  record.result = record.result_key(key);
  return record;
}

}  // namespace cucore::cache
