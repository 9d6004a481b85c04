// SPDX-License-Identifier: Apache-2.0
// What every fake library does around each of its functions: count it, list it, delay it, and fail
// it when a test has asked for that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "fakes/fake_control.h"

namespace fake {

// How a function takes part in failures that are asked for without a name.
enum class Role {
  NORMAL,
  RELEASE,  // gives something back: callers have nobody to tell, so only a named failure hits it
  NAMING    // tells the name of a result: neither counted nor failed
};

class Calls {
 public:
  void reset();
  void fail(const char* name, uint64_t nth, int32_t result);
  bool failures_used();
  void forget_failures();
  const char* last_failed() const { return last_failed_.load(); }
  void delay(const char* name, uint32_t milliseconds);

  uint64_t count(const char* name);
  uint64_t total() const { return total_.load(); }
  uint64_t log_size();
  const char* log_at(uint64_t index);
  void set_logging(bool on) { logging_.store(on); }
  void set_boundary(void (*enter)(), void (*leave)());

  void violation(const std::string& text);
  uint64_t violations();
  const char* last_violation();

  // Notes a call and gives the result to fail it with, or 0.
  int32_t begin(const char* name, Role role);
  void enter() const;
  void leave() const;

 private:
  struct Failure {
    std::string name;  // "" for any of the thread that asked
    std::thread::id asker;
    uint64_t left;
    int32_t result;
  };

  int32_t failure_for(const std::string& name, Role role);
  uint32_t note(const char* name, Role role, int32_t& result);
  const char* kept(const std::string& text);

  std::mutex mutex_;
  std::atomic<bool> logging_{true};
  std::atomic<uint64_t> total_{0};
  std::atomic<const char*> last_failed_{""};
  std::map<std::string, uint64_t> counts_;
  std::map<std::string, uint32_t> delays_;
  std::vector<Failure> failures_;
  std::deque<const char*> log_;
  std::deque<std::string> violations_;
  std::map<std::string, int> texts_;
  std::atomic<void (*)()> enter_{nullptr};
  std::atomic<void (*)()> leave_{nullptr};
};

Calls& calls();

// The test's boundary around a function of a fake.
class Inside {
 public:
  Inside() { calls().enter(); }
  ~Inside() { calls().leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// Entry<NAMES, index, role, &function>::call is the function with all that around it.
template <const char* const* Names, int Index, Role role, auto Function,
          class Type = decltype(Function)>
struct Entry;

template <const char* const* Names, int Index, Role role, auto Function, class R, class... Args>
struct Entry<Names, Index, role, Function, R (*)(Args...)> {
  static R call(Args... args) {
    const Inside inside;
    const int32_t injected = calls().begin(Names[Index], role);
    if constexpr (std::is_enum_v<R>) {
      if (injected != 0 && role != Role::RELEASE) return static_cast<R>(injected);
      const R result = Function(args...);
      return injected != 0 ? static_cast<R>(injected) : result;
    } else {
      return Function(args...);
    }
  }
};

}  // namespace fake
