// SPDX-License-Identifier: Apache-2.0
// Rows of 2D and 3D copies: pitches, boxes, kinds of memory.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr size_t PITCH = 64, ROWS = 64;

struct Sides {
  Sides() : source(allocate(PITCH * ROWS)), target(allocate(PITCH * ROWS)), host(PITCH * ROWS) {}
  CUdeviceptr source, target;
  std::vector<char> host;
};

CUDA_MEMCPY2D plane(const Sides& s) {
  CUDA_MEMCPY2D c{};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = s.source;
  c.dstDevice = s.target;
  c.srcPitch = c.dstPitch = PITCH;
  c.WidthInBytes = 16;
  c.Height = 4;
  return c;
}

CUDA_MEMCPY3D block(const Sides& s) {
  CUDA_MEMCPY3D c{};
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = s.source;
  c.dstDevice = s.target;
  c.srcPitch = c.dstPitch = PITCH;
  c.srcHeight = c.dstHeight = 8;
  c.WidthInBytes = 16;
  c.Height = 4;
  c.Depth = 3;
  return c;
}

const struct {
  const char* name;
  void (*change)(CUDA_MEMCPY2D& c, Sides& s);
} PLANES[] = {
    {"plain", [](CUDA_MEMCPY2D&, Sides&) {}},
    {"width 0", [](CUDA_MEMCPY2D& c, Sides&) { c.WidthInBytes = 0; }},
    {"height 0", [](CUDA_MEMCPY2D& c, Sides&) { c.Height = 0; }},
    {"source pitch 0", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = 0; }},
    {"both pitches 0", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = c.dstPitch = 0; }},
    {"source pitch below width", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = 15; }},
    {"target pitch below width", [](CUDA_MEMCPY2D& c, Sides&) { c.dstPitch = 15; }},
    {"pitch below width, one row",
     [](CUDA_MEMCPY2D& c, Sides&) {
       c.srcPitch = 15;
       c.Height = 1;
     }},
    {"pitch equal to width", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = c.dstPitch = 16; }},
    {"odd pitch", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = 17; }},
    {"x beyond the pitch", [](CUDA_MEMCPY2D& c, Sides&) { c.srcXInBytes = 49; }},
    {"x at the edge", [](CUDA_MEMCPY2D& c, Sides&) { c.srcXInBytes = 48; }},
    {"y beyond the memory", [](CUDA_MEMCPY2D& c, Sides&) { c.srcY = 100000; }},
    {"y most", [](CUDA_MEMCPY2D& c, Sides&) { c.dstY = SIZE_MAX; }},
    {"pitch above the limit", [](CUDA_MEMCPY2D& c, Sides&) { c.srcPitch = size_t{1} << 32; }},
    {"pitch at the limit, one row",
     [](CUDA_MEMCPY2D& c, Sides&) {
       c.srcPitch = 2147483647;
       c.Height = 1;
     }},
    {"height most", [](CUDA_MEMCPY2D& c, Sides&) { c.Height = SIZE_MAX; }},
    {"source 0", [](CUDA_MEMCPY2D& c, Sides&) { c.srcDevice = 0; }},
    {"type 0", [](CUDA_MEMCPY2D& c, Sides&) { c.srcMemoryType = static_cast<CUmemorytype>(0); }},
    {"type 5", [](CUDA_MEMCPY2D& c, Sides&) { c.srcMemoryType = static_cast<CUmemorytype>(5); }},
    {"array NULL", [](CUDA_MEMCPY2D& c, Sides&) { c.srcMemoryType = CU_MEMORYTYPE_ARRAY; }},
    {"from the host",
     [](CUDA_MEMCPY2D& c, Sides& s) {
       c.srcMemoryType = CU_MEMORYTYPE_HOST;
       c.srcHost = s.host.data();
     }},
    {"from host NULL", [](CUDA_MEMCPY2D& c, Sides&) { c.srcMemoryType = CU_MEMORYTYPE_HOST; }},
    {"unified",
     [](CUDA_MEMCPY2D& c, Sides&) { c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED; }},
    {"unified from the host",
     [](CUDA_MEMCPY2D& c, Sides& s) {
       c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
       c.srcDevice = reinterpret_cast<CUdeviceptr>(s.host.data());
     }},
    {"host as device",
     [](CUDA_MEMCPY2D& c, Sides& s) {
       c.srcDevice = reinterpret_cast<CUdeviceptr>(s.host.data());
     }},
    {"host to host",
     [](CUDA_MEMCPY2D& c, Sides& s) {
       c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_HOST;
       c.srcHost = s.host.data();
       c.dstHost = s.host.data() + 2048;
     }},
};

const struct {
  const char* name;
  void (*change)(CUDA_MEMCPY3D& c);
} BLOCKS[] = {
    {"plain", [](CUDA_MEMCPY3D&) {}},
    {"depth 0", [](CUDA_MEMCPY3D& c) { c.Depth = 0; }},
    {"height 0", [](CUDA_MEMCPY3D& c) { c.Height = 0; }},
    {"source height below height", [](CUDA_MEMCPY3D& c) { c.srcHeight = 3; }},
    {"source height 0", [](CUDA_MEMCPY3D& c) { c.srcHeight = 0; }},
    {"source height 0, depth 1", [](CUDA_MEMCPY3D& c) { c.srcHeight = 0, c.Depth = 1; }},
    {"source height below height, depth 1", [](CUDA_MEMCPY3D& c) { c.srcHeight = 3, c.Depth = 1; }},
    {"source pitch 0", [](CUDA_MEMCPY3D& c) { c.srcPitch = 0; }},
    {"y beyond the height", [](CUDA_MEMCPY3D& c) { c.srcY = 5; }},
    {"y at the edge", [](CUDA_MEMCPY3D& c) { c.srcY = 4; }},
    {"z beyond the memory", [](CUDA_MEMCPY3D& c) { c.srcZ = 1 << 20; }},
    {"level 1", [](CUDA_MEMCPY3D& c) { c.srcLOD = 1; }},
    {"reserved", [](CUDA_MEMCPY3D& c) { c.reserved0 = &c; }},
    {"x beyond the pitch", [](CUDA_MEMCPY3D& c) { c.dstXInBytes = 49; }},
};

}  // namespace

void add_boxes(Rows& rows) {
  for (bool strict : {true, false}) {
    rows.subject(strict ? "cuMemcpy2D" : "cuMemcpy2DUnaligned");
    for (const auto& p : PLANES)
      rows.add(Start::SHARED, p.name, [=](Line& line) {
        Sides sides;
        CUDA_MEMCPY2D c = plane(sides);
        p.change(c, sides);
        line(strict ? cu.cuMemcpy2D_v2(&c) : cu.cuMemcpy2DUnaligned_v2(&c));
      });
  }
  rows.add(Start::SHARED, "NULL", [](Line& line) {
    line("2D", cu.cuMemcpy2D_v2(nullptr));
    line("unaligned", cu.cuMemcpy2DUnaligned_v2(nullptr));
    line("async", cu.cuMemcpy2DAsync_v2(nullptr, nullptr));
    line("3D", cu.cuMemcpy3D_v2(nullptr));
    line("peer", cu.cuMemcpy3DPeer(nullptr));
  });
  rows.subject("cuMemcpy3D");
  for (const auto& b : BLOCKS)
    rows.add(Start::SHARED, b.name, [=](Line& line) {
      Sides sides;
      CUDA_MEMCPY3D c = block(sides);
      b.change(c);
      line(cu.cuMemcpy3D_v2(&c));
    });
}

}  // namespace cucore::cpu::record
