// SPDX-License-Identifier: Apache-2.0
// The trace that NVRTC writes of a compile: the one place where it says which files it has read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cache {

// A name for a trace that nothing has and nobody else can take; removed with what was written.
class TraceFile {
 public:
  // In a private folder of its own, below `folder` where that is one.
  explicit TraceFile(const std::string& folder);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // For the compiler, which appends ".json"; "" where no folder could be made.
  const std::string& name() const { return name_; }
  // The headers, as the compiler names them; nullopt where the trace is missing or not whole.
  std::optional<std::vector<std::string>> headers() const;

  static constexpr const char* PREFIX = ".trace.";

 private:
  std::string folder_, name_;
};

std::optional<std::vector<std::string>> headers_in_trace(std::string_view json);

}  // namespace cucore::cache
