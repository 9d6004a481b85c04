// SPDX-License-Identifier: Apache-2.0
// The fake driver's libraries and kernels: the content of an image is read from the image itself.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {

CUresult find_kernel(const void* handle, Kernel*& kernel, const char* use) {
  Driver& d = driver();
  const auto function = static_cast<CUfunction>(const_cast<void*>(handle));
  if (const Function* found = d.functions.find(function)) {
    kernel = d.kernels.find(found->kernel);
    return CUDA_SUCCESS;
  }
  kernel = d.kernels.find_or_note(reinterpret_cast<CUkernel>(function), use);
  return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult find_launched(const void* handle, const Context* context, Kernel*& kernel,
                       const char* use) {
  RETURN_IF_FAILED(find_kernel(handle, kernel, use));
  const Function* function =
      driver().functions.find(static_cast<CUfunction>(const_cast<void*>(handle)));
  NEED(!function || function->context == context, CUDA_ERROR_INVALID_HANDLE);
  return CUDA_SUCCESS;
}

}  // namespace fake

namespace fake::api {
namespace {

constexpr int NEWEST_PTX = 90;
constexpr const char* REJECTED = "// reject";  // PTX with this is refused, with a log

// The caller's buffer for the compiler's errors.
struct ErrorLog {
  char* buffer = nullptr;
  size_t size = 0;
  void write(const char* text) const {
    if (buffer && size) std::snprintf(buffer, size, "%s", text);
  }
};

ErrorLog error_log(unsigned count, const CUjit_option* options, void** values) {
  ErrorLog log;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.buffer = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      log.size = reinterpret_cast<uintptr_t>(values[i]);
  }
  return log;
}

CUresult read(const void* code, const ErrorLog& log, Image& image) {
  NEED(code, CUDA_ERROR_INVALID_VALUE);
  image = read_image(code);
  if (image.kind == Image::INVALID ||
      (image.kind == Image::PTX && std::strstr(static_cast<const char*>(code), REJECTED))) {
    log.write("ptxas fatal   : Syntax error in line 1, as the fake driver's compiler sees it");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (image.ptx_version > NEWEST_PTX) {
    log.write("ptxas fatal   : Unsupported .version; current version is '9.0'");
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  return CUDA_SUCCESS;
}

void add_scripted(Image& image) {
  const Settings& settings = driver().settings;
  image.kernels.insert(image.kernels.end(), settings.kernels.begin(), settings.kernels.end());
  image.globals.insert(image.globals.end(), settings.globals.begin(), settings.globals.end());
}

int default_kernel_attribute(int attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 16;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return 90;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return 49152;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return -1;
    default:
      return 0;
  }
}

bool is_settable(int attribute) {
  return attribute >= CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
         attribute != CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET &&
         attribute < CU_FUNC_ATTRIBUTE_MAX;
}

CUresult get_attribute(int* value, int attribute, const Kernel& kernel, int device) {
  NEED(attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE);
  const auto set = kernel.attributes.find({attribute, device});
  const auto& scripted = driver().settings.kernel_attributes;
  const auto script = scripted.find({kernel.image.name, attribute});
  *value = set != kernel.attributes.end() ? set->second
           : script != scripted.end()     ? script->second
                                          : default_kernel_attribute(attribute);
  return CUDA_SUCCESS;
}

CUresult set_attribute(int attribute, int value, Kernel& kernel, int device) {
  NEED(is_settable(attribute), CUDA_ERROR_INVALID_VALUE);
  NEED(attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
           (value >= 0 && value <= 232448),
       CUDA_ERROR_INVALID_VALUE);
  kernel.attributes[{attribute, device}] = value;
  return CUDA_SUCCESS;
}

CUresult find_global(CUlibrary handle, const char* name, bool managed, CUdeviceptr* out,
                     size_t* size, const char* use) {
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  Library* library = driver().libraries.find_or_note(handle, use);
  NEED(library, CUDA_ERROR_INVALID_HANDLE);
  const auto found = std::ranges::find_if(library->globals, [&](const Global& global) {
    return global.image.name == name && global.image.managed == managed;
  });
  NEED(found != library->globals.end(), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr& where = found->addresses[context];
  if (!where) RETURN_IF_FAILED(allocate(context, MemoryKind::GLOBAL, found->image.size, &where));
  if (out) *out = where;
  if (size) *size = found->image.size;
  return CUDA_SUCCESS;
}

int blocks_on_a_multiprocessor(int block_size, size_t shared) {
  const int by_threads = 2048 / std::max(block_size, 1);
  const int by_shared = shared ? static_cast<int>(233472 / (shared + 1024)) : 32;
  return std::min({32, by_threads, by_shared});
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option* options, void** values,
                           unsigned count, CUlibraryOption*, void**, unsigned) {
  const auto lock = locked();
  Image image;
  RETURN_IF_FAILED(read(code, error_log(count, options, values), image));
  add_scripted(image);
  const CUlibrary handle = driver().libraries.add({image.kind, {}, {}});
  Library& library = *driver().libraries.find(handle);
  for (KernelImage& kernel : image.kernels)
    library.kernels.push_back(driver().kernels.add({handle, std::move(kernel), {}}));
  for (GlobalImage& global : image.globals) library.globals.push_back({std::move(global), {}});
  *out = handle;
  return CUDA_SUCCESS;
}

CUresult cuLibraryUnload(CUlibrary handle) {
  const auto lock = locked();
  Library* library = driver().libraries.find_or_note(handle, "cuLibraryUnload");
  NEED(library, CUDA_ERROR_INVALID_HANDLE);
  free_globals(*library, nullptr);
  driver().functions.remove_if([&](const Function& function) {
    return driver().kernels.find(function.kernel)->library == handle;
  });
  driver().kernels.remove_if([&](const Kernel& kernel) { return kernel.library == handle; });
  driver().libraries.remove(handle, "cuLibraryUnload");
  return driver().settings.fault;
}

CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  const auto lock = locked();
  Library* library = driver().libraries.find_or_note(handle, "cuLibraryGetKernel");
  NEED(library, CUDA_ERROR_INVALID_HANDLE);
  for (const CUkernel kernel : library->kernels)
    if (driver().kernels.find(kernel)->image.name == name) {
      *out = kernel;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  const auto lock = locked();
  Library* library = driver().libraries.find_or_note(handle, "cuLibraryGetKernelCount");
  NEED(library, CUDA_ERROR_INVALID_HANDLE);
  *count = static_cast<unsigned>(library->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned count, CUlibrary handle) {
  const auto lock = locked();
  Library* library = driver().libraries.find_or_note(handle, "cuLibraryEnumerateKernels");
  NEED(library, CUDA_ERROR_INVALID_HANDLE);
  NEED(count <= library->kernels.size(), CUDA_ERROR_INVALID_VALUE);
  std::copy_n(library->kernels.begin(), count, out);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* out, size_t* size, CUlibrary library, const char* name) {
  const auto lock = locked();
  return find_global(library, name, false, out, size, "cuLibraryGetGlobal");
}

CUresult cuLibraryGetManaged(CUdeviceptr* out, size_t* size, CUlibrary library, const char* name) {
  const auto lock = locked();
  return find_global(library, name, true, out, size, "cuLibraryGetManaged");
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  NEED(driver().libraries.find_or_note(library, "cuLibraryGetModule"), CUDA_ERROR_INVALID_HANDLE);
  *out = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelGetFunction"));
  auto& functions = driver().functions;
  *out = functions.find_if([&](const Function& function) {
    return function.kernel == handle && function.context == context;
  });
  if (!*out) *out = functions.add({handle, context});
  return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelGetLibrary"));
  *out = kernel->library;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** out, CUkernel handle) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelGetName"));
  *out = kernel->image.name.c_str();
  return CUDA_SUCCESS;
}

// As for NVIDIA's driver, a function may be a kernel.
CUresult cuFuncGetName(const char** out, CUfunction handle) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuFuncGetName"));
  *out = kernel->image.name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* size) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelGetParamInfo"));
  // Not in the driver's documentation: the result is the image of the current context.
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  NEED(index < kernel->image.sizes.size(), CUDA_ERROR_INVALID_VALUE);
  *offset = kernel->image.offsets[index];
  if (size) *size = kernel->image.sizes[index];
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                              CUdevice device) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelGetAttribute"));
  return get_attribute(value, attribute, *kernel, device);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice device) {
  const auto lock = locked();
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuKernelSetAttribute"));
  return set_attribute(attribute, value, *kernel, device);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuFuncGetAttribute"));
  return get_attribute(value, attribute, *kernel, context->device);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuFuncSetAttribute"));
  return set_attribute(attribute, value, *kernel, context->device);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int block_size,
                                                     size_t shared) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  NEED(block_size > 0, CUDA_ERROR_INVALID_VALUE);
  *blocks = block_size > 1024 ? 0 : blocks_on_a_multiprocessor(block_size, shared);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction handle,
                                          CUoccupancyB2DSize, size_t shared, int limit) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuOccupancyMaxPotentialBlockSize"));
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  *grid = 132 * blocks_on_a_multiprocessor(*block, shared);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* size, CUfunction handle, int blocks,
                                                 int block_size) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuOccupancyAvailableDynamicSMemPerBlock"));
  NEED(blocks > 0 && block_size > 0, CUDA_ERROR_INVALID_VALUE);
  *size = 233472 / static_cast<size_t>(blocks) - 1024;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction handle,
                                      const CUlaunchConfig* config) {
  const auto lock = locked();
  Context* context = nullptr;
  Kernel* kernel = nullptr;
  RETURN_IF_FAILED(current(context));
  RETURN_IF_FAILED(find_kernel(handle, kernel, "cuOccupancyMaxActiveClusters"));
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& size = config->attrs[i].value.clusterDim;
      cluster = size.x * size.y * size.z;
    }
  NEED(cluster > 0 && cluster <= 16, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  *clusters = static_cast<int>(132 / cluster);
  return CUDA_SUCCESS;
}

}  // namespace fake::api
