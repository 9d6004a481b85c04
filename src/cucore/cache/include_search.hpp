// SPDX-License-Identifier: Apache-2.0
// The search of a compiler for a header: the order of folders, and their content.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "cache/file_facts.hpp"
#include "cache/manifest.hpp"
#include "container/build_inputs.hpp"

namespace cucore::cache {

// Returns "/a/b/c" for "/a/./b//c"; a relative path is below `directory`. ".." stays, because the
// path may contain links.
std::string absolute_path(const std::string& path, const std::string& directory);

// Files that a compile may read, found before the compile from the include directives.
using FileMap = std::unordered_map<std::string, std::shared_ptr<const FileFacts>>;

class IncludeSearch {
 public:
  // `directory` is the current one.
  IncludeSearch(const container::FileAccess& access, std::string directory, FileIndex& index);

  // Returns all files that could be included.
  FileMap scan_all();

  // Returns the paths that decide which file is read; `read` contains the files that were read.
  // Sorted by path.
  std::vector<Probe> probes(const std::set<std::string>& read, const FileMap& facts);

  // A file that probes() found and scan_all() did not; else "".
  const std::string& appeared() const { return appeared_; }

  bool is_in_memory(const std::string& name) const { return memory_.count(name) != 0; }
  const std::string& directory() const { return directory_; }
  // Returns whether one of the texts in memory includes a name made by a macro.
  bool has_computed() const;
  // Returns whether a header in memory makes the compiler search the current folder.
  bool looks_into_directory() const { return looks_into_directory_; }
  // Returns the reason, from the texts in memory, that the result must not be stored; else "".
  const std::string& problem() const { return problem_; }

 private:
  struct Text {
    std::string folder;  // with a slash at its end; "": none
    const IncludeScan* scan;
  };
  std::vector<std::string> places(const std::string& folder, const IncludeName& name) const;
  PathState state(const std::string& path);
  void record_absent(const std::string& path);
  void record(const std::string& path, bool is_there) { recorded_.emplace(path, is_there); }
  bool resolve(const Text& text, const IncludeName& name, const std::set<std::string>& read,
               std::set<std::string>& explained);
  void record_computed(const Text& text, const std::set<std::string>& read,
                       const std::set<std::string>& explained);

  const container::FileAccess& access_;
  const std::string directory_;
  FileIndex& index_;
  std::vector<std::string> include_paths_;  // absolute, with a slash at their end
  std::set<std::string> memory_;
  std::vector<IncludeScan> scans_;  // of the texts in memory, and one for the pre-includes
  std::vector<Text> texts_;
  std::string problem_, appeared_;
  std::unordered_set<std::string> absent_;  // at the time of the scan
  bool looks_into_directory_ = false;
  std::unordered_map<std::string, PathState> states_;
  std::map<std::string, bool> recorded_;
};

}  // namespace cucore::cache
