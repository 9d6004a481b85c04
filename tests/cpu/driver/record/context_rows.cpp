// SPDX-License-Identifier: Apache-2.0
// Rows of contexts: creation, the stack of the thread, limits, and the primary context.
#include <cstdio>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

std::string hex(unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

CUcontext current() {
  CUcontext found = nullptr;
  check(cu.cuCtxGetCurrent(&found), "cuCtxGetCurrent");
  return found;
}

std::string which(CUcontext c, CUcontext a, CUcontext b) {
  return c == nullptr ? "none" : c == a ? "a" : c == b ? "b" : "another";
}

void create(Line& line, unsigned flags) {
  auto* made = reinterpret_cast<CUcontext>(UNSET);
  unsigned kept = unset<unsigned>();
  const CUresult result = cu.cuCtxCreate_v2(&made, flags, 0);
  line(result).handle("context", made);
  if (result != CUDA_SUCCESS) return;
  line(cu.cuCtxGetFlags(&kept)).text("flags", hex(kept));
  cu.cuCtxDestroy_v2(made);
}

void add_context_create(Rows& rows) {
  rows.subject("cuCtxCreate");
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 0x10u, 0x20u, 0x40u, 0x80u, 0x100u,
                         0x200u, 0x18u, 0xffffffffu})
    rows.add(Start::EMPTY, "flags " + hex(flags), [flags](Line& line) { create(line, flags); });
  rows.add(Start::EMPTY, "bad arguments", [](Line& line) {
    auto* made = reinterpret_cast<CUcontext>(UNSET);
    line("NULL", cu.cuCtxCreate_v2(nullptr, 0, 0));
    line("device -1", cu.cuCtxCreate_v2(&made, 0, -1)).handle("context", made);
    line("device 1000", cu.cuCtxCreate_v2(&made, 0, 1000)).handle("context", made);
    line("v3 affinity", cu.cuCtxCreate_v3(&made, nullptr, 1, 0, 0));
    line("v3 -1", cu.cuCtxCreate_v3(&made, nullptr, -1, 0, 0));
    line("v4 device 1000", cu.cuCtxCreate_v4(&made, nullptr, 0, 1000));
    line("current", CUDA_SUCCESS).handle("is", current());
  });
  rows.add(Start::EMPTY, "v4 with empty parameters", [](Line& line) {
    CUctxCreateParams parameters{};
    CUcontext made = nullptr;
    line(cu.cuCtxCreate_v4(&made, &parameters, 0, 0)).handle("context", made);
    if (made) cu.cuCtxDestroy_v2(made);
  });
}

