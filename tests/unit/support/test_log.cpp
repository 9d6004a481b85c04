// SPDX-License-Identifier: Apache-2.0
// The one receiver of messages.
#include "support/log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cucore {
namespace {

struct Receiver {
  std::vector<std::string> messages;
  int destroyed = 0;
};

void receive(LogLevel, const char* message, void* data) {
  static_cast<Receiver*>(data)->messages.emplace_back(message);
}
void destroy(void* data) { ++static_cast<Receiver*>(data)->destroyed; }

TEST(Log, IsSilentWithoutAReceiver) {
  EXPECT_FALSE(log_enabled(LogLevel::ERROR));
  log(LogLevel::ERROR, "to nobody");
}

TEST(Log, PassesOnWhatMattersEnough) {
  Receiver receiver;
  log_set_receiver(receive, LogLevel::INFO, &receiver, destroy);
  EXPECT_FALSE(log_enabled(LogLevel::DEBUG));
  EXPECT_TRUE(log_enabled(LogLevel::INFO));
  log(LogLevel::DEBUG, "a");
  log(LogLevel::INFO, "b");
  log(LogLevel::ERROR, std::string_view("cde", 2));
  log_set_receiver(nullptr, LogLevel::DEBUG, nullptr, nullptr);
  log(LogLevel::ERROR, "f");
  EXPECT_EQ(receiver.messages, (std::vector<std::string>{"b", "cd"}));
  EXPECT_EQ(receiver.destroyed, 1);
}

// A receiver that breaks its contract and calls the library does not hang it.
TEST(Log, SurvivesAReceiverThatLogs) {
  static int depth = 0;
  log_set_receiver(
      [](LogLevel, const char*, void*) {
        if (++depth < 3) log(LogLevel::INFO, "again");
      },
      LogLevel::DEBUG, nullptr, nullptr);
  log(LogLevel::INFO, "once");
  log_set_receiver(nullptr, LogLevel::DEBUG, nullptr, nullptr);
  EXPECT_EQ(depth, 3);
}

}  // namespace
}  // namespace cucore
