// SPDX-License-Identifier: Apache-2.0
// Where a compiler looks for a header: the order of folders, and what lies in them.
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

// "/a/./b//c" is "/a/b/c"; a relative path is below `directory`. ".." stays: links may be in
// between.
std::string absolute_path(const std::string& path, const std::string& directory);

// Files that a compile may read, found before it begins by reading what includes what.
using FileMap = std::unordered_map<std::string, std::shared_ptr<const FileFacts>>;

class IncludeSearch {
 public:
  // `directory`: the current one.
  IncludeSearch(const container::FileAccess& access, std::string directory, FileIndex& index);

  // Everything that could be included.
  FileMap scan_all();

  // What decides which of the places is read: `read` are the files that were. Sorted by path.
  std::vector<Probe> probes(const std::set<std::string>& read, const FileMap& facts);

  // A file that probes() has found where scan_all() had found none; else "".
  const std::string& appeared() const { return appeared_; }

  bool is_in_memory(const std::string& name) const { return memory_.count(name) != 0; }
  const std::string& directory() const { return directory_; }
  // Whether one of the texts in memory includes a name that a macro makes.
  bool has_computed() const;
  // Whether a header in memory makes the compiler look into the current directory.
  bool looks_into_directory() const { return looks_into_directory_; }
  // Why the result must not be kept, as far as the texts in memory say; else "".
  const std::string& problem() const { return problem_; }

 private:
  struct Text {
    std::string folder;  // with a slash at its end; "": none
    const IncludeScan* scan;
  };
  std::vector<std::string> places(const std::string& folder, const IncludeName& name) const;
  PathState state(const std::string& path);
  void note_absent(const std::string& path);
  void note(const std::string& path, bool is_there) { noted_.emplace(path, is_there); }
  bool resolve(const Text& text, const IncludeName& name, const std::set<std::string>& read,
               std::set<std::string>& explained);
  void note_computed(const Text& text, const std::set<std::string>& read,
                     const std::set<std::string>& explained);

  const container::FileAccess& access_;
  const std::string directory_;
  FileIndex& index_;
  std::vector<std::string> include_paths_;  // absolute, with a slash at their end
  std::set<std::string> memory_;
  std::vector<IncludeScan> scans_;  // of the texts in memory, and one for the pre-includes
  std::vector<Text> texts_;
  std::string problem_, appeared_;
  std::unordered_set<std::string> absent_;  // when everything was scanned
  bool looks_into_directory_ = false;
  std::unordered_map<std::string, PathState> states_;
  std::map<std::string, bool> noted_;
};

}  // namespace cucore::cache
