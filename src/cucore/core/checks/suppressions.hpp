// SPDX-License-Identifier: Apache-2.0
// Rules for reports to drop: lines "KIND KERNEL FILE:LINE" with the wildcards * and ?.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

// The parts of a report that rules match. A race has two places.
struct ReportIdentity {
  std::string kind, kernel;
  std::string place, other_place;  // "saxpy.cu:12", or "ptx:34" without a source line
};

class Suppressions {
 public:
  // Adds the rules of a text; "#" begins a comment. `origin` names the text in errors.
  void add(std::string_view text, const std::string& origin);
  bool match(const ReportIdentity& report) const;

 private:
  struct Rule {
    std::string kind, kernel = "*", place = "*";
  };
  std::vector<Rule> rules_;
};

bool matches(std::string_view pattern, std::string_view text);

}  // namespace cucore::core
