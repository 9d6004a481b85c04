// SPDX-License-Identifier: Apache-2.0
// Owners: how copies, moves and handles of C count references.
#include <type_traits>

#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;

template <class Owner>
class Owners : public testing::Test {};
using Types = testing::Types<cucore::Error, cucore::Device, cucore::Stream, cucore::Event,
                             cucore::Buffer, cucore::Program, cucore::Linker, cucore::ObjectCode,
                             cucore::Kernel, cucore::Cache, cucore::Queue, cucore::Future>;
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

cucore::Program make_program() { return must(cucore::Program::create("__global__ void f() {}")); }

TEST(OwnerOfAProgram, CopiesAddAReference) {
  cucore::Program program = make_program();
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
  cucore::Program program = make_program();
  cucore_program* const handle = program.get();
  cucore::Program moved = std::move(program);
  EXPECT_FALSE(program);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.get(), handle);
  cucore::Program other = make_program();
  cucore_program* const gone = other.get();
  other = std::move(moved);
  EXPECT_FALSE(is_alive(gone));
  EXPECT_TRUE(is_alive(handle));
}

TEST(OwnerOfAProgram, AssignsToItself) {
  cucore::Program program = make_program();
  cucore::Program& same = program;
  program = same;
  EXPECT_TRUE(is_alive(program.get()));
  program = std::move(same);
  EXPECT_TRUE(is_alive(program.get()));
}

TEST(OwnerOfAProgram, ReleaseHandsTheReferenceOver) {
  cucore::Program program = make_program();
  cucore_program* const handle = program.release();
  EXPECT_FALSE(program);
  EXPECT_TRUE(is_alive(handle));
  program = cucore::Program::adopt(handle);
  program.reset();
  EXPECT_FALSE(is_alive(handle));
}

TEST(OwnerOfAProgram, ShareAddsAReference) {
  const cucore::Program program = make_program();
  cucore_program_release(cucore::Program::share(program.get()).release());
  EXPECT_TRUE(is_alive(program.get()));
}

TEST(OwnerOfAProgram, SwapExchangesHandles) {
  cucore::Program a = make_program(), b = make_program();
  cucore_program* const handle = a.get();
  a.swap(b);
  EXPECT_EQ(b.get(), handle);
  EXPECT_NE(a, b);
}

TEST(OwnerThatIsEmpty, FailsWithAnError) {
  FAILS(invalid_argument, "device must not be NULL", cucore::Stream::create(cucore::Device()));
  FAILS(invalid_argument, "kernel must not be NULL", cucore::Kernel().as<void()>());
  EXPECT_EQ(cucore::Device().name(), "");
  EXPECT_EQ(cucore::ObjectCode().data().size(), 0u);
}

}  // namespace
