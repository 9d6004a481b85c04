// SPDX-License-Identifier: Apache-2.0
// Copies between the memory of two devices: at once, captured, and as nodes.
#include <cstring>
#include <string>

#include "graph_testing.hpp"
#include "native_driver.hpp"

namespace {

using namespace capi_test;

constexpr size_t SIZE = 48;

class PeerCopies : public OnDevice {
 protected:
  enum Kind { DEVICE, PINNED, MANAGED, POOL };
  static constexpr Kind KINDS[] = {DEVICE, PINNED, MANAGED};

  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    int32_t devices = 0;
    MUST(cucore_device_count, &devices);
    if (devices < 2) GTEST_SKIP() << "needs two devices";
    second_ = open_device(1);
    there_ = make_stream(second_);
    close_default_pools();
  }
  void TearDown() override {
    there_.reset();
    second_.reset();
    OnDevice::TearDown();
  }

  // As a new process has them. A GPU keeps them open, because the driver may crash.
  void close_default_pools() const {
    if (!fake_ && !is_emulated()) return;
    const NativeDriver driver;
    decltype(&cuDeviceGetDefaultMemPool) get = nullptr;
    decltype(&cuMemPoolSetAccess) set = nullptr;
    driver.find("cuDeviceGetDefaultMemPool", get);
    driver.find("cuMemPoolSetAccess", set);
    ASSERT_TRUE(get && set);
    for (const int device : {0, 1}) {
      CUmemoryPool pool = nullptr;
      ASSERT_EQ(get(&pool, device), CUDA_SUCCESS);
      const CUmemAccessDesc none{{CU_MEM_LOCATION_TYPE_DEVICE, {1 - device}},
                                 CU_MEM_ACCESS_FLAGS_PROT_NONE};
      ASSERT_EQ(set(pool, &none, 1), CUDA_SUCCESS);
    }
  }

  // Whether the default pool of the device is open to the other one.
  bool is_default_open(int device) const {
    const NativeDriver driver;
    decltype(&cuDeviceGetDefaultMemPool) get = nullptr;
    decltype(&cuMemPoolGetAccess) get_access = nullptr;
    driver.find("cuDeviceGetDefaultMemPool", get);
    driver.find("cuMemPoolGetAccess", get_access);
    CUmemoryPool pool = nullptr;
    CUmemLocation user{CU_MEM_LOCATION_TYPE_DEVICE, {1 - device}};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    EXPECT_TRUE(get && get_access && get(&pool, device) == CUDA_SUCCESS &&
                get_access(&flags, pool, &user) == CUDA_SUCCESS);
    return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }

  const cucore_device* device_of(bool is_far) const { return is_far ? second_ : device_; }
  const cucore_stream* stream_of(bool is_far) const { return is_far ? there_ : stream_; }
  void wait() const {
    MUST(cucore_stream_synchronize, stream_);
    MUST(cucore_stream_synchronize, there_);
  }

  Buffer make(Kind kind, bool is_far) const {
    Buffer buffer;
    if (kind == DEVICE)
      MUST(cucore_buffer_create, device_of(is_far), SIZE, stream_of(is_far), buffer.out());
    if (kind == PINNED) MUST(cucore_buffer_create_pinned, device_of(is_far), SIZE, buffer.out());
    if (kind == MANAGED) MUST(cucore_buffer_create_managed, device_of(is_far), SIZE, buffer.out());
    if (kind == POOL) {  // a new one
      Pool pool;
      MUST(cucore_pool_create, device_of(is_far), nullptr, pool.out());
      MUST(cucore_buffer_from_pool, pool, SIZE, stream_of(is_far), buffer.out());
    }
    fill(buffer, is_far, '.');
    return buffer;
  }
  void fill(cucore_buffer* buffer, bool is_far, char value) const {
    MUST(cucore_buffer_fill, buffer, 0, SIZE, &value, 1, stream_of(is_far));
    wait();
  }
  std::string read(const cucore_buffer* buffer, bool is_far) const {
    std::string bytes(SIZE, '?');
    MUST(cucore_buffer_read, buffer, 0, bytes.data(), SIZE, stream_of(is_far));
    return bytes;
  }

  // A source on one device, and a destination on the other one.
  struct Pair {
    Buffer from, to;
    bool is_from_far = false;
  };
  Pair make_pair(Kind from, Kind to, bool is_from_far) const {
    Pair pair{make(from, is_from_far), make(to, !is_from_far), is_from_far};
    fill(pair.from, is_from_far, 'a');
    return pair;
  }
  void expect(const Pair& pair, char value) const {
    EXPECT_EQ(read(pair.to, !pair.is_from_far), std::string(SIZE, value));
  }

