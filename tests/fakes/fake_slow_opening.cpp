// SPDX-License-Identifier: Apache-2.0
// Makes a fake library open slowly. Its constructors print "opening", wait for the end of the
// standard input, and last half a second longer. An exit of the process meanwhile aborts. In a real
// library it would destroy objects that others still construct.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

using namespace std::chrono_literals;

struct First {
  First() = default;
  First(const First&) = delete;
  First& operator=(const First&) = delete;
  ~First() {
    if (!is_open) std::abort();
  }
  bool is_open = false;
} first;

// Constructed after `first`, whose destructor is registered by then.
const struct Last {
  Last() {
    static constexpr char LINE[] = "opening\n";
    (void)!write(STDOUT_FILENO, LINE, sizeof LINE - 1);
    char ignored;
    ssize_t count = 0;
    do count = read(STDIN_FILENO, &ignored, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    std::this_thread::sleep_for(500ms);
    first.is_open = true;
  }
} last;

}  // namespace
