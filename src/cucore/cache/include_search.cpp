// SPDX-License-Identifier: Apache-2.0
#include "cache/include_search.hpp"

#include <deque>

namespace cucore::cache {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

std::string absolute_path(const std::string& path, const std::string& directory) {
  const std::string whole = path.starts_with('/') ? path : directory + "/" + path;
  std::string out;
  out.reserve(whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '/' && !out.empty() && out.back() == '/') continue;
    const bool is_dot = whole[i] == '.' && !out.empty() && out.back() == '/' &&
                        (i + 1 == whole.size() || whole[i + 1] == '/');
    if (is_dot) continue;
    out += whole[i];
  }
  return out;
}

IncludeSearch::IncludeSearch(const container::FileAccess& access, std::string directory,
                             FileIndex& index)
    : access_(access), directory_(std::move(directory)), index_(index) {
  for (const std::string& path : access.include_paths)
    include_paths_.push_back(absolute_path(path.empty() ? "./" : path + "/", directory_));
  scans_.reserve(access.texts.size() + 1);
  for (size_t i = 0; i < access.texts.size(); ++i) {
    const auto& text = access.texts[i];
    if (i > 0) memory_.insert(text.name);
    scans_.push_back(scan_includes(text.text));
    if (scans_.back().has_time) problem_ = "the time of the compile is in " + text.name;
    if (scans_.back().has_embed) problem_ = "#embed in " + text.name;
    // For a text in memory without a folder, the current folder is searched. The source is the
    // exception, because its folder does not exist.
    const std::string own = i == 0 ? access.own_folder : folder_of(text.name);
    const bool has_folder = i > 0 || !own.empty();
    texts_.push_back({has_folder ? absolute_path(own + "./", directory_) : "", &scans_.back()});
  }
  for (size_t i = 1; i < scans_.size(); ++i)
    for (const IncludeName& name : scans_[i].names)
      looks_into_directory_ = looks_into_directory_ || (name.quoted && !is_in_memory(name.name));
  IncludeScan first;
  for (const std::string& name : access.pre_includes) first.names.push_back({name, true});
  scans_.push_back(std::move(first));
  texts_.push_back({directory_ + "/", &scans_.back()});
}

bool IncludeSearch::has_computed() const {
  for (const IncludeScan& scan : scans_)
    if (scan.has_computed) return true;
  return false;
}

std::vector<std::string> IncludeSearch::places(const std::string& folder,
                                               const IncludeName& name) const {
  if (name.name.starts_with('/')) return {absolute_path(name.name, directory_)};
  std::vector<std::string> places;
  if (name.quoted && access_.search_siblings && !folder.empty())
    places.push_back(absolute_path(folder + name.name, directory_));
  for (const std::string& path : include_paths_)
    places.push_back(absolute_path(path + name.name, directory_));
  return places;
}

FileMap IncludeSearch::scan_all() {
  FileMap found;
  std::deque<Text> queue(texts_.begin(), texts_.end());
  for (; !queue.empty(); queue.pop_front()) {
    const Text text = queue.front();
    for (const IncludeName& name : text.scan->names) {
      for (const std::string& place : places(text.folder, name)) {
        const auto [at, is_new] = found.try_emplace(place);
        if (is_new) {
          at->second = index_.facts(place);
          if (at->second) queue.push_back({folder_of(place), &at->second->scan});
        }
        if (at->second && !name.is_next) break;
      }
    }
  }
  for (const auto& [path, facts] : found)
    if (!facts) absent_.insert(path);
  std::erase_if(found, [](const auto& file) { return !file.second; });
  return found;
}

PathState IncludeSearch::state(const std::string& path) {
  const auto [at, is_new] = states_.try_emplace(path, PathState::NOTHING);
  if (is_new) at->second = path_state(path);
  return at->second;
}

// The highest missing folder on the path represents everything below it.
void IncludeSearch::record_absent(const std::string& path) {
  if (state(path) != PathState::NOTHING) return;  // a folder, which no compiler accepts as a header
  size_t end = path.size();
  for (size_t slash = path.rfind('/'); slash != path.npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    if (state(path.substr(0, slash)) != PathState::NOTHING) break;
    end = slash;
  }
  record(path.substr(0, end), false);
}

bool IncludeSearch::resolve(const Text& text, const IncludeName& name,
                            const std::set<std::string>& read, std::set<std::string>& explained) {
  for (const std::string& place : places(text.folder, name)) {
    if (read.count(place)) {
      explained.insert(place);
      if (!name.is_next) return true;
    } else if (state(place) == PathState::FILE) {
      if (absent_.count(place)) appeared_ = place;
      if (name.is_probe) record(place, true);
      if (!name.is_next) return true;
    } else {
      record_absent(place);
    }
  }
  return false;
}

// A name made by a macro may be that of any read file that no text names.
void IncludeSearch::record_computed(const Text& text, const std::set<std::string>& read,
                                    const std::set<std::string>& explained) {
  if (!text.scan->has_computed) return;
  for (const std::string& path : read) {
    if (explained.count(path)) continue;
    for (const std::string& folder : include_paths_) {
      if (!path.starts_with(folder)) continue;
      const IncludeName name{path.substr(folder.size()), true};
      for (const std::string& place : places(text.folder, name)) {
        if (place == path) break;
        record_absent(place);
      }
    }
  }
}

std::vector<Probe> IncludeSearch::probes(const std::set<std::string>& read, const FileMap& facts) {
  recorded_.clear();
  std::vector<Text> texts = texts_;
  for (const std::string& path : read)
    if (const auto found = facts.find(path); found != facts.end() && found->second)
      texts.push_back({folder_of(path), &found->second->scan});
  std::set<std::string> explained;
  for (const Text& text : texts)
    for (const IncludeName& name : text.scan->names) resolve(text, name, read, explained);
  for (const Text& text : texts) record_computed(text, read, explained);
  std::vector<Probe> out;
  for (const auto& [path, there] : recorded_) out.push_back({path, there});
  return out;
}

}  // namespace cucore::cache
