// SPDX-License-Identifier: Apache-2.0
// Measures the cost of asynchronous work and the latency of its end, for each way of waiting, as
// tables in markdown. Latency begins when a polling thread reads the kernel's last word in pinned
// memory.
//   completion_bench [SAMPLES]
#include <cucore.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// Reads a word `turns` times, then writes a value to another.
constexpr char PTX[] = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry work(.param .u64 word, .param .u32 turns, .param .u32 value)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [word];
  cvta.to.global.u64 %rd1, %rd0;
  ld.param.u32 %r0, [turns];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, 0;
AGAIN:
  setp.ge.u32 %p, %r2, %r0;
  @%p bra DONE;
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r3, [%rd1+64];
  bra AGAIN;
DONE:
  membar.sys;
  st.volatile.global.u32 [%rd1], %r1;
  ret;
}
)";

// A benchmark of failing calls would measure nothing.
void must(cucore_status status, const cucore_error* error) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "completion_bench: %s\n", cucore_error_message(error));
  std::exit(2);
}
#define MUST(function, ...)                     \
  do {                                          \
    cucore_error* error = nullptr;              \
    must(function(__VA_ARGS__, &error), error); \
  } while (0)

struct World {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_kernel* kernel = nullptr;
  cucore_event *event = nullptr, *blocking = nullptr;
  cucore_buffer* pinned = nullptr;
  std::atomic<uint32_t>* word = nullptr;
  uint64_t address = 0;

  World() {
    cucore_objectcode* code = nullptr;
    MUST(cucore_device_open, 0, &device);
    MUST(cucore_stream_create, device, nullptr, &stream);
    MUST(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
    MUST(cucore_objectcode_find_kernel, code, "work", &kernel);
    cucore_objectcode_release(code);
    cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
    MUST(cucore_event_create, device, &options, &event);
    options.blocking_sync = 1;
    MUST(cucore_event_create, device, &options, &blocking);
    MUST(cucore_buffer_create_pinned, device, 4096, &pinned);
    address = cucore_buffer_address(pinned);
    word = static_cast<std::atomic<uint32_t>*>(cucore_buffer_host_pointer(pinned));
    word->store(0);
  }

  void launch(uint32_t turns, uint32_t value) const {
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(address), CUCORE_ARGUMENT(turns),
                                         CUCORE_ARGUMENT(value)};
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.block[0] = 1;
    MUST(cucore_kernel_launch, kernel, stream, &options, arguments, 3);
  }

  // Returns the number of turns that take this long.
  uint32_t turns_for(std::chrono::nanoseconds wanted) const {
    const auto time = [this](uint32_t turns) {
      const auto start = Clock::now();
      launch(turns, 0);
      MUST(cucore_stream_synchronize, stream);
      return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    };
    time(100);
    const double few = time(1000), many = time(21000);
    return static_cast<uint32_t>(static_cast<double>(wanted.count()) /
                                 std::max(1.0, (many - few) / 20000));
  }
};

cucore_queue* make_queue(int64_t spin_ns, int64_t sweep_ns) {
  cucore_queue_options options = CUCORE_QUEUE_OPTIONS_INIT;
  options.spin_ns = spin_ns;
  options.sweep_ns = sweep_ns;
  cucore_queue* queue = nullptr;
  MUST(cucore_queue_create, &options, &queue);
  return queue;
}

cucore_future* make_future(const World& world, cucore_queue* queue, uint64_t token) {
  cucore_future* future = nullptr;
  MUST(cucore_future_from_stream, world.stream, queue, token, &future);
  return future;
}

void take_one(const cucore_queue* queue, int64_t timeout) {
  cucore_completion out;
  size_t count = 0;
  while (count == 0) MUST(cucore_queue_wait, queue, timeout, &out, 1, &count);
}

// One way to receive the end: the action after the launch, and the wait of a thread.
struct Way {
  std::string name;
  std::function<void()> after_launch;
  std::function<void()> wait;
};

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

