// SPDX-License-Identifier: Apache-2.0
// Libraries and their kernels.
#include "cpu/driver/api.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/function_attributes.hpp"
#include "cpu/driver/image.hpp"
#include "cpu/driver/library.hpp"
#include "cpu/driver/process.hpp"

namespace cucore::cpu::api {
namespace {

// Libraries need no context; without one, they are checked against the first device.
Device& likely_device() {
  auto current = current_context_unchecked();
  return current ? current->device() : Process::get().device(0);
}

void check_library_options(CUlibraryOption* options, void** values, unsigned count) {
  require(count == 0 || (options && values));
  for (unsigned i = 0; i < count; ++i) {
    require(options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE ||
            options[i] == CU_LIBRARY_BINARY_IS_PRESERVED);
  }
}

void flush_current() {
  if (auto current = current_context_unchecked()) current->output().flush();
}

CUresult load(CUlibrary* out, PtxText ptx, Device& device, JitOptions& options) {
  flush_current();
  note_load_log(ptx.log);
  if (ptx.code != CUDA_SUCCESS) {
    options.write_info_log({});
    options.write_error_log(ptx.log);
    options.write_wall_time();
    if (!ptx.for_linker) return ptx.code;
    *out = new_handle<CUlibrary>(Library::without_code(ptx.code));
    return CUDA_SUCCESS;
  }
  *out = new_handle<CUlibrary>(Library::load(std::move(ptx.text), device, options));
  return CUDA_SUCCESS;
}

std::shared_ptr<Library> find_library(CUlibrary handle) { return lookup<Library>(handle); }
std::shared_ptr<LibraryKernel> find_kernel(CUkernel handle) {
  return lookup<LibraryKernel>(handle);
}

CUresult give_global(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name,
                     bool only_managed) {
  require(name && (dptr || bytes));
  auto instance = find_library(library)->instance(current_context());
  const GlobalInfo* any = instance->code().find_global(name);
  require(!only_managed || (any && any->managed), CUDA_ERROR_NOT_FOUND);
  give_variable(find_variable(instance->code(), name), dptr, bytes);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                           void** jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption* libraryOptions, void** libraryOptionValues,
                           unsigned int numLibraryOptions) {
  require(library && code);
  JitOptions options(numJitOptions, jitOptions, jitOptionsValues);
  check_library_options(libraryOptions, libraryOptionValues, numLibraryOptions);
  Device& device = likely_device();
  return load(library, ptx_of_image(code, device.profile().sm()), device, options);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption* libraryOptions, void** libraryOptionValues,
                               unsigned int numLibraryOptions) {
  require(library && fileName);
  JitOptions options(numJitOptions, jitOptions, jitOptionsValues);
  check_library_options(libraryOptions, libraryOptionValues, numLibraryOptions);
  Device& device = likely_device();
  return load(library, ptx_of_file(fileName, device.profile().sm()), device, options);
}

CUresult cuLibraryUnload(CUlibrary library) {
  auto gone = find_library(library);
  flush_current();
  require(Registry::instance().remove(ObjectKind::LIBRARY, gone->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  gone->unload();
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  require(pKernel && name);
  CUkernel kernel = find_library(library)->kernel(name);
  require(kernel != nullptr, CUDA_ERROR_NOT_FOUND);
  *pKernel = kernel;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  require(count != nullptr);
  *count = static_cast<unsigned>(find_library(lib)->kernels().size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  require(kernels != nullptr);
  auto library = find_library(lib);
  unsigned i = 0;
  for (const Kernel* kernel : library->kernels()) {
    if (i == numKernels) break;
    kernels[i++] = library->kernel(kernel->info().name);
  }
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  require(pMod != nullptr);
  *pMod = find_library(library)->instance(current_context())->make_handle();
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return give_global(dptr, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                             const char* name) {
  return give_global(dptr, bytes, library, name, true);
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  require(pFunc != nullptr);
  *pFunc = find_kernel(kernel)->function(current_context());
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  require(name && hfunc);
  *name = find_kernel(hfunc)->info().name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  require(pLib != nullptr);
  *pLib = handle_of<CUlibrary>(*find_kernel(kernel)->library());
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset,
                              size_t* paramSize) {
  return give_parameter(find_kernel(kernel)->info(), paramIndex, paramOffset, paramSize);
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  require(pi != nullptr);
  auto k = find_kernel(kernel);
  Device& device = Process::get().device(dev);
  auto attributes = k->library()->attributes(k->kernel(), device.ordinal());
  *pi = function_attribute(k->info(), *attributes, device.profile(), attrib);
  return CUDA_SUCCESS;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  auto k = find_kernel(kernel);
  Device& device = Process::get().device(dev);
  auto attributes = k->library()->attributes(k->kernel(), device.ordinal());
  set_function_attribute(k->info(), *attributes, device.profile(), attrib, val);
  return CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  find_kernel(kernel);
  Process::get().device(dev);
  require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
