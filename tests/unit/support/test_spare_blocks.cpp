// SPDX-License-Identifier: Apache-2.0
#include "support/spare_blocks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace cucore {
namespace {

constexpr bool KEEPS_BLOCKS = MOST_SPARE_BLOCKS != 0;

struct Spared final : SpareBlocks<Spared> {
  long content[8];
};

void make_and_drop(size_t count) {
  std::vector<std::unique_ptr<Spared>> items;
  for (size_t i = 0; i < count; ++i) items.push_back(std::make_unique<Spared>());
}

// A thread of its own begins without blocks.
template <class Body>
void on_new_thread(Body&& body) {
  std::thread(body).join();
}

TEST(SpareBlocks, AreUsedForTheNextObject) {
  if (!KEEPS_BLOCKS) GTEST_SKIP() << "each object has memory of its own for the sanitizer";
  on_new_thread([] {
    auto first = std::make_unique<Spared>();
    const void* const place = first.get();
    EXPECT_EQ(Spared::spare_count(), 0U);
    first = nullptr;
    EXPECT_EQ(Spared::spare_count(), 1U);
    const auto second = std::make_unique<Spared>();
    EXPECT_EQ(second.get(), place);
    EXPECT_EQ(Spared::spare_count(), 0U);
  });
}

TEST(SpareBlocks, AreFew) {
  on_new_thread([] {
    make_and_drop(MOST_SPARE_BLOCKS + 10);
    EXPECT_EQ(Spared::spare_count(), KEEPS_BLOCKS ? MOST_SPARE_BLOCKS : 0U);
    make_and_drop(10);
    EXPECT_EQ(Spared::spare_count(), KEEPS_BLOCKS ? MOST_SPARE_BLOCKS : 0U);
  });
}

TEST(SpareBlocks, AreNotKeptByAThreadThatMakesNoObjects) {
  on_new_thread([] {
    make_and_drop(3);
    auto item = std::make_unique<Spared>();
    const size_t before = Spared::spare_count();
    on_new_thread([&] {
      item = nullptr;
      EXPECT_EQ(Spared::spare_count(), 0U);
    });
    EXPECT_EQ(Spared::spare_count(), before);
  });
}

// Drops an object after the thread's list has ended: variables of a thread end in reverse order.
struct Late {
  ~Late() {
    item = nullptr;
    spare = Spared::spare_count();
  }
  std::unique_ptr<Spared> item;
  static inline size_t spare = 1;
};

TEST(SpareBlocks, AreFreedAtTheEndOfTheThread) {
  on_new_thread([] {
    thread_local Late late;
    late.item = std::make_unique<Spared>();
    make_and_drop(2);
  });
  EXPECT_EQ(Late::spare, 0U);
}

}  // namespace
}  // namespace cucore
