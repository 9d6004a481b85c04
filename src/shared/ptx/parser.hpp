// SPDX-License-Identifier: Apache-2.0
// Turns PTX text into a verified Module, or says with line numbers why it cannot.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace cucore::ptx {

struct Diagnostic {
  uint32_t line = 0;
  std::string text;
};

// Errors in the order of the text; parsing stops after a few.
struct Diagnostics {
  std::vector<Diagnostic> errors;
  bool unsupported_version = false;  // the text asks for a newer PTX than this reads

  // "ptx input, line 12; error : ...\n" for each: what a driver puts in the error log.
  std::string to_string() const;
};

// nullptr when the text is not PTX that could run; `log` then has at least one error.
std::unique_ptr<Module> parse(std::string_view text, Diagnostics& log);

}  // namespace cucore::ptx