// Sorted, in microseconds.
std::vector<double> latencies(World& world, const Way& way, uint32_t turns, int samples) {
  std::atomic<int> started{0}, ended{0};
  std::vector<Clock::time_point> heard(static_cast<size_t>(samples));
  std::thread waiter([&] {
    for (int i = 0; i < samples; ++i) {
      while (started.load() <= i) std::this_thread::yield();
      way.wait();
      heard[static_cast<size_t>(i)] = Clock::now();
      ended.store(i + 1);
    }
  });
  std::vector<double> all;
  for (int i = 0; i < samples; ++i) {
    const uint32_t value = world.word->load() + 1;
    world.launch(turns, value);
    way.after_launch();
    started.store(i + 1);
    while (world.word->load(std::memory_order_relaxed) != value) {
    }
    const auto seen = Clock::now();
    while (ended.load() <= i) std::this_thread::yield();
    all.push_back(microseconds(heard[static_cast<size_t>(i)] - seen));
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // as after other work
  }
  waiter.join();
  std::sort(all.begin(), all.end());
  return all;
}

void measure_latency(World& world, std::chrono::microseconds length, int samples) {
  const uint32_t turns = world.turns_for(length);
  cucore_queue* eager = make_queue(0, 0);
  cucore_queue* lazy = make_queue(-1, 0);
  cucore_future* future = nullptr;
  uint64_t token = 0;
  const auto into = [&](cucore_queue* queue) {
    return [&, queue] { cucore_future_release(make_future(world, queue, ++token)); };
  };
  const Way ways[] = {
      {"polling `cucore_stream_query`", [] {},
       [&] {
         for (int32_t done = 0; !done;) MUST(cucore_stream_query, world.stream, &done);
       }},
      {"`cucore_stream_synchronize`", [] {},
       [&] { MUST(cucore_stream_synchronize, world.stream); }},
      {"`cucore_event_synchronize`, blocking",
       [&] { MUST(cucore_event_record, world.blocking, world.stream); },
       [&] { MUST(cucore_event_synchronize, world.blocking); }},
      {"`cucore_queue_wait`", into(eager), [&] { take_one(eager, -1); }},
      {"`cucore_queue_wait`, never spinning", into(lazy), [&] { take_one(lazy, -1); }},
      {"`poll` of the descriptor", into(eager),
       [&] {
         pollfd asked{cucore_queue_descriptor(eager), POLLIN, 0};
         poll(&asked, 1, -1);
         take_one(eager, 0);
       }},
      {"`cucore_future_wait`", [&] { future = make_future(world, eager, 0); },
       [&] {
         MUST(cucore_future_wait, future, -1);
         take_one(eager, -1);
         cucore_future_release(future);
       }}};
  std::printf("\n| after a kernel of %lld µs | median µs | 90 %% | 99 %% |\n|---|---|---|---|\n",
              static_cast<long long>(length.count()));
  for (const Way& way : ways) {
    const auto all = latencies(world, way, turns, samples);
    const auto at = [&](double part) {
      return all[static_cast<size_t>(part * static_cast<double>(all.size() - 1))];
    };
    std::printf("| %s | %.1f | %.1f | %.1f |\n", way.name.c_str(), at(0.5), at(0.9), at(0.99));
    std::fflush(stdout);
  }
  cucore_queue_release(eager);
  cucore_queue_release(lazy);
}

