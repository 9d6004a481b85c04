// SPDX-License-Identifier: Apache-2.0
// Resets of a device during calls of other threads. Each call succeeds or fails with INVALID_STATE,
// and no call uses an object of the driver that the reset has destroyed.
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "completion_testing.hpp"

namespace {

using namespace capi_test;

// The results of the calls of all threads.
class Tally {
 public:
  void note(const char* call, cucore_status status, const cucore_error* error) {
    ++(status == CUCORE_OK ? succeeded_ : failed_);
    if (status == CUCORE_OK || status == CUCORE_ERROR_INVALID_STATE) return;
    const std::lock_guard lock(mutex_);
    wrong_.try_emplace(std::string(call) + ": " + describe(status, error));
  }
  uint64_t succeeded() const { return succeeded_; }
  uint64_t failed() const { return failed_; }
  std::string wrong() const {
    std::string all;
    for (const auto& [text, none] : wrong_) all += text + "\n";
    return all;
  }

 private:
  std::mutex mutex_;
  std::atomic<uint64_t> succeeded_{0}, failed_{0};
  std::map<std::string, int> wrong_;
};

#define TRY(function, ...)                                             \
  do {                                                                 \
    Error error_;                                                      \
    const cucore_status status_ = function(__VA_ARGS__, error_.out()); \
    tally_.note(#function, status_, error_);                           \
  } while (0)

class Resets : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    saxpy_ = find_kernel(code_, "saxpy");
    queue_ = make_queue();
  }
  void TearDown() override {
    queue_.reset();
    saxpy_.reset();
    empty_.reset();
    code_.reset();
    OnDevice::TearDown();
  }

  // Calls that use a context, with objects that live as long as the context.
  void use_streams() {
    Stream stream, other;
    Event start, end;
    cucore_event_options timing = CUCORE_EVENT_OPTIONS_INIT;
    timing.timing = 1;
    TRY(cucore_stream_create, device_, nullptr, stream.out());
    TRY(cucore_stream_create, device_, nullptr, other.out());
    TRY(cucore_event_create, device_, &timing, start.out());
    TRY(cucore_event_create, device_, &timing, end.out());
    if (!stream || !other || !start || !end) return;
    const cucore_launch_options options = grid(1, 1);
    for (int i = 0; i < TURNS; ++i) {
      int32_t done = 0;
      float milliseconds = 0;
      TRY(cucore_event_record, start, stream);
      TRY(cucore_kernel_launch, empty_, stream, &options, nullptr, 0);
      TRY(cucore_event_record, end, stream);
      TRY(cucore_stream_query, stream, &done);
      TRY(cucore_event_query, end, &done);
      TRY(cucore_stream_wait_stream, other, stream);
      TRY(cucore_event_synchronize, end);
      TRY(cucore_stream_synchronize, other);
      if (!has_ended(start, end)) return;
      TRY(cucore_event_elapsed, start, end, &milliseconds);
    }
  }
  // Both were recorded: an event whose record failed has no time.
  static bool has_ended(const cucore_event* start, const cucore_event* end) {
    int32_t first = 0, last = 0;
    return cucore_event_query(start, &first, nullptr) == CUCORE_OK &&
           cucore_event_query(end, &last, nullptr) == CUCORE_OK && first && last;
  }

  void use_buffers() {
    Stream own, other;
    TRY(cucore_stream_create, device_, nullptr, own.out());
    TRY(cucore_stream_create, device_, nullptr, other.out());
    if (!own || !other) return;
    for (int i = 0; i < TURNS; ++i) {
      Buffer buffer, copied, pinned;
      TRY(cucore_buffer_create, device_, 64, own, buffer.out());
      TRY(cucore_buffer_create, device_, 64, other, copied.out());
      TRY(cucore_buffer_create_pinned, device_, 64, pinned.out());
      if (!buffer || !copied || !pinned) return;
      char bytes[64] = {};
      TRY(cucore_buffer_write, buffer, 0, bytes, 64, own);
      TRY(cucore_stream_wait_stream, other, own);
      TRY(cucore_buffer_copy, copied, 0, buffer, 0, 64, other);
      TRY(cucore_buffer_fill, pinned, 0, 64, "x", 1, other);
      TRY(launch_saxpy, saxpy_, other, buffer);
      TRY(cucore_buffer_record_use, copied, own);
      TRY(cucore_buffer_read, copied, 0, bytes, 64, other);
      TRY(cucore_buffer_set_stream, buffer, other);
    }
  }

