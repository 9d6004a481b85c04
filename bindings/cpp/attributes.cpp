// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "support/edit_distance.hpp"

namespace cucore::bind {
namespace {

struct Attribute {
  std::string_view name;
  int number;
};

constexpr Attribute ATTRIBUTES[] = {
#include "attributes.inc"
};

std::string without_prefix(std::string_view name) {
  std::string key(name);
  for (char& letter : key)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (const std::string_view prefix : {"CU_DEVICE_ATTRIBUTE_", "CUCORE_DEVICE_ATTRIBUTE_"})
    if (key.starts_with(prefix)) key.erase(0, prefix.size());
  return key;
}

}  // namespace

int device_attribute_number(const char* name) {
  const std::string key = without_prefix(name);
  const auto found = std::ranges::find(ATTRIBUTES, key, &Attribute::name);
  if (found != std::end(ATTRIBUTES)) return found->number;
  const auto nearest = std::ranges::min_element(
      ATTRIBUTES, {}, [&](const Attribute& each) { return edit_distance(key, each.name); });
  throw Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                "the attribute is '" + std::string(name) +
                    "'; expected a name of CUdevice_attribute; did you mean '" +
                    std::string(nearest->name) + "'?");
}

}  // namespace cucore::bind
