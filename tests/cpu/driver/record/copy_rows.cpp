// SPDX-License-Identifier: Apache-2.0
// Rows of plain copies and of memset.
#include <cstring>

#include "rows.hpp"

namespace cucore::cpu::record {
namespace {

constexpr size_t SIZE = size_t{4} << 20;  // two granules of the real driver: its end is the end

uint8_t at(CUdeviceptr p) {
  uint8_t byte = 0;
  check(cu.cuMemcpyDtoH_v2(&byte, p, 1), "cuMemcpyDtoH");
  return byte;
}

void add_arguments(Rows& rows) {
  rows.add(Start::CONTEXT, "0 bytes", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    line("memory", cu.cuMemcpyDtoD_v2(p, p, 0));
    line("NULL host", cu.cuMemcpyHtoD_v2(p, nullptr, 0));
    line("NULL device", cu.cuMemcpyHtoD_v2(0, nullptr, 0));
    line("unknown", cu.cuMemcpyDtoH_v2(nullptr, 0x1000, 0));
    line("cuMemcpy", cu.cuMemcpy(0, 0, 0));
    line("async", cu.cuMemcpyAsync(0, 0, 0, nullptr));
  });
  rows.add(Start::CONTEXT, "NULL", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    int local = 0;
    line("HtoD to 0", cu.cuMemcpyHtoD_v2(0, &local, 4));
    line("HtoD from NULL", cu.cuMemcpyHtoD_v2(p, nullptr, 4));
    line("DtoH to NULL", cu.cuMemcpyDtoH_v2(nullptr, p, 4));
    line("DtoH from 0", cu.cuMemcpyDtoH_v2(&local, 0, 4));
    line("DtoD", cu.cuMemcpyDtoD_v2(0, p, 4));
    line("cuMemcpy", cu.cuMemcpy(p, 0, 4));
  });
  rows.add(Start::CONTEXT, "host memory as device memory", [](Line& line) {
    const CUdeviceptr p = allocate(64);
    int local[2] = {1, 2};
    void* pinned = allocate_host(64);
    const auto stack = reinterpret_cast<CUdeviceptr>(local);
    const auto host = reinterpret_cast<CUdeviceptr>(pinned);
    line("HtoD to the stack", cu.cuMemcpyHtoD_v2(stack, local + 1, 4));
    line("DtoH from the stack", cu.cuMemcpyDtoH_v2(local, stack + 4, 4));
    line("DtoD from the stack", cu.cuMemcpyDtoD_v2(p, stack, 4));
    line("DtoD from pinned", cu.cuMemcpyDtoD_v2(p, host, 4));
    line("HtoD to pinned", cu.cuMemcpyHtoD_v2(host, local, 4));
    line("HtoD from device", cu.cuMemcpyHtoD_v2(p, reinterpret_cast<void*>(p + 8), 4));
    line("DtoH to device", cu.cuMemcpyDtoH_v2(reinterpret_cast<void*>(p), p + 8, 4));
    line("cuMemcpy of the stack", cu.cuMemcpy(p, stack, 4));
    line("cuMemcpy to the stack", cu.cuMemcpy(stack, stack + 4, 4));
    line("cuMemcpy of pinned", cu.cuMemcpy(stack, host, 4));
  });
  rows.add(Start::CONTEXT, "managed memory", [](Line& line) {
    const CUdeviceptr p = allocate(64), m = allocate_managed(64);
    int local = 5;
    line("HtoD", cu.cuMemcpyHtoD_v2(m, &local, 4));
    line("DtoH", cu.cuMemcpyDtoH_v2(&local, m, 4)).value("is", local);
    line("DtoD", cu.cuMemcpyDtoD_v2(p, m, 4));
    line("as host", cu.cuMemcpyHtoD_v2(p, reinterpret_cast<void*>(m), 4));
  });
}

