// SPDX-License-Identifier: Apache-2.0
// The layout of --help: lines that fit the terminal, and --[no-]ftz for a flag and its opposite.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace cucore::cli {

class Formatter : public CLI::Formatter {
 public:
  Formatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  std::size_t width_;
};

}  // namespace cucore::cli
