// SPDX-License-Identifier: Apache-2.0
// Copies of boxes: on streams, in captures, as nodes of graphs and in executables. The bytes of
// each copy are compared with those of a loop.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "graph_testing.hpp"

namespace {

using namespace capi_test;

using Extent = std::array<size_t, 3>;
using Bytes = std::vector<unsigned char>;

cucore_box box_in(cucore_buffer* buffer, size_t row_bytes = 0, size_t slice_rows = 0) {
  cucore_box box = CUCORE_BOX_INIT;
  box.buffer = buffer;
  box.row_bytes = row_bytes;
  box.slice_rows = slice_rows;
  return box;
}

cucore_box box_on_host(const void* host, size_t row_bytes = 0, size_t slice_rows = 0) {
  cucore_box box = box_in(nullptr, row_bytes, slice_rows);
  box.host = const_cast<void*>(host);
  return box;
}

cucore_box at(cucore_box box, size_t x, size_t y = 0, size_t z = 0, size_t offset = 0) {
  box.x = x, box.y = y, box.z = z, box.offset = offset;
  return box;
}

size_t place_of(const cucore_box& box, const Extent& extent, size_t x, size_t y, size_t z) {
  const size_t row = box.row_bytes ? box.row_bytes : box.x + extent[0];
  const size_t rows = box.slice_rows ? box.slice_rows : box.y + extent[1];
  return box.offset + ((box.z + z) * rows + box.y + y) * row + box.x + x;
}

// Does by a loop what a copy does.
void copy_by_loop(Bytes& to, const cucore_box& destination, const Bytes& from,
                  const cucore_box& source, const Extent& extent) {
  for (size_t z = 0; z < extent[2]; ++z)
    for (size_t y = 0; y < extent[1]; ++y)
      for (size_t x = 0; x < extent[0]; ++x)
        to[place_of(destination, extent, x, y, z)] = from[place_of(source, extent, x, y, z)];
}

class Boxes : public OnGraph {
 protected:
  static constexpr size_t SIZE = 4096;

  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    from_.resize(SIZE);
    std::mt19937 random(7);
    std::ranges::generate(from_, [&] { return static_cast<unsigned char>(random()); });
    to_.assign(SIZE, 0xcd);
    source_ = filled(from_);
    target_ = filled(to_);
  }
  void TearDown() override {
    target_.reset();
    source_.reset();
    OnGraph::TearDown();
  }

  Buffer filled(const Bytes& bytes) const {
    Buffer buffer = make_buffer(device_, bytes.size(), stream_);
    MUST(cucore_buffer_write, buffer, 0, bytes.data(), bytes.size(), stream_);
    return buffer;
  }
  Bytes read(const Buffer& buffer) const {
    Bytes bytes(cucore_buffer_size(buffer));
    MUST(cucore_buffer_read, buffer, 0, bytes.data(), bytes.size(), stream_);
    return bytes;
  }
  cucore_node add_box(const cucore_box& to, const cucore_box& from, const Extent& extent) const {
    cucore_node node = 0;
    MUST(cucore_graph_add_copy_box, graph_, nullptr, 0, &to, &from, extent[0], extent[1], extent[2],
         &node);
    return node;
  }
  void expect_copied(const cucore_box& to, const cucore_box& from, const Extent& extent) {
    copy_by_loop(to_, to, from_, from, extent);
    EXPECT_EQ(read(target_), to_);
  }
  // Clears the target, of which copies change only a part.
  void clear() {
    to_.assign(SIZE, 0xcd);
    MUST(cucore_buffer_write, target_, 0, to_.data(), SIZE, stream_);
  }

  Bytes from_, to_;
  Buffer source_, target_;
};

TEST_F(Boxes, AreCopiedInOneTwoAndThreeDimensions) {
  const Extent extents[] = {{13, 1, 1}, {13, 7, 1}, {13, 7, 5}, {1, 1, 5}, {1, 9, 1}};
  for (const Extent& extent : extents) {
    const cucore_box to = at(box_in(target_, 20, 11), 3, 2, 1, 5);
    const cucore_box from = at(box_in(source_, 31, 9), 1, 0, 2, 7);
    SUCCEEDS(cucore_buffer_copy_box, &to, &from, extent[0], extent[1], extent[2], stream_);
    expect_copied(to, from, extent);
    clear();
    add_box(to, from, extent);
    run();
    expect_copied(to, from, extent);
    clear();
    graph_ = make_graph(device_);
  }
}

