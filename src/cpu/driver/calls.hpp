// SPDX-License-Identifier: Apache-2.0
// The wrapper around every entry point: counts, fault plan, trace and common checks. It lets no
// exception out.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "cpu/driver/cuda_api.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {

struct ThreadState;

enum class Needs : uint8_t { ANY, INIT, SOUND, CONTEXT };

// Index of a function in the counters. Per-thread variants share the index of their function.
enum class CallId : uint16_t {
#define ENTRY(needs, name, base, version, params, args) name,
#define PER_THREAD(needs, name, impl, base, version, params, args)
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
#define OTHER(name, base, version, per_thread) name,
#include "cpu/driver/other_names.inc"
#undef OTHER
  COUNT
};
inline constexpr size_t CALL_COUNT = static_cast<size_t>(CallId::COUNT);

struct CallInfo {
  const char* name;
  const char* base;
  int version;
  Needs needs;
  bool implemented;
};
const CallInfo& call_info(CallId id);

uint64_t call_count(CallId id);
uint64_t unsupported_calls();  // sum over the functions that are not implemented
void reset_call_counts();

// One call in progress; the constructor counts it.
class CallScope {
 public:
  CallScope(CallId id, bool per_thread) noexcept;
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // Checks the conditions common to all functions, and applies the fault plan.
  CUresult admit() noexcept;
  CUresult finish(CUresult result) noexcept {
    if (result != CUDA_SUCCESS) [[unlikely]]
      keep_reason({});
    return result_ = result;
  }
  // Ends the call with the exception in flight.
  CUresult finish_exception() noexcept;
  void note(uint64_t value) noexcept;  // adds an argument to the trace
  bool tracing() const { return tracing_; }

 private:
  void keep_reason(std::string reason) noexcept;  // for last_failure()

  CallId id_;
  ThreadState* thread_;  // nullptr: out of memory
  bool outer_per_thread_ = false;
  bool prepared_ = true;
  bool tracing_ = false;
  uint64_t number_;
  uint64_t start_ = 0;
  Origin outer_origin_;
  CUresult result_ = CUDA_SUCCESS;
  std::string arguments_;
};

// Returns true while a _ptsz or _ptds entry point runs: stream 0 is then the thread's own.
bool per_thread_default_stream() noexcept;

// Returns the result for the exception in flight.
CUresult result_of_exception() noexcept;

// Runs a function of an export table, which has no CallScope; returns the result for its exception.
template <class F>
CUresult table_call(F&& function) noexcept {
  try {
    function();
    return CUDA_SUCCESS;
  } catch (...) {
    return result_of_exception();
  }
}

template <class T>
uint64_t trace_value(const T& value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uintptr_t>(value);
  else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    return static_cast<uint64_t>(value);
  else
    return 0;
}

template <class... T>
void note_arguments(CallScope& scope, const T&... values) noexcept {
  if (scope.tracing()) (scope.note(trace_value(values)), ...);
}

template <class... P, class... A>
CUresult call(CallId id, bool per_thread, CUresult (*function)(P...), A... arguments) noexcept {
  CallScope scope(id, per_thread);
  note_arguments(scope, arguments...);
  if (CUresult refused = scope.admit(); refused != CUDA_SUCCESS) return scope.finish(refused);
  try {
    return scope.finish(function(arguments...));
  } catch (...) {
    return scope.finish_exception();
  }
}

}  // namespace cucore::cpu
