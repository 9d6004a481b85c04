// SPDX-License-Identifier: Apache-2.0
// The findings that the caller or a comment in a source accepts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perf/analyze/kernel.hpp"

namespace cucore::perf {

class Allowed {
 public:
  // `ids` are accepted everywhere. With `read_sources`, the files that the code names are read for
  // comments `// cucore: allow(A103, A105)`; such a comment accepts findings of its line.
  // @throws Error INVALID_ARGUMENT for an unknown id
  Allowed(const std::vector<std::string>& ids, bool read_sources);

  // `ptx` is the text to which Place::ptx_line refers.
  bool covers(const Finding& finding, const std::vector<std::string_view>& ptx);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);

  std::set<uint16_t> everywhere_;
  const bool read_sources_;
  std::map<std::string, std::vector<std::string>> sources_;
};

std::vector<std::string_view> lines_of_text(std::string_view text);
// Whether a line has a comment that accepts the finding.
bool is_allowed_by(std::string_view line, const Rule& rule);

}  // namespace cucore::perf