TEST_F(Boxes, WithoutDistancesHaveNoGaps) {
  const Extent extent = {6, 3, 2};
  const cucore_box to = at(box_in(target_), 2, 1), from = at(box_in(source_), 0, 0, 1);
  SUCCEEDS(cucore_buffer_copy_box, &to, &from, 6, 3, 2, stream_);
  expect_copied(to, from, extent);  // rows of 8 bytes and slices of 4 rows, and 6 and 3
}

TEST_F(Boxes, AreCopiedBetweenHostAndDevice) {
  const Extent extent = {11, 4, 3};
  const cucore_box host = at(box_on_host(from_.data(), 16, 5), 2, 1, 1, 3);
  const cucore_box to = at(box_in(target_, 12, 4), 1);
  SUCCEEDS(cucore_buffer_copy_box, &to, &host, 11, 4, 3, stream_);
  expect_copied(to, host, extent);
  Bytes back(SIZE, 0xee), expected = back;
  const cucore_box out = at(box_on_host(back.data(), 17, 6), 3, 2, 0, 1);
  SUCCEEDS(cucore_buffer_copy_box, &out, &to, 11, 4, 3, stream_);
  copy_by_loop(expected, out, to_, to, extent);
  EXPECT_EQ(back, expected);
}

TEST_F(Boxes, AreCopiedFromPinnedMemoryThatMayChangeAfterwards) {
  Buffer pinned;
  SUCCEEDS(cucore_buffer_create_pinned, device_, SIZE, pinned.out());
  auto* const bytes = static_cast<unsigned char*>(cucore_buffer_host_pointer(pinned));
  std::ranges::copy(from_, bytes);
  const cucore_box host = box_on_host(bytes, 64), to = box_in(target_, 64);
  SUCCEEDS(cucore_buffer_copy_box, &to, &host, 40, 20, 1, stream_);
  std::fill_n(bytes, SIZE, 0);
  expect_copied(to, host, {40, 20, 1});
}

TEST_F(Boxes, OfNoBytesAreNotCopiedAndMakeNoNode) {
  const cucore_box to = box_in(target_), from = box_in(source_);
  for (const Extent& extent : {Extent{0, 1, 1}, Extent{1, 0, 1}, Extent{1, 1, 0}}) {
    const uint64_t before = fake_ ? fake_->total_calls() : 0;
    SUCCEEDS(cucore_buffer_copy_box, &to, &from, extent[0], extent[1], extent[2], stream_);
    if (fake_) {
      EXPECT_EQ(fake_->total_calls(), before);
    }
    const char* const names[] = {"width", "height", "depth"};
    const size_t empty = std::ranges::find(extent, 0u) - extent.begin();
    cucore_node node = 7;
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT,
          std::string(names[empty]) +
              " is 0; expected at least 1 for a node that copies; leave the node out",
          cucore_graph_add_copy_box, graph_, nullptr, 0, &to, &from, extent[0], extent[1],
          extent[2], &node);
    EXPECT_EQ(node, 0u);
  }
  EXPECT_EQ(read(target_), to_);
}

// A wrong box is refused on streams, for new nodes and for nodes that exist, without a driver call
// that could fail.
class RefusedBoxes : public Boxes {
 protected:
  void SetUp() override {
    Boxes::SetUp();
    if (IsSkipped()) return;
    node_ = add_box(box_in(target_), box_in(source_), {4, 1, 1});
    executable_ = make_executable(graph_);
  }
  void TearDown() override {
    executable_.reset();
    Boxes::TearDown();
  }
  void refuses(const std::string& message, const cucore_box& to, const cucore_box& from,
               const Extent& extent, cucore_status status = CUCORE_ERROR_INVALID_ARGUMENT) {
    const auto [width, height, depth] = extent;
    cucore_node out = 7;
    FAILS(status, message, cucore_buffer_copy_box, &to, &from, width, height, depth, stream_);
    FAILS(status, message, cucore_graph_add_copy_box, graph_, nullptr, 0, &to, &from, width, height,
          depth, &out);
    EXPECT_EQ(out, 0u);
    FAILS(status, message, cucore_graph_set_copy_box, graph_, node_, &to, &from, width, height,
          depth);
    FAILS(status, message, cucore_executable_set_copy_box, executable_, node_, &to, &from, width,
          height, depth);
    EXPECT_EQ(cucore_graph_node_count(graph_), 1u);
  }
  // Both as a destination and as a source.
  void refuses_side(const std::string& start, const std::string& end, const cucore_box& box,
                    const Extent& extent, cucore_status status = CUCORE_ERROR_INVALID_ARGUMENT) {
    refuses(start + "destination" + end, box, box_in(source_), extent, status);
    refuses(start + "source" + end, box_in(target_), box, extent, status);
  }

