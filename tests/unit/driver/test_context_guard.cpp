// SPDX-License-Identifier: Apache-2.0
// The caller's current context is unchanged after any use of the guard.
#include "driver/context_guard.hpp"

#include <string>

#include "fakes/fake_client.hpp"
#include "own_process.hpp"
#include "support/log.hpp"

namespace cucore::driver::test {
namespace {

class ContextGuardTest : public testing::Test {
 protected:
  // Returns true in the process that the test runs in.
  bool begin() {
    if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver")}})) return false;
    check(cuda().cuDevicePrimaryCtxRetain(&first_, 0), "retain");
    check(cuda().cuDevicePrimaryCtxRetain(&second_, 1), "retain");
    fake_.emplace(fake::path("fake_driver"));
    fake_->reset();
    return true;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(cuda().cuCtxGetCurrent(&context), CUDA_SUCCESS);
    return context;
  }

  CUcontext first_ = nullptr, second_ = nullptr;
  std::optional<fake::Client> fake_;
};

TEST_F(ContextGuardTest, NoneBeforeNoneAfter) {
  if (!begin()) return;
  {
    const ContextGuard guard(first_);
    EXPECT_TRUE(guard);
    EXPECT_EQ(current(), first_);
  }
  EXPECT_EQ(current(), nullptr);
}

TEST_F(ContextGuardTest, AnotherBeforeTheSameAfter) {
  if (!begin()) return;
  check(cuda().cuCtxSetCurrent(second_), "set");
  {
    const ContextGuard outer(first_);
    const ContextGuard inner(second_);
    EXPECT_EQ(current(), second_);
  }
  EXPECT_EQ(current(), second_);
}

TEST_F(ContextGuardTest, CurrentAlreadyCostsOneCall) {
  if (!begin()) return;
  check(cuda().cuCtxSetCurrent(first_), "set");
  fake_->reset();
  { const ContextGuard guard(first_); }
  EXPECT_EQ(fake_->log(), std::vector<std::string>{"cuCtxGetCurrent"});
  EXPECT_EQ(current(), first_);
}

TEST_F(ContextGuardTest, AFailureChangesNothing) {
  if (!begin()) return;
  check(cuda().cuCtxSetCurrent(second_), "set");
  for (const char* call : {"cuCtxGetCurrent", "cuCtxPushCurrent"}) {
    fake_->fail_call(call, 1, CUDA_ERROR_UNKNOWN);
    const Thrown failure = thrown([&] { const ContextGuard guard(first_); });
    EXPECT_EQ(failure.status, static_cast<int>(Status::CUDA)) << call;
    EXPECT_TRUE(has(failure.message, "context current")) << failure.message;
    EXPECT_EQ(current(), second_);
  }
}

TEST_F(ContextGuardTest, ACallerWhoseContextWasResetIsServed) {
  if (!begin()) return;
  check(cuda().cuCtxSetCurrent(second_), "set");
  check(cuda().cuDevicePrimaryCtxReset(1), "reset");
  fake_->fail_call("cuCtxGetCurrent", 1, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  const ContextGuard guard(first_);
  EXPECT_EQ(current(), first_);
}

TEST_F(ContextGuardTest, AReleaseDoesWithoutAContextThatIsGone) {
  if (!begin()) return;
  check(cuda().cuDevicePrimaryCtxReset(0), "reset");
  const ContextGuard guard(first_, std::nothrow);
  EXPECT_FALSE(guard);
  EXPECT_EQ(current(), nullptr);
}

}  // namespace
}  // namespace cucore::driver::test
