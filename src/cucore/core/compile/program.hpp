// SPDX-License-Identifier: Apache-2.0
// A program: source text and its compile options. Immutable; a compile needs no driver.
#pragma once

#include <cucore.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "container/build_inputs.hpp"
#include "container/objectcode.hpp"
#include "core/compile/file_flags.hpp"
#include "core/compile/nvrtc_job.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

// The processes that share a key.
enum class KeyScope { ALL_PROCESSES, THIS_PROCESS };

class Program : public Object {
 public:
  static Ref<Program> create(cucore_source_type type, std::string source,
                             const cucore_program_options& options);

  // `runner` runs NVRTC in this process or in a worker; only CUDA C++ needs one.
  virtual Ref<ObjectCode> compile(image::CodeType target,
                                  const std::vector<std::string>& expressions,
                                  NvrtcRunner& runner = nvrtc_here()) const = 0;
  // Makes the compiler write a trace of the files that it reads, and generate no code; only if
  // inputs() reports that it can. It is a separate run, because NVRTC 13.0 generates other code for
  // some kernels while it traces.
  virtual void trace_files(image::CodeType, const std::vector<std::string>&, const std::string&,
                           NvrtcRunner&) const {}
  virtual cucore_backend backend() const = 0;

  // Returns all that the result of a compile depends on, except the process's environment. Stored
  // for the next call; throws the errors of compile() for wrong arguments.
  std::shared_ptr<const container::BuildInputs> inputs(
      image::CodeType target, const std::vector<std::string>& expressions,
      KeyScope scope = KeyScope::ALL_PROCESSES) const;
  // Returns whether a repeated compile may return a copy of an earlier result.
  virtual bool reuses_results() const { return false; }

 protected:
  // Returns the architecture that a compile would have now.
  virtual image::Arch arch_for(image::CodeType target) const = 0;
  virtual container::BuildInputs make_inputs(image::CodeType target,
                                             const std::vector<std::string>& expressions,
                                             KeyScope scope) const = 0;

 private:
  struct Known {
    image::CodeType target;
    image::Arch arch;
    KeyScope scope;
    std::vector<std::string> expressions;
    std::shared_ptr<const container::BuildInputs> inputs;
  };
  mutable std::mutex inputs_mutex_;
  mutable std::vector<Known> known_inputs_;
};

// CUDA C++, compiled by NVRTC.
class CudaProgram final : public Program {
 public:
  CudaProgram(std::string source, const cucore_program_options& options);

  Ref<ObjectCode> compile(image::CodeType target, const std::vector<std::string>& expressions,
                          NvrtcRunner& runner) const override;
  void trace_files(image::CodeType target, const std::vector<std::string>& expressions,
                   const std::string& path, NvrtcRunner& runner) const override;
  cucore_backend backend() const override { return CUCORE_BACKEND_NVRTC; }
  bool reuses_results() const override { return reuses_results_; }

 protected:
  image::Arch arch_for(image::CodeType target) const override;
  container::BuildInputs make_inputs(image::CodeType target,
                                     const std::vector<std::string>& expressions,
                                     KeyScope scope) const override;

 private:
  ~CudaProgram() override = default;
  struct Job;
  Job prepare(image::CodeType target, const std::vector<std::string>& expressions) const;
  std::unique_ptr<container::FileAccess> make_file_access() const;
  bool uses_current_directory() const;
  NvrtcResult run(NvrtcRunner& runner, const NvrtcJob& job) const;
  std::string derived_seed(const Job& job) const;

  std::string source_;
  std::string name_;
  std::string arch_;  // "": the default
  std::vector<std::string> flags_;
  FileFlags file_flags_;  // read from flags_
  std::vector<std::string> header_names_, header_sources_;
  bool has_seed_ = false;
  bool compiler_cache_ = false;
  bool links_ = false;  // link_time_optimization was requested
  bool uses_toolkit_ = true;
  bool reuses_results_ = true;
  bool may_read_files_ = false;
};

// "default_program" if the options have no name.
std::string program_name(const cucore_program_options& options);

// For programs whose sources have no templates to instantiate.
void require_no_expressions(const std::vector<std::string>& expressions, const char* source);

}  // namespace cucore::core
