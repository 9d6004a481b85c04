// SPDX-License-Identifier: Apache-2.0
// A program in PTX, compiled by a linker, which is the only way to apply options to PTX.
#pragma once

#include "core/compile/linker_options.hpp"
#include "core/compile/program.hpp"

namespace cucore::core {

class PtxProgram final : public Program {
 public:
  PtxProgram(std::string source, const cucore_program_options& options);

  Ref<ObjectCode> compile(image::CodeType target, const std::vector<std::string>& expressions,
                          NvrtcRunner& runner) const override;
  cucore_backend backend() const override;

 protected:
  image::Arch arch_for(image::CodeType target) const override;
  container::BuildInputs make_inputs(image::CodeType target,
                                     const std::vector<std::string>& expressions,
                                     KeyScope) const override;

 private:
  ~PtxProgram() override = default;
  container::Code code_;
  LinkerOptions options_;
};

}  // namespace cucore::core
