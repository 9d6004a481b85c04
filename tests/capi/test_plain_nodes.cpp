// SPDX-License-Identifier: Apache-2.0
// Kernel nodes that are added by hand, one after the other. A graph keeps the newest ones in a
// short form until somebody asks for a node.
#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class PlainGraphNodes : public OnGraph {
 protected:
  static cucore_node add_to(const cucore_graph* graph, const Nodes& after,
                            const cucore_kernel* kernel, const cucore_launch_options& options,
                            const cucore_argument* arguments, size_t count) {
    cucore_node node = 0;
    MUST(cucore_graph_add_kernel, const_cast<cucore_graph*>(graph), after.data(), after.size(),
         kernel, &options, arguments, count, &node);
    return node;
  }
  cucore_node add_saxpy_to(const cucore_graph* graph, const Nodes& after,
                           const cucore_buffer* buffer) const {
    const SaxpyArguments arguments(1, buffer, buffer);
    return add_to(graph, after, saxpy_, grid(1, 32), arguments.list, 4);
  }
  Buffer make_managed() const {
    Buffer buffer;
    MUST(cucore_buffer_create_managed, device_, BYTES, buffer.out());
    return buffer;
  }
  // Also after the library's thread had time to release memory.
  void expect_memory(uint64_t count) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(comes_true([&] { return fake_->live_objects("memory") == count; }));
  }
  Nodes add_chain(size_t count, const cucore_buffer* buffer) const {
    Nodes nodes;
    for (size_t i = 0; i < count; ++i)
      nodes.push_back(add_saxpy_to(graph_, nodes.empty() ? Nodes{} : Nodes{nodes.back()}, buffer));
    return nodes;
  }
};

TEST_F(PlainGraphNodes, AreReadAsTheyWereAdded) {
  const Buffer buffer = make_floats(1);
  const Nodes nodes = add_chain(300, buffer);
  cucore_launch_options options = grid(3, 5);
  options.grid[1] = 2;
  options.dynamic_shared = 64;
  const cucore_node branch = add_empty_kernel({nodes[7]}, options);
  EXPECT_EQ(cucore_graph_node_count(graph_), 301u);
  EXPECT_EQ(before(nodes[0]), Nodes());
  EXPECT_EQ(after(nodes[7]), (Nodes{nodes[8], branch}));
  for (size_t i = 1; i < nodes.size(); ++i) EXPECT_EQ(before(nodes[i]), Nodes{nodes[i - 1]});
  const cucore_node_info info = query(branch);
  EXPECT_STREQ(info.kernel, "empty");
  EXPECT_EQ(info.grid[0], 3u);
  EXPECT_EQ(info.grid[1], 2u);
  EXPECT_EQ(info.grid[2], 1u);
  EXPECT_EQ(info.block[0], 5u);
  EXPECT_EQ(info.block[1], 1u);
  EXPECT_EQ(info.block[2], 1u);
  EXPECT_EQ(info.dynamic_shared, 64u);
  EXPECT_STREQ(query(nodes[299]).kernel, "saxpy");
}

