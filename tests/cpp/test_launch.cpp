// SPDX-License-Identifier: Apache-2.0
// Launches: how each type is passed, and which values are refused.
#include <array>
#include <cstring>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::Address;
using cucore::Buffer;
using cucore::Kernel;

struct Point {
  float x, y, z;
};
enum class Count : unsigned { four = 4 };

class Launches : public OnDevice {
 protected:
  const std::vector<float> xs_ = {1, 2, 3, 4}, ys_ = {10, 20, 30, 40}, sums_ = {12, 24, 36, 48};
  cucore::ObjectCode code_ = make_code();
  Kernel saxpy_ = must(code_.find_kernel("saxpy"));
  Buffer x_ = make_buffer(xs_), y_ = make_buffer(ys_);
};

TEST_F(Launches, TakeBuffersAndNumbers) {
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, 4));
  EXPECT_EQ(read(y_), sums_);
}

TEST_F(Launches, InTwoStepsDoTheSame) {
  SUCCEEDS(saxpy_({1, 32}, stream_)(2.0f, x_, y_, 4u));
  const auto launcher = saxpy_({1, 32}, stream_);
  SUCCEEDS(launcher(1.0f, x_, y_, 4u));
  EXPECT_EQ(read(y_), (std::vector<float>{13, 26, 39, 52}));
}

TEST_F(Launches, TakeAddressesPointersAndEnumerators) {
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, x_.address(), y_.native<float*>(), Count::four));
  EXPECT_EQ(read(y_), sums_);
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, nullptr, nullptr, 0));
}

TEST_F(Launches, TakeAddressesInsideABuffer) {
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, x_.address() + 8, y_, 2));
  EXPECT_EQ(read(y_), (std::vector<float>{16, 28, 30, 40}));
}

TEST_F(Launches, TakeStructsAndNothing) {
  const Kernel point = must(code_.find_kernel("point")), empty = must(code_.find_kernel("empty"));
  SUCCEEDS(point.launch(stream_, {1, 1}, Point{1, 2, 3}));
  SUCCEEDS(point.launch(stream_, {1, 1}, std::array<float, 3>{}));
  SUCCEEDS(empty.launch(stream_, {1, 1}));
  SUCCEEDS(empty({1, 1}, stream_)());
  FAILS(invalid_argument, "takes 0 arguments, got 1", empty.launch(stream_, {1, 1}, 1));
}

TEST_F(Launches, RefuseAnArgumentOfAnotherClass) {
  const std::uint64_t address = x_.address().value();
  for (int round = 0; round < 2; ++round) {
    FAILS(invalid_argument, "argument 0 of kernel saxpy is an integer; expected a floating-point",
          saxpy_.launch(stream_, {1, 32}, 2, x_, y_, 4));
    FAILS(invalid_argument, "argument 1 of kernel saxpy is an integer; expected a pointer",
          saxpy_.launch(stream_, {1, 32}, 2.0f, address, y_, 4));
    FAILS(invalid_argument, "argument 3 of kernel saxpy is a floating-point number; expected",
          saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, 4.0f));
    FAILS(invalid_argument, "argument 3 of kernel saxpy is a pointer",
          saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, x_));
  }
  EXPECT_EQ(read(y_), ys_);
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, 4));
  EXPECT_EQ(read(y_), sums_);
}

TEST_F(Launches, RefuseAnArgumentOfAnotherSizeOrNumber) {
  FAILS(invalid_argument, "saxpy", saxpy_.launch(stream_, {1, 32}, 2.0, x_, y_, 4));
  FAILS(invalid_argument, "takes 4 arguments, got 3",
        saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_));
  FAILS(invalid_argument, "takes 4 arguments, got 5",
        saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, 4, 5));
}

TEST_F(Launches, KeepTheClassesInCopies) {
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 0.0f, x_, y_, 4));
  const Kernel copy = saxpy_;
  FAILS(invalid_argument, "argument 0", copy.launch(stream_, {1, 32}, 2, x_, y_, 4));
  Kernel other = must(code_.find_kernel("empty"));
  SUCCEEDS(other.launch(stream_, {1, 1}));
  other = copy;
  FAILS(invalid_argument, "argument 0", other.launch(stream_, {1, 32}, 2, x_, y_, 4));
}

TEST_F(Launches, ForgetTheClassesOfAnotherKernel) {
  Kernel kernel = saxpy_;
  SUCCEEDS(kernel.launch(stream_, {1, 32}, 0.0f, x_, y_, 4));
  kernel.reset(must(code_.find_kernel("point")).release());
  SUCCEEDS(kernel.launch(stream_, {1, 1}, Point{}));
  Kernel other = saxpy_;
  SUCCEEDS(other.launch(stream_, {1, 32}, 0.0f, x_, y_, 4));
  kernel.swap(other);
  SUCCEEDS(other.launch(stream_, {1, 1}, Point{}));
  FAILS(invalid_argument, "argument 0", kernel.launch(stream_, {1, 32}, 2, x_, y_, 4));
}

template <class Last, std::size_t... I>
cucore::Error launch_many(const Kernel& kernel, const cucore::Stream& stream, Last last,
                          std::index_sequence<I...>) {
  return outcome([&] {
    return kernel.launch(stream, {1, 1}, static_cast<float>(I)..., last, 1.0f, 1.0f);
  });
}

