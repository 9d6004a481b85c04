// SPDX-License-Identifier: Apache-2.0
// The architecture that an image is for: "sm_90a", "compute_75", or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cucore::image {

struct Arch {
  uint16_t number = 0;      // major * 10 + minor; 0: not set
  bool is_virtual = false;  // compute_ instead of sm_
  char suffix = 0;          // 0, 'a' (this device only) or 'f' (this family only)

  // Parses "sm_90a", "compute_90" or "90". Returns nullopt for anything else.
  static std::optional<Arch> parse(std::string_view text);

  // Returns the name, such as "sm_90a"; "" if no architecture is set.
  std::string text() const;

  unsigned major() const { return number / 10u; }
  unsigned minor() const { return number % 10u; }
  bool empty() const { return number == 0; }

  // Returns true if code for this architecture may run on a device of compute capability `device`.
  // The suffix decides which devices qualify. Machine code runs only within its major version.
  bool runs_on(uint16_t device) const;

  friend bool operator==(const Arch&, const Arch&) = default;
};

}  // namespace cucore::image
