// SPDX-License-Identifier: Apache-2.0
// Functions of the host in streams, and words that streams write and wait for.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

#include "completion_testing.hpp"
#include "native_capture.hpp"

namespace {

using namespace capi_test;

// The data of a function, which counts its runs and its end.
struct Data {
  std::atomic<int> runs{0}, ends{0};
  std::thread::id run_by, ended_by;
  std::function<void()> body;

  static void run(void* self) {
    auto& data = *static_cast<Data*>(self);
    data.run_by = std::this_thread::get_id();
    if (data.body) data.body();
    ++data.runs;
  }
  static void end(void* self) {
    auto& data = *static_cast<Data*>(self);
    data.ended_by = std::this_thread::get_id();
    ++data.ends;
  }
};

bool comes_true(const std::function<bool()>& condition, int64_t nanoseconds = TEN_SECONDS) {
  const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  while (!condition() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return condition();
}

Queue make_queue_with_timeout(int32_t milliseconds) {
  cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
  options.host_timeout_ms = milliseconds;
  Queue queue;
  MUST(cucore_queue_create, &options, queue.out());
  return queue;
}

class HostFunctions : public OnDevice {
 protected:
  void add(Data& data) { MUST(cucore_stream_launch_host, stream_, Data::run, &data, Data::end); }
  void add_queued(const cucore_stream* stream, cucore_queue* queue, uint64_t token, bool waits) {
    MUST(cucore_stream_launch_host_queued, stream, queue, token, waits);
  }
  bool is_done() {
    int32_t done = 0;
    MUST(cucore_stream_query, stream_, &done);
    return done == 1;
  }
};

TEST_F(HostFunctions, RunOnceInTheOrderOfTheStream) {
  std::mutex mutex;
  std::vector<int> order;
  Data data[3];
  for (int i = 0; i < 3; ++i) {
    data[i].body = [&, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
    };
    add(data[i]);
  }
  for (Data& each : data) {
    EXPECT_TRUE(comes_true([&] { return each.ends == 1; }));
    EXPECT_EQ(each.runs, 1);
    EXPECT_NE(each.run_by, std::this_thread::get_id());
    EXPECT_NE(each.ended_by, each.run_by) << "the thread of the driver must not run destroy";
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST_F(HostFunctions, RunAfterTheWorkBeforeThem) {
  if (fake_) GTEST_SKIP() << "needs a device that runs work";
  Buffer pinned;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 4, pinned.out());
  const auto* word = static_cast<const volatile uint32_t*>(cucore_buffer_host_pointer(pinned));
  const uint32_t one = 1, two = 2;
  uint32_t seen = 0;
  Data data;
  data.body = [&] { seen = *word; };
  SUCCEEDS(cucore_buffer_fill, pinned, 0, 4, &one, 4, stream_);
  add(data);
  SUCCEEDS(cucore_buffer_fill, pinned, 0, 4, &two, 4, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(*word, 2u);
  EXPECT_TRUE(comes_true([&] { return data.ends == 1; }));
}

TEST_F(HostFunctions, ThatFailEndTheirData) {
  Data data;
  const auto fails = [&](cucore_status status, const std::string& parts,
                         const cucore_stream* stream, cucore_host_fn fn) {
    data.ends = 0;
    FAILS_ONCE(status, parts, cucore_stream_launch_host, stream, fn, &data, Data::end);
    EXPECT_EQ(data.ends, 1);
    EXPECT_EQ(data.ended_by, std::this_thread::get_id());
  };
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "fn must not be NULL", stream_, nullptr);
  fails(CUCORE_ERROR_INVALID_ARGUMENT, "stream must not be NULL", nullptr, Data::run);
  NEEDS_FAKE_DRIVER();
  const std::string refused = "add a host function to a stream of device 0";
  fake_->fail_call("cuLaunchHostFunc", 1, 2);
  fails(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, refused, stream_, Data::run);
  const NativeGraphs graphs;
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  fake_->fail_call("cuLaunchHostFunc", 1, 2);
  fails(CUCORE_ERROR_OUT_OF_DEVICE_MEMORY, refused, stream_, Data::run);
  CUgraph graph = nullptr;
  ASSERT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  graphs.destroy(graph, nullptr);
  Data other;
  add(other);
  EXPECT_TRUE(comes_true([&] { return other.ends == 1; }));  // the thread has ended what is before
  EXPECT_EQ(data.runs, 0);
  EXPECT_EQ(data.ends, 1);
}

TEST_F(HostFunctions, WithoutDestroy) {
  std::atomic<int> runs{0};
  const auto run = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  SUCCEEDS(cucore_stream_launch_host, stream_, run, &runs, nullptr);
  EXPECT_TRUE(comes_true([&] { return runs == 1; }));
}

TEST_F(HostFunctions, OfAGraphRunAtEachLaunch) {
  const NativeGraphs graphs;
  if (!graphs) GTEST_SKIP() << "the driver has no graphs";
  static Data data;  // drivers before 12.3 may end it after the test
  const Queue queue = make_queue();
  ASSERT_EQ(graphs.begin(stream_), CUDA_SUCCESS);
  add(data);
  add_queued(stream_, queue, 7, false);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(graphs.end(stream_, graph), CUDA_SUCCESS);
  EXPECT_EQ(data.runs, 0);
  if (!fake_) {
    ASSERT_EQ(graphs.instantiate(exec, graph), CUDA_SUCCESS);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(graphs.launch(exec, stream_), CUDA_SUCCESS);
    SUCCEEDS(cucore_stream_synchronize, stream_);
    EXPECT_EQ(data.runs, 3);
    for (const cucore_completion& each : take(queue, 3)) EXPECT_EQ(each.token, 7u);
  }
  EXPECT_EQ(data.ends, 0);
  graphs.destroy(graph, exec);
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  const bool reports_graphs =
      driver.version_major > 12 || (driver.version_major == 12 && driver.version_minor >= 3);
  if (!reports_graphs) GTEST_SKIP() << "the driver does not report the end of a graph";
  EXPECT_TRUE(comes_true([&] { return data.ends == 1; }));
}

TEST_F(HostFunctions, ThatNeverRunEndWithAReset) {
  if (!is_emulated() || fake_) GTEST_SKIP() << "needs a device that survives a fault";
  const Kernel kernel = find_kernel(make_ptx_code(), "saxpy");
  const Queue queue = make_queue();
  const float a = 1;
  const uint64_t nowhere = 64;
  const uint32_t n = 4;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(nowhere),
                                       CUCORE_ARGUMENT(nowhere), CUCORE_ARGUMENT(n)};
  const cucore_launch_options options = grid(1, 4);
  Data gate, data;
  std::atomic<bool> is_open{false};
  gate.body = [&] { comes_true([&] { return is_open.load(); }); };
  add(gate);
  SUCCEEDS(cucore_kernel_launch, kernel, stream_, &options, arguments, 4);
  add(data);
  add_queued(stream_, queue, 1, true);
  is_open = true;
  EXPECT_EQ(cucore_stream_synchronize(stream_, nullptr), CUCORE_ERROR_KERNEL_FAULT);
  EXPECT_EQ(data.runs + data.ends, 0);
  SUCCEEDS(cucore_device_reset, device_);
  EXPECT_TRUE(comes_true([&] { return data.ends == 1; }));
  EXPECT_EQ(data.runs, 0);
  EXPECT_TRUE(is_empty(queue));
}

TEST_F(HostFunctions, OfQueuesComeOutAsCompletions) {
  const Queue queue = make_queue();
  add_queued(stream_, queue, 41, false);
  add_queued(stream_, queue, UINT64_MAX, false);
  const auto taken = take(queue, 2);
  EXPECT_EQ(taken[0].token, 41u);
  EXPECT_EQ(taken[1].token, UINT64_MAX);
  for (const cucore_completion& each : taken) {
    EXPECT_EQ(each.status, CUCORE_OK);
    EXPECT_EQ(each.kind, CUCORE_COMPLETION_KIND_HOST);
    EXPECT_EQ(each.ticket, 0u);
    EXPECT_EQ(each.reserved[0] + each.reserved[1], 0u);
  }
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const Future future = make_future(stream_, queue, 3);
  const auto ended = take(queue, 1);
  EXPECT_EQ(ended[0].kind, CUCORE_COMPLETION_KIND_FUTURE);
  EXPECT_EQ(ended[0].ticket, 0u);
  EXPECT_EQ(info(queue).completed, 3u);
}

TEST_F(HostFunctions, HoldTheStreamUntilTheyAreResumed) {
  const Queue queue = make_queue();
  Data after;
  add_queued(stream_, queue, 1, true);
  add(after);
  const cucore_completion first = take(queue, 1)[0];
  EXPECT_NE(first.ticket, 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(after.runs, 0);
  if (!fake_) {
    EXPECT_FALSE(is_done());
  }
  for (const uint64_t wrong : {uint64_t{0}, first.ticket + 1, UINT64_MAX})
    FAILS(CUCORE_ERROR_NOT_FOUND, "ticket is " + std::to_string(wrong) + "; no host function",
          cucore_queue_resume, queue, wrong);
  FAILS(CUCORE_ERROR_NOT_FOUND, "ticket is", cucore_queue_resume, make_queue(), first.ticket);
  SUCCEEDS(cucore_queue_resume, queue, first.ticket);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_TRUE(comes_true([&] { return after.ends == 1; }));
  FAILS(CUCORE_ERROR_NOT_FOUND, "ticket is", cucore_queue_resume, queue, first.ticket);
}

TEST_F(HostFunctions, GoOnWhenTheirQueueIsClosed) {
  const Queue queue = make_queue();
  Data after;
  add_queued(stream_, queue, 1, true);
  add_queued(stream_, queue, 2, true);  // does not wait, because the queue is closed by then
  add(after);
  const cucore_completion first = take(queue, 1)[0];
  SUCCEEDS(cucore_queue_close, queue);
  EXPECT_TRUE(comes_true([&] { return after.ends == 1; }));
  FAILS(CUCORE_ERROR_NOT_FOUND, "ticket is", cucore_queue_resume, queue, first.ticket);
  FAILS(CUCORE_ERROR_INVALID_STATE, "a queue that was closed", cucore_stream_launch_host_queued,
        stream_, queue, 3, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "waits", cucore_stream_launch_host_queued, stream_,
        make_queue(), 3, 2);
}

TEST_F(HostFunctions, GoOnAfterTheTimeLimit) {
  std::mutex mutex;
  std::string messages;
  const auto state = std::make_pair(&mutex, &messages);
  const auto receive = [](cucore_log_level, const char* message, void* data) {
    const auto& to = *static_cast<const std::pair<std::mutex*, std::string*>*>(data);
    const std::lock_guard lock(*to.first);
    *to.second += message;
  };
  SUCCEEDS(cucore_log_set_callback, receive, CUCORE_LOG_WARNING,
           const_cast<std::pair<std::mutex*, std::string*>*>(&state), nullptr);
  const Queue queue = make_queue_with_timeout(30);
  Data after;
  const auto begin = Clock::now();
  add_queued(stream_, queue, 17, true);
  add(after);
  const cucore_completion first = take(queue, 1)[0];
  EXPECT_TRUE(comes_true([&] { return after.runs == 1; }));
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(30));
  FAILS(CUCORE_ERROR_NOT_FOUND, "ticket is", cucore_queue_resume, queue, first.ticket);
  EXPECT_TRUE(comes_true([&] { return after.ends == 1; }));
  SUCCEEDS(cucore_log_set_callback, nullptr, CUCORE_LOG_WARNING, nullptr, nullptr);
  const std::lock_guard lock(mutex);
  EXPECT_TRUE(contains(messages, "host function 17 was not resumed in 30 ms")) << messages;
}

TEST_F(HostFunctions, RefuseWrongOptionsOfTheQueue) {
  Queue queue;
  cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
  options.host_timeout_ms = -1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_queue_options.host_timeout_ms is -1",
        cucore_queue_create, &options, queue.out());
  options.host_timeout_ms = 0;
  options.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_queue_options.reserved is 1", cucore_queue_create,
        &options, queue.out());
  // A caller that was built against the first header: what follows its struct is not read.
  options.host_timeout_ms = -1;
  options.struct_size = offsetof(cucore_queue_options, host_timeout_ms);
  SUCCEEDS(cucore_queue_create, &options, queue.out());
}

