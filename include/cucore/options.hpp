/// @file cucore/options.hpp
/// The conversion of options to those of C.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_OPTIONS_HPP_INCLUDED
#define CUCORE_OPTIONS_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

namespace detail {

inline cucore_toggle toggle(std::optional<bool> choice) noexcept {
  if (!choice) return CUCORE_TOGGLE_DEFAULT;
  return *choice ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
}

inline const char* text(const std::string& given) noexcept {
  return given.empty() ? nullptr : given.c_str();
}

inline const std::int32_t* numbers(const std::vector<std::int32_t>& given,
                                   std::size_t& count) noexcept {
  count = given.size();
  return given.empty() ? nullptr : given.data();
}

// Keeps the arrays of pointers that an options struct of C points to.
class Lists {
 public:
  const char* const* list(const std::vector<std::string>& given, std::size_t& count) {
    count = given.size();
    return of(given, [](const std::string& each) { return each.c_str(); });
  }
  template <class Each, class Pointer>
  const char* const* of(const std::vector<Each>& given, Pointer&& pointer) {
    if (given.empty()) return nullptr;
    auto& kept = kept_.emplace_back();
    kept.reserve(given.size());
    for (const Each& each : given) kept.push_back(pointer(each));
    return kept.data();
  }

 private:
  std::vector<std::vector<const char*>> kept_;
};

}  // namespace detail

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_OPTIONS_HPP_INCLUDED
