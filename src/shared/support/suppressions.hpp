// SPDX-License-Identifier: Apache-2.0
// Rules for reports to drop: lines "KIND KERNEL FILE:LINE" with the wildcards * and ?.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore {

// The parts of a report that rules match. A race has two places.
struct ReportIdentity {
  std::string kind, kernel;
  std::string place, other_place;  // "saxpy.cu:12", or "ptx:34" without a source line
};

class Suppressions {
 public:
  struct WrongLine {
    unsigned number = 0;
    size_t words = 0;
  };
  // Adds the rules of a text; "#" begins a comment. Returns the first line with too many words.
  std::optional<WrongLine> add(std::string_view text);
  bool match(const ReportIdentity& report) const;

 private:
  struct Rule {
    std::string kind, kernel = "*", place = "*";
  };
  std::vector<Rule> rules_;
};

}  // namespace cucore
