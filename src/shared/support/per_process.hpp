// SPDX-License-Identifier: Apache-2.0
// State that a process must not share with the child of a fork.
#pragma once

#include <atomic>
#include <memory>

namespace cucore {

// Returns the number of forks between this process and the one that loaded the library.
unsigned fork_count() noexcept;

// A value that the child of a fork creates again, because a thread of its parent may have been
// using the old one. The old value is never destroyed, because a destructor could wait for that
// thread.
template <class T>
class PerProcess {
 public:
  PerProcess() = default;
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;
  ~PerProcess() {
    const Made* made = made_.load();
    if (made && made->forks == fork_count()) delete made;
  }

  template <class Make>
  T& get(Make&& make) {
    Made* made = made_.load(std::memory_order_acquire);
    const unsigned forks = fork_count();
    if (made && made->forks == forks) return made->value;
    auto fresh = std::unique_ptr<Made>(new Made{forks, make()});
    do {
      if (made && made->forks == forks) return made->value;  // another thread was first
    } while (!made_.compare_exchange_weak(made, fresh.get()));
    return fresh.release()->value;
  }

 private:
  struct Made {
    const unsigned forks;
    T value;
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace cucore
