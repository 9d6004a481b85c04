// SPDX-License-Identifier: Apache-2.0
// Counters, checks and the exception barrier of all entry points.
#include "cpu/driver/calls.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "cpu/driver/context.hpp"
#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/thread_state.hpp"
#include "cpu/driver/trace.hpp"
#include "cpu/driver/unsupported.hpp"

namespace cucore::cpu {
namespace {

constexpr CallInfo CALLS[] = {
#define ENTRY(needs, name, base, version, params, args) {#name, #base, version, Needs::needs, true},
#define PER_THREAD(needs, name, impl, base, version, params, args)
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
#define OTHER(name, base, version, per_thread) {#name, #base, version, Needs::ANY, false},
#include "cpu/driver/other_names.inc"
#undef OTHER
};
static_assert(std::size(CALLS) == CALL_COUNT);

constexpr size_t IMPLEMENTED = [] {
  size_t n = 0;
  for (const CallInfo& call : CALLS) n += call.implemented;
  return n;
}();

std::array<std::atomic<uint64_t>, CALL_COUNT> g_counts;

// Both act on calls before cuInit, so the first call reads them. Returns false if memory is
// exhausted; the next call then tries again.
bool read_environment() noexcept try {
  static std::once_flag once;
  std::call_once(once, [] {
    DriverSettings settings = settings_from_environment();
    FaultPlan::instance().set(settings.fault_plan);
    Trace::instance().open(settings.trace_file);
  });
  return true;
} catch (...) {
  return false;
}

CUresult admit_life(Needs needs) {
  if (needs == Needs::ANY) return CUDA_SUCCESS;
  switch (life()) {
    case Life::READY:
      break;
    case Life::EXITING:
      return CUDA_ERROR_DEINITIALIZED;
    default:
      return CUDA_ERROR_NOT_INITIALIZED;
  }
  return in_callback() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult admit_context(Needs needs) {
  if (needs != Needs::CONTEXT && needs != Needs::SOUND) return CUDA_SUCCESS;
  const auto& stack = thread_state().stack;
  if (!stack.empty()) return stack.back()->error();
  return needs == Needs::CONTEXT ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult strike(const FaultPlan::Strike& planned, const char* name) {
  auto context = life() == Life::READY ? current_context_unchecked() : nullptr;
  if (planned.sticky && context)
    context->poison(planned.code, std::string("fault injected into ") + name);
  return planned.code;
}

}  // namespace

const CallInfo& call_info(CallId id) { return CALLS[static_cast<size_t>(id)]; }

uint64_t call_count(CallId id) {
  return g_counts[static_cast<size_t>(id)].load(std::memory_order_relaxed);
}

uint64_t unsupported_calls() {
  uint64_t sum = 0;
  for (size_t i = IMPLEMENTED; i < CALL_COUNT; ++i) sum += g_counts[i];
  return sum;
}

void reset_call_counts() {
  for (auto& count : g_counts) count = 0;
}

CallScope::CallScope(CallId id, bool per_thread) noexcept
    : id_(id), thread_(try_thread_state()), number_(++g_counts[static_cast<size_t>(id)]) {
  outer_origin_ = std::exchange(origin_of_thread(), {call_info(id).name, number_});
  if (!thread_) return;
  outer_per_thread_ = std::exchange(thread_->per_thread, per_thread);
  if (life() != Life::FORKED_CHILD) prepared_ = read_environment();
  tracing_ = Trace::instance().on();
  if (tracing_) start_ = Trace::clock();
}

CallScope::~CallScope() {
  // Another thread may have held the locks of the order at the fork.
  if (!outer_origin_.call && life() != Life::FORKED_CHILD) settle_host_views();
  origin_of_thread() = outer_origin_;
  if (thread_) thread_->per_thread = outer_per_thread_;
  if (tracing_) Trace::instance().write(call_info(id_).name, number_, arguments_, start_, result_);
}

void CallScope::note(uint64_t value) noexcept {
  char text[32];
  std::snprintf(text, sizeof text, "%s\"0x%llx\"", arguments_.empty() ? "" : ",",
                static_cast<unsigned long long>(value));
  try {
    arguments_ += text;
  } catch (...) {
    tracing_ = false;  // the trace ran out of memory; the call must not fail for it
  }
}

void CallScope::keep_reason(std::string reason) noexcept {
  if (thread_) thread_->failure = std::move(reason);
}

CUresult CallScope::finish_exception() noexcept {
  try {
    throw;
  } catch (Failure& failure) {
    keep_reason(std::move(failure.reason));
  } catch (...) {
    keep_reason({});
  }
  return result_ = result_of_exception();
}

CUresult CallScope::admit() noexcept {
  if (!thread_ || !prepared_) return CUDA_ERROR_OUT_OF_MEMORY;
  const CallInfo& info = call_info(id_);
  try {
    if (CUresult refused = admit_life(info.needs)) return refused;
    if (life() != Life::FORKED_CHILD) {
      if (auto planned = FaultPlan::instance().strike(info.name, info.base))
        return strike(*planned, info.name);
    }
    if (CUresult refused = admit_context(info.needs)) return refused;
    return info.implemented ? admit_during_capture(id_) : CUDA_SUCCESS;
  } catch (...) {
    return result_of_exception();
  }
}

bool per_thread_default_stream() noexcept {
  ThreadState* state = try_thread_state();
  return state && state->per_thread;
}

CUresult result_of_exception() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.code;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::system_error&) {
    return CUDA_ERROR_OPERATING_SYSTEM;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

int unsupported_call(unsigned index_of_other) noexcept {
  CallScope scope(static_cast<CallId>(IMPLEMENTED + index_of_other), false);
  if (CUresult refused = scope.admit(); refused != CUDA_SUCCESS) return scope.finish(refused);
  return scope.finish(CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace cucore::cpu
