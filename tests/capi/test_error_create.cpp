// SPDX-License-Identifier: Apache-2.0
// Errors that other libraries create: their content, the effect of a cause, and wrong arguments.
#include <cstring>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

Error create(cucore_status status, const char* message,
             const cucore_error_options* options = nullptr) {
  return Error(cucore_error_create(status, message, options));
}

std::string message_of(const Error& error) { return cucore_error_message(error); }
std::string log_of(const Error& error) { return cucore_error_log(error); }

TEST(ErrorCreate, HoldsAStatusAndAMessage) {
  const Error error = create(CUCORE_ERROR_SHAPE, "add: shapes (3, 4) and (2, 4) do not broadcast");
  ASSERT_NE(error.get(), nullptr);
  EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_SHAPE);
  EXPECT_EQ(message_of(error), "add: shapes (3, 4) and (2, 4) do not broadcast");
  EXPECT_STREQ(cucore_error_origin(error), "cucore");
  EXPECT_EQ(cucore_error_native_code(error), 0);
  EXPECT_STREQ(cucore_error_native_name(error), "");
  EXPECT_EQ(log_of(error), "");
  EXPECT_EQ(cucore_error_diagnostic_count(error), 0u);
}

TEST(ErrorCreate, HoldsWhatItsOptionsSay) {
  std::string origin = "cublas", name = "CUBLAS_STATUS_NOT_INITIALIZED";
  std::string log = "a.cu(3): error: oh\n";
  cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
  options.origin = origin.c_str();
  options.native_code = -7;
  options.native_name = name.c_str();
  options.log = log.c_str();
  const Error error = create(CUCORE_ERROR_NUMERIC, "solve: singular", &options);
  for (std::string* text : {&origin, &name, &log}) std::memset(text->data(), 'x', text->size());
  EXPECT_STREQ(cucore_error_origin(error), "cublas") << "strings are copied";
  EXPECT_EQ(cucore_error_native_code(error), -7);
  EXPECT_STREQ(cucore_error_native_name(error), "CUBLAS_STATUS_NOT_INITIALIZED");
  EXPECT_EQ(log_of(error), "a.cu(3): error: oh\n");
  ASSERT_EQ(cucore_error_diagnostic_count(error), 1u);
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  SUCCEEDS(cucore_error_diagnostic_at, error, 0, &info);
  EXPECT_STREQ(info.file, "a.cu");
  EXPECT_EQ(info.line, 3);
}

TEST(ErrorCreate, EveryStatusIsAccepted) {
  for (const int number : {1, 101, 108, 112, 207, 902, 1234, 0x7ffffffe}) {
    const Error error = create(static_cast<cucore_status>(number), "why");
    EXPECT_EQ(cucore_error_status(error), number);
    EXPECT_EQ(message_of(error), "why");
  }
}

TEST(ErrorCreate, ACauseAddsItsMessageAndItsLog) {
  cucore_error_options inner = CUCORE_ERROR_OPTIONS_INIT;
  inner.log = "the compiler's output\n";
  inner.origin = "nvrtc";
  Error cause = create(CUCORE_ERROR_COMPILATION, "compile a_map", &inner);
  cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
  options.cause = cause;
  for (const auto& [log, expected] :
       {std::pair{"graph: 3 nodes", "graph: 3 nodes\nthe compiler's output\n"},
        std::pair{"graph: 3 nodes\n", "graph: 3 nodes\nthe compiler's output\n"},
        std::pair{"", "the compiler's output\n"},
        std::pair{static_cast<const char*>(nullptr), "the compiler's output\n"}}) {
    options.log = log;
    const Error error = create(CUCORE_ERROR_INTERNAL, "evaluate x + y", &options);
    EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_INTERNAL);
    EXPECT_EQ(message_of(error), "evaluate x + y: compile a_map");
    EXPECT_EQ(log_of(error), expected);
    EXPECT_STREQ(cucore_error_origin(error), "cucore");
  }
  EXPECT_EQ(message_of(cause), "compile a_map") << "the cause is as before";
  const Error outer = create(CUCORE_ERROR_INTERNAL, "outer", &options);
  cause.reset();
  EXPECT_EQ(message_of(outer), "outer: compile a_map") << "the cause is not needed any more";
}

