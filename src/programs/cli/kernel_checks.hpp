// SPDX-License-Identifier: Apache-2.0
// The checks of the CPU device for one run: --check, --check-json, --suppress and --schedule; and
// the budgets of its launches.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cucore/checks.hpp>
#include <optional>
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
  std::optional<std::uint64_t> launch_instructions;
  std::optional<std::string> launch_memory, launch_output;  // sizes

  void add_to(CLI::App& command);
  void add_files_to(FileUse& use) const;
  // Refuses budgets of 0, and options of --check without it.
  void require_valid() const;
  bool enabled() const { return !checks.empty(); }
  // Whether the run needs the CPU device.
  bool need_device() const { return enabled() || !schedule.empty() || has_budgets(); }

 private:
  bool has_budgets() const { return launch_instructions || launch_memory || launch_output; }
};

// Enables the checks of the device in use. Fails if it has none.
class CheckedRun {
 public:
  explicit CheckedRun(const CheckFlags& flags);
  // Returns the reports that no suppression matches, and writes the file of --check-json.
  Json reports() const;
  // Returns "random:7", which repeats the order; "" for other schedules.
  std::string schedule() const { return std::string(checks_.schedule()); }

 private:
  const CheckFlags& flags_;
  Checks checks_;
};

// Prints the reports of a run to stderr and throws its failure, if there are any.
void require_no_reports(const CheckedRun& checked);

}  // namespace cucore::cli
