// SPDX-License-Identifier: Apache-2.0
// Rows of the kernels' output, and of contexts after a fault.
#include <chrono>
#include <thread>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

// Objects for the calls. The kernel ends before the call.
struct Scene {
  CUmodule module;
  CUstream stream, other;
  CUevent event;
  CUdeviceptr p, q;
  void* host;
  CUfunction nothing;
  CUcontext context;
};

const struct {
  const char* name;
  CUresult (*call)(Scene& s);
} FLUSHES[] = {
    {"cuCtxSynchronize", [](Scene&) { return cu.cuCtxSynchronize(); }},
    {"cuStreamSynchronize", [](Scene& s) { return cu.cuStreamSynchronize(s.stream); }},
    {"cuStreamSynchronize of another stream",
     [](Scene& s) { return cu.cuStreamSynchronize(s.other); }},
    {"cuEventSynchronize", [](Scene& s) { return cu.cuEventSynchronize(s.event); }},
    {"cuStreamQuery", [](Scene& s) { return cu.cuStreamQuery(s.stream); }},
    {"cuEventQuery", [](Scene& s) { return cu.cuEventQuery(s.event); }},
    {"cuLaunchKernel",
     [](Scene& s) {
       return cu.cuLaunchKernel(s.nothing, 1, 1, 1, 1, 1, 1, 0, s.stream, nullptr, nullptr);
     }},
    {"cuMemcpyDtoH", [](Scene& s) { return cu.cuMemcpyDtoH_v2(s.host, s.p, 4); }},
    {"cuMemcpyHtoD", [](Scene& s) { return cu.cuMemcpyHtoD_v2(s.p, s.host, 4); }},
    {"cuMemcpyDtoD", [](Scene& s) { return cu.cuMemcpyDtoD_v2(s.p, s.q, 4); }},
    {"cuMemcpyDtoHAsync",
     [](Scene& s) { return cu.cuMemcpyDtoHAsync_v2(s.host, s.p, 4, s.stream); }},
    {"cuMemsetD8", [](Scene& s) { return cu.cuMemsetD8_v2(s.p, 0, 4); }},
    {"cuMemAlloc",
     [](Scene&) {
       CUdeviceptr p;
       return cu.cuMemAlloc_v2(&p, 64);
     }},
    {"cuMemFree", [](Scene& s) { return cu.cuMemFree_v2(s.p); }},
    {"cuMemHostAlloc",
     [](Scene&) {
       void* p;
       return cu.cuMemHostAlloc(&p, 64, 0);
     }},
    {"cuMemFreeHost", [](Scene& s) { return cu.cuMemFreeHost(s.host); }},
    {"cuEventRecord", [](Scene& s) { return cu.cuEventRecord(s.event, s.stream); }},
    {"cuStreamCreate",
     [](Scene&) {
       CUstream s;
       return cu.cuStreamCreate(&s, 0);
     }},
    {"cuStreamDestroy", [](Scene& s) { return cu.cuStreamDestroy_v2(s.stream); }},
    {"cuModuleLoadData",
     [](Scene&) {
       CUmodule m;
       return cu.cuModuleLoadData(&m, PTX);
     }},
    {"cuModuleUnload", [](Scene& s) { return cu.cuModuleUnload(s.module); }},
    {"cuLibraryLoadData",
     [](Scene&) {
       load_library();
       return CUDA_SUCCESS;
     }},
    {"cuCtxGetLimit",
     [](Scene&) {
       size_t n;
       return cu.cuCtxGetLimit(&n, CU_LIMIT_PRINTF_FIFO_SIZE);
     }},
    {"cuCtxSetLimit", [](Scene&) { return cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20); }},
    {"cuCtxPopCurrent", [](Scene& s) { return cu.cuCtxPopCurrent_v2(&s.context); }},
    {"cuCtxDestroy", [](Scene& s) { return cu.cuCtxDestroy_v2(s.context); }},
    {"cuMemGetInfo",
     [](Scene&) {
       size_t a, b;
       return cu.cuMemGetInfo_v2(&a, &b);
     }},
    {"cuLaunchHostFunc",
     [](Scene& s) {
       return cu.cuLaunchHostFunc(
           s.stream, [](void*) {}, nullptr);
     }},
    {"cuStreamWaitEvent", [](Scene& s) { return cu.cuStreamWaitEvent(s.other, s.event, 0); }},
    {"cuMemAllocAsync",
     [](Scene& s) {
       CUdeviceptr p;
       return cu.cuMemAllocAsync(&p, 64, s.stream);
     }},
};

