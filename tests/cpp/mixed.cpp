// SPDX-License-Identifier: Apache-2.0
// Calls that throw and calls that return results, in one program: this half is compiled for each
// mode.
#include <cucore.hpp>

#include <cstdio>
#include <string>

#if CUCORE_HPP_EXCEPTIONS
int fails_with_a_result();

static bool fails_with_an_exception() {
  try {
    static_cast<void>(cucore::Device::open(-1));
  } catch (const cucore::Error& error) {
    return error.status() == cucore::Status::invalid_argument;
  }
  return false;
}

int main() {
  const bool passed = fails_with_an_exception() && fails_with_a_result() == 1;
  std::puts(passed ? "both fail in their way" : "wrong");
  return passed ? 0 : 1;
}
#else
int fails_with_a_result();
int fails_with_a_result() {
  const cucore::Result<cucore::Device> device = cucore::Device::open(-1);
  return device.status() == cucore::Status::invalid_argument;
}
#endif