TEST_F(PlainGraphNodes, MixWithOtherOperations) {
  const Buffer buffer = make_floats(1), other = make_floats(2);
  Nodes nodes = add_chain(3, buffer);
  const cucore_node copy = add_copy({nodes[2]}, other, buffer);
  const cucore_node next = add_saxpy_to(graph_, {copy}, buffer);
  const cucore_node early = add_saxpy_to(graph_, {nodes[0]}, buffer);
  SUCCEEDS(cucore_graph_add_edge, graph_, early, next, 0);
  const cucore_node last = add_saxpy_to(graph_, {next}, buffer);
  SUCCEEDS(cucore_graph_remove_node, graph_, nodes[1]);
  const cucore_node after_last = add_saxpy_to(graph_, {last}, buffer);
  EXPECT_EQ(before(next), (Nodes{copy, early}));
  EXPECT_EQ(before(after_last), Nodes{last});
  EXPECT_EQ(cucore_graph_node_count(graph_), 7u);
  cucore_node node = 0;
  const SaxpyArguments arguments(1, buffer, buffer);
  const cucore_launch_options options = grid(1, 32);
  FAILS(CUCORE_ERROR_NOT_FOUND, "was removed from the graph", cucore_graph_add_kernel, graph_,
        &nodes[1], 1, saxpy_, &options, arguments.list, 4, &node);
  add_chain(2, buffer);
  FAILS(CUCORE_ERROR_NOT_FOUND, "was removed from the graph", cucore_graph_add_kernel, graph_,
        &nodes[1], 1, saxpy_, &options, arguments.list, 4, &node);
  Graph copied;
  SUCCEEDS(cucore_graph_clone, graph_, copied.out());
  EXPECT_EQ(cucore_graph_node_count(copied), 9u);
  run();
}

// Graphs that keep the same objects in turns.
TEST_F(PlainGraphNodes, OfGraphsThatTakeTurns) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  std::array<Graph, 3> graphs;
  for (Graph& graph : graphs) graph = make_graph(device_);
  {
    const Buffer shared = make_managed(), other = make_managed();
    for (int round = 0; round < 4; ++round)
      for (Graph& graph : graphs) {
        add_saxpy_to(graph, {}, shared);
        add_saxpy_to(graph, {}, other);
      }
  }
  expect_memory(memory + 2);
  graphs[2].reset();
  EXPECT_EQ(cucore_graph_node_count(graphs[0]), 8u);
  graphs[0].reset();
  expect_memory(memory + 2);
  graphs[1].reset();
  expect_memory(memory);
}

// A handle that gets another object is not taken for the one before.
TEST_F(PlainGraphNodes, KeepTheBuffersOfNewHandles) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  constexpr uint64_t BUFFERS = 6000;  // more than released handles wait
  for (uint64_t i = 0; i < BUFFERS; ++i) add_saxpy_to(graph_, {}, make_managed());
  expect_memory(memory + BUFFERS);
  EXPECT_EQ(cucore_graph_node_count(graph_), BUFFERS);
  expect_memory(memory + BUFFERS);
  graph_.reset();
  expect_memory(memory);
}

TEST_F(PlainGraphNodes, OfInnerGraphsThatTakeTurns) {
  NEEDS_FAKE_DRIVER();
  const Graph child = make_graph(device_);
  add_empty(child, {});
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  Graph inner;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, inner.out());
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  {
    const Buffer buffer = make_managed();
    for (int i = 0; i < 3; ++i) {
      add_saxpy_to(graph_, {}, buffer);
      add_saxpy_to(inner, {}, buffer);
    }
  }
  {
    const Buffer buffer = make_managed();
    add_saxpy_to(inner, {}, buffer);
  }
  const Executable executable = make_executable(graph_);
  EXPECT_EQ(cucore_graph_node_count(graph_), 4u);
  EXPECT_EQ(cucore_graph_node_count(inner), 5u);
  expect_memory(memory + 2);
  add_saxpy_to(inner, {}, make_managed());
  expect_memory(memory + 3);
  SUCCEEDS(cucore_graph_remove_node, graph_, node);
  inner.reset();
  expect_memory(memory + 2);  // the executable has those of before
}

TEST_F(PlainGraphNodes, OfAGraphThatIsAdded) {
  const Graph child = make_graph(device_);
  const Buffer buffer = make_floats(1);
  for (int i = 0; i < 3; ++i) add_saxpy_to(child, {}, buffer);
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_add_child, graph_, nullptr, 0, child, &node);
  Graph inner;
  SUCCEEDS(cucore_graph_child, graph_, node, 0, inner.out());
  EXPECT_EQ(cucore_graph_node_count(inner), 3u);
}

