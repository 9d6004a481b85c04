// SPDX-License-Identifier: Apache-2.0
// Rows of tensor maps: which arguments the driver accepts, and which bytes a copy by the map moves.
#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "rows.hpp"
#include "tensor_copy.hpp"

namespace cucore::cpu::record {
namespace {

constexpr int64_t MOST = int64_t{1} << 32;  // size of a dimension
constexpr CUtensorMapDataType TYPES[] = {
    CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64};
const char* const TYPE_NAMES[] = {"u8", "u16", "f32", "u64"};

std::string listed(const std::vector<int>& values) {
  std::string text;
  for (int v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

template <class T>
std::string joined(const T& values, unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) text += (k ? "x" : "") + std::to_string(values[k]);
  return text;
}

// One line with the results of several maps, each a change of one map: "SUCCESS=1,2
// INVALID_VALUE=3".
template <class F>
void add_each(Rows& rows, const std::string& name, const TensorShape& base,
              const std::vector<int64_t>& values, F change) {
  rows.add(Start::SHARED, name, [=](Line& line) {
    std::string same, last;
    for (const int64_t value : values) {
      TensorShape shape = base;
      change(shape, value);
      const std::string result = result_name(TensorCopies::get().encode(shape));
      if (!last.empty() && result != last) line.text(last.c_str(), std::exchange(same, ""));
      same += (same.empty() ? "" : ",") + std::to_string(value);
      last = result;
    }
    line.text(last.c_str(), same);
  });
}

void add_copy(Rows& rows, const std::string& name, const TensorShape& shape,
              const std::vector<std::vector<int>>& starts) {
  rows.add(Start::SHARED, name, [=](Line& line) {
    TensorCopies& copies = TensorCopies::get();
    const CUresult encoded = copies.encode(shape);
    line("encode", encoded);
    if (encoded != CUDA_SUCCESS) return;
    for (const std::vector<int>& start : starts) {
      const CUresult copied = copies.load(shape, start);
      line(("load " + listed(start)).c_str(), copied);
      if (copied != CUDA_SUCCESS) return;
      line.value("bytes", copies.counted()).text("box", copies.atoms());
    }
  });
}

// u16 elements, 32 channels, W 10, H 6, N 3.
TensorShape plain() {
  TensorShape s;
  s.sizes = {32, 10, 6, 3};
  s.strides = {64, 640, 3840};
  s.box = {8, 4, 2, 1};
  return s;
}

void add_general(Rows& rows) {
  rows.subject("tensor map");
  add_each(rows, "types", plain(), {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
           [](TensorShape& s, int64_t v) { s.type = CUtensorMapDataType(v), s.box[0] = 32; });
  add_each(rows, "types, fill with NaN", plain(), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
           [](TensorShape& s, int64_t v) {
             s.type = CUtensorMapDataType(v), s.box[0] = 16;
             s.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
           });
  add_each(rows, "ranks", plain(), {0, 1, 2, 3, 4, 5, 6}, [](TensorShape& s, int64_t v) {
    s.rank = unsigned(v);
    for (unsigned k = 4; k < 6; ++k) s.sizes[k] = s.box[k] = 1, s.strides[k - 1] = 11520;
  });
  add_each(rows, "offset of the address", plain(), {0, 1, 8, 16, 32, 48},
           [](TensorShape& s, int64_t v) { s.offset = unsigned(v); });
  add_each(rows, "address of the map", plain(), {0, 1, 8, 16, 32, 64},
           [](TensorShape& s, int64_t v) { s.place = unsigned(v); });
  for (unsigned k = 0; k < 4; ++k) {
    const std::string of = " of dimension " + std::to_string(k);
    add_each(rows, "sizes" + of, plain(), {0, 1, 7, 31, MOST / 2, MOST, MOST + 1},
             [k](TensorShape& s, int64_t v) { s.sizes[k] = cuuint64_t(v); });
    add_each(rows, "boxes" + of, plain(), {0, 1, 4, 8, 12, 16, 48, 255, 256, 257, 264},
             [k](TensorShape& s, int64_t v) {
               s.box = {8, 1, 1, 1};
               s.box[k] = cuuint32_t(v);
             });
    add_each(rows, "steps" + of, plain(), {0, 1, 2, 3, 8, 9, 16},
             [k](TensorShape& s, int64_t v) { s.steps[k] = cuuint32_t(v); });
    if (k == 3) break;
    add_each(rows, "strides" + of, plain(),
             {0, 8, 16, 24, 32, 48, 64, 640, 3840, 1 << 20, (MOST << 8) - 16, MOST << 8},
             [k](TensorShape& s, int64_t v) { s.strides[k] = cuuint64_t(v); });
  }
  for (int swizzle = 0; swizzle < 8; ++swizzle) {
    TensorShape s = plain();
    s.sizes[0] = 256;
    s.strides = {512, 5120, 30720};
    s.swizzle = CUtensorMapSwizzle(swizzle);
    add_each(rows, "boxes of swizzle " + std::to_string(swizzle), s,
             {8, 16, 24, 32, 40, 48, 64, 72, 128},
             [](TensorShape& t, int64_t v) { t.box[0] = cuuint32_t(v); });
  }
  add_each(rows, "promotions", plain(), {-1, 0, 1, 2, 3, 4},
           [](TensorShape& s, int64_t v) { s.promotion = CUtensorMapL2promotion(v); });
  add_each(rows, "fills", plain(), {-1, 0, 1, 2}, [](TensorShape& s, int64_t v) {
    s.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    s.fill = CUtensorMapFloatOOBfill(v);
  });
  add_each(rows, "interleaves", plain(), {-1, 0, 1, 2, 3}, [](TensorShape& s, int64_t v) {
    s.interleave = CUtensorMapInterleave(v);
    if (v == 2) s.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  });
  // Bytes of a box, in rows of 512 bytes.
  add_each(rows, "rows of large boxes", plain(),
           {256, 400, 440, 454, 455, 456, 464, 480, 496, 510, 512, 514, 640, 1000, 1022, 1024, 2046,
            2048, 4096},
           [](TensorShape& s, int64_t v) {
             const auto count = cuuint32_t(v);
             s.box = {256, count, 1, 1};
             for (unsigned k = 2; s.box[1] > 256 && k < 4; ++k)
               for (cuuint32_t d = 2; d <= 256; ++d)
                 if (count % d == 0 && count / d <= 256) {
                   s.box = {256, count / d, 1, 1};
                   s.box[k] = d;
                   break;
                 }
           });
  // Elements of a box that is larger than shared memory.
  add_each(rows, "large boxes", plain(), {16, 32, 64, 128, 256}, [](TensorShape& s, int64_t v) {
    for (unsigned k = 0; k < 4; ++k) s.box[k] = cuuint32_t(v);
  });
}

void add_plain_copies(Rows& rows) {
  rows.subject("tensor copy");
  const std::vector<std::vector<int>> starts = {
      {0, 0, 0, 0}, {8, 3, 2, 1}, {-8, -1, -1, 0}, {24, 8, 5, 2}};
  add_copy(rows, "plain", plain(), starts);
  // A start that is not a multiple of 16 bytes.
  for (int start : {1, 2, 4, 12, -1, -4})
    add_copy(rows, "start " + std::to_string(start), plain(), {{start, 0, 0, 0}});
  for (size_t t = 0; t < std::size(TYPES); ++t) {
    TensorShape s = plain();
    s.type = TYPES[t];
    s.box[0] = 16;
    add_copy(rows, std::string("type ") + TYPE_NAMES[t], s, {{0, 0, 0, 0}, {16, 7, 4, 1}});
  }
  for (const CUtensorMapDataType type :
       {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ}) {
    TensorShape s = plain();
    s.type = type;
    s.box = {8, 2, 1, 1};
    s.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    add_copy(rows, "fill of type " + std::to_string(type), s, {{0, 9, 0, 0}});
  }
  // Subnormal numbers, and low bits that TF32 lacks.
  for (int type : {7, 10, 11, 12})
    for (unsigned offset : {0u, 8192u, 16384u}) {
      TensorShape s = plain();
      s.type = CUtensorMapDataType(type);
      s.offset = offset;
      s.box = {8, 2, 1, 1};
      add_copy(rows, "type " + std::to_string(type) + " from " + std::to_string(offset), s,
               {{0, 0, 0, 0}});
    }
  // Strides in other orders, and dimensions that share bytes.
  for (const auto& strides : {std::array<cuuint64_t, 5>{3840, 640, 64},
                              {640, 64, 3840},
                              {64, 64, 64},
                              {16, 16, 16},
                              {0, 640, 3840},
                              {64, 0, 0}}) {
    TensorShape s = plain();
    s.strides = strides;
    add_copy(rows, "strides " + joined(s.strides, 3), s, {{0, 0, 0, 0}, {8, 1, 2, 1}});
  }
  for (int swizzle = 1; swizzle < 4; ++swizzle)
    for (cuuint32_t width : {8u, 16u, 32u, 64u}) {
      if (width > 8u << swizzle) continue;
      TensorShape s = plain();
      s.swizzle = CUtensorMapSwizzle(swizzle);
      s.box = {width, 10, 2, 1};
      if (width == 64) s.sizes = {64, 10, 3, 1}, s.strides = {128, 1280, 3840};
      add_copy(rows, "swizzle " + std::to_string(swizzle) + ", box of " + std::to_string(width), s,
               {{0, 0, 0, 0}});
    }
  for (unsigned k = 0; k < 4; ++k)
    for (cuuint32_t step : {2u, 3u}) {
      TensorShape s = plain();
      s.box = {16, 5, 4, 2};
      s.steps[k] = step;
      add_copy(rows, "step " + std::to_string(step) + " of dimension " + std::to_string(k), s,
               {{0, 0, 0, 0}, {8, 6, 3, 1}});
    }
}

// Tensors with interleave. Dimension 0 is W in slices of `unit` bytes. H and D follow as far as the
// rank has them, then slices of channels, and N. BETWEEN has the slices of channels after each row.
enum class Order { ASCENDING, BETWEEN, COUNT };
const char* const ORDER_NAMES[] = {"ascending", "slices between"};

constexpr cuuint64_t W = 6, H = 5, D = 3, SLICES = 4;

TensorShape interleaved(int interleave, unsigned rank, Order order) {
  TensorShape s;
  s.rank = rank;
  s.interleave = CUtensorMapInterleave(interleave);
  if (interleave == 2) s.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  const cuuint64_t unit = interleave == 2 ? 32 : 16;
  const cuuint64_t inner[] = {W, H, D};
  s.sizes.fill(1);
  s.box.fill(1);
  s.box[0] = 8;  // as many elements as 16 bytes have
  for (unsigned k = 0; k + 2 < rank; ++k) s.sizes[k] = inner[k];
  s.sizes[rank - 2] = SLICES;
  s.sizes[rank - 1] = 2;
  cuuint64_t stride = unit * W;
  for (unsigned k = 1; k < rank; ++k) {
    s.strides[k - 1] = stride;
    stride *= s.sizes[k];
  }
  if (order == Order::ASCENDING) return s;
  s.strides[rank - 3] = unit * W;  // of the slices
  stride = unit * W * SLICES;
  for (unsigned k = 1; k < rank; ++k) {
    if (k == rank - 2) continue;
    s.strides[k - 1] = stride;
    stride *= s.sizes[k];
  }
  return s;
}

std::string name_of(const TensorShape& s, Order order) {
  return "interleave " + std::to_string(s.interleave) + ", rank " + std::to_string(s.rank) + ", " +
         ORDER_NAMES[int(order)];
}

template <class F>
void each_interleaved(F f) {
  for (int interleave : {1, 2})
    for (unsigned rank : {3u, 4u, 5u})
      for (int order = 0; order < int(Order::COUNT); ++order)
        f(interleaved(interleave, rank, Order(order)), Order(order));
}

cuuint32_t elements_of(int64_t bytes, size_t type) { return cuuint32_t(bytes >> type); }

void add_interleaved_maps(Rows& rows) {
  rows.subject("tensor map");
  each_interleaved([&](const TensorShape& base, Order order) {
    for (size_t t = 0; t < std::size(TYPES); ++t) {
      TensorShape s = base;
      s.type = TYPES[t];
      s.box[0] = elements_of(16, t);
      const unsigned channels = s.rank - 2;
      const std::string name = name_of(s, order) + ", " + TYPE_NAMES[t];
      add_each(rows, name + ", boxes of W", s, {1, 2, 3, 4, 8, 16, 24, 32, 64, 128, 256, 257},
               [](TensorShape& m, int64_t v) { m.box[0] = cuuint32_t(v); });
      add_each(rows, name + ", boxes of channels", s, {0, 1, 2, 3, 4, 5, 8, 16, 32, 64, 256, 257},
               [=](TensorShape& m, int64_t v) { m.box[channels] = cuuint32_t(v); });
      if (order != Order::ASCENDING) continue;
      add_each(rows, name + ", sizes of W", s, {1, 2, 3, 8, 16, 32, 100},
               [](TensorShape& m, int64_t v) { m.sizes[0] = cuuint64_t(v); });
    }
    const std::string name = name_of(base, order);
    add_each(rows, name + ", swizzles", base, {0, 1, 2, 3, 4, 5, 6},
             [](TensorShape& m, int64_t v) { m.swizzle = CUtensorMapSwizzle(v); });
    add_each(rows, name + ", swizzles of long boxes", base, {0, 1, 2, 3},
             [](TensorShape& m, int64_t v) {
               m.swizzle = CUtensorMapSwizzle(v);
               m.box[0] = 128;
             });
    add_each(rows, name + ", first stride", base,
             {0, 8, 16, 32, 48, 64, 96, 112, 192, 960, 1 << 20},
             [](TensorShape& m, int64_t v) { m.strides[0] = cuuint64_t(v); });
    add_each(rows, name + ", offset", base, {0, 8, 16, 32, 48, 64},
             [](TensorShape& m, int64_t v) { m.offset = unsigned(v); });
    add_each(rows, name + ", steps", base, {0, 1, 2, 3, 8, 9},
             [](TensorShape& m, int64_t v) { m.steps[0] = cuuint32_t(v), m.box[0] = 16; });
  });
}

// A start with these places in W and channels, and the others in the middle.
std::vector<int> start_of(unsigned rank, int w, int channel, int other) {
  std::vector<int> start(rank, other);
  start[0] = w;
  start[rank - 2] = channel;
  start[rank - 1] = other > 0 ? 1 : 0;
  return start;
}

void add_interleaved_copies(Rows& rows) {
  rows.subject("tensor copy");
  each_interleaved([&](const TensorShape& base, Order order) {
    const unsigned rank = base.rank;
    for (cuuint32_t width : {8u, 16u}) {
      TensorShape s = base;
      s.box[0] = width;
      if (rank > 3) s.box[1] = 3;
      if (rank > 4) s.box[2] = 2;
      add_copy(rows, name_of(s, order) + ", box of " + std::to_string(width), s,
               {start_of(rank, 0, 0, 0), start_of(rank, 1, 2, 1), start_of(rank, -1, 3, 2),
                start_of(rank, -3, 4, 0), start_of(rank, 2, -1, 0)});
    }
    if (order != Order::ASCENDING) return;
    // How many slices of channels a box has.
    for (size_t t = 0; t < std::size(TYPES); ++t)
      for (cuuint32_t channels : {1u, 2u, 3u, 5u, 8u, 9u, 16u, 17u, 32u, 64u}) {
        TensorShape s = base;
        s.type = TYPES[t];
        s.box[0] = elements_of(16, t);
        s.box[rank - 2] = channels;
        add_copy(rows,
                 name_of(s, order) + ", " + TYPE_NAMES[t] + ", " + std::to_string(channels) +
                     " channels",
                 s, {start_of(rank, 0, 1, 0)});
      }
    TensorShape pair = base;
    pair.box[rank - 1] = 2;
    add_copy(rows, name_of(pair, order) + ", two of N", pair,
             {start_of(rank, 0, 1, 0), start_of(rank, 2, 1, 1)});
    for (unsigned k = 0; k < rank; ++k) {
      TensorShape s = base;
      s.box[0] = 16;
      if (rank > 3) s.box[1] = 3;
      s.box[rank - 2] = 32;
      s.steps[k] = 2;
      add_copy(rows, name_of(s, order) + ", step of dimension " + std::to_string(k), s,
               {start_of(rank, 0, 0, 0), start_of(rank, 1, 1, 1)});
    }
  });
  for (int swizzle = 0; swizzle < 4; ++swizzle)
    for (unsigned rank : {3u, 4u}) {
      TensorShape s = interleaved(1, rank, Order::ASCENDING);
      s.swizzle = CUtensorMapSwizzle(swizzle);
      s.sizes[0] = 24;
      s.box[0] = 24;
      if (rank > 3) s.box[1] = 3;
      add_copy(rows, name_of(s, Order::ASCENDING) + ", swizzle " + std::to_string(swizzle), s,
               {start_of(rank, 0, 0, 0)});
    }
  TensorShape filled = interleaved(1, 3, Order::ASCENDING);
  filled.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  filled.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  add_copy(rows, "interleave 1, fill with NaN", filled, {start_of(3, 2, 1, 0)});
}

TensorShape pixels() {
  TensorShape s = plain();
  s.is_im2col = true;
  s.lower = s.upper = {-1, -1, 0};
  s.channels = 8;
  s.pixels = 24;
  return s;
}

void add_pixel_maps(Rows& rows) {
  rows.subject("tensor map of pixels");
  add_each(rows, "ranks", pixels(), {2, 3, 4, 5, 6}, [](TensorShape& s, int64_t v) {
    s.rank = unsigned(v);
    for (unsigned k = 4; k < 6; ++k) s.sizes[k] = 1, s.strides[k - 1] = 11520;
  });
  add_each(rows, "channels", pixels(), {0, 1, 4, 8, 12, 16, 48, 256, 257, 264},
           [](TensorShape& s, int64_t v) { s.channels = cuuint32_t(v); });
  add_each(rows, "pixels", pixels(), {0, 1, 3, 256, 1024, 1025, 2048},
           [](TensorShape& s, int64_t v) { s.pixels = cuuint32_t(v); });
  for (unsigned rank : {3u, 4u, 5u}) {
    TensorShape s = pixels();
    s.rank = rank;
    s.sizes = {32, 200, 200, 200, 3};
    s.sizes[rank - 1] = 3;
    s.strides = {64, 12800, 1 << 20, 1 << 24};
    s.lower = s.upper = {};
    const std::string of = ", rank " + std::to_string(rank);
    add_each(rows, "lower corners" + of, s,
             {-32769, -32768, -129, -128, -17, -16, 15, 16, 127, 128, 199, 200},
             [](TensorShape& t, int64_t v) { t.lower[0] = int(v); });
    add_each(rows, "upper corners" + of, s,
             {-201, -200, -199, -129, -128, -17, -16, 15, 16, 127, 128, 32767, 32768},
             [](TensorShape& t, int64_t v) { t.upper[0] = int(v); });
  }
  for (unsigned k = 0; k < 4; ++k)
    add_each(rows, "steps of dimension " + std::to_string(k), pixels(), {0, 1, 2, 8, 9},
             [k](TensorShape& s, int64_t v) { s.steps[k] = cuuint32_t(v); });
  each_interleaved([&](const TensorShape& base, Order order) {
    TensorShape s = base;
    s.is_im2col = true;
    s.pixels = 12;
    add_each(rows, name_of(s, order) + ", channels", s, {1, 2, 4, 8, 12, 16, 32, 64, 256, 257},
             [](TensorShape& t, int64_t v) { t.channels = cuuint32_t(v); });
  });
  rows.subject("tensor copy of pixels");
  add_copy(rows, "plain", pixels(), {{0, -1, -1, 0}, {8, 3, 2, 1}, {24, 7, 3, 2}});
  for (unsigned k = 1; k < 3; ++k) {
    TensorShape s = pixels();
    s.steps[k] = 2;
    add_copy(rows, "step of dimension " + std::to_string(k), s, {{0, -1, -1, 0}, {8, 1, 1, 1}});
  }
  // Filter places in and outside of the box of pixels.
  for (const auto& start : std::initializer_list<std::vector<int>>{
           {0, 8, 4, 0}, {0, 9, 0, 0}, {0, -2, 0, 0}, {0, 0, 5, 0}, {0, 0, -2, 0}, {4, 0, 0, 0}})
    add_copy(rows, "plain from " + listed(start), pixels(), {start});
  each_interleaved([&](const TensorShape& base, Order order) {
    for (cuuint32_t channels : {8u, 16u, 64u}) {
      TensorShape s = base;
      s.is_im2col = true;
      s.lower = s.upper = {-1, s.rank > 3 ? -1 : 0, 0};
      s.channels = channels;
      s.pixels = 30;
      add_copy(rows, name_of(s, order) + ", " + std::to_string(channels) + " channels", s,
               {start_of(s.rank, 1, 1, 1), start_of(s.rank, -1, 2, 0), start_of(s.rank, 0, -1, 0)});
    }
  });
}

}  // namespace

void add_tensors(Rows& rows) {
  add_general(rows);
  add_interleaved_maps(rows);
  add_plain_copies(rows);
  add_interleaved_copies(rows);
  add_pixel_maps(rows);
}

}  // namespace cucore::cpu::record
