// SPDX-License-Identifier: Apache-2.0
// Rows of captures: their states, what breaks them, and which calls are unsafe.
#include <thread>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr auto GLOBAL = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr auto LOCAL = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto RELAXED = CU_STREAM_CAPTURE_MODE_RELAXED;

CUstream begin(CUstreamCaptureMode mode, unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = new_stream(flags);
  check(cu.cuStreamBeginCapture_v2(stream, mode), "cuStreamBeginCapture");
  return stream;
}

void end(Line& line, CUstream stream) {
  auto* graph = reinterpret_cast<CUgraph>(UNSET);
  line("end", cu.cuStreamEndCapture(stream, &graph)).handle("graph", graph);
}

// The objects for calls in a capture, which exist before it.
struct Prepared {
  CUdeviceptr memory = allocate(64);
  void* host = allocate_host(64);
  CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CUmodule module = load();
  CUmemoryPool pool = nullptr;
  Pages pages{4096};
  Prepared() { check(cu.cuDeviceGetDefaultMemPool(&pool, 0), "cuDeviceGetDefaultMemPool"); }
};

const struct {
  const char* name;
  CUresult (*call)(Prepared& t);
} CAPTURE_CALLS[] = {
    {"cuMemAlloc", [](Prepared& t) { return cu.cuMemAlloc_v2(&t.memory, 64); }},
    {"cuMemFree", [](Prepared& t) { return cu.cuMemFree_v2(t.memory); }},
    {"cuMemAllocHost", [](Prepared& t) { return cu.cuMemAllocHost_v2(&t.host, 64); }},
    {"cuMemFreeHost", [](Prepared& t) { return cu.cuMemFreeHost(t.host); }},
    {"cuMemAllocManaged",
     [](Prepared& t) { return cu.cuMemAllocManaged(&t.memory, 64, CU_MEM_ATTACH_GLOBAL); }},
    {"cuMemHostRegister",
     [](Prepared& t) { return cu.cuMemHostRegister_v2(t.pages.data, 4096, 0); }},
    {"cuMemGetInfo",
     [](Prepared&) {
       size_t free = 0, total = 0;
       return cu.cuMemGetInfo_v2(&free, &total);
     }},
    {"cuMemcpyHtoD", [](Prepared& t) { return cu.cuMemcpyHtoD_v2(t.memory, t.host, 64); }},
    {"cuMemsetD8", [](Prepared& t) { return cu.cuMemsetD8_v2(t.memory, 0, 64); }},
    {"cuMemcpyHtoDAsync of another stream",
     [](Prepared& t) { return cu.cuMemcpyHtoDAsync_v2(t.memory, t.host, 64, t.other); }},
    {"cuStreamCreate", [](Prepared& t) { return cu.cuStreamCreate(&t.other, 0); }},
    {"cuStreamDestroy", [](Prepared& t) { return cu.cuStreamDestroy_v2(t.other); }},
    {"cuStreamQuery", [](Prepared& t) { return cu.cuStreamQuery(t.other); }},
    {"cuStreamSynchronize", [](Prepared& t) { return cu.cuStreamSynchronize(t.other); }},
    {"cuEventCreate", [](Prepared& t) { return cu.cuEventCreate(&t.event, 0); }},
    {"cuEventDestroy", [](Prepared& t) { return cu.cuEventDestroy_v2(t.event); }},
    {"cuEventQuery", [](Prepared& t) { return cu.cuEventQuery(t.event); }},
    {"cuEventSynchronize", [](Prepared& t) { return cu.cuEventSynchronize(t.event); }},
    {"cuCtxSynchronize", [](Prepared&) { return cu.cuCtxSynchronize(); }},
    {"cuModuleLoadData", [](Prepared& t) { return cu.cuModuleLoadData(&t.module, PTX); }},
    {"cuModuleUnload", [](Prepared& t) { return cu.cuModuleUnload(t.module); }},
    {"cuLibraryLoadData",
     [](Prepared&) {
       CUlibrary library = nullptr;
       return cu.cuLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0);
     }},
    {"cuMemPoolCreate",
     [](Prepared& t) {
       CUmemPoolProps p{};
       p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
       p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
       return cu.cuMemPoolCreate(&t.pool, &p);
     }},
    {"cuMemPoolGetAttribute",
     [](Prepared& t) {
       cuuint64_t value = 0;
       return cu.cuMemPoolGetAttribute(t.pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value);
     }},
    {"cuMemPoolTrimTo", [](Prepared& t) { return cu.cuMemPoolTrimTo(t.pool, 0); }},
    {"cuCtxSetLimit", [](Prepared&) { return cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048); }},
};

void add_unsafe(Rows& rows) {
  rows.subject("call in a capture");
  for (const auto& c : CAPTURE_CALLS)
    rows.add(Start::PROCESS, c.name, [&c](Line& line) {
      new_context();
      Prepared things;
      CUstream stream = begin(LOCAL);
      line(c.call(things));
      end(line, stream);
    });
}

