// SPDX-License-Identifier: Apache-2.0
// Tensor copies with interleave. The channels of a pixel are in slices of 16 or 32 bytes. The
// tensor is an array [N][C / slice][D][H][W][slice], and the expected boxes come from loops over
// it. The dimensions of the map are W, H, D, slices of channels, and N.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "cpu/exec/tensor_map.hpp"
#include "expect.hpp"
#include "tensor_text.hpp"

namespace cucore::cpu::test {
namespace {

constexpr uint8_t TYPE_U16 = 1, TYPE_U32 = 2, TYPE_F16 = 6, TYPE_F32 = 7;
constexpr uint64_t TENSOR_START = 2048;

struct Slice {
  int64_t n, c, d, h, w;
};

// Sizes in the order of the array; D and H are 1 if the rank is lower.
struct Extent {
  int64_t n, c, d, h, w;
};

class Slices {
 public:
  Slices(uint8_t type, uint32_t rank, uint8_t interleave, Extent size, Extent box)
      : size_(size), box_(box), bytes_(size_t{1} << 17) {
    map.type = type;
    map.rank = uint8_t(rank);
    map.interleave = interleave;
    map.swizzle = interleave == 2 ? 1 : 0;
    map.address = (bytes_.address() + TENSOR_START + 63) / 64 * 64;
    // The rows, planes and images have gaps.
    row_ = width() * size.w + 32;
    plane_ = row_ * size.h + 64;
    layer_ = plane_ * size.d;
    image_ = layer_ * size.c + 96;
    const int64_t sizes[] = {size.w, size.h, size.d}, boxes[] = {box.w, box.h, box.d};
    const int64_t strides[] = {row_, plane_};
    for (uint32_t k = 0; k + 2 < rank; ++k) {
      set(k, sizes[k], boxes[k]);
      if (k + 3 < rank) map.strides[k] = uint64_t(strides[k]);
    }
    map.strides[rank - 3] = uint64_t(layer_);
    map.strides[rank - 2] = uint64_t(image_);
    set(rank - 2, size.c, box.c * (width() / element()));
    set(rank - 1, size.n, box.n);
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = uint8_t(i * 7 + i / 256);
  }

  int64_t width() const { return map.interleave == 1 ? 16 : 32; }
  uint32_t element() const { return tensor_element_bytes(map.type); }
  bool contains(const Slice& s) const {
    return s.n >= 0 && s.n < size_.n && s.c >= 0 && s.c < size_.c && s.d >= 0 && s.d < size_.d &&
           s.h >= 0 && s.h < size_.h && s.w >= 0 && s.w < size_.w;
  }
  // Returns the place of a slice in bytes().
  size_t place(const Slice& s) const {
    return size_t(map.address - bytes_.address()) +
           size_t(s.n * image_ + s.c * layer_ + s.d * plane_ + s.h * row_ + s.w * width());
  }
  Array<uint8_t>& bytes() { return bytes_; }
  uint64_t publish() {
    std::memcpy(place_.data(), static_cast<const void*>(&map), sizeof map);
    return place_.address();
  }
  Index start(const Slice& s) const {
    if (map.rank == 3) return {s.w, s.c, s.n};
    if (map.rank == 4) return {s.w, s.h, s.c, s.n};
    return {s.w, s.h, s.d, s.c, s.n};
  }
  // Calls visit(slice) in the order of the box, which has one slice of channels.
  void each(const Slice& s, const std::function<void(const Slice&)>& visit) const {
    const int64_t step_w = map.element_strides[0], step_h = map.element_strides[1];
    for (int64_t n = 0; n < box_.n; ++n)
      for (int64_t d = 0; d < box_.d; ++d)
        for (int64_t h = 0; h < box_.h; h += step_h)
          for (int64_t w = 0; w < box_.w; w += step_w)
            visit({s.n + n, s.c, s.d + d, s.h + h, s.w + w});
  }

