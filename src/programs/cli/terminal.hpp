// SPDX-License-Identifier: Apache-2.0
// What depends on whether a person watches: colours, source lines, a sign of life during long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "failure.hpp"

namespace cucore::cli {

// Whether a person watches stderr, on a terminal that can do more than print.
bool is_terminal();

// Prints a failure to stderr: the message, what the status is, then the log.
void print_failure(const std::string& message, const std::string& detail = {},
                   const std::string& log = {}, const std::vector<Diagnostic>& diagnostics = {});

// Prints a compiler's log to stderr: as it is into a pipe; on a terminal in colour, with the
// source lines that the compiler did not repeat itself.
void print_log(const std::string& log, const std::vector<Diagnostic>& diagnostics);

// The file that a log is about where it names none: ptxas speaks of "application ptx input".
void set_log_source(const std::string& path);

// A name that a file or its name made up, and that a log may repeat: its line feeds are escaped.
void add_log_name(const std::string& name);

// Prints one warning line to stderr.
void print_warning(const std::string& message);

// Turns on stderr while it lives, if stderr is a terminal and the work takes more than a moment.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void turn();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace cucore::cli
