// SPDX-License-Identifier: Apache-2.0
// Observers: what they learn of each kind of operation, and the limits of their lives.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "capi_testing.hpp"
#include "completion_testing.hpp"

namespace {

using namespace capi_test;

// A copy of what an observer received. Handles are compared only.
struct Seen {
  cucore_operation operation;
  bool is_end;
  std::thread::id thread;
};

// Records the operations of an observer.
class Recorder {
 public:
  explicit Recorder(uint32_t kinds = 0) {
    cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
    options.kinds = kinds;
    options.begin = [](const cucore_operation* operation, void** state, void* data) {
      EXPECT_EQ(*state, nullptr);
      *state = reinterpret_cast<void*>(static_cast<uintptr_t>(operation->sequence));
      static_cast<Recorder*>(data)->add(*operation, false);
    };
    options.end = [](const cucore_operation* operation, void** state, void* data) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(*state), operation->sequence);
      static_cast<Recorder*>(data)->add(*operation, true);
    };
    options.user_data = this;
    options.destroy = [](void* data) { ++static_cast<Recorder*>(data)->destroyed; };
    MUST(cucore_observer_create, &options, observer.out());
  }

  // The pair of the only operation so far, which the call removes.
  std::pair<cucore_operation, cucore_operation> take() {
    const std::lock_guard lock(mutex);
    if (seen.size() != 2 || seen[0].is_end || !seen[1].is_end)
      throw std::runtime_error(std::to_string(seen.size()) +
                               " calls instead of a begin and an end");
    EXPECT_EQ(seen[0].operation.sequence, seen[1].operation.sequence);
    EXPECT_EQ(seen[0].operation.kind, seen[1].operation.kind);
    EXPECT_EQ(seen[0].thread, std::this_thread::get_id());
    EXPECT_EQ(seen[1].thread, std::this_thread::get_id());
    EXPECT_EQ(seen[0].operation.struct_size, sizeof(cucore_operation));
    EXPECT_EQ(seen[0].operation.status, CUCORE_OK);
    const auto pair = std::make_pair(seen[0].operation, seen[1].operation);
    seen.clear();
    return pair;
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return seen.size();
  }

  std::vector<Seen> seen;
  std::mutex mutex;
  std::atomic<int> destroyed{0};
  cucore::Observer observer;  // ends first

 private:
  void add(const cucore_operation& operation, bool is_end) {
    const std::lock_guard lock(mutex);
    seen.push_back({operation, is_end, std::this_thread::get_id()});
  }
};

class Observers : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    code_ = make_ptx_code();
    empty_ = find_kernel(code_, "empty");
    saxpy_ = find_kernel(code_, "saxpy");
    buffer_ = make_buffer(device_, 16, stream_);
  }
  void TearDown() override {
    buffer_.reset();
    saxpy_.reset();
    empty_.reset();
    code_.reset();
    OnDevice::TearDown();
  }
  cucore_status launch_empty() const {
    const cucore_launch_options options = grid(1, 1);
    return cucore_kernel_launch(empty_, stream_, &options, nullptr, 0, nullptr);
  }

  Code code_;
  Kernel empty_, saxpy_;
  Buffer buffer_;
};

