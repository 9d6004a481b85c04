// SPDX-License-Identifier: Apache-2.0
// Output for terminals: colours, source lines and a progress line.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "failure.hpp"

namespace cucore::cli {

// Returns whether stderr is a terminal that supports escape sequences.
bool is_terminal();

// Prints a failure to stderr: the message, the status, then the log.
void print_failure(const std::string& message, const std::string& detail = {},
                   const std::string& log = {}, const std::vector<Diagnostic>& diagnostics = {});

// Prints a compiler's log to stderr. A pipe receives it unchanged. A terminal receives colours, and
// the source lines that the compiler did not print.
void print_log(const std::string& log, const std::vector<Diagnostic>& diagnostics);

// Sets the file for logs without a file name: ptxas writes "application ptx input".
void set_log_source(const std::string& path);

// Registers a name from a file or of a file that a log may repeat: its line feeds are escaped.
void add_log_name(const std::string& name);

// Prints one warning line to stderr.
void print_warning(const std::string& message);

// Holds warnings back while it lives.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

// Shows a progress line on stderr while it lives, if stderr is a terminal and the work takes longer
// than a moment.
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
