// SPDX-License-Identifier: Apache-2.0
// Diagnostics of compilers and linkers, parsed from their logs: file, line, column, severity, text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

enum class Severity { NOTE = 1, WARNING, ERROR, FATAL };

struct Diagnostic {
  Severity severity = Severity::ERROR;
  int line = 0;    // 0: not reported
  int column = 0;  // 0: not reported
  std::string file;
  std::string text;
};

// Supports NVRTC, ptxas (alone, in nvJitLink and in the driver), nvJitLink and libNVVM. Other
// lines, such as source that a compiler repeats, are left out.
std::vector<Diagnostic> parse_diagnostics(std::string_view log);

}  // namespace cucore::core
