// SPDX-License-Identifier: Apache-2.0
// One PTX text of a link: checked, with its symbols and statements.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/link/pieces.hpp"
#include "ptx/link/symbols.hpp"
#include "ptx/linker.hpp"

namespace cucore::ptx::link {

struct Input {
  Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  std::string name;  // for messages
  std::string text;  // all views below point into it; TEXT_PADDING zeros follow
  int version_major = 0, version_minor = 0;
  int target = 0;
  char target_suffix = 0;
  std::vector<SourceFile> files;
  std::vector<Symbol> symbols;
  Pieces pieces;

  std::string_view body() const;  // the text without the zeros
};

// Parses `text`. On failure returns nullptr, and `result` has the status and the log.
std::unique_ptr<Input> read_input(std::string name, std::string_view text, const Provided& provided,
                                  LinkResult& result);

}  // namespace cucore::ptx::link
