// SPDX-License-Identifier: Apache-2.0
// Shows the progress of long work on one line of stderr, if it is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cucore::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done, std::size_t total);
  // Clears the bar, so that a line can be printed.
  void clear();

 private:
  std::string what_;
  bool watched_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace cucore::cli
