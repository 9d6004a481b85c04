// SPDX-License-Identifier: Apache-2.0
// Queues and futures.
#include <array>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using namespace std::chrono_literals;

class Completions : public OnDevice {
 protected:
  cucore::Queue queue_ = must(cucore::Queue::create());
};

TEST_F(Completions, ComeOutOfTheQueue) {
  const auto future = must(cucore::Future::from_stream(stream_, queue_, 42));
  EXPECT_EQ(future.token(), 42u);
  EXPECT_TRUE(must(future.wait()));
  EXPECT_TRUE(must(future.query()));
  EXPECT_FALSE(future.error());
  const auto completion = must(queue_.wait());
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->token, 42u);
  EXPECT_EQ(completion->status, CUCORE_OK);
  EXPECT_FALSE(must(queue_.wait(1us)));
  EXPECT_FALSE(must(future.detach()));
}

TEST_F(Completions, ComeSeveralAtATime) {
  std::vector<cucore::Future> futures;
  for (std::uint64_t token = 0; token < 3; ++token)
    futures.push_back(must(cucore::Future::from_stream(stream_, queue_, token)));
  for (const auto& future : futures) SUCCEEDS(future.wait(10s));
  std::array<cucore::Completion, 4> out{};
  std::size_t taken = 0;
  while (taken < 3)
    taken += must(queue_.wait(cucore::Span<cucore::Completion>(&out[taken], 4 - taken)));
  EXPECT_EQ(taken, 3u);
  EXPECT_EQ(out[2].token, 2u);
  EXPECT_EQ(must(queue_.wait(out, 0ns)), 0u);
  EXPECT_EQ(must(queue_.query()).completed, 3u);
  EXPECT_GE(queue_.descriptor(), 0);
}

TEST_F(Completions, EndWithTheQueue) {
  SUCCEEDS(queue_.close());
  FAILS(invalid_state, "", queue_.wait());
  FAILS(invalid_state, "", cucore::Future::from_stream(stream_, queue_, 1));
  cucore::QueueOptions options;
  options.spin = -1ns;
  SUCCEEDS(cucore::Queue::create(options));
  options.sweep = 1ns;
  FAILS(invalid_argument, "sweep_ns", cucore::Queue::create(options));
}

}  // namespace