TEST_F(Observers, LearnTheArgumentsAndOptionsOfALaunch) {
  cucore_launch_options options = grid(3, 64);
  options.bytes_read = 100;
  options.bytes_written = 50;
  options.operations = 7;
  struct Read {
    cucore_launch_options options{};
    size_t count = 0;
    float a = 0;
    const void* object = nullptr;
    uint32_t n = 0;
  } read;
  cucore_observer_options observer = CUCORE_OBSERVER_OPTIONS_INIT;
  observer.begin = [](const cucore_operation* operation, void**, void* data) {
    Read& into = *static_cast<Read*>(data);
    into.options = *operation->launch;
    into.count = operation->argument_count;
    std::memcpy(&into.a, operation->arguments[0].data, 4);
    into.object = operation->arguments[1].data;
    EXPECT_EQ(operation->arguments[1].size, CUCORE_ARGUMENT_OBJECT);
    std::memcpy(&into.n, operation->arguments[3].data, 4);
  };
  observer.user_data = &read;
  cucore::Observer first;
  SUCCEEDS(cucore_observer_create, &observer, first.out());
  Recorder recorder;
  const float a = 2;
  const uint32_t n = 4;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                       {buffer_.get(), CUCORE_ARGUMENT_OBJECT},
                                       {buffer_.get(), CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  SUCCEEDS(cucore_kernel_launch, saxpy_, stream_, &options, arguments, 4);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_LAUNCH);
  EXPECT_EQ(begin.device, device_.get());
  EXPECT_EQ(begin.stream, stream_.get());
  EXPECT_EQ(begin.kernel, saxpy_.get());
  EXPECT_EQ(begin.captured, 0);
  EXPECT_EQ(begin.packed, nullptr);
  EXPECT_EQ(begin.program, nullptr);
  EXPECT_EQ(begin.code, nullptr);
  EXPECT_EQ(begin.graph, nullptr);
  EXPECT_EQ(end.status, CUCORE_OK);
  EXPECT_EQ(read.options.grid[0], 3u);
  EXPECT_EQ(read.options.block[0], 64u);
  EXPECT_EQ(read.options.bytes_read, 100u);
  EXPECT_EQ(read.options.bytes_written, 50u);
  EXPECT_EQ(read.options.operations, 7u);
  EXPECT_EQ(read.count, 4u);
  EXPECT_EQ(read.a, 2);
  EXPECT_EQ(read.object, buffer_.get());
  EXPECT_EQ(read.n, 4u);
}

TEST_F(Observers, GetNoHintsOfCallersWithAnOlderHeader) {
  cucore_launch_options options = grid(1, 1);
  options.struct_size = offsetof(cucore_launch_options, bytes_read);
  options.bytes_read = options.bytes_written = options.operations = 5;  // behind the struct
  cucore_launch_options seen = grid(1, 1);
  cucore_observer_options observer = CUCORE_OBSERVER_OPTIONS_INIT;
  observer.begin = [](const cucore_operation* operation, void**, void* data) {
    *static_cast<cucore_launch_options*>(data) = *operation->launch;
  };
  observer.user_data = &seen;
  Observer first;
  SUCCEEDS(cucore_observer_create, &observer, first.out());
  SUCCEEDS(cucore_kernel_launch, empty_, stream_, &options, nullptr, 0);
  EXPECT_EQ(seen.struct_size, sizeof seen);
  EXPECT_EQ(seen.bytes_read, 0u);
  EXPECT_EQ(seen.bytes_written, 0u);
  EXPECT_EQ(seen.operations, 0u);
}

TEST_F(Observers, LearnThePackedArgumentsOfALaunch) {
  struct {
    float a;
    uint64_t x, y;
    uint32_t n;
  } packed = {1, cucore_buffer_address(buffer_), cucore_buffer_address(buffer_), 4};
  Recorder recorder;
  const cucore_launch_options options = grid(1, 32);
  SUCCEEDS(cucore_kernel_launch_packed, saxpy_, stream_, &options, &packed, sizeof packed);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_LAUNCH);
  EXPECT_EQ(begin.packed, &packed);
  EXPECT_EQ(begin.packed_size, sizeof packed);
  EXPECT_EQ(begin.arguments, nullptr);
  EXPECT_EQ(begin.argument_count, 0u);
  EXPECT_EQ(begin.kernel, saxpy_.get());
}

