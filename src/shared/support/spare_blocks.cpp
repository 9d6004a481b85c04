// SPDX-License-Identifier: Apache-2.0
#include "support/spare_blocks.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace cucore::detail {
namespace {

constinit thread_local bool has_departed = false;

// Frees the blocks of an ending thread. Objects that the thread drops later are freed at once.
void depart(void* lists) {
  has_departed = true;
  for (auto* list = static_cast<SpareList*>(lists); list; list = list->next) {
    list->most = list->count = 0;
    SpareBlock* block = std::exchange(list->first, nullptr);
    while (block) ::operator delete(std::exchange(block, block->next));
  }
}

// Adds a list to those of the calling thread. They are the value of a key: the C library ends a
// process that has no memory for the destructor of a thread-local object.
bool add_list(SpareList& list) noexcept {
  static const struct Key {
    pthread_key_t key{};
    bool good = pthread_key_create(&key, depart) == 0;
  } key;
  if (!key.good) return false;
  auto* const lists = static_cast<SpareList*>(pthread_getspecific(key.key));
  if (pthread_setspecific(key.key, &list) != 0) return false;
  list.next = lists;
  return true;
}

}  // namespace

void free_block(SpareList& list, void* block) noexcept {
  const uint32_t own = std::min(list.allocated, MOST_SPARE_BLOCKS);
  const uint32_t most = has_departed ? 0 : std::max(list.most, own);
  if (list.most == 0 && most != 0 && !add_list(list)) return ::operator delete(block);
  list.most = most;
  if (list.count >= list.most) return ::operator delete(block);
  list.first = ::new (block) SpareBlock{list.first};
  ++list.count;
}

}  // namespace cucore::detail
