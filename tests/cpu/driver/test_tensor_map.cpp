// SPDX-License-Identifier: Apache-2.0
// The rules of tensor maps: every argument that CUDA documents.
#include <cstring>
#include <functional>

#include "driver.hpp"

namespace cutest {
namespace {

struct Arguments {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 4;
  uint64_t address = 0x1000;
  cuuint64_t sizes[6] = {64, 20, 10, 4, 1, 1};
  cuuint64_t strides[5] = {128, 2560, 25600, 102400, 102400};
  cuuint32_t box[6] = {32, 4, 2, 1, 1, 1};
  cuuint32_t steps[6] = {1, 1, 1, 1, 1, 1};
  int lower[3] = {-1, -1, 0}, upper[3] = {-1, -1, 0};
  cuuint32_t channels = 32, pixels = 64;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

using Change = std::function<void(Arguments&)>;

class TensorMaps : public DeviceTest {
 protected:
  CUresult tiled(const Change& change) {
    Arguments a;
    change(a);
    return cu.cuTensorMapEncodeTiled(&map_, a.type, a.rank, reinterpret_cast<void*>(a.address),
                                     a.sizes, a.strides, a.box, a.steps, a.interleave, a.swizzle,
                                     a.promotion, a.fill);
  }
  CUresult im2col(const Change& change) {
    Arguments a;
    change(a);
    return cu.cuTensorMapEncodeIm2col(&map_, a.type, a.rank, reinterpret_cast<void*>(a.address),
                                      a.sizes, a.strides, a.lower, a.upper, a.channels, a.pixels,
                                      a.steps, a.interleave, a.swizzle, a.promotion, a.fill);
  }
  void both(CUresult expected, const Change& change) {
    EXPECT_CU(expected, tiled(change));
    EXPECT_CU(expected, im2col(change));
  }
  void refused(const Change& change) { both(CUDA_ERROR_INVALID_VALUE, change); }

  alignas(64) CUtensorMap map_ = {};
};

TEST_F(TensorMaps, AcceptEachKind) {
  for (int type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; ++type)
    both(CUDA_SUCCESS, [&](auto& a) { a.type = CUtensorMapDataType(type); });
  for (cuuint32_t rank = 1; rank <= 5; ++rank) EXPECT_CU(0, tiled([&](auto& a) { a.rank = rank; }));
  for (cuuint32_t rank = 3; rank <= 5; ++rank) {
    // The precision of corners depends on the rank.
    EXPECT_CU(0, im2col([&](auto& a) {
                a.rank = rank;
                a.sizes[1] = 70000;
                for (int& x : a.lower) x = rank == 3 ? -32768 : rank == 4 ? -128 : -16;
                for (int& x : a.upper) x = rank == 3 ? 32767 : rank == 4 ? 127 : 15;
              }));
  }
  for (int swizzle = 0; swizzle <= CU_TENSOR_MAP_SWIZZLE_128B; ++swizzle)
    both(CUDA_SUCCESS, [&](auto& a) {
      a.swizzle = CUtensorMapSwizzle(swizzle);
      a.box[0] = a.channels = swizzle ? 8u << swizzle : 64;
    });
  for (const auto interleave : {CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B})
    for (int swizzle = 0; swizzle <= CU_TENSOR_MAP_SWIZZLE_128B; ++swizzle)
      both(CUDA_SUCCESS, [&](auto& a) {
        a.interleave = interleave;
        a.swizzle = CUtensorMapSwizzle(swizzle);
      });
  both(CUDA_SUCCESS, [](auto& a) { a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; });
  both(CUDA_SUCCESS, [](auto& a) { a.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B; });
  both(CUDA_SUCCESS, [](auto& a) { a.sizes[3] = cuuint64_t{1} << 32; });
}

TEST_F(TensorMaps, RefuseWhatTheyMustNotHave) {
  refused([](auto& a) { a.type = CUtensorMapDataType(16); });
  refused([](auto& a) { a.type = CUtensorMapDataType(-1); });
  refused([](auto& a) { a.type = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B; });  // came with sm_100
  refused([](auto& a) { a.rank = 0; });
  refused([](auto& a) { a.rank = 6; });
  refused([](auto& a) { a.address = 0x1008; });
  refused([](auto& a) { a.sizes[2] = 0; });
  refused([](auto& a) { a.sizes[2] = (cuuint64_t{1} << 32) + 1; });
  refused([](auto& a) { a.strides[1] = 2568; });
  refused([](auto& a) { a.strides[2] = cuuint64_t{1} << 40; });
  refused([](auto& a) { a.steps[1] = 0; });
  refused([](auto& a) { a.steps[3] = 9; });
  refused([](auto& a) { a.steps[3] = 257; });
  refused([](auto& a) { a.box[0] = a.channels = 36; });  // 72 bytes
  refused([](auto& a) { a.interleave = CUtensorMapInterleave(3); });
  refused([](auto& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, a.rank = 2; });
  // The first box counts slices, and the driver checks it as if it counted elements.
  refused([](auto& a) {
    a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    a.box[0] = a.channels = 4;
  });
  refused([](auto& a) { a.swizzle = CUtensorMapSwizzle(7); });
  refused([](auto& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B; });  // came with sm_100
  refused([](auto& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });            // 64 bytes per row
  refused([](auto& a) { a.promotion = CUtensorMapL2promotion(4); });
  refused([](auto& a) { a.fill = CUtensorMapFloatOOBfill(2); });
  refused([](auto& a) {
    a.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  });
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, tiled([](auto& a) { a.box[2] = 0; }));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, tiled([](auto& a) { a.box[2] = 257; }));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, tiled([](auto& a) { a.box[2] = 65537; }));
}

