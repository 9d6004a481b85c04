// A program in PTX: a linker compiles it, which is the only way that options reach a PTX.
#pragma once

#include "core/linker_options.hpp"
#include "core/program.hpp"

namespace cucore::core {

class PtxProgram final : public Program {
 public:
  PtxProgram(std::string source, const cucore_program_options& options);

  Ref<ObjectCode> compile(container::CodeType target,
                          const std::vector<std::string>& expressions) const override;
  cucore_backend backend() const override;

 private:
  ~PtxProgram() override = default;
  container::Code code_;
  LinkerOptions options_;
};

}  // namespace cucore::core
