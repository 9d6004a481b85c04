// SPDX-License-Identifier: Apache-2.0
// Rows of calls without a current context.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

// Objects of a context that is no longer current.
struct Objects {
  Objects() {
    context = new_context();
    module = load();
    check(cu.cuModuleGetFunction(&nothing, module, "nothing"), "nothing");
    check(cu.cuModuleGetFunction(&stores, module, "stores"), "stores");
    memory = allocate(256);
    other = allocate(256);
    pinned = allocate_host(256);
    stream = new_stream();
    event = new_event();
    later = new_event();
    check(cu.cuEventRecord(event, stream), "cuEventRecord");
    check(cu.cuEventRecord(later, stream), "cuEventRecord");
    check(cu.cuCtxSynchronize(), "cuCtxSynchronize");
    check(cu.cuCtxPopCurrent_v2(&context), "cuCtxPopCurrent");
  }
  ~Objects() { cu.cuCtxDestroy_v2(context); }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction nothing = nullptr, stores = nullptr;
  CUdeviceptr memory = 0, other = 0;
  void* pinned = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr, later = nullptr;
};

using Call = CUresult (*)(Objects&);
const struct {
  const char* name;
  Call call;
} CALLS[] = {
    {"cuMemAlloc",
     [](Objects&) {
       CUdeviceptr p;
       return cu.cuMemAlloc_v2(&p, 4);
     }},
    {"cuMemAlloc NULL", [](Objects&) { return cu.cuMemAlloc_v2(nullptr, 4); }},
    {"cuMemAllocManaged",
     [](Objects&) {
       CUdeviceptr p;
       return cu.cuMemAllocManaged(&p, 4, 1);
     }},
    {"cuMemAllocPitch",
     [](Objects&) {
       CUdeviceptr p;
       size_t q;
       return cu.cuMemAllocPitch_v2(&p, &q, 4, 4, 4);
     }},
    {"cuMemHostAlloc",
     [](Objects&) {
       void* p;
       return cu.cuMemHostAlloc(&p, 4, 0);
     }},
    {"cuMemAllocHost",
     [](Objects&) {
       void* p;
       return cu.cuMemAllocHost_v2(&p, 4);
     }},
    {"cuMemFree", [](Objects& o) { return cu.cuMemFree_v2(o.memory); }},
    {"cuMemFree 0", [](Objects&) { return cu.cuMemFree_v2(0); }},
    {"cuMemFree unknown", [](Objects&) { return cu.cuMemFree_v2(0x1000); }},
    {"cuMemFreeHost", [](Objects& o) { return cu.cuMemFreeHost(o.pinned); }},
    {"cuMemFreeHost NULL", [](Objects&) { return cu.cuMemFreeHost(nullptr); }},
    {"cuMemGetInfo",
     [](Objects&) {
       size_t a, b;
       return cu.cuMemGetInfo_v2(&a, &b);
     }},
    {"cuMemGetAddressRange",
     [](Objects& o) {
       CUdeviceptr p;
       size_t n;
       return cu.cuMemGetAddressRange_v2(&p, &n, o.memory);
     }},
    {"cuMemHostRegister",
     [](Objects&) {
       Pages p(4096);
       return cu.cuMemHostRegister_v2(p.data, 4096, 0);
     }},
    {"cuMemHostUnregister", [](Objects& o) { return cu.cuMemHostUnregister(o.pinned); }},
    {"cuMemHostGetDevicePointer",
     [](Objects& o) {
       CUdeviceptr p;
       return cu.cuMemHostGetDevicePointer_v2(&p, o.pinned, 0);
     }},
    {"cuMemHostGetFlags",
     [](Objects& o) {
       unsigned f;
       return cu.cuMemHostGetFlags(&f, o.pinned);
     }},
    {"cuMemcpy", [](Objects& o) { return cu.cuMemcpy(o.memory, o.other, 4); }},
    {"cuMemcpy 0 bytes", [](Objects& o) { return cu.cuMemcpy(o.memory, o.other, 0); }},
    {"cuMemcpyHtoD",
     [](Objects& o) {
       int v = 0;
       return cu.cuMemcpyHtoD_v2(o.memory, &v, 4);
     }},
    {"cuMemcpyDtoH",
     [](Objects& o) {
       int v = 0;
       return cu.cuMemcpyDtoH_v2(&v, o.memory, 4);
     }},
    {"cuMemcpyDtoD", [](Objects& o) { return cu.cuMemcpyDtoD_v2(o.memory, o.other, 4); }},
    {"cuMemcpyAsync legacy",
     [](Objects& o) { return cu.cuMemcpyAsync(o.memory, o.other, 4, nullptr); }},
    {"cuMemcpyAsync stream",
     [](Objects& o) { return cu.cuMemcpyAsync(o.memory, o.other, 4, o.stream); }},
    {"cuMemcpyHtoDAsync stream",
     [](Objects& o) { return cu.cuMemcpyHtoDAsync_v2(o.memory, o.pinned, 4, o.stream); }},
    {"cuMemcpyPeer",
     [](Objects& o) { return cu.cuMemcpyPeer(o.memory, o.context, o.other, o.context, 4); }},
    {"cuMemcpy2D NULL", [](Objects&) { return cu.cuMemcpy2D_v2(nullptr); }},
    {"cuMemcpy2D empty",
     [](Objects&) {
       CUDA_MEMCPY2D c{};
       return cu.cuMemcpy2D_v2(&c);
     }},
    {"cuMemsetD8", [](Objects& o) { return cu.cuMemsetD8_v2(o.memory, 1, 4); }},
    {"cuMemsetD8 0 bytes", [](Objects& o) { return cu.cuMemsetD8_v2(o.memory, 1, 0); }},
    {"cuMemsetD8Async stream",
     [](Objects& o) { return cu.cuMemsetD8Async(o.memory, 1, 4, o.stream); }},
    {"cuMemAllocAsync stream",
     [](Objects& o) {
       CUdeviceptr p;
       return cu.cuMemAllocAsync(&p, 64, o.stream);
     }},
    {"cuMemAllocAsync legacy",
     [](Objects&) {
       CUdeviceptr p;
       return cu.cuMemAllocAsync(&p, 64, nullptr);
     }},
    {"cuMemFreeAsync legacy", [](Objects& o) { return cu.cuMemFreeAsync(o.memory, nullptr); }},
    {"cuModuleLoadData",
     [](Objects&) {
       CUmodule m;
       return cu.cuModuleLoadData(&m, PTX);
     }},
    {"cuModuleLoad missing file",
     [](Objects&) {
       CUmodule m;
       return cu.cuModuleLoad(&m, "/none");
     }},
    {"cuModuleGetFunction",
     [](Objects& o) {
       CUfunction f;
       return cu.cuModuleGetFunction(&f, o.module, "nothing");
     }},
    {"cuModuleGetGlobal",
     [](Objects& o) {
       CUdeviceptr p;
       size_t n;
       return cu.cuModuleGetGlobal_v2(&p, &n, o.module, "counter");
     }},
    {"cuModuleUnload", [](Objects& o) { return cu.cuModuleUnload(o.module); }},
    {"cuModuleGetLoadingMode",
     [](Objects&) {
       CUmoduleLoadingMode m;
       return cu.cuModuleGetLoadingMode(&m);
     }},
    {"cuLibraryLoadData and cuLibraryUnload",
     [](Objects&) { return cu.cuLibraryUnload(load_library()); }},
    {"cuLibraryGetModule",
     [](Objects&) {
       CUmodule m;
       return cu.cuLibraryGetModule(&m, load_library());
     }},
    {"cuLibraryGetGlobal",
     [](Objects&) {
       CUdeviceptr p;
       size_t n;
       return cu.cuLibraryGetGlobal(&p, &n, load_library(), "counter");
     }},
    {"cuLibraryGetManaged",
     [](Objects&) {
       CUdeviceptr p;
       size_t n;
       return cu.cuLibraryGetManaged(&p, &n, load_library(), "shared_value");
     }},
    {"cuKernelGetFunction",
     [](Objects&) {
       CUfunction f;
       return cu.cuKernelGetFunction(&f, kernel(load_library(), "nothing"));
     }},
    {"cuKernelGetAttribute",
     [](Objects&) {
       int v = 0;
       return cu.cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                      kernel(load_library(), "nothing"), 0);
     }},
    {"cuKernelGetParamInfo",
     [](Objects&) {
       size_t a, b;
       return cu.cuKernelGetParamInfo(kernel(load_library(), "mixed"), 0, &a, &b);
     }},
    {"cuFuncGetAttribute",
     [](Objects& o) {
       int v;
       return cu.cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, o.nothing);
     }},
    {"cuFuncSetAttribute",
     [](Objects& o) {
       return cu.cuFuncSetAttribute(o.nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
     }},
    {"cuFuncSetCacheConfig",
     [](Objects& o) { return cu.cuFuncSetCacheConfig(o.nothing, CU_FUNC_CACHE_PREFER_L1); }},
    {"cuFuncGetModule",
     [](Objects& o) {
       CUmodule m;
       return cu.cuFuncGetModule(&m, o.nothing);
     }},
    {"cuFuncGetName",
     [](Objects& o) {
       const char* n;
       return cu.cuFuncGetName(&n, o.nothing);
     }},
    {"cuFuncGetParamInfo",
     [](Objects& o) {
       size_t a, b;
       return cu.cuFuncGetParamInfo(o.stores, 0, &a, &b);
     }},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor",
     [](Objects& o) {
       int n;
       return cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, o.nothing, 32, 0);
     }},
    {"cuLaunchKernel legacy",
     [](Objects& o) {
       return cu.cuLaunchKernel(o.nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
     }},
    {"cuLaunchKernel stream",
     [](Objects& o) {
       return cu.cuLaunchKernel(o.nothing, 1, 1, 1, 1, 1, 1, 0, o.stream, nullptr, nullptr);
     }},
    {"cuLaunchHostFunc stream",
     [](Objects& o) { return cu.cuLaunchHostFunc(o.stream, no_work, nullptr); }},
    {"cuLaunchHostFunc legacy",
     [](Objects&) { return cu.cuLaunchHostFunc(nullptr, no_work, nullptr); }},
    {"cuStreamAddCallback stream",
     [](Objects& o) { return cu.cuStreamAddCallback(o.stream, no_reply, nullptr, 0); }},
    {"cuStreamCreate",
     [](Objects&) {
       CUstream s;
       return cu.cuStreamCreate(&s, 0);
     }},
    {"cuStreamDestroy", [](Objects& o) { return cu.cuStreamDestroy_v2(o.stream); }},
    {"cuStreamQuery", [](Objects& o) { return cu.cuStreamQuery(o.stream); }},
    {"cuStreamQuery legacy", [](Objects&) { return cu.cuStreamQuery(nullptr); }},
    {"cuStreamQuery per-thread", [](Objects&) { return cu.cuStreamQuery(CU_STREAM_PER_THREAD); }},
    {"cuStreamSynchronize", [](Objects& o) { return cu.cuStreamSynchronize(o.stream); }},
    {"cuStreamSynchronize legacy",
     [](Objects&) { return cu.cuStreamSynchronize(CU_STREAM_LEGACY); }},
    {"cuStreamWaitEvent", [](Objects& o) { return cu.cuStreamWaitEvent(o.stream, o.event, 0); }},
    {"cuStreamGetFlags",
     [](Objects& o) {
       unsigned f;
       return cu.cuStreamGetFlags(o.stream, &f);
     }},
    {"cuStreamGetPriority",
     [](Objects& o) {
       int p;
       return cu.cuStreamGetPriority(o.stream, &p);
     }},
    {"cuStreamGetCtx",
     [](Objects& o) {
       CUcontext c;
       return cu.cuStreamGetCtx(o.stream, &c);
     }},
    {"cuStreamGetCtx legacy",
     [](Objects&) {
       CUcontext c;
       return cu.cuStreamGetCtx(nullptr, &c);
     }},
    {"cuStreamGetId",
     [](Objects& o) {
       unsigned long long i;
       return cu.cuStreamGetId(o.stream, &i);
     }},
    {"cuStreamIsCapturing",
     [](Objects& o) {
       CUstreamCaptureStatus s;
       return cu.cuStreamIsCapturing(o.stream, &s);
     }},
    {"cuEventCreate",
     [](Objects&) {
       CUevent e;
       return cu.cuEventCreate(&e, 0);
     }},
    {"cuEventRecord stream", [](Objects& o) { return cu.cuEventRecord(o.event, o.stream); }},
    {"cuEventRecord legacy", [](Objects& o) { return cu.cuEventRecord(o.event, nullptr); }},
    {"cuEventQuery", [](Objects& o) { return cu.cuEventQuery(o.event); }},
    {"cuEventSynchronize", [](Objects& o) { return cu.cuEventSynchronize(o.event); }},
    {"cuEventElapsedTime",
     [](Objects& o) {
       float t;
       return cu.cuEventElapsedTime_v2(&t, o.event, o.later);
     }},
    {"cuEventDestroy", [](Objects& o) { return cu.cuEventDestroy_v2(o.event); }},
    {"cuPointerGetAttribute",
     [](Objects& o) {
       unsigned t;
       return cu.cuPointerGetAttribute(&t, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, o.memory);
     }},
    {"cuPointerSetAttribute",
     [](Objects& o) {
       unsigned on = 1;
       return cu.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, o.memory);
     }},
    {"cuCtxGetDevice",
     [](Objects&) {
       CUdevice d;
       return cu.cuCtxGetDevice(&d);
     }},
    {"cuCtxSynchronize", [](Objects&) { return cu.cuCtxSynchronize(); }},
    {"cuCtxPopCurrent",
     [](Objects&) {
       CUcontext c;
       return cu.cuCtxPopCurrent_v2(&c);
     }},
    {"cuCtxGetFlags",
     [](Objects&) {
       unsigned f;
       return cu.cuCtxGetFlags(&f);
     }},
    {"cuCtxSetFlags", [](Objects&) { return cu.cuCtxSetFlags(0); }},
    {"cuCtxGetId NULL",
     [](Objects&) {
       unsigned long long i;
       return cu.cuCtxGetId(nullptr, &i);
     }},
    {"cuCtxGetApiVersion NULL",
     [](Objects&) {
       unsigned v;
       return cu.cuCtxGetApiVersion(nullptr, &v);
     }},
    {"cuCtxGetLimit",
     [](Objects&) {
       size_t v;
       return cu.cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE);
     }},
    {"cuCtxGetStreamPriorityRange",
     [](Objects&) {
       int a, b;
       return cu.cuCtxGetStreamPriorityRange(&a, &b);
     }},
    {"cuCtxGetCacheConfig",
     [](Objects&) {
       CUfunc_cache c;
       return cu.cuCtxGetCacheConfig(&c);
     }},
    {"cuCtxEnablePeerAccess", [](Objects& o) { return cu.cuCtxEnablePeerAccess(o.context, 0); }},
    {"cuCtxSetCurrent NULL", [](Objects&) { return cu.cuCtxSetCurrent(nullptr); }},
    {"cuMemPoolTrimTo",
     [](Objects&) {
       CUmemoryPool pool = nullptr;
       check(cu.cuDeviceGetDefaultMemPool(&pool, 0), "cuDeviceGetDefaultMemPool");
       return cu.cuMemPoolTrimTo(pool, 0);
     }},
    {"cuProfilerStart", [](Objects&) { return cu.cuProfilerStart(); }},
};

}  // namespace

void add_without_context(Rows& rows) {
  rows.subject("no context");
  for (const auto& row : CALLS)
    rows.add(Start::EMPTY, row.name, [row](Line& line) {
      Objects objects;
      line(row.call(objects));
    });
  rows.add(Start::EMPTY, "cuPointerGetAttributes", [](Line& line) {
    Objects objects;
    CUpointer_attribute which = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    unsigned type = unset<unsigned>();
    void* data = &type;
    line(cu.cuPointerGetAttributes(1, &which, &data, objects.memory)).value("type", type);
  });
}

}  // namespace cucore::cpu::record
