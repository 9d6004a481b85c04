// SPDX-License-Identifier: Apache-2.0
// Loading, instances per context, and the handles of functions and kernels.
#include "cpu/driver/library.hpp"

#include <utility>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/register_note.hpp"

namespace cucore::cpu {
namespace {
std::atomic<uint64_t> next_library_id{1};
}  // namespace

std::shared_ptr<LoadedModule> load_code(const std::string& ptx, const Device& device,
                                        DeviceLimits limits, std::string& log, CUresult& code) {
  limits.memory_bytes = device.memory_limit();
  const unsigned linked = noted_registers(ptx);
  if (linked && (limits.max_registers == 0 || linked < limits.max_registers))
    limits.max_registers = linked;
  auto module = LoadedModule::load(ptx.data(), ptx.size(), device.ordinal(), limits, log, code);
  if (!module && code == CUDA_SUCCESS) code = CUDA_ERROR_INVALID_PTX;
  return module;
}

void fail_load(CUresult code, std::string log) {
  if (code != CUDA_ERROR_NOT_SUPPORTED) fail(code);
  if (log.ends_with('\n')) log.pop_back();
  fail(code, log.substr(log.rfind('\n') + 1));  // the last line
}

DeviceLimits limits_of(const Context& context) {
  DeviceLimits limits = context.device().profile().limits();
  limits.heap_bytes = context.limit(CU_LIMIT_MALLOC_HEAP_SIZE);
  limits.printf_bytes = context.limit(CU_LIMIT_PRINTF_FIFO_SIZE);
  limits.stack_bytes = context.limit(CU_LIMIT_STACK_SIZE);
  limits.accessible_devices = context.accessible_devices();
  return limits;
}

ModuleInstance::ModuleInstance(std::shared_ptr<Context> context, std::shared_ptr<LoadedModule> code,
                               const std::shared_ptr<Library>& library)
    : context_(std::move(context)),
      code_(std::move(code)),
      of_library_(library != nullptr),
      library_(library) {
  for (const GlobalInfo& global : code_->globals()) {
    if (global.size) {
      Allocations::instance().adopt_variable(*context_, global.address, global.size,
                                             global.managed);
    }
  }
}

ModuleInstance::~ModuleInstance() {
  for (const GlobalInfo& global : code_->globals())
    if (global.size) Allocations::instance().forget_variable(global.address);
}

CUfunction ModuleInstance::function(std::string_view name,
                                    std::shared_ptr<FunctionAttributes> attributes) {
  std::lock_guard lock(mutex_);
  if (auto known = functions_.find(name); known != functions_.end()) return known->second;
  const Kernel* kernel = code_->find_kernel(name);
  if (!kernel) return nullptr;
  const std::string& refusal = kernel->info().refusal;
  if (!refusal.empty()) fail(CUDA_ERROR_NOT_FOUND, refusal);
  return add_function(*kernel, std::move(attributes));
}

CUfunction ModuleInstance::listed_function(const Kernel& kernel) {
  std::lock_guard lock(mutex_);
  const auto known = functions_.find(kernel.info().name);
  return known != functions_.end() ? known->second : add_function(kernel, nullptr);
}

CUfunction ModuleInstance::add_function(const Kernel& kernel,
                                        std::shared_ptr<FunctionAttributes> attributes) {
  if (!attributes) attributes = std::make_shared<FunctionAttributes>(kernel.info());
  auto function = std::make_shared<Function>(shared_from_this(), kernel, std::move(attributes));
  CUfunction handle = new_handle<CUfunction>(function);
  context_->adopt(ObjectKind::FUNCTION, function->handle_bits());
  functions_.emplace(kernel.info().name, handle);
  return handle;
}

void ModuleInstance::drop_functions() {
  std::lock_guard lock(mutex_);
  for (const auto& [name, handle] : functions_) {
    auto bits = reinterpret_cast<uint64_t>(handle);
    Registry::instance().remove(ObjectKind::FUNCTION, bits);
    context_->disown(bits);
  }
  functions_.clear();
}

CUmodule ModuleInstance::make_handle() {
  std::lock_guard lock(mutex_);
  if (!handle_bits()) {
    new_handle<CUmodule>(shared_from_this());
    context_->adopt(ObjectKind::MODULE, handle_bits());
  }
  return handle_of<CUmodule>(*this);
}

const GlobalInfo& find_variable(const LoadedModule& code, const char* name) {
  const GlobalInfo* found = code.find_global(name);
  require(found || (*name != 0 && !code.find_kernel(name)));
  require(found != nullptr, CUDA_ERROR_NOT_FOUND);
  return *found;
}

void give_variable(const GlobalInfo& variable, CUdeviceptr* address, size_t* size) {
  if (address) *address = variable.address;
  if (size) *size = variable.size;
  if (address && variable.constant) AddressSpace::instance().set_read_only(variable.address, false);
}

Library::Library(std::string ptx, std::shared_ptr<LoadedModule> reference, unsigned max_registers)
    : id_(next_library_id++),
      ptx_(std::move(ptx)),
      reference_(std::move(reference)),
      max_registers_(max_registers) {}

std::shared_ptr<Library> Library::load(std::string ptx, Device& device, JitOptions& options) {
  std::string log;
  CUresult code = CUDA_SUCCESS;
  DeviceLimits limits = device.profile().limits();
  limits.max_registers = options.max_registers();
  auto module = load_code(ptx, device, limits, log, code);
  note_load_log(log);
  options.write_info_log(module ? log : std::string());
  options.write_error_log(module ? std::string() : log);
  options.write_wall_time();
  if (!module) fail_load(code, std::move(log));
  return std::shared_ptr<Library>(
      new Library(std::move(ptx), std::move(module), options.max_registers()));
}

std::shared_ptr<Library> Library::without_code(CUresult refusal) {
  auto library = std::shared_ptr<Library>(new Library({}, nullptr, 0));
  library->refusal_ = refusal;
  return library;
}

const std::shared_ptr<LoadedModule>& Library::reference() const {
  require(reference_ != nullptr, refusal_);
  return reference_;
}

CUkernel Library::kernel(std::string_view name) {
  std::lock_guard lock(mutex_);
  if (auto known = kernels_.find(name); known != kernels_.end()) return known->second;
  const Kernel* kernel = reference()->find_kernel(name);
  if (!kernel) return nullptr;
  auto object = std::make_shared<LibraryKernel>(weak_from_this(), reference_, *kernel);
  CUkernel handle = new_handle<CUkernel>(object);
  kernels_.emplace(name, handle);
  return handle;
}

std::shared_ptr<LoadedModule> Library::code_for(const Context& context,
                                                const DeviceLimits& limits) {
  {
    std::lock_guard lock(mutex_);
    bool fits = reference()->device() == context.device().ordinal();
    if (fits && !std::exchange(reference_used_, true)) return reference_;
  }
  std::string log;
  CUresult code = CUDA_SUCCESS;
  auto module = load_code(ptx_, context.device(), limits, log, code);
  if (!module) fail_load(code, std::move(log));
  return module;
}

std::shared_ptr<ModuleInstance> Library::instance(const std::shared_ptr<Context>& context) {
  if (auto known = context->find_instance(*this)) return known;
  DeviceLimits limits = limits_of(*context);
  limits.max_registers = max_registers_;
  auto made = context->instance(*this, [&] {
    return std::make_shared<ModuleInstance>(context, code_for(*context, limits),
                                            shared_from_this());
  });
  std::lock_guard lock(mutex_);
  contexts_.push_back(context);
  return made;
}

std::shared_ptr<FunctionAttributes> Library::attributes(const Kernel& kernel, int device) {
  std::lock_guard lock(mutex_);
  auto& slot = attributes_[{kernel.info().name, device}];
  if (!slot) slot = std::make_shared<FunctionAttributes>(kernel.info());
  return slot;
}

void Library::unload() {
  std::map<std::string, CUkernel, std::less<>> kernels;
  std::vector<std::weak_ptr<Context>> contexts;
  {
    std::lock_guard lock(mutex_);
    kernels.swap(kernels_);
    contexts.swap(contexts_);
  }
  for (const auto& [name, handle] : kernels)
    Registry::instance().remove(ObjectKind::KERNEL, reinterpret_cast<uint64_t>(handle));
  for (const auto& weak : contexts) {
    auto context = weak.lock();
    auto instance = context ? context->find_instance(*this) : nullptr;
    if (!instance) continue;
    context->output().flush();
    instance->drop_functions();
    if (instance->handle_bits()) {
      context->disown(instance->handle_bits());
      Registry::instance().remove(ObjectKind::MODULE, instance->handle_bits());
    }
    context->drop_instance(*this);
  }
}

std::shared_ptr<Library> LibraryKernel::library() const {
  auto library = library_.lock();
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return library;
}

CUfunction LibraryKernel::function(const std::shared_ptr<Context>& context) const {
  auto library = this->library();
  auto attributes = library->attributes(kernel_, context->device().ordinal());
  return library->instance(context)->function(info().name, std::move(attributes));
}

std::shared_ptr<Function> find_function(CUfunction handle,
                                        const std::shared_ptr<Context>& context) {
  auto bits = reinterpret_cast<uint64_t>(handle);
  if (auto kernel = Registry::instance().find(ObjectKind::KERNEL, bits))
    handle = std::static_pointer_cast<LibraryKernel>(kernel)->function(context);
  return lookup<Function>(handle);
}

std::shared_ptr<Function> find_function(CUfunction handle) {
  auto function =
      Registry::instance().find(ObjectKind::FUNCTION, reinterpret_cast<uint64_t>(handle));
  if (function) return std::static_pointer_cast<Function>(function);
  return find_function(handle, current_context());
}

}  // namespace cucore::cpu
