// SPDX-License-Identifier: Apache-2.0
// Modules and functions.
#include "cpu/driver/api.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/function_attributes.hpp"
#include "cpu/driver/image.hpp"
#include "cpu/driver/library.hpp"

namespace cucore::cpu::api {
namespace {

constexpr int LEAST_TARGET = 10;  // of any GPU with CUDA

CUresult load(CUmodule* out, PtxText ptx, JitOptions& options) {
  auto context = current_context();
  context->output().flush();
  std::shared_ptr<LoadedModule> code;
  DeviceLimits limits = limits_of(*context);
  limits.max_registers = options.max_registers();
  if (const int target = options.target()) {
    require(target >= LEAST_TARGET, CUDA_ERROR_INVALID_IMAGE);
    require(target <= context->device().profile().sm(), CUDA_ERROR_INVALID_SOURCE);
  }
  if (ptx.code == CUDA_SUCCESS)
    code = load_code(ptx.text, context->device(), limits, ptx.log, ptx.code);
  note_load_log(ptx.log);
  if (!code) {
    options.write_info_log({});
    options.write_error_log(ptx.log);
    options.write_wall_time();
    fail_load(ptx.code, std::move(ptx.log));
  }
  options.write_error_log({});
  options.write_info_log(ptx.log);
  options.write_wall_time();
  auto module = std::make_shared<ModuleInstance>(context, std::move(code));
  *out = new_handle<CUmodule>(module);
  context->adopt(ObjectKind::MODULE, module->handle_bits());
  return CUDA_SUCCESS;
}

CUresult load_image(CUmodule* out, const void* image, JitOptions options) {
  require(out && image);
  return load(out, ptx_of_image(image, current_context()->device().profile().sm()), options);
}

// A function handle may be a kernel handle, which means the function in the current context.
}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return load_image(module, image, JitOptions(0, nullptr, nullptr));
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions,
                            CUjit_option* options, void** optionValues) {
  return load_image(module, image, JitOptions(numOptions, options, optionValues));
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return load_image(module, fatCubin, JitOptions(0, nullptr, nullptr));
}

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  require(module && fname);
  JitOptions options(0, nullptr, nullptr);
  return load(module, ptx_of_file(fname, current_context()->device().profile().sm()), options);
}

CUresult cuModuleUnload(CUmodule hmod) {
  auto module = lookup<ModuleInstance>(hmod);
  require(!module->of_library(), CUDA_ERROR_NOT_PERMITTED);
  module->context().output().flush();
  module->drop_functions();
  require(Registry::instance().remove(ObjectKind::MODULE, module->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  module->context().disown(module->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  require(mode != nullptr);
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  require(hfunc && name);
  const auto module = lookup<ModuleInstance>(hmod);
  require(*name != 0);
  *hfunc = nullptr;
  *hfunc = module->function(name);
  return *hfunc ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  require(count != nullptr);
  *count = static_cast<unsigned>(lookup<ModuleInstance>(mod)->code().kernels().size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions,
                                    CUmodule mod) {
  require(functions != nullptr);
  auto module = lookup<ModuleInstance>(mod);
  unsigned i = 0;
  for (const Kernel* kernel : module->code().kernels()) {
    if (i == numFunctions) break;
    functions[i++] = module->listed_function(*kernel);
  }
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  require(name && (dptr || bytes));
  const auto module = lookup<ModuleInstance>(hmod);
  if (dptr) *dptr = 0;
  if (bytes) *bytes = 0;
  give_variable(find_variable(module->code(), name), dptr, bytes);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  require(pi != nullptr);
  auto f = find_function(hfunc);
  *pi = function_attribute(f->info(), f->attributes(), f->device().profile(), attrib);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  auto f = find_function(hfunc);
  set_function_attribute(f->info(), f->attributes(), f->device().profile(), attrib, value);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  find_function(hfunc);
  require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  find_function(hfunc);
  require(config >= 0 && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  return CUDA_SUCCESS;
}

namespace {

// Returns the parameters. A kernel provides them without a context.
const KernelInfo& info_of(CUfunction handle, std::shared_ptr<Object>& keep) {
  auto bits = reinterpret_cast<uint64_t>(handle);
  if ((keep = Registry::instance().find(ObjectKind::KERNEL, bits)))
    return static_cast<LibraryKernel&>(*keep).info();
  keep = lookup<Function>(handle);
  return static_cast<Function&>(*keep).info();
}

}  // namespace

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  require(name && hfunc);
  *name = lookup<Function>(hfunc)->info().name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
                            size_t* paramSize) {
  require(func != nullptr);
  std::shared_ptr<Object> keep;
  return give_parameter(info_of(func, keep), paramIndex, paramOffset, paramSize);
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  require(hmod && hfunc);
  auto f = lookup<Function>(hfunc);
  *hmod = f->module().make_handle();
  return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  require(state != nullptr);
  lookup<Function>(function);
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function) {
  lookup<Function>(function);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