TEST_F(Observers, LearnTheArgumentsOfAPreparedLaunch) {
  const float a = 2;
  const uint32_t n = 4;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a),
                                       {buffer_.get(), CUCORE_ARGUMENT_OBJECT},
                                       {buffer_.get(), CUCORE_ARGUMENT_OBJECT},
                                       CUCORE_ARGUMENT(n)};
  cucore_launch_options options = grid(2, 32);
  options.bytes_read = 9;
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, saxpy_, stream_, &options, arguments, 4, prepared.out());
  const float other = 5;
  const cucore_argument update = CUCORE_ARGUMENT(other);
  SUCCEEDS(cucore_prepared_launch_update, prepared, 0, &update);
  struct Read {
    float a = 0;
    uint64_t x = 0;
    size_t size = 0, count = 0;
    cucore_launch_options options{};
  } read;
  cucore_observer_options observer = CUCORE_OBSERVER_OPTIONS_INIT;
  observer.end = [](const cucore_operation* operation, void**, void* data) {
    Read& into = *static_cast<Read*>(data);
    std::memcpy(&into.a, operation->arguments[0].data, 4);
    std::memcpy(&into.x, operation->arguments[1].data, 8);
    into.size = operation->arguments[1].size;
    into.count = operation->argument_count;
    into.options = *operation->launch;
  };
  observer.user_data = &read;
  cucore::Observer first;
  SUCCEEDS(cucore_observer_create, &observer, first.out());
  Recorder recorder;
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kernel, saxpy_.get());
  EXPECT_EQ(begin.stream, stream_.get());
  EXPECT_EQ(read.a, 5);
  EXPECT_EQ(read.x, cucore_buffer_address(buffer_));
  EXPECT_EQ(read.size, 8u);
  EXPECT_EQ(read.count, 4u);
  EXPECT_EQ(read.options.grid[0], 2u);
  EXPECT_EQ(read.options.bytes_read, 9u);
}

TEST_F(Observers, GetNoPointersOfPreparedOptions) {
  int32_t window_size = 0;
  SUCCEEDS(cucore_device_attribute, device_, static_cast<cucore_device_attribute_name>(109),
           &window_size);  // CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE
  if (window_size == 0) GTEST_SKIP() << "the device has no access windows";
  const cucore_launch_attribute attribute = {1, 0, {}};
  cucore_launch_options options = grid(1, 1);
  options.attributes = &attribute;
  options.attribute_count = 0;
  PreparedLaunch prepared;
  SUCCEEDS(cucore_prepared_launch_create, empty_, stream_, &options, nullptr, 0, prepared.out());
  bool is_null = false;
  cucore_observer_options observer = CUCORE_OBSERVER_OPTIONS_INIT;
  observer.begin = [](const cucore_operation* operation, void**, void* data) {
    *static_cast<bool*>(data) = !operation->launch->attributes && !operation->launch->access_window;
  };
  observer.user_data = &is_null;
  cucore::Observer first;
  SUCCEEDS(cucore_observer_create, &observer, first.out());
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  EXPECT_TRUE(is_null);
}

TEST_F(Observers, LearnOfMovedBytes) {
  const Buffer other = make_buffer(device_, 16, stream_);
  const uint64_t address = cucore_buffer_address(buffer_);
  char bytes[8] = {};
  Recorder recorder;
  const auto expect = [&](cucore_operation_kind kind, uint64_t at, size_t size) {
    const auto [begin, end] = recorder.take();
    EXPECT_EQ(begin.kind, kind);
    EXPECT_EQ(begin.address, at);
    EXPECT_EQ(begin.size, size);
    EXPECT_EQ(begin.stream, stream_.get());
    EXPECT_EQ(begin.device, device_.get());
    EXPECT_EQ(end.status, CUCORE_OK);
  };
  SUCCEEDS(cucore_buffer_write, buffer_, 4, bytes, 8, stream_);
  expect(CUCORE_OPERATION_WRITE, address + 4, 8);
  SUCCEEDS(cucore_buffer_read, buffer_, 8, bytes, 6, stream_);
  expect(CUCORE_OPERATION_READ, address + 8, 6);
  SUCCEEDS(cucore_buffer_copy, buffer_, 1, other, 2, 10, stream_);
  expect(CUCORE_OPERATION_COPY, address + 1, 10);
  SUCCEEDS(cucore_buffer_fill, buffer_, 4, 12, bytes, 4, stream_);
  expect(CUCORE_OPERATION_FILL, address + 4, 12);
}

