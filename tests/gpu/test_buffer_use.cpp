// SPDX-License-Identifier: Apache-2.0
// Memory used by several streams is freed after all of their work, however the last reference ends.
// A gate in pinned memory holds the work back during the release of the buffer.
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "capi/native_capture.hpp"
#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

// Waits for the gate, then writes each word of x.
const char GATED[] =
    "extern \"C\" __global__ void gated(unsigned *x, unsigned n, unsigned value,\n"
    "                                 volatile unsigned *gate) {\n"
    "  while (gate && *gate == 0) {}\n"
    "  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = value;\n"
    "}\n"
    "extern \"C\" __global__ void add(unsigned *x, unsigned n, unsigned turns) {\n"
    "  for (unsigned t = 0; t < turns; ++t)\n"
    "    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)\n"
    "      ((volatile unsigned *)x)[i] = ((volatile unsigned *)x)[i] + 1;\n"
    "}\n";

constexpr uint32_t WORDS = 1 << 18;
constexpr size_t BYTES = WORDS * sizeof(uint32_t);

using Clock = std::chrono::steady_clock;

class BufferUses : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    code_ = compile(make_program(GATED));
    gated_ = find_kernel(code_, "gated");
    add_ = find_kernel(code_, "add");
    MUST(cucore_buffer_create_pinned, device_, 64, gate_.out());
    close_gate();
    other_ = make_stream(device_);
    // The first launch on a GPU allocates memory, which would wait for the gate.
    launch_gated(stream_, make_words(), 1);
    launch_gated(other_, make_words(), 1);
    MUST(cucore_device_synchronize, device_);
  }
  void TearDown() override {
    if (gate_) open_gate();
    other_.reset();
    OnGpu::TearDown();
  }

  std::atomic<uint32_t>& gate_word() const {
    return *static_cast<std::atomic<uint32_t>*>(cucore_buffer_host_pointer(gate_));
  }
  void open_gate() const { gate_word().store(1); }
  void close_gate() const { gate_word().store(0); }
  Buffer make_words() const { return make_buffer(device_, BYTES, stream_); }

  static cucore_argument object(const cucore_buffer* buffer) {
    return {buffer, CUCORE_ARGUMENT_OBJECT};
  }
  // Passes the buffer as an object; `gate` is null for work that does not wait.
  void launch_gated(const cucore_stream* stream, const cucore_buffer* x, uint32_t value,
                    const cucore_buffer* gate = nullptr) const {
    const uint32_t n = static_cast<uint32_t>(cucore_buffer_size(x) / 4);
    const uint64_t none = 0;
    const cucore_argument arguments[] = {object(x), CUCORE_ARGUMENT(n), CUCORE_ARGUMENT(value),
                                         gate ? object(gate) : cucore_argument{&none, 8}};
    const cucore_launch_options options = grid(1, 128);
    MUST(cucore_kernel_launch, gated_, stream, &options, arguments, 4);
  }
  // Holds a stream back until the gate is opened.
  void hold(const cucore_stream* stream, const cucore_buffer* scratch) const {
    launch_gated(stream, scratch, 0, gate_);
  }

  // Work of the buffer's own stream continues while the gate is closed, in memory that may be what
  // was freed too early. After the gate opens, neither may have changed the other's memory.
  void expect_unharmed(cucore_stream* held) {
    const Buffer later = make_words();
    const uint32_t pattern = 0xabcd1234;
    const auto begin = Clock::now();
    SUCCEEDS(cucore_buffer_fill, later, 0, BYTES, &pattern, 4, stream_);
    SUCCEEDS(cucore_stream_synchronize, stream_);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5)) << "the stream waited for another";
    if (held) {
      int32_t done = 1;
      SUCCEEDS(cucore_stream_query, held, &done);
      EXPECT_EQ(done, 0) << "the work was not held back";
    }
    open_gate();
    SUCCEEDS(cucore_device_synchronize, device_);
    std::vector<uint32_t> words(WORDS);
    SUCCEEDS(cucore_buffer_read, later, 0, words.data(), BYTES, stream_);
    EXPECT_EQ(std::count(words.begin(), words.end(), pattern), WORDS);
  }

  // Calls `use` with a buffer of one stream on another that is held back.
  void release_under(const std::function<void(cucore_buffer*)>& use) {
    const Buffer scratch = make_buffer(device_, 256, other_);
    Buffer buffer = make_words();
    SUCCEEDS(cucore_stream_wait_stream, other_, stream_);
    hold(other_, scratch);
    use(buffer);
    buffer.reset();
    expect_unharmed(other_);
  }

  Code code_;
  Kernel gated_, add_;
  Buffer gate_;
  Stream other_;
};

