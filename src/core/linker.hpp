// A linker: collects object code and makes one image of it.
#pragma once

#include <string>
#include <vector>

#include "core/linker_choice.hpp"
#include "core/linker_options.hpp"
#include "support/ref.hpp"

namespace cucore::core {

class ObjectCode;

// Belongs to one thread at a time.
class Linker final : public Object {
 public:
  explicit Linker(LinkerOptions options) : options_(std::move(options)) {}

  void add(Ref<const ObjectCode> code);
  // May be called again, after more inputs or for another target.
  Ref<ObjectCode> link(container::CodeType target);
  cucore_backend backend() const;
  // What the last link said, whether it succeeded or not.
  const std::string& log() const { return log_; }

 private:
  ~Linker() override;
  bool wants_lto() const;
  LinkerChoice choose() const;
  void require_target(container::CodeType target) const;

  const LinkerOptions options_;
  std::vector<Ref<const ObjectCode>> inputs_;
  std::string log_;
  mutable std::string said_;  // the choice that the log has been told of
};

// One link of plain values: what Linker, PTX programs and lazy loading have in common.
container::Code link_codes(const std::vector<const container::Code*>& inputs,
                           container::CodeType target, const LinkerOptions& options,
                           std::string* log = nullptr);

}  // namespace cucore::core