// An executable has the nodes of its time, and what they use.
TEST_F(PlainGraphNodes, OfExecutables) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  Nodes nodes;
  {
    const Buffer buffer = make_managed();
    nodes = add_chain(3, buffer);
  }
  Executable executable = make_executable(graph_);
  launch(executable);
  const cucore_node late = add_saxpy_to(graph_, {nodes[2]}, make_managed());
  expect_memory(memory + 2);
  SUCCEEDS(cucore_graph_remove_node, graph_, late);
  expect_memory(memory + 1);
  cucore_launch_options options = grid(2, 16);
  SUCCEEDS(cucore_executable_set_kernel, executable, nodes[1], nullptr, &options, nullptr, 0);
  FAILS(CUCORE_ERROR_NOT_FOUND, "is not a node of the executable", cucore_executable_set_kernel,
        executable, late, nullptr, &options, nullptr, 0);
  launch(executable);
  graph_.reset();
  graph_ = make_graph(device_);
  expect_memory(memory + 1);
  executable.reset();
  expect_memory(memory);
}

TEST_F(PlainGraphNodes, UpdateExecutables) {
  const Buffer x = make_floats(1), y = make_floats(1);
  add_chain(3, x);
  const Executable executable = make_executable(graph_);
  graph_ = make_graph(device_);
  add_chain(3, y);
  cucore_node culprit = 7;
  SUCCEEDS(cucore_executable_update, executable, graph_, &culprit);
  EXPECT_EQ(culprit, 0u);
  launch(executable);
  if (runs_kernels()) {
    EXPECT_EQ(first(x), 1.0F);
    EXPECT_EQ(first(y), 8.0F);
  }
  EXPECT_EQ(cucore_graph_node_count(graph_), 3u);
  launch(executable);
}

// The sizes of the parameters are 24, 1, 8 and 8 bytes.
TEST_F(PlainGraphNodes, KeepArgumentsOfAllSizes) {
  static constexpr char WIDE[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry wide(.param .align 8 .b8 s[24], .param .u8 small, .param .u64 out, .param .u64 last)
{
  .reg .b64 %r<6>;
  .reg .b16 %h;
  .reg .b64 %p;
  ld.param.u64 %p, [out];
  cvta.to.global.u64 %p, %p;
  ld.param.u64 %r1, [s];
  ld.param.u64 %r2, [s+8];
  ld.param.u64 %r3, [s+16];
  ld.param.u8 %h, [small];
  cvt.u64.u16 %r4, %h;
  ld.param.u64 %r5, [last];
  st.global.u64 [%p], %r1;
  st.global.u64 [%p+8], %r2;
  st.global.u64 [%p+16], %r3;
  st.global.u64 [%p+24], %r4;
  st.global.u64 [%p+32], %r5;
  ret;
}
)";
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, WIDE, sizeof WIDE - 1);
  const Kernel wide = find_kernel(code, "wide");
  std::vector<Buffer> buffers;
  cucore_node before = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    buffers.push_back(make_buffer(device_, 64, stream_));
    const uint64_t values[] = {i, i + 1, i + 2}, last = 100 + i;
    const auto small = static_cast<uint8_t>(7 + i);
    const cucore_argument arguments[] = {CUCORE_ARGUMENT(values),
                                         CUCORE_ARGUMENT(small),
                                         {buffers.back(), CUCORE_ARGUMENT_OBJECT},
                                         CUCORE_ARGUMENT(last)};
    before = add_to(graph_, before ? Nodes{before} : Nodes{}, wide, grid(1, 1), arguments, 4);
  }
  run();
  const cucore_launch_options options = grid(1, 1);
  SUCCEEDS(cucore_graph_set_kernel, graph_, before, nullptr, &options, nullptr, 0);
  run();
  if (!runs_kernels()) return;
  for (uint64_t i = 0; i < 3; ++i) {
    std::array<uint64_t, 5> read{};
    MUST(cucore_buffer_read, buffers[i], 0, read.data(), sizeof read, stream_);
    EXPECT_EQ(read, (std::array<uint64_t, 5>{i, i + 1, i + 2, 7 + i, 100 + i}));
  }
}