void add_copy_ends(Rows& rows) {
  rows.add(Start::CONTEXT, "past the end of an allocation", [](Line& line) {
    const CUdeviceptr p = allocate(SIZE), q = allocate(SIZE);
    std::vector<char> host(SIZE + 16);
    line("HtoD", cu.cuMemcpyHtoD_v2(p, host.data(), SIZE + 1));
    line("DtoH", cu.cuMemcpyDtoH_v2(host.data(), p, SIZE + 1));
    line("DtoH inner", cu.cuMemcpyDtoH_v2(host.data(), p + SIZE - 4, 8));
    line("DtoD", cu.cuMemcpyDtoD_v2(p, q + 4, SIZE));
    line("DtoD target", cu.cuMemcpyDtoD_v2(p + 4, q, SIZE));
    line("from before", cu.cuMemcpyDtoH_v2(host.data(), p - 4, 8));
    line("at the end", cu.cuMemcpyDtoH_v2(host.data(), p + SIZE, 4));
    line("huge", cu.cuMemcpyDtoD_v2(p, q, SIZE_MAX));
    line("context", cu.cuCtxSynchronize());
  });
  rows.add(Start::CONTEXT, "past the end of a small allocation", [](Line& line) {
    const CUdeviceptr p = allocate(100);
    char host[1024] = "";
    line("101 of 100", cu.cuMemcpyHtoD_v2(p, host, 101));
    line("DtoH", cu.cuMemcpyDtoH_v2(host, p, 101));
    line("512", cu.cuMemcpyHtoD_v2(p, host, 512));
    line("memset", cu.cuMemsetD8_v2(p, 0, 101));
  });
  rows.add(Start::CONTEXT, "of freed memory", [](Line& line) {
    const CUdeviceptr p = allocate(SIZE);
    check(cu.cuMemFree_v2(p), "cuMemFree");
    int local = 0;
    line("HtoD", cu.cuMemcpyHtoD_v2(p, &local, 4));
    line("DtoH", cu.cuMemcpyDtoH_v2(&local, p, 4));
    line("cuMemcpy", cu.cuMemcpy(reinterpret_cast<CUdeviceptr>(&local), p, 4));
    line("memset", cu.cuMemsetD8_v2(p, 0, 4));
  });
  rows.add(Start::CONTEXT, "async past the end", [](Line& line) {
    const CUdeviceptr p = allocate(SIZE);
    void* host = allocate_host(64);
    CUstream stream = new_stream();
    line("copy", cu.cuMemcpyDtoHAsync_v2(host, p + SIZE - 4, 8, stream));
    line("stream", cu.cuStreamSynchronize(stream));
    line("0", cu.cuMemcpyDtoHAsync_v2(host, 0, 8, stream));
    line("stream", cu.cuStreamSynchronize(stream));
  });
}

