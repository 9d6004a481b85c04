// SPDX-License-Identifier: Apache-2.0
// Rows of arrays, mipmapped arrays, and texture and surface objects.
#include <algorithm>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr CUarray_format BYTE = CU_AD_FORMAT_UNSIGNED_INT8, FLOAT = CU_AD_FORMAT_FLOAT;
using Shape = CUDA_ARRAY3D_DESCRIPTOR;

const struct {
  const char* name;
  Shape shape;
} SHAPES[] = {
    {"1D", {16, 0, 0, BYTE, 1, 0}},
    {"2D", {16, 4, 0, BYTE, 2, 0}},
    {"3D", {16, 4, 3, FLOAT, 4, 0}},
    {"layers of lines", {16, 0, 3, BYTE, 1, CUDA_ARRAY3D_LAYERED}},
    {"layers of planes", {16, 4, 3, BYTE, 1, CUDA_ARRAY3D_LAYERED}},
    {"a cube", {8, 8, 6, BYTE, 1, CUDA_ARRAY3D_CUBEMAP}},
    {"cubes", {8, 8, 12, BYTE, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}},
    {"width 0", {0, 0, 0, BYTE, 1, 0}},
    {"depth without height", {16, 0, 3, BYTE, 1, 0}},
    {"0 channels", {16, 0, 0, BYTE, 0, 0}},
    {"3 channels", {16, 0, 0, BYTE, 3, 0}},
    {"8 channels", {16, 0, 0, BYTE, 8, 0}},
    {"format 0", {16, 0, 0, CUarray_format(0), 1, 0}},
    {"format 7", {16, 0, 0, CUarray_format(7), 1, 0}},
    {"layered without layers", {16, 4, 0, BYTE, 1, CUDA_ARRAY3D_LAYERED}},
    {"a cube of rectangles", {8, 4, 6, BYTE, 1, CUDA_ARRAY3D_CUBEMAP}},
    {"a cube of 12 faces", {8, 8, 12, BYTE, 1, CUDA_ARRAY3D_CUBEMAP}},
    {"cubes of 7 faces", {8, 8, 7, BYTE, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}},
    {"gather of a line", {16, 0, 0, BYTE, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
    {"gather of a plane", {16, 4, 0, BYTE, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
    {"surface", {16, 4, 0, BYTE, 1, CUDA_ARRAY3D_SURFACE_LDST}},
    {"widest line", {131072, 0, 0, BYTE, 1, 0}},
    {"wider line", {131073, 0, 0, BYTE, 1, 0}},
    {"widest plane", {131072, 1, 0, BYTE, 1, 0}},
    {"highest plane", {1, 65536, 0, BYTE, 1, 0}},
    {"higher plane", {1, 65537, 0, BYTE, 1, 0}},
    {"unknown flag", {16, 4, 0, BYTE, 1, 0x10000}},
};

// An array that ends with the row.
struct Made {
  explicit Made(const Shape& shape) { cu.cuArray3DCreate_v2(&array, &shape); }
  ~Made() { cu.cuArrayDestroy(array); }
  CUDA_RESOURCE_DESC resource() const {
    CUDA_RESOURCE_DESC r = {};
    r.res.array.hArray = array;
    return r;
  }
  CUarray array = nullptr;
};

void create(Line& line, const Shape& shape) {
  auto made = unset<CUarray>();
  const CUresult result = cu.cuArray3DCreate_v2(&made, &shape);
  line(result);
  if (result != CUDA_SUCCESS) return;
  auto d = unset<Shape>();
  line("get", cu.cuArray3DGetDescriptor_v2(&d, made))
      .value("width", d.Width)
      .value("height", d.Height)
      .value("depth", d.Depth)
      .value("flags", d.Flags);
  line("destroy", cu.cuArrayDestroy(made));
}

void add_copies(Rows& rows) {
  rows.subject("copies of arrays");
  const struct {
    const char* name;
    size_t offset, bytes;
  } spans[] = {{"all", 0, 64},        {"none", 0, 0},         {"beyond the end", 4, 64},
               {"at the end", 64, 0}, {"half a texel", 2, 4}, {"a part of a texel", 0, 6}};
  for (const auto& s : spans)
    rows.add(Start::SHARED, s.name, [s](Line& line) {
      const Made made({16, 0, 0, FLOAT, 1, 0});
      char host[256] = {};
      line("to", cu.cuMemcpyHtoA_v2(made.array, s.offset, host, s.bytes));
      line("from", cu.cuMemcpyAtoH_v2(host, made.array, s.offset, s.bytes));
      line("across", cu.cuMemcpyAtoA_v2(made.array, s.offset, made.array, s.offset, s.bytes));
    });
  rows.add(Start::SHARED, "across rows of a plane", [](Line& line) {
    const Made made({16, 4, 0, FLOAT, 1, 0});
    char host[256] = {};
    line(cu.cuMemcpyHtoA_v2(made.array, 0, host, 128));
  });
}

void add_levels(Rows& rows) {
  rows.subject("cuMipmappedArrayCreate");
  for (unsigned levels : {0u, 1u, 5u, 6u, 100u})
    rows.add(Start::SHARED, std::to_string(levels) + " levels of 16 x 8", [levels](Line& line) {
      auto made = unset<CUmipmappedArray>();
      const Shape shape{16, 8, 0, FLOAT, 1, 0};
      if (line(cu.cuMipmappedArrayCreate(&made, &shape, levels)); made == unset<CUmipmappedArray>())
        return;
      auto level = unset<CUarray>();
      line("last", cu.cuMipmappedArrayGetLevel(&level, made, levels - 1)).handle("level", level);
      line("destroy level", cu.cuArrayDestroy(level));
      line("next", cu.cuMipmappedArrayGetLevel(&level, made, levels));
      line("destroy", cu.cuMipmappedArrayDestroy(made));
    });
}

const struct {
  const char* name;
  void (*change)(CUDA_TEXTURE_DESC& t);
} SAMPLERS[] = {
    {"plain", [](CUDA_TEXTURE_DESC&) {}},
    {"linear filter", [](CUDA_TEXTURE_DESC& t) { t.filterMode = CU_TR_FILTER_MODE_LINEAR; }},
    {"linear filter, integers",
     [](CUDA_TEXTURE_DESC& t) {
       t.filterMode = CU_TR_FILTER_MODE_LINEAR;
       t.flags = CU_TRSF_READ_AS_INTEGER;
     }},
    {"filter 2", [](CUDA_TEXTURE_DESC& t) { t.filterMode = CUfilter_mode(2); }},
    {"address mode 4", [](CUDA_TEXTURE_DESC& t) { t.addressMode[0] = CUaddress_mode(4); }},
    {"unused address mode 4", [](CUDA_TEXTURE_DESC& t) { t.addressMode[2] = CUaddress_mode(4); }},
    {"wrap without normalization",
     [](CUDA_TEXTURE_DESC& t) { std::fill_n(t.addressMode, 3, CU_TR_ADDRESS_MODE_WRAP); }},
    {"sRGB", [](CUDA_TEXTURE_DESC& t) { t.flags = CU_TRSF_SRGB; }},
    {"flag 0x80", [](CUDA_TEXTURE_DESC& t) { t.flags = 0x80; }},
    {"anisotropy 17", [](CUDA_TEXTURE_DESC& t) { t.maxAnisotropy = 17; }},
    {"reserved", [](CUDA_TEXTURE_DESC& t) { t.reserved[0] = 1; }},
};

void add_objects(Rows& rows) {
  rows.subject("cuTexObjectCreate");
  for (CUarray_format format : {BYTE, CU_AD_FORMAT_UNSIGNED_INT32, FLOAT})
    for (const auto& s : SAMPLERS)
      rows.add(Start::SHARED, std::string(s.name) + ", format " + std::to_string(format),
               [=](Line& line) {
                 const Made made({16, 4, 0, format, 1, 0});
                 const CUDA_RESOURCE_DESC resource = made.resource();
                 CUDA_TEXTURE_DESC sampler = {};
                 s.change(sampler);
                 auto object = unset<CUtexObject>();
                 line(cu.cuTexObjectCreate(&object, &resource, &sampler, nullptr));
                 if (object != unset<CUtexObject>()) line("destroy", cu.cuTexObjectDestroy(object));
               });
  rows.add(Start::SHARED, "NULL array", [](Line& line) {
    const CUDA_RESOURCE_DESC resource = {};
    const CUDA_TEXTURE_DESC sampler = {};
    auto object = unset<CUtexObject>();
    line(cu.cuTexObjectCreate(&object, &resource, &sampler, nullptr));
  });
  rows.subject("cuSurfObjectCreate");
  for (unsigned flags : {0u, unsigned(CUDA_ARRAY3D_SURFACE_LDST)})
    rows.add(Start::SHARED, "array with flags " + std::to_string(flags), [flags](Line& line) {
      const Made made({16, 4, 0, FLOAT, 1, flags});
      const CUDA_RESOURCE_DESC resource = made.resource();
      auto object = unset<CUsurfObject>();
      line(cu.cuSurfObjectCreate(&object, &resource));
      if (object != unset<CUsurfObject>()) line("destroy", cu.cuSurfObjectDestroy(object));
    });
}

}  // namespace

void add_arrays(Rows& rows) {
  rows.subject("cuArray3DCreate");
  for (const auto& s : SHAPES)
    rows.add(Start::SHARED, s.name, [s](Line& line) { create(line, s.shape); });
  add_copies(rows);
  add_levels(rows);
  add_objects(rows);
}

}  // namespace cucore::cpu::record
