// Writes the trace with one system call a line, so that lines of several threads never mix.
#include "cpu/driver/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>

#include <functional>
#include <thread>

namespace cucpu {

Trace& Trace::instance() {
  static Trace& trace = *new Trace;  // lives as long as the process
  return trace;
}

void Trace::open(const std::string& path) {
  if (!path.empty()) file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
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
  if (n > 0 && size < sizeof line && ::write(file_, line, size) < 0) file_ = -1;
}

}  // namespace cucpu
