// SPDX-License-Identifier: Apache-2.0
// Rules for reports to drop: lines "KIND KERNEL FILE:LINE" with the wildcards * and ?.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore {

// The kinds of reports of the CPU device, in the order of its ReportKind.
inline constexpr std::array<const char*, 14> REPORT_KINDS = {
    "out-of-bounds", "use-after-free", "misaligned",  "uninitialised", "shared-race",
    "global-race",   "barrier",        "deadlock",    "stream-race",   "host-race",
    "leak",          "wgmma",          "double-free", "fault"};

// The parts of a report that rules match. A race has two places.
struct ReportIdentity {
  std::string kind, kernel;
  // "saxpy.cu:12", or "ptx:34" without a source line; "" without a place
  std::string place, other_place;
};

class Suppressions {
 public:
  struct WrongLine {
    unsigned number = 0;
    std::string reason;  // "has 4 words; expected KIND KERNEL FILE:LINE"
  };
  // Adds the rules of a text; "#" begins a comment. Returns the first line with too many words, or
  // with a kind that matches none of REPORT_KINDS.
  std::optional<WrongLine> add(std::string_view text);
  bool match(const ReportIdentity& report) const;
  // Returns the rules as lines for add().
  std::string text() const;

 private:
  struct Rule {
    std::string kind, kernel = "*", place = "*";
  };
  std::vector<Rule> rules_;
};

}  // namespace cucore