  TensorMap map;

 private:
  void set(uint32_t k, int64_t size, int64_t box) {
    map.last_index[k] = uint32_t(size - 1);
    map.box[k] = uint16_t(box);
    map.element_strides[k] = 1;
  }

  Extent size_, box_;
  int64_t row_, plane_, layer_, image_;
  Array<uint8_t> bytes_;
  Array<uint8_t> place_{TENSOR_MAP_BYTES};
};

// The tables of the PTX manual: the chunk of 16 bytes that is at each place of a line of 128 bytes.
constexpr int SWIZZLE_32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
constexpr int SWIZZLE_64[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                  {1, 0, 3, 2, 5, 4, 7, 6},
                                  {2, 3, 0, 1, 6, 7, 4, 5},
                                  {3, 2, 1, 0, 7, 6, 5, 4}};
constexpr int SWIZZLE_128[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                   {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                   {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                   {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};

// Returns where the swizzle puts a byte of the box.
size_t place_of(const TensorMap& map, size_t byte) {
  const size_t line = byte / 128, chunk = byte / 16 % 8;
  const int* table = SWIZZLE_32[0];
  if (map.swizzle == 1) table = SWIZZLE_32[line % 2];
  if (map.swizzle == 2) table = SWIZZLE_64[line % 4];
  if (map.swizzle == 3) table = SWIZZLE_128[line % 8];
  return line * 128 + size_t(std::find(table, table + 8, int(chunk)) - table) * 16 + byte % 16;
}

std::vector<uint8_t> loaded(Slices& t, const std::string& text) {
  Array<uint8_t> b(SEEN);
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  return b.values();
}

void expect_load(Slices& t, const Slice& start) {
  std::vector<uint8_t> expected(SEEN, 0xAA);
  size_t byte = 0;
  t.each(start, [&](const Slice& s) {
    for (int64_t k = 0; k < t.width(); ++k, ++byte)
      expected[place_of(t.map, byte)] = t.contains(s) ? t.bytes()[t.place(s) + size_t(k)] : 0;
  });
  ASSERT_LE(byte, SEEN);
  const Index place = t.start(start);
  EXPECT_EQ(loaded(t, load_box_text(place, unsigned(byte))), expected)
      << coordinates(place) << " interleave " << int(t.map.interleave) << " swizzle "
      << int(t.map.swizzle);
}

TEST(InterleavedCopies, LoadTilesOfEveryRank) {
  for (const uint8_t interleave : {1, 2}) {
    Slices line(TYPE_F16, 3, interleave, {3, 5, 1, 1, 20}, {2, 3, 1, 1, 16});
    Slices plane(TYPE_F16, 4, interleave, {2, 4, 1, 6, 9}, {1, 2, 1, 3, 8});
    Slices space(TYPE_F32, 5, interleave, {2, 3, 4, 5, 6}, {2, 2, 2, 2, 4});
    for (Slices* t : {&line, &plane, &space}) {
      expect_load(*t, {0, 0, 0, 0, 0});
      expect_load(*t, {0, 1, 0, 0, 3});
    }
    // Beyond each end, and before the start.
    expect_load(line, {2, 4, 0, 0, 15});
    expect_load(line, {-1, -1, 0, 0, -5});
    expect_load(plane, {1, 3, 0, 4, 5});
    expect_load(plane, {0, -1, 0, -2, -3});
    expect_load(space, {1, 2, 3, 4, 5});
    expect_load(space, {-1, 0, -1, -1, -1});
  }
}

TEST(InterleavedCopies, SwizzleAdjacentSlices) {
  for (const uint8_t interleave : {1, 2})
    for (const uint8_t swizzle : {0, 1, 2, 3}) {
      Slices t(TYPE_U16, 4, interleave, {2, 4, 1, 8, 16}, {1, 2, 1, 4, 16});
      t.map.swizzle = swizzle;
      expect_load(t, {0, 1, 0, 2, 0});
      expect_load(t, {1, 3, 0, 6, 9});
    }
}

// 15 slices: 3 of each row, because the traversal takes every 7th.
struct OddNumberOfSlices : Slices {
  explicit OddNumberOfSlices(uint8_t swizzle)
      : Slices(TYPE_U16, 4, 1, {2, 4, 1, 8, 16}, {1, 2, 1, 5, 16}) {
    map.element_strides[0] = 7;
    map.swizzle = swizzle;
  }
};

// The swizzle moves the last slice behind the others.
TEST(InterleavedCopies, SwizzleAnOddNumberOfSlices) {
  for (const uint8_t swizzle : {1, 2, 3}) {
    OddNumberOfSlices t(swizzle);
    expect_load(t, {0, 1, 0, 2, 0});
    expect_load(t, {1, 3, 0, 6, 9});
  }
}

TEST(InterleavedCopies, OfAnOddNumberOfSlicesStayInSharedMemory) {
  OddNumberOfSlices t(3);
  // Shared memory has a multiple of 16 bytes. 240 bytes are behind the place, as many as the slices
  // take without a swizzle.
  const std::string place = "[%rd0, " + coordinates({0, 0, 0, 0}) + "]";
  const auto run = [&](const std::string& use) {
    return run_text(kernel_text("mov.u32 %r10, box; mbarrier.init.shared.b64 [bar], 1;" + use,
                                ".shared .align 128 .b8 box[352]; .shared .align 8 .b64 bar;\n"),
                    shape(1, 1), t.publish(), t.bytes().address());
  };
  const std::string load =
                        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx"
                        "::bytes [%r10 + 128], " +
                        place + ", [bar];",
                    store = "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group " + place +
                            ", [%r10 + 128]; cp.async.bulk.commit_group;";
  for (const std::string& use : {load, store})
    expect_fault(run(use), CUDA_ERROR_ILLEGAL_ADDRESS, {"256 bytes", "shared memory"});
}

TEST(InterleavedCopies, StepOverPixels) {
  Slices t(TYPE_U16, 4, 1, {2, 4, 1, 9, 20}, {1, 2, 1, 5, 16});
  t.map.element_strides[0] = 3;
  t.map.element_strides[1] = 2;
  expect_load(t, {0, 1, 0, 2, 3});
  expect_load(t, {1, 3, 0, 6, 14});
}

TEST(InterleavedCopies, FillWithNaN) {
  Slices t(TYPE_F32, 3, 1, {1, 2, 1, 1, 10}, {1, 2, 1, 1, 8});
  t.map.fill = 1;
  const auto box = loaded(t, load_box_text({6, 1, 0}, 8 * 16));
  size_t slice = 0;
  t.each({0, 1, 0, 0, 6}, [&](const Slice& s) {
    for (size_t k = 0; k < 4; ++k) {
      uint32_t value, inside;
      std::memcpy(&value, &box[slice * 16 + k * 4], 4);
      std::memcpy(&inside, &t.bytes()[t.place(s) + k * 4], 4);
      EXPECT_EQ(value, t.contains(s) ? inside : 0x7ff77ff7u) << slice;
    }
    ++slice;
  });
}

// A filter of 3 x 3 with a border of 1. A box has one slice of channels.
TEST(InterleavedCopies, LoadPixelsOfIm2col) {
  for (const uint8_t interleave : {1, 2}) {
    Slices t(TYPE_F16, 4, interleave, {3, 4, 1, 5, 6}, {1, 1, 1, 1, 8});
    t.map.mode = uint8_t(TensorMode::IM2COL);
    t.map.channels = 16;
    t.map.pixels = 40;
    for (int k = 0; k < 2; ++k) t.map.lower[k] = t.map.upper[k] = -1;
    std::vector<uint8_t> expected(SEEN, 0xAA);
    size_t byte = 0;
    int64_t w = 1, h = 0, n = 0;
    for (int pixel = 0; pixel < 40; ++pixel) {
      const Slice s{n, 1, 0, h + 1, w + 2};
      for (int64_t k = 0; k < t.width(); ++k, ++byte)
        expected[place_of(t.map, byte)] = t.contains(s) ? t.bytes()[t.place(s) + size_t(k)] : 0;
      if (++w <= 6 - 1 - 1) continue;
      w = -1;
      if (++h > 5 - 1 - 1) h = -1, ++n;
    }
    EXPECT_EQ(loaded(t, load_box_text({1, 0, 1, 0}, unsigned(byte), ".im2col", ", {2, 1}")),
              expected)
        << int(interleave);
  }
}

template <class F>
void expect_store(Slices& t, const Slice& start, const std::string& operation, F combine) {
  Array<uint8_t> b(SEEN);
  for (size_t i = 0; i < SEEN; ++i) b[i] = uint8_t(i * 13 + i / 100);
  std::vector<uint8_t> expected = t.bytes().values();
  size_t byte = 0;
  t.each(start, [&](const Slice& s) {
    for (int64_t k = 0; k < t.width(); k += t.element(), byte += t.element())
      if (t.contains(s)) combine(&expected[t.place(s) + size_t(k)], &b[place_of(t.map, byte)]);
  });
  std::string text = store_box_text(
      t.start(start), operation.empty() ? "cp.async.bulk.tensor." : "cp.reduce.async.bulk.tensor.");
  if (!operation.empty())
    text.replace(text.find("shared::cta.bulk"), 12, "shared::cta." + operation + ".");
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  EXPECT_EQ(t.bytes().values(), expected) << coordinates(t.start(start)) << operation;
}

TEST(InterleavedCopies, StoreAndReduceTiles) {
  const auto copy = [](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, 4); };
  const auto add = [](uint8_t* to, const uint8_t* from) {
    uint32_t a, c;
    std::memcpy(&a, to, 4);
    std::memcpy(&c, from, 4);
    a += c;
    std::memcpy(to, &a, 4);
  };
  for (const uint8_t interleave : {1, 2}) {
    Slices t(TYPE_U32, 4, interleave, {2, 4, 1, 6, 9}, {1, 2, 1, 3, 8});
    for (const Slice& start :
         {Slice{0, 1, 0, 2, 1}, Slice{1, 3, 0, 4, 5}, Slice{0, -1, 0, -2, -3}}) {
      expect_store(t, start, "", copy);
      expect_store(t, start, "add", add);
    }
  }
}

TEST(InterleavedCopies, AreNotOfFourRows) {
  Slices t(TYPE_F16, 3, 1, {1, 2, 1, 1, 10}, {1, 1, 1, 1, 8});
  std::string text = load_box_text({0, 0}, 64, ".tile::gather4");
  text.replace(text.find("{0, 0}"), 6, "{0, 0, 1, 2, 3}");
  Array<uint8_t> b(SEEN);
  expect_fault(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()),
               CUDA_ERROR_ILLEGAL_INSTRUCTION, {"dimensions are not those"});
}

TEST(InterleavedCopies, CheckTheirLastByte) {
  Slices t(TYPE_F16, 3, 1, {1, 2, 1, 1, 10}, {1, 1, 1, 1, 8});
  t.map.strides[0] = uint64_t{1} << 39;
  Array<uint8_t> b(SEEN);
  const auto run = [&](const Index& start) {
    return run_text(load_box_text(start, 128), shape(1, 128, ROOM), t.publish(), b.address());
  };
  expect_success(run({0, 0, 0}));
  expect_fault(run({0, 1, 0}), CUDA_ERROR_ILLEGAL_ADDRESS, {"read 16 bytes", "PTX line"});
}

}  // namespace
}  // namespace cucore::cpu::test