  template <class Test>
  void for_each_pair(Test&& test) const {
    for (const Kind from : KINDS)
      for (const Kind to : KINDS)
        for (const bool is_from_far : {false, true}) {
          SCOPED_TRACE(testing::Message() << "kinds " << from << " and " << to
                                          << ", from the second device: " << is_from_far);
          test(make_pair(from, to, is_from_far));
        }
  }

  static cucore_box box_in(cucore_buffer* buffer) {
    cucore_box box = CUCORE_BOX_INIT;
    box.buffer = buffer;
    box.row_bytes = SIZE / 3;
    return box;
  }
  void copy_rows(const Pair& pair, const cucore_stream* stream) const {
    const cucore_box to = box_in(pair.to), from = box_in(pair.from);
    SUCCEEDS(cucore_buffer_copy_box, &to, &from, SIZE / 3, 3, 1, stream);
  }

  void copy(const Pair& pair, bool is_box, const cucore_stream* stream) const {
    if (is_box)
      copy_rows(pair, stream);
    else
      SUCCEEDS(cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE, stream);
  }
  Graph capture(const Pair& pair, bool is_box, const cucore_stream* stream,
                cucore_capture_mode mode = CUCORE_CAPTURE_MODE_RELAXED) const {
    cucore_capture_options options = CUCORE_CAPTURE_OPTIONS_INIT;
    options.mode = mode;
    MUST(cucore_stream_begin_capture, stream, &options);
    copy(pair, is_box, stream);
    Graph graph;
    MUST(cucore_stream_end_capture, stream, graph.out());
    return graph;
  }
  void set_copy(cucore_graph* graph, cucore_node node, const Pair& pair, bool is_box) const {
    const cucore_box to = box_in(pair.to), from = box_in(pair.from);
    if (is_box)
      SUCCEEDS(cucore_graph_set_copy_box, graph, node, &to, &from, SIZE / 3, 3, 1);
    else
      SUCCEEDS(cucore_graph_set_copy, graph, node, pair.to, 0, pair.from, 0, SIZE);
  }
  void expect_launched(const cucore_executable* executable, const cucore_stream* stream,
                       const Pair& pair, char value) const {
    fill(pair.to, !pair.is_from_far, '.');
    SUCCEEDS(cucore_executable_launch, executable, stream);
    wait();
    expect(pair, value);
  }

  void expect_captured(const Pair& pair, bool is_box, const cucore_stream* stream,
                       cucore_capture_mode mode = CUCORE_CAPTURE_MODE_RELAXED) const {
    const Graph graph = capture(pair, is_box, stream, mode);
    EXPECT_EQ(cucore_graph_node_count(graph), 1u);
    expect_launched(make_executable(graph), stream, pair, 'a');
  }

  Device second_;
  Stream there_;
};

TEST_F(PeerCopies, OfAllKindsRunOnStreamsOfBothDevices) {
  for_each_pair([&](const Pair& pair) {
    for (const bool is_far : {false, true}) {
      fill(pair.to, !pair.is_from_far, '.');
      SUCCEEDS(cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE, stream_of(is_far));
      wait();
      expect(pair, 'a');
    }
  });
}

TEST_F(PeerCopies, OfBoxesRunOnStreamsOfBothDevices) {
  for_each_pair([&](const Pair& pair) {
    for (const bool is_far : {false, true}) {
      fill(pair.to, !pair.is_from_far, '.');
      copy_rows(pair, stream_of(is_far));
      wait();
      expect(pair, 'a');
    }
  });
}

TEST_F(PeerCopies, OfPoolsNeedNoAccess) {
  for (const bool is_box : {false, true})
    for (const bool is_far : {false, true}) {
      const Pair pair = make_pair(POOL, POOL, false);
      copy(pair, is_box, stream_of(is_far));
      wait();
      expect(pair, 'a');
    }
}

// Memory of somebody else can be of a pool as well.
TEST_F(PeerCopies, OfBorrowedMemory) {
  const Pair pair = make_pair(DEVICE, DEVICE, false);
  Buffer from, to;
  MUST(cucore_buffer_from_native, device_, cucore_buffer_address(pair.from), SIZE, from.out());
  MUST(cucore_buffer_from_native, second_, cucore_buffer_address(pair.to), SIZE, to.out());
  SUCCEEDS(cucore_buffer_copy, to, 0, from, 0, SIZE, stream_);
  wait();
  expect(pair, 'a');
  fill(pair.to, true, '.');
  const cucore_box to_box = box_in(to), from_box = box_in(from);
  SUCCEEDS(cucore_buffer_copy_box, &to_box, &from_box, SIZE / 3, 3, 1, there_);
  wait();
  expect(pair, 'a');
}

