// SPDX-License-Identifier: Apache-2.0
// The checks of the CPU device for one run: --check, --check-json, --suppress and --schedule.
#pragma once

#include <CLI/CLI.hpp>
#include <cucore/checks.hpp>
#include <string>
#include <vector>

#include "distinct.hpp"
#include "json.hpp"

namespace cucore::cli {

struct CheckFlags {
  std::string checks;  // "": none
  std::string json_file;
  std::vector<std::string> suppressions;  // files
  std::string schedule;

  void add_to(CLI::App& command);
  void add_files_to(FileUse& use) const;
  bool enabled() const { return !checks.empty(); }
  // Whether the run needs the CPU device.
  bool need_device() const { return enabled() || !schedule.empty(); }
};

// Enables the checks of the device in use. Fails if it has none.
class CheckedRun {
 public:
  explicit CheckedRun(const CheckFlags& flags);
  // Returns the reports that no suppression matches, and writes the file of --check-json.
  Json reports() const;

 private:
  const CheckFlags& flags_;
  Checks checks_;
};

// Prints the reports to stderr and throws the failure of a run with reports.
void require_no_reports(const Json& reports);

}  // namespace cucore::cli