  cucore_node node_ = 0;
  Executable executable_;
};

TEST_F(RefusedBoxes, LeaveTheirBuffer) {
  const Buffer small = make_buffer(device_, 100, stream_);
  refuses_side("the box of the ",
               " ends at byte 101 of a buffer of 100 bytes; expected a box inside the buffer",
               at(box_in(small), 0, 0, 0, 96), {5, 1, 1});
  refuses_side("the box of the ", " ends at byte 120 of a buffer of 100 bytes",
               at(box_in(small, 20, 2), 4, 1), {16, 1, 3});
  // Just inside.
  const cucore_box last = at(box_in(small, 20, 1), 4), from = box_in(source_);
  SUCCEEDS(cucore_buffer_copy_box, &last, &from, 16, 1, 5, stream_);
}

TEST_F(RefusedBoxes, PassTheLastAddress) {
  const std::string end = " ends behind the last address; expected a box inside its memory";
  const size_t most = SIZE_MAX;
  refuses_side("the box of the ", end, at(box_in(target_), most), {2, 1, 1});
  refuses_side("the box of the ", end, at(box_in(target_), 0, most), {1, 2, 1});
  refuses_side("the box of the ", end, at(box_in(target_, 4, 4), 0, 0, most), {1, 1, 1});
  refuses_side("the box of the ", end, at(box_in(target_), 0, 0, 0, most), {1, 1, 1});
  refuses_side("the box of the ", end, box_in(target_, 4, most / 2), {1, 1, 4});
}

TEST_F(RefusedBoxes, HaveRowsOrSlicesThatOverlap) {
  refuses_side("cucore_box.row_bytes of the ",
               " is 9; expected 0 or at least 10, so that rows do not overlap",
               at(box_in(target_, 9), 2), {8, 2, 1});
  refuses_side("cucore_box.slice_rows of the ",
               " is 3; expected 0 or at least 4, so that slices do not overlap",
               at(box_in(target_, 16, 3), 0, 2), {8, 2, 2});
  refuses_side("cucore_box.row_bytes of the ",
               " is 2147483648; expected at most 2147483647, as devices require",
               box_in(target_, size_t{1} << 31), {8, 2, 1});
  // A single row has no distance.
  const cucore_box to = box_in(target_, size_t{1} << 31, size_t{1} << 40), from = box_in(source_);
  SUCCEEDS(cucore_buffer_copy_box, &to, &from, 8, 1, 1, stream_);
}

TEST_F(RefusedBoxes, HaveNoMemoryOrTwo) {
  refuses_side("the box of the ",
               " has neither a buffer nor memory of the program; expected one of "
               "cucore_box.buffer and cucore_box.host",
               box_in(nullptr), {1, 1, 1});
  cucore_box both = box_in(target_);
  both.host = from_.data();
  refuses_side("the box of the ", " has a buffer and memory of the program; expected one of", both,
               {1, 1, 1});
  refuses("destination and source are memory of the program; expected a buffer in one of them",
          box_on_host(to_.data()), box_on_host(from_.data()), {1, 1, 1});
}

