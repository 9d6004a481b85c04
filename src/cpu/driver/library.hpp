// SPDX-License-Identifier: Apache-2.0
// Code in the driver. A library is independent of contexts and has one module instance per context
// that uses it. A module is one such instance. Kernels and functions refer to both.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/driver/context.hpp"
#include "cpu/driver/function_setup.hpp"
#include "cpu/driver/jit_options.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore::cpu {

class Device;

// The attributes that cuFuncSetAttribute and cuKernelSetAttribute change.
struct FunctionAttributes {
  explicit FunctionAttributes(const KernelInfo& info)
      : max_dynamic_shared(info.static_shared < 49152 ? 49152 - static_cast<int>(info.static_shared)
                                                      : 0) {
    for (int i = 0; i < 3; ++i) cluster[i] = static_cast<int>(info.required_cluster[i]);
  }
  std::atomic<int> max_dynamic_shared;
  std::atomic<int> carveout{-1};
  std::atomic<int> cluster[3];
  std::atomic<int> non_portable_cluster{0};
  std::atomic<int> cluster_policy{0};
};

class Library;

// PTX text loaded into one context.
class ModuleInstance : public Object, public std::enable_shared_from_this<ModuleInstance> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::MODULE;
  // `library` is null for a module that a program loads.
  ModuleInstance(std::shared_ptr<Context> context, std::shared_ptr<LoadedModule> code,
                 const std::shared_ptr<Library>& library = nullptr);
  ~ModuleInstance() override;

  Context& context() const { return *context_; }
  const LoadedModule& code() const { return *code_; }
  // Returns the handle of the function, the same on every call; nullptr if no function has that
  // name. @throws Failure NOT_FOUND for a kernel that drivers for GPUs do not find
  CUfunction function(std::string_view name, std::shared_ptr<FunctionAttributes> attributes = {});
  // The same for a list of all functions, which also has kernels that are not found.
  CUfunction listed_function(const Kernel& kernel);
  void drop_functions();
  CUmodule make_handle();  // on request; the same on every call
  bool of_library() const { return of_library_; }
  // Returns null for a module that a program loaded, and after the unload of the library.
  std::shared_ptr<Library> library() const { return library_.lock(); }

 private:
  // Call with the lock held.
  CUfunction add_function(const Kernel& kernel, std::shared_ptr<FunctionAttributes> attributes);
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<LoadedModule> code_;
  const bool of_library_;
  const std::weak_ptr<Library> library_;
  std::mutex mutex_;
  std::map<std::string, CUfunction, std::less<>> functions_;
};

class Function : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::FUNCTION;
  Function(std::shared_ptr<ModuleInstance> module, const Kernel& kernel,
           std::shared_ptr<FunctionAttributes> attributes)
      : module_(std::move(module)), kernel_(kernel), attributes_(std::move(attributes)) {}

  ModuleInstance& module() const { return *module_; }
  const Kernel& kernel() const { return kernel_; }
  const KernelInfo& info() const { return kernel_.info(); }
  FunctionAttributes& attributes() const { return *attributes_; }
  Device& device() const { return module_->context().device(); }
  FunctionSetup& setup() { return setup_; }

 private:
  const std::shared_ptr<ModuleInstance> module_;
  const Kernel& kernel_;
  const std::shared_ptr<FunctionAttributes> attributes_;
  FunctionSetup setup_;
};

// @throws Failure NOT_FOUND; INVALID_VALUE for an empty name and for that of a kernel
const GlobalInfo& find_variable(const LoadedModule& code, const char* name);
// Writes the address and the size of a variable for the program; null: not requested. Kernels can
// write a constant whose address the program has, as on a GPU.
void give_variable(const GlobalInfo& variable, CUdeviceptr* address, size_t* size);

class Library : public Object, public std::enable_shared_from_this<Library> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::LIBRARY;
  // Parses for `device` immediately, so that errors appear here; other devices follow at their
  // first use.
  static std::shared_ptr<Library> load(std::string ptx, Device& device, JitOptions& options);
  // A library without code for this device: each use of its code fails with `refusal`.
  static std::shared_ptr<Library> without_code(CUresult refusal);

  uint64_t id() const { return id_; }
  const std::vector<const Kernel*>& kernels() const { return reference()->kernels(); }
  CUkernel kernel(std::string_view name);  // nullptr: not found
  std::shared_ptr<ModuleInstance> instance(const std::shared_ptr<Context>& context);
  std::shared_ptr<FunctionAttributes> attributes(const Kernel& kernel, int device);
  void unload();

 private:
  Library(std::string ptx, std::shared_ptr<LoadedModule> reference, unsigned max_registers);
  const std::shared_ptr<LoadedModule>& reference() const;
  std::shared_ptr<LoadedModule> code_for(const Context& context, const DeviceLimits& limits);

  const uint64_t id_;
  const std::string ptx_;
  // provides names and parameters; the first one to be instantiated
  const std::shared_ptr<LoadedModule> reference_;
  CUresult refusal_ = CUDA_SUCCESS;  // of a library without code
  const unsigned max_registers_;     // CU_JIT_MAX_REGISTERS; 0: no bound
  std::mutex mutex_;
  bool reference_used_ = false;
  std::map<std::string, CUkernel, std::less<>> kernels_;
  std::map<std::pair<std::string, int>, std::shared_ptr<FunctionAttributes>> attributes_;
  std::vector<std::weak_ptr<Context>> contexts_;
};

// A kernel of a library, independent of contexts.
class LibraryKernel : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::KERNEL;
  LibraryKernel(std::weak_ptr<Library> library, std::shared_ptr<LoadedModule> code,
                const Kernel& kernel)
      : library_(std::move(library)), code_(std::move(code)), kernel_(kernel) {}

  std::shared_ptr<Library> library() const;
  const Kernel& kernel() const { return kernel_; }
  const KernelInfo& info() const { return kernel_.info(); }
  CUfunction function(const std::shared_ptr<Context>& context) const;

 private:
  const std::weak_ptr<Library> library_;
  const std::shared_ptr<LoadedModule> code_;  // the library's reference instance
  const Kernel& kernel_;
};

// Loads the code for a separate module. `log` is for the error log.
std::shared_ptr<LoadedModule> load_code(const std::string& ptx, const Device& device,
                                        DeviceLimits limits, std::string& log, CUresult& code);

// Throws the failure of a load. The reason is that of a module that drivers for GPUs refuse.
[[noreturn]] void fail_load(CUresult code, std::string log);

DeviceLimits limits_of(const Context& context);

// Returns the function of a CUfunction, or of a CUkernel in `context`.
std::shared_ptr<Function> find_function(CUfunction handle, const std::shared_ptr<Context>& context);
std::shared_ptr<Function> find_function(CUfunction handle);  // a kernel: in the current context

}  // namespace cucore::cpu
