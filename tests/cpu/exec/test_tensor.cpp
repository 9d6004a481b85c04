// SPDX-License-Identifier: Apache-2.0
// Tensor copies: boxes of every rank, swizzles, bounds, im2col, stores, reductions, and changes of
// maps. The expected boxes are computed element by element from the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "cpu/exec/tensor_map.hpp"
#include "expect.hpp"
#include "tensor_text.hpp"

namespace cucore::cpu::test {
namespace {

enum Type : uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };

// A map in memory of the device, with a tensor of numbered elements behind it.
class Tensor {
 public:
  Tensor(uint8_t type, std::vector<uint32_t> sizes, std::vector<uint16_t> box)
      : data_(size_t{1} << 16) {
    map.type = type;
    map.rank = uint8_t(sizes.size());
    map.address = data_.address() + 1024;
    uint64_t bytes = element();
    for (size_t k = 0; k < sizes.size(); ++k) {
      map.last_index[k] = sizes[k] - 1;
      map.box[k] = box.size() > k ? box[k] : 1;
      map.element_strides[k] = 1;
      bytes = (bytes * sizes[k] + 15) / 16 * 16 + (k ? 0 : 32);  // rows have gaps
      if (k + 1 < sizes.size()) map.strides[k] = bytes;
    }
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = uint8_t(i * 7 + i / 256);
  }
  uint32_t element() const { return tensor_element_bytes(map.type); }
  uint8_t* at(const std::vector<int64_t>& index) const {
    uint64_t offset = 1024 + uint64_t(index[0]) * element();
    for (size_t k = 1; k < index.size(); ++k) offset += uint64_t(index[k]) * map.strides[k - 1];
    return data_.data() + offset;
  }
  bool contains(const std::vector<int64_t>& index) const {
    for (size_t k = 0; k < index.size(); ++k)
      if (index[k] < 0 || index[k] > int64_t{map.last_index[k]}) return false;
    return true;
  }
  // Returns the map's address; a copy of the current map is there.
  uint64_t publish() {
    std::memcpy(place_.data(), static_cast<const void*>(&map), sizeof map);
    return place_.address();
  }
  // Takes over what a kernel has changed in the published map.
  void reread() { std::memcpy(static_cast<void*>(&map), place_.data(), sizeof map); }
  Array<uint8_t>& bytes() { return data_; }

  TensorMap map;