TEST_F(BufferUses, ALaunchOnAnotherStream) {
  release_under([&](cucore_buffer* buffer) { launch_gated(other_, buffer, 7); });
}

TEST_F(BufferUses, AFillOnAnotherStream) {
  release_under([&](cucore_buffer* buffer) {
    SUCCEEDS(cucore_buffer_fill, buffer, 0, BYTES, "x", 1, other_);
  });
}

TEST_F(BufferUses, ACopyFromAndToOnAnotherStream) {
  const Buffer outside = make_buffer(device_, BYTES, other_);
  release_under([&](cucore_buffer* buffer) {
    SUCCEEDS(cucore_buffer_copy, outside, 0, buffer, 0, BYTES, other_);
    SUCCEEDS(cucore_buffer_copy, buffer, 0, outside, 0, BYTES, other_);
  });
}

TEST_F(BufferUses, ByItsAddressRecordedByHand) {
  release_under([&](cucore_buffer* buffer) {
    const uint64_t address = cucore_buffer_address(buffer), none = 0;
    const uint32_t n = WORDS, value = 9;
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(n),
                                         CUCORE_ARGUMENT(value), CUCORE_ARGUMENT(none)};
    const cucore_launch_options options = grid(1, 128);
    SUCCEEDS(cucore_kernel_launch, gated_, other_, &options, arguments, 4);
    SUCCEEDS(cucore_buffer_record_use, buffer, other_);
  });
}

TEST_F(BufferUses, ByTheStreamThatFreedItBefore) {
  const Stream third = make_stream(device_);
  Buffer buffer = make_words();
  launch_gated(stream_, buffer, 1, gate_);
  SUCCEEDS(cucore_buffer_set_stream, buffer, third);
  buffer.reset();
  const Buffer later = make_buffer(device_, BYTES, third);
  SUCCEEDS(cucore_buffer_fill, later, 0, BYTES, "y", 1, third);
  SUCCEEDS(cucore_stream_synchronize, third);
  open_gate();
  SUCCEEDS(cucore_device_synchronize, device_);
  std::string bytes(BYTES, ' ');
  SUCCEEDS(cucore_buffer_read, later, 0, bytes.data(), BYTES, third);
  EXPECT_EQ(bytes, std::string(BYTES, 'y'));
}

