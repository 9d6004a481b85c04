// SPDX-License-Identifier: Apache-2.0
// A linker: collects object code and combines it to one image.
#pragma once

#include <string>
#include <vector>

#include "container/build_inputs.hpp"
#include "core/compile/linker_choice.hpp"
#include "core/compile/linker_options.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

// Only one thread at a time may use it.
class Linker final : public Object {
 public:
  explicit Linker(LinkerOptions options) : options_(std::move(options)) {}

  void add(Ref<const ObjectCode> code);
  // May be called again, after more inputs or for another target.
  Ref<ObjectCode> link(image::CodeType target);
  cucore_backend backend() const;
  // Returns all that the result of a link depends on; throws the errors of link() for wrong
  // arguments.
  container::BuildInputs inputs(image::CodeType target) const;
  // Sets the log of a result from elsewhere, for example a cache.
  void set_log(const std::string& log) { log_ = log; }
  // Returns the log of the last link, successful or not.
  const std::string& log() const { return log_; }

 private:
  ~Linker() override;
  bool wants_lto() const;
  LinkerChoice choose() const;
  void require_target(image::CodeType target) const;

  const LinkerOptions options_;
  std::vector<Ref<const ObjectCode>> inputs_;
  std::string log_;
  mutable std::string logged_choice_;  // the choice that was last logged
};

// Whether a second link completes classes of parameters that a link of LTOIR leaves open.
enum class OpenClasses { KEEP, COMPLETE };

// One link of plain values: the common part of Linker, PTX programs and lazy loading.
container::Code link_codes(const std::vector<const container::Code*>& inputs,
                           image::CodeType target, const LinkerOptions& options,
                           std::string* log = nullptr, OpenClasses classes = OpenClasses::KEEP);

// Returns the inputs that the result of such a link depends on, without the digest.
container::BuildInputs link_inputs(const std::vector<const container::Code*>& inputs,
                                   image::CodeType target, const LinkerOptions& options);

}  // namespace cucore::core
