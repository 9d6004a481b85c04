// SPDX-License-Identifier: Apache-2.0
// Owners: how copies, moves and handles of C count references.
#include <cstring>
#include <type_traits>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;

template <class Owner>
class Owners : public testing::Test {};
using Types = testing::Types<cucore::Error, cucore::Device, cucore::Stream, cucore::Event,
                             cucore::Buffer, cucore::Program, cucore::Linker, cucore::ObjectCode,
                             cucore::Kernel, cucore::PreparedLaunch, cucore::Pool, cucore::Cache,
                             cucore::Queue, cucore::Future, cucore::Checks, cucore::Graph,
                             cucore::Executable, cucore::Observer, cucore::External>;
TYPED_TEST_SUITE(Owners, Types);

TYPED_TEST(Owners, AreValuesThatNeverThrow) {
  using T = TypeParam;
  EXPECT_TRUE(std::is_nothrow_default_constructible_v<T>);
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<T>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<T>);
  EXPECT_TRUE(std::is_nothrow_copy_assignable_v<T>);
  EXPECT_TRUE(std::is_nothrow_move_assignable_v<T>);
  EXPECT_FALSE((std::is_convertible_v<typename T::handle_type*, T>));
}

TYPED_TEST(Owners, AreEmptyByDefault) {
  TypeParam empty{};
  EXPECT_FALSE(empty);
  EXPECT_EQ(empty.get(), nullptr);
  TypeParam copy = empty;
  EXPECT_EQ(copy, empty);
  copy.reset();
  EXPECT_EQ(TypeParam::share(nullptr).get(), nullptr);
}

// A name is empty once the last reference is released.
bool is_alive(const cucore_program* program) { return cucore_program_backend(program) != 0; }

cucore::Program new_program() { return must(cucore::Program::create("__global__ void f() {}")); }

TEST(OwnerOfAProgram, CopiesAddAReference) {
  cucore::Program program = new_program();
  cucore_program* const handle = program.get();
  {
    const cucore::Program copy = program;
    EXPECT_EQ(copy, program);
    program.reset();
    EXPECT_TRUE(is_alive(handle));
  }
  EXPECT_FALSE(is_alive(handle));
}

TEST(OwnerOfAProgram, MovesTakeTheReference) {
  cucore::Program program = new_program();
  cucore_program* const handle = program.get();
  cucore::Program moved = std::move(program);
  EXPECT_FALSE(program);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.get(), handle);
  cucore::Program other = new_program();
  cucore_program* const gone = other.get();
  other = std::move(moved);
  EXPECT_FALSE(is_alive(gone));
  EXPECT_TRUE(is_alive(handle));
}

TEST(OwnerOfAProgram, AssignsToItself) {
  cucore::Program program = new_program();
  cucore::Program& same = program;
  program = same;
  EXPECT_TRUE(is_alive(program.get()));
  program = std::move(same);
  EXPECT_TRUE(is_alive(program.get()));
}

TEST(OwnerOfAProgram, ReleaseHandsTheReferenceOver) {
  cucore::Program program = new_program();
  cucore_program* const handle = program.release();
  EXPECT_FALSE(program);
  EXPECT_TRUE(is_alive(handle));
  program = cucore::Program::adopt(handle);
  program.reset();
  EXPECT_FALSE(is_alive(handle));
}

TEST(OwnerOfAProgram, ShareAddsAReference) {
  const cucore::Program program = new_program();
  cucore_program_release(cucore::Program::share(program.get()).release());
  EXPECT_TRUE(is_alive(program.get()));
}

TEST(OwnerOfAProgram, SwapExchangesHandles) {
  cucore::Program a = new_program(), b = new_program();
  cucore_program* const handle = a.get();
  a.swap(b);
  EXPECT_EQ(b.get(), handle);
  EXPECT_NE(a, b);
}

TEST(OwnerOfAProgram, OutIsThePlaceForAFunctionOfC) {
  cucore::Program program = new_program();
  cucore_program* const before = program.get();
  const char* const source = "__global__ void g() {}";
  ASSERT_EQ(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, std::strlen(source), nullptr,
                                  program.out(), nullptr),
            CUCORE_OK);
  EXPECT_FALSE(is_alive(before));
  EXPECT_TRUE(is_alive(program.get()));
}

TEST(OwnerOfAnError, TakesTheErrorOfAFunctionOfC) {
  cucore::Error error(cucore::Status::io, "of the program");
  EXPECT_EQ(cucore_device_open(-1, nullptr, error.out()), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(error.status(), cucore::Status::invalid_argument);
  EXPECT_STREQ(error.message(), cucore_error_message(error.get()));
}

TEST(OwnerOfAnError, ResetLeavesNoFailure) {
  cucore::Error error(cucore::Status::io, "of the program");
  error.reset();
  EXPECT_FALSE(error);
  EXPECT_STREQ(error.message(), "");
}

TEST(OwnerOfAnError, SwapExchangesFailures) {
  cucore::Error failure(cucore::Status::io, "of the program");
  cucore::Error none;
  failure.swap(none);
  EXPECT_FALSE(failure);
  EXPECT_EQ(none.status(), cucore::Status::io);
  EXPECT_STREQ(none.message(), "of the program");
}

TEST(OwnerThatIsEmpty, FailsWithAnError) {
  FAILS(invalid_argument, "device must not be NULL", cucore::Stream::create(cucore::Device()));
  FAILS(invalid_argument, "kernel must not be NULL", cucore::Kernel().as<void()>());
  EXPECT_EQ(cucore::Device().name(), "");
  EXPECT_EQ(cucore::ObjectCode().data().size(), 0u);
}

}  // namespace
