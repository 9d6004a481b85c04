// SPDX-License-Identifier: Apache-2.0
// A loaded PTX module: its variables in memory and its functions decoded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/exec/executor.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

class ModuleImage;

class KernelImage : public Kernel {
 public:
  explicit KernelImage(ModuleImage& module) : module_(module) {}
  const KernelInfo& info() const override { return info_; }
  LoadedModule& module() const override;

  DecodedKernel decoded;

 private:
  friend class ModuleImage;
  ModuleImage& module_;
  KernelInfo info_;
};

class ModuleImage : public LoadedModule {
 public:
  // The symbols that a function uses directly, each once.
  struct Uses {
    std::vector<uint32_t> functions;
    std::vector<uint32_t> variables;
    uint64_t found_by = 0;  // the last search of reachable() that found the function
  };

  ~ModuleImage() override;
  bool load(std::string_view text, int device, const DeviceLimits& limits, std::string& log,
            CUresult& code);

  const Kernel* find_kernel(std::string_view name) const override;
  const std::vector<const Kernel*>& kernels() const override { return kernel_list_; }
  const GlobalInfo* find_global(std::string_view name) const override;
  const std::vector<GlobalInfo>& globals() const override { return globals_; }
  int device() const override { return decoded_.device; }
  const DecodedModule& decoded() const { return decoded_; }

 private:
  bool check_externals(std::string& log) const;
  bool check_sizes(std::string& log, CUresult& code) const;
  bool place_variables(std::string& log, CUresult& code);
  void place_shared();
  void create_functions();
  bool relocate(std::string& log);
  std::vector<uint32_t> reachable(uint32_t from);
  uint64_t find_shared(uint32_t index, DecodedKernel& kernel);
  void lay_out_kernel(uint32_t index, DecodedKernel& kernel);
  void decode_functions();
  void describe_kernels();
  bool check_queries(std::string& log, CUresult& code);
  uint32_t estimate_registers(const ptx::Function& f, uint32_t max_threads) const;

  DecodedModule decoded_;
  std::vector<Uses> uses_;  // by function, during a load
  uint64_t search_ = 0;     // the number of calls of reachable()
  std::vector<uint64_t> allocations_;
  std::vector<uint64_t> opaque_;  // addresses of textures, samplers and surfaces
  std::vector<GlobalInfo> globals_;
  std::vector<std::unique_ptr<KernelImage>> kernels_;
  std::vector<const Kernel*> kernel_list_;
  uint32_t const_bytes_ = 0;
};

inline LoadedModule& KernelImage::module() const { return module_; }

}  // namespace cucore::cpu