TEST_F(RefusedBoxes, HaveAnImageOrAnUnknownSize) {
  cucore_box box = box_in(target_);
  box.array = reinterpret_cast<cucore_image*>(this);
  refuses_side("cucore_box.array of the ",
               " is set; expected NULL, because the library has no images yet", box, {1, 1, 1});
  box = box_in(target_);
  box.struct_size = 8;
  refuses("cucore_box.struct_size is 8, at least 80 was expected", box, box_in(source_), {1, 1, 1},
          CUCORE_ERROR_ABI_MISMATCH);
  refuses("cucore_box.struct_size is 8, at least 80 was expected", box_in(target_), box, {1, 1, 1},
          CUCORE_ERROR_ABI_MISMATCH);
  struct {
    cucore_box box;
    uint64_t later;
  } newer{box_in(target_), 1};
  newer.box.struct_size = sizeof newer;
  refuses("cucore_box", newer.box, box_in(source_), {1, 1, 1}, CUCORE_ERROR_ABI_MISMATCH);
}

TEST_F(RefusedBoxes, HaveABufferThatWasReleased) {
  Buffer gone = make_buffer(device_, 64, stream_);
  const cucore_box box = box_in(gone);
  gone.reset();
  refuses("the buffer of the destination", box, box_in(source_), {1, 1, 1},
          CUCORE_ERROR_INVALID_HANDLE);
  refuses("the buffer of the source", box_in(target_), box, {1, 1, 1}, CUCORE_ERROR_INVALID_HANDLE);
  cucore_box other = box_in(reinterpret_cast<cucore_buffer*>(stream_.get()));
  refuses("the buffer of the source", box_in(target_), other, {1, 1, 1},
          CUCORE_ERROR_INVALID_HANDLE);
}

TEST_F(RefusedBoxes, OverlapByOneByte) {
  const std::string message =
      "source and destination of the copy overlap; copy through a third buffer";
  const cucore_box from = at(box_in(target_, 32, 8), 8, 2, 1);
  refuses(message, from, from, {8, 3, 2});
  refuses(message, at(box_in(target_, 32, 8), 15, 4, 2), from, {8, 3, 2});  // the last byte
  refuses(message, at(box_in(target_, 32, 8), 1, 0, 0), from, {8, 3, 2});   // the first one
  refuses(message, at(box_in(target_, 31, 8), 0), box_in(target_, 33, 8), {8, 3, 1});
  // Neighbours do not.
  for (const cucore_box& to :
       {at(box_in(target_, 32, 8), 16, 2, 1), at(box_in(target_, 32, 8), 0, 2, 1),
        at(box_in(target_, 32, 8), 8, 5, 1), at(box_in(target_, 32, 8), 8, 2, 3),
        at(box_in(target_, 32, 8), 16, 0, 0)})
    SUCCEEDS(cucore_buffer_copy_box, &to, &from, 8, 3, 2, stream_);
}

// Two boxes in one buffer, with equal and other distances: refused exactly if they share a byte.
TEST_F(RefusedBoxes, OverlapIfTheyShareAByte) {
  std::mt19937 random(3);
  const auto below = [&](size_t limit) { return random() % limit; };
  size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const Extent extent = {1 + below(6), 1 + below(4), 1 + below(3)};
    cucore_box to =
        at(box_in(target_, 12 + below(3), 7 + below(2)), below(6), below(3), below(3), below(40));
    cucore_box from =
        at(box_in(target_, 12 + below(3), 7 + below(2)), below(6), below(3), below(3), below(40));
    if (below(2)) from.row_bytes = to.row_bytes, from.slice_rows = to.slice_rows;
    std::vector<int> used(SIZE);
    for (size_t z = 0; z < extent[2]; ++z)
      for (size_t y = 0; y < extent[1]; ++y)
        for (size_t x = 0; x < extent[0]; ++x)
          used[place_of(to, extent, x, y, z)] |= 1, used[place_of(from, extent, x, y, z)] |= 2;
    const bool shares = std::ranges::find(used, 3) != used.end();
    refused += shares;
    const cucore_status status =
        cucore_buffer_copy_box(&to, &from, extent[0], extent[1], extent[2], stream_, nullptr);
    ASSERT_EQ(status, shares ? CUCORE_ERROR_INVALID_ARGUMENT : CUCORE_OK) << i;
  }
  EXPECT_GT(refused, 300u);
  EXPECT_LT(refused, 2700u);
}