// A kernel of more parameters than a short form has room for. Only the number is checked, so no
// argument is read: those after the sixteenth are in memory that cannot be.
TEST_F(PlainGraphNodes, RefuseAnyWrongNumberOfArguments) {
  std::string parameters;
  for (int i = 0; i < 20; ++i)
    parameters += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  const std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry many(" +
                           parameters + ")\n{\n  ret;\n}\n";
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  const Kernel many = find_kernel(code, "many");
  const cucore_launch_options options = grid(1, 1);
  const uint64_t value = 0x4141414141414141;
  constexpr size_t PAGE = 65536, READABLE = 16;
  void* const pages =
      mmap(nullptr, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const end = reinterpret_cast<cucore_argument*>(static_cast<char*>(pages) + PAGE);
  ASSERT_EQ(mprotect(end, PAGE, PROT_NONE), 0);
  cucore_argument* const arguments = end - READABLE;
  std::fill(arguments, end, cucore_argument{&value, 0});
  for (const size_t count : {0, 16, 19, 21, 127, 255, 256, 511, 65535}) {
    cucore_node node = 0;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "many", cucore_graph_add_kernel, graph_, nullptr, 0, many,
          &options, arguments, count, &node);
    SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
    for (int i = 0; i < 2; ++i)
      FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "many", cucore_kernel_launch, many, stream_, &options,
            arguments, count);
    Graph captured;
    SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
    EXPECT_EQ(cucore_graph_node_count(captured), 0u);
  }
  EXPECT_EQ(cucore_graph_node_count(graph_), 0u);
  munmap(pages, 2 * PAGE);
}

