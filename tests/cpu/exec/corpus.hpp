// SPDX-License-Identifier: Apache-2.0
// The fixture of the corpus tests: each kernel runs from the PTX of both architectures.
#pragma once

#include <gtest/gtest.h>

#include "kernel_file.hpp"

namespace cucore::cpu::test {

class Corpus : public testing::TestWithParam<int> {
 protected:
  const Kernel& kernel(const std::string& file, const std::string& name) {
    module_ = load_kernel_file(file, GetParam());
    const Kernel* found = module_->find_kernel(name);
    if (!found) throw std::runtime_error("no kernel " + name);
    return *found;
  }
  template <class... A>
  void run(const Kernel& kernel, const Shape& shape, const A&... arguments) {
    const auto fault = launch(kernel, shape, nullptr, arguments...);
    ASSERT_FALSE(fault) << fault->text;
  }
  uint64_t global(const char* name) { return module_->find_global(name)->address; }

  std::shared_ptr<LoadedModule> module_;
};

inline std::string sm_name(const testing::TestParamInfo<int>& info) {
  return "compute_" + std::to_string(info.param);
}

}  // namespace cucore::cpu::test
