// SPDX-License-Identifier: Apache-2.0
#include "array/run/kernels.hpp"

#include <chrono>

#include "support/concat.hpp"

namespace cucore::array {
namespace {

// The CPU device compiles PTX for its own architecture.
std::string architecture_of(const NativeDevice& device, const Target& target) {
  std::string arch = cucore_device_arch(device.get());
  if (target.emulated) arch.replace(0, arch.find('_'), "compute");
  return arch;
}

}  // namespace

Kernels::Kernels(NativeDevice device, NativeCache cache, const Target& target)
    : device_(std::move(device)),
      cache_(std::move(cache)),
      target_(target),
      architecture_(architecture_of(device_, target)) {}

bool Kernels::has(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  return kernels_.find(key) != kernels_.end();
}

bool Kernels::find(PreparedForm& form) const {
  if (form.code) return true;
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find(form.key);
  if (found == kernels_.end()) return false;
  form.code = found->second;
  return true;
}

int32_t Kernels::registers(const std::string& key) const {
  NativeKernel kernel;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(key);
    if (found == kernels_.end()) return 0;
    kernel = found->second;
  }
  int32_t registers = 0;
  cucore_error* error = nullptr;
  if (cucore_kernel_attribute(kernel.get(), CUCORE_KERNEL_ATTRIBUTE_NUM_REGS, device_.get(),
                              &registers, &error) != CUCORE_OK)
    cucore_error_release(error);
  return registers;
}

std::string Kernels::ptx(const Code& code) const {
  const NativeProgram program = program_of(code);
  const auto object = created<NativeCode>("compile a kernel", cucore_program_compile, program.get(),
                                          CUCORE_CODE_TYPE_PTX, nullptr, size_t{0});
  size_t size = 0;
  const auto* text = static_cast<const char*>(cucore_objectcode_data(object.get(), &size));
  std::string result(text, size);
  while (!result.empty() && result.back() == '\0') result.pop_back();
  return result;
}

NativeProgram Kernels::program_of(const Code& code) const {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "array kernel";
  options.arch = architecture_.c_str();
  options.standard = "c++17";
  options.minimal = CUCORE_TOGGLE_ON;
  options.device_as_default_execution_space = CUCORE_TOGGLE_ON;
  options.fma = target_.math == Math::ACCURATE ? CUCORE_TOGGLE_OFF : CUCORE_TOGGLE_ON;
  options.use_fast_math = target_.math == Math::FAST ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_DEFAULT;
  options.toolkit_headers = CUCORE_TOGGLE_OFF;
  return created<NativeProgram>("describe a kernel", cucore_program_create,
                                CUCORE_SOURCE_TYPE_CUDA_CPP, code.source.data(), code.source.size(),
                                &options);
}

NativeCode Kernels::build(const Code& code, cucore_cache_outcome* outcome) const {
  const NativeProgram program = program_of(code);
  const cucore_code_type type = target_.emulated ? CUCORE_CODE_TYPE_PTX : CUCORE_CODE_TYPE_CUBIN;
  cucore_objectcode* object = nullptr;
  if (cache_)
    call("compile a kernel", cucore_cache_compile, cache_.get(), program.get(), type, nullptr, 0,
         &object, outcome);
  else
    call("compile a kernel", cucore_program_compile, program.get(), type, nullptr, 0, &object);
  return NativeCode::adopt(object);
}

NativeKernel Kernels::compile(const std::string& key, const Code& code) {
  using Clock = std::chrono::steady_clock;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_BUILT;
  const auto begin = Clock::now();
  const NativeCode object = build(code, &outcome);
  auto kernel = created<NativeKernel>("load a kernel", cucore_objectcode_find_kernel, object.get(),
                                      code.name.c_str());
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  const std::scoped_lock lock(mutex_);
  const bool built = outcome >= CUCORE_CACHE_OUTCOME_BUILT;
  ++(built ? counts_.compiled : counts_.from_disk);
  counts_.compile_ns += static_cast<uint64_t>(nanoseconds);
  return kernels_.try_emplace(key, std::move(kernel)).first->second;
}

KernelCounts Kernels::counts() const {
  const std::scoped_lock lock(mutex_);
  KernelCounts counts = counts_;
  counts.from_memory = from_memory_;
  return counts;
}

}  // namespace cucore::array
