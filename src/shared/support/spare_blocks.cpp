// SPDX-License-Identifier: Apache-2.0
#include "support/spare_blocks.hpp"

#include <algorithm>
#include <utility>

namespace cucore::detail {
namespace {

constinit thread_local bool has_departed = false;

// Frees the blocks of an ending thread. Objects that the thread drops later are freed at once.
struct Departure {
  ~Departure() {
    has_departed = true;
    for (SpareList* list = lists; list; list = list->next) {
      list->most = list->count = 0;
      SpareBlock* block = std::exchange(list->first, nullptr);
      while (block) ::operator delete(std::exchange(block, block->next));
    }
  }
  SpareList* lists = nullptr;
};
thread_local Departure departure;

}  // namespace

void free_block(SpareList& list, void* block) noexcept {
  const uint32_t own = std::min(list.allocated, MOST_SPARE_BLOCKS);
  const uint32_t most = has_departed ? 0 : std::max(list.most, own);
  if (list.most == 0 && most != 0) list.next = std::exchange(departure.lists, &list);
  list.most = most;
  if (list.count >= list.most) return ::operator delete(block);
  list.first = ::new (block) SpareBlock{list.first};
  ++list.count;
}

}  // namespace cucore::detail
