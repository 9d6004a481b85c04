// SPDX-License-Identifier: Apache-2.0
#include "kernel_checks.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "failure.hpp"
#include "files.hpp"
#include "number_check.hpp"
#include "option_names.hpp"
#include "print.hpp"
#include "report.hpp"
#include "sizes.hpp"

namespace cucore::cli {
namespace {

ChecksOptions options_of(const CheckFlags& flags) {
  ChecksOptions options;
  options.kinds = flags.enabled() ? flags.checks : "none";
  options.schedule = flags.schedule;
  options.suppression_files = flags.suppressions;
  options.launch_instructions = flags.launch_instructions.value_or(0);
  if (flags.launch_memory)
    options.launch_memory = parse_size(*flags.launch_memory, "--launch-memory");
  if (flags.launch_output)
    options.launch_output = parse_size(*flags.launch_output, "--launch-output");
  return options;
}

// In the options of a session, 0 stands for the present budget.
void require_budget(std::string_view option, std::uint64_t budget) {
  if (budget == 0)
    throw usage(fmt::format("{} is 0; expected at least 1, or no {} for the budget of the device",
                            option, option));
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
                  "order of the warps on the CPU device: parallel, sequential, random:SEED, or "
                  "random, which chooses a seed and prints it")
      ->type_name("ORDER");
  command
      .add_option("--launch-instructions", launch_instructions,
                  "warp instructions that the kernel may run on the CPU device")
      ->check(of_64_bits())
      ->type_name("N");
  command
      .add_option("--launch-memory", launch_memory,
                  "host memory that the running blocks may use on the CPU device, such as 256M")
      ->type_name("SIZE");
  command
      .add_option("--launch-output", launch_output,
                  "text that the kernel may print on the CPU device, such as 64K")
      ->type_name("SIZE");
}

void CheckFlags::add_files_to(FileUse& use) const {
  for (const std::string& file : suppressions) use.inputs.push_back(file);
  if (!json_file.empty()) use.outputs.push_back(json_file);
}

void CheckFlags::require_valid() const {
  if (launch_instructions) require_budget("--launch-instructions", *launch_instructions);
  if (launch_memory)
    require_budget("--launch-memory", parse_size(*launch_memory, "--launch-memory"));
  if (launch_output)
    require_budget("--launch-output", parse_size(*launch_output, "--launch-output"));
  if (enabled()) return;
  if (!suppressions.empty())
    throw usage("--suppress has an effect on reports of --check alone; add --check");
  if (!json_file.empty()) throw usage("--check-json writes the reports of --check; add --check");
}

CheckedRun::CheckedRun(const CheckFlags& flags) : flags_(flags) {
  if (!flags.need_device()) return;
  try {
    checks_ = Checks::create(options_of(flags));
  } catch (const InvalidArgumentError& error) {
    throw refused(error);
  }
  if (flags_.schedule == "random" && !wants_json())
    print_error("schedule: {}\n", checks_.schedule());
}

Json CheckedRun::reports() const {
  if (!flags_.enabled()) return Json::array();
  checks_.end();
  const Json all = Json::parse(checks_.json());
  if (!flags_.json_file.empty()) write_file(flags_.json_file, all.dump(2) + "\n");
  return all["reports"];
}

void require_no_reports(const CheckedRun& checked) {
  const Json reports = checked.reports();
  if (reports.empty()) return;
  for (const Json& report : reports)
    print_error("{}\n", with_option_names(report["text"].get<std::string>()));
  Json all = {{"reports", reports}};
  if (!checked.schedule().empty()) all["schedule"] = checked.schedule();
  throw Failure(CHECKS, Status::checks,
                fmt::format("the checks made {} {}", reports.size(),
                            reports.size() == 1 ? "report" : "reports"))
      .with(std::move(all));
}

}  // namespace cucore::cli
