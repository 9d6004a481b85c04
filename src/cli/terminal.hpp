// What depends on whether a person watches: colours, and a sign of life during long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cucore::cli {

/// Prints a failure to stderr: the message, what the status is, then the log.
void print_failure(const std::string& message, const std::string& detail, const std::string& log);

/// Prints one warning line to stderr.
void print_warning(const std::string& message);

/// Turns on stderr while it lives, if stderr is a terminal and the work takes more than a moment.
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