// Launches whose extents repeat, differ and are wrong in turns.
TEST_F(PlainGraphNodes, HaveTheirOwnExtents) {
  static constexpr char EXTENTS[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry extents(.param .u64 out)
{
  .reg .b32 %r<6>;
  .reg .b64 %p;
  ld.param.u64 %p, [out];
  cvta.to.global.u64 %p, %p;
  mov.u32 %r0, %nctaid.x;
  mov.u32 %r1, %nctaid.y;
  mov.u32 %r2, %nctaid.z;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ntid.y;
  mov.u32 %r5, %ntid.z;
  st.global.u32 [%p], %r0;
  st.global.u32 [%p+4], %r1;
  st.global.u32 [%p+8], %r2;
  st.global.u32 [%p+12], %r3;
  st.global.u32 [%p+16], %r4;
  st.global.u32 [%p+20], %r5;
  ret;
}
)";
  using Extents = std::array<uint32_t, 6>;
  struct Row {
    Extents given, wanted;  // all 0: the launch is refused
  };
  constexpr uint32_t MOST = UINT32_MAX;
  const std::array<Row, 13> rows{{{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}},
                                  {{0, 0, 0, 0, 0, 0}, {}},
                                  {{1, 0, 0, 1, 0, 0}, {1, 1, 1, 1, 1, 1}},
                                  {{2, 0, 3, 4, 5, 0}, {2, 1, 3, 4, 5, 1}},
                                  {{2, 0, 3, 4, 5, 0}, {2, 1, 3, 4, 5, 1}},
                                  {{2, 0, 3, 4, 5, 1}, {2, 1, 3, 4, 5, 1}},
                                  {{MOST, MOST, MOST, MOST, MOST, MOST}, {}},
                                  {{2, 0, 3, 4, 5, 1}, {2, 1, 3, 4, 5, 1}},
                                  {{2, 0, 3, 4, 5, 999}, {}},
                                  {{2, 0, 3, 4, 5, 999}, {}},
                                  {{2, 0, 3, 32, 33, 0}, {}},
                                  {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}},
                                  {{2, 7, 3, 6, 5, 2}, {2, 7, 3, 6, 5, 2}}}};
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, EXTENTS, sizeof EXTENTS - 1);
  const Kernel kernel = find_kernel(code, "extents");
  for (const bool is_captured : {false, true}) {
    SCOPED_TRACE(is_captured ? "captured" : "by hand");
    std::vector<Buffer> buffers;
    for (const Row& row : rows) buffers.push_back(make_buffer(device_, sizeof row.given, stream_));
    Graph graph = make_graph(device_);
    if (is_captured) SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
    for (int round = 0; round < 2; ++round)
      for (size_t i = 0; i < rows.size(); ++i) {
        cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
        std::copy_n(rows[i].given.data(), 3, options.grid);
        std::copy_n(rows[i].given.data() + 3, 3, options.block);
        const cucore_argument argument{buffers[i], CUCORE_ARGUMENT_OBJECT};
        cucore_node node = 0;
        const cucore_status status =
            is_captured ? cucore_kernel_launch(kernel, stream_, &options, &argument, 1, nullptr)
                        : cucore_graph_add_kernel(graph, nullptr, 0, kernel, &options, &argument, 1,
                                                  &node, nullptr);
        EXPECT_EQ(status, rows[i].wanted[0] ? CUCORE_OK : CUCORE_ERROR_INVALID_ARGUMENT) << i;
      }
    if (is_captured) SUCCEEDS(cucore_stream_end_capture, stream_, graph.out());
    EXPECT_EQ(cucore_graph_node_count(graph), 16u);
    const uint64_t at = fake_ ? fake_->launch_count() : 0;
    launch(make_executable(graph));
    std::vector<Extents> wanted;
    for (const Row& row : rows)
      if (row.wanted[0]) wanted.push_back(row.wanted);
    for (size_t i = 0; fake_ && i < 2 * wanted.size(); ++i) {
      fake_launch seen{};
      ASSERT_TRUE(fake_->launch_at(at + i, &seen));
      Extents extents{};
      std::copy_n(seen.grid, 3, extents.data());
      std::copy_n(seen.block, 3, extents.data() + 3);
      EXPECT_EQ(extents, wanted[i % wanted.size()]) << i;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!runs_kernels() || !rows[i].wanted[0]) continue;
      Extents read{};
      MUST(cucore_buffer_read, buffers[i], 0, read.data(), sizeof read, stream_);
      EXPECT_EQ(read, rows[i].wanted) << i;
    }
  }
}

// Values that have their places in the short form, and one that no type of C has.
TEST_F(PlainGraphNodes, KeepSmallArguments) {
  static constexpr char SMALL[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry small(.param .u64 out, .param .u8 a, .param .u16 b, .param .u32 c, .param .align 1 .b8 d[3])
{
  .reg .b64 %v<6>;
  .reg .b16 %h<3>;
  .reg .b32 %r;
  .reg .b64 %p;
  ld.param.u64 %p, [out];
  cvta.to.global.u64 %p, %p;
  ld.param.u8 %h0, [a];
  ld.param.u16 %h1, [b];
  ld.param.u32 %r, [c];
  ld.param.u8 %h2, [d+2];
  cvt.u64.u16 %v0, %h0;
  cvt.u64.u16 %v1, %h1;
  cvt.u64.u32 %v2, %r;
  cvt.u64.u16 %v3, %h2;
  st.global.u64 [%p], %v0;
  st.global.u64 [%p+8], %v1;
  st.global.u64 [%p+16], %v2;
  st.global.u64 [%p+24], %v3;
  ret;
}
)";
  const Code code = make_code(CUCORE_CODE_TYPE_PTX, SMALL, sizeof SMALL - 1);
  const Kernel small = find_kernel(code, "small");
  std::vector<Buffer> buffers;
  cucore_node before = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    buffers.push_back(make_buffer(device_, 64, stream_));
    const auto a = static_cast<uint8_t>(250 + i);
    const auto b = static_cast<uint16_t>(65530 + i);
    const uint32_t c = 4294967290 + i;
    const std::array<uint8_t, 3> d{1, 2, static_cast<uint8_t>(200 + i)};
    for (int again = 0; again < 2; ++again) {
      const cucore_argument arguments[] = {{buffers.back(), CUCORE_ARGUMENT_OBJECT},
                                           CUCORE_ARGUMENT(a),
                                           CUCORE_ARGUMENT(b),
                                           CUCORE_ARGUMENT(c),
                                           CUCORE_ARGUMENT(d)};
      before = add_to(graph_, before ? Nodes{before} : Nodes{}, small, grid(1, 1), arguments, 5);
    }
  }
  run();
  if (!runs_kernels()) return;
  for (uint64_t i = 0; i < 4; ++i) {
    std::array<uint64_t, 4> read{};
    MUST(cucore_buffer_read, buffers[i], 0, read.data(), sizeof read, stream_);
    EXPECT_EQ(read, (std::array<uint64_t, 4>{250 + i, 65530 + i, 4294967290 + i, 200 + i}));
  }
}

