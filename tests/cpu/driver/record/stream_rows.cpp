// SPDX-License-Identifier: Apache-2.0
// Rows of streams and events.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

void add_stream_create(Rows& rows) {
  rows.subject("cuStreamCreate");
  for (unsigned flags : {0u, 1u, 2u, 3u, 0x80000000u})
    rows.add(Start::SHARED, "flags " + std::to_string(flags), [flags](Line& line) {
      auto* made = reinterpret_cast<CUstream>(UNSET);
      unsigned kept = unset<unsigned>();
      const CUresult result = cu.cuStreamCreate(&made, flags);
      line(result).handle("stream", made);
      if (result == CUDA_SUCCESS) line(cu.cuStreamGetFlags(made, &kept)).value("flags", kept);
    });
  for (int priority : {-1000, -6, -5, -1, 0, 1, 1000})
    rows.add(Start::SHARED, "priority " + std::to_string(priority), [priority](Line& line) {
      CUstream made = nullptr;
      int kept = unset<int>();
      line(cu.cuStreamCreateWithPriority(&made, 0, priority));
      line(cu.cuStreamGetPriority(made, &kept)).value("priority", kept);
    });
  rows.add(Start::SHARED, "NULL outputs", [](Line& line) {
    CUstream stream = new_stream();
    line("create", cu.cuStreamCreate(nullptr, 0));
    line("with priority", cu.cuStreamCreateWithPriority(nullptr, 0, 0));
    line("flags", cu.cuStreamGetFlags(stream, nullptr));
    line("priority", cu.cuStreamGetPriority(stream, nullptr));
    line("id", cu.cuStreamGetId(stream, nullptr));
    line("context", cu.cuStreamGetCtx(stream, nullptr));
    line("capturing", cu.cuStreamIsCapturing(stream, nullptr));
    line("device", cu.cuStreamGetDevice(stream, nullptr));
  });
}

void add_stream_queries(Rows& rows) {
  rows.subject("stream");
  const struct {
    const char* name;
    CUstream handle;
  } defaults[] = {
      {"NULL", nullptr}, {"legacy", CU_STREAM_LEGACY}, {"per-thread", CU_STREAM_PER_THREAD}};
  for (const auto& d : defaults)
    rows.add(Start::SHARED, std::string("queries of the stream ") + d.name, [d](Line& line) {
      unsigned flags = unset<unsigned>();
      int priority = unset<int>();
      unsigned long long id = UNSET;
      CUcontext context = nullptr, own = nullptr;
      CUdevice device = unset<CUdevice>();
      auto status = unset<CUstreamCaptureStatus>();
      check(cu.cuCtxGetCurrent(&own), "cuCtxGetCurrent");
      line("query", cu.cuStreamQuery(d.handle));
      line("synchronize", cu.cuStreamSynchronize(d.handle));
      line("flags", cu.cuStreamGetFlags(d.handle, &flags)).value("are", flags);
      line("priority", cu.cuStreamGetPriority(d.handle, &priority)).value("is", priority);
      line("id", cu.cuStreamGetId(d.handle, &id)).handle("is", id);
      line("context", cu.cuStreamGetCtx(d.handle, &context));
      line.value("own", static_cast<int>(context == own));
      line("device", cu.cuStreamGetDevice(d.handle, &device)).value("is", device);
      line("capturing", cu.cuStreamIsCapturing(d.handle, &status))
          .value("is", static_cast<int>(status));
    });
  rows.add(Start::SHARED, "ids of the default streams", [](Line& line) {
    unsigned long long null = 0, legacy = 0, thread = 0;
    line(cu.cuStreamGetId(nullptr, &null))(cu.cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    line(cu.cuStreamGetId(CU_STREAM_PER_THREAD, &thread));
    line.value("legacy is NULL", static_cast<int>(legacy == null));
    line.value("per-thread is NULL", static_cast<int>(thread == null));
  });
  for (const auto& d : defaults)
    rows.add(Start::PROCESS, std::string("destroy of the stream ") + d.name, [d](Line& line) {
      new_context();
      line(cu.cuStreamDestroy_v2(d.handle));
    });
  rows.add(Start::PROCESS, "use of a destroyed stream", [](Line& line) {
    new_context();
    CUstream stream = new_stream();
    check(cu.cuStreamDestroy_v2(stream), "cuStreamDestroy");
    line("query", cu.cuStreamQuery(stream));
    line("synchronize", cu.cuStreamSynchronize(stream));
    line("destroy", cu.cuStreamDestroy_v2(stream));
  });
  rows.add(Start::SHARED, "busy", [](Line& line) {
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), blocking = new_stream();
    CUevent event = new_event();
    Gate gate(stream);
    check(cu.cuEventRecord(event, stream), "cuEventRecord");
    line("query", cu.cuStreamQuery(stream));
    line("blocking stream", cu.cuStreamQuery(blocking));
    line("legacy", cu.cuStreamQuery(nullptr));
    line("event", cu.cuEventQuery(event));
    line("wait", cu.cuStreamWaitEvent(blocking, event, 0));
    line("waiting stream", cu.cuStreamQuery(blocking));
    gate.open();
    line("synchronize", cu.cuStreamSynchronize(blocking));
    line("event", cu.cuEventQuery(event));
  });
  rows.add(Start::SHARED, "legacy stream while a blocking stream is busy", [](Line& line) {
    CUstream stream = new_stream();
    Gate gate(stream);
    line("query", cu.cuStreamQuery(stream));
    line("legacy", cu.cuStreamQuery(nullptr));
    line("per-thread", cu.cuStreamQuery(CU_STREAM_PER_THREAD));
  });
  rows.add(Start::SHARED, "destroy while busy", [](Line& line) {
    CUstream stream = new_stream();
    CUevent event = new_event();
    Gate gate(stream);
    check(cu.cuEventRecord(event, stream), "cuEventRecord");
    line("destroy", cu.cuStreamDestroy_v2(stream));
    line("event", cu.cuEventQuery(event));
    gate.open();
    line("event", cu.cuEventSynchronize(event));
  });
}