// No mode forbids the call that opens the pools.
TEST_F(PeerCopies, AreCapturedInEachMode) {
  for (const cucore_capture_mode mode :
       {CUCORE_CAPTURE_MODE_RELAXED, CUCORE_CAPTURE_MODE_THREAD, CUCORE_CAPTURE_MODE_PROCESS})
    for (const bool is_box : {false, true})
      for (const bool is_far : {false, true})
        for (const bool is_from_far : {false, true}) {
          close_default_pools();
          expect_captured(make_pair(DEVICE, DEVICE, is_from_far), is_box, stream_of(is_far), mode);
        }
}

TEST_F(PeerCopies, OfAllKindsAreCaptured) {
  for_each_pair([&](const Pair& pair) {
    for (const bool is_box : {false, true})
      for (const bool is_far : {false, true}) expect_captured(pair, is_box, stream_of(is_far));
  });
}

// The pools of memory that other code has allocated are found.
TEST_F(PeerCopies, OfBorrowedMemoryAreCaptured) {
  close_default_pools();
  Pair pair = make_pair(DEVICE, DEVICE, false);
  const Buffer from = std::move(pair.from), to = std::move(pair.to);
  MUST(cucore_buffer_from_native, device_, cucore_buffer_address(from), SIZE, pair.from.out());
  MUST(cucore_buffer_from_native, second_, cucore_buffer_address(to), SIZE, pair.to.out());
  expect_captured(pair, false, stream_);
}

// Drivers crash after the end of a pool that was open to another device. A node of the device of
// the pool needs no open one.
TEST_F(PeerCopies, OfOtherPoolsAreNodesOfTheirDeviceAlone) {
  const char* const why =
      "a node cannot copy between device |: the buffer is of a memory pool that is not open to "
      "device |; copy outside graphs, or use managed or pinned memory";
  for (const Kind other : {PINNED, MANAGED})
    for (const bool is_from_pool : {false, true}) {
      const Pair pair = make_pair(is_from_pool ? POOL : other, is_from_pool ? other : POOL, false);
      const Graph graph = make_graph(device_);
      cucore_node node = 0;
      const auto add = [&](cucore_graph* to, cucore_error** error) {
        return cucore_graph_add_copy(to, nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node, error);
      };
      if (is_from_pool) {
        FAILS(CUCORE_ERROR_UNSUPPORTED, why, add, graph);
        EXPECT_EQ(cucore_graph_node_count(graph), 0u);
      } else {
        SUCCEEDS(add, graph);
        expect_launched(make_executable(graph), stream_, pair, 'a');
      }
      // The source is of the first device.
      expect_captured(pair, false, stream_of(!is_from_pool));
      const cucore_stream* const stream = stream_of(is_from_pool);
      MUST(cucore_stream_begin_capture, stream, nullptr);
      FAILS(CUCORE_ERROR_UNSUPPORTED, why, cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE,
            stream);
      Graph captured;
      SUCCEEDS(cucore_stream_end_capture, stream, captured.out());
      EXPECT_EQ(cucore_graph_node_count(captured), 0u);
    }
}

// A refused node leaves the default pool as it was: the next one would need it open.
TEST_F(PeerCopies, ThatAreRefusedOpenNoPool) {
  if (!fake_ && !is_emulated()) GTEST_SKIP() << "a GPU keeps the pools open";
  const Pair pair = make_pair(POOL, DEVICE, false);
  const Graph graph = make_graph(device_);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_UNSUPPORTED, "a node cannot copy between |", cucore_graph_add_copy, graph,
        nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node);
  EXPECT_FALSE(is_default_open(1));
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  SUCCEEDS(cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_TRUE(is_default_open(1));
  expect_launched(make_executable(captured), stream_, pair, 'a');
}

TEST_F(PeerCopies, AreNodes) {
  for_each_pair([&](const Pair& pair) {
    for (const bool is_box : {false, true}) {
      fill(pair.to, !pair.is_from_far, '.');
      const Graph graph = make_graph(device_);
      cucore_node node = 0;
      const cucore_box to = box_in(pair.to), from = box_in(pair.from);
      if (is_box)
        SUCCEEDS(cucore_graph_add_copy_box, graph, nullptr, 0, &to, &from, SIZE / 3, 3, 1, &node);
      else
        SUCCEEDS(cucore_graph_add_copy, graph, nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node);
      const Executable executable = make_executable(graph);
      for (const bool is_far : {false, true}) {
        SUCCEEDS(cucore_executable_launch, executable, stream_of(is_far));
        wait();
        expect(pair, 'a');
        fill(pair.to, !pair.is_from_far, '.');
      }
    }
  });
}

