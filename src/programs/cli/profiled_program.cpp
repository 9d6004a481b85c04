// SPDX-License-Identifier: Apache-2.0
#include "profiled_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cucore/library.hpp>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "failure.hpp"
#include "files.hpp"
#include "output_aside.hpp"
#include "print.hpp"
#include "program_run.hpp"
#include "report.hpp"
#include "support/environment.hpp"

namespace cucore::cli {
namespace {

// A folder of this user alone, which ends with the object.
class ReportFolder {
 public:
  ReportFolder() {
    std::error_code missing;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(missing);
    if (missing)
      throw failed(fmt::format("cannot use the folder for temporary files, which TMPDIR sets: {}",
                               missing.message()),
                   Status::io);
    std::string name = (parent / "cucore-profile-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw failed(fmt::format("cannot make the folder {}: {}", name, std::strerror(errno)),
                   Status::io);
    path_ = name;
  }
  ~ReportFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  // The report of a process, in the format that the ending selects.
  std::string report(const std::string& process, const std::string& ending) const {
    return (path_ / fmt::format("{}{}{}", PREFIX, process, ending)).string();
  }
  std::vector<std::string> processes(const std::string& ending) const {
    std::vector<std::string> found;
    std::error_code missing;  // the program has removed the folder
    for (const auto& entry : std::filesystem::directory_iterator(path_, missing)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(PREFIX) || !name.ends_with(ending)) continue;
      found.push_back(name.substr(PREFIX.size(), name.size() - PREFIX.size() - ending.size()));
    }
    return found;
  }
  std::filesystem::file_time_type written(const std::string& process,
                                          const std::string& ending) const {
    return std::filesystem::last_write_time(report(process, ending));
  }

 private:
  static constexpr std::string_view PREFIX = "report.";
  std::filesystem::path path_;
};

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** at = environ; *at; ++at) {
    const std::string_view variable = *at;
    bool is_replaced = false;
    for (const std::string& other : added)
      is_replaced |= variable.starts_with(other.substr(0, other.find('=') + 1));
    if (!is_replaced) all.emplace_back(variable);
  }
  return all;
}

// A file of the report: how its name ends in the folder, and the one that the user has named.
struct NamedReport {
  std::string ending, wanted;
};

// The processes that have written a report into the folder.
struct Reporters {
  std::size_t count = 0;
  std::string chosen;  // "": none
};

// Chooses the program itself, or else the process that wrote last.
Reporters find_reporters(const ReportFolder& folder, const std::string& ending, pid_t program) {
  Reporters found;
  std::filesystem::file_time_type latest;
  const std::string own = std::to_string(program);
  for (const std::string& process : folder.processes(ending)) {
    const auto written = folder.written(process, ending);
    if (found.count++ != 0 && process != own && (found.chosen == own || written < latest)) continue;
    found.chosen = process;
    latest = written;
  }
  return found;
}

// Returns the first failure, after it has tried all. If the program has failed, its exit code is
// worth more.
std::exception_ptr deliver(const ReportFolder& folder, const std::string& process,
                           const std::vector<NamedReport>& reports, int code) {
  std::exception_ptr first;
  for (const NamedReport& report : reports) {
    try {
      const std::string made = folder.report(process, report.ending);
      if (!std::filesystem::exists(made))
        throw failed(fmt::format("cannot write {}: process {} could not write its report",
                                 report.wanted, process),
                     Status::io);
      write_file(report.wanted, read_file(made));
    } catch (const Failure& failure) {
      if (code != 0) print_error("cucore: error: {}\n", Text{failure.what()});
      if (!first) first = std::current_exception();
    }
  }
  return code == 0 ? first : nullptr;
}

// The exit code of a program that has failed is worth more than that of the command.
[[noreturn]] void end_without_profile(const std::string& program, bool is_report_expected,
                                      const ProgramEnded& ended) {
  const std::string message = fmt::format(
      "no profile: {} used no device through libcucore, could not write its report, or did not "
      "end by exit",
      program);
  const int code = ended.exit_code == 0 && is_report_expected ? FAILED : ended.exit_code;
  if (wants_json())
    report_failure(failed(message, Status::not_found).with({{"exit_code", code}}));
  else
    print_error("cucore: {}\n", message);
  throw ProgramEnded{code, ended.signal};
}

// NVTX sends the ranges of the program to the library in this variable, for which CUPTI serves. The
// CPU device has no records of CUPTI.
void add_nvtx(std::vector<std::string>& variables, const std::string& driver) {
  constexpr const char* NAME = "NVTX_INJECTION64_PATH";
  if ((driver.empty() ? environment("CUCORE_DRIVER") : driver) == "cpu") return;
  if (!environment(NAME).empty()) return;
  const LibraryInfo cupti = library_query(Library::cupti);
  if (cupti.available) variables.push_back(fmt::format("{}={}", NAME, cupti.path));
}

void require_ending(const std::string& file, const char* option, const char* ending) {
  if (!file.empty() && !file.ends_with(ending))
    throw usage(
        fmt::format("{} {}: the file of a program's profile must end in {}", option, file, ending));
}

}  // namespace

void ProfiledProgram::run() const {
  require_ending(html, "--html", ".html");
  require_ending(trace, "--trace", ".trace");
  const SignalsForProgram signals;
  const ReportFolder folder;
  std::vector<NamedReport> reports;
  if (!html.empty()) reports.push_back({".html", html});
  if (!trace.empty()) reports.push_back({".trace", trace});
  for (const NamedReport& report : reports) require_output(report.wanted);
  const std::string shown = wants_json() ? ".json" : csv ? ".csv" : ".text";
  std::string profile = folder.report("%p", shown);
  for (const NamedReport& report : reports) profile += ":" + folder.report("%p", report.ending);
  std::vector<std::string> variables{"CUCORE_PROFILE=" + profile};
  if (!driver.empty()) variables.push_back("CUCORE_DRIVER=" + driver);
  add_nvtx(variables, driver);
  const bool has_output = wants_json() || csv;
  EndOfProgram end{};
  {
    std::optional<OutputAside> aside;
    if (has_output) aside.emplace();
    end = run_program(words, environment_with(variables));
  }
  const ProgramEnded ended{end.exit_code, signals.received()};
  const Reporters reporters = find_reporters(folder, shown, end.process);
  if (reporters.count == 0)
    end_without_profile(words.front(), has_output || !reports.empty(), ended);
  if (reporters.count > 1)
    print_error("cucore: {} processes have a profile; this is that of process {}\n",
                reporters.count, reporters.chosen);
  const std::string report = read_file(folder.report(reporters.chosen, shown));
  const std::exception_ptr failure = deliver(folder, reporters.chosen, reports, ended.exit_code);
  if (!has_output) print_error("{}", Text{report});
  if (failure) std::rethrow_exception(failure);
  if (wants_json())
    print_json(Json::parse(report));
  else if (csv)
    print("{}", Text{report});
  throw ProgramEnded{ended.exit_code, signals.received()};
}

}  // namespace cucore::cli