// 64 streams wait for four threads, which resume them in any order.
TEST_F(HostFunctions, OfManyThreads) {
  constexpr size_t THREADS = 64, EACH = 20, RUNNERS = 4;
  const Queue queue = make_queue();
  std::atomic<size_t> ran{0};
  std::vector<std::thread> runners, threads;
  for (size_t i = 0; i < RUNNERS; ++i)
    runners.emplace_back([&] {
      cucore_completion some[8];
      size_t count = 0;
      while (cucore_queue_wait(queue, TEN_SECONDS, some, 8, &count, nullptr) == CUCORE_OK && count)
        for (size_t k = 0; k < count; ++k, ++ran)
          if (some[k].ticket) {
            EXPECT_EQ(cucore_queue_resume(queue, some[k].ticket, nullptr), CUCORE_OK);
          }
    });
  std::vector<Data> data(THREADS);
  for (size_t i = 0; i < THREADS; ++i)
    threads.emplace_back([&, i] {
      const Stream stream = make_stream(device_);
      for (size_t k = 0; k < EACH; ++k) add_queued(stream, queue, i, k % 2 == 0);
      MUST(cucore_stream_launch_host, stream, Data::run, &data[i], Data::end);
      MUST(cucore_stream_synchronize, stream);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(comes_true([&] { return ran == THREADS * EACH; })) << ran;
  SUCCEEDS(cucore_queue_close, queue);
  for (std::thread& runner : runners) runner.join();
  for (Data& each : data) EXPECT_TRUE(comes_true([&] { return each.ends == 1; }));
}

// The thread of the driver waits, and nobody resumes it.
[[noreturn]] void exit_with_a_waiting_function() {
  static auto* device = new Device(open_device());
  static auto* stream = new Stream(make_stream(*device));
  static auto* queue = new Queue(make_queue());
  static Data never;
  MUST(cucore_stream_launch_host_queued, *stream, *queue, 1, 1);
  MUST(cucore_stream_launch_host, *stream, Data::run, &never, Data::end);
  take(*queue, 1);
  alarm(10);  // ends a hang by a signal
  std::exit(0);
}

TEST(HostFunctionsDeathTest, DoNotDelayTheExit) {
  if (!has_device()) GTEST_SKIP() << "no device";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_a_waiting_function(), testing::ExitedWithCode(0), "");
}

class StreamWords : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    MUST(cucore_buffer_create_pinned, device_, 64, buffer_.out());
    const uint32_t zero = 0;
    MUST(cucore_buffer_fill, buffer_, 0, 64, &zero, 4, stream_);
    MUST(cucore_stream_synchronize, stream_);
  }
  void TearDown() override {
    buffer_.reset();
    OnDevice::TearDown();
  }
  uint64_t read(size_t offset, size_t size) {
    uint64_t value = 0;
    MUST(cucore_buffer_read, buffer_, offset, &value, size, stream_);
    return value;
  }

  Buffer buffer_;
};