 private:
  Array<uint8_t> data_;
  Array<uint8_t> place_{TENSOR_MAP_BYTES};
};

// Calls visit(number of the element in the box, its index in the tensor).
void each_element(const Tensor& t, const Index& start,
                  const std::function<void(size_t, const Index&)>& visit) {
  Index step(t.map.rank, 0);
  std::vector<int64_t> counts;
  for (uint32_t k = 0; k < t.map.rank; ++k) {
    const int stride = k ? t.map.element_strides[k] : 1;
    counts.push_back((t.map.box[k] + stride - 1) / stride);
  }
  for (size_t number = 0;; ++number) {
    Index index(t.map.rank);
    for (uint32_t k = 0; k < t.map.rank; ++k)
      index[k] = start[k] + step[k] * (k ? t.map.element_strides[k] : 1);
    visit(number, index);
    uint32_t k = 0;
    while (k < t.map.rank && ++step[k] == counts[k]) step[k++] = 0;
    if (k == t.map.rank) return;
  }
}

// Rows that are shorter than the swizzle take the space of the whole swizzle.
size_t swizzled_place(const Tensor& t, size_t byte_of_rows) {
  const size_t row_bytes = (t.map.mode ? t.map.channels : t.map.box[0]) * t.element();
  const size_t pitch = std::max<size_t>(row_bytes, swizzle_span(TensorSwizzle(t.map.swizzle)));
  const size_t byte =
      t.map.interleave ? byte_of_rows : byte_of_rows / row_bytes * pitch + byte_of_rows % row_bytes;
  const size_t chunk = byte / 16, row = byte / 128;
  switch (TensorSwizzle(t.map.swizzle)) {
    case TensorSwizzle::BYTES_32:
      return (chunk ^ (row % 2)) * 16 + byte % 16;
    case TensorSwizzle::BYTES_64:
      return (chunk ^ (row % 4)) * 16 + byte % 16;
    case TensorSwizzle::BYTES_128:
      return (chunk ^ (row % 8)) * 16 + byte % 16;
    case TensorSwizzle::BYTES_128_ATOM_32:
      return (byte / 32 ^ (row % 4)) * 32 + byte % 32;
    case TensorSwizzle::BYTES_128_ATOM_32_FLIP_8:
      return (byte / 32 ^ (row % 4)) * 32 + ((byte % 32) ^ (row % 2 * 8));
    case TensorSwizzle::BYTES_128_ATOM_64:
      return (byte / 64 ^ (row % 2)) * 64 + byte % 64;
    default:
      return byte;
  }
}

std::vector<uint8_t> loaded(Tensor& t, const std::string& text) {
  Array<uint8_t> b(SEEN);
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  return b.values();
}

std::vector<uint8_t> expected_box(const Tensor& t, const Index& start) {
  std::vector<uint8_t> box(SEEN, 0xAA);
  each_element(t, start, [&](size_t number, const Index& index) {
    for (size_t k = 0; k < t.element(); ++k)
      box[swizzled_place(t, number * t.element() + k)] = t.contains(index) ? t.at(index)[k] : 0;
  });
  return box;
}

unsigned box_bytes(const Tensor& t) {
  size_t count = 0;
  each_element(t, Index(t.map.rank, 0), [&](size_t, const Index&) { ++count; });
  return unsigned(count * t.element());
}

void expect_load(Tensor& t, const Index& start) {
  EXPECT_EQ(loaded(t, load_box_text(start, box_bytes(t))), expected_box(t, start))
      << coordinates(start) << " swizzle " << int(t.map.swizzle);
}

TEST(TensorCopies, LoadTilesOfEveryRank) {
  Tensor one(U32, {100}, {64});
  expect_load(one, {20});
  expect_load(one, {60});   // beyond the end
  expect_load(one, {-32});  // before the start
  expect_load(one, {200});
  Tensor two(F16, {40, 30}, {16, 8});
  for (const Index& start : {Index{8, 4}, Index{-8, -3}, Index{32, 26}, Index{24, 29}})
    expect_load(two, start);
  Tensor three(U8, {64, 9, 7}, {32, 4, 3});
  expect_load(three, {16, 2, 3});
  expect_load(three, {48, 7, 5});
  Tensor four(F64, {6, 5, 4, 3}, {2, 3, 2, 2});
  expect_load(four, {4, 1, 1, 1});
  expect_load(four, {-2, -1, -1, -1});
  Tensor five(S32, {8, 3, 3, 3, 3}, {4, 2, 2, 2, 2});
  expect_load(five, {4, 1, 1, 1, 1});
  expect_load(five, {-4, 2, 2, 2, 2});
}

TEST(TensorCopies, StepOverElements) {
  Tensor t(U32, {16, 30, 9}, {8, 12, 5});
  t.map.element_strides[1] = 3;
  t.map.element_strides[2] = 2;
  t.map.element_strides[0] = 4;  // has no effect
  expect_load(t, {4, 2, 1});
  expect_load(t, {12, 25, 7});
}

TEST(TensorCopies, Swizzle) {
  for (uint8_t swizzle = 1; swizzle < uint8_t(TensorSwizzle::COUNT); ++swizzle) {
    const auto span = uint16_t(swizzle_span(TensorSwizzle(swizzle)));
    Tensor t(U16, {200, 60}, {uint16_t(span / 2), 40});
    t.map.swizzle = swizzle;
    expect_load(t, {16, 8});
    expect_load(t, {192, 30});
    Tensor narrow(U16, {200, 60}, {8, 32});  // rows shorter than the swizzle
    narrow.map.swizzle = swizzle;
    expect_load(narrow, {16, 8});
  }
}

TEST(TensorCopies, FillWithNaN) {
  Tensor t(F32, {10, 4}, {8, 4});
  t.map.fill = 1;
  const auto box = loaded(t, load_box_text({4, 2}, box_bytes(t)));
  each_element(t, {4, 2}, [&](size_t number, const Index& index) {
    float value;
    std::memcpy(&value, &box[number * 4], 4);
    if (t.contains(index))
      EXPECT_EQ(std::memcmp(&value, t.at(index), 4), 0);
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(value), 0x7ff77ff7u);
  });
}