  void use_default_streams() {
    for (const cucore_default_stream kind :
         {CUCORE_DEFAULT_STREAM_PER_THREAD, CUCORE_DEFAULT_STREAM_LEGACY}) {
      Stream stream;
      TRY(cucore_device_default_stream, device_, kind, stream.out());
      if (!stream) return;
      Buffer buffer;
      TRY(cucore_buffer_create, device_, 64, stream, buffer.out());
      if (!buffer) return;
      int32_t done = 0;
      TRY(launch_saxpy, saxpy_, stream, buffer);
      TRY(cucore_stream_query, stream, &done);
      TRY(cucore_stream_synchronize, stream);
    }
  }

  void use_futures() {
    Stream stream;
    TRY(cucore_stream_create, device_, nullptr, stream.out());
    if (!stream) return;
    for (int i = 0; i < TURNS; ++i) {
      Future future;
      TRY(cucore_future_from_stream, stream, queue_, 1, future.out());
      if (!future) return;
      TRY(cucore_future_wait, future, TEN_SECONDS);
    }
  }

  void use_executables() {
    Stream own, common;
    Graph graph;
    Executable executable;
    cucore_node node = 0;
    const cucore_launch_options options = grid(1, 1);
    TRY(cucore_stream_create, device_, nullptr, own.out());
    TRY(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_PER_THREAD, common.out());
    TRY(cucore_graph_create, device_, graph.out());
    if (!own || !common || !graph) return;
    TRY(cucore_graph_add_kernel, graph, nullptr, 0, empty_, &options, nullptr, 0, &node);
    TRY(cucore_executable_create, graph, nullptr, executable.out());
    if (!executable) return;
    for (int i = 0; i < TURNS; ++i) {
      TRY(cucore_executable_launch, executable, own);
      TRY(cucore_executable_launch, executable, common);
    }
  }

  // Reads the parameters in the context. NVIDIA's driver may crash for a handle from before a
  // reset.
  void use_native_kernels() {
    void* const native = fake_ || is_emulated() ? cucore_kernel_native(empty_) : nullptr;
    if (!native) return std::this_thread::yield();
    for (int i = 0; i < TURNS; ++i) {
      Kernel borrowed;
      TRY(cucore_kernel_from_native, device_, native, borrowed.out());
    }
  }

  void use_device() {
    size_t free = 0, total = 0, size = 0;
    int32_t least = 0, greatest = 0, blocks = 0;
    TRY(cucore_device_memory, device_, &free, &total);
    TRY(cucore_device_stream_priorities, device_, &least, &greatest);
    TRY(cucore_device_synchronize, device_);
    TRY(cucore_kernel_occupancy, empty_, device_, 32, 0, &blocks);
    const Code code = make_ptx_code();
    Kernel kernel;
    uint64_t address = 0;
    TRY(cucore_objectcode_find_kernel, code, "saxpy", kernel.out());
    TRY(cucore_objectcode_find_global, code, "counter", device_, &address, &size);
  }

  static constexpr int TURNS = 8;
  Code code_;
  Kernel empty_, saxpy_;
  Queue queue_;
  Tally tally_;
};

TEST_F(Resets, BesideCallsOfOtherThreads) {
  const std::function<void()> uses[] = {[&] { use_streams(); },         [&] { use_buffers(); },
                                        [&] { use_default_streams(); }, [&] { use_futures(); },
                                        [&] { use_executables(); },     [&] { use_device(); },
                                        [&] { use_native_kernels(); }};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (const auto& use : uses)
    threads.emplace_back([&] {
      while (!over) use();
    });
  // On a busy machine, longer than planned: until the threads have met resets.
  const auto begin = Clock::now();
  const auto planned = begin + std::chrono::milliseconds(fake_ ? 1500 : 3000);
  int resets = 0;
  const auto has_met = [&] {
    return resets > 10 && tally_.succeeded() > 100 && tally_.failed() > 0;
  };
  for (; Clock::now() < planned || (!has_met() && Clock::now() < begin + std::chrono::seconds(60));
       ++resets) {
    SUCCEEDS(cucore_device_reset, device_);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tally_.wrong(), "");
  EXPECT_GT(resets, 10);
  EXPECT_GT(tally_.succeeded(), 100u);
  EXPECT_GT(tally_.failed(), 0u) << "no call met a reset";
  SUCCEEDS(cucore_device_synchronize, device_);
}

}  // namespace