TEST_F(BufferUses, OnAStreamThatIsReleasedFirst) {
  const Buffer scratch = make_buffer(device_, 256, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  Buffer buffer = make_words();
  Stream gone = make_stream(device_);
  hold(gone, scratch);
  launch_gated(gone, buffer, 3);
  gone.reset();
  buffer.reset();
  expect_unharmed(nullptr);
}

// The owner destroys the native stream before the buffer's release.
TEST_F(BufferUses, OnABorrowedStreamThatIsDestroyedFirst) {
  const Buffer scratch = make_buffer(device_, 256, stream_);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  Buffer buffer = make_words();
  {
    const Stream maker = make_stream(device_);
    Stream borrowed;
    SUCCEEDS(cucore_stream_from_native, device_, cucore_stream_native(maker), borrowed.out());
    hold(borrowed, scratch);
    for (uint32_t i = 0; i < 3; ++i) launch_gated(borrowed, buffer, i);
  }
  buffer.reset();
  expect_unharmed(nullptr);
}

TEST_F(BufferUses, OnTheDefaultStreams) {
  for (const cucore_default_stream kind :
       {CUCORE_DEFAULT_STREAM_PER_THREAD, CUCORE_DEFAULT_STREAM_LEGACY}) {
    SCOPED_TRACE(kind);
    close_gate();
    const Buffer scratch = make_buffer(device_, 256, stream_);
    SUCCEEDS(cucore_stream_synchronize, stream_);
    Buffer buffer = make_words();
    SUCCEEDS(cucore_stream_synchronize, stream_);
    std::thread([&] {
      Stream stream;
      MUST(cucore_device_default_stream, device_, kind, stream.out());
      hold(stream, scratch);
      launch_gated(stream, buffer, 5);
    }).join();
    buffer.reset();
    expect_unharmed(nullptr);
  }
}

// Each thread has its own default stream, and the buffer keeps an event for each. The threads stay
// until the gate is open, because a thread waits for its default stream at its end.
TEST_F(BufferUses, OnThePerThreadStreamsOfManyThreads) {
  // Streams share eight hardware queues by default, so one held stream may hold others back.
  constexpr uint32_t THREADS = 12, HELD = 4;
  const Buffer scratch = make_buffer(device_, 256, stream_);
  Buffer buffer = make_words();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  std::atomic<int> wrong{0};
  std::atomic<uint32_t> busy{THREADS}, launching{THREADS};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < THREADS; ++i)
    threads.emplace_back([&, i] {
      Stream own;
      MUST(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_PER_THREAD, own.out());
      Buffer shared(cucore_buffer_retain(buffer));
      for (uint32_t turn = 0; turn < 4; ++turn) {
        Buffer mine = make_buffer(device_, BYTES, own);
        launch_gated(own, mine, i);
        launch_gated(own, shared, turn);
        mine.reset();
        std::vector<uint32_t> words(4);
        const Buffer next = make_buffer(device_, 16, own);
        launch_gated(own, next, i + turn);
        MUST(cucore_buffer_read, next, 0, words.data(), 16, own);
        wrong += words != std::vector<uint32_t>(4, i + turn);
      }
      // The legacy stream, on which the buffers are freed, waits for a held stream.
      for (--busy; busy != 0;) std::this_thread::yield();
      if (i < HELD) hold(own, scratch);
      launch_gated(own, shared, i);
      shared.reset();
      for (--launching; !is_over;) std::this_thread::yield();
    });
  while (launching != 0) std::this_thread::yield();
  EXPECT_EQ(wrong, 0);
  buffer.reset();
  expect_unharmed(nullptr);
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

// The former stream has no mark, because each thread may have another one behind it.
TEST_F(BufferUses, ByTheDefaultStreamThatFreedItBefore) {
  for (const cucore_default_stream kind :
       {CUCORE_DEFAULT_STREAM_PER_THREAD, CUCORE_DEFAULT_STREAM_LEGACY}) {
    SCOPED_TRACE(kind);
    close_gate();
    Stream before;
    SUCCEEDS(cucore_device_default_stream, device_, kind, before.out());
    Buffer buffer = make_buffer(device_, BYTES, before);
    launch_gated(before, buffer, 1, gate_);
    SUCCEEDS(cucore_buffer_set_stream, buffer, stream_);
    buffer.reset();
    expect_unharmed(nullptr);
    buffer = make_words();
    SUCCEEDS(cucore_stream_synchronize, stream_);
    SUCCEEDS(cucore_buffer_set_stream, buffer, before);
    launch_gated(before, buffer, 2);
    buffer.reset();
    SUCCEEDS(cucore_device_synchronize, device_);
  }
}

// A copy to another device, on a held stream of that device.
TEST_F(BufferUses, ACopyToAnotherDevice) {
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const Buffer scratch = make_buffer(second, 256, there),
               copied = make_buffer(second, BYTES, there);
  launch_gated(there, scratch, 1);
  SUCCEEDS(cucore_stream_synchronize, there);
  Buffer buffer = make_words();
  const uint32_t pattern = 0x600dda7a;
  SUCCEEDS(cucore_buffer_fill, buffer, 0, BYTES, &pattern, 4, stream_);
  SUCCEEDS(cucore_stream_wait_stream, there, stream_);
  hold(there, scratch);
  SUCCEEDS(cucore_buffer_copy, copied, 0, buffer, 0, BYTES, there);
  buffer.reset();
  expect_unharmed(there);
  std::vector<uint32_t> words(WORDS);
  SUCCEEDS(cucore_buffer_read, copied, 0, words.data(), BYTES, there);
  EXPECT_EQ(std::count(words.begin(), words.end(), pattern), WORDS);
}

// Neither host memory nor managed memory has a stream of its own.
TEST_F(BufferUses, OfHostAndManagedMemory) {
  for (const bool managed : {false, true}) {
    SCOPED_TRACE(managed);
    close_gate();
    Buffer buffer;
    const auto create = managed ? cucore_buffer_create_managed : cucore_buffer_create_pinned;
    SUCCEEDS(create, device_, BYTES, buffer.out());
    launch_gated(other_, buffer, 6, gate_);
    const auto begin = Clock::now();
    buffer.reset();
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(500)) << "the release waited";
    expect_unharmed(other_);
  }
}