// Numbers as their bits: below, at and above a tie, with both lower bits, up to infinity,
// subnormal, infinite and NaN.
TEST(TensorCopies, RoundToTF32) {
  const std::vector<std::pair<uint32_t, uint32_t>> rounded = {
      {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000}, {0x3f801001, 0x3f802000},
      {0x3f803000, 0x3f804000}, {0xbf802fff, 0xbf802000}, {0x3fffffff, 0x40000000},
      {0x7f7fffff, 0x7f800000}, {0x00001001, 0x00002000}, {0x80020001, 0x80020000},
      {0x7f800000, 0x7f800000}, {0xff800001, 0xff800001}, {0x7fffffff, 0x7fffffff}};
  for (const uint8_t type : {F32, F32_FTZ, TF32, TF32_FTZ})
    for (const uint8_t swizzle : {0, 2}) {
      Tensor t(type, {12, 2}, {16, 1});
      t.map.swizzle = swizzle;
      t.map.fill = 1;
      for (size_t k = 0; k < rounded.size(); ++k)
        std::memcpy(t.at({int64_t(k), 1}), &rounded[k].first, 4);
      const auto box = loaded(t, load_box_text({0, 1}, 64));
      for (size_t k = 0; k < 16; ++k) {
        uint32_t value, expected = 0x7ff77ff7;
        std::memcpy(&value, &box[k * 4], 4);
        if (k < rounded.size()) expected = type < TF32 ? rounded[k].first : rounded[k].second;
        EXPECT_EQ(value, expected) << k << " type " << int(type);
      }
    }
}

// An image of width 6 and height 5, a filter of 3 x 3 with a border of 1.
TEST(TensorCopies, LoadPixelsOfIm2col) {
  Tensor t(F16, {16, 6, 5, 3}, {});
  t.map.mode = uint8_t(TensorMode::IM2COL);
  t.map.channels = 8;
  t.map.pixels = 50;
  for (int k = 0; k < 2; ++k) t.map.lower[k] = t.map.upper[k] = -1;
  for (const int stride : {1, 2}) {
    t.map.element_strides[1] = t.map.element_strides[2] = uint8_t(stride);
    const auto box = loaded(t, load_box_text({8, 1, 0, 0}, 50 * 16, ".im2col", ", {2, 1}"));
    int64_t w = 1, h = 0, n = 0;
    for (size_t pixel = 0; pixel < 50; ++pixel) {
      for (int64_t c = 0; c < 8; ++c) {
        const Index index{8 + c, w + 2, h + 1, n};
        uint16_t value, expected = 0;
        std::memcpy(&value, &box[(pixel * 8 + size_t(c)) * 2], 2);
        if (t.contains(index)) std::memcpy(&expected, t.at(index), 2);
        ASSERT_EQ(value, expected) << pixel << "," << c << " stride " << stride;
      }
      if ((w += stride) > 6 - 1 - 1) {
        w = -1;
        if ((h += stride) > 5 - 1 - 1) h = -1, ++n;
      }
    }
  }
}

