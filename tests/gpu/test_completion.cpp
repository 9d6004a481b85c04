// SPDX-License-Identifier: Apache-2.0
// Futures of real device work: order, faults, captures on other threads, and an awaited product.
// Each test runs in a separate process, because a fault breaks the context for all.
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "capi/completion_testing.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

// Adds `turns` times to each of its elements, waits until the host opens a gate,
// and writes a last word.
const char SLOW[] =
    "extern \"C\" __global__ void slow(unsigned *x, unsigned turns, unsigned *last,\n"
    "                                volatile unsigned *gate) {\n"
    "  volatile unsigned *mine = x + blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  for (unsigned i = 0; i < turns; ++i) *mine = *mine + 1;\n"
    "  while (gate && *gate == 0) {}\n"
    "  if (last != x) *last = turns;\n"
    "}\n";

class Completions : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    queue_ = make_queue();
    code_ = compile(make_program(SLOW));
    slow_ = find_kernel(code_, "slow");
    MUST(cucore_buffer_create_pinned, device_, 64, gates_.out());
    std::memset(cucore_buffer_host_pointer(gates_), 0, 64);
    words_ = make_buffer(device_, 4096 * 16, stream_);
    MUST(cucore_stream_synchronize, stream_);
  }

  void TearDown() override {
    if (gates_) open(0), open(1);
    OnGpu::TearDown();
  }

  void launch_slow(const cucore_stream* stream, uint32_t turns, uint64_t offset = 0) {
    const uint64_t x = cucore_buffer_address(words_) + offset;
    launch(stream, turns, x, x, 0);
  }

  // Runs until the gate is opened.
  void launch_gated(const cucore_stream* stream, int gate) {
    const uint64_t x = cucore_buffer_address(words_);
    launch(stream, 1, x, x, gate_address(gate));
  }

  // Writes through a null pointer once the gate is opened.
  void break_context(const cucore_stream* stream, int gate) {
    launch(stream, 1, cucore_buffer_address(words_), 0, gate_address(gate));
  }

  void open(int gate) const {
    static_cast<std::atomic<uint32_t>*>(cucore_buffer_host_pointer(gates_))[gate].store(1);
  }
  uint64_t gate_address(int gate) const {
    return cucore_buffer_address(gates_) + static_cast<uint64_t>(gate) * 4;
  }

  void launch(const cucore_stream* stream, uint32_t turns, uint64_t x, uint64_t last,
              uint64_t gate) {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(x), CUCORE_ARGUMENT(turns),
                                         CUCORE_ARGUMENT(last), CUCORE_ARGUMENT(gate)};
    const cucore_launch_options options = grid(1, 32);
    MUST(cucore_kernel_launch, slow_, stream, &options, arguments, 4);
  }

  Queue queue_;
  Code code_;
  Kernel slow_;
  Buffer words_;
  Buffer gates_;  // in pinned memory, closed at first
};

TEST_F(Completions, TenThousandOfKernelsOnSixteenStreams) {
  constexpr uint64_t STREAMS = 16, EACH = 625;
  std::vector<Stream> streams;
  for (uint64_t i = 0; i < STREAMS; ++i) streams.push_back(make_stream(device_));
  for (uint64_t n = 0; n < EACH; ++n)
    for (uint64_t s = 0; s < STREAMS; ++s) {
      launch_slow(streams[s], 1 + static_cast<uint32_t>(n * 7 + s) % 50, s * 128);
      make_future(streams[s], queue_, s << 32 | n);
    }
  std::vector<uint64_t> next(STREAMS);
  for (uint64_t left = STREAMS * EACH; left > 0; --left) {
    const auto completion = take(queue_, 1).at(0);
    const uint64_t s = completion.token >> 32;
    ASSERT_EQ(completion.token & 0xffffffff, next.at(s)++) << "stream " << s;
    ASSERT_EQ(completion.status, CUCORE_OK);
  }
  EXPECT_TRUE(is_empty(queue_));
}

// The result is present together with the completion.
TEST_F(Completions, ComeAfterTheWork) {
  uint32_t expected = 0;
  MUST(cucore_buffer_fill, words_, 0, 4096, "\0", 1, stream_);
  for (uint32_t round = 1; round <= 50; ++round) {
    launch_slow(stream_, 200 * round);
    expected += 200 * round;
    uint32_t word = 0;
    const Future future = make_future(stream_, queue_, round);
    ASSERT_EQ(take(queue_, 1).at(0).token, round);
    MUST(cucore_buffer_read, words_, 31 * 4, &word, 4, make_stream(device_));
    ASSERT_EQ(word, expected) << round;
  }
}

TEST_F(Completions, AFaultReachesEveryPendingFuture) {
  std::vector<Stream> streams;
  std::vector<Future> futures;
  const Future before = make_future(stream_, queue_, 1000);
  ASSERT_EQ(take(queue_, 1).at(0).status, CUCORE_OK);
  break_context(stream_, 0);
  futures.push_back(make_future(stream_, queue_, 20));
  for (uint64_t s = 0; s < 4; ++s) {
    streams.push_back(make_stream(device_));
    launch_gated(streams[s], 1);
    for (uint64_t n = 0; n < 5; ++n) futures.push_back(make_future(streams[s], queue_, s * 5 + n));
  }
  open(0);
  std::set<uint64_t> tokens;
  for (const auto& completion : take(queue_, 21)) {
    EXPECT_EQ(completion.status, CUCORE_ERROR_KERNEL_FAULT) << completion.token;
    tokens.insert(completion.token);
  }
  EXPECT_EQ(tokens.size(), 21u);
  for (const Future& future : futures)
    FAILS(CUCORE_ERROR_KERNEL_FAULT, "await|device 0|CUDA_ERROR_", cucore_future_error, future);
  SUCCEEDS(cucore_future_error, before);
  EXPECT_TRUE(is_empty(queue_));
  const Future after = make_future(stream_, queue_, 30);
  EXPECT_EQ(take(queue_, 1).at(0).status, CUCORE_ERROR_KERNEL_FAULT);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "await|device 0|CUDA_ERROR_", cucore_future_error, after);
}