// A release of a buffer never makes a stream of the program wait.
TEST_F(BufferUses, HoldUpNoStream) {
  const Buffer scratch = make_buffer(device_, 256, other_);
  hold(other_, scratch);
  for (int i = 0; i < 50; ++i) {
    const Buffer buffer = make_words();
    launch_gated(other_, buffer, 1);
  }
  expect_unharmed(other_);
}

TEST_F(BufferUses, AreGivenToALaunchAsObjects) {
  const uint32_t n = 4, value = 77;
  const uint64_t none = 0;
  const cucore_launch_options options = grid(1, 32);
  const Buffer buffer = make_buffer(device_, 16, stream_);
  const auto launch = [&](cucore_argument x, cucore_argument count, cucore_error** error) {
    const cucore_argument arguments[] = {x, count, CUCORE_ARGUMENT(value), CUCORE_ARGUMENT(none)};
    return cucore_kernel_launch(gated_, stream_, &options, arguments, 4, error);
  };
  SUCCEEDS(launch, object(buffer), CUCORE_ARGUMENT(n));
  uint32_t words[4] = {};
  SUCCEEDS(cucore_buffer_read, buffer, 0, words, 16, stream_);
  EXPECT_EQ(words[3], value);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 1|is a buffer|has 4 bytes (integer)", launch,
        object(buffer), object(buffer));
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0|NULL", launch, object(nullptr),
        CUCORE_ARGUMENT(n));
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "argument 0|released", launch,
        cucore_argument{stream_.get(), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(n));
  Buffer gone = make_words();
  const cucore_argument dead = object(gone);
  gone.reset();
  FAILS(CUCORE_ERROR_INVALID_HANDLE, "argument 0|released", launch, dead, CUCORE_ARGUMENT(n));
}

// A capture in the strictest mode succeeds, whatever is released during it.
TEST_F(BufferUses, LeaveACaptureAlone) {
  const NativeGraphs graphs;
  if (!graphs || is_emulated()) GTEST_SKIP() << "needs a driver that captures streams";
  for (cucore_stream* captured : {other_.get(), stream_.get()}) {
    (void)cucore_stream_native(captured);
    Buffer before = make_words(), pinned;
    MUST(cucore_buffer_create_pinned, device_, BYTES, pinned.out());
    launch_gated(other_, before, 1);
    launch_gated(other_, pinned, 1);
    MUST(cucore_device_synchronize, device_);
    ASSERT_EQ(graphs.begin(captured), CUDA_SUCCESS);
    Buffer within = make_buffer(device_, BYTES, captured == other_.get() ? stream_ : other_);
    launch_gated(captured, within, 2);
    before.reset();
    pinned.reset();
    within.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CUgraph graph = nullptr;
    EXPECT_EQ(graphs.end(captured, graph), CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    EXPECT_EQ(graphs.instantiate(exec, graph), CUDA_SUCCESS);
    EXPECT_EQ(graphs.launch(exec, captured), CUDA_SUCCESS);
    SUCCEEDS(cucore_device_synchronize, device_);
    graphs.destroy(graph, exec);
  }
}

TEST_F(BufferUses, AreNoNumbers) {
  const Code code =
      compile(make_program("__global__ void twice(double a, double *out) { *out = 2 * a; }"),
              CUCORE_CODE_TYPE_PTX, {"twice"});
  const Kernel twice = find_kernel(code, "twice");
  const Buffer buffer = make_buffer(device_, 16, stream_);
  const cucore_argument arguments[] = {object(buffer), object(buffer)};
  const cucore_launch_options options = grid(1, 1);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0 of kernel twice is a buffer|8 bytes (float)",
        cucore_kernel_launch, twice, stream_, &options, arguments, 2);
}

