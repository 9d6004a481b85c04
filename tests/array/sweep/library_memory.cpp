// SPDX-License-Identifier: Apache-2.0
#include "library_memory.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace sweep {
namespace {

constexpr int DEPTH = 24;

struct Range {
  uintptr_t first = 0, last = 0;
  bool contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= first && at < last;
  }
};

// The code of the library that has this function.
Range code_of(const void* function) {
  struct Search {
    const void* function;
    Range found;
  } search{function, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int at = 0; at < info->dlpi_phnum; ++at) {
          const auto& header = info->dlpi_phdr[at];
          const Range range{info->dlpi_addr + header.p_vaddr,
                            info->dlpi_addr + header.p_vaddr + header.p_memsz};
          if (header.p_type == PT_LOAD && range.contains(wanted.function)) wanted.found = range;
        }
        return 0;
      },
      &search);
  return search.found;
}

// The address of a function may be that of a stub in this program.
Range library_code() {
  void* const handle = dlopen(SWEPT_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  return code_of(dlsym(handle, SWEPT_FUNCTION));
}

Range library;
thread_local bool armed = false, all = false, failed = false;
thread_local uint64_t left = 0;
thread_local void* frames[DEPTH];
thread_local int frame_count = 0;
std::atomic<int64_t> blocks{0};

bool must_fail(const void* caller) {
  if (!armed || !library.contains(caller)) return false;
  if (failed && all) return true;
  if (left == 0 || --left != 0) return false;
  armed = false;  // backtrace() may allocate
  failed = true;
  frame_count = backtrace(frames, DEPTH);
  armed = true;
  return true;
}

void* allocate(size_t size, size_t alignment, const void* caller) {
  void* block = nullptr;
  if (must_fail(caller) || posix_memalign(&block, alignment, size ? size : 1) != 0)
    throw std::bad_alloc();
  blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void deallocate(void* block) {
  if (!block) return;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void arm_memory(uint64_t nth, bool all_after) {
  static const int loaded = backtrace(frames, DEPTH);  // loads its library in advance
  (void)loaded;
  if (library.first == 0) library = library_code();
  left = nth;
  all = all_after;
  failed = false;
  armed = true;
}

void disarm_memory() { armed = false; }
bool memory_failed() { return failed; }

std::string failed_allocation() {
  std::string text;
  char** names = backtrace_symbols(frames, frame_count);
  for (int at = 2; names && at < frame_count; ++at) text += std::string("\n    ") + names[at];
  std::free(names);
  return text;
}

int64_t blocks_alive() { return blocks.load(); }

}  // namespace sweep

constexpr size_t DEFAULT_ALIGNMENT = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* operator new(size_t size) {
  return sweep::allocate(size, DEFAULT_ALIGNMENT, __builtin_return_address(0));
}
void* operator new(size_t size, std::align_val_t alignment) {
  return sweep::allocate(size, static_cast<size_t>(alignment), __builtin_return_address(0));
}
// That of a sanitizer would not call the one above.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return sweep::allocate(size, DEFAULT_ALIGNMENT, __builtin_return_address(0));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { sweep::deallocate(block); }
void operator delete(void* block, size_t) noexcept { sweep::deallocate(block); }
void operator delete(void* block, std::align_val_t) noexcept { sweep::deallocate(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { sweep::deallocate(block); }
