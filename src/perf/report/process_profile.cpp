// SPDX-License-Identifier: Apache-2.0
#include "perf/report/process_profile.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perf/profile/log_failure.hpp"
#include "perf/profile/profiler.hpp"
#include "perf/report/finish_session.hpp"
#include "perf/report/profile_report.hpp"
#include "perf/report/report_file.hpp"
#include "support/concat.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::perf {
namespace {

// Of the exit, for work of the devices that the program has not waited for.
constexpr double MOST_WAIT = 10;  // seconds

using WriteReport = std::string (*)(const ReportData&);

struct ReportFile {
  std::string name;
  WriteReport format;
};

struct ProcessProfile {
  std::vector<ReportFile> files;
  Ref<Profiler> profiler;
  pid_t process;
};

std::atomic<ProcessProfile*> process_profile{nullptr};  // lives until the process ends

// Returns the format that the ending of a name selects; null without one.
WriteReport format_of(std::string_view name) {
  struct Ending {
    std::string_view text;
    WriteReport format;
  };
  constexpr std::array<Ending, 5> ENDINGS = {{{".html", profile_as_html},
                                              {".json", profile_as_json},
                                              {".trace", profile_as_trace},
                                              {".csv", profile_as_csv},
                                              {".text", profile_as_text}}};
  for (const Ending& ending : ENDINGS)
    if (name.size() > ending.text.size() && name.ends_with(ending.text)) return ending.format;
  return nullptr;
}

// "%p" in the name of a file, without its folder, is the id of the process.
std::string with_process_id(std::string_view name) {
  std::string made(name);
  const std::string id = std::to_string(getpid());
  for (size_t at = made.rfind('/') + 1; (at = made.find("%p", at)) != made.npos; at += id.size())
    made.replace(at, 2, id);
  return made;
}

// Several names have a colon between them. Other colons are a part of a name.
std::vector<ReportFile> files_of(const std::string& names) {
  std::vector<ReportFile> files;
  size_t begin = 0;
  for (size_t end = 0; end <= names.size(); ++end) {
    if (end < names.size() && names[end] != ':') continue;
    const std::string_view name = std::string_view(names).substr(begin, end - begin);
    const WriteReport format = format_of(name);
    if (!format) continue;
    files.push_back({with_process_id(name), format});
    begin = end + 1;
  }
  if (files.empty() || begin <= names.size())
    throw Error(Status::INVALID_ARGUMENT,
                concat("CUCORE_PROFILE is ", names,
                       "; expected a file that ends in .html, .json or .trace, or in .csv or "
                       ".text"));
  return files;
}

// The user of the variable may have no access to the log of the program.
void report_failure(const char* attempt, const char* reason) noexcept {
  if (!log_failure(attempt, reason)) std::fprintf(stderr, "libcucore: %s: %s\n", attempt, reason);
}

// Calls a function, and reports its failure.
template <class Function>
void try_to(const char* attempt, Function&& function) noexcept {
  try {
    function();
  } catch (const std::exception& error) {
    report_failure(attempt, error.what());
  }
}

// A child of fork has the session of its parent, which alone writes the files. A file that cannot
// be written does not keep the others from being written.
void write_at_exit() {
  const ProcessProfile* const profile = process_profile.exchange(nullptr);
  if (!profile || profile->process != getpid()) return;
  try_to("the profile of CUCORE_PROFILE is lost", [&] {
    const Ref<FinishedReport> report = finish_session(profile->profiler->end(MOST_WAIT));
    for (const ReportFile& file : profile->files)
      try_to("a file of CUCORE_PROFILE is missing",
             [&] { write_report_file(file.name, file.format(report->data())); });
  });
}

// Without memory for another function, the session may end after CUPTI.
void end_before_cupti() noexcept { (void)std::atexit(write_at_exit); }

void start(const std::string& names) {
  auto profile = std::make_unique<ProcessProfile>();
  profile->files = files_of(names);
  profile->process = getpid();
  ProfilerOptions options;
  options.timeline = true;
  options.may_compile = false;  // a compiler may have ended before the exit of the process
  options.on_cupti = end_before_cupti;
  profile->profiler = make<Profiler>(options);
  profile->profiler->begin(true);
  // libcrypto ends at the exit also, after the functions that were registered after its first use.
  prepare_sha256();
  process_profile.store(profile.release());
  if (std::atexit(write_at_exit) != 0)
    throw Error(Status::OUT_OF_MEMORY, "no function can be called at the exit of the process");
}

}  // namespace

void start_process_profile() {
  static constinit std::atomic<bool> is_started{false};
  const std::string names = environment("CUCORE_PROFILE");
  if (names.empty() || is_started.exchange(true)) return;
  try {
    start(names);
  } catch (const std::exception& failure) {
    report_failure("CUCORE_PROFILE has no effect", failure.what());
    throw;
  }
}

}  // namespace cucore::perf
