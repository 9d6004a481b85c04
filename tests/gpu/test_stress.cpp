// SPDX-License-Identifier: Apache-2.0
// Threads that use, share, abandon and release buffers on several streams at random: every result
// is right, no device is lost, and memory stays level. CUCORE_STRESS_SECONDS sets the length.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "capi/completion_testing.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int THREADS = 8, STREAMS = 4;
constexpr size_t SHARED = 16;

double seconds_to_run() {
  const char* given = std::getenv("CUCORE_STRESS_SECONDS");
  return given ? std::atof(given) : 2;
}

class Stress : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    code_ = compile(make_program(ADD_AND_LOOK));
    add_ = find_kernel(code_, "add");
    look_ = find_kernel(code_, "look");
    queue_ = make_queue();
    for (Stream& stream : streams_) stream = make_stream(device_);
  }
  void TearDown() override {
    for (auto& slot : shared_) cucore_buffer_release(slot.exchange(nullptr));
    for (Stream& stream : streams_) stream.reset();
    OnGpu::TearDown();
  }

  // Runs until the time is over or an error occurs.
  void run_for(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; ++t)
      threads.emplace_back([this, t, end] {
        std::minstd_rand random(static_cast<unsigned>(t + 1));
        while (Clock::now() < end && wrong_ == 0) one_round(random);
      });
    for (std::thread& thread : threads) thread.join();
    MUST(cucore_device_synchronize, device_);
  }

  const cucore_stream* any_stream(std::minstd_rand& random) const {
    return streams_[random() % STREAMS];
  }

  cucore_status launch(const cucore_kernel* kernel, const cucore_stream* stream,
                       const cucore_buffer* x, uint32_t n, uint32_t turns) const {
    const cucore_argument arguments[] = {
        {x, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n), CUCORE_ARGUMENT(turns)};
    const cucore_launch_options options = grid(1, 64);
    return cucore_kernel_launch(kernel, stream, &options, arguments, 3, nullptr);
  }

  void expect(bool right, const char* what) {
    if (right || wrong_.fetch_add(1) != 0) return;
    ADD_FAILURE() << what << " after " << rounds_ << " rounds";
  }

  // A buffer of one stream, filled there, used on another, read or abandoned.
  void one_round(std::minstd_rand& random) {
    ++rounds_;
    const uint32_t n = 64 + random() % 4096, turns = 1 + random() % 300, start = random();
    const cucore_stream *own = any_stream(random), *other = any_stream(random);
    Buffer buffer = make_any(random, n * 4, own);
    expect(cucore_buffer_fill(buffer, 0, n * 4, &start, 4, own, nullptr) == CUCORE_OK, "a fill");
    expect(cucore_stream_wait_stream(other, own, nullptr) == CUCORE_OK, "a wait of a stream");
    expect(launch(add_, other, buffer, n, turns) == CUCORE_OK, "a launch");
    switch (random() % 5) {
      case 0:  // the result is read
        check_words(buffer, n, start + turns, other);
        break;
      case 1:  // a waiter that cancels
        abandon(other, random() % 100000);
        break;
      case 2:  // used by another thread, which may release it at any time
        cucore_buffer_release(shared_[random() % SHARED].exchange(buffer.release()));
        break;
      case 3:  // from another thread, which may release it at this moment
        use_shared(shared_[random() % SHARED], other);
        break;
      default:  // abandoned while the kernel runs
        break;
    }
  }

  Buffer make_any(std::minstd_rand& random, size_t size, const cucore_stream* stream) {
    Buffer buffer;
    const bool pinned = random() % 8 == 0;
    const cucore_status status =
        pinned ? cucore_buffer_create_pinned(device_, size, buffer.out(), nullptr)
               : cucore_buffer_create(device_, size, stream, buffer.out(), nullptr);
    expect(status == CUCORE_OK, "an allocation");
    return buffer;
  }

  void check_words(const cucore_buffer* buffer, uint32_t n, uint32_t expected,
                   const cucore_stream* stream) {
    std::vector<uint32_t> words(n);
    expect(cucore_buffer_read(buffer, 0, words.data(), n * 4, stream, nullptr) == CUCORE_OK,
           "a read");
    expect(std::all_of(words.begin(), words.end(), [&](uint32_t w) { return w == expected; }),
           "a word is wrong");
  }

  void abandon(const cucore_stream* stream, int64_t timeout_ns) {
    const Future future = make_future(stream, queue_, 1);
    const cucore_status status = cucore_future_wait(future, timeout_ns, nullptr);
    expect(status == CUCORE_OK || status == CUCORE_ERROR_NOT_READY, "a wait");
    int32_t detached = 0;
    expect(cucore_future_detach(future, &detached, nullptr) == CUCORE_OK, "a detach");
    cucore_completion taken;
    size_t count = 0;
    while (cucore_queue_wait(queue_, 0, &taken, 1, &count, nullptr) == CUCORE_OK && count) {
    }
  }

  // The handle may refer to another thread's buffer by now, so its words are only read.
  void use_shared(const std::atomic<cucore_buffer*>& slot, const cucore_stream* stream) {
    const cucore_buffer* buffer = slot;
    if (!buffer) return;
    const cucore_status status = launch(look_, stream, buffer, 16, 1);
    expect(status == CUCORE_OK || status == CUCORE_ERROR_INVALID_HANDLE, "a launch that races");
  }

  size_t free_device_bytes() const {
    size_t free_bytes = 0, total = 0;
    MUST(cucore_device_memory, device_, &free_bytes, &total);
    return free_bytes;
  }

  Code code_;
  Kernel add_, look_;
  Queue queue_;
  Stream streams_[STREAMS];
  std::atomic<cucore_buffer*> shared_[SHARED] = {};
  std::atomic<uint64_t> rounds_{0};
  std::atomic<int> wrong_{0};
};

TEST_F(Stress, BuffersOnManyStreams) {
  const double seconds = seconds_to_run();
  run_for(std::min(seconds / 2, 5.0));  // until pools and caches have their full size
  const size_t before = host_bytes(), free_before = free_device_bytes();
  run_for(seconds);
  ASSERT_EQ(wrong_, 0);
  const size_t after = host_bytes(), free_after = free_device_bytes();
  std::printf(
      "%llu rounds in %.0f s; host memory %.1f, then %.1f MiB; device memory free %.1f, then "
      "%.1f MiB\n",
      static_cast<unsigned long long>(rounds_), seconds, static_cast<double>(before) / 0x1p20,
      static_cast<double>(after) / 0x1p20, static_cast<double>(free_before) / 0x1p20,
      static_cast<double>(free_after) / 0x1p20);
  constexpr size_t SLACK = size_t{64} << 20;
  EXPECT_LT(after, before + SLACK) << "host memory grows";
  EXPECT_GT(free_after + SLACK, free_before) << "device memory grows";
}

}  // namespace
}  // namespace gpu_test
