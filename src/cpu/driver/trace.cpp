// SPDX-License-Identifier: Apache-2.0
// Writes each line of the trace with one system call, so that lines of several threads never mix.
#include "cpu/driver/trace.hpp"
#include "cpu/driver/own_file.hpp"

#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <mutex>

#include <functional>
#include <string_view>
#include <thread>

namespace cucore::cpu {

Trace& Trace::instance() {
  static Trace& trace = *new Trace;  // never destroyed
  return trace;
}

int Trace::open_file(const std::string& path) { return open_own_file(path, "{\"time\":"); }

int Trace::exchange(int file) {
  std::unique_lock lock(mutex_);
  return file_.exchange(file);
}

uint64_t Trace::clock() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count());
}

void Trace::write(const char* name, uint64_t number, const std::string& arguments, uint64_t start,
                  CUresult result) {
  char line[1024];
  int n =
      std::snprintf(line, sizeof line,
                    "{\"time\":%" PRIu64 ",\"thread\":\"%zx\",\"call\":\"%s\",\"count\":%" PRIu64
                    ",\"arguments\":[%s],\"result\":%d,\"nanoseconds\":%" PRIu64 "}\n",
                    start, std::hash<std::thread::id>{}(std::this_thread::get_id()), name, number,
                    arguments.c_str(), static_cast<int>(result), clock() - start);
  auto size = static_cast<size_t>(n);
  if (n <= 0 || size >= sizeof line) return;
  std::shared_lock lock(mutex_);
  const int file = file_.load(std::memory_order_relaxed);
  if (file >= 0 && ::write(file, line, size) < 0) file_.store(-1, std::memory_order_relaxed);
}

}  // namespace cucore::cpu
