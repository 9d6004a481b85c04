// SPDX-License-Identifier: Apache-2.0
// The architecture that an image is for.
#include "image/arch.hpp"

#include <charconv>

namespace cucore::image {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<Arch> Arch::parse(std::string_view text) {
  Arch arch;
  arch.is_virtual = take_prefix(text, "compute_");
  if (!arch.is_virtual) take_prefix(text, "sm_");
  const char* end = text.data() + text.size();
  if (text.empty() || text[0] == '0') return std::nullopt;
  const auto [rest, error] = std::from_chars(text.data(), end, arch.number);
  if (error != std::errc() || arch.number < 10 || arch.number > 999) return std::nullopt;
  if (rest != end && (*rest == 'a' || *rest == 'f')) arch.suffix = *rest;
  if (rest + (arch.suffix != 0) != end) return std::nullopt;
  return arch;
}

std::string Arch::text() const {
  if (empty()) return {};
  std::string text = (is_virtual ? "compute_" : "sm_") + std::to_string(number);
  if (suffix != 0) text += suffix;
  return text;
}

bool Arch::runs_on(uint16_t device) const {
  if (empty() || number > device) return false;
  if (suffix == 'a') return number == device;
  const bool same_major = major() == device / 10u;
  return same_major || (is_virtual && suffix == 0);
}

}  // namespace cucore::image