void add_stack(Rows& rows) {
  rows.subject("context stack");
  rows.add(Start::EMPTY, "create, set, push and pop", [](Line& line) {
    CUcontext a = new_context(), b = new_context(), popped = nullptr;
    line.text("current", which(current(), a, b));
    line("set a", cu.cuCtxSetCurrent(a));
    line("pop", cu.cuCtxPopCurrent_v2(&popped)).text("popped", which(popped, a, b));
    line.text("current", which(current(), a, b));
    line("push b", cu.cuCtxPushCurrent_v2(b));
    line("push b", cu.cuCtxPushCurrent_v2(b));
    line("set NULL", cu.cuCtxSetCurrent(nullptr)).text("current", which(current(), a, b));
    line("pop", cu.cuCtxPopCurrent_v2(nullptr)).text("current", which(current(), a, b));
    cu.cuCtxDestroy_v2(b);
    cu.cuCtxDestroy_v2(a);
  });
  rows.add(Start::EMPTY, "set NULL on an empty stack, then pop", [](Line& line) {
    CUcontext popped = nullptr;
    line("set", cu.cuCtxSetCurrent(nullptr));
    line("pop", cu.cuCtxPopCurrent_v2(&popped));
    line("push NULL", cu.cuCtxPushCurrent_v2(nullptr));
    line("pop", cu.cuCtxPopCurrent_v2(&popped));
  });
  rows.add(Start::EMPTY, "set NULL with two contexts, then pop", [](Line& line) {
    CUcontext a = new_context(), b = new_context(), popped = nullptr;
    line("set NULL", cu.cuCtxSetCurrent(nullptr)).text("current", which(current(), a, b));
    line("pop", cu.cuCtxPopCurrent_v2(&popped)).text("popped", which(popped, a, b));
    line.text("current", which(current(), a, b));
    line("set b", cu.cuCtxSetCurrent(b)).text("current", which(current(), a, b));
    line("pop", cu.cuCtxPopCurrent_v2(&popped)).text("popped", which(popped, a, b));
    cu.cuCtxDestroy_v2(b);
    cu.cuCtxDestroy_v2(a);
  });
  rows.add(Start::EMPTY, "destroy the current context", [](Line& line) {
    CUcontext a = new_context(), b = new_context();
    line("destroy b", cu.cuCtxDestroy_v2(b)).text("current", which(current(), a, b));
    line("destroy a", cu.cuCtxDestroy_v2(a)).text("current", which(current(), a, b));
  });
  rows.add(Start::PROCESS, "destroy a context below the current one", [](Line& line) {
    CUcontext a = new_context(), b = new_context(), popped = nullptr;
    line("destroy a", cu.cuCtxDestroy_v2(a)).text("current", which(current(), a, b));
    line("pop", cu.cuCtxPopCurrent_v2(&popped)).text("popped", which(popped, a, b));
    line.text("current", which(current(), a, b));
    line("synchronize", cu.cuCtxSynchronize());
    line("pop", cu.cuCtxPopCurrent_v2(&popped)).text("popped", which(popped, a, b));
  });
  rows.add(Start::PROCESS, "destroy a context that was pushed twice", [](Line& line) {
    CUcontext a = new_context();
    CUdeviceptr p = 0;
    check(cu.cuCtxPushCurrent_v2(a), "cuCtxPushCurrent");
    line("destroy", cu.cuCtxDestroy_v2(a)).text("current", which(current(), a, nullptr));
    line("alloc", cu.cuMemAlloc_v2(&p, 4));
    line("pop", cu.cuCtxPopCurrent_v2(nullptr)).text("current", which(current(), a, nullptr));
  });
  rows.add(Start::EMPTY, "NULL arguments", [](Line& line) {
    line("current", cu.cuCtxGetCurrent(nullptr));
    line("destroy", cu.cuCtxDestroy_v2(nullptr));
    line("push", cu.cuCtxPushCurrent_v2(nullptr));
    line("device", cu.cuCtxGetDevice(nullptr));
  });
  rows.add(Start::PROCESS, "use of a destroyed context", [](Line& line) {
    CUcontext a = new_context();
    check(cu.cuCtxDestroy_v2(a), "cuCtxDestroy");
    unsigned version = 0;
    unsigned long long id = 0;
    line("set", cu.cuCtxSetCurrent(a));
    line("push", cu.cuCtxPushCurrent_v2(a));
    line("id", cu.cuCtxGetId(a, &id));
    line("version", cu.cuCtxGetApiVersion(a, &version));
    line("synchronize", cu.cuCtxSynchronize_v2(a));
    line("destroy", cu.cuCtxDestroy_v2(a));
  });
}

void add_context_queries(Rows& rows) {
  rows.subject("context");
  rows.add(Start::CONTEXT, "identity", [](Line& line) {
    unsigned version = unset<unsigned>();
    unsigned long long a = 0, b = 0;
    CUdevice device = unset<CUdevice>();
    line("version", cu.cuCtxGetApiVersion(current(), &version)).value("is", version);
    line("version NULL", cu.cuCtxGetApiVersion(nullptr, &version)).value("is", version);
    line("NULL output", cu.cuCtxGetApiVersion(current(), nullptr));
    line("id", cu.cuCtxGetId(current(), &a));
    line("id NULL", cu.cuCtxGetId(nullptr, &b)).value("same", static_cast<int>(a == b));
    line("device", cu.cuCtxGetDevice(&device)).value("is", device);
    line("device v2", cu.cuCtxGetDevice_v2(&device, nullptr)).value("is", device);
    line("device NULL", cu.cuCtxGetDevice(nullptr));
  });
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 8u, 0x10u, 0x20u, 0x40u, 0x80u, 0x100u})
    rows.add(Start::CONTEXT, "cuCtxSetFlags " + hex(flags), [flags](Line& line) {
      unsigned kept = unset<unsigned>();
      line(cu.cuCtxSetFlags(flags));
      line(cu.cuCtxGetFlags(&kept)).text("flags", hex(kept));
    });
  rows.add(Start::CONTEXT, "cache configuration", [](Line& line) {
    for (int config : {-1, 0, 1, 2, 3, 4}) {
      auto kept = unset<CUfunc_cache>();
      line(std::to_string(config).c_str(),
           cu.cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)));
      line(cu.cuCtxGetCacheConfig(&kept)).value("is", static_cast<int>(kept));
    }
    line("NULL", cu.cuCtxGetCacheConfig(nullptr));
  });
  rows.add(Start::CONTEXT, "shared memory banks", [](Line& line) {
    for (int config : {-1, 0, 1, 2, 3}) {
      auto kept = unset<CUsharedconfig>();
      line(std::to_string(config).c_str(),
           cu.cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(config)));
      line(cu.cuCtxGetSharedMemConfig(&kept)).value("is", static_cast<int>(kept));
    }
  });
  rows.add(Start::CONTEXT, "priority range", [](Line& line) {
    int least = unset<int>(), greatest = unset<int>();
    line(cu.cuCtxGetStreamPriorityRange(&least, &greatest)).value("least", least);
    line.value("greatest", greatest);
    line("NULL", cu.cuCtxGetStreamPriorityRange(nullptr, nullptr));
  });
  rows.add(Start::CONTEXT, "persisting cache",
           [](Line& line) { line(cu.cuCtxResetPersistingL2Cache()); });
}

