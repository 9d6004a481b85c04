// SPDX-License-Identifier: Apache-2.0
// Errors as the caller reads them: status, message, origin and log. They are counted, and an error
// output is overwritten, not released.
#include "capi_testing.hpp"

namespace {

using namespace capi_test;

cucore_error* some_error() {
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_device_count(nullptr, &error), CUCORE_ERROR_INVALID_ARGUMENT);
  return error;
}

TEST(Errors, StatusNames) {
  const struct {
    int number;
    const char* name;
  } names[] = {{0, "CUCORE_OK"},
               {101, "CUCORE_ERROR_INVALID_ARGUMENT"},
               {102, "CUCORE_ERROR_INVALID_HANDLE"},
               {103, "CUCORE_ERROR_BUFFER_TOO_SMALL"},
               {104, "CUCORE_ERROR_ABI_MISMATCH"},
               {105, "CUCORE_ERROR_INVALID_STATE"},
               {106, "CUCORE_ERROR_NOT_FOUND"},
               {107, "CUCORE_ERROR_UNSUPPORTED"},
               {108, "CUCORE_ERROR_NOT_UPDATABLE"},
               {109, "CUCORE_ERROR_SHAPE"},
               {110, "CUCORE_ERROR_DTYPE"},
               {111, "CUCORE_ERROR_INDEX"},
               {112, "CUCORE_ERROR_NUMERIC"},
               {201, "CUCORE_ERROR_LIBRARY_MISSING"},
               {202, "CUCORE_ERROR_DRIVER_TOO_OLD"},
               {203, "CUCORE_ERROR_NO_DEVICE"},
               {204, "CUCORE_ERROR_OUT_OF_MEMORY"},
               {205, "CUCORE_ERROR_OUT_OF_DEVICE_MEMORY"},
               {206, "CUCORE_ERROR_IO"},
               {207, "CUCORE_ERROR_NOT_PERMITTED"},
               {301, "CUCORE_ERROR_COMPILATION"},
               {302, "CUCORE_ERROR_LINKING"},
               {303, "CUCORE_ERROR_INVALID_CODE"},
               {304, "CUCORE_ERROR_LAUNCH"},
               {305, "CUCORE_ERROR_KERNEL_FAULT"},
               {306, "CUCORE_ERROR_SIGNATURE"},
               {401, "CUCORE_ERROR_NOT_READY"},
               {901, "CUCORE_ERROR_CUDA"},
               {902, "CUCORE_ERROR_INTERNAL"}};
  for (const auto& [number, name] : names)
    EXPECT_STREQ(cucore_status_name(static_cast<cucore_status>(number)), name);
  for (const int number : {1, -1, 100, 903, 0x7fffffff})
    EXPECT_STREQ(cucore_status_name(static_cast<cucore_status>(number)), "CUCORE_STATUS_UNKNOWN");
}

TEST(Errors, OfOurOwnHaveNoNativeCode) {
  const Error error(some_error());
  EXPECT_EQ(cucore_error_status(error), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(cucore_error_message(error), "out must not be NULL");
  EXPECT_STREQ(cucore_error_origin(error), "cucore");
  EXPECT_EQ(cucore_error_native_code(error), 0);
  EXPECT_STREQ(cucore_error_native_name(error), "");
  EXPECT_STREQ(cucore_error_log(error), "");
}

TEST(Errors, AreCounted) {
  cucore_error* error = some_error();
  EXPECT_EQ(cucore_error_retain(error), error);
  cucore_error_release(error);
  EXPECT_STREQ(cucore_error_message(error), "out must not be NULL");
  cucore_error_release(error);
  EXPECT_STREQ(cucore_error_message(error), "");
  EXPECT_EQ(cucore_error_status(error), CUCORE_OK);
  cucore_error_release(error);  // once too often: does nothing
}

TEST(Errors, AreOverwrittenAndNotReleased) {
  const Error first(some_error());
  cucore_error* place = first;
  EXPECT_NE(cucore_device_count(nullptr, &place), CUCORE_OK);
  const Error second(place);
  EXPECT_NE(first.get(), second.get());
  EXPECT_STREQ(cucore_error_message(first), "out must not be NULL");
}

TEST(Errors, SuccessLeavesNull) {
  cucore_error* place = garbage();
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  ASSERT_EQ(cucore_library_query(CUCORE_LIBRARY_NVJITLINK, &info, &place), CUCORE_OK);
  EXPECT_EQ(place, nullptr);
}

class ErrorsOfTheDriver : public OnDevice {};

TEST_F(ErrorsOfTheDriver, CarryItsCodeAndName) {
  NEEDS_FAKE_DRIVER();
  fake_->fail_call("cuStreamCreateWithPriority", 1, 999);
  cucore_stream* stream = nullptr;
  Error error;
  EXPECT_EQ(cucore_stream_create(device_, nullptr, &stream, error.out()), CUCORE_ERROR_CUDA);
  EXPECT_STREQ(cucore_error_origin(error), "cuda");
  EXPECT_EQ(cucore_error_native_code(error), 999);
  EXPECT_STREQ(cucore_error_native_name(error), "CUDA_ERROR_UNKNOWN");
  EXPECT_TRUE(contains(cucore_error_message(error), "create a stream on device 0"))
      << cucore_error_message(error);
}

TEST_F(ErrorsOfTheDriver, MapToTheStatusThatAUserActsOn) {
  NEEDS_FAKE_DRIVER();
  const struct {
    int32_t native;
    cucore_status status;
  } cases[] = {{2, CUCORE_ERROR_OUT_OF_DEVICE_MEMORY},
               {700, CUCORE_ERROR_KERNEL_FAULT},
               {716, CUCORE_ERROR_KERNEL_FAULT},
               {719, CUCORE_ERROR_KERNEL_FAULT},
               {801, CUCORE_ERROR_UNSUPPORTED},
               {4, CUCORE_ERROR_INVALID_STATE},
               {12345, CUCORE_ERROR_CUDA}};
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.interprocess = 1;  // always one of the driver's own
  for (const auto& [native, status] : cases) {
    fake_->fail_call("cuEventCreate", 1, native);
    cucore_event* event = nullptr;
    Error error;
    EXPECT_EQ(cucore_event_create(device_, &options, &event, error.out()), status) << native;
    EXPECT_EQ(event, nullptr);
    EXPECT_EQ(cucore_error_native_code(error), native);
    EXPECT_NE(std::string(cucore_error_message(error)), "");
  }
}

}  // namespace
