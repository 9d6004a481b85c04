// SPDX-License-Identifier: Apache-2.0
// Makes the record of a compile: the files that it may have read, found before and after it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/include_search.hpp"
#include "cache/toolkit.hpp"

namespace cucore::cache {

// The files are found from include directives before the compile. The compiler's own trace cannot
// be used, because NVRTC 13.0 generates other code for some kernels while it traces. If a macro
// makes a name, a separate run of the compiler without code generation finds it.
class RecordBuilder {
 public:
  RecordBuilder(const container::BuildInputs& inputs, const std::string& directory,
                FileIndex& index, Toolkits& toolkits);

  // Returns whether only the compiler can determine the files.
  bool needs_trace() const { return needs_trace_; }
  // Runs after the compile, with the headers in the trace if one is needed. Returns nullopt if the
  // result cannot be stored; problem() returns the reason.
  std::optional<Record> finish(const std::vector<std::string>& headers,
                               const container::Digest& key);
  const std::string& problem() const { return problem_; }
  // Returns one of the files on the disk that may be read, or "".
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
  int64_t begun_ns_ = 0;     // on the file clock
  int64_t begun_at_ns_ = 0;  // on the exact clock, which no stamp of a file is ahead of
  bool needs_trace_ = false;
  std::string problem_;
};

}  // namespace cucore::cache
