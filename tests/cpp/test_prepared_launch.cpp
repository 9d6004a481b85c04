// SPDX-License-Identifier: Apache-2.0
// Prepared launches: checked once, repeated, updated.
#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::Buffer;
using cucore::Kernel;
using cucore::PreparedLaunch;

class PreparedLaunches : public OnDevice {
 protected:
  cucore::ObjectCode code_ = make_code();
  Kernel saxpy_ = must(code_.find_kernel("saxpy"));
  Buffer x_ = make_buffer({1, 2, 3, 4}), y_ = make_buffer({10, 20, 30, 40});
};

TEST_F(PreparedLaunches, Repeat) {
  const PreparedLaunch prepared = must(saxpy_.prepare(stream_, {1, 32}, 2.0f, x_, y_, 4));
  saxpy_.reset();
  SUCCEEDS(prepared.run());
  SUCCEEDS(prepared.run());
  EXPECT_EQ(read(y_), (std::vector<float>{14, 28, 42, 56}));
}

TEST_F(PreparedLaunches, TakeNewArguments) {
  const PreparedLaunch prepared = must(saxpy_.prepare(stream_, {1, 32}, 2.0f, x_, y_, 4));
  SUCCEEDS(prepared.update(0, 3.0f));
  SUCCEEDS(prepared.update(2, x_));
  SUCCEEDS(prepared.run());
  EXPECT_EQ(read(x_), (std::vector<float>{4, 8, 12, 16}));
  FAILS(invalid_argument, "argument 0 of kernel saxpy has 8 bytes", prepared.update(0, 3.0));
  FAILS(invalid_argument, "index is 4", prepared.update(4, 3.0f));
}

TEST_F(PreparedLaunches, CompareClasses) {
  FAILS(invalid_argument, "argument 0 of kernel saxpy is an integer; expected a floating-point",
        saxpy_.prepare(stream_, {1, 32}, 2, x_, y_, 4));
  FAILS(invalid_argument, "takes 4 arguments, got 0", saxpy_.prepare(stream_, {1, 32}));
  FAILS(invalid_argument, "grid[0] is 0", saxpy_.prepare(stream_, {0, 32}, 2.0f, x_, y_, 4));
}

TEST_F(PreparedLaunches, OfNoArguments) {
  const Kernel empty = must(code_.find_kernel("empty"));
  const PreparedLaunch prepared = must(empty.prepare(stream_, {1, 1}));
  SUCCEEDS(prepared.run());
  FAILS(invalid_argument, "prepared must not be NULL", PreparedLaunch().run());
}

}  // namespace
