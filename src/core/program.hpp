// A program: source text and the options to compile it with. Immutable; compiling needs no driver.
#pragma once

#include <cucore.h>

#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

class Program : public Object {
 public:
  static Ref<Program> create(cucore_source_type type, std::string source,
                             const cucore_program_options& options);

  virtual Ref<ObjectCode> compile(container::CodeType target,
                                  const std::vector<std::string>& expressions) const = 0;
  virtual cucore_backend backend() const = 0;
};

// CUDA C++, compiled by NVRTC.
class CudaProgram final : public Program {
 public:
  CudaProgram(std::string source, const cucore_program_options& options);

  Ref<ObjectCode> compile(container::CodeType target,
                          const std::vector<std::string>& expressions) const override;
  cucore_backend backend() const override { return CUCORE_BACKEND_NVRTC; }

 private:
  ~CudaProgram() override = default;
  struct Job;
  Job prepare(container::CodeType target, const std::vector<std::string>& expressions) const;
  container::Arch target_arch(container::CodeType target) const;
  std::string derived_seed(const Job& job) const;

  std::string source_;
  std::string name_;
  std::string arch_;  // "": the default
  std::vector<std::string> flags_;
  std::vector<std::string> header_names_, header_sources_;
  bool has_seed_ = false;
  bool compiler_cache_ = false;
  bool links_ = false;  // link_time_optimization was asked for
};

// "default_program" where the options have no name.
std::string program_name(const cucore_program_options& options);

// Of programs whose sources have no templates to instantiate.
void require_no_expressions(const std::vector<std::string>& expressions, const char* source);

}  // namespace cucore::core
