// SPDX-License-Identifier: Apache-2.0
// The conversion of a driver's result: status, message, origin; every result is covered.
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "driver/cuda.hpp"
#include "fakes/fake_client.hpp"
#include "own_process.hpp"
#include "support/log.hpp"

namespace cucore::driver::test {
namespace {

Error caught(CUresult result, const char* what) {
  try {
    check(result, what);
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::OK, "");
}

TEST(CudaError, EveryResultOfTheHeaderHasALine) {
  if (CUDA_VERSION != 13000) GTEST_SKIP() << "the table is of CUDA 13.0's header";
  std::set<std::string> known;
#define RESULT(name, status, advice) EXPECT_TRUE(known.insert(#name).second) << #name;
#include "driver/error_map.inc"
#undef RESULT
  std::ifstream header(CUDA_H);
  const std::string text{std::istreambuf_iterator<char>(header), {}};
  const size_t begin = text.find("typedef enum cudaError_enum");
  ASSERT_NE(begin, std::string::npos) << CUDA_H;
  const std::string results = text.substr(begin, text.find("} CUresult;") - begin);
  const std::regex line(R"(\n\s+(CUDA_ERROR_\w+)\s*=)");
  std::set<std::string> declared;
  for (std::sregex_iterator it(results.begin(), results.end(), line), end; it != end; ++it)
    declared.insert((*it)[1]);
  EXPECT_GT(declared.size(), 90u);
  EXPECT_EQ(known, declared);
}

TEST(CudaError, TheMessageSaysWhatWasAttemptedAndWhy) {
  if (!own_process({{"CUCORE_DRIVER", fake::path("fake_driver")}})) return;
  cuda();
  const Error error = caught(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "load object code 'saxpy'");
  EXPECT_EQ(error.status(), Status::INVALID_CODE);
  EXPECT_EQ(error.message(),
            "load object code 'saxpy': CUDA_ERROR_UNSUPPORTED_PTX_VERSION (as the fake driver was "
            "told); the PTX is newer than the driver: update the driver, or compile to CUBIN");
  EXPECT_STREQ(error.origin().library, "cuda");
  EXPECT_EQ(error.origin().code, 222);
  EXPECT_EQ(error.origin().name, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
}

TEST(CudaError, NothingIsDescribedThatDidNotFail) {
  int described = 0;
  const auto describe = [&] {
    ++described;
    return std::string("copy 16 bytes");
  };
  check(CUDA_SUCCESS, describe);
  EXPECT_EQ(described, 0);
  const Thrown failure = thrown([&] { check(CUDA_ERROR_INVALID_VALUE, describe); });
  EXPECT_EQ(described, 1);
  EXPECT_EQ(failure.message, "copy 16 bytes: CUDA_ERROR_INVALID_VALUE");
}

TEST(CudaError, AFaultSaysHowToGoOn) {
  for (const CUresult fault :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ECC_UNCORRECTABLE}) {
    const Error error = caught(fault, "wait for a stream");
    EXPECT_EQ(error.status(), Status::KERNEL_FAULT);
    EXPECT_TRUE(is_sticky(fault));
    EXPECT_TRUE(has(error.message(), "cucore_device_reset")) << error.message();
    EXPECT_TRUE(has(error.message(), "wait for a stream: CUDA_ERROR_")) << error.message();
    EXPECT_EQ(error.message().starts_with("an earlier kernel broke the context"),
              fault != CUDA_ERROR_ECC_UNCORRECTABLE)
        << error.message();
  }
  EXPECT_FALSE(is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(is_sticky(CUDA_SUCCESS));
}

TEST(CudaError, TheCpuDeviceSaysWhereTheFaultWas) {
  const Folder folder;
  const std::string path = folder.add("fake_driver_cpu", "libcucore-cpu.so");
  if (!own_process({{"CUCORE_DRIVER", path}})) return;
  const fake::Client fake(cuda().path);
  fake.set_fault_text("kernel k, block (0,0,0), thread (7,0,0): reads 4 bytes at 0x10");
  EXPECT_FALSE(has(caught(CUDA_ERROR_ILLEGAL_ADDRESS, "wait").message(), "thread (7,0,0)"))
      << "no context has been made yet, so none can have faulted";
  CUcontext context = nullptr;
  ASSERT_EQ(cuda().cuDevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
  const std::string message = caught(CUDA_ERROR_ILLEGAL_ADDRESS, "wait").message();
  EXPECT_EQ(message.find("an earlier kernel broke the context: kernel k, block (0,0,0), thread "
                         "(7,0,0): reads 4 bytes at 0x10; found by the attempt to wait: "
                         "CUDA_ERROR_ILLEGAL_ADDRESS"),
            0u)
      << message;
  EXPECT_TRUE(has(message, "; call cucore_device_reset")) << message;
  EXPECT_FALSE(has(message, "lineinfo")) << message;
  EXPECT_EQ(fake.live_objects("context_reference"), 1u) << "as before";
  fake.set_fault_text("kernel 'k' block (0,0,0) thread (7,0,0): trap; at PTX line 34");
  EXPECT_TRUE(
      has(caught(CUDA_ERROR_LAUNCH_FAILED, "wait").message(),
          "at PTX line 34 (for the source line, compile with cucore_program_options.lineinfo)"));
  fake.set_fault_text("kernel 'k' block (0,0,0) thread (7,0,0): trap; at k.cu:3 (PTX line 34)");
  EXPECT_FALSE(has(caught(CUDA_ERROR_LAUNCH_FAILED, "wait").message(), "lineinfo"));
  fake.set_fault_text("copy: source: illegal address: 16 bytes");
  EXPECT_EQ(caught(CUDA_ERROR_ILLEGAL_ADDRESS, "wait").message().find("earlier work broke"), 0u);
  EXPECT_FALSE(is_sticky(CUDA_ERROR_NOT_SUPPORTED));
  fake.set_fault_text("kernel 'k' block (0,0,0) thread (0,0,0): instruction not implemented: x");
  EXPECT_TRUE(is_sticky(CUDA_ERROR_NOT_SUPPORTED));
  EXPECT_TRUE(has(caught(CUDA_ERROR_NOT_SUPPORTED, "wait").message(), "not implemented: x"));
  EXPECT_FALSE(has(caught(CUDA_ERROR_INVALID_VALUE, "wait").message(), "thread (7,0,0)"));
}

TEST(CudaError, AResultOfALaterDriverIsStillAnError) {
  const auto unknown = static_cast<CUresult>(4242);
  const Error error = caught(unknown, "launch");
  EXPECT_EQ(error.status(), Status::CUDA);
  EXPECT_EQ(error.message(), "launch: CUresult 4242");
  EXPECT_EQ(error.origin().code, 4242);
  EXPECT_EQ(status_of(unknown), Status::CUDA);
}

TEST(CudaError, ReleasesAreSilentOnlyAboutWhatIsGoneOrBroken) {
  std::string said;
  log_set_receiver(
      [](LogLevel level, const char* text, void* to) {
        EXPECT_EQ(level, LogLevel::ERROR);
        *static_cast<std::string*>(to) += text;
      },
      LogLevel::DEBUG, &said, nullptr);
  check_release(CUDA_SUCCESS, "destroy a stream");
  check_release(CUDA_ERROR_DEINITIALIZED, "destroy a stream");
  check_release(CUDA_ERROR_CONTEXT_IS_DESTROYED, "destroy a stream");
  check_release(CUDA_ERROR_ILLEGAL_ADDRESS, "destroy a stream");
  EXPECT_EQ(said, "");
  check_release(CUDA_ERROR_INVALID_VALUE, "destroy a stream");
  EXPECT_TRUE(has(said, "destroy a stream: CUDA_ERROR_INVALID_VALUE")) << said;
  check_release(static_cast<CUresult>(4242), "destroy a stream");
  EXPECT_TRUE(has(said, "4242")) << said;
  log_set_receiver(nullptr, LogLevel::ERROR, nullptr, nullptr);
}

TEST(CudaError, VersionsAreWrittenAsUsersKnowThem) {
  EXPECT_EQ(version_text(12040), "12.4");
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(11080), "11.8");
}

}  // namespace
}  // namespace cucore::driver::test
