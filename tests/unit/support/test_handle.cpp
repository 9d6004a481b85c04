// SPDX-License-Identifier: Apache-2.0
// References and handles: one handle per object, dead heads, the quarantine, and races between
// them.
#include "support/handle.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace cucore {
namespace {

class Counted final : public Object {
 public:
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }

 private:
  ~Counted() override { --alive_; }
  int& alive_;
};

TEST(Ref, CountsAndMoves) {
  int alive = 0;
  Ref<Counted> first = make<Counted>(alive);
  {
    const Ref<Counted> second = first;
    EXPECT_EQ(second, first);
    first = nullptr;
    EXPECT_EQ(alive, 1);
    const Ref<Object> base = second;
    EXPECT_EQ(base.get(), second.get());
  }
  EXPECT_EQ(alive, 0);
  Ref<Counted> third = make<Counted>(alive), moved = std::move(third);
  EXPECT_FALSE(third);
  Counted* raw = moved.detach();
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(raw->try_add_reference());
  raw->drop_reference();
  Ref<Counted>::adopt(raw);
  EXPECT_EQ(alive, 0);
}

TEST(HandlePool, GivesAnObjectOneHandle) {
  static HandlePool pool(HandleType::STREAM);
  int alive = 0;
  HandleHead* head = nullptr;
  {
    const Ref<Counted> object = make<Counted>(alive);
    head = pool.wrap(object.get());
    EXPECT_EQ(pool.wrap(object.get()), head);
    EXPECT_EQ(head->object, object.get());
  }
  EXPECT_TRUE(head->is_live(HandleType::STREAM));
  EXPECT_FALSE(head->is_live(HandleType::EVENT));
  EXPECT_EQ(pool.live(), 1u);
  pool.release(head);
  EXPECT_EQ(alive, 1) << "wrapped twice";
  pool.release(head);
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(head->is_live(HandleType::STREAM));
  EXPECT_EQ(pool.live(), 0u);
}

TEST(HandleType, HasTheNumberOfItsLibrary) {
  EXPECT_EQ(handle_type(HandleLibrary::CUCORE, 1), HandleType::ERROR);
  EXPECT_EQ(static_cast<uint32_t>(handle_type(HandleLibrary::ARRAY, 1)), 0x45430101u);
  EXPECT_EQ(static_cast<uint32_t>(handle_type(HandleLibrary::TEST, 0xff)), 0x4543ffffu);
}

TEST(HandleHead, IsDescribedByItsName) {
  static HandlePool pool(handle_type(HandleLibrary::TEST, 2), "test_thing");
  static HandlePool nameless(handle_type(HandleLibrary::TEST, 3));
  int alive = 0;
  HandleHead* head = pool.wrap(make<Counted>(alive).get());
  EXPECT_EQ(describe_handle(head), "a test_thing");
  pool.release(head);
  EXPECT_EQ(describe_handle(head), "a released test_thing");
  HandleHead* unnamed = nameless.wrap(make<Counted>(alive).get());
  EXPECT_EQ(describe_handle(unnamed), "a handle");
  nameless.release(unnamed);
  // Another struct: its name is never read.
  HandleHead other;
  other.name = reinterpret_cast<const char*>(uintptr_t{1});
  EXPECT_EQ(describe_handle(&other), "not a handle");
}

TEST(HandlePool, IgnoresNullDeadAndForeignHandles) {
  static HandlePool pool(HandleType::STREAM), other(HandleType::EVENT);
  int alive = 0;
  HandleHead* head = pool.wrap(make<Counted>(alive).get());
  other.release(head);
  other.retain(head);
  pool.release(nullptr);
  pool.retain(nullptr);
  EXPECT_EQ(alive, 1);
  pool.release(head);
  pool.release(head);
  pool.retain(head);
  EXPECT_FALSE(head->is_live(HandleType::STREAM));
  EXPECT_EQ(alive, 0);
}

TEST(HandlePool, AnObjectWrappedAnewHasANewHandle) {
  static HandlePool pool(HandleType::STREAM);
  int alive = 0;
  const Ref<Counted> object = make<Counted>(alive);
  HandleHead* first = pool.wrap(object.get());
  pool.release(first);
  HandleHead* second = pool.wrap(object.get());
  EXPECT_NE(first, second);
  EXPECT_FALSE(first->is_live(HandleType::STREAM));
  pool.release(second);
}

TEST(HandlePool, ReusesAHeadAfterAsManyReleasesAsPromised) {
  static HandlePool pool(HandleType::STREAM);
  int alive = 0;
  const auto once = [&] {
    HandleHead* head = pool.wrap(make<Counted>(alive).get());
    pool.release(head);
    return head;
  };
  HandleHead* first = once();
  for (size_t i = 1; i < HandlePool::QUARANTINE; ++i) ASSERT_NE(once(), first) << i;
  bool reused = false;
  for (size_t i = 0; i < 4 * HandlePool::QUARANTINE && !reused; ++i) reused = once() == first;
  EXPECT_TRUE(reused) << "memory for heads grows without end";
  EXPECT_EQ(alive, 0);
}

// The last release and a new wrap at the same time: either the handle lives on or another is
// created.
TEST(HandlePool, WrapsWhileOthersRelease) {
  static HandlePool pool(HandleType::STREAM);
  int alive = 0;
  {
    const Ref<Counted> object = make<Counted>(alive);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int round = 0; round < 2000; ++round) {
          HandleHead* head = pool.wrap(object.get());
          ASSERT_TRUE(head->is_live(HandleType::STREAM));
          pool.retain(head);
          pool.release(head);
          pool.release(head);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(pool.live(), 0u);
}

}  // namespace
}  // namespace cucore