TEST_F(Boxes, OfOtherDevicesNeedAStreamOfOneOfTheDevices) {
  int32_t devices = 0;
  SUCCEEDS(cucore_device_count, &devices);
  if (devices < 2) GTEST_SKIP() << "one device";
  const Device second = open_device(1);
  const Stream there = make_stream(second);
  const cucore_box to = box_in(target_), from = box_in(source_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "destination", cucore_buffer_copy_box, &to, &from, 4, 1, 1,
        there);
  const Buffer remote = make_buffer(second, SIZE, there);
  const cucore_box away = box_in(remote);
  SUCCEEDS(cucore_buffer_copy_box, &away, &from, 4, 3, 1, there);
  SUCCEEDS(cucore_buffer_copy_box, &to, &away, 4, 3, 1, there);
  SUCCEEDS(cucore_stream_synchronize, there);
  expect_copied(to, from, {4, 3, 1});
}

TEST_F(Boxes, AreReadBackFromTheirNodes) {
  const cucore_node node =
      add_box(at(box_in(target_, 20, 10), 3, 2, 1, 5), at(box_in(source_), 0, 1), {13, 7, 5});
  const cucore_node_info info = query(node);
  EXPECT_EQ(info.kind, CUCORE_NODE_KIND_COPY);
  EXPECT_EQ(info.size, 13u * 7 * 5);
  EXPECT_EQ(info.width, 13u);
  EXPECT_EQ(info.height, 7u);
  EXPECT_EQ(info.depth, 5u);
  EXPECT_EQ(info.destination, cucore_buffer_address(target_) + 5 + (10 + 2) * 20 + 3);
  EXPECT_EQ(info.destination_row_bytes, 20u);
  EXPECT_EQ(info.destination_slice_rows, 10u);
  EXPECT_EQ(info.source, cucore_buffer_address(source_) + 13);
  EXPECT_EQ(info.source_row_bytes, 13u);
  EXPECT_EQ(info.source_slice_rows, 8u);
  EXPECT_NE(dot(graph_).find("copy\\n455 bytes\\nbox 13x7x5"), std::string::npos) << dot(graph_);
  const cucore_node flat = add_copy({}, target_, source_);
  EXPECT_EQ(query(flat).width, BYTES);
  EXPECT_EQ(query(flat).height, 1u);
  EXPECT_EQ(query(flat).depth, 1u);
  EXPECT_EQ(query(flat).destination_row_bytes, 0u);
}

// An older caller has the fields of its header alone.
TEST_F(Boxes, FillAnOlderNodeInfo) {
  const cucore_node node = add_box(box_in(target_), box_in(source_), {4, 2, 1});
  cucore_node_info info = CUCORE_NODE_INFO_INIT;
  info.struct_size = offsetof(cucore_node_info, width);
  info.width = 99;
  SUCCEEDS(cucore_graph_node_query, graph_, node, &info);
  EXPECT_EQ(info.size, 8u);
  EXPECT_EQ(info.width, 99u);
}

TEST_F(Boxes, OfNodesReadAndWriteMemoryOfTheProgramAtEachLaunch) {
  const Extent extent = {10, 3, 2};
  Bytes out(SIZE, 0), in = from_;
  const cucore_box there = box_in(target_, 16, 4);
  const cucore_box host_in = box_on_host(in.data(), 32, 3), host_out = box_on_host(out.data(), 11);
  const cucore_node first = add_box(there, host_in, extent);
  cucore_node second = 0;
  SUCCEEDS(cucore_graph_add_copy_box, graph_, &first, 1, &host_out, &there, 10, 3, 2, &second);
  const Executable executable = make_executable(graph_);
  for (int i = 0; i < 2; ++i) {
    launch(executable);
    Bytes middle(SIZE), expected(SIZE, 0);
    copy_by_loop(middle, there, in, host_in, extent);
    copy_by_loop(expected, host_out, middle, there, extent);
    EXPECT_EQ(out, expected);
    std::ranges::reverse(in);
  }
}

