// SPDX-License-Identifier: Apache-2.0
// Memory for objects of one size, of which programs make and drop thousands at once. A thread keeps
// some of the blocks that it has freed. Its next objects are in these, because the allocator of the
// C library takes longer for so many. A thread that only drops objects of others keeps none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace cucore {

// The most blocks of a size that a thread keeps. A sanitizer finds the use of a freed object only
// if nobody keeps its block.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint32_t MOST_SPARE_BLOCKS = 0;
#else
inline constexpr uint32_t MOST_SPARE_BLOCKS = 1024;
#endif

namespace detail {

struct SpareBlock {
  SpareBlock* next;
};

// The spare blocks of one size that a thread keeps.
struct SpareList {
  SpareBlock* first = nullptr;
  uint32_t count = 0;
  uint32_t allocated = 0;     // blocks from the allocator
  uint32_t most = 0;          // 0 until the thread frees a block, and from its end on
  SpareList* next = nullptr;  // of the lists of the thread
};

// Keeps or frees a block for which the list has no place.
void free_block(SpareList& list, void* block) noexcept;

}  // namespace detail

// A base without members: objects of the class, which must be final, take their memory from spare
// blocks.
template <class Class>
class SpareBlocks {
 public:
  static void* operator new(size_t size) {
    static_assert(alignof(Class) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    detail::SpareBlock* const block = list.first;
    if (!block) {
      ++list.allocated;
      return ::operator new(size);
    }
    list.first = block->next;
    --list.count;
    return block;
  }
  static void operator delete(void* block) noexcept {
    if (list.count >= list.most) [[unlikely]]
      return detail::free_block(list, block);
    list.first = ::new (block) detail::SpareBlock{list.first};
    ++list.count;
  }
  // How many the calling thread keeps.
  static size_t spare_count() noexcept { return list.count; }

 private:
  // The TLS model saves a call per block.
  static inline constinit thread_local detail::SpareList list
      __attribute__((tls_model("initial-exec")));
};

}  // namespace cucore