Scene scene() {
  Scene s{};
  check(cu.cuCtxGetCurrent(&s.context), "cuCtxGetCurrent");
  s.module = load();
  s.stream = new_stream(CU_STREAM_NON_BLOCKING);
  s.other = new_stream(CU_STREAM_NON_BLOCKING);
  s.event = new_event();
  s.p = allocate(64);
  s.q = allocate(64);
  s.host = allocate_host(64);
  check(cu.cuModuleGetFunction(&s.nothing, s.module, "nothing"), "nothing");
  return s;
}

// Runs the kernel that prints and waits for its end without a call of the driver.
void print(Scene& s) {
  void* page = allocate_host(64);
  auto* flag = static_cast<volatile uint32_t*>(page);
  CUfunction prints = nullptr;
  check(cu.cuModuleGetFunction(&prints, s.module, "prints"), "prints");
  void* parameters[] = {&page};
  check(cu.cuLaunchKernel(prints, 1, 1, 1, 1, 1, 1, 0, s.stream, parameters, nullptr), "prints");
  check(cu.cuEventRecord(s.event, s.stream), "cuEventRecord");
  while (*flag == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

struct Faulty {
  const char* name;
  void (*fault)();
};

void launch_at(const char* name, CUdeviceptr address) {
  int value = 0;
  void* parameters[] = {&address, &value};
  check(cu.cuLaunchKernel(function(name), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), name);
}

const Faulty FAULTS[] = {
    {"trap", [] { launch_at("traps", 0); }},
    {"store to 0", [] { launch_at("stores", 0); }},
    {"misaligned store", [] { launch_at("stores", allocate(64) + 2); }},
    {"store to freed memory",
     [] {
       const CUdeviceptr p = allocate(size_t{64} << 20);
       check(cu.cuMemFree_v2(p), "cuMemFree");
       launch_at("stores", p);
     }},
};

const struct {
  const char* name;
  CUresult (*call)(Scene& s);
} AFTER[] = {
    {"synchronize", [](Scene&) { return cu.cuCtxSynchronize(); }},
    {"again", [](Scene&) { return cu.cuCtxSynchronize(); }},
    {"alloc",
     [](Scene&) {
       CUdeviceptr p;
       return cu.cuMemAlloc_v2(&p, 64);
     }},
    {"alloc 0",
     [](Scene&) {
       CUdeviceptr p;
       return cu.cuMemAlloc_v2(&p, 0);
     }},
    {"free", [](Scene& s) { return cu.cuMemFree_v2(s.p); }},
    {"free 0", [](Scene&) { return cu.cuMemFree_v2(0); }},
    {"host alloc",
     [](Scene&) {
       void* p;
       return cu.cuMemHostAlloc(&p, 64, 0);
     }},
    {"host free", [](Scene& s) { return cu.cuMemFreeHost(s.host); }},
    {"info",
     [](Scene&) {
       size_t a, b;
       return cu.cuMemGetInfo_v2(&a, &b);
     }},
    {"copy", [](Scene& s) { return cu.cuMemcpyDtoH_v2(s.host, s.q, 4); }},
    {"stream query", [](Scene& s) { return cu.cuStreamQuery(s.stream); }},
    {"stream synchronize", [](Scene& s) { return cu.cuStreamSynchronize(s.stream); }},
    {"event query", [](Scene& s) { return cu.cuEventQuery(s.event); }},
    {"event record", [](Scene& s) { return cu.cuEventRecord(s.event, s.stream); }},
    {"event destroy", [](Scene& s) { return cu.cuEventDestroy_v2(s.event); }},
    {"stream create",
     [](Scene&) {
       CUstream s;
       return cu.cuStreamCreate(&s, 0);
     }},
    {"stream destroy", [](Scene& s) { return cu.cuStreamDestroy_v2(s.stream); }},
    {"launch",
     [](Scene& s) {
       return cu.cuLaunchKernel(s.nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
     }},
    {"module load",
     [](Scene&) {
       CUmodule m;
       return cu.cuModuleLoadData(&m, PTX);
     }},
    {"function",
     [](Scene& s) {
       CUfunction f;
       return cu.cuModuleGetFunction(&f, s.module, "nothing");
     }},
    {"function attribute",
     [](Scene& s) {
       int v;
       return cu.cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, s.nothing);
     }},
    {"pointer",
     [](Scene& s) {
       unsigned t;
       return cu.cuPointerGetAttribute(&t, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, s.q);
     }},
    {"limit",
     [](Scene&) {
       size_t n;
       return cu.cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE);
     }},
    {"device",
     [](Scene&) {
       CUdevice d;
       return cu.cuCtxGetDevice(&d);
     }},
    {"version",
     [](Scene& s) {
       unsigned v;
       return cu.cuCtxGetApiVersion(s.context, &v);
     }},
    {"flags",
     [](Scene&) {
       unsigned f;
       return cu.cuCtxGetFlags(&f);
     }},
    {"attribute",
     [](Scene&) {
       int v;
       return cu.cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
     }},
    {"module unload", [](Scene& s) { return cu.cuModuleUnload(s.module); }},
    {"set current", [](Scene& s) { return cu.cuCtxSetCurrent(s.context); }},
    {"pop", [](Scene& s) { return cu.cuCtxPopCurrent_v2(&s.context); }},
    {"destroy", [](Scene& s) { return cu.cuCtxDestroy_v2(s.context); }},
    {"new context", [](Scene& s) { return cu.cuCtxCreate_v2(&s.context, 0, 0); }},
    {"alloc there",
     [](Scene&) {
       CUdeviceptr p;
       return cu.cuMemAlloc_v2(&p, 64);
     }},
};

}  // namespace

