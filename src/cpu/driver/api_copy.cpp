// SPDX-License-Identifier: Apache-2.0
// The copy functions: each declares the kind of its addresses and whether the caller waits.
#include "cpu/driver/api.hpp"
#include "cpu/driver/array.hpp"
#include "cpu/driver/copy.hpp"
#include "cpu/driver/graph/capture.hpp"

namespace cucore::cpu::api {
namespace {

Side device(CUdeviceptr p) { return {p, 0, 0, Claim::DEVICE}; }
Side host(const void* p) { return {reinterpret_cast<uint64_t>(p), 0, 0, Claim::ANY}; }
Side any(CUdeviceptr p) { return {p, 0, 0, Claim::ANY}; }

// A row of an array from an offset in bytes.
Side row(CUarray array, size_t offset, size_t bytes) {
  return lookup<Array>(array)->side(offset, 0, 0, {bytes, 1, 1});
}

CUresult run(Side to, Side from, size_t bytes, Waiting waiting, CUstream stream) {
  copy(to, from, {bytes, 1, 1}, waiting, *find_stream(stream));
  return CUDA_SUCCESS;
}

// The device that a peer function names for a side. One address space contains all devices, so the
// device matters for the access to pools alone.
int user_of(CUcontext handle) {
  if (!handle) return -1;
  const auto context = lookup<Context>(handle, CUDA_ERROR_INVALID_CONTEXT);
  context->check();
  return context->device().ordinal();
}

Side device_of(CUdeviceptr p, CUcontext context) {
  return {p, 0, 0, Claim::DEVICE, user_of(context)};
}

// Streams capture no call that names contexts.
CUresult run_peer(Side to, Side from, const Box& box, Waiting waiting, CUstream stream) {
  auto s = find_stream(stream);
  refuse_capture(*s);
  if (!box.empty()) copy(to, from, box, waiting, *s);
  return CUDA_SUCCESS;
}

// One side of a 2D or 3D copy from its descriptor.
struct Described {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, height;
  size_t x, y, z;
};

Side side(const Described& d, const Box& box) {
  Side s;
  switch (d.type) {
    case CU_MEMORYTYPE_HOST:
      s = host(d.host);
      break;
    case CU_MEMORYTYPE_DEVICE:
      s = device(d.device);
      break;
    case CU_MEMORYTYPE_UNIFIED:
      s = any(d.device);
      break;
    case CU_MEMORYTYPE_ARRAY:
      require(d.array != nullptr);
      return lookup<Array>(d.array)->side(d.x, d.y, d.z, box);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
  s.pitch = d.pitch ? d.pitch : box.width + d.x;
  size_t height = d.height ? d.height : box.height + d.y;
  require(s.pitch >= box.width + d.x && height >= box.height + d.y);
  require(s.pitch <= SIZE_MAX / std::max<size_t>(height, 1));
  s.slice = s.pitch * height;
  require(d.y <= SIZE_MAX / s.pitch / 2 && (d.z == 0 || d.z <= SIZE_MAX / s.slice / 2));
  s.address += d.z * s.slice + d.y * s.pitch + d.x;
  return s;
}

CUresult run(const Described& to, const Described& from, const Box& box, Waiting waiting,
             CUstream stream) {
  auto s = find_stream(stream);
  if (box.empty()) return CUDA_SUCCESS;
  copy(side(to, box), side(from, box), box, waiting, *s);
  return CUDA_SUCCESS;
}

CUresult copy_2d(const CUDA_MEMCPY2D* c, Waiting waiting, CUstream stream) {
  require(c != nullptr);
  Described from{c->srcMemoryType, c->srcHost,  c->srcDevice,
                 c->srcArray,      c->srcPitch, 0,
                 c->srcXInBytes,   c->srcY,     0};
  Described to{c->dstMemoryType, c->dstHost,  c->dstDevice,
               c->dstArray,      c->dstPitch, 0,
               c->dstXInBytes,   c->dstY,     0};
  return run(to, from, {c->WidthInBytes, c->Height, 1}, waiting, stream);
}

template <class Descriptor>
std::pair<Described, Described> sides(const Descriptor* c) {
  require(c != nullptr);
  Described from{c->srcMemoryType, c->srcHost,     c->srcDevice, c->srcArray, c->srcPitch,
                 c->srcHeight,     c->srcXInBytes, c->srcY,      c->srcZ};
  Described to{c->dstMemoryType, c->dstHost,     c->dstDevice, c->dstArray, c->dstPitch,
               c->dstHeight,     c->dstXInBytes, c->dstY,      c->dstZ};
  return {to, from};
}

template <class Descriptor>
CUresult copy_3d(const Descriptor* c, Waiting waiting, CUstream stream) {
  const auto [to, from] = sides(c);
  return run(to, from, {c->WidthInBytes, c->Height, c->Depth}, waiting, stream);
}

CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER* c, Waiting waiting, CUstream stream) {
  const auto [to, from] = sides(c);
  const int to_user = user_of(c->dstContext), from_user = user_of(c->srcContext);
  const Box box{c->WidthInBytes, c->Height, c->Depth};
  if (box.empty()) return run_peer({}, {}, box, waiting, stream);
  Side target = side(to, box), source = side(from, box);
  target.user = to_user;
  source.user = from_user;
  return run_peer(target, source, box, waiting, stream);
}

DescribedCopy describe(const CUDA_MEMCPY3D& c) {
  const auto [to, from] = sides(&c);
  const Box box{c.WidthInBytes, c.Height, c.Depth};
  require(!box.empty());
  return {side(to, box), side(from, box), box};
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return run(any(dst), any(src), ByteCount, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return run(any(dst), any(src), ByteCount, Waiting::ASYNC, hStream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return run(device(dstDevice), host(srcHost), ByteCount, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return run(host(dstHost), device(srcDevice), ByteCount, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return run(device(dstDevice), device(srcDevice), ByteCount, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return run(device(dstDevice), host(srcHost), ByteCount, Waiting::ASYNC, hStream);
}
CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return run(host(dstHost), device(srcDevice), ByteCount, Waiting::ASYNC, hStream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return run(device(dstDevice), device(srcDevice), ByteCount, Waiting::ASYNC, hStream);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return run(row(dstArray, dstOffset, ByteCount), device(srcDevice), ByteCount, Waiting::BLOCKING,
             nullptr);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return run(device(dstDevice), row(srcArray, srcOffset, ByteCount), ByteCount, Waiting::BLOCKING,
             nullptr);
}
CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                         size_t ByteCount) {
  return run(row(dstArray, dstOffset, ByteCount), host(srcHost), ByteCount, Waiting::BLOCKING,
             nullptr);
}
CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return run(host(dstHost), row(srcArray, srcOffset, ByteCount), ByteCount, Waiting::BLOCKING,
             nullptr);
}
CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return run(row(dstArray, dstOffset, ByteCount), row(srcArray, srcOffset, ByteCount), ByteCount,
             Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount, CUstream hStream) {
  return run(row(dstArray, dstOffset, ByteCount), host(srcHost), ByteCount, Waiting::ASYNC,
             hStream);
}
CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
  return run(host(dstHost), row(srcArray, srcOffset, ByteCount), ByteCount, Waiting::ASYNC,
             hStream);
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
  return run_peer(device_of(dstDevice, dstContext), device_of(srcDevice, srcContext),
                  {ByteCount, 1, 1}, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  return run_peer(device_of(dstDevice, dstContext), device_of(srcDevice, srcContext),
                  {ByteCount, 1, 1}, Waiting::ASYNC, hStream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
  return copy_2d(pCopy, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
  return copy_2d(pCopy, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return copy_2d(pCopy, Waiting::ASYNC, hStream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) {
  return copy_3d(pCopy, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return copy_3d(pCopy, Waiting::ASYNC, hStream);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return copy_3d_peer(pCopy, Waiting::BLOCKING, nullptr);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return copy_3d_peer(pCopy, Waiting::ASYNC, hStream);
}

}  // namespace cucore::cpu::api

namespace cucore::cpu {
DescribedCopy described(const CUDA_MEMCPY3D& copy) { return api::describe(copy); }
}  // namespace cucore::cpu
