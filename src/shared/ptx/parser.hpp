// SPDX-License-Identifier: Apache-2.0
// Parses PTX text to a verified Module, or reports errors with line numbers.
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
  bool unsupported_version = false;  // the text requires a newer PTX version than this parser reads

  // Returns "ptx input, line 12; error : ...\n" for each error, the driver's format of an error
  // log.
  std::string to_string() const;
};

// Returns nullptr if the text is not executable PTX; `log` then has at least one error.
std::unique_ptr<Module> parse(std::string_view text, Diagnostics& log);

}  // namespace cucore::ptx
