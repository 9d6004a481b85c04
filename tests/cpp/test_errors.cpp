// SPDX-License-Identifier: Apache-2.0
// Failures: the content of an error, and its path to the caller in both modes.
#include "cpp_testing.hpp"

namespace {

using namespace cpp_test;
using cucore::Error;
using cucore::Status;

Error missing_kernel() {
  return outcome([] { return make_code().find_kernel("nothing"); });
}

TEST(Errors, HoldEverythingThatCucoreReports) {
  const Error error = missing_kernel();
  EXPECT_EQ(error.status(), Status::not_found);
  EXPECT_PRED2(contains, error.message(), "saxpy");
  EXPECT_STREQ(error.what(), error.message());
  EXPECT_EQ(error.origin(), "cucore");
  EXPECT_EQ(error.native_code(), 0);
  EXPECT_EQ(error.native_name(), "");
  EXPECT_EQ(error.log(), "");
  EXPECT_TRUE(error.diagnostics().empty());
  EXPECT_TRUE(error);
}

TEST(Errors, OutliveTheCall) {
  Error copy;
  {
    const Error error = missing_kernel();
    copy = error;
  }
  EXPECT_PRED2(contains, copy.message(), "nothing");
}

TEST(Errors, OfTheProgramHaveItsMessage) {
  const Error error(Status::unsupported, "the page is blank; print another one");
  EXPECT_EQ(error.status(), Status::unsupported);
  EXPECT_STREQ(Error(error).what(), "the page is blank; print another one");
  EXPECT_EQ(error.origin(), "cucore");
}

TEST(Errors, OfACompileHaveTheLogAndItsDiagnostics) {
  if (!must(cucore::library_query(cucore::Library::nvrtc)).available) GTEST_SKIP() << "needs NVRTC";
  const auto program = must(cucore::Program::create("__global__ void f() { oops; }"));
  const Error error = outcome([&] { return program.compile(); });
  EXPECT_EQ(error.status(), Status::compilation);
  EXPECT_EQ(error.origin(), "nvrtc");
  EXPECT_PRED2(contains, error.log(), "oops");
  ASSERT_EQ(error.diagnostics().size(), 1u);
  const cucore::Diagnostic diagnostic = error.diagnostics()[0];
  EXPECT_EQ(diagnostic.severity, cucore::Severity::error);
  EXPECT_EQ(diagnostic.line, 1);
  EXPECT_PRED2(contains, diagnostic.text, "oops");
}

TEST(Status, HasTheNameOfC) {
  EXPECT_STREQ(cucore::status_name(Status::kernel_fault), "CUCORE_ERROR_KERNEL_FAULT");
  EXPECT_STREQ(cucore::status_name(static_cast<Status>(77)), "CUCORE_STATUS_UNKNOWN");
}

#if CUCORE_HPP_EXCEPTIONS
template <class Exception>
bool throws(Status status) {
  try {
    cucore::throw_error(Error(status, "why"));
  } catch (const Exception& error) {
    return error.status() == status && std::string(error.what()) == "why";
  } catch (...) {
    return false;
  }
}

TEST(Exceptions, HaveOneClassPerStatus) {
  EXPECT_TRUE(throws<cucore::InvalidArgumentError>(Status::invalid_argument));
  EXPECT_TRUE(throws<cucore::CallError>(Status::invalid_argument));
  EXPECT_TRUE(throws<cucore::OutOfDeviceMemoryError>(Status::out_of_device_memory));
  EXPECT_TRUE(throws<cucore::MachineError>(Status::out_of_device_memory));
  EXPECT_TRUE(throws<cucore::CompilationError>(Status::compilation));
  EXPECT_TRUE(throws<cucore::CodeError>(Status::kernel_fault));
  EXPECT_TRUE(throws<cucore::NotReadyError>(Status::not_ready));
  EXPECT_TRUE(throws<cucore::IndexError>(Status::index));
  EXPECT_TRUE(throws<cucore::NotPermittedError>(Status::not_permitted));
  EXPECT_TRUE(throws<cucore::CudaError>(Status::cuda));
  EXPECT_TRUE(throws<cucore::InternalError>(Status::internal));
  EXPECT_FALSE(throws<cucore::NotFoundError>(Status::io));
}

TEST(Exceptions, AreCreatedForOtherLibraries) {
  const Error cause = cucore::error_create(Status::compilation, "compile a_map");
  cucore::ErrorOptions options;
  options.origin = "mylib";
  options.native_code = 7;
  options.log = "the log";
  options.cause = cause.get();
  const Error error = cucore::error_create(Status::shape, "evaluate", options);
  EXPECT_EQ(error.status(), Status::shape);
  EXPECT_STREQ(error.what(), "evaluate: compile a_map");
  EXPECT_EQ(error.origin(), "mylib");
  EXPECT_EQ(error.native_code(), 7);
  EXPECT_EQ(error.log(), "the log");
}

TEST(Exceptions, NameAFunctionThatALibraryLacks) {
  try {
    static_cast<void>(cucore::library_symbol(cucore::Library::driver, "cuNoSuch"));
    FAIL() << "nothing was thrown";
  } catch (const cucore::NotFoundError& error) {
    EXPECT_PRED2(contains, error.what(), "'cuNoSuch'");
  }
  EXPECT_NE(cucore::library_symbol(cucore::Library::driver, "cuDriverGetVersion"), nullptr);
}

TEST(Exceptions, OfALaterVersionAreThoseOfTheirHundred) {
  EXPECT_TRUE(throws<cucore::CallError>(static_cast<Status>(199)));
  EXPECT_TRUE(throws<cucore::MachineError>(static_cast<Status>(250)));
  EXPECT_TRUE(throws<cucore::CodeError>(static_cast<Status>(399)));
  EXPECT_TRUE(throws<cucore::ProgressError>(static_cast<Status>(402)));
  EXPECT_TRUE(throws<Error>(static_cast<Status>(999)));
}

TEST(Exceptions, KeepTheErrorOfTheLibrary) {
  try {
    static_cast<void>(make_code().find_kernel("nothing"));
    FAIL() << "nothing was thrown";
  } catch (const cucore::NotFoundError& error) {
    EXPECT_NE(error.get(), nullptr);
    EXPECT_PRED2(contains, error.what(), "saxpy");
  }
}
#endif

cucore::Result<int> positive(int value) {
  if (value > 0) return value;
  return Error(Status::invalid_argument, "not positive");
}

TEST(Results, HoldAValueOrAnError) {
  cucore::Result<int> good = positive(4), bad = positive(-4);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 4);
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(good.status(), Status::ok);
  EXPECT_FALSE(good.error());
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.status(), Status::invalid_argument);
  EXPECT_STREQ(bad.error().message(), "not positive");
  EXPECT_EQ(std::move(bad).value_or(7), 7);
}

TEST(Results, PassErrorsOn) {
  const auto half = [](int value) { return positive(value / 2); };
  EXPECT_EQ(*positive(8).and_then(half), 4);
  EXPECT_EQ(positive(1).and_then(half).status(), Status::invalid_argument);
  EXPECT_EQ(positive(-1).and_then(half).status(), Status::invalid_argument);
}

TEST(Results, OfNothingHoldAnError) {
  EXPECT_TRUE(cucore::Result<void>());
  const cucore::Result<void> bad(Error(Status::io, "full"));
  EXPECT_FALSE(bad);
  EXPECT_STREQ(bad.error().message(), "full");
}

TEST(ResultsDeathTest, WithoutAValueEndTheProgram) {
  EXPECT_DEATH(static_cast<void>(positive(-1).value()), "not positive");
}

}  // namespace