TEST_F(Launches, CompareTheFirstThirtyClasses) {
  const Kernel many = must(code_.find_kernel("many"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(launch_many(many, stream_, 1.0f, std::make_index_sequence<30>()));
    const cucore::Error error = outcome([&] {
      return many.launch(stream_, {1, 1}, 0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f, 10.f,
                         11.f, 12.f, 13.f, 14.f, 15.f, 16.f, 17.f, 18.f, 19.f, 20.f, 21.f, 22.f,
                         23.f, 24.f, 25.f, 26.f, 27.f, 28.f, 29, 30.f, 31.f, 32.f);
    });
    EXPECT_PRED2(contains, error.message(), "argument 29 of kernel many is an integer");
  }
}

TEST_F(Launches, HoldTheirBuffers) {
  {
    const Buffer gone = make_buffer(xs_);
    SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, gone, y_, 4));
  }
  EXPECT_EQ(read(y_), sums_);
  const Buffer moved = std::move(x_);
  FAILS(invalid_argument, "", saxpy_.launch(stream_, {1, 32}, 2.0f, x_, y_, 4));
}

TEST_F(Launches, HaveAConfiguration) {
  const cucore::LaunchConfig config({4, 3, 2}, 64, 1024);
  EXPECT_EQ(config.struct_size, sizeof(cucore_launch_options));
  EXPECT_EQ(config.grid[0] + config.grid[1] + config.grid[2], 9u);
  EXPECT_EQ(config.block[0], 64u);
  EXPECT_EQ(config.dynamic_shared, 1024u);
  cucore::LaunchConfig more = config;
  more.with_cluster({2, 1, 1}).with_cooperative();
  EXPECT_EQ(more.cluster[0], 2u);
  EXPECT_EQ(more.cooperative, 1);
  FAILS(invalid_argument, "grid[0]", saxpy_.launch(stream_, {}, 2.0f, x_, y_, 4));
}

TEST_F(Launches, TakeAPackedBlock) {
  struct {
    float a = 2;
    std::uint64_t x, y;
    unsigned n = 4;
  } block;
  block.x = x_.address().value();
  block.y = y_.address().value();
  SUCCEEDS(saxpy_.launch_packed(stream_, {1, 32}, cucore::bytes_of(std::as_const(block))));
  EXPECT_EQ(read(y_), sums_);
}

TEST_F(Launches, OfATypedKernelConvertTheArguments) {
  const auto typed = must(saxpy_.as<void(float, const float*, float*, unsigned)>());
  SUCCEEDS(typed.launch(stream_, {1, 32}, 2, x_, y_, 4));
  EXPECT_EQ(read(y_), sums_);
  SUCCEEDS(typed({1, 32}, stream_)(-2, x_.address(), y_.native<float*>(), 4));
  EXPECT_EQ(read(y_), ys_);
  SUCCEEDS(typed({1, 32}, stream_)(-2, nullptr, nullptr, 0));
  EXPECT_EQ(typed.kernel(), saxpy_);
  using Typed = decltype(typed);
  EXPECT_FALSE((std::is_invocable_v<decltype(&Typed::launch), Typed, cucore::Stream&,
                                    cucore::LaunchConfig, float, int, float*, unsigned>));
}

TEST_F(Launches, OfATypedKernelTakeReferencesAndStructs) {
  SUCCEEDS(saxpy_.as<void(float, const float&, float&, unsigned)>());
  const Kernel point = must(code_.find_kernel("point")), empty = must(code_.find_kernel("empty"));
  SUCCEEDS(must(point.as<void(Point)>()).launch(stream_, {1, 1}, Point{1, 2, 3}));
  SUCCEEDS(must(point.as<void(const Point)>())({1, 1}, stream_)({1, 2, 3}));
  SUCCEEDS(must(empty.as<void()>())({1, 1}, stream_)());
}

TEST_F(Launches, OfATypedKernelCheckTheSignatureOnce) {
  FAILS(invalid_argument, "the signature of kernel saxpy has 3 parameters; expected 4",
        saxpy_.as<void(float, const float*, float*)>());
  FAILS(invalid_argument, "parameter 3 of kernel saxpy has 8 bytes; expected 4",
        saxpy_.as<void(float, const float*, float*, std::size_t)>());
  FAILS(invalid_argument, "argument 0 of kernel saxpy is an integer; expected a floating-point",
        saxpy_.as<void(int, const float*, float*, int)>());
  FAILS(invalid_argument, "argument 1 of kernel saxpy is an integer; expected a pointer",
        saxpy_.as<void(float, std::uint64_t, float*, int)>());
}

}  // namespace

// A type that stands for a pointer into device memory.
struct DeviceFloats {
  float* data;
};
template <>
struct cucore::ArgumentTraits<DeviceFloats> {
  static constexpr ParameterClass parameter_class = ParameterClass::pointer;
  static cucore_argument argument(const DeviceFloats& value) noexcept {
    return {&value.data, sizeof value.data};
  }
};

namespace {

TEST_F(Launches, TakeTypesOfTheProgram) {
  SUCCEEDS(saxpy_.launch(stream_, {1, 32}, 2.0f, DeviceFloats{x_.native<float*>()}, y_, 4));
  EXPECT_EQ(read(y_), sums_);
}

}  // namespace