// Nodes after the same one, and after older ones.
TEST_F(PlainGraphNodes, BranchAndJoin) {
  const Buffer buffer = make_floats(1);
  const Nodes chain = add_chain(5, buffer);
  Nodes branches;
  for (int i = 0; i < 20; ++i) branches.push_back(add_saxpy_to(graph_, {chain[2]}, buffer));
  const cucore_node late = add_saxpy_to(graph_, {branches[7]}, buffer);
  EXPECT_EQ(before(branches[0]), Nodes{chain[2]});
  EXPECT_EQ(before(branches[19]), Nodes{chain[2]});
  EXPECT_EQ(before(late), Nodes{branches[7]});
  EXPECT_EQ(after(chain[2]).size(), 21u);
  EXPECT_EQ(cucore_graph_node_count(graph_), 26u);
}

// The driver refuses the next node of a chain, all of whose objects the graph keeps.
TEST_F(PlainGraphNodes, AreNotAddedIfTheDriverFails) {
  NEEDS_FAKE_DRIVER();
  const Buffer buffer = make_floats(1);
  Nodes nodes = add_chain(3, buffer);
  const SaxpyArguments arguments(1, buffer, buffer);
  const cucore_launch_options options = grid(1, 32);
  cucore_node node = 7;
  fake_->fail_call("cuGraphAddKernelNode", 1, CUDA_ERROR_UNKNOWN);
  const uint64_t calls = fake_->call_count("cuGraphAddKernelNode");
  FAILS_ONCE(CUCORE_ERROR_CUDA, "add a node that launches kernel saxpy", cucore_graph_add_kernel,
             graph_, &nodes.back(), 1, saxpy_, &options, arguments.list, 4, &node);
  EXPECT_EQ(node, 0u);
  EXPECT_EQ(fake_->call_count("cuGraphAddKernelNode"), calls + 1);
  nodes.push_back(add_saxpy_to(graph_, {nodes.back()}, buffer));
  // Old drivers need a current context for some nodes.
  fake_->fail_call("cuGraphAddKernelNode", 1, CUDA_ERROR_INVALID_CONTEXT);
  nodes.push_back(add_saxpy_to(graph_, {nodes.back()}, buffer));
  nodes.push_back(add_saxpy_to(graph_, {nodes.back()}, buffer));
  EXPECT_EQ(cucore_graph_node_count(graph_), 6u);
  for (size_t i = 1; i < nodes.size(); ++i) EXPECT_EQ(before(nodes[i]), Nodes{nodes[i - 1]});
  run();
}