TEST_F(BufferUses, OfAnotherDeviceAreRefused) {
  int32_t devices = 0;
  MUST(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const Buffer buffer = make_buffer(second, 16, there);
  const uint32_t n = 4;
  const uint64_t none = 0;
  const cucore_argument arguments[] = {object(buffer), CUCORE_ARGUMENT(n), CUCORE_ARGUMENT(n),
                                       CUCORE_ARGUMENT(none)};
  const cucore_launch_options options = grid(1, 32);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "argument 0|device 1|device 0", cucore_kernel_launch, gated_,
        stream_, &options, arguments, 4);
}

// More than the launch can hold without an allocation.
TEST_F(BufferUses, AsManyArguments) {
  constexpr size_t COUNT = 40;
  std::string source = "extern \"C\" __global__ void many(";
  for (size_t i = 0; i < COUNT; ++i)
    source += (i ? ", " : "") + std::string("unsigned *p") + std::to_string(i);
  source += ") {";
  for (size_t i = 0; i < COUNT; ++i)
    source += " *p" + std::to_string(i) + " = " + std::to_string(i + 100) + ";";
  const Code code = compile(make_program(source + " }"));
  const Kernel many = find_kernel(code, "many");
  std::vector<Buffer> buffers;
  std::vector<cucore_argument> arguments;
  for (size_t i = 0; i < COUNT; ++i) buffers.push_back(make_buffer(device_, 4, stream_));
  for (const Buffer& buffer : buffers) arguments.push_back(object(buffer));
  SUCCEEDS(cucore_stream_wait_stream, other_, stream_);
  const cucore_launch_options options = grid(1, 1);
  SUCCEEDS(cucore_kernel_launch, many, other_, &options, arguments.data(), COUNT);
  for (size_t i = 0; i < COUNT; ++i) {
    uint32_t word = 0;
    SUCCEEDS(cucore_buffer_read, buffers[i], 0, &word, 4, other_);
    EXPECT_EQ(word, i + 100);
  }
}

// The launch either keeps the buffer or fails.
TEST_F(BufferUses, ByLaunchesWhileOtherThreadsReleaseThem) {
  constexpr int SLOTS = 4, THREADS = 4, ROUNDS = 3000;
  std::atomic<cucore_buffer*> slots[SLOTS] = {};
  std::atomic<bool> over{false};
  std::atomic<uint64_t> launched{0}, refused{0}, wrong{0};
  std::thread closer([&] {
    for (int i = 0; i < ROUNDS; ++i) {
      cucore_buffer* fresh = make_buffer(device_, 4096, stream_).release();
      cucore_buffer_release(slots[i % SLOTS].exchange(fresh));
    }
    over = true;
  });
  std::vector<std::thread> launchers;
  for (int t = 0; t < THREADS; ++t)
    launchers.emplace_back([&, t] {
      const Stream mine = make_stream(device_);
      const uint32_t n = 1024, turns = 1;
      const cucore_launch_options options = grid(1, 64);
      for (int i = t; !over; ++i) {
        const cucore_buffer* buffer = slots[i % SLOTS];
        if (!buffer) continue;
        const cucore_argument arguments[] = {object(buffer), CUCORE_ARGUMENT(n),
                                             CUCORE_ARGUMENT(turns)};
        const cucore_status status =
            cucore_kernel_launch(add_, mine, &options, arguments, 3, nullptr);
        ++(status == CUCORE_OK                     ? launched
           : status == CUCORE_ERROR_INVALID_HANDLE ? refused
                                                   : wrong);
        if (i % 64 == 0) MUST(cucore_stream_synchronize, mine);
      }
    });
  closer.join();
  for (std::thread& launcher : launchers) launcher.join();
  for (auto& slot : slots) cucore_buffer_release(slot);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(launched, 0u);
  SUCCEEDS(cucore_device_synchronize, device_);
}

}  // namespace
}  // namespace gpu_test