// The box of pixels is from 1 to 8 of a width of 8, and from -2 to 3 of a height of 6.
TEST(TensorCopies, StartInTheBoxOfPixels) {
  Tensor t(F16, {16, 8, 6, 3}, {});
  t.map.mode = uint8_t(TensorMode::IM2COL);
  t.map.channels = t.map.pixels = 8;
  t.map.lower[0] = t.map.upper[0] = 1;
  t.map.lower[1] = t.map.upper[1] = -2;
  Array<uint8_t> b(SEEN);
  const auto run = [&](const Index& start) {
    return run_text(load_box_text(start, 128, ".im2col", ", {0, 0}"), shape(1, 128, ROOM),
                    t.publish(), b.address());
  };
  for (const Index& start : {Index{0, 1, -2, 0}, {8, 8, 3, 2}, {0, 1, 3, 0}, {0, 8, -2, 0}})
    expect_success(run(start));
  for (const Index& start : {Index{0, 0, 0, 0}, {0, 9, 0, 0}, {0, 1, -3, 0}, {0, 1, 4, 0}})
    expect_fault(run(start), CUDA_ERROR_ILLEGAL_INSTRUCTION,
                 {"outside of the box of pixels", "PTX line"});
}

// ---- stores

template <class F>
void expect_store(Tensor& t, const Index& start, const char* name, F combine) {
  Array<uint8_t> b(SEEN);
  for (size_t i = 0; i < SEEN; ++i) b[i] = uint8_t(i * 13 + i / 100);
  std::vector<uint8_t> expected = t.bytes().values();
  each_element(t, start, [&](size_t number, const Index& index) {
    if (!t.contains(index)) return;
    uint8_t value[8];
    for (size_t k = 0; k < t.element(); ++k)
      value[k] = b[swizzled_place(t, number * t.element() + k)];
    combine(&expected[size_t(t.at(index) - t.bytes().data())], value);
  });
  expect_success(
      run_text(store_box_text(start, name), shape(1, 128, ROOM), t.publish(), b.address()));
  EXPECT_EQ(t.bytes().values(), expected) << name << coordinates(start);
}

TEST(TensorCopies, StoreTiles) {
  for (uint8_t swizzle = 0; swizzle < uint8_t(TensorSwizzle::COUNT); ++swizzle) {
    Tensor t(U16, {100, 20}, {16, 10});
    t.map.swizzle = swizzle;
    const auto copy = [](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, 2); };
    expect_store(t, {8, 4}, "cp.async.bulk.tensor.", copy);
    expect_store(t, {88, 15}, "cp.async.bulk.tensor.", copy);
    expect_store(t, {-8, -5}, "cp.async.bulk.tensor.", copy);
  }
}

template <class T, class F>
void expect_reduction(uint8_t type, const char* operation, F f) {
  Tensor t(type, {20, 6}, {uint16_t(64 / sizeof(T)), 4});
  const std::string name = "cp.reduce.async.bulk.tensor." + std::string("2d.global.shared::cta.");
  Array<uint8_t> b(SEEN);
  for (size_t i = 0; i < SEEN; ++i) b[i] = uint8_t(i * 13);
  std::vector<uint8_t> expected = t.bytes().values();
  each_element(t, {8, 3}, [&](size_t number, const Index& index) {
    if (!t.contains(index)) return;
    T a, c;
    uint8_t* place = &expected[size_t(t.at(index) - t.bytes().data())];
    std::memcpy(&a, place, sizeof a);
    std::memcpy(&c, &b[number * sizeof(T)], sizeof c);
    a = f(a, c);
    std::memcpy(place, &a, sizeof a);
  });
  std::string text = store_box_text({8, 3}, "cp.reduce.async.bulk.tensor.");
  text.replace(text.find("shared::cta.bulk"), 12, std::string("shared::cta.") + operation + ".");
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  EXPECT_EQ(t.bytes().values(), expected) << operation;
}

TEST(TensorCopies, Reduce) {
  expect_reduction<uint32_t>(U32, "add", [](auto a, auto b) { return a + b; });
  expect_reduction<int32_t>(S32, "min", [](auto a, auto b) { return std::min(a, b); });
  expect_reduction<uint64_t>(U64, "max", [](auto a, auto b) { return std::max(a, b); });
  expect_reduction<uint32_t>(U32, "and", [](auto a, auto b) { return a & b; });
  expect_reduction<uint64_t>(S64, "xor", [](auto a, auto b) { return a ^ b; });
  expect_reduction<uint32_t>(U32, "inc", [](auto a, auto b) { return a >= b ? 0 : a + 1; });
  Tensor t(U16, {20, 6}, {8, 4});
  Array<uint8_t> b(SEEN);
  std::string text = store_box_text({8, 3}, "cp.reduce.async.bulk.tensor.");
  text.replace(text.find("shared::cta.bulk"), 12, "shared::cta.add.");
  expect_fault(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()),
               CUDA_ERROR_ILLEGAL_INSTRUCTION, {"does not have this reduction"});
}

