// SPDX-License-Identifier: Apache-2.0
// The trace that NVRTC writes of a compile, the only list of the files that it has read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cache {

// A unique name for a trace that another process cannot take; its files are removed at the end.
class TraceFile {
 public:
  // In a separate private folder, below `folder` if that is one.
  explicit TraceFile(const std::string& folder);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // The name for the compiler, which appends ".json"; "" if no folder could be made.
  const std::string& name() const { return name_; }
  // Returns the headers under the compiler's names; nullopt if the trace is missing or incomplete.
  std::optional<std::vector<std::string>> headers() const;

  static constexpr const char* PREFIX = ".trace.";

 private:
  std::string folder_, name_;
};

std::optional<std::vector<std::string>> headers_in_trace(std::string_view json);

}  // namespace cucore::cache
