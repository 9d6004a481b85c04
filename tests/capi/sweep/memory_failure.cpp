// SPDX-License-Identifier: Apache-2.0
#include "memory_failure.hpp"

#include <execinfo.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
static void* really_allocate(size_t size) { return std::malloc(size); }
#else
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* old, size_t size);
static void* really_allocate(size_t size) { return __libc_malloc(size); }
#endif

namespace sweep {
namespace {

constexpr int DEPTH = 24;

thread_local bool armed = false;
thread_local bool all = false;
thread_local bool failed = false;
thread_local uint64_t left = 0;
thread_local int inside_fakes = 0;
thread_local void* frames[DEPTH];
thread_local int frame_count = 0;
std::atomic<int64_t> blocks{0};

bool must_fail() {
  if (!armed || inside_fakes != 0) return false;
  if (failed && all) return true;
  if (left == 0 || --left != 0) return false;
  armed = false;  // backtrace() may allocate
  failed = true;
  frame_count = backtrace(frames, DEPTH);
  armed = true;
  return true;
}

void count(int change) {
  if (inside_fakes == 0) blocks.fetch_add(change, std::memory_order_relaxed);
}

void* allocate(size_t size) {
  void* block = must_fail() ? nullptr : really_allocate(size ? size : 1);
  if (!block) throw std::bad_alloc();
  count(1);
  return block;
}

void* allocate(size_t size, size_t alignment) {
  void* block = nullptr;
  if (must_fail() || posix_memalign(&block, alignment, size ? size : 1) != 0)
    throw std::bad_alloc();
  count(1);
  return block;
}

void give_back(void* block) {
  if (!block) return;
  count(-1);
  std::free(block);
}

}  // namespace

void arm_memory(uint64_t nth, bool all_after) {
  static const int loaded = backtrace(frames, DEPTH);  // loads its library in advance
  (void)loaded;
  left = nth;
  all = all_after;
  failed = false;
  frame_count = 0;
  armed = true;
}

void disarm_memory() { armed = false; }

bool memory_failed() { return failed; }

std::string failed_allocation() {
  std::string text;
  char** names = backtrace_symbols(frames, frame_count);
  for (int i = 2; names && i < frame_count; ++i) text += std::string("\n    ") + names[i];
  std::free(names);
  return text;
}

int64_t blocks_alive() { return blocks.load(); }

void enter_fake() { ++inside_fakes; }
void leave_fake() { --inside_fakes; }

}  // namespace sweep

void* operator new(size_t size) { return sweep::allocate(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return sweep::allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return sweep::allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block, const std::nothrow_t&) noexcept { sweep::give_back(block); }
void operator delete(void* block) noexcept { sweep::give_back(block); }
void operator delete(void* block, size_t) noexcept { sweep::give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { sweep::give_back(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { sweep::give_back(block); }

#ifndef SANITIZED
// Allocations of C libraries, the loader and the C++ runtime.
extern "C" {
void* malloc(size_t size) {
  if (!sweep::must_fail()) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) {
  if (!sweep::must_fail()) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, size_t size) {
  if (!sweep::must_fail()) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}
}
#endif
