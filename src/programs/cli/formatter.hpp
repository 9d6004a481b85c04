// SPDX-License-Identifier: Apache-2.0
// The layout of --help: lines that fit a terminal, and --[no-]ftz for a flag and its opposite.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cucore::cli {

class Formatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace cucore::cli