// ---- four rows

std::string with_rows(std::string text, const Index& column_and_rows) {
  const std::string one = coordinates({column_and_rows[0], 0});
  return text.replace(text.find(one), one.size(), coordinates(column_and_rows));
}

// Calls visit(byte in the box, row and column in the tensor) for each element of the four rows.
void each_of_four_rows(const Tensor& t, const Index& place,
                       const std::function<void(size_t, const Index&)>& visit) {
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < t.map.box[0]; ++column)
      visit((row * t.map.box[0] + column) * t.element(),
            {place[0] + int64_t(column), place[row + 1]});
}

TEST(TensorCopies, GatherFourRows) {
  for (uint8_t swizzle = 0; swizzle < uint8_t(TensorSwizzle::COUNT); ++swizzle)
    for (const Index& place : {Index{8, 3, 20, 1, 29}, Index{32, -1, 30, 5, 5}}) {
      Tensor t(F16, {40, 30}, {16, 1});
      t.map.swizzle = swizzle;
      std::vector<uint8_t> expected(SEEN, 0xAA);
      each_of_four_rows(t, place, [&](size_t byte, const Index& index) {
        for (size_t k = 0; k < 2; ++k)
          expected[swizzled_place(t, byte + k)] = t.contains(index) ? t.at(index)[k] : 0;
      });
      const auto text = with_rows(load_box_text({place[0], 0}, 4 * 32, ".tile::gather4"), place);
      EXPECT_EQ(loaded(t, text), expected) << coordinates(place) << int(swizzle);
    }
}

TEST(TensorCopies, ScatterFourRows) {
  Tensor t(U32, {40, 30}, {8, 1});
  const Index place{36, 29, 4, 31, 0};
  Array<uint8_t> b(SEEN);
  for (size_t i = 0; i < SEEN; ++i) b[i] = uint8_t(i * 13 + i / 100);
  std::vector<uint8_t> expected = t.bytes().values();
  each_of_four_rows(t, place, [&](size_t byte, const Index& index) {
    if (t.contains(index))
      std::memcpy(&expected[size_t(t.at(index) - t.bytes().data())], &b[byte], 4);
  });
  const auto text =
      with_rows(store_box_text({place[0], 0}, "cp.async.bulk.tensor.", ".tile::scatter4"), place);
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  EXPECT_EQ(t.bytes().values(), expected);
}

TEST(TensorCopies, FourRowsNeedAPlaneOfSingleRows) {
  Array<uint8_t> b(SEEN);
  const auto text = with_rows(load_box_text({8, 0}, 128, ".tile::gather4"), {8, 1, 2, 3, 4});
  Tensor tall(F16, {40, 30}, {16, 2}), space(F16, {40, 30, 2}, {16, 1, 1});
  expect_fault(run_text(text, shape(1, 128, ROOM), tall.publish(), b.address()),
               CUDA_ERROR_ILLEGAL_INSTRUCTION, {"more than one row", "PTX line"});
  expect_fault(run_text(text, shape(1, 128, ROOM), space.publish(), b.address()),
               CUDA_ERROR_ILLEGAL_INSTRUCTION, {"dimensions are not those", "PTX line"});
}

// The manual has figures alone for the halo of im2col::w.
TEST(TensorCopies, WideIm2colIsNamedAsMissing) {
  Tensor t(F16, {16, 6, 5, 3}, {});
  t.map.mode = uint8_t(TensorMode::IM2COL);
  t.map.channels = 8;
  t.map.pixels = 8;
  Array<uint8_t> b(SEEN);
  for (const char* mode : {".im2col::w", ".im2col::w::128"})
    expect_fault(run_text(load_box_text({8, 1, 0, 0}, 128, mode, ", {0, 0}"), shape(1, 128, ROOM),
                          t.publish(), b.address()),
                 CUDA_ERROR_NOT_SUPPORTED, {"im2col::w", "PTX line"});
}