TEST_F(PeerCopies, OfNodesAreSet) {
  for (const bool is_far : {false, true})
    for (const bool is_from_far : {false, true}) {
      SCOPED_TRACE(testing::Message() << is_far << is_from_far);
      const Pair pair = make_pair(DEVICE, DEVICE, is_from_far);
      const Graph graph = capture(pair, false, stream_of(is_far));
      cucore_node node = 0;
      MUST(cucore_graph_node_at, graph, 0, &node);
      const Executable executable = make_executable(graph);
      const Pair other = make_pair(DEVICE, DEVICE, is_from_far);
      fill(other.from, is_from_far, 'b');
      SUCCEEDS(cucore_executable_set_copy, executable, node, other.to, 0, other.from, 0, SIZE);
      expect_launched(executable, stream_, other, 'b');
      const Pair third = make_pair(DEVICE, DEVICE, is_from_far);
      SUCCEEDS(cucore_graph_set_copy, graph, node, third.to, 0, third.from, 0, SIZE);
      const Executable second = make_executable(graph);
      expect_launched(second, there_, third, 'a');
    }
}

// A node keeps its device, which is not always that of the new destination.
TEST_F(PeerCopies, OfNodesAreSetWithTheirDevice) {
  for (const bool is_captured : {false, true})
    for (const Kind from : KINDS)
      for (const bool is_box : {false, true}) {
        if (is_captured && from != DEVICE) continue;  // it has kinds of memory
        SCOPED_TRACE(testing::Message() << is_captured << from << is_box);
        close_default_pools();
        const Buffer beside = make(DEVICE, false), target = make(DEVICE, false);
        Graph graph = make_graph(device_);
        cucore_node node = 0;
        if (is_captured) {
          MUST(cucore_stream_begin_capture, stream_, nullptr);
          SUCCEEDS(cucore_buffer_copy, target, 0, beside, 0, SIZE, stream_);
          MUST(cucore_stream_end_capture, stream_, graph.out());
          MUST(cucore_graph_node_at, graph, 0, &node);
        } else {
          MUST(cucore_graph_add_copy, graph, nullptr, 0, target, 0, beside, 0, SIZE, &node);
        }
        const Pair pair = make_pair(from, DEVICE, false);
        set_copy(graph, node, pair, is_box);
        expect_launched(make_executable(graph), stream_, pair, 'a');
      }
}

// A pool that is open already does not hide that the other one is closed.
TEST_F(PeerCopies, OfPoolsThatAreOpenInOneDirection) {
  for (const bool is_set : {false, true}) {
    close_default_pools();
    const Graph before = make_graph(device_);
    cucore_node node = 0;
    const Pair first = make_pair(DEVICE, PINNED, false);
    MUST(cucore_graph_add_copy, before, nullptr, 0, first.to, 0, first.from, 0, SIZE, &node);
    const Pair pair = make_pair(DEVICE, DEVICE, false);
    const Graph graph = make_graph(device_);
    if (is_set) {
      const Buffer beside = make(DEVICE, false), target = make(DEVICE, false);
      MUST(cucore_graph_add_copy, graph, nullptr, 0, target, 0, beside, 0, SIZE, &node);
      const Executable executable = make_executable(graph);
      SUCCEEDS(cucore_executable_set_copy, executable, node, pair.to, 0, pair.from, 0, SIZE);
      expect_launched(executable, stream_, pair, 'a');
    } else {
      MUST(cucore_graph_add_copy, graph, nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node);
      expect_launched(make_executable(graph), stream_, pair, 'a');
    }
    EXPECT_TRUE(is_default_open(0));
    EXPECT_TRUE(is_default_open(1));
  }
}

// An executable takes no copy of several rows, whatever the pools.
TEST_F(PeerCopies, OfOneRowAreSetInExecutables) {
  const Pair pair = make_pair(PINNED, POOL, true);
  const Graph graph = make_graph(device_);
  cucore_node node = 0;
  MUST(cucore_graph_add_copy, graph, nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node);
  const Executable executable = make_executable(graph);
  const cucore_box to = box_in(pair.to), from = box_in(pair.from);
  cucore_box row_to = to, row_from = from;
  row_to.row_bytes = row_from.row_bytes = SIZE;
  SUCCEEDS(cucore_executable_set_copy_box, executable, node, &row_to, &row_from, SIZE, 1, 1);
  expect_launched(executable, stream_, pair, 'a');
  FAILS(CUCORE_ERROR_NOT_UPDATABLE,
        "cannot set node |(copy) in the executable: the driver refuses it (|); make a new "
        "executable",
        cucore_executable_set_copy_box, executable, node, &to, &from, SIZE / 3, 3, 1);
  expect_launched(executable, stream_, pair, 'a');
  set_copy(graph, node, pair, true);
  const Executable of_rows = make_executable(graph);
  FAILS(CUCORE_ERROR_NOT_UPDATABLE, "cannot set node |(copy) in the executable: |",
        cucore_executable_set_copy_box, of_rows, node, &row_to, &row_from, SIZE, 1, 1);
  expect_launched(of_rows, stream_, pair, 'a');
}

