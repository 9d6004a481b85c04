// SPDX-License-Identifier: Apache-2.0
// The text of a row, and the objects that rows use.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "rows.hpp"

namespace cucore::cpu::record {

Driver cu;

std::string result_name(CUresult result) {
  const char* name = nullptr;
  if (cu.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    return "result " + std::to_string(static_cast<int>(result));
  std::string text = name;
  for (const char* prefix : {"CUDA_ERROR_", "CUDA_"})
    if (text.rfind(prefix, 0) == 0) return text.substr(std::string(prefix).size());
  return text;
}

void Line::append(const std::string& separator, const std::string& part) {
  content_ += (content_.empty() ? "" : separator) + part;
  changed_(content_);
}

Line& Line::operator()(CUresult result) {
  append("; ", result_name(result));
  return *this;
}

Line& Line::operator()(const char* step, CUresult result) {
  append("; ", std::string(step) + ": " + result_name(result));
  return *this;
}

Line& Line::text(const char* name, const std::string& value) {
  append(" ", std::string(name) + "=" + value);
  return *this;
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS)
    throw std::runtime_error("setup: " + std::string(what) + " " + result_name(result));
}

CUmodule load() {
  CUmodule made = nullptr;
  check(cu.cuModuleLoadData(&made, PTX), "cuModuleLoadData");
  return made;
}

CUfunction function(const char* name) {
  CUfunction found = nullptr;
  check(cu.cuModuleGetFunction(&found, load(), name), name);
  return found;
}

CUlibrary load_library() {
  CUlibrary made = nullptr;
  check(cu.cuLibraryLoadData(&made, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cuLibraryLoadData");
  return made;
}

CUkernel kernel(CUlibrary library, const char* name) {
  CUkernel found = nullptr;
  check(cu.cuLibraryGetKernel(&found, library, name), name);
  return found;
}

CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr made = 0;
  check(cu.cuMemAlloc_v2(&made, bytes), "cuMemAlloc");
  check(cu.cuMemsetD8_v2(made, 0, bytes), "cuMemsetD8");
  check(cu.cuCtxSynchronize(), "cuCtxSynchronize");
  return made;
}

void* allocate_host(size_t bytes) {
  void* made = nullptr;
  check(cu.cuMemHostAlloc(&made, bytes, 0), "cuMemHostAlloc");
  __builtin_memset(made, 0, bytes);
  return made;
}

CUdeviceptr allocate_managed(size_t bytes) {
  CUdeviceptr made = 0;
  check(cu.cuMemAllocManaged(&made, bytes, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
  return made;
}

CUstream new_stream(unsigned flags) {
  CUstream made = nullptr;
  check(cu.cuStreamCreate(&made, flags), "cuStreamCreate");
  return made;
}

CUevent new_event(unsigned flags) {
  CUevent made = nullptr;
  check(cu.cuEventCreate(&made, flags), "cuEventCreate");
  return made;
}

CUcontext new_context() {
  CUcontext made = nullptr;
  check(cu.cuCtxCreate_v2(&made, 0, 0), "cuCtxCreate");
  return made;
}

size_t output_bytes() {
  std::fflush(stdout);
  struct stat status {};
  return fstat(STDOUT_FILENO, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

Gate::Gate(CUstream stream) {
  void* page = allocate_host(64);
  flag_ = static_cast<volatile uint32_t*>(page);
  void* parameters[] = {&page};
  check(cu.cuLaunchKernel(function("spin"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr),
        "spin");
}
void Gate::open() { *flag_ = 1; }
Gate::~Gate() {
  open();
  cu.cuCtxSynchronize();
}

Pages::Pages(size_t bytes) : bytes_(bytes) {
  void* made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) throw std::runtime_error("setup: mmap");
  data = static_cast<char*>(made);
  __builtin_memset(data, 1, bytes);
}
Pages::~Pages() { munmap(data, bytes_); }

}  // namespace cucore::cpu::record