TEST_F(Boxes, OfNodesAreSetInTheGraphAndExecutablesKeepTheirs) {
  const cucore_box to = box_in(target_, 16), from = box_in(source_, 16);
  const cucore_node node = add_box(to, from, {8, 3, 1});
  const Executable before = make_executable(graph_);
  const cucore_box other = at(box_in(source_, 40, 4), 1, 1, 1);
  SUCCEEDS(cucore_graph_set_copy_box, graph_, node, &to, &other, 12, 2, 2);
  EXPECT_EQ(query(node).width, 12u);
  launch(before);
  expect_copied(to, from, {8, 3, 1});
  clear();
  run();
  expect_copied(to, other, {12, 2, 2});
  // A box becomes plain bytes, and plain bytes a box.
  clear();
  SUCCEEDS(cucore_graph_set_copy, graph_, node, target_, 0, source_, 0, 64);
  run();
  expect_copied(to, from, {64, 1, 1});
  clear();
  SUCCEEDS(cucore_graph_set_copy_box, graph_, node, &to, &from, 8, 3, 1);
  run();
  expect_copied(to, from, {8, 3, 1});
}

TEST_F(Boxes, OfOneRowAreSetInAnExecutable) {
  const cucore_box to = at(box_in(target_), 4), from = at(box_in(source_), 9);
  const cucore_node node = add_copy({}, target_, source_);
  const Executable changed = make_executable(graph_), other = make_executable(graph_);
  SUCCEEDS(cucore_executable_set_copy_box, changed, node, &to, &from, 21, 1, 1);
  launch(changed);
  expect_copied(to, from, {21, 1, 1});
  clear();
  launch(other);
  expect_copied(box_in(target_), box_in(source_), {BYTES, 1, 1});
}

// Drivers refuse more than one row; a whole update changes it.
TEST_F(Boxes, OfSeveralRowsNeedAnUpdateOrANewExecutable) {
  const cucore_box to = box_in(target_, 16), from = box_in(source_, 16);
  const cucore_box other = at(box_in(source_, 40, 4), 1, 1, 1);
  const cucore_node node = add_box(to, from, {8, 3, 1});
  const Executable executable = make_executable(graph_);
  const cucore_status status =
      cucore_executable_set_copy_box(executable, node, &to, &other, 12, 2, 2, nullptr);
  if (status != CUCORE_OK) {
    FAILS(CUCORE_ERROR_NOT_UPDATABLE,
          "cannot set node " + std::to_string(node) +
              " (copy) in the executable: the driver refuses it (CUDA_ERROR_INVALID_VALUE); make a "
              "new executable",
          cucore_executable_set_copy_box, executable, node, &to, &other, 12, 2, 2);
    launch(executable);
    expect_copied(to, from, {8, 3, 1});
    clear();
  }
  SUCCEEDS(cucore_graph_set_copy_box, graph_, node, &to, &other, 12, 2, 2);
  // An H100 with driver 580 refuses other extents in a whole update as well.
  const bool is_updated =
      cucore_executable_update(executable, graph_, nullptr, nullptr) == CUCORE_OK;
  if (!is_updated) {
    FAILS(CUCORE_ERROR_NOT_UPDATABLE, "make a new executable", cucore_executable_update, executable,
          graph_, nullptr);
    launch(executable);
    expect_copied(to, from, {8, 3, 1});
    clear();
  }
  const Executable next = make_executable(graph_);
  launch(is_updated ? executable : next);
  expect_copied(to, other, {12, 2, 2});
}

TEST_F(Boxes, AreNoWorkOfOtherNodes) {
  const cucore_node fill = add_fill({}, target_, 1);
  const cucore_box to = box_in(target_), from = box_in(source_);
  const std::string message =
      "cannot set node " + std::to_string(fill) + " (fill) as a node of kind copy";
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message, cucore_graph_set_copy_box, graph_, fill, &to, &from,
        4, 1, 1);
  const Executable executable = make_executable(graph_);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, message, cucore_executable_set_copy_box, executable, fill,
        &to, &from, 4, 1, 1);
  FAILS(CUCORE_ERROR_NOT_FOUND, "node is 0", cucore_graph_set_copy_box, graph_, 0, &to, &from, 4, 1,
        1);
}

