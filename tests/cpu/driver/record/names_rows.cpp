// SPDX-License-Identifier: Apache-2.0
// Rows of error names, cuGetProcAddress, and calls before cuInit.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

// One line of text for all codes of a hundred.
void codes(Line& line, int from) {
  for (int code = from; code < from + 100; ++code) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (cu.cuGetErrorName(static_cast<CUresult>(code), &name) != CUDA_SUCCESS) continue;
    cu.cuGetErrorString(static_cast<CUresult>(code), &text);
    line.text(name, text ? "'" + std::string(text) + "'" : "null");
  }
}

void address(Line& line, const char* name, int version, cuuint64_t flags) {
  void* found = reinterpret_cast<void*>(UNSET);
  auto status = unset<CUdriverProcAddressQueryResult>();
  line(cu.cuGetProcAddress_v2(name, &found, version, flags, &status));
  line.handle("address", found).value("status", static_cast<int>(status));
}

void add_proc_address(Rows& rows) {
  rows.subject("cuGetProcAddress");
  const struct {
    const char* name;
    int version;
    cuuint64_t flags;
  } queries[] = {
      {"cuMemAlloc", 12000, 0},      {"cuMemAlloc", 3020, 0},       {"cuMemAlloc", 2000, 0},
      {"cuMemAlloc", 1000, 0},       {"cuMemAlloc", 0, 0},          {"cuMemAlloc", -1, 0},
      {"cuMemAlloc", 13000, 0},      {"cuMemAlloc", 13010, 0},      {"cuMemAlloc", 99000, 0},
      {"cuMemAlloc_v2", 12000, 0},   {"cuMemalloc", 12000, 0},      {"", 12000, 0},
      {"memAlloc", 12000, 0},        {"cuNoSuchName", 12000, 0},    {"cuCtxGetDevice", 13000, 0},
      {"cuLaunchKernel", 12000, 1},  {"cuLaunchKernel", 12000, 2},  {"cuLaunchKernel", 12000, 3},
      {"cuLaunchKernel", 12000, 4},  {"cuLaunchKernel", 6000, 2},   {"cuLaunchKernelEx", 11000, 0},
      {"cuLaunchKernel", 12000, 64}, {"cuMemAlloc", 12000, 2},      {"cuLibraryLoadData", 11080, 0},
      {"cuInit", 12000, 0},          {"cuGetProcAddress", 11030, 0}};
  for (const auto& q : queries) {
    rows.add(Start::EMPTY,
             std::string("'") + q.name + "' version " + std::to_string(q.version) + " flags " +
                 std::to_string(q.flags),
             [q](Line& line) { address(line, q.name, q.version, q.flags); });
  }
  rows.add(Start::EMPTY, "NULL outputs", [](Line& line) {
    void* found = nullptr;
    line("status", cu.cuGetProcAddress_v2("cuInit", &found, 12000, 0, nullptr));
    line.handle("address", found);
    line("unknown name", cu.cuGetProcAddress_v2("cuNoSuchName", &found, 12000, 0, nullptr));
    line("address", cu.cuGetProcAddress_v2("cuInit", nullptr, 12000, 0, nullptr));
    line("name", cu.cuGetProcAddress_v2(nullptr, &found, 12000, 0, nullptr));
  });
  rows.add(Start::EMPTY, "first version of the function", [](Line& line) {
    void* found = reinterpret_cast<void*>(UNSET);
    line("known", cu.cuGetProcAddress("cuInit", &found, 12000, 0)).handle("address", found);
    line("unknown", cu.cuGetProcAddress("cuNoSuchName", &found, 12000, 0));
    line("old", cu.cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0));
  });
}

}  // namespace

void add_names(Rows& rows) {
  rows.subject("error names");
  for (int from : {0, 100, 200, 300, 400, 500, 600, 700, 800, 900})
    rows.add(Start::EMPTY, "codes from " + std::to_string(from),
             [from](Line& line) { codes(line, from); });
  for (int code : {-1, 1000, 100000}) {
    rows.add(Start::EMPTY, "unknown code " + std::to_string(code), [code](Line& line) {
      auto* name = reinterpret_cast<const char*>(UNSET);
      auto* text = reinterpret_cast<const char*>(UNSET);
      line("name", cu.cuGetErrorName(static_cast<CUresult>(code), &name)).handle("name", name);
      line("string", cu.cuGetErrorString(static_cast<CUresult>(code), &text)).handle("text", text);
    });
  }
  rows.add(Start::EMPTY, "NULL outputs", [](Line& line) {
    line("name", cu.cuGetErrorName(CUDA_SUCCESS, nullptr));
    line("string", cu.cuGetErrorString(CUDA_SUCCESS, nullptr));
  });

  rows.subject("before cuInit");
  rows.add(Start::UNINITIALISED, "cuInit with flags", [](Line& line) {
    line("1", cu.cuInit(1));
    line("0xffffffff", cu.cuInit(~0u));
    line("0", cu.cuInit(0));
    line("again", cu.cuInit(0));
    line("1 again", cu.cuInit(1));
  });
  rows.add(Start::UNINITIALISED, "version, names and addresses", [](Line& line) {
    int version = 0;
    line("version", cu.cuDriverGetVersion(&version)).value("is 13.0", version / 100 * 100);
    line("NULL", cu.cuDriverGetVersion(nullptr));
    address(line, "cuMemAlloc", 12000, 0);
  });
  rows.add(Start::UNINITIALISED, "calls", [](Line& line) {
    int count = 0;
    CUcontext context = nullptr;
    CUdeviceptr p = 0;
    line("count", cu.cuDeviceGetCount(&count));
    line("device", cu.cuDeviceGet(&count, 0));
    line("current", cu.cuCtxGetCurrent(&context));
    line("pop", cu.cuCtxPopCurrent_v2(&context));
    line("retain", cu.cuDevicePrimaryCtxRetain(&context, 0));
    line("alloc", cu.cuMemAlloc_v2(&p, 4));
    line("free 0", cu.cuMemFree_v2(0));
    line("NULL count", cu.cuDeviceGetCount(nullptr));
  });
  add_proc_address(rows);
}

}  // namespace cucore::cpu::record
