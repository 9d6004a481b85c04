// SPDX-License-Identifier: Apache-2.0
// The profile of one kernel with arguments from the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "distinct.hpp"
#include "source.hpp"

namespace cucore::cli {

struct ProfiledKernel {
  std::string kernel;
  std::string grid = "1";
  std::string block;
  std::uint32_t shared = 0;
  std::int32_t device = 0;
  std::uint32_t launches = 0;  // 0: the default of the device
  std::vector<std::string> arguments;
  std::string preset, html, trace, plot;
  bool csv = false;
  CompileFlags flags;

  // Launches the kernel of `file` in a session of a profiler, and shows the report.
  void run(const std::string& file) const;

 private:
  FileUse files(const std::string& file) const;
};

}  // namespace cucore::cli
