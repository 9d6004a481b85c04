// SPDX-License-Identifier: Apache-2.0
// A linker: collects object code and makes one image of it.
#pragma once

#include <string>
#include <vector>

#include "container/build_inputs.hpp"
#include "core/compile/linker_choice.hpp"
#include "core/compile/linker_options.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

// Belongs to one thread at a time.
class Linker final : public Object {
 public:
  explicit Linker(LinkerOptions options) : options_(std::move(options)) {}

  void add(Ref<const ObjectCode> code);
  // May be called again, after more inputs or for another target.
  Ref<ObjectCode> link(image::CodeType target);
  cucore_backend backend() const;
  // All that the result of a link depends on; throws what link() would of arguments that are wrong.
  container::BuildInputs inputs(image::CodeType target) const;
  // The result came from elsewhere: there is its log to tell.
  void set_log(const std::string& log) { log_ = log; }
  // What the last link said, whether it succeeded or not.
  const std::string& log() const { return log_; }

 private:
  ~Linker() override;
  bool wants_lto() const;
  LinkerChoice choose() const;
  void require_target(image::CodeType target) const;

  const LinkerOptions options_;
  std::vector<Ref<const ObjectCode>> inputs_;
  std::string log_;
  mutable std::string said_;  // the choice that the log has been told of
};

// Whether classes of parameters that a link of LTOIR leaves open are completed, by another link.
enum class OpenClasses { KEEP, COMPLETE };

// One link of plain values: what Linker, PTX programs and lazy loading have in common.
container::Code link_codes(const std::vector<const container::Code*>& inputs,
                           image::CodeType target, const LinkerOptions& options,
                           std::string* log = nullptr, OpenClasses classes = OpenClasses::KEEP);

// What the result of such a link depends on, its digest not yet computed.
container::BuildInputs link_inputs(const std::vector<const container::Code*>& inputs,
                                   image::CodeType target, const LinkerOptions& options);

}  // namespace cucore::core
