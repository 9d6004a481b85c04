// SPDX-License-Identifier: Apache-2.0
// The log: one receiver, its levels, and a destroy that runs exactly once in all cases.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

using Messages = std::vector<std::pair<cucore_log_level, std::string>>;

// Called from any thread, including the library's own.
struct Receiver {
  std::atomic<int> destroyed{0};
  std::atomic<bool> called_after_destroy{false};

  Messages messages() const {
    std::lock_guard lock(mutex);
    return all;
  }

  mutable std::mutex mutex;
  Messages all;
};

void receive(cucore_log_level level, const char* message, void* data) {
  auto* receiver = static_cast<Receiver*>(data);
  if (receiver->destroyed != 0) receiver->called_after_destroy = true;
  std::lock_guard lock(receiver->mutex);
  receiver->all.emplace_back(level, message);
}

void destroy(void* data) { ++static_cast<Receiver*>(data)->destroyed; }

class Log : public OnDevice {
 protected:
  void TearDown() override {
    EXPECT_EQ(cucore_log_set_callback(nullptr, CUCORE_LOG_ERROR, nullptr, nullptr, nullptr),
              CUCORE_OK);
    EXPECT_FALSE(receiver_.called_after_destroy);
    OnDevice::TearDown();
  }
  void load() {
    const Code code = make_ptx_code();
    MUST(cucore_objectcode_load, code, device_);
  }
  Receiver receiver_;
};

TEST_F(Log, TellsWhatIsLoaded) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, &receiver_, destroy);
  load();
  ASSERT_FALSE(receiver_.messages().empty());
  bool told = false;
  for (const auto& [level, message] : receiver_.messages())
    told |= level == CUCORE_LOG_DEBUG && contains(message, "PTX");
  EXPECT_TRUE(told);
  EXPECT_EQ(receiver_.destroyed, 0);
}

TEST_F(Log, DropsWhatIsBelowTheLevel) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_WARNING, &receiver_, destroy);
  load();
  const Messages messages = receiver_.messages();
  EXPECT_TRUE(messages.empty()) << messages[0].second;
}

TEST_F(Log, DestroysOnceWhenReplaced) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, &receiver_, destroy);
  Receiver second;
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, &second, destroy);
  EXPECT_EQ(receiver_.destroyed, 1);
  load();
  EXPECT_TRUE(receiver_.messages().empty());
  EXPECT_FALSE(second.messages().empty());
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_ERROR, nullptr, nullptr);
  EXPECT_EQ(second.destroyed, 1);
  EXPECT_EQ(receiver_.destroyed, 1);
}

TEST_F(Log, DestroysOnFailureToo) {
  for (const int level : {0, 5, -1}) {
    Receiver mine;
    FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "least|cucore_log_level", cucore_log_set_callback,
               receive, static_cast<cucore_log_level>(level), &mine, destroy);
    EXPECT_EQ(mine.destroyed, 1);
  }
}

TEST_F(Log, AFailureKeepsTheReceiverBefore) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, &receiver_, destroy);
  EXPECT_NE(
      cucore_log_set_callback(receive, static_cast<cucore_log_level>(9), nullptr, nullptr, nullptr),
      CUCORE_OK);
  EXPECT_EQ(receiver_.destroyed, 0);
  load();
  EXPECT_FALSE(receiver_.messages().empty());
}

TEST_F(Log, WritesWhatAnotherLibrarySays) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_INFO, &receiver_, destroy);
  cucore_log_write(CUCORE_LOG_DEBUG, "below the level");
  cucore_log_write(CUCORE_LOG_INFO, "a choice");
  cucore_log_write(CUCORE_LOG_ERROR, "");
  EXPECT_EQ(receiver_.messages(),
            (Messages{{CUCORE_LOG_INFO, "a choice"}, {CUCORE_LOG_ERROR, ""}}));
}

TEST_F(Log, DropsWhatIsNotAMessage) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, &receiver_, destroy);
  for (const int level : {0, 5, -1, 1000})
    cucore_log_write(static_cast<cucore_log_level>(level), "of no level");
  cucore_log_write(CUCORE_LOG_ERROR, nullptr);
  EXPECT_TRUE(receiver_.messages().empty());
}

TEST_F(Log, IsEnabledForTheLevelsThatAreReceived) {
  const auto enabled = [] {
    std::string levels;
    for (int level = -1; level <= 6; ++level)
      if (cucore_log_enabled(static_cast<cucore_log_level>(level))) levels += std::to_string(level);
    return levels;
  };
  EXPECT_EQ(enabled(), "");
  cucore_log_write(CUCORE_LOG_ERROR, "nobody receives it");
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_WARNING, &receiver_, destroy);
  EXPECT_EQ(enabled(), "34");
  EXPECT_EQ(cucore_log_enabled(CUCORE_LOG_ERROR), 1);
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_DEBUG, nullptr, nullptr);
  EXPECT_EQ(enabled(), "");
  EXPECT_TRUE(receiver_.messages().empty());
}

// One call at a time, with whole messages from any writer, also while the receiver is replaced.
TEST_F(Log, IsWrittenByManyThreads) {
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_INFO, &receiver_, destroy);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int round = 0; round < 250; ++round)
        cucore_log_write(CUCORE_LOG_INFO, ("thread " + std::to_string(i)).c_str());
    });
  for (std::thread& thread : threads) thread.join();
  std::map<std::string, int> counts;
  for (const auto& [level, message] : receiver_.messages()) ++counts[message];
  EXPECT_EQ(counts,
            (std::map<std::string, int>{
                {"thread 0", 250}, {"thread 1", 250}, {"thread 2", 250}, {"thread 3", 250}}));
}

TEST_F(Log, WithoutAReceiverItsDestroyStillRuns) {
  Receiver mine;
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_DEBUG, &mine, destroy);
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_DEBUG, nullptr, nullptr);
  EXPECT_EQ(mine.destroyed, 1);
}

TEST_F(Log, SaysWhatAReleaseCouldNotReport) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_ERROR, &receiver_, destroy);
  fake_->fail_call("cuStreamDestroy", 1, 999);
  make_stream(device_);
  const Messages messages = receiver_.messages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].first, CUCORE_LOG_ERROR);
  EXPECT_TRUE(contains(messages[0].second, "CUDA_ERROR_UNKNOWN"));
}

}  // namespace
