// SPDX-License-Identifier: Apache-2.0
// The driver calls of the table, looked up by name.
#include "driver.hpp"

#include <dlfcn.h>

#include <cstring>

#define CALL(function, ...) \
  check(symbol<decltype(&function)>(versioned(#function))(__VA_ARGS__), #function)

namespace cucore::cpu::ops {
namespace {

// cuda.h renames some functions by macro; this is the exported name.
#define TEXT_OF(name) #name
#define EXPORTED(name) TEXT_OF(name)

const char* versioned(const char* name) {
  struct Name {
    const char* plain;
    const char* exported;
  };
  static constexpr Name NAMES[] = {
      {"cuMemAlloc", EXPORTED(cuMemAlloc)},
      {"cuMemFree", EXPORTED(cuMemFree)},
      {"cuMemcpyHtoD", EXPORTED(cuMemcpyHtoD)},
      {"cuMemcpyDtoH", EXPORTED(cuMemcpyDtoH)},
      {"cuMemsetD8", EXPORTED(cuMemsetD8)},
      {"cuModuleGetGlobal", EXPORTED(cuModuleGetGlobal)},
      {"cuDevicePrimaryCtxReset", EXPORTED(cuDevicePrimaryCtxReset)},
      {"cuDevicePrimaryCtxRelease", EXPORTED(cuDevicePrimaryCtxRelease)}};
  for (const Name& known : NAMES)
    if (std::string(known.plain) == name) return known.exported;
  return name;
}

constexpr size_t RECURSION_BYTES = 8192;  // the default of 1 KiB is small for a recursion

}  // namespace

template <typename Function>
Function Driver::symbol(const char* name) const {
  void* found = dlsym(library_, name);
  if (found == nullptr) throw DriverError(std::string("the driver lacks ") + name);
  return reinterpret_cast<Function>(found);
}

void Driver::check(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  symbol<decltype(&cuGetErrorName)>("cuGetErrorName")(result, &name);
  throw DriverError(std::string(what) + ": " + (name != nullptr ? name : "unknown error"));
}

Driver::Driver(const std::string& path) {
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw DriverError(dlerror());
  CALL(cuInit, 0);
  CALL(cuDriverGetVersion, &version_);
  CALL(cuDeviceGet, &device_, 0);
  char name[256] = {};
  CALL(cuDeviceGetName, name, sizeof name, device_);
  name_ = name;
  int major = 0, minor = 0;
  CALL(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
  CALL(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
  target_ = static_cast<unsigned>(major * 10 + minor);
  attach();
}

Driver::~Driver() {
  try {
    CALL(cuDevicePrimaryCtxRelease, device_);
  } catch (const DriverError&) {
    // A failed context ends with the process.
  }
}

void Driver::attach() {
  CALL(cuDevicePrimaryCtxRetain, &context_, device_);
  CALL(cuCtxSetCurrent, context_);
}

void Driver::reset() {
  CALL(cuDevicePrimaryCtxReset, device_);
  CALL(cuDevicePrimaryCtxRelease, device_);
  attach();
}

CUmodule Driver::load(const std::string& ptx) {
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  try {
    CALL(cuModuleLoadDataEx, &module, ptx.c_str(), 2, options, values);
  } catch (const DriverError& error) {
    throw DriverError(std::string(error.what()) + "\n" + log);
  }
  return module;
}

void Driver::unload(CUmodule module) { CALL(cuModuleUnload, module); }

std::vector<uint64_t> Driver::run(CUmodule module, const std::string& kernel,
                                  const std::vector<uint64_t>& operands, size_t results,
                                  size_t threads, size_t scratch_bytes, unsigned block) {
  CUfunction function = nullptr;
  CALL(cuModuleGetFunction, &function, module, kernel.c_str());
  size_t in_bytes = operands.size() * 8, out_bytes = results * 8;
  CUdeviceptr in = 0, out = 0, scratch = 0;
  CALL(cuMemAlloc, &in, in_bytes);
  CALL(cuMemAlloc, &out, out_bytes);
  CALL(cuMemAlloc, &scratch, scratch_bytes);
  CALL(cuMemcpyHtoD, in, operands.data(), in_bytes);
  CALL(cuMemsetD8, out, 0, out_bytes);
  CALL(cuMemsetD8, scratch, 0, scratch_bytes);
  void* parameters[] = {&in, &out, &scratch};
  CALL(cuLaunchKernel, function, static_cast<unsigned>(threads / block), 1, 1, block, 1, 1, 0,
       nullptr, parameters, nullptr);
  CALL(cuCtxSynchronize);
  std::vector<uint64_t> all(results);
  CALL(cuMemcpyDtoH, all.data(), out, out_bytes);
  CALL(cuMemFree, in);
  CALL(cuMemFree, out);
  CALL(cuMemFree, scratch);
  return all;
}

void Driver::launch(CUmodule module, const std::string& kernel, const LaunchShape& shape,
                    const std::vector<Argument>& arguments,
                    std::vector<std::vector<uint8_t>>& arrays) {
  CUfunction function = nullptr;
  CALL(cuModuleGetFunction, &function, module, kernel.c_str());
  CALL(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, RECURSION_BYTES);
  std::vector<CUdeviceptr> addresses;
  for (const auto& array : arrays) {
    CALL(cuMemAlloc, &addresses.emplace_back(), array.size());
    CALL(cuMemcpyHtoD, addresses.back(), array.data(), array.size());
  }
  std::vector<Argument> packed = arguments;
  std::vector<void*> parameters;
  for (Argument& argument : packed) {
    for (const auto& [offset, array] : argument.arrays)
      std::memcpy(argument.bytes.data() + offset, &addresses.at(array), sizeof(CUdeviceptr));
    parameters.push_back(argument.bytes.data());
  }
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = shape.cooperative;
  const CUlaunchConfig config{
      shape.grid[0],  shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
      shape.block[2], shape.shared,  nullptr,       &attribute,     1};
  CALL(cuLaunchKernelEx, &config, function, parameters.data(), nullptr);
  CALL(cuCtxSynchronize);
  for (size_t i = 0; i < arrays.size(); ++i) {
    CALL(cuMemcpyDtoH, arrays[i].data(), addresses[i], arrays[i].size());
    CALL(cuMemFree, addresses[i]);
  }
}

std::pair<CUdeviceptr, size_t> Driver::variable(CUmodule module, const std::string& name) const {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CALL(cuModuleGetGlobal, &address, &bytes, module, name.c_str());
  return {address, bytes};
}

void Driver::write_variable(CUmodule module, const std::string& name,
                            const std::vector<uint8_t>& bytes) {
  const auto [address, size] = variable(module, name);
  if (size != bytes.size()) throw DriverError("the variable " + name + " has another size");
  CALL(cuMemcpyHtoD, address, bytes.data(), size);
}

std::vector<uint8_t> Driver::read_variable(CUmodule module, const std::string& name) {
  const auto [address, size] = variable(module, name);
  std::vector<uint8_t> bytes(size);
  CALL(cuMemcpyDtoH, bytes.data(), address, size);
  return bytes;
}

}  // namespace cucore::cpu::ops