TEST_F(Boxes, KeepTheirBuffersInNodes) {
  Buffer from = filled(from_), to = make_buffer(device_, SIZE, stream_);
  const cucore_box source = box_in(from, 64), target = box_in(to, 32), back = box_in(target_, 32);
  const cucore_node first = add_box(target, source, {20, 10, 1});
  cucore_node second = 0;
  SUCCEEDS(cucore_graph_add_copy_box, graph_, &first, 1, &back, &target, 20, 10, 1, &second);
  from.reset();
  to.reset();
  const Executable executable = make_executable(graph_);
  graph_.reset();
  launch(executable);
  copy_by_loop(to_, back, from_, box_in(nullptr, 64), {20, 10, 1});
  EXPECT_EQ(read(target_), to_);
  graph_ = make_graph(device_);
}

TEST_F(Boxes, AreCapturedAndSet) {
  Buffer kept = filled(from_);
  const cucore_box to = box_in(target_, 16, 3), from = at(box_in(kept, 40, 4), 1, 1, 1);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  SUCCEEDS(cucore_buffer_copy_box, &to, &from, 12, 2, 2, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(read(target_), to_);  // nothing has run
  cucore_node node = 0;
  SUCCEEDS(cucore_graph_node_at, captured, 0, &node);
  EXPECT_EQ(query(captured, node).kind, CUCORE_NODE_KIND_COPY);
  kept.reset();
  launch(make_executable(captured));
  expect_copied(to, from, {12, 2, 2});
  clear();
  const cucore_box other = box_in(source_, 25);
  SUCCEEDS(cucore_graph_set_copy_box, captured, node, &to, &other, 7, 3, 1);
  launch(make_executable(captured));
  expect_copied(to, other, {7, 3, 1});
}

TEST_F(Boxes, OfMemoryOfTheProgramAreCopiedIntoTheGraph) {
  Bytes in = from_;
  const cucore_box to = box_in(target_, 16, 3), from = at(box_on_host(in.data(), 40, 4), 1, 1, 1);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  SUCCEEDS(cucore_buffer_copy_box, &to, &from, 12, 2, 2, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  in.assign(SIZE, 0);
  launch(make_executable(captured));
  expect_copied(to, from, {12, 2, 2});
}

TEST_F(Boxes, AreNotReadInACapture) {
  const cucore_box host = box_on_host(to_.data()), from = box_in(source_);
  SUCCEEDS(cucore_stream_begin_capture, stream_, nullptr);
  FAILS(CUCORE_ERROR_INVALID_STATE,
        "cannot copy a box into memory of the program in a stream that is being captured: nothing "
        "runs until the graph is launched; end the capture first",
        cucore_buffer_copy_box, &host, &from, 4, 1, 1, stream_);
  Graph captured;
  SUCCEEDS(cucore_stream_end_capture, stream_, captured.out());
  EXPECT_EQ(cucore_graph_node_count(captured), 0u);
}

TEST_F(Boxes, MayBeInTheBodyOfAConditionalNode) {
  cucore_library_info driver = CUCORE_LIBRARY_INFO_INIT;
  SUCCEEDS(cucore_library_query, CUCORE_LIBRARY_DRIVER, &driver);
  if (driver.version_major == 12 && driver.version_minor < 3) GTEST_SKIP() << "no conditions";
  uint64_t condition = 0;
  cucore_node node = 0;
  Graph body;
  SUCCEEDS(cucore_graph_add_condition, graph_, 1, 1, &condition);
  SUCCEEDS(cucore_graph_add_conditional, graph_, nullptr, 0, condition, CUCORE_CONDITIONAL_IF, 1,
           body.out(), &node);
  const cucore_box to = box_in(target_, 16), from = box_in(source_, 20);
  SUCCEEDS(cucore_graph_add_copy_box, body, nullptr, 0, &to, &from, 9, 4, 1, &node);
  if (!runs_kernels()) return;  // the scripted driver runs no body
  run();
  expect_copied(to, from, {9, 4, 1});
}

TEST_F(Boxes, CanBeLeftOut) {
  const cucore_box to = box_in(target_, 16), from = box_in(source_, 16);
  const cucore_node node = add_box(to, from, {8, 3, 1});
  const Executable executable = make_executable(graph_);
  SUCCEEDS(cucore_executable_set_enabled, executable, node, 0);
  launch(executable);
  EXPECT_EQ(read(target_), to_);
  SUCCEEDS(cucore_executable_set_enabled, executable, node, 1);
  launch(executable);
  expect_copied(to, from, {8, 3, 1});
}

}  // namespace
