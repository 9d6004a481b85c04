// A program: source text and the options to compile it with. Immutable; compiling needs no driver.
#pragma once

#include <cucore.h>

#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

class Program final : public Object {
 public:
  static Ref<Program> create(cucore_source_type type, std::string source,
                             const cucore_program_options& options);

  Ref<ObjectCode> compile(container::CodeType target,
                          const std::vector<std::string>& expressions) const;
  cucore_backend backend() const { return CUCORE_BACKEND_NVRTC; }

 private:
  Program() = default;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
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

}  // namespace cucore::core