// A node of the device of another pool can be set; a node of the other device cannot.
TEST_F(PeerCopies, OfOtherPoolsAreSetOnTheirDeviceAlone) {
  for (const Kind other : {PINNED, MANAGED}) {
    const Pair pair = make_pair(POOL, other, false);
    const Graph graph = capture(pair, false, stream_);
    cucore_node node = 0;
    MUST(cucore_graph_node_at, graph, 0, &node);
    const Executable executable = make_executable(graph);
    SUCCEEDS(cucore_executable_set_copy, executable, node, pair.to, 0, pair.from, 0, SIZE);
    expect_launched(executable, stream_, pair, 'a');
    SUCCEEDS(cucore_graph_set_copy, graph, node, pair.to, 0, pair.from, 0, SIZE);
    expect_launched(make_executable(graph), stream_, pair, 'a');
  }
  const Pair pair = make_pair(DEVICE, DEVICE, false), other = make_pair(POOL, DEVICE, false);
  const Graph graph = make_graph(device_);
  cucore_node node = 0;
  MUST(cucore_graph_add_copy, graph, nullptr, 0, pair.to, 0, pair.from, 0, SIZE, &node);
  const Executable executable = make_executable(graph);
  const char* const why =
      "a node cannot copy between device |: the buffer is of a memory pool that is not open to "
      "device |; copy outside graphs, or use managed or pinned memory";
  // The scripted driver has no rule of pools. The library passes the contexts of both sides.
  if (fake_) fake_->fail_call("cuGraphMemcpyNodeSetParams", 1, CUDA_ERROR_INVALID_VALUE);
  FAILS_ONCE(CUCORE_ERROR_UNSUPPORTED, why, cucore_graph_set_copy, graph, node, other.to, 0,
             other.from, 0, SIZE);
  for (const uint64_t context : {1, 2})
    if (fake_)
      fake_->fail_call("cuGraphExecMemcpyNodeSetParams", context, CUDA_ERROR_INVALID_VALUE);
  FAILS_ONCE(CUCORE_ERROR_UNSUPPORTED, why, cucore_executable_set_copy, executable, node, other.to,
             0, other.from, 0, SIZE);
  expect_launched(executable, there_, pair, 'a');
  expect_launched(make_executable(graph), there_, pair, 'a');
}

// Without access, a copy needs a call that no graph can have.
TEST_F(PeerCopies, NeedDevicesThatReachEachOtherInGraphsAlone) {
  if (!fake_) GTEST_SKIP() << "needs the scripted driver";
  const Pair pair = make_pair(DEVICE, DEVICE, false);
  fake_->set_peer_access(0);
  SUCCEEDS(cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE, stream_);
  copy_rows(pair, there_);
  close_default_pools();
  const char* const why =
      "a node cannot copy between device |: device | cannot use memory of device |; copy outside "
      "graphs, or use managed or pinned memory";
  const Graph graph = make_graph(device_);
  cucore_node node = 0;
  FAILS(CUCORE_ERROR_UNSUPPORTED, why, cucore_graph_add_copy, graph, nullptr, 0, pair.to, 0,
        pair.from, 0, SIZE, &node);
  EXPECT_EQ(cucore_graph_node_count(graph), 0u);
  MUST(cucore_stream_begin_capture, stream_, nullptr);
  FAILS(CUCORE_ERROR_UNSUPPORTED, why, cucore_buffer_copy, pair.to, 0, pair.from, 0, SIZE, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(cucore_graph_node_count(captured), 0u);
  const Pair near = make_pair(DEVICE, DEVICE, false);
  const Buffer beside = make(DEVICE, false);
  MUST(cucore_graph_add_copy, graph, nullptr, 0, beside, 0, near.from, 0, SIZE, &node);
  FAILS(CUCORE_ERROR_UNSUPPORTED, why, cucore_graph_set_copy, graph, node, pair.to, 0, pair.from, 0,
        SIZE);
  fake_->set_peer_access(1);
}

}  // namespace