void add_order(Rows& rows) {
  rows.add(Start::CONTEXT, "overlapping", [](Line& line) {
    const CUdeviceptr p = allocate(4096);
    std::vector<uint8_t> bytes(4096);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i / 16);
    check(cu.cuMemcpyHtoD_v2(p, bytes.data(), 4096), "cuMemcpyHtoD");
    line("itself", cu.cuMemcpyDtoD_v2(p, p, 4096));
    line.value("first", at(p)).value("last", at(p + 4095));
    line("overlap", cu.cuMemcpyDtoD_v2(p + 1, p, 64));
    line("cuMemcpy", cu.cuMemcpy(p, p + 1, 64));
  });
  rows.add(Start::CONTEXT, "unaligned", [](Line& line) {
    const CUdeviceptr p = allocate(4096);
    std::vector<uint8_t> bytes(4096, 9);
    line("HtoD", cu.cuMemcpyHtoD_v2(p + 1, bytes.data() + 3, 1001));
    line.value("before", at(p)).value("first", at(p + 1)).value("last", at(p + 1001));
    line.value("after", at(p + 1002));
    line("DtoD", cu.cuMemcpyDtoD_v2(p + 2049, p + 2, 5)).value("is", at(p + 2053));
  });
  rows.add(Start::CONTEXT, "peer", [](Line& line) {
    CUcontext own = nullptr;
    check(cu.cuCtxGetCurrent(&own), "cuCtxGetCurrent");
    const CUdeviceptr p = allocate(64), q = allocate(64);
    line("same context", cu.cuMemcpyPeer(p, own, q, own, 64));
    line("NULL source", cu.cuMemcpyPeer(p, own, q, nullptr, 64));
    line("NULL target", cu.cuMemcpyPeer(p, nullptr, q, own, 64));
    line("0 bytes", cu.cuMemcpyPeer(p, own, q, own, 0));
    line("0", cu.cuMemcpyPeer(0, own, q, own, 4));
    line("async", cu.cuMemcpyPeerAsync(p, own, q, own, 64, nullptr));
  });
  rows.add(Start::CONTEXT, "to and from a __constant__ variable", [](Line& line) {
    CUmodule module = load();
    CUdeviceptr scale = 0;
    size_t bytes = 0;
    CUfunction reader = nullptr;
    check(cu.cuModuleGetGlobal_v2(&scale, &bytes, module, "scale"), "scale");
    check(cu.cuModuleGetFunction(&reader, module, "reads_scale"), "reads_scale");
    int value = 11, got = 0;
    CUdeviceptr p = allocate(64);
    void* parameters[] = {&p};
    line("before", cu.cuMemcpyDtoH_v2(&got, scale, 4)).value("is", got);
    line("HtoD", cu.cuMemcpyHtoD_v2(scale, &value, 4));
    line("launch", cu.cuLaunchKernel(reader, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    line("DtoH", cu.cuMemcpyDtoH_v2(&got, p, 4)).value("is", got);
    line("memset", cu.cuMemsetD32_v2(scale, 13, 1));
    line("launch", cu.cuLaunchKernel(reader, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    line("DtoH", cu.cuMemcpyDtoH_v2(&got, p, 4)).value("is", got);
  });
  rows.add(Start::CONTEXT, "store to a __constant__ variable by its address", [](Line& line) {
    CUmodule module = load();
    CUdeviceptr scale = 0;
    size_t bytes = 0;
    CUfunction writer = nullptr;
    check(cu.cuModuleGetGlobal_v2(&scale, &bytes, module, "scale"), "scale");
    check(cu.cuModuleGetFunction(&writer, module, "stores"), "stores");
    int value = 17, got = 0;
    void* parameters[] = {&scale, &value};
    line("launch", cu.cuLaunchKernel(writer, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    line("synchronize", cu.cuCtxSynchronize());
    line("DtoH", cu.cuMemcpyDtoH_v2(&got, scale, 4)).value("is", got);
  });
}

const struct {
  const char* name;
  CUresult (*set)(CUdeviceptr p, size_t count);
  size_t width;
} SETS[] = {
    {"D8", [](CUdeviceptr p, size_t n) { return cu.cuMemsetD8_v2(p, 0x12, n); }, 1},
    {"D16", [](CUdeviceptr p, size_t n) { return cu.cuMemsetD16_v2(p, 0x3412, n); }, 2},
    {"D32", [](CUdeviceptr p, size_t n) { return cu.cuMemsetD32_v2(p, 0x78563412, n); }, 4},
};

}  // namespace

void add_copy(Rows& rows) {
  rows.subject("copy");
  add_arguments(rows);
  add_copy_ends(rows);
  add_order(rows);
}

void add_memset(Rows& rows) {
  rows.subject("memset");
  for (const auto& form : SETS) {
    rows.add(Start::CONTEXT, form.name, [form](Line& line) {
      const CUdeviceptr p = allocate(SIZE);
      line("plain", form.set(p, 3)).value("last", at(p + 3 * form.width - 1));
      line.value("after", at(p + 3 * form.width));
      line("offset 1", form.set(p + 1, 1));
      line("offset 2", form.set(p + 2, 1));
      line("0 items", form.set(p, 0));
      line("0 items at 0", form.set(0, 0));
      line("0 items at 1", form.set(p + 1, 0));
      line("at 0", form.set(0, 1));
      line("past the end", form.set(p, SIZE / form.width + 1));
      line("most items", form.set(p, SIZE_MAX));
    });
    rows.add(Start::CONTEXT, std::string(form.name) + " of host memory", [form](Line& line) {
      int local[4] = {};
      line("pinned", form.set(reinterpret_cast<CUdeviceptr>(allocate_host(64)), 2));
      line("managed", form.set(allocate_managed(64), 2));
      line("stack", form.set(reinterpret_cast<CUdeviceptr>(local), 2)).value("is", local[0]);
    });
  }
  rows.add(Start::CONTEXT, "2D", [](Line& line) {
    const CUdeviceptr p = allocate(4096);
    line("plain", cu.cuMemsetD2D8_v2(p, 64, 7, 10, 3)).value("inside", at(p + 64 + 9));
    line.value("outside", at(p + 64 + 10));
    line("pitch 0", cu.cuMemsetD2D8_v2(p, 0, 7, 10, 3));
    line("pitch 0, one row", cu.cuMemsetD2D8_v2(p, 0, 7, 10, 1));
    line("pitch below width", cu.cuMemsetD2D8_v2(p, 8, 7, 10, 3));
    line("pitch below width, one row", cu.cuMemsetD2D8_v2(p, 8, 7, 10, 1));
    line("width 0", cu.cuMemsetD2D8_v2(p, 64, 7, 0, 3));
    line("height 0", cu.cuMemsetD2D8_v2(p, 64, 7, 10, 0));
    line("D16 pitch 63", cu.cuMemsetD2D16_v2(p, 63, 7, 10, 2));
    line("D32 pitch 62", cu.cuMemsetD2D32_v2(p, 62, 7, 10, 2));
    line("D32 address 2", cu.cuMemsetD2D32_v2(p + 2, 64, 7, 10, 2));
    line("huge pitch", cu.cuMemsetD2D8_v2(p, size_t{1} << 40, 7, 1, 2));
  });
  rows.add(Start::CONTEXT, "async", [](Line& line) {
    const CUdeviceptr p = allocate(4096);
    CUstream stream = new_stream();
    line("D8", cu.cuMemsetD8Async(p, 1, 64, stream));
    line("D16 odd", cu.cuMemsetD16Async(p + 1, 1, 1, stream));
    line("0 items", cu.cuMemsetD32Async(p, 1, 0, stream));
    line("destroyed stream", cu.cuStreamDestroy_v2(stream));
  });
}

}  // namespace cucore::cpu::record