void add_use(Rows& rows) {
  rows.add(Start::SHARED, "host functions", [](Line& line) {
    CUstream stream = new_stream();
    line("NULL", cu.cuLaunchHostFunc(stream, nullptr, nullptr));
    line("function", cu.cuLaunchHostFunc(stream, no_work, nullptr));
    line("callback NULL", cu.cuStreamAddCallback(stream, nullptr, nullptr, 0));
    line("callback flags", cu.cuStreamAddCallback(stream, no_reply, nullptr, 1));
    line("callback", cu.cuStreamAddCallback(stream, no_reply, nullptr, 0));
    line("synchronize", cu.cuStreamSynchronize(stream));
  });
  rows.add(Start::SHARED, "attributes", [](Line& line) {
    CUstream stream = new_stream();
    for (int id = 0; id < 20; ++id) {
      CUstreamAttrValue value;
      std::memset(&value, 0, sizeof value);
      const auto which = static_cast<CUstreamAttrID>(id);
      line((std::to_string(id) + " get").c_str(), cu.cuStreamGetAttribute(stream, which, &value));
      line("set", cu.cuStreamSetAttribute(stream, which, &value));
    }
    CUstreamAttrValue value{};
    line("-1", cu.cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(-1), &value));
    line("NULL", cu.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr));
  });
  for (unsigned policy : {0u, 1u, 2u, 3u, 4u, 5u})
    rows.add(
        Start::SHARED, "synchronisation policy " + std::to_string(policy), [policy](Line& line) {
          CUstream stream = new_stream();
          CUstreamAttrValue value{};
          line("get",
               cu.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
          line.value("is", static_cast<int>(value.syncPolicy));
          value.syncPolicy = static_cast<CUsynchronizationPolicy>(policy);
          line("set",
               cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
          line("get",
               cu.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
          line.value("is", static_cast<int>(value.syncPolicy));
        });
  for (int priority : {-10, -5, -2, 0, 3})
    rows.add(Start::SHARED, "priority attribute " + std::to_string(priority),
             [priority](Line& line) {
               CUstream stream = new_stream();
               CUstreamAttrValue value{};
               int kept = unset<int>();
               value.priority = priority;
               line("set", cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
               line("get", cu.cuStreamGetPriority(stream, &kept)).value("is", kept);
             });
  rows.add(Start::SHARED, "copy of attributes", [](Line& line) {
    CUstream a = new_stream(), b = new_stream();
    line("streams", cu.cuStreamCopyAttributes(a, b));
    line("itself", cu.cuStreamCopyAttributes(a, a));
    line("legacy", cu.cuStreamCopyAttributes(a, nullptr));
  });
  rows.add(Start::SHARED, "values in memory", [](Line& line) {
    CUstream stream = new_stream();
    const CUdeviceptr p = allocate(64);
    uint32_t got = 0;
    line("write", cu.cuStreamWriteValue32_v2(stream, p, 5, 0));
    line("write flag 1", cu.cuStreamWriteValue32_v2(stream, p + 8, 5, 1));
    line("write flag 2", cu.cuStreamWriteValue32_v2(stream, p, 5, 2));
    line("write odd", cu.cuStreamWriteValue32_v2(stream, p + 2, 5, 0));
    line("write 64 at 4", cu.cuStreamWriteValue64_v2(stream, p + 4, 5, 0));
    line("write at 0", cu.cuStreamWriteValue32_v2(stream, 0, 5, 0));
    line("wait equal", cu.cuStreamWaitValue32_v2(stream, p, 5, CU_STREAM_WAIT_VALUE_EQ));
    line("wait flags 4", cu.cuStreamWaitValue32_v2(stream, p, 5, 4));
    line("wait flush", cu.cuStreamWaitValue32_v2(stream, p, 5, CU_STREAM_WAIT_VALUE_FLUSH));
    line("wait odd", cu.cuStreamWaitValue32_v2(stream, p + 1, 5, CU_STREAM_WAIT_VALUE_EQ));
    line("synchronize", cu.cuStreamSynchronize(stream));
    line(cu.cuMemcpyDtoH_v2(&got, p, 4)).value("is", got);
  });
  rows.add(Start::SHARED, "capture mode of the thread", [](Line& line) {
    for (int mode : {-1, 0, 1, 2, 3}) {
      auto value = static_cast<CUstreamCaptureMode>(mode);
      line(std::to_string(mode).c_str(), cu.cuThreadExchangeStreamCaptureMode(&value));
      line.value("before", static_cast<int>(value));
    }
    auto value = CU_STREAM_CAPTURE_MODE_GLOBAL;
    cu.cuThreadExchangeStreamCaptureMode(&value);
    line("NULL", cu.cuThreadExchangeStreamCaptureMode(nullptr));
  });
}

void add_other_context(Rows& rows) {
  rows.add(Start::SHARED, "of another context", [](Line& line) {
    CUstream stream = new_stream();
    CUevent event = new_event();
    CUfunction nothing = function("nothing");
    CUcontext other = new_context();
    CUstream own = new_stream();
    CUdeviceptr p = allocate(64);
    unsigned flags = 0;
    line("query", cu.cuStreamQuery(stream));
    line("synchronize", cu.cuStreamSynchronize(stream));
    line("flags", cu.cuStreamGetFlags(stream, &flags));
    line("memset", cu.cuMemsetD8Async(p, 0, 64, stream));
    line("record there", cu.cuEventRecord(event, stream));
    line("record here", cu.cuEventRecord(event, own));
    line("record legacy", cu.cuEventRecord(event, nullptr));
    line("wait here", cu.cuStreamWaitEvent(own, event, 0));
    line("launch there", cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    line("launch here", cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, own, nullptr, nullptr));
    line("launch legacy",
         cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    line("event", cu.cuEventSynchronize(event));
    line("destroy event", cu.cuEventDestroy_v2(event));
    line("destroy", cu.cuStreamDestroy_v2(stream));
    cu.cuCtxDestroy_v2(other);
  });
}

void add_events(Rows& rows) {
  rows.subject("event");
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 0x80000000u})
    rows.add(Start::SHARED, "create with flags " + std::to_string(flags), [flags](Line& line) {
      auto* made = reinterpret_cast<CUevent>(UNSET);
      line(cu.cuEventCreate(&made, flags)).handle("event", made);
    });
  rows.add(Start::SHARED, "unrecorded", [](Line& line) {
    CUevent event = new_event(), other = new_event();
    float time = -1;
    line("query", cu.cuEventQuery(event));
    line("synchronize", cu.cuEventSynchronize(event));
    line("wait", cu.cuStreamWaitEvent(nullptr, event, 0));
    line("elapsed", cu.cuEventElapsedTime_v2(&time, event, other))
        .value("written", static_cast<int>(time != -1));
    check(cu.cuEventRecord(event, nullptr), "cuEventRecord");
    line("one recorded", cu.cuEventElapsedTime_v2(&time, event, other));
    line("other way", cu.cuEventElapsedTime_v2(&time, other, event));
    line("wait flag 1", cu.cuStreamWaitEvent(nullptr, event, 1));
    line("wait flag 2", cu.cuStreamWaitEvent(nullptr, event, 2));
  });
  rows.add(Start::SHARED, "elapsed time without timing", [](Line& line) {
    CUevent a = new_event(CU_EVENT_DISABLE_TIMING), b = new_event();
    check(cu.cuEventRecord(a, nullptr), "cuEventRecord");
    check(cu.cuEventRecord(b, nullptr), "cuEventRecord");
    check(cu.cuCtxSynchronize(), "cuCtxSynchronize");
    float time = -1;
    line("start", cu.cuEventElapsedTime_v2(&time, a, b));
    line("end", cu.cuEventElapsedTime_v2(&time, b, a));
    line("both", cu.cuEventElapsedTime_v2(&time, a, a))
        .value("written", static_cast<int>(time != -1));
    line("NULL", cu.cuEventElapsedTime_v2(nullptr, b, b));
    line("itself", cu.cuEventElapsedTime_v2(&time, b, b)).value("time", static_cast<int>(time));
    line("first version", cu.cuEventElapsedTime(&time, a, b));
  });
  rows.add(Start::SHARED, "elapsed time while busy", [](Line& line) {
    CUstream stream = new_stream();
    CUevent a = new_event(), b = new_event();
    float time = -1;
    check(cu.cuEventRecord(a, stream), "cuEventRecord");
    Gate gate(stream);
    check(cu.cuEventRecord(b, stream), "cuEventRecord");
    line("busy", cu.cuEventElapsedTime_v2(&time, a, b));
    line("reverse", cu.cuEventElapsedTime_v2(&time, b, a));
    gate.open();
    check(cu.cuStreamSynchronize(stream), "cuStreamSynchronize");
    line("done", cu.cuEventElapsedTime_v2(&time, a, b))
        .value("positive", static_cast<int>(time >= 0));
    line("reverse", cu.cuEventElapsedTime_v2(&time, b, a))
        .value("positive", static_cast<int>(time > 0));
  });
  rows.add(Start::SHARED, "record with flags", [](Line& line) {
    CUevent event = new_event();
    for (unsigned flags : {0u, 1u, 2u})
      line(std::to_string(flags).c_str(), cu.cuEventRecordWithFlags(event, nullptr, flags));
  });
  rows.add(Start::SHARED, "NULL", [](Line& line) {
    CUevent event = new_event();
    float time = 0;
    line("create", cu.cuEventCreate(nullptr, 0));
    line("record", cu.cuEventRecord(nullptr, nullptr));
    line("query", cu.cuEventQuery(nullptr));
    line("synchronize", cu.cuEventSynchronize(nullptr));
    line("destroy", cu.cuEventDestroy_v2(nullptr));
    line("elapsed", cu.cuEventElapsedTime_v2(&time, nullptr, event));
    line("wait", cu.cuStreamWaitEvent(nullptr, nullptr, 0));
  });
  rows.add(Start::PROCESS, "use of a destroyed event", [](Line& line) {
    new_context();
    CUevent event = new_event();
    check(cu.cuEventDestroy_v2(event), "cuEventDestroy");
    line("query", cu.cuEventQuery(event));
    line("record", cu.cuEventRecord(event, nullptr));
    line("destroy", cu.cuEventDestroy_v2(event));
  });
  rows.add(Start::SHARED, "of two contexts", [](Line& line) {
    CUevent a = new_event();
    check(cu.cuEventRecord(a, nullptr), "cuEventRecord");
    CUcontext other = new_context();
    CUevent b = new_event();
    check(cu.cuEventRecord(b, nullptr), "cuEventRecord");
    check(cu.cuCtxSynchronize(), "cuCtxSynchronize");
    check(cu.cuEventSynchronize(a), "cuEventSynchronize");
    float time = 0;
    line("elapsed", cu.cuEventElapsedTime_v2(&time, a, b));
    cu.cuCtxDestroy_v2(other);
  });
}

}  // namespace

void add_stream(Rows& rows) {
  add_stream_create(rows);
  add_stream_queries(rows);
  add_use(rows);
  add_other_context(rows);
}

void add_event(Rows& rows) { add_events(rows); }

}  // namespace cucore::cpu::record
