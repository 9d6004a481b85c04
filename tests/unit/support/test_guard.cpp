// SPDX-License-Identifier: Apache-2.0
// The barrier and the checks of arguments as any library uses them, with error objects of its own.
#include "support/guard.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/require.hpp"

namespace cucore {
namespace {

struct Failure {
  Status status;
  std::string message;
};

struct Reporter {
  using Handle = Failure;
  static constexpr const char* LIBRARY = "libtest";
  static inline bool has_memory = true;
  static Failure* create(const Error& error) {
    if (!has_memory) throw std::bad_alloc();
    return new Failure{error.status(), error.message()};
  }
  static Failure* out_of_memory() noexcept {
    static Failure failure{Status::OUT_OF_MEMORY, "static"};
    return &failure;
  }
};

Status report(Failure** failure) noexcept { return report_exception<Reporter>(failure); }

template <class Body>
Status guard(Failure** failure, Body&& body) {
  return guard_with<report>(failure, body);
}

template <class Body>
std::string guarded(Body&& body) {
  Failure* failure = nullptr;
  const Status status = guard(&failure, body);
  if (!failure) return "no failure";
  EXPECT_EQ(failure->status, status);
  const std::string message = failure->message;
  if (failure != Reporter::out_of_memory()) delete failure;
  return message;
}

TEST(Guard, SuccessClearsTheError) {
  Failure* failure = Reporter::out_of_memory();
  EXPECT_EQ(guard(&failure, [] {}), Status::OK);
  EXPECT_EQ(failure, nullptr);
}

TEST(Guard, EveryExceptionBecomesAStatus) {
  EXPECT_EQ(guarded([] { throw Error(Status::NOT_FOUND, "why"); }), "why");
  EXPECT_EQ(guarded([] { throw std::logic_error("why"); }), "a fault inside libtest: why");
  EXPECT_EQ(guarded([] { throw 1; }), "a fault inside libtest");
  EXPECT_EQ(guarded([] { throw std::bad_alloc(); }), "static");
}

TEST(Guard, WithoutMemoryForAnErrorTheStaticOneIsGiven) {
  Reporter::has_memory = false;
  EXPECT_EQ(guarded([] { throw Error(Status::NOT_FOUND, "why"); }), "static");
  EXPECT_EQ(guard(nullptr, [] { throw Error(Status::NOT_FOUND, "why"); }), Status::NOT_FOUND)
      << "a caller without an error needs no memory";
  Reporter::has_memory = true;
}

TEST(Require, NamesTheArgument) {
  const char* const strings[] = {"a", nullptr};
  EXPECT_EQ(guarded([] { require<int>(nullptr, "out"); }), "out must not be NULL");
  EXPECT_EQ(guarded([] { require_array<int>(nullptr, 1, "data"); }), "data must not be NULL");
  EXPECT_EQ(guarded([] { require_array<int>(nullptr, 0, "data"); }), "no failure");
  EXPECT_EQ(guarded([&] { require_strings(strings, 2, "names"); }), "names has NULL at index 1");
  EXPECT_EQ(guarded([] { require_flag(2, "x.flag"); }), "x.flag is 2, neither 0 nor 1");
  EXPECT_EQ(guarded([] { require_zero(1, "x.reserved"); }), "x.reserved is 1; leave it 0");
  EXPECT_EQ(guarded([] { require_toggle(3, true, "x.t"); }), "x.t is 3, not a cucore_toggle");
  EXPECT_TRUE(require_flag(1, "flag"));
  EXPECT_TRUE(require_toggle(0, true, "t") && require_toggle(1, false, "t"));
  EXPECT_FALSE(require_toggle(0, false, "t") || require_toggle(2, true, "t"));
}

}  // namespace
}  // namespace cucore
