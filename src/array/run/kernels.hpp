// SPDX-License-Identifier: Apache-2.0
// The compiled kernels of a device, by the structure of their code.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "array/codegen/code.hpp"
#include "array/run/prepared.hpp"

namespace cucore::array {

struct KernelCounts {
  uint64_t compiled = 0, from_memory = 0, from_disk = 0;
  uint64_t compile_ns = 0;
};

class Kernels {
 public:
  Kernels(NativeDevice device, NativeCache cache, const Target& target);

  // Whether the form has its kernel now. If not, it has to be compiled first.
  bool find(PreparedForm& form) const;
  void count_known() noexcept { ++from_memory_; }
  bool has(const std::string& key) const;
  int32_t registers(const std::string& key) const;  // 0: unknown
  std::string ptx(const Code& code) const;
  // Compiles the kernel unless it is known. Other threads may do the same at the same time.
  NativeKernel compile(const std::string& key, const Code& code);

  const Target& target() const noexcept { return target_; }
  KernelCounts counts() const;

 private:
  NativeProgram program_of(const Code& code) const;
  NativeCode build(const Code& code, cucore_cache_outcome* outcome) const;

  const NativeDevice device_;
  const NativeCache cache_;  // may be empty
  const Target target_;
  const std::string architecture_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, NativeKernel> kernels_;
  std::atomic<uint64_t> from_memory_{0};
  KernelCounts counts_;
};

}  // namespace cucore::array