// The thread that made the graph adds most nodes. Others need the common lock.
TEST_F(PlainGraphNodes, OfSeveralThreads) {
  const Buffer buffer = make_floats(0);
  constexpr int THREADS = 4, NODES = 50;
  add_saxpy_to(graph_, {}, buffer);
  for (int i = 0; i < THREADS; ++i) std::thread([&] { add_chain(NODES, buffer); }).join();
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i) threads.emplace_back([&] { add_chain(NODES, buffer); });
  for (std::thread& thread : threads) thread.join();
  add_saxpy_to(graph_, {}, buffer);
  EXPECT_EQ(cucore_graph_node_count(graph_), 2u + 2u * THREADS * NODES);
  run();
}

// A buffer whose last reference a failed addition drops. Its function may use the graph.
struct AsksTheGraph {
  static void count(void* self) {
    auto& own = *static_cast<AsksTheGraph*>(self);
    own.nodes = cucore_graph_node_count(own.graph);
    own.is_done = true;
  }
  const cucore_graph* const graph;
  size_t nodes = 0;
  std::atomic<bool> is_done{false};
};

TEST_F(PlainGraphNodes, EndTheirBuffersWithoutTheLock) {
  NEEDS_FAKE_DRIVER();
  const Buffer memory = make_floats(1);
  const Nodes nodes = add_chain(2, memory);
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const cucore_launch_options options = grid(1, 32);
  for (const size_t after : {1, 2}) {  // as a plain node, and as another one
    AsksTheGraph asks{graph_};
    Buffer buffer;
    SUCCEEDS(cucore_buffer_from_owner, device_, cucore_buffer_address(memory), BYTES,
             AsksTheGraph::count, &asks, buffer.out());
    const SaxpyArguments arguments(1, buffer, memory);
    fake_->delay_call("cuGraphAddKernelNode", 300);
    fake_->fail_call("cuGraphAddKernelNode", 1, 999);
    const uint64_t calls = fake_->call_count("cuGraphAddKernelNode");
    cucore_status status = CUCORE_OK;
    std::thread adds([&] {
      cucore_node node = 0;
      status = cucore_graph_add_kernel(graph_, nodes.data(), after, saxpy_, &options,
                                       arguments.list, 4, &node, nullptr);
    });
    EXPECT_TRUE(comes_true([&] { return fake_->call_count("cuGraphAddKernelNode") == calls + 1; }));
    buffer.reset();
    EXPECT_FALSE(asks.is_done);
    adds.join();
    EXPECT_NE(status, CUCORE_OK);
    EXPECT_TRUE(comes_true([&] { return asks.is_done.load(); }));
    EXPECT_EQ(asks.nodes, 2u);
    fake_->delay_call("cuGraphAddKernelNode", 0);
  }
}

// Captures that keep the same objects in turns.
TEST_F(PlainGraphNodes, OfCapturesThatTakeTurns) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_stream_synchronize, stream_);
  const uint64_t memory = fake_->live_objects("memory");
  std::array<Stream, 2> streams;
  std::array<Graph, 2> graphs;
  cucore_capture_options relaxed = CUCORE_CAPTURE_OPTIONS_INIT;
  relaxed.mode = CUCORE_CAPTURE_MODE_RELAXED;
  for (Stream& stream : streams) {
    stream = make_stream(device_);
    SUCCEEDS(cucore_stream_begin_capture, stream, &relaxed);
  }
  {
    const Buffer shared = make_managed();
    const SaxpyArguments arguments(1, shared, shared);
    const cucore_launch_options options = grid(1, 32);
    for (int round = 0; round < 4; ++round)
      for (Stream& stream : streams)
        SUCCEEDS(cucore_kernel_launch, saxpy_, stream, &options, arguments.list, 4);
  }
  for (size_t i = 0; i < 2; ++i) SUCCEEDS(cucore_stream_end_capture, streams[i], graphs[i].out());
  EXPECT_EQ(cucore_graph_node_count(graphs[0]), 4u);
  EXPECT_EQ(cucore_graph_node_count(graphs[1]), 4u);
  graphs[1].reset();
  expect_memory(memory + 1);
  graphs[0].reset();
  expect_memory(memory);
}

}  // namespace