// A multiprocessor of sm_90 has 233472 bytes of shared memory.
TEST_F(TensorMaps, RefuseTilesBeyondSharedMemory) {
  const auto encoded = [&](cuuint32_t rows, cuuint32_t step = 1, cuuint32_t slices = 0) {
    return tiled([&](auto& a) {
      a.box[0] = 8;
      a.box[1] = 256;
      a.box[slices ? 3 : 2] = rows;
      a.steps[1] = step;
      if (slices) a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B, a.box[2] = slices;
    });
  };
  EXPECT_CU(CUDA_SUCCESS, encoded(57));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encoded(58));
  // The bytes are those of the copy.
  EXPECT_CU(CUDA_SUCCESS, encoded(114, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encoded(115, 2));
  EXPECT_CU(CUDA_SUCCESS, encoded(7, 1, 256));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, encoded(8, 1, 256));
}

TEST_F(TensorMaps, RefuseBoxesOfPixels) {
  const auto refuses = [&](const Change& change) {
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, im2col(change));
  };
  refuses([](auto& a) { a.rank = 2; });
  refuses([](auto& a) { a.channels = 0; });
  refuses([](auto& a) { a.channels = 264; });
  refuses([](auto& a) { a.pixels = 0; });
  refuses([](auto& a) { a.pixels = 1025; });
  refuses([](auto& a) { a.lower[1] = -129; });
  refuses([](auto& a) { a.upper[0] = 128; });
  refuses([](auto& a) { a.rank = 5, a.upper[2] = 16; });
  refuses([](auto& a) { a.rank = 3, a.lower[0] = -32769; });
  refuses([](auto& a) { a.lower[0] = 10, a.upper[0] = -10; });  // width 20: no pixel is between
}

TEST_F(TensorMaps, NeedTheirArrays) {
  Arguments a;
  const auto encode = [&](CUtensorMap* map, const cuuint64_t* sizes, const cuuint64_t* strides,
                          const cuuint32_t* box, const cuuint32_t* steps, cuuint32_t rank = 2) {
    return cu.cuTensorMapEncodeTiled(map, a.type, rank, reinterpret_cast<void*>(a.address), sizes,
                                     strides, box, steps, a.interleave, a.swizzle, a.promotion,
                                     a.fill);
  };
  EXPECT_CU(0, encode(&map_, a.sizes, a.strides, a.box, a.steps));
  EXPECT_CU(0, encode(&map_, a.sizes, nullptr, a.box, a.steps, 1));
  const CUresult invalid = CUDA_ERROR_INVALID_VALUE;
  EXPECT_CU(invalid, encode(nullptr, a.sizes, a.strides, a.box, a.steps));
  EXPECT_CU(invalid, encode(&map_, nullptr, a.strides, a.box, a.steps));
  EXPECT_CU(invalid, encode(&map_, a.sizes, nullptr, a.box, a.steps));
  EXPECT_CU(invalid, encode(&map_, a.sizes, a.strides, nullptr, a.steps));
  EXPECT_CU(invalid, encode(&map_, a.sizes, a.strides, a.box, nullptr));
  alignas(64) std::byte room[sizeof(CUtensorMap) + 64];
  for (size_t offset : {1, 8, 16}) {
    auto* odd = reinterpret_cast<CUtensorMap*>(room + offset);
    EXPECT_CU(CUDA_SUCCESS, encode(odd, a.sizes, a.strides, a.box, a.steps)) << offset;
  }
}

TEST_F(TensorMaps, ReplaceTheirAddress) {
  OK(tiled([](auto& a) { a.address = 0x1000; }));
  const CUtensorMap first = map_;
  OK(cu.cuTensorMapReplaceAddress(&map_, reinterpret_cast<void*>(0x2000)));
  CUtensorMap second = map_;
  OK(tiled([](auto& a) { a.address = 0x2000; }));
  EXPECT_EQ(std::memcmp(&second, &map_, sizeof map_), 0);
  EXPECT_NE(std::memcmp(&first, &map_, sizeof map_), 0);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuTensorMapReplaceAddress(&map_, reinterpret_cast<void*>(0x2008)));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuTensorMapReplaceAddress(nullptr, reinterpret_cast<void*>(0x2000)));
  std::memset(&map_, 0, sizeof map_);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuTensorMapReplaceAddress(&map_, reinterpret_cast<void*>(0x2000)));
}

}  // namespace
}  // namespace cutest
