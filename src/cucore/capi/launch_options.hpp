// SPDX-License-Identifier: Apache-2.0
// Reads the options of a launch. A caller that was built against the same header causes no copy,
// because the cost of each launch matters. core::LaunchAttributes checks the reserved field.
#pragma once

#include <cstddef>

#include "capi/guard.hpp"

namespace cucore::capi {

class LaunchOptions {
 public:
  explicit LaunchOptions(const cucore_launch_options* given) : options_(given) {
    if (!given) [[unlikely]]
      throw_missing();
    if (given->struct_size != sizeof(cucore_launch_options)) [[unlikely]] {
      copy_ = read_options(given, FIRST_RELEASE, "cucore_launch_options");
      options_ = &copy_;
    }
  }
  // Whether they are those of a caller that was built against the same header.
  static bool are_current(const cucore_launch_options* given) {
    return given && given->struct_size == sizeof(cucore_launch_options);
  }
  LaunchOptions(const LaunchOptions&) = delete;
  LaunchOptions& operator=(const LaunchOptions&) = delete;

  const cucore_launch_options& get() const { return *options_; }

 private:
  static constexpr size_t FIRST_RELEASE =
      offsetof(cucore_launch_options, reserved) + sizeof(int32_t);
  [[noreturn, gnu::cold]] static void throw_missing();

  const cucore_launch_options* options_;
  cucore_launch_options copy_;
};

}  // namespace cucore::capi
