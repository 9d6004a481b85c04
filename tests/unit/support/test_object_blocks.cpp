// SPDX-License-Identifier: Apache-2.0
#include "support/object_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using cucore::ObjectBlocks;
using cucore::SpareBlocks;

constexpr size_t SIZE = 392;

TEST(ObjectBlocks, objects_are_aligned_and_apart) {
  ObjectBlocks blocks;
  std::vector<unsigned char*> objects;
  for (int i = 0; i < 300; ++i) {
    objects.push_back(static_cast<unsigned char*>(blocks.take(SIZE)));
    std::memset(objects.back(), i % 251, SIZE);
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(objects[i]) % __STDCPP_DEFAULT_NEW_ALIGNMENT__, 0u);
    EXPECT_TRUE(std::all_of(objects[i], objects[i] + SIZE,
                            [&](unsigned char byte) { return byte == i % 251; }));
  }
  for (void* object : objects) ObjectBlocks::give_back(object);
}

TEST(ObjectBlocks, objects_outlive_it_in_any_order) {
  for (const int count : {0, 1, 2, 3, 7, 100}) {
    std::vector<void*> objects;
    {
      ObjectBlocks blocks;
      for (int i = 0; i < count; ++i) objects.push_back(blocks.take(SIZE));
      // the last block ends with its objects, although more would fit
      for (int i = 0; i < count; i += 2) ObjectBlocks::give_back(objects[i]);
    }
    for (int i = 1; i < count; i += 2) {
      std::memset(objects[i], 1, SIZE);
      ObjectBlocks::give_back(objects[i]);
    }
  }
}

TEST(ObjectBlocks, takes_objects_of_other_and_of_large_sizes) {
  ObjectBlocks blocks;
  std::vector<void*> objects;
  for (const size_t size : {SIZE, size_t{16}, 2 * SpareBlocks::SIZE, SpareBlocks::SIZE, SIZE}) {
    objects.push_back(blocks.take(size));
    std::memset(objects.back(), 7, size);
  }
  for (void* object : objects) ObjectBlocks::give_back(object);
}

TEST(ObjectBlocks, an_object_may_be_alone) {
  void* const object = ObjectBlocks::take_alone(SIZE);
  std::memset(object, 7, SIZE);
  ObjectBlocks::give_back(object);
}

TEST(ObjectBlocks, threads_give_back_what_one_takes) {
  ObjectBlocks blocks;
  std::vector<void*> objects;
  for (int i = 0; i < 2000; ++i) objects.push_back(blocks.take(SIZE));
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < objects.size(); i = next++) ObjectBlocks::give_back(objects[i]);
  };
  std::thread one(work), other(work);
  for (int i = 0; i < 2000; ++i) ObjectBlocks::give_back(blocks.take(SIZE));
  one.join();
  other.join();
}

TEST(ObjectBlocks, returns_of_several_blocks_and_of_none) {
  ObjectBlocks blocks;
  ObjectBlocks::Returns returns;
  std::vector<void*> objects;
  for (int i = 0; i < 200; ++i) {
    objects.push_back(i % 7 == 0 ? ObjectBlocks::take_alone(SIZE)
                                 : blocks.take(size_t{16} << i % 4));
    std::memset(objects.back(), 7, 16);
  }
  for (void* object : objects) returns.add(object);
}

TEST(SpareBlocks, keeps_a_block_for_the_next_user) {
  void* const block = SpareBlocks::take();
  std::memset(block, 1, SpareBlocks::SIZE);
  SpareBlocks::put(block);
  void* const again = SpareBlocks::take();
  EXPECT_EQ(again, block);
  SpareBlocks::put(again);
}

TEST(SpareBlocks, returns_more_than_it_keeps_to_the_allocator) {
  std::vector<void*> blocks;
  for (size_t i = 0; i < 2 * SpareBlocks::MOST; ++i) blocks.push_back(SpareBlocks::take());
  for (void* block : blocks) SpareBlocks::put(block);
  std::vector<void*> kept;
  size_t known = 0;
  for (size_t i = 0; i < SpareBlocks::MOST; ++i) {
    kept.push_back(SpareBlocks::take());
    known += std::find(blocks.begin(), blocks.end(), kept.back()) != blocks.end();
  }
  EXPECT_EQ(known, SpareBlocks::MOST);
  for (void* block : kept) SpareBlocks::put(block);
}

}  // namespace
