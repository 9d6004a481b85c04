// SPDX-License-Identifier: Apache-2.0
#include "support/spare_blocks.hpp"

#include <array>
#include <atomic>
#include <new>

namespace cucore {
namespace {

// Threads that meet in the list need no lock, so a fork cannot find one taken.
constinit std::array<std::atomic<void*>, SpareBlocks::MOST> spare{};

}  // namespace

void* SpareBlocks::take() {
  for (auto& place : spare)
    if (place.load(std::memory_order_relaxed))
      if (void* const block = place.exchange(nullptr, std::memory_order_acquire)) return block;
  return ::operator new(SIZE);
}

void SpareBlocks::put(void* block) noexcept {
  for (auto& place : spare) {
    void* none = nullptr;
    if (!place.load(std::memory_order_relaxed) &&
        place.compare_exchange_strong(none, block, std::memory_order_release,
                                      std::memory_order_relaxed))
      return;
  }
  ::operator delete(block);
}

}  // namespace cucore
