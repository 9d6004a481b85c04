// SPDX-License-Identifier: Apache-2.0
// The common part of every fake library around each function: count, log and delay it, and make it
// fail at a test's request.
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

// CUDA_ERROR_INVALID_CONTEXT: of the failures of a release, the only one that releases nothing.
constexpr int32_t INVALID_CONTEXT = 201;

// The role of a function in failures without a name.
enum class Role {
  NORMAL,
  RELEASE,  // releases something: callers cannot report a failure, so only a named failure hits it
  NAMING    // returns the name of a result: neither counted nor failed
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

  // Records a call and returns the result to fail it with, or 0.
  int32_t begin(const char* name, Role role);
  void enter() const;
  void leave() const;

 private:
  struct Failure {
    std::string name;  // "": any function of the requesting thread
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

// Entry<NAMES, index, role, &function>::call is the function with that common part.
template <const char* const* Names, int Index, Role role, auto Function,
          class Type = decltype(Function)>
struct Entry;

template <const char* const* Names, int Index, Role role, auto Function, class R, class... Args>
struct Entry<Names, Index, role, Function, R (*)(Args...)> {
  static R call(Args... args) {
    const Inside inside;
    const int32_t injected = calls().begin(Names[Index], role);
    if constexpr (std::is_enum_v<R>) {
      if (injected != 0 && (role != Role::RELEASE || injected == INVALID_CONTEXT))
        return static_cast<R>(injected);
      const R result = Function(args...);
      return injected != 0 ? static_cast<R>(injected) : result;
    } else {
      return Function(args...);
    }
  }
};

}  // namespace fake
