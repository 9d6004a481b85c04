// SPDX-License-Identifier: Apache-2.0
// The trace of driver calls: one JSON line per call, in the file that CUCORE_CPU_TRACE names.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <shared_mutex>
#include <string>

namespace cucore::cpu {

class Trace {
 public:
  static Trace& instance();
  void open(const std::string& path) {
    if (!path.empty()) exchange(open_file(path));
  }
  // Replaces the file and returns the previous one, after the last line that is being written to
  // it; -1: none.
  int exchange(int file);
  // Opens the file for appending. Returns -1 unless the file is new or a trace owned by this user.
  static int open_file(const std::string& path);
  bool on() const { return file_.load(std::memory_order_relaxed) >= 0; }
  void write(const char* name, uint64_t number, const std::string& arguments, uint64_t start,
             CUresult result);
  static uint64_t clock();  // nanoseconds

 private:
  std::shared_mutex mutex_;  // shared while a line is written
  std::atomic<int> file_{-1};
};

}  // namespace cucore::cpu
