// SPDX-License-Identifier: Apache-2.0
// The references that a captured graph does not keep by itself.
#pragma once

#include <utility>
#include <vector>

#include "support/ref.hpp"

namespace cucore::core {

class HeldObjects final : public Object {
 public:
  explicit HeldObjects(std::vector<Ref<const Object>> objects) : objects_(std::move(objects)) {}

 private:
  ~HeldObjects() override = default;
  const std::vector<Ref<const Object>> objects_;
};

}  // namespace cucore::core