const struct {
  const char* name;
  CUlimit limit;
  std::vector<size_t> values;
} LIMITS[] = {
    {"STACK_SIZE", CU_LIMIT_STACK_SIZE, {0, 1, 16, 17, 1000, 1024, 1025, 4000}},
    {"PRINTF_FIFO_SIZE", CU_LIMIT_PRINTF_FIFO_SIZE, {0, 1, 1000, 4096, 65537, 1 << 20, SIZE_MAX}},
    {"MALLOC_HEAP_SIZE",
     CU_LIMIT_MALLOC_HEAP_SIZE,
     {0, 1, 4096, 1 << 20, (4 << 20) + 1, 16 << 20, SIZE_MAX}},
    {"DEV_RUNTIME_SYNC_DEPTH", CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, {0, 1, 2, 24, 25}},
    {"DEV_RUNTIME_PENDING_LAUNCH_COUNT",
     CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
     {0, 1, 100, 4096}},
    {"MAX_L2_FETCH_GRANULARITY", CU_LIMIT_MAX_L2_FETCH_GRANULARITY, {0, 1, 32, 33, 64, 128, 129}},
    {"PERSISTING_L2_CACHE_SIZE", CU_LIMIT_PERSISTING_L2_CACHE_SIZE, {0, 1, 1 << 20, SIZE_MAX}},
    {"SHMEM_SIZE", CU_LIMIT_SHMEM_SIZE, {0, 1024}},
    {"CIG_ENABLED", CU_LIMIT_CIG_ENABLED, {0, 1}},
    {"CIG_SHMEM_FALLBACK_ENABLED", CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED, {0, 1}},
    {"MAX", CU_LIMIT_MAX, {0}},
};

void add_limit(Rows& rows, const char* name, CUlimit limit, size_t value,
               Start start = Start::CONTEXT) {
  const std::string shown = value == SIZE_MAX ? "the most" : std::to_string(value);
  rows.add(start, std::string(name) + " to " + shown, [=](Line& line) {
    if (start == Start::PROCESS) new_context();
    size_t kept = unset<size_t>();
    line("set", cu.cuCtxSetLimit(limit, value));
    line("get", cu.cuCtxGetLimit(&kept, limit)).value("is", kept);
  });
}

}  // namespace

void add_context(Rows& rows) {
  add_context_create(rows);
  add_stack(rows);
  add_context_queries(rows);
}

void add_limits(Rows& rows) {
  rows.subject("limit");
  for (const auto& l : LIMITS) {
    rows.add(Start::CONTEXT, std::string(l.name) + " by default", [&l](Line& line) {
      size_t value = unset<size_t>();
      line(cu.cuCtxGetLimit(&value, l.limit)).value("is", value);
    });
    for (size_t value : l.values) add_limit(rows, l.name, l.limit, value);
  }
  rows.add(Start::CONTEXT, "bad arguments", [](Line& line) {
    size_t value = unset<size_t>();
    line("NULL", cu.cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    line("-1", cu.cuCtxGetLimit(&value, static_cast<CUlimit>(-1)));
    line("100", cu.cuCtxGetLimit(&value, static_cast<CUlimit>(100)));
    line("set -1", cu.cuCtxSetLimit(static_cast<CUlimit>(-1), 0)).value("value", value);
  });
  rows.add(Start::CONTEXT, "PRINTF_FIFO_SIZE after a kernel that prints", [](Line& line) {
    void* flag = allocate_host(64);
    void* parameters[] = {&flag};
    check(cu.cuLaunchKernel(function("prints"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
          "prints");
    size_t value = unset<size_t>();
    line("set", cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
    line("synchronize", cu.cuCtxSynchronize());
    line("set", cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
    line("get", cu.cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE)).value("is", value);
  });
}

void add_large_stacks(Rows& rows) {
  rows.subject("limit");
  for (size_t value : {size_t{524288}, size_t{524289}, SIZE_MAX})
    add_limit(rows, "STACK_SIZE", CU_LIMIT_STACK_SIZE, value, Start::PROCESS);
}

}  // namespace cucore::cpu::record