TEST_F(Observers, LearnOfMemory) {
  Recorder recorder(CUCORE_OPERATION_ALLOCATE | CUCORE_OPERATION_FREE);
  const auto check = [&](Buffer buffer, size_t size, const cucore_stream* stream) {
    const uint64_t address = cucore_buffer_address(buffer);
    const auto [begin, end] = recorder.take();
    EXPECT_EQ(begin.kind, CUCORE_OPERATION_ALLOCATE);
    EXPECT_EQ(begin.device, device_.get());
    EXPECT_EQ(begin.stream, stream);
    EXPECT_EQ(begin.size, size);
    EXPECT_EQ(begin.address, 0u);
    EXPECT_EQ(end.address, address);
    Buffer again(cucore_buffer_retain(buffer));
    buffer.reset();
    EXPECT_EQ(recorder.count(), 0u) << "a reference is left";
    again.reset();
    const auto [first, last] = recorder.take();
    EXPECT_EQ(first.kind, CUCORE_OPERATION_FREE);
    EXPECT_EQ(first.device, device_.get());
    EXPECT_EQ(first.address, address);
    EXPECT_EQ(first.size, size);
  };
  check(make_buffer(device_, 48, stream_), 48, stream_);
  Buffer pinned;
  SUCCEEDS(cucore_buffer_create_pinned, device_, 24, pinned.out());
  check(std::move(pinned), 24, nullptr);
  Buffer managed;
  if (cucore_buffer_create_managed(device_, 24, managed.out(), nullptr) == CUCORE_OK)
    check(std::move(managed), 24, nullptr);
  else
    recorder.take();
  Pool pool;
  if (cucore_pool_create(device_, nullptr, pool.out(), nullptr) != CUCORE_OK) return;
  Buffer pooled;
  SUCCEEDS(cucore_buffer_from_pool, pool, 32, stream_, pooled.out());
  check(std::move(pooled), 32, stream_);
  uint64_t address = 0;
  SUCCEEDS(cucore_pool_allocate, pool, 40, stream_, &address);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_ALLOCATE);
  EXPECT_EQ(begin.size, 40u);
  EXPECT_EQ(end.address, address);
  SUCCEEDS(cucore_pool_free, pool, address, 40, stream_);
  const auto [first, last] = recorder.take();
  EXPECT_EQ(first.kind, CUCORE_OPERATION_FREE);
  EXPECT_EQ(first.address, address);
  EXPECT_EQ(first.size, 40u);
}

TEST_F(Observers, TakeMemoryOfOthersForNoAllocation) {
  Recorder recorder(CUCORE_OPERATION_ALLOCATE | CUCORE_OPERATION_FREE);
  Buffer borrowed;
  SUCCEEDS(cucore_buffer_from_native, device_, cucore_buffer_address(buffer_), 16, borrowed.out());
  borrowed.reset();
  EXPECT_EQ(recorder.count(), 0u);
}

TEST_F(Observers, LearnOfGraphLaunches) {
  const Graph graph = make_graph(device_);
  const Executable executable = make_executable(graph);
  Recorder recorder(CUCORE_OPERATION_GRAPH_LAUNCH);
  SUCCEEDS(cucore_executable_launch, executable, stream_);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_GRAPH_LAUNCH);
  EXPECT_EQ(begin.graph, executable.get());
  EXPECT_EQ(begin.stream, stream_.get());
  EXPECT_EQ(begin.device, device_.get());
}

TEST_F(Observers, LearnOfCompilesAndLoads) {
  NEEDS_COMPILER();
  const Program program = make_program("extern \"C\" __global__ void observed() {}");
  Recorder recorder(CUCORE_OPERATION_COMPILE | CUCORE_OPERATION_LOAD);
  Code code = compile(program);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_COMPILE);
  EXPECT_EQ(begin.program, program.get());
  EXPECT_EQ(begin.code, nullptr);
  EXPECT_EQ(end.code, code.get());
  const Kernel kernel = find_kernel(code, "observed");
  const auto [loads, loaded] = recorder.take();
  EXPECT_EQ(loads.kind, CUCORE_OPERATION_LOAD);
  EXPECT_EQ(loads.code, code.get());
  EXPECT_EQ(loads.device, device_.get());
  find_kernel(code, "observed");
  EXPECT_EQ(recorder.count(), 0u) << "the code is loaded";
}

