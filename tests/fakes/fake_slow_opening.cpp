// SPDX-License-Identifier: Apache-2.0
// Makes a fake library open slowly. It prints "opening" as its constructors begin; half a second
// later they end. An exit of the process in between aborts. In a real library it would destroy
// objects that others still construct.
#include <unistd.h>

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
    std::this_thread::sleep_for(500ms);
    first.is_open = true;
  }
} last;

}  // namespace