void add_output(Rows& rows) {
  rows.subject("output of kernels");
  for (const auto& c : FLUSHES)
    rows.add(Start::CONTEXT, c.name, [c](Line& line) {
      Scene s = scene();
      const size_t start = output_bytes();
      print(s);
      line.value("before", output_bytes() - start);
      line(c.call(s));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      line.value("after", output_bytes() - start);
    });
}

void add_faults(Rows& rows) {
  rows.subject("after a fault");
  for (const Faulty& f : FAULTS)
    rows.add(Start::CONTEXT, f.name, [f](Line& line) {
      Scene s = scene();
      f.fault();
      for (const auto& a : AFTER) line(a.name, a.call(s));
    });
  rows.add(Start::PROCESS, "primary context", [](Line& line) {
    CUcontext made = nullptr;
    check(cu.cuDevicePrimaryCtxRetain(&made, 0), "retain");
    check(cu.cuCtxSetCurrent(made), "cuCtxSetCurrent");
    launch_at("stores", 0);
    CUdeviceptr p = 0;
    line("synchronize", cu.cuCtxSynchronize());
    line("reset", cu.cuDevicePrimaryCtxReset_v2(0));
    line("retain", cu.cuDevicePrimaryCtxRetain(&made, 0));
    line("alloc", cu.cuMemAlloc_v2(&p, 64));
    line("synchronize", cu.cuCtxSynchronize());
  });
}

}  // namespace cucore::cpu::record
