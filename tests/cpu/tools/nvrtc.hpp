// SPDX-License-Identifier: Apache-2.0
// Compiles CUDA C++ to PTX for tests with the machine's NVRTC, opened at run time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cucore::cpu::test {

class Nvrtc {
 public:
  // Opens libnvrtc from $CUCORE_TEST_CUDA, else from the loader's path. Returns nullopt if it is
  // missing.
  static std::optional<Nvrtc> open();

  // Returns the PTX of `source`, or the CUBIN if an option is -arch=sm_XX. If it does not compile,
  // returns an empty string and the log in `error`.
  std::string compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options, std::string& error) const;

 private:
  void* library_ = nullptr;
  std::string root_;
};

}  // namespace cucore::cpu::test
