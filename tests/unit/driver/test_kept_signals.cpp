// SPDX-License-Identifier: Apache-2.0
// The handlers of the program stay, whatever a toolkit library tries.
#include "driver/kept_signals.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csignal>

#include "fakes/fake_client.hpp"

namespace cucore::driver::test {
namespace {

using Handler = void (*)(int);
using Take = void(int, Handler);

void of_the_program(int) {}
void of_the_library(int) {}

class KeptSignals : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_NE(library_, nullptr) << dlerror();
    std::signal(SIGTERM, of_the_program);
  }
  void TearDown() override {
    std::signal(SIGTERM, SIG_DFL);
    if (library_) dlclose(library_);
  }

  // Returns the handler of SIGTERM after the library has tried to replace it.
  Handler after_a_try() {
    reinterpret_cast<Take*>(dlsym(library_, GetParam()))(SIGTERM, of_the_library);
    struct sigaction action {};
    sigaction(SIGTERM, nullptr, &action);
    return action.sa_handler;
  }

  void* library_ = dlopen(fake::path("fake_signals").c_str(), RTLD_NOW | RTLD_LOCAL);
};

TEST_P(KeptSignals, OnceImportsAreReplaced) {
  ASSERT_EQ(after_a_try(), of_the_library) << "the library can, before";
  std::signal(SIGTERM, of_the_program);
  ASSERT_GE(replace_imports(library_, signal_imports()), 2u);
  EXPECT_EQ(after_a_try(), of_the_program);
  const auto handler_of = reinterpret_cast<Handler (*)(int)>(dlsym(library_, "handler_of"));
  EXPECT_EQ(handler_of(SIGTERM), of_the_program) << "the library may read handlers";
}

INSTANTIATE_TEST_SUITE_P(By, KeptSignals, testing::Values("take_by_signal", "take_by_sigaction"));

}  // namespace
}  // namespace cucore::driver::test