void measure_creation(World& world) {
  constexpr int ROUNDS = 200, EACH = 500;
  cucore_queue* queue = make_queue(0, 0);
  std::vector<cucore_future*> futures(EACH);
  std::vector<double> made, recorded;
  for (int round = 0; round < ROUNDS; ++round) {
    auto start = Clock::now();
    for (auto*& future : futures) future = make_future(world, queue, 1);
    made.push_back(microseconds(Clock::now() - start) * 1e3 / EACH);
    MUST(cucore_stream_synchronize, world.stream);
    for (auto* future : futures) cucore_future_release(future);
    for (int i = 0; i < EACH; ++i) take_one(queue, -1);
    start = Clock::now();
    for (int i = 0; i < EACH; ++i) MUST(cucore_event_record, world.event, world.stream);
    recorded.push_back(microseconds(Clock::now() - start) * 1e3 / EACH);
    MUST(cucore_stream_synchronize, world.stream);
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + ROUNDS / 2, values.end());
    return values[ROUNDS / 2];
  };
  std::printf("\n| in C, while the device is idle | ns |\n|---|---|\n");
  std::printf("| `cucore_future_from_stream` | %.0f |\n", median(made));
  std::printf("| of which `cucore_event_record` alone | %.0f |\n", median(recorded));
  cucore_queue_release(queue);
}

double through_futures(World& world, int count, int batch) {
  cucore_queue* queue = make_queue(0, 0);
  std::vector<cucore_completion> out(256);
  const auto start = Clock::now();
  for (int made = 0, taken = 0; taken < count;) {
    for (; made < count && made - taken < batch; ++made)
      cucore_future_release(make_future(world, queue, 1));
    size_t some = 0;
    MUST(cucore_queue_wait, queue, -1, out.data(), out.size(), &some);
    taken += static_cast<int>(some);
  }
  const double seconds = microseconds(Clock::now() - start) / 1e6;
  cucore_queue_release(queue);
  return count / seconds;
}

double through_synchronize(World& world, int count) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) {
    MUST(cucore_event_record, world.blocking, world.stream);
    MUST(cucore_event_synchronize, world.blocking);
  }
  return count / (microseconds(Clock::now() - start) / 1e6);
}

double through_polling(World& world, int count) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) {
    MUST(cucore_event_record, world.event, world.stream);
    for (int32_t done = 0; !done;) MUST(cucore_event_query, world.event, &done);
  }
  return count / (microseconds(Clock::now() - start) / 1e6);
}

void measure_throughput(World& world) {
  through_futures(world, 10'000, 1000);
  std::printf("\n| completions per second, made and received by one thread | |\n|---|---|\n");
  std::printf("| futures, 1000 pending | %.0f |\n", through_futures(world, 500'000, 1000));
  std::printf("| futures, one at a time | %.0f |\n", through_futures(world, 20'000, 1));
  std::printf("| polling an event | %.0f |\n", through_polling(world, 50'000));
  std::printf("| a blocking event | %.0f |\n", through_synchronize(world, 20'000));
}

void measure_cpu_use(World& world) {
  const uint32_t turns = world.turns_for(std::chrono::milliseconds(500));
  std::printf(
      "\n| CPU time of the library's thread while a kernel runs | of a core |\n|---|---|\n");
  for (const auto& [spin, sweep] :
       {std::pair<int64_t, int64_t>{0, 0}, {-1, 100'000}, {-1, 1'000'000}}) {
    cucore_queue* queue = make_queue(spin, sweep);
    cucore_queue_info before = CUCORE_QUEUE_INFO_INIT, after = CUCORE_QUEUE_INFO_INIT;
    MUST(cucore_queue_query, queue, &before);
    const auto start = Clock::now();
    world.launch(turns, 0);
    cucore_future* future = make_future(world, queue, 1);
    take_one(queue, -1);
    const double wall = microseconds(Clock::now() - start) * 1e3;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MUST(cucore_queue_query, queue, &after);
    std::printf("| polling every %lld µs | %.1f %% |\n",
                static_cast<long long>(sweep ? sweep / 1000 : 20),
                static_cast<double>(after.cpu_ns - before.cpu_ns) / wall * 100);
    cucore_future_release(future);
    cucore_queue_release(queue);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (samples < 1) return 2;
  World world;
  std::printf("%s, %u threads of the host\n", cucore_device_name(world.device),
              std::thread::hardware_concurrency());
  measure_creation(world);
  measure_latency(world, std::chrono::microseconds(20), samples);
  measure_latency(world, std::chrono::microseconds(2000), samples);
  measure_throughput(world);
  measure_cpu_use(world);
}