TEST_F(Observers, LearnOfCachedCompiles) {
  NEEDS_COMPILER();
  const Program program = make_program("extern \"C\" __global__ void cached() {}");
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  options.directory = "";
  Cache cache;
  SUCCEEDS(cucore_cache_open, &options, cache.out());
  Recorder recorder(CUCORE_OPERATION_COMPILE);
  for (int round = 0; round < 2; ++round) {
    Code code;
    SUCCEEDS(cucore_cache_compile, cache, program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(),
             nullptr);
    const auto [begin, end] = recorder.take();
    EXPECT_EQ(begin.program, program.get());
    EXPECT_EQ(end.code, code.get());
  }
}

TEST_F(Observers, LearnOfBatchesAsAWhole) {
  NEEDS_FAKE_COMPILER();  // whose tests have the program of the workers
  const Program program = make_program("extern \"C\" __global__ void many() {}");
  Recorder recorder(CUCORE_OPERATION_COMPILE);
  cucore_batch_item items[2] = {};
  for (cucore_batch_item& item : items) {
    item.program = program;
    item.target = CUCORE_CODE_TYPE_PTX;
  }
  cucore_objectcode* codes[2] = {};
  SUCCEEDS(cucore_program_compile_batch, items, 2, nullptr, codes, nullptr);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_COMPILE);
  EXPECT_EQ(begin.program, nullptr);
  EXPECT_EQ(begin.size, 2u);
  for (cucore_objectcode* code : codes) cucore_objectcode_release(code);
}

TEST_F(Observers, LearnOfLinks) {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  Linker linker;
  SUCCEEDS(cucore_linker_create, &options, linker.out());
  SUCCEEDS(cucore_linker_add, linker, code_);
  Recorder recorder(CUCORE_OPERATION_LINK);
  Code linked;
  const cucore_status status =
      cucore_linker_link(linker, CUCORE_CODE_TYPE_CUBIN, linked.out(), nullptr);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.kind, CUCORE_OPERATION_LINK);
  EXPECT_EQ(end.status, status);
  EXPECT_EQ(end.code, linked.get());
}

TEST_F(Observers, LearnOfWaits) {
  const Event event = make_event(device_);
  SUCCEEDS(cucore_event_record, event, stream_);
  const Queue queue = make_queue();
  const Future future = make_future(stream_, queue, 1);
  Recorder recorder(CUCORE_OPERATION_SYNCHRONIZE);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  EXPECT_EQ(recorder.take().first.stream, stream_.get());
  SUCCEEDS(cucore_event_synchronize, event);
  EXPECT_EQ(recorder.take().first.device, device_.get());
  SUCCEEDS(cucore_device_synchronize, device_);
  EXPECT_EQ(recorder.take().first.device, device_.get());
  SUCCEEDS(cucore_future_wait, future, TEN_SECONDS);
  EXPECT_EQ(recorder.take().first.kind, CUCORE_OPERATION_SYNCHRONIZE);
}

TEST_F(Observers, LearnTheStatusOfAFailure) {
  Recorder recorder;
  const cucore_launch_options options = grid(1, 1);
  FAILS_ONCE(CUCORE_ERROR_INVALID_ARGUMENT, "takes 4 arguments", cucore_kernel_launch, saxpy_,
             stream_, &options, nullptr, 0);
  const auto [begin, end] = recorder.take();
  EXPECT_EQ(begin.status, CUCORE_OK);
  EXPECT_EQ(end.status, CUCORE_ERROR_INVALID_ARGUMENT);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "kernel", cucore_kernel_launch, nullptr, stream_, &options,
        nullptr, 0);
  EXPECT_EQ(recorder.count(), 0u) << "a wrong handle is not an operation";
}

TEST_F(Observers, LearnThatWorkIsCaptured) {
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  {
    Recorder recorder;
    EXPECT_EQ(launch_empty(), CUCORE_OK);
    EXPECT_EQ(recorder.take().first.captured, 1);
    const uint32_t value = 1;
    SUCCEEDS(cucore_buffer_fill, buffer_, 0, 4, &value, 4, stream_);
    EXPECT_EQ(recorder.take().first.captured, 1);
  }
  Graph graph;
  SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
  Recorder recorder;
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(recorder.take().first.captured, 0);
}

