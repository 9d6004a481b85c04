// SPDX-License-Identifier: Apache-2.0
// Refuses a link whose inputs define a name twice. Linkers accept it: nvJitLink 13.0 uses one of
// the definitions and returns success.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/compile/link_job.hpp"
#include "image/definitions.hpp"
#include "support/error.hpp"

namespace cucore::core {

class DefinitionCheck {
 public:
  // `inputs` are those of the job, in the same order; both must outlive this object.
  DefinitionCheck(const LinkJob& job, const std::vector<const container::Code*>& inputs);

  // Throws LINKING with the names, and the inputs that define them.
  void require_one_of_each();

  // Throws the same if the linker's own error is about a name that has several definitions. Returns
  // if it is about something else.
  void explain(const Error& error);

 private:
  struct Owner {
    size_t input;
    std::string member;
    friend bool operator==(const Owner&, const Owner&) = default;
  };
  struct Opaque {
    image::Definitions::Ltoir code;
    size_t input;
  };
  using Owners = std::vector<Owner>;

  void add(size_t input, const image::Definitions& found);
  void add_opaque(const std::vector<std::string>& names);
  [[noreturn]] void fail(const std::vector<std::string>& names, const std::string& log) const;
  std::vector<std::string> contradicted() const;
  std::string shown(const std::string& name) const;
  std::string shown(const Owners& owners) const;
  std::string shown(const Owner& owner) const;

  const LinkJob& job_;
  const std::vector<const container::Code*>& inputs_;
  std::map<std::string, Owners> owners_;
  std::vector<std::string> order_;    // names, as spelled in the inputs
  std::vector<std::string> besides_;  // those that are not kernels
  std::vector<Opaque> opaque_;
};

// Throws LINKING if the linker's log has an error, whatever the linker returned.
void require_no_error_in_log(const LinkJob& job, const std::string& log);

}  // namespace cucore::core