// ---- changes of maps

// f32.ftz, f64 and bf16 have other numbers in PTX than in cuda.h.
TEST(TensorMaps, GetTheTypesOfPtx) {
  const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12, 255};
  for (unsigned value = 0; value < std::size(types); ++value) {
    Tensor t(U32, {100, 20}, {8, 4});
    Array<uint8_t> place(TENSOR_MAP_BYTES);
    std::memcpy(place.data(), &t.map, sizeof t.map);
    const std::string text = kernel_text(
        "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd0], " + std::to_string(value) + ";");
    expect_success(run_text(text, shape(1, 1), place.address()));
    std::memcpy(static_cast<void*>(&t.map), place.data(), sizeof t.map);
    EXPECT_EQ(t.map.type, types[value]) << value;
  }
}

TEST(TensorMaps, AreReplacedMemberByMember) {
  Tensor t(U32, {100, 20}, {8, 4}), other(U32, {100, 20}, {16, 2});
  Array<uint8_t> moved(TENSOR_MAP_BYTES);
  other.publish();
  // The map is changed in shared memory, as kernels do, and copied to global memory.
  const std::string change = kernel_text(
      "mov.u32 %r4, %r1; ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%rd0]; setp.ge.u32 %p1, %r1, 8;"
      "mul.wide.u32 %rd3, %r1, 16; add.s64 %rd3, %rd3, %rd0; mov.u32 %r9, m; mad.lo.u32 %r9, %r1, "
      "16, %r9;"
      "@%p1 bra rest; ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%rd3];"
      "st.shared.v4.u32 [%r9], {%r5,%r6,%r7,%r8};\nrest: bar.warp.sync -1; setp.ne.u32 %p2, %r1, 0;"
      "@%p2 bra done;"
      "add.s64 %rd4, %rd1, 0;"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [m], 0, 90;"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [m], 1, 19;"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [m], 0, 12;"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [m], 1, 6;"
      "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [m], 1, 2;"
      "tensormap.replace.tile.rank.shared::cta.b1024.b32 [m], 1;"
      "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [m], 2;"
      "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [m], 0;"
      "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [m], 0;"
      "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [m], 3;"
      "mov.u64 %rd5, 800; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [m], 0, %rd5;"
      "ld.global.u64 %rd6, [%rd0+8]; add.s64 %rd6, %rd6, 16;"
      "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [m], %rd6;\ndone:"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%rd1], [m], 128;"
      "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;",
      ".shared .align 128 .b8 m[128];\n");
  static_assert(offsetof(TensorMap, address) == 8);
  expect_success(run_text(change, shape(1, 32), t.publish(), moved.address()));
  std::memcpy(static_cast<void*>(&t.map), moved.data(), sizeof t.map);
  EXPECT_EQ(t.map.last_index[0], 89u);
  t.map.address -= 16;  // at() counts from the old start
  Tensor& same = t;
  const unsigned bytes = box_bytes(same);
  EXPECT_EQ(bytes, 12u * 3 * 4);
  t.map.address += 16;
  const auto box = loaded(t, load_box_text({4, 2}, bytes));
  each_element(t, {4, 2}, [&](size_t number, const Index& index) {
    const size_t place = swizzled_place(t, number * 4);
    EXPECT_EQ(std::memcmp(&box[place], t.at({index[0] + 4, index[1]}), 4), 0) << number;
  });
}