TEST_F(Observers, LeaveALaunchOneDriverCall) {
  NEEDS_FAKE_DRIVER();
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  Recorder recorder;
  fake_->reset();
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuLaunchKernelEx"});
}

TEST_F(Observers, ObserveTheirKindsOnly) {
  Recorder launches(CUCORE_OPERATION_LAUNCH), others(CUCORE_OPERATION_COPY | CUCORE_OPERATION_FREE);
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(launches.count(), 2u);
  EXPECT_EQ(others.count(), 0u);
}

// Calls of the library in begin and end are not observed, and may fail.
TEST_F(Observers, MayCallTheLibrary) {
  struct Caller {
    Device device;
    Stream stream;
    int calls = 0;
  } caller{device_, stream_};
  const auto act = [](const cucore_operation*, void**, void* data) {
    Caller& self = *static_cast<Caller*>(data);
    ++self.calls;
    make_buffer(self.device, 8, self.stream);
    EXPECT_EQ(cucore_stream_synchronize(self.stream, nullptr), CUCORE_OK);
    EXPECT_NE(cucore_device_open(99, nullptr, nullptr), CUCORE_OK);
    throw std::runtime_error("dropped");
  };
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = options.end = act;
  options.user_data = &caller;
  cucore::Observer observer;
  SUCCEEDS(cucore_observer_create, &options, observer.out());
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(caller.calls, 2);
  observer.reset();
}

TEST_F(Observers, MayKeepHandles) {
  std::vector<Kernel> kept;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    static_cast<std::vector<Kernel>*>(data)->emplace_back(cucore_kernel_retain(operation->kernel));
  };
  options.user_data = &kept;
  options.kinds = CUCORE_OPERATION_LAUNCH;
  cucore::Observer observer;
  SUCCEEDS(cucore_observer_create, &options, observer.out());
  const PreparedLaunch prepared = prepare(empty_, stream_);
  empty_.reset();
  code_.reset();
  SUCCEEDS(cucore_prepared_launch_run, prepared);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_STREQ(cucore_kernel_name(kept[0]), "empty");
}

TEST_F(Observers, BeginAndEndInTheirOrder) {
  static std::vector<int> order;
  order.clear();
  const auto make = [](auto begin, auto end) {
    cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
    options.begin = begin;
    options.end = end;
    cucore::Observer observer;
    MUST(cucore_observer_create, &options, observer.out());
    return observer;
  };
  using Operation = const cucore_operation*;
  cucore::Observer zero = make([](Operation, void**, void*) {}, nullptr);
  const cucore::Observer one = make([](Operation, void**, void*) { order.push_back(1); },
                                    [](Operation, void**, void*) { order.push_back(-1); });
  zero.reset();  // the next one gets its place, yet comes last
  const cucore::Observer two = make([](Operation, void**, void*) { order.push_back(2); },
                                    [](Operation, void**, void*) { order.push_back(-2); });
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(order, (std::vector<int>{1, 2, -2, -1}));
}

TEST_F(Observers, AreSixteenAtMost) {
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  static std::atomic<int> calls{0};
  calls = 0;
  options.end = [](const cucore_operation*, void**, void*) { ++calls; };
  std::vector<cucore::Observer> all(16);
  for (cucore::Observer& observer : all) SUCCEEDS(cucore_observer_create, &options, observer.out());
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(calls, 16);
  cucore_observer* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_STATE, "16 observers", cucore_observer_create, &options, &none);
  all[3].reset();
  SUCCEEDS(cucore_observer_create, &options, all[3].out());
}

TEST_F(Observers, RefuseWrongOptions) {
  static std::atomic<int> destroyed{0};
  destroyed = 0;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.destroy = [](void*) { ++destroyed; };
  cucore_observer* none = nullptr;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "begin|end|NULL", cucore_observer_create, &options, &none);
  options.begin = [](const cucore_operation*, void**, void*) {};
  options.kinds = 4096;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_observer_options.kinds is 4096",
        cucore_observer_create, &options, &none);
  options.kinds = 0;
  options.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "reserved", cucore_observer_create, &options, &none);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(destroyed, 0);
}