TEST_F(StreamWords, AreWritten) {
  SUCCEEDS(cucore_stream_write_value, stream_, buffer_, 4, 0xfffffffeu, 4);
  SUCCEEDS(cucore_stream_write_value, stream_, buffer_, 8, 0x123456789abcdef0u, 8);
  if (fake_) return;
  EXPECT_EQ(read(0, 4), 0u);
  EXPECT_EQ(read(4, 4), 0xfffffffeu);
  EXPECT_EQ(read(8, 8), 0x123456789abcdef0u);
}

TEST_F(StreamWords, HoldAStreamUntilTheyAreRight) {
  if (fake_) GTEST_SKIP() << "needs a device that runs work";
  struct Case {
    cucore_comparison comparison;
    uint64_t value, wrong, right;
  };
  const Case cases[] = {{CUCORE_COMPARISON_EQUAL, 5, 6, 5},
                        {CUCORE_COMPARISON_GREATER_EQUAL, 5, 4, 9},
                        {CUCORE_COMPARISON_ANY_BIT, 6, 1, 2},
                        {CUCORE_COMPARISON_NOR, 0xfffffff0u, 0xffffffffu, 0xfffffff0u}};
  const Stream other = make_stream(device_);
  for (const Case& each : cases) {
    SCOPED_TRACE(each.comparison);
    int32_t done = 1;
    SUCCEEDS(cucore_stream_write_value, other, buffer_, 0, each.wrong, 4);
    SUCCEEDS(cucore_stream_synchronize, other);
    SUCCEEDS(cucore_stream_wait_value, stream_, buffer_, 0, each.value, 4, each.comparison);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    SUCCEEDS(cucore_stream_query, stream_, &done);
    EXPECT_EQ(done, 0);
    SUCCEEDS(cucore_stream_write_value, other, buffer_, 0, each.right, 4);
    SUCCEEDS(cucore_stream_synchronize, stream_);
  }
  SUCCEEDS(cucore_stream_wait_value, stream_, buffer_, 8, uint64_t{1} << 40, 8,
           CUCORE_COMPARISON_GREATER_EQUAL);
  SUCCEEDS(cucore_stream_write_value, other, buffer_, 8, uint64_t{1} << 41, 8);
  SUCCEEDS(cucore_stream_synchronize, stream_);
}

