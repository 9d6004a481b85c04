// SPDX-License-Identifier: Apache-2.0
// Common code for tests of queues and futures: makers, takers, and a queue per test.
#pragma once

#include <poll.h>

#include <chrono>
#include <thread>
#include <vector>

#include "capi_testing.hpp"

namespace capi_test {

using Clock = std::chrono::steady_clock;

// limit of a test's wait for an expected completion
constexpr int64_t TEN_SECONDS = 10'000'000'000;

inline Queue make_queue(int64_t spin_ns = 0, int64_t sweep_ns = 0) {
  cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
  options.spin_ns = spin_ns;
  options.sweep_ns = sweep_ns;
  Queue queue;
  MUST(cucore_queue_create, &options, queue.out());
  return queue;
}

inline Future make_future(const cucore_stream* stream, cucore_queue* queue, uint64_t token) {
  Future future;
  MUST(cucore_future_from_stream, stream, queue, token, future.out());
  return future;
}

// Takes exactly this many completions, or throws.
inline std::vector<cucore_completion> take(const cucore_queue* queue, size_t wanted) {
  std::vector<cucore_completion> all(wanted);
  for (size_t have = 0; have < wanted;) {
    size_t count = 0;
    MUST(cucore_queue_wait, queue, TEN_SECONDS, all.data() + have, wanted - have, &count);
    if (count == 0) throw std::runtime_error("a completion did not come");
    have += count;
  }
  return all;
}

inline bool is_empty(const cucore_queue* queue) {
  cucore_completion out;
  size_t count = 0;
  MUST(cucore_queue_wait, queue, 0, &out, 1, &count);
  return count == 0;
}

inline cucore_queue_info info(const cucore_queue* queue) {
  cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
  MUST(cucore_queue_query, queue, &info);
  return info;
}

inline void wait_until_waiting(const cucore_queue* queue, uint64_t count) {
  for (int i = 0; i < 100'000 && info(queue).waiting < count; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  if (info(queue).waiting != count) throw std::runtime_error("completions did not come");
}

inline bool is_readable(int descriptor, int milliseconds) {
  pollfd asked{descriptor, POLLIN, 0};
  return poll(&asked, 1, milliseconds) == 1 && (asked.revents & POLLIN);
}

class WithQueue : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) queue_ = make_queue();
  }
  void TearDown() override {
    if (fake_) fake_->hold_streams(0);
    queue_.reset();
    OnDevice::TearDown();
  }

  Queue queue_;
};

}  // namespace capi_test