// The atoms of a swizzle of 128 bytes, set before and behind the swizzle itself.
TEST(TensorMaps, HaveAtomsOfSwizzles) {
  const auto change = [](Tensor& t, const std::string& fields) {
    const uint64_t place = t.publish();
    expect_success(run_text(kernel_text(fields), shape(1, 1), place));
    t.reread();
  };
  const std::string mode = "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd0], ";
  const std::string atoms = "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd0], ";
  for (int atom = 0; atom < 4; ++atom)
    for (const bool first : {false, true}) {
      Tensor t(U16, {200, 60}, {64, 40});
      const std::string set = atoms + std::to_string(atom) + "; ";
      change(t, first ? set + mode + "3;" : mode + "3; " + set);
      EXPECT_EQ(t.map.swizzle, uint8_t(TensorSwizzle::BYTES_128) + atom);
      expect_load(t, {16, 8});
    }
  Tensor wrong(U16, {200, 60}, {16, 40});
  change(wrong, mode + "1; " + atoms + "2;");
  Array<uint8_t> b(SEEN);
  expect_fault(
      run_text(load_box_text({0, 0}, 64), shape(1, 128, ROOM), wrong.publish(), b.address()),
      CUDA_ERROR_ILLEGAL_INSTRUCTION, {"atomicity"});
}

// ---- mistakes

TEST(TensorMaps, AreCheckedBeforeEachUse) {
  Array<uint8_t> b(SEEN);
  const auto fault = [&](Tensor& t, CUresult code, const char* part, const Index& start = {0, 0}) {
    expect_fault(run_text(load_box_text(start, 256), shape(1, 128, ROOM), t.publish(), b.address()),
                 code, {part, "PTX line"});
  };
  const CUresult illegal = CUDA_ERROR_ILLEGAL_INSTRUCTION;
  const auto make = [](std::function<void(TensorMap&)> change) {
    auto t =
        std::make_unique<Tensor>(U32, std::vector<uint32_t>{100, 20}, std::vector<uint16_t>{16, 4});
    change(t->map);
    return t;
  };
  fault(*make([](TensorMap& m) { m.magic = 0; }), illegal, "no tensor map");
  fault(*make([](TensorMap& m) { m.rank = 3, m.element_strides[2] = 1, m.box[2] = 1; }), illegal,
        "dimensions");
  fault(*make([](TensorMap& m) { m.rank = 200; }), illegal, "dimensions");
  fault(*make([](TensorMap& m) { m.type = 77; }), illegal, "type");
  fault(*make([](TensorMap& m) { m.box[1] = 0; }), illegal, "box");
  fault(*make([](TensorMap& m) { m.box[0] = 3; }), illegal, "multiples of 16 bytes");
  fault(*make([](TensorMap& m) { m.swizzle = 9; }), illegal, "swizzle");
  fault(*make([](TensorMap& m) { m.swizzle = 1; }), illegal, "longer than the swizzle");
  fault(*make([](TensorMap& m) { m.strides[0] = 24; }), illegal, "stride");
  fault(*make([](TensorMap& m) { m.element_strides[1] = 0; }), illegal, "stride of elements");
  fault(*make([](TensorMap& m) { m.box[0] = m.box[1] = 256; }), illegal, "larger than shared");
  fault(*make([](TensorMap& m) { m.mode = 1, m.channels = 4, m.pixels = 1; }), illegal, "im2col");
  for (int64_t first : {1, 2, -1})
    fault(*make([](TensorMap&) {}), illegal, "start at a multiple of 16 bytes", {first, 0});
  fault(*make([](TensorMap& m) { m.address += 1u << 20; }), CUDA_ERROR_ILLEGAL_ADDRESS,
        "read 64 bytes");
  fault(*make([](TensorMap& m) {
    m.last_index[1] = ~0u;
    m.strides[0] = (1ull << 40) - 16;
  }),
        CUDA_ERROR_ILLEGAL_ADDRESS, "read 64 bytes", {0, 7});
}

TEST(TensorMaps, NeedAlignment) {
  Tensor t(U32, {100, 20}, {16, 4});
  Array<uint8_t> b(SEEN), odd(256);
  std::memcpy(odd.data() + 32, static_cast<const void*>(&t.map), sizeof t.map);
  expect_fault(
      run_text(load_box_text({0, 0}, 256), shape(1, 128, ROOM), odd.address() + 32, b.address()),
      CUDA_ERROR_MISALIGNED_ADDRESS, {"alignment of 64 bytes"});
  std::string text = load_box_text({0, 0}, 256);
  text.replace(text.find("bytes [%r10]"), 12, "bytes [%r10+64]");
  expect_fault(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()),
               CUDA_ERROR_MISALIGNED_ADDRESS, {"alignment of 128 bytes"});
}

