// SPDX-License-Identifier: Apache-2.0
#include "kernel_checks.hpp"

#include <fmt/format.h>

#include <string_view>

#include "failure.hpp"
#include "files.hpp"
#include "print.hpp"

namespace cucore::cli {
namespace {

ChecksOptions options_of(const CheckFlags& flags) {
  ChecksOptions options;
  options.kinds = flags.enabled() ? flags.checks : "none";
  options.schedule = flags.schedule;
  options.suppression_files = flags.suppressions;
  return options;
}

// Names the option of the command in place of the field.
Failure refused(const Error& error) {
  constexpr std::string_view FIELDS[][2] = {{"cucore_checks_options.kinds", "--check"},
                                            {"cucore_checks_options.schedule", "--schedule"}};
  const std::string_view message = error.message();
  for (const auto& [field, option] : FIELDS)
    if (message.substr(0, field.size()) == field)
      return usage(fmt::format("{}{}", option, message.substr(field.size())));
  return Failure(error);
}

}  // namespace

void CheckFlags::add_to(CLI::App& command) {
  command
      .add_flag("--check{all}", checks,
                "check the kernel on the CPU device: all, or a list of memory, init, race, "
                "barrier, host and leak; reports are exit code 4")
      ->type_name("[=LIST]");
  command.add_option("--check-json", json_file, "write the reports of --check to a file")
      ->type_name("FILE");
  command
      .add_option("--suppress", suppressions,
                  "drop reports of --check that match a line 'KIND KERNEL FILE:LINE' of the file; "
                  "* and ? match any text; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--schedule", schedule,
                  "order of the warps on the CPU device: parallel, sequential or random:SEED")
      ->type_name("ORDER");
}

void CheckFlags::add_files_to(FileUse& use) const {
  for (const std::string& file : suppressions) use.inputs.push_back(file);
  if (!json_file.empty()) use.outputs.push_back(json_file);
}

CheckedRun::CheckedRun(const CheckFlags& flags) : flags_(flags) {
  if (!flags.need_device()) return;
  try {
    checks_ = Checks::create(options_of(flags));
  } catch (const InvalidArgumentError& error) {
    throw refused(error);
  }
}

Json CheckedRun::reports() const {
  if (!flags_.enabled()) return Json::array();
  checks_.end();
  const Json all = Json::parse(checks_.json());
  if (!flags_.json_file.empty()) write_file(flags_.json_file, all.dump(2) + "\n");
  return all["reports"];
}

void require_no_reports(const Json& reports) {
  if (reports.empty()) return;
  for (const Json& report : reports) print_error("{}\n", report["text"].get<std::string>());
  throw Failure(CHECKS, Status::checks,
                fmt::format("the checks made {} {}", reports.size(),
                            reports.size() == 1 ? "report" : "reports"))
      .with({{"reports", reports}});
}

}  // namespace cucore::cli