// Threads make futures while the context breaks. Each has an outcome, and from one future on it is
// the fault. A GPU breaks once per process, the CPU device after every reset.
TEST_F(Completions, AreMadeWhileTheContextBreaks) {
  const int rounds = cucore_device_is_emulated(device_) ? 100 : 1;
  for (int round = 0; round < rounds; ++round) {
    const Stream broken = make_stream(device_), other = make_stream(device_);
    const Queue queue = make_queue();
    break_context(broken, 0);
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(round % 50 * 7));
      open(0);
    });
    std::vector<Future> futures;
    int after = 0;
    for (uint64_t token = 0; after < 20; ++token) {
      Future future;
      Error error;
      const cucore_status made = cucore_future_from_stream(token % 2 ? broken : other, queue, token,
                                                           future.out(), error.out());
      ASSERT_EQ(made, CUCORE_OK) << describe(made, error);
      after += cucore_future_error(future, nullptr) == CUCORE_ERROR_KERNEL_FAULT;
      futures.push_back(std::move(future));
    }
    opener.join();
    std::vector<cucore_status> of_other;
    for (const auto& completion : take(queue, futures.size()))
      if (completion.token % 2) {
        ASSERT_EQ(completion.status, CUCORE_ERROR_KERNEL_FAULT) << completion.token;
      } else
        of_other.push_back(static_cast<cucore_status>(completion.status));
    EXPECT_TRUE(std::is_sorted(of_other.begin(), of_other.end()));
    EXPECT_EQ(of_other.back(), CUCORE_ERROR_KERNEL_FAULT);
    if (round + 1 == rounds) break;
    gates_.reset();  // its memory ends with the context
    MUST(cucore_device_reset, device_);
    TearDown();
    SetUp();
  }
}

// NVIDIA's driver reports an illegal address to all devices of the process (580, two GPUs), as its
// documentation states. Every future there must end, with the fault or successfully.
TEST_F(Completions, AFaultStaysOnItsDevice) {
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device other = open_device(1);
  const Stream there = make_stream(other);
  break_context(stream_, 0);
  const Future broken = make_future(stream_, queue_, 1), healthy = make_future(there, queue_, 2);
  open(0);
  FAILS(CUCORE_ERROR_KERNEL_FAULT, "device 0", cucore_future_wait, broken, TEN_SECONDS);
  if (!cucore_device_is_emulated(device_)) {
    const cucore_status status = cucore_future_wait(healthy, TEN_SECONDS, nullptr);
    EXPECT_TRUE(status == CUCORE_OK || status == CUCORE_ERROR_KERNEL_FAULT) << status;
    return;
  }
  SUCCEEDS(cucore_future_wait, healthy, TEN_SECONDS);
  SUCCEEDS(cucore_future_wait, make_future(there, queue_, 3), TEN_SECONDS);
}

TEST_F(Completions, AreNotHeldUpByAStreamThatIs) {
  const Stream busy = make_stream(device_);
  launch_gated(busy, 0);
  const Future late = make_future(busy, queue_, 1);
  const Future soon = make_future(stream_, queue_, 2);
  EXPECT_EQ(take(queue_, 1).at(0).token, 2u);
  int32_t done = 77;
  SUCCEEDS(cucore_future_query, late, &done);
  EXPECT_EQ(done, 0);
  open(0);
  EXPECT_EQ(take(queue_, 1).at(0).token, 1u);
}

TEST_F(Completions, OfManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Stream own;
      if (cucore_device_default_stream(device_, CUCORE_DEFAULT_STREAM_PER_THREAD, own.out(),
                                       nullptr) != CUCORE_OK)
        ++wrong;
      for (int n = 0; n < 300; ++n) {
        launch_slow(own, 10, t * 128);
        const Future future = make_future(own, queue_, t);
        wrong += cucore_future_wait(future, TEN_SECONDS, nullptr) != CUCORE_OK;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(take(queue_, 1200).size(), 1200u);
}

TEST_F(Completions, MillionsInFlatMemory) {
  const char* wanted = std::getenv("CUCORE_TEST_FUTURES");
  const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 100'000;
  cucore_completion out[256];
  for (uint64_t made = 0, taken = 0; taken < count;) {
    for (; made < count && made - taken < 1000; ++made) make_future(stream_, queue_, made);
    size_t some = 0;
    MUST(cucore_queue_wait, queue_, TEN_SECONDS, out, 256, &some);
    for (size_t i = 0; i < some; ++i) ASSERT_EQ(out[i].token, taken++);
    ASSERT_GT(some, 0u);
  }
  EXPECT_EQ(info(queue_).pending, 0u);
}

}  // namespace
}  // namespace gpu_test
