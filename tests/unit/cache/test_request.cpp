// SPDX-License-Identifier: Apache-2.0
#include "cache/request.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace cucore::cache {
namespace {

using Names = std::vector<std::string>;

// Replaces the environment of the process while it lives.
class Environment {
 public:
  explicit Environment(Names variables) : variables_(std::move(variables)), before_(environ) {
    for (std::string& variable : variables_) pointers_.push_back(variable.data());
    pointers_.push_back(nullptr);
    environ = pointers_.data();
  }
  ~Environment() { environ = before_; }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  Names variables_;
  std::vector<char*> pointers_;
  char** const before_;
};

TEST(CompilerEnvironment, HasTheVariablesOfEachCompilerInOrder) {
  const Environment of({"NVVM_B=2", "NVRTC_A=", "EDG_C", "LIBNVVM_=x", "NVJITLINK_D=1"});
  EXPECT_EQ(compiler_environment(),
            Names({"EDG_C", "LIBNVVM_=x", "NVJITLINK_D=1", "NVRTC_A=", "NVVM_B=2"}));
}

TEST(CompilerEnvironment, HasNoOtherVariable) {
  const Environment of({"", "N", "NV", "NVRTC", "NVRTC=1", "XNVRTC_A=1", "nvrtc_A=1", "LD_PATH=/",
                        "LIBNVVM=", "E", "ED", "EDGE_=1", "PATH=NVRTC_A"});
  EXPECT_EQ(compiler_environment(), Names());
}

TEST(CompilerEnvironment, IsPartOfTheKey) {
  container::BuildInputs inputs;
  const auto key_with = [&](const char* variable) {
    const Environment of({"HOME=/", variable});
    return request_of(inputs, "").key;
  };
  EXPECT_EQ(key_with("PATH=/"), inputs.digest);
  EXPECT_NE(key_with("NVRTC_A=1"), inputs.digest);
  EXPECT_NE(key_with("NVRTC_A=1"), key_with("NVRTC_A=2"));
}

}  // namespace
}  // namespace cucore::cache
