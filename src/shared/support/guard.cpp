// SPDX-License-Identifier: Apache-2.0
#include "support/guard.hpp"

#include "support/concat.hpp"

namespace cucore::detail {

Error fault_inside(const char* library, const char* why) {
  return {Status::INTERNAL, concat("a fault inside ", library, *why ? ": " : "", why)};
}

}  // namespace cucore::detail