TEST_F(Observers, EndWithTheirLastReference) {
  Recorder recorder;
  cucore::Observer again = recorder.observer;
  recorder.observer.reset();
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(recorder.count(), 2u);
  EXPECT_EQ(recorder.destroyed, 0);
  again.reset();
  EXPECT_EQ(recorder.destroyed, 1);
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(recorder.count(), 2u);
}

// A thread is inside begin until the test lets it go; the release must not return before.
TEST_F(Observers, AreReleasedOnceNoCallRuns) {
  struct Gate {
    std::atomic<bool> entered{false}, opened{false}, left{false};
    std::atomic<int> ends{0};
  } gate;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation*, void**, void* data) {
    Gate& self = *static_cast<Gate*>(data);
    self.entered = true;
    while (!self.opened) std::this_thread::yield();
    self.left = true;
  };
  options.end = [](const cucore_operation*, void**, void* data) {
    ++static_cast<Gate*>(data)->ends;
  };
  options.user_data = &gate;
  options.destroy = [](void* data) { EXPECT_TRUE(static_cast<Gate*>(data)->left); };
  cucore::Observer observer;
  SUCCEEDS(cucore_observer_create, &options, observer.out());
  std::thread launching([&] { EXPECT_EQ(launch_empty(), CUCORE_OK); });
  while (!gate.entered) std::this_thread::yield();
  std::atomic<bool> released{false};
  std::thread releasing([&] {
    observer.reset();
    EXPECT_TRUE(gate.left) << "the release returned while begin ran";
    released = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(released);
  gate.opened = true;
  releasing.join();
  launching.join();
  EXPECT_EQ(gate.ends, 0) << "an operation under way gets no end";
}

TEST_F(Observers, MayReleaseThemselves) {
  struct Self {
    cucore::Observer observer;
    int begins = 0, ends = 0, destroyed = 0;
  } self;
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation*, void**, void* data) {
    ++static_cast<Self*>(data)->begins;
    static_cast<Self*>(data)->observer.reset();
    EXPECT_EQ(static_cast<Self*>(data)->destroyed, 0);
  };
  options.end = [](const cucore_operation*, void**, void* data) {
    ++static_cast<Self*>(data)->ends;
  };
  options.user_data = &self;
  options.destroy = [](void* data) { ++static_cast<Self*>(data)->destroyed; };
  SUCCEEDS(cucore_observer_create, &options, self.observer.out());
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(self.destroyed, 1);
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(self.begins, 1);
  EXPECT_EQ(self.ends, 0);
}

TEST_F(Observers, SeeEachOperationOfManyThreadsOnce) {
  Recorder recorder(CUCORE_OPERATION_LAUNCH);
  constexpr int THREADS = 4, LAUNCHES = 200;
  std::atomic<bool> stop{false};
  std::thread others([&] {
    while (!stop) Recorder brief(CUCORE_OPERATION_LAUNCH);
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < LAUNCHES; ++k) EXPECT_EQ(launch_empty(), CUCORE_OK);
    });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  others.join();
  std::map<uint64_t, int> begins, ends;
  for (const Seen& one : recorder.seen) ++(one.is_end ? ends : begins)[one.operation.sequence];
  EXPECT_EQ(begins.size(), size_t{THREADS * LAUNCHES});
  EXPECT_EQ(begins, ends);
  for (const auto& [sequence, times] : begins) EXPECT_EQ(times, 1);
}

TEST_F(Observers, AreFunctionsInCpp) {
  int begins = 0, ends = 0;
  {
    const cucore::Observer observer = cucore::Observer::create(
        cucore::observed(cucore::OperationKind::launch, cucore::OperationKind::fill),
        [&](const cucore::Operation& operation, void*& state) {
          ++begins;
          state = &begins;
          EXPECT_EQ(operation.kind, CUCORE_OPERATION_LAUNCH);
        },
        [&](const cucore::Operation&, void*& state) {
          ++ends;
          EXPECT_EQ(state, &begins);
          throw std::runtime_error("dropped");
        });
    EXPECT_EQ(launch_empty(), CUCORE_OK);
  }
  EXPECT_EQ(launch_empty(), CUCORE_OK);
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
}

}  // namespace