TEST_F(StreamWords, AreNotInMemoryOfAPool) {
  if (fake_) GTEST_SKIP() << "its driver accepts all memory";
  const Buffer pooled = make_buffer(device_, 64, stream_);
  const std::string reason =
      ": the driver accepts no word in memory of a pool; use a pinned buffer, of "
      "cucore_buffer_create_pinned()";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cannot write 4 bytes of a buffer on device 0" + reason,
        cucore_stream_write_value, stream_, pooled, 0, 1, 4);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cannot wait for 8 bytes of a buffer on device 0" + reason,
        cucore_stream_wait_value, stream_, pooled, 8, 1, 8, CUCORE_COMPARISON_EQUAL);
}

TEST_F(StreamWords, RefuseWrongNumbers) {
  const auto refuses = [&](const std::string& parts, size_t offset, uint64_t value, size_t size) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_stream_write_value, stream_, buffer_, offset,
          value, size);
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, parts, cucore_stream_wait_value, stream_, buffer_, offset,
          value, size, CUCORE_COMPARISON_EQUAL);
  };
  for (const size_t size : {0, 1, 2, 3, 5, 16})
    refuses("size is " + std::to_string(size) + "; expected 4 or 8", 0, 1, size);
  refuses("offset is 61 and the word has 4 bytes; the buffer has 64 bytes", 61, 1, 4);
  refuses("offset is 60 and the word has 8 bytes", 60, 1, 8);
  refuses("offset is 18446744073709551615", SIZE_MAX, 1, 8);
  refuses("offset is 2; expected a multiple of 4", 2, 1, 4);
  refuses("offset is 4; expected a multiple of 8", 4, 1, 8);
  refuses("value is 4294967296; expected at most 4294967295", 0, uint64_t{1} << 32, 4);
  for (const int wrong : {0, 5, -1})
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
          "comparison is " + std::to_string(wrong) + "; expected a cucore_comparison, 1 to 4",
          cucore_stream_wait_value, stream_, buffer_, 0, 1, 4,
          static_cast<cucore_comparison>(wrong));
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) return;
  const Stream far = make_stream(open_device(1));
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "the stream belongs to device 1", cucore_stream_write_value,
        far, buffer_, 0, 1, 4);
}

}  // namespace
