// SPDX-License-Identifier: Apache-2.0
#include "profiled_program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <cucore/library.hpp>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>

#include "failure.hpp"
#include "files.hpp"
#include "output_aside.hpp"
#include "print.hpp"
#include "report.hpp"
#include "support/environment.hpp"

namespace cucore::cli {
namespace {

constexpr int OF_SIGNALS = 128;  // a shell adds the number of the signal

// A folder of this user alone, which ends with the object.
class ReportFolder {
 public:
  ReportFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cucore-profile-XXXXXX").string();
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

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// The terminal sends its signals to the program too, which decides what they do.
class SignalsForProgram {
 public:
  SignalsForProgram()
      : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~SignalsForProgram() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

 private:
  void (*const interrupt_)(int);
  void (*const quit_)(int);
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

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

// Returns the exit code as a shell does.
int run_program(std::vector<std::string> words, std::vector<std::string> variables) {
  const SignalsForProgram signals;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGQUIT);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, words.front().c_str(), nullptr, &attributes,
                                   pointers_to(words).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (refused != 0)
    throw failed(fmt::format("cannot run {}: {}", words.front(), std::strerror(refused)),
                 Status::io);
  int state = 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      throw failed(fmt::format("lost {}: {}", words.front(), std::strerror(errno)), Status::io);
  return WIFSIGNALED(state) ? OF_SIGNALS + WTERMSIG(state) : WEXITSTATUS(state);
}

// A file of the report: the one that the program writes, and the one that the user has named.
struct NamedReport {
  std::string made, wanted;
};

// Throws the first failure, after it has tried all. If the program has failed, its exit code is
// worth more.
void deliver(const std::vector<NamedReport>& reports, int code) {
  std::exception_ptr first;
  for (const NamedReport& report : reports) {
    try {
      write_file(report.wanted, read_file(report.made));
    } catch (const Failure& failure) {
      if (code != 0) print_error("cucore: error: {}\n", Text{failure.what()});
      if (!first) first = std::current_exception();
    }
  }
  if (first && code == 0) std::rethrow_exception(first);
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
  const ReportFolder folder;
  std::vector<NamedReport> reports;
  if (!html.empty()) reports.push_back({folder.file("report.html"), html});
  if (!trace.empty()) reports.push_back({folder.file("report.trace"), trace});
  for (const NamedReport& report : reports) require_output(report.wanted);
  const std::string shown = folder.file(wants_json() ? "report.json"
                                        : csv        ? "report.csv"
                                                     : "report.text");
  std::string profile = shown;
  for (const NamedReport& report : reports) profile += ":" + report.made;
  std::vector<std::string> variables{"CUCORE_PROFILE=" + profile};
  if (!driver.empty()) variables.push_back("CUCORE_DRIVER=" + driver);
  add_nvtx(variables, driver);
  int code = 0;
  {
    std::optional<OutputAside> aside;
    if (wants_json() || csv) aside.emplace();
    code = run_program(words, environment_with(variables));
  }
  if (!std::filesystem::exists(shown)) {
    print_error("cucore: no profile: {} used no device through libcucore, or did not end by exit\n",
                words.front());
    throw ProgramEnded{code == 0 && !reports.empty() ? FAILED : code};
  }
  const std::string report = read_file(shown);
  if (!wants_json() && !csv) print_error("{}", Text{report});
  deliver(reports, code);
  if (wants_json())
    print_json(Json::parse(report));
  else if (csv)
    print("{}", Text{report});
  throw ProgramEnded{code};
}

}  // namespace cucore::cli