void add_states(Rows& rows) {
  rows.add(Start::PROCESS, "begin and end", [](Line& line) {
    new_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = nullptr;
    line("end", cu.cuStreamEndCapture(stream, &graph));
    line("legacy", cu.cuStreamBeginCapture_v2(nullptr, GLOBAL));
    line("mode 5", cu.cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(5)));
    line("update", cu.cuStreamUpdateCaptureDependencies(stream, nullptr, 0, 0));
    line("begin", cu.cuStreamBeginCapture_v2(stream, LOCAL));
    line("again", cu.cuStreamBeginCapture_v2(stream, LOCAL));
    CUresult elsewhere{};
    std::thread([&] { elsewhere = cu.cuStreamEndCapture(stream, &graph); }).join();
    line("end elsewhere", elsewhere);
    end(line, stream);
  });
  rows.add(Start::PROCESS, "forks", [](Line& line) {
    new_context();
    CUstream stream = begin(RELAXED), other = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event();
    CUgraph graph = nullptr;
    line("record", cu.cuEventRecord(event, stream));
    line("fork", cu.cuStreamWaitEvent(other, event, 0));
    line("work", cu.cuMemsetD8Async(allocate(64), 0, 64, other));
    line("end of the fork", cu.cuStreamEndCapture(other, &graph));
    end(line, stream);
  });
  rows.add(Start::PROCESS, "a fork that is not joined", [](Line& line) {
    new_context();
    CUdeviceptr p = allocate(64);
    CUstream stream = begin(RELAXED), other = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event();
    cu.cuEventRecord(event, stream);
    cu.cuStreamWaitEvent(other, event, 0);
    line("work", cu.cuMemsetD8Async(p, 0, 64, other));
    end(line, stream);
    line("work again", cu.cuMemsetD8Async(p, 0, 64, other));
    line("query the event", cu.cuEventQuery(event));
    line("wait for the event", cu.cuStreamWaitEvent(other, event, 0));
  });
  rows.add(Start::PROCESS, "events", [](Line& line) {
    new_context();
    CUevent event = new_event(), before = new_event(), never = new_event();
    check(cu.cuEventRecord(before, nullptr), "cuEventRecord");
    CUstream stream = begin(RELAXED);
    line("never recorded", cu.cuStreamWaitEvent(stream, never, 0));
    line("record", cu.cuEventRecord(event, stream));
    line("query", cu.cuEventQuery(event));
    end(line, stream);
    stream = begin(RELAXED);
    line("recorded outside", cu.cuStreamWaitEvent(stream, before, 0));
    end(line, stream);
    line("external record", cu.cuEventRecordWithFlags(event, nullptr, CU_EVENT_RECORD_EXTERNAL));
    line("external wait", cu.cuStreamWaitEvent(nullptr, event, CU_EVENT_WAIT_EXTERNAL));
  });
  rows.add(Start::PROCESS, "two captures", [](Line& line) {
    new_context();
    CUevent event = new_event();
    CUstream stream = begin(RELAXED), other = begin(RELAXED);
    cu.cuEventRecord(event, other);
    line("wait", cu.cuStreamWaitEvent(stream, event, 0));
    end(line, stream);
    end(line, other);
  });
  rows.add(Start::PROCESS, "the default stream", [](Line& line) {
    new_context();
    CUdeviceptr p = allocate(64);
    CUstream stream = begin(RELAXED, CU_STREAM_DEFAULT);
    auto status = unset<CUstreamCaptureStatus>();
    line("is capturing", cu.cuStreamIsCapturing(nullptr, &status));
    line("memset", cu.cuMemsetD8Async(p, 0, 64, nullptr));
    end(line, stream);
  });
}

void add_operations(Rows& rows) {
  const struct {
    const char* name;
    CUresult (*call)(CUstream stream, CUdeviceptr p);
  } calls[] = {
      {"query", [](CUstream s, CUdeviceptr) { return cu.cuStreamQuery(s); }},
      {"synchronize", [](CUstream s, CUdeviceptr) { return cu.cuStreamSynchronize(s); }},
      {"callback",
       [](CUstream s, CUdeviceptr) { return cu.cuStreamAddCallback(s, no_reply, nullptr, 0); }},
      {"destroy", [](CUstream s, CUdeviceptr) { return cu.cuStreamDestroy_v2(s); }},
      {"free of other memory", [](CUstream s, CUdeviceptr p) { return cu.cuMemFreeAsync(p, s); }},
      {"copy of pageable memory",
       [](CUstream s, CUdeviceptr p) {
         char source[64] = {};
         return cu.cuMemcpyHtoDAsync_v2(p, source, 64, s);
       }},
      {"write of a word",
       [](CUstream s, CUdeviceptr p) { return cu.cuStreamWriteValue32_v2(s, p, 1, 0); }},
  };
  for (const auto& c : calls)
    rows.add(Start::PROCESS, c.name, [call = c.call, name = std::string(c.name)](Line& line) {
      new_context();
      CUdeviceptr p = allocate(64);
      CUstream stream = begin(RELAXED);
      line(call(stream, p));
      if (name != "destroy") end(line, stream);
    });
}

}  // namespace

void add_captures(Rows& rows) {
  rows.subject("capture");
  add_states(rows);
  add_operations(rows);
  add_unsafe(rows);
}

}  // namespace cucore::cpu::record