TEST(TensorCopies, WithoutTheWaitTheOldDataIsVisible) {
  Tensor t(U32, {100, 20}, {16, 4});
  Array<uint8_t> b(SEEN);
  const std::string text = load_box_text({0, 0}, 256, "", "", "");
  expect_success(run_text(text, shape(1, 128, ROOM), t.publish(), b.address()));
  EXPECT_EQ(b[0], 0xAA);
}

// Block 1 of four sends the box of a tile to the blocks of a mask, to the same place in each.
std::string multicast_text(const Index& start, unsigned bytes, unsigned mask) {
  return kernel_text(
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mov.u32 %r10, box;"
      "add.u32 %r10, %r10, 1023; and.b32 %r10, %r10, -1024; mov.u32 %r4, %r1;\n"
      "clear: shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r10; st.shared.u32 [%r5], 0xAAAAAAAA;"
      "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 7168; @%p2 bra clear; bar.sync 0;"
      "mov.u32 %r6, " +
          std::to_string(mask) +
          "; shr.u32 %r7, %r6, %r2; and.b32 %r7, %r7, 1;"
          "setp.eq.u32 %p4, %r7, 1; and.pred %p5, %p1, %p4;"
          "@%p5 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], " +
          std::to_string(bytes) +
          ";"
          "barrier.cluster.arrive; barrier.cluster.wait;"
          "setp.eq.and.u32 %p3, %r2, 1, %p1; cvt.u16.u32 %rs1, %r6;"
          "@%p3 cp.async.bulk.tensor." +
          std::to_string(start.size()) +
          "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r10], "
          "[%rd0, " +
          coordinates(start) + "], [bar], %rs1;\n@!%p4 bra received;" + WAIT_FOR_BOX +
          "received: barrier.cluster.arrive; barrier.cluster.wait;"
          "mul.wide.u32 %rd4, %r2, 28672; add.s64 %rd1, %rd1, %rd4; mov.u32 %r4, %r1;\n"
          "more: shl.b32 %r5, %r4, 2; cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd3, %rd1;"
          "add.u32 %r5, %r5, %r10; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6;"
          "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 7168; @%p2 bra more;",
      TENSOR_MEMORY);
}

TEST(TensorCopies, ReachSeveralBlocks) {
  Tensor t(F16, {40, 30}, {16, 8});
  const std::vector<uint8_t> untouched(SEEN, 0xAA);
  for (const uint8_t swizzle : {0, 1})
    for (const unsigned mask : {0b1111u, 0b1010u, 0b0001u})
      for (const Index& start : {Index{8, 4}, Index{-8, 26}}) {
        t.map.swizzle = swizzle;
        Array<uint8_t> b(4 * SEEN);
        Shape four = clusters(4, 128, 4);
        four.shared = ROOM;
        expect_success(
            run_text(multicast_text(start, box_bytes(t), mask), four, t.publish(), b.address()));
        const std::vector<uint8_t> all = b.values(), box = expected_box(t, start);
        for (unsigned block = 0; block < 4; ++block) {
          const auto first = all.begin() + block * SEEN;
          EXPECT_EQ(std::vector<uint8_t>(first, first + SEEN), mask >> block & 1 ? box : untouched)
              << "block " << block << " mask " << mask << ' ' << coordinates(start);
        }
      }
}

TEST(TensorCopies, ReachNoBlockBeyondTheCluster) {
  Tensor t(F16, {40, 30}, {16, 8});
  Shape four = clusters(4, 128, 4);
  four.shared = ROOM;
  expect_fault(run_text(multicast_text({8, 4}, box_bytes(t), 0b10010), four, t.publish()),
               CUDA_ERROR_ILLEGAL_ADDRESS, {"in a cluster of 4 blocks", "PTX line"});
}

}  // namespace
}  // namespace cucore::cpu::test