TEST(ErrorCreate, ACauseThatIsNotALiveErrorAddsNothing) {
  Error released = create(CUCORE_ERROR_IO, "gone");
  cucore_error* const dead = released.get();
  released.reset();
  cucore_queue* queue = nullptr;
  MUST(cucore_queue_create, nullptr, &queue);
  for (const void* cause :
       {static_cast<void*>(nullptr), static_cast<void*>(dead), static_cast<void*>(queue)}) {
    cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
    options.cause = static_cast<const cucore_error*>(cause);
    const Error error = create(CUCORE_ERROR_INDEX, "take", &options);
    EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_INDEX);
    EXPECT_EQ(message_of(error), "take");
  }
  cucore_queue_release(queue);
}

TEST(ErrorCreate, WithoutAMessageTheStatusIsNamed) {
  EXPECT_EQ(message_of(create(CUCORE_ERROR_DTYPE, nullptr)), "CUCORE_ERROR_DTYPE");
  EXPECT_EQ(message_of(create(CUCORE_ERROR_DTYPE, "")), "");
}

TEST(ErrorCreate, AStatusThatIsNotAnErrorIsReported) {
  for (const int number : {0, -1}) {
    const Error error = create(static_cast<cucore_status>(number), "why");
    ASSERT_NE(error.get(), nullptr);
    EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(message_of(error), "status is " + std::to_string(number) +
                                     "; expected a number above 0; the error is: why");
  }
}

TEST(ErrorCreate, OptionsThatAreNotKnownAreReportedWithTheMessage) {
  struct {
    cucore_error_options options;
    char later[8];
  } newer = {CUCORE_ERROR_OPTIONS_INIT, {}};
  newer.options.struct_size = sizeof newer;
  newer.options.log = "output";
  EXPECT_EQ(log_of(create(CUCORE_ERROR_SHAPE, "why", &newer.options)), "output");
  newer.later[3] = 1;
  const Error tail = create(CUCORE_ERROR_SHAPE, "why", &newer.options);
  EXPECT_EQ(cucore_error_status(tail), CUCORE_ERROR_ABI_MISMATCH);
  EXPECT_TRUE(contains(message_of(tail), "byte " + std::to_string(sizeof newer.options + 3)));
  EXPECT_TRUE(contains(message_of(tail), "; the error is: why"));
  cucore_error_options small = CUCORE_ERROR_OPTIONS_INIT;
  for (const size_t size : {size_t{0}, size_t{8}, sizeof small - 1}) {
    small.struct_size = size;
    EXPECT_EQ(cucore_error_status(create(CUCORE_ERROR_SHAPE, "why", &small)),
              CUCORE_ERROR_ABI_MISMATCH);
  }
  cucore_error_options reserved = CUCORE_ERROR_OPTIONS_INIT;
  reserved.reserved = 1;
  const Error error = create(CUCORE_ERROR_SHAPE, "why", &reserved);
  EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(message_of(error), "options->reserved"));
}

TEST(ErrorCreate, MakesANewErrorEachTime) {
  const Error first = create(CUCORE_ERROR_SHAPE, "same"),
              second = create(CUCORE_ERROR_SHAPE, "same");
  EXPECT_NE(first.get(), second.get());
  cucore_error* again = cucore_error_retain(first);
  cucore_error_release(again);
  EXPECT_EQ(message_of(first), "same");
}

TEST(ErrorCreate, FromManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      const std::string origin = "library " + std::to_string(i % 3);
      cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
      options.origin = origin.c_str();
      for (int round = 0; round < 200; ++round) {
        const Error error = create(CUCORE_ERROR_SHAPE, origin.c_str(), &options);
        EXPECT_EQ(message_of(error), origin);
        EXPECT_EQ(origin, cucore_error_origin(error));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// The cache returns the error of the caller's build function unchanged.
TEST(ErrorCreate, PassesThroughABuildOfTheCache) {
  cucore_cache_options with = CUCORE_CACHE_OPTIONS_INIT;
  with.directory = "";
  Cache cache;
  MUST(cucore_cache_open, &with, cache.out());
  const auto build = [](cucore_objectcode**, cucore_error** error, void*) {
    const std::string origin = "a library of its own";
    cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
    options.origin = origin.c_str();
    if (error) *error = cucore_error_create(CUCORE_ERROR_NUMERIC, "not converged", &options);
    return CUCORE_ERROR_NUMERIC;
  };
  const uint8_t key[32] = {1};
  cucore_objectcode* code = nullptr;
  Error error;
  EXPECT_EQ(cucore_cache_get_or_build(cache, key, build, nullptr, &code, nullptr, error.out()),
            CUCORE_ERROR_NUMERIC);
  EXPECT_EQ(message_of(error), "not converged");
  EXPECT_STREQ(cucore_error_origin(error), "a library of its own");
}

}  // namespace
