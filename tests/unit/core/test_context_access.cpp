// SPDX-License-Identifier: Apache-2.0
// Accesses to a context: a reset waits for those of other threads, however many exist.
#include "core/objects/context_access.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/objects/device.hpp"

namespace cucore::core {
namespace {

using namespace std::chrono_literals;

class Accesses : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = Device::open(0);
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
    context_ = make<Context>(*device_, nullptr);
    within(1, [] {});  // the thread has a record from now on
  }

  // Calls the body within this many accesses of the calling thread.
  template <class Body>
  void within(int count, Body&& body) const {
    if (count == 0) return body();
    const ContextAccess access(*context_, "stream");
    within(count - 1, body);
  }

  // A wait for all accesses, on a separate thread.
  class Wait {
   public:
    explicit Wait(const Context& context)
        : thread_([this, &context] {
            context.set_lost();
            wait_for_accesses(context);
            is_over_ = true;
          }) {}
    ~Wait() { thread_.join(); }
    bool is_over() const { return is_over_; }

   private:
    std::atomic<bool> is_over_{false};
    std::thread thread_;
  };

  Ref<Device> device_;
  Ref<Context> context_;
};

// A record has room for six.
TEST_F(Accesses, AreQuickWhileTheRecordHasRoom) {
  for (const int nested : {0, 5, 6, 7}) {
    SCOPED_TRACE(nested);
    within(nested, [&] {
      for (int i = 0; i < 2; ++i) {
        const QuickContextAccess access(*context_, std::nothrow);
        EXPECT_EQ(access.is_alive(), nested < 6);
      }
    });
  }
  const QuickContextAccess outer(*context_, std::nothrow);
  context_->set_lost();
  EXPECT_FALSE(outer.is_alive());
  const QuickContextAccess inner(*context_, std::nothrow);
  EXPECT_FALSE(inner.is_alive());
}

TEST_F(Accesses, AreNotQuickInAThreadWithoutARecord) {
  std::thread([&] {
    EXPECT_FALSE(QuickContextAccess(*context_, std::nothrow).is_alive());
    within(1, [] {});
    EXPECT_TRUE(QuickContextAccess(*context_, std::nothrow).is_alive());
  }).join();
}

TEST_F(Accesses, AreWaitedForIfTheyAreQuick) {
  std::unique_ptr<Wait> wait;
  {
    const QuickContextAccess access(*context_, std::nothrow);
    wait = std::make_unique<Wait>(*context_);
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(wait->is_over());
  }
  wait.reset();
}

// This includes those beyond the room of a thread's record.
TEST_F(Accesses, AreWaitedFor) {
  for (const int nested : {1, 6, 7, 9}) {
    SCOPED_TRACE(nested);
    context_ = make<Context>(*device_, nullptr);
    std::optional<Wait> wait;
    within(nested, [&] {
      wait.emplace(*context_);
      std::this_thread::sleep_for(20ms);
      EXPECT_FALSE(wait->is_over());
    });
    wait.reset();
  }
}

TEST_F(Accesses, OfMoreThreadsThanThereAreRecords) {
  constexpr int THREADS = 600;
  // Latches, because so many threads that poll would occupy a core for half a minute.
  std::latch inside(THREADS);
  std::latch may_leave(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&] {
      within(1, [&] {
        inside.count_down();
        may_leave.wait();
      });
    });
  inside.wait();
  {
    const Wait wait(*context_);
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(wait.is_over());
    may_leave.count_down();
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Accesses, OfTheThreadThatWaitsDoNotCount) {
  within(1, [&] {
    context_->set_lost();
    wait_for_accesses(*context_);
  });
}

TEST_F(Accesses, OfOtherContextsDoNotCount) {
  within(1, [&] {
    const Ref<Context> other = make<Context>(*device_, nullptr);
    const Wait wait(*other);
  });
}

TEST_F(Accesses, OfALostContextAreRefused) {
  context_->set_lost();
  for (int i = 0; i < 2; ++i) try {
      const ContextAccess access(*context_, "stream");
      ADD_FAILURE() << "a lost context";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::INVALID_STATE);
    }
  const Wait wait(*context_);
}

}  // namespace
}  // namespace cucore::core
