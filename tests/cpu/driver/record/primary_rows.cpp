// SPDX-License-Identifier: Apache-2.0
// Rows of the primary context: each in a process of its own, because the primary context outlives
// a row.
#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

Line& state(Line& line, const char* step = "state") {
  unsigned flags = unset<unsigned>();
  int active = unset<int>();
  line(step, cu.cuDevicePrimaryCtxGetState(0, &flags, &active)).value("flags", flags);
  return line.value("active", active);
}

CUcontext retain() {
  CUcontext made = nullptr;
  check(cu.cuDevicePrimaryCtxRetain(&made, 0), "cuDevicePrimaryCtxRetain");
  return made;
}

CUcontext retain_current() {
  CUcontext made = retain();
  check(cu.cuCtxSetCurrent(made), "cuCtxSetCurrent");
  return made;
}

void add_counts(Rows& rows) {
  rows.add(Start::PROCESS, "retain and release", [](Line& line) {
    state(line);
    CUcontext a = retain();
    state(line, "retained");
    CUcontext b = retain();
    line.value("same", static_cast<int>(a == b));
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    state(line);
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    state(line);
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    CUcontext c = retain();
    line.value("same again", static_cast<int>(a == c));
  });
  rows.add(Start::PROCESS, "release before a retain", [](Line& line) {
    line(cu.cuDevicePrimaryCtxRelease_v2(0));
    line("reset", cu.cuDevicePrimaryCtxReset_v2(0));
    state(line);
  });
  rows.add(Start::PROCESS, "bad arguments", [](Line& line) {
    CUcontext made = nullptr;
    unsigned flags = 0;
    int active = 0;
    line("retain NULL", cu.cuDevicePrimaryCtxRetain(nullptr, 0));
    line("retain 1000", cu.cuDevicePrimaryCtxRetain(&made, 1000));
    line("release 1000", cu.cuDevicePrimaryCtxRelease_v2(1000));
    line("reset -1", cu.cuDevicePrimaryCtxReset_v2(-1));
    line("flags 1000", cu.cuDevicePrimaryCtxSetFlags_v2(1000, 0));
    line("state 1000", cu.cuDevicePrimaryCtxGetState(1000, &flags, &active));
    line("state NULL flags", cu.cuDevicePrimaryCtxGetState(0, nullptr, &active));
    line("state NULL active", cu.cuDevicePrimaryCtxGetState(0, &flags, nullptr));
  });
  rows.add(Start::PROCESS, "destroy of the primary context", [](Line& line) {
    CUcontext made = retain_current();
    CUcontext now = nullptr;
    line("destroy", cu.cuCtxDestroy_v2(made));
    state(line);
    line("current", cu.cuCtxGetCurrent(&now)).handle("is", now);
    line("synchronize", cu.cuCtxSynchronize());
  });
}

void add_primary_ends(Rows& rows) {
  rows.add(Start::PROCESS, "calls after the last release", [](Line& line) {
    CUcontext made = retain_current();
    CUdeviceptr p = allocate(64);
    CUstream stream = new_stream();
    CUevent event = new_event();
    CUdevice device = unset<CUdevice>();
    CUcontext now = nullptr;
    CUdeviceptr q = 0;
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    line("current", cu.cuCtxGetCurrent(&now)).value("same", static_cast<int>(now == made));
    line("device", cu.cuCtxGetDevice(&device)).value("is", device);
    line("alloc", cu.cuMemAlloc_v2(&q, 64));
    line("free", cu.cuMemFree_v2(p));
    line("synchronize", cu.cuCtxSynchronize());
    line("stream", cu.cuStreamSynchronize(stream));
    line("event", cu.cuEventQuery(event));
    line("stream destroy", cu.cuStreamDestroy_v2(stream));
    line("set", cu.cuCtxSetCurrent(made));
    line("pop", cu.cuCtxPopCurrent_v2(&now));
  });
  rows.add(Start::PROCESS, "calls after a reset", [](Line& line) {
    CUcontext made = retain_current();
    CUdeviceptr p = allocate(64);
    CUdeviceptr q = 0;
    unsigned long long id = 0;
    line("reset", cu.cuDevicePrimaryCtxReset_v2(0));
    state(line);
    line("alloc", cu.cuMemAlloc_v2(&q, 64));
    line("free", cu.cuMemFree_v2(p));
    line("id", cu.cuCtxGetId(made, &id));
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
  });
  rows.add(Start::PROCESS, "retain after a reset", [](Line& line) {
    CUcontext made = retain_current();
    CUdeviceptr q = 0;
    line("reset", cu.cuDevicePrimaryCtxReset_v2(0));
    CUcontext again = retain();
    line.value("same", static_cast<int>(made == again));
    state(line);
    line("alloc", cu.cuMemAlloc_v2(&q, 64));
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
    state(line);
    line("release", cu.cuDevicePrimaryCtxRelease_v2(0));
  });
  rows.add(Start::PROCESS, "push and pop after the last release", [](Line& line) {
    CUcontext made = retain();
    CUcontext now = nullptr;
    check(cu.cuDevicePrimaryCtxRelease_v2(0), "release");
    line("push", cu.cuCtxPushCurrent_v2(made));
    line("current", cu.cuCtxGetCurrent(&now)).value("same", static_cast<int>(now == made));
    line("synchronize", cu.cuCtxSynchronize());
    line("pop", cu.cuCtxPopCurrent_v2(&now));
  });
}

void add_flags(Rows& rows) {
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u, 0x10u, 0x20u, 0x40u, 0x80u, 0x100u, 0x18u}) {
    rows.add(Start::PROCESS, "flags " + std::to_string(flags), [flags](Line& line) {
      line(cu.cuDevicePrimaryCtxSetFlags_v2(0, flags));
      state(line);
      retain_current();
      state(line, "active");
      unsigned kept = unset<unsigned>();
      line("context", cu.cuCtxGetFlags(&kept)).value("flags", kept);
    });
  }
  rows.add(Start::PROCESS, "flags while active", [](Line& line) {
    retain_current();
    unsigned kept = unset<unsigned>();
    line("blocking", cu.cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_BLOCKING_SYNC));
    state(line);
    line("context", cu.cuCtxGetFlags(&kept)).value("flags", kept);
    line("first version", cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    line("bad", cu.cuDevicePrimaryCtxSetFlags_v2(0, 0x1000));
    line("map host", cu.cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_MAP_HOST));
    state(line);
    line("reset", cu.cuDevicePrimaryCtxReset_v2(0));
    state(line);
  });
  rows.add(Start::PROCESS, "flags of the context set through cuCtxSetFlags", [](Line& line) {
    retain_current();
    line("set", cu.cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    state(line);
  });
}

}  // namespace

void add_primary(Rows& rows) {
  rows.subject("primary context");
  add_counts(rows);
  add_primary_ends(rows);
  add_flags(rows);
}

}  // namespace cucore::cpu::record
