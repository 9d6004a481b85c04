// SPDX-License-Identifier: Apache-2.0
// A program in NVVM IR, compiled by libNVVM.
#pragma once

#include "core/compile/program.hpp"

namespace cucore::core {

class NvvmProgram final : public Program {
 public:
  NvvmProgram(std::string source, const cucore_program_options& options);

  Ref<ObjectCode> compile(image::CodeType target, const std::vector<std::string>& expressions,
                          NvrtcRunner& runner) const override;
  cucore_backend backend() const override { return CUCORE_BACKEND_NVVM; }

 protected:
  image::Arch arch_for(image::CodeType target) const override;
  container::BuildInputs make_inputs(image::CodeType target,
                                     const std::vector<std::string>& expressions,
                                     KeyScope) const override;

 private:
  ~NvvmProgram() override = default;
  struct Module {
    std::string name, bytes;
  };
  std::vector<std::string> command_line(image::CodeType target, const image::Arch& arch) const;

  std::string name_;
  std::string arch_;             // "": the default
  std::vector<Module> modules_;  // the source first
  std::vector<std::string> flags_;
  bool use_libdevice_ = false;
};

}  // namespace cucore::core
