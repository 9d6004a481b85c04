// SPDX-License-Identifier: Apache-2.0
// How far long work is, on one line of stderr, where a person watches.
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
  // Makes room for a line of its own.
  void clear();

 private:
  std::string what_;
  bool watched_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace cucore::cli
