// SPDX-License-Identifier: Apache-2.0
// Makes the record of a compile: the files that it may have read, known from before and after it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/include_search.hpp"
#include "cache/toolkit.hpp"

namespace cucore::cache {

// The files are found by reading what includes what, before the compile. The compiler's own trace
// of it is no way: NVRTC 13.0 generates other code for some kernels while it traces. It is asked,
// in a run of its own that generates none, where a name is made by a macro.
class RecordBuilder {
 public:
  RecordBuilder(const container::BuildInputs& inputs, const std::string& directory,
                FileIndex& index, Toolkits& toolkits);

  // Whether only the compiler can tell the files.
  bool needs_trace() const { return needs_trace_; }
  // After the compile, with the headers that the trace names where one is needed. nullopt where the
  // result cannot be kept: problem() says why.
  std::optional<Record> finish(const std::vector<std::string>& headers,
                               const container::Digest& key);
  const std::string& problem() const { return problem_; }
  // One of the files on the disk that may be read; "" where there is none.
  std::string any_file() const { return facts_.empty() ? "" : facts_.begin()->first; }
  std::string any_file(const std::vector<std::string>& headers) const;

 private:
  std::set<std::string> files_of(const std::vector<std::string>& headers) const;
  std::shared_ptr<const FileFacts> settled_facts(const std::string& path);
  bool add(Record& record, const std::string& path);
  void find_toolkits(Toolkits& toolkits);
  uint32_t toolkit_of(const std::string& path) const;

  const container::FileAccess& access_;
  IncludeSearch search_;
  FileMap facts_;
  std::vector<ToolkitFolder> toolkits_;
  int64_t begun_ns_ = 0;     // of the file clock
  int64_t begun_at_ns_ = 0;  // of the clock that no stamp of a file is ahead of
  bool needs_trace_ = false;
  std::string problem_;
};

}  // namespace cucore::cache
