// SPDX-License-Identifier: Apache-2.0
// Tools for all tests of the public header: owners of handles, one-line checks of success and
// failure, and a kernel without a compiler. They also open the scripted driver if the environment
// names one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cucore.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_client.hpp"

// Functions of AddressSanitizer and ThreadSanitizer; null without them.
extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace capi_test {

// An owner of cucore.hpp that functions of C take as their handle.
template <class Object>
class Owned : public Object {
 public:
  using Handle = typename Object::handle_type;
  Owned() = default;
  explicit Owned(Handle* handle) { this->reset(handle); }
  operator Handle*() const { return this->get(); }
};

using Error = Owned<cucore::Error>;
using Device = Owned<cucore::Device>;
using Stream = Owned<cucore::Stream>;
using Event = Owned<cucore::Event>;
using Pool = Owned<cucore::Pool>;
using Buffer = Owned<cucore::Buffer>;
using Program = Owned<cucore::Program>;
using Linker = Owned<cucore::Linker>;
using Code = Owned<cucore::ObjectCode>;
using Kernel = Owned<cucore::Kernel>;
using PreparedLaunch = Owned<cucore::PreparedLaunch>;
using Graph = Owned<cucore::Graph>;
using Executable = Owned<cucore::Executable>;
using External = Owned<cucore::External>;
using Cache = Owned<cucore::Cache>;
using Queue = Owned<cucore::Queue>;
using Future = Owned<cucore::Future>;
using Checks = Owned<cucore::Checks>;
using Observer = Owned<cucore::Observer>;

std::string describe(cucore_status status, const cucore_error* error);
bool contains(const std::string& text, const std::string& part);

// Tests that the call succeeds and leaves no error, in both forms that a caller may choose.
testing::AssertionResult succeeded(cucore_status status, const cucore_error* error);

// Tests that the call fails with this status. The error has the same status, and its message
// contains all of the parts, which '|' separates.
testing::AssertionResult failed(cucore_status status, const cucore_error* error,
                                cucore_status expected, const std::string& parts);

// The content of error before a call: overwritten, never read.
inline cucore_error* garbage() { return reinterpret_cast<cucore_error*>(uintptr_t{0x5a5a}); }

#define SUCCEEDS(function, ...)                                           \
  do {                                                                    \
    cucore_error* error_ = capi_test::garbage();                          \
    const cucore_status status_ = function(__VA_ARGS__, &error_);         \
    ASSERT_TRUE(capi_test::succeeded(status_, error_)) << "  " #function; \
  } while (0)

#define FAILS_ONCE(expected, parts, function, ...)                                      \
  do {                                                                                  \
    cucore_error* error_ = capi_test::garbage();                                        \
    const cucore_status status_ = function(__VA_ARGS__, &error_);                       \
    EXPECT_TRUE(capi_test::failed(status_, error_, expected, parts)) << "  " #function; \
    cucore_error_release(error_);                                                       \
  } while (0)

// Makes the call twice, the second time without an error output.
#define FAILS(expected, parts, function, ...)            \
  do {                                                   \
    FAILS_ONCE(expected, parts, function, __VA_ARGS__);  \
    EXPECT_EQ(function(__VA_ARGS__, nullptr), expected); \
  } while (0)

// For helpers: a failure is an exception, which GoogleTest reports.
#define MUST(function, ...)                                                            \
  do {                                                                                 \
    capi_test::Error error_;                                                           \
    const cucore_status status_ = function(__VA_ARGS__, error_.out());                 \
    if (status_ != CUCORE_OK)                                                          \
      throw std::runtime_error(#function ": " + capi_test::describe(status_, error_)); \
  } while (0)

// saxpy(f32 a, u64 x, u64 y, u32 n), empty(), mixed(u8, u64, u16, u32) and the variable counter.
extern const char PTX[];
extern const size_t PTX_SIZE;
extern const char SAXPY_SOURCE[];  // the same saxpy in CUDA C++, extern "C"

Device open_device(int32_t ordinal = 0);
Stream make_stream(const cucore_device* device);
Event make_event(const cucore_device* device, bool timing = false);
Buffer make_buffer(const cucore_device* device, size_t size, const cucore_stream* stream);
Pool make_pool(const cucore_device* device);
Graph make_graph(const cucore_device* device);
Executable make_executable(const cucore_graph* graph);
Code make_code(cucore_code_type type, const void* data, size_t size);
Code make_ptx_code();
Kernel find_kernel(const cucore_objectcode* code, const char* name);
Program make_program(const std::string& source, const cucore_program_options* options = nullptr);
Code compile(const cucore_program* program, cucore_code_type target = CUCORE_CODE_TYPE_PTX,
             const std::vector<const char*>& expressions = {});
std::string bytes_of(const cucore_objectcode* code);
std::vector<unsigned char> serialized(const cucore_objectcode* code,
                                      const cucore_serialize_options* options = nullptr);
cucore_launch_options grid(uint32_t blocks, uint32_t threads);
// Of a kernel without parameters.
PreparedLaunch prepare(const cucore_kernel* kernel, const cucore_stream* stream);
// Launches the PTX's saxpy on four elements, with x also as y.
cucore_status launch_saxpy(const cucore_kernel* saxpy, const cucore_stream* stream,
                           const cucore_buffer* x, cucore_error** error);

// Returns null if the driver, or the compiler, is a real one.
fake::Client* fake_driver();
fake::Client* fake_nvrtc();
// The options of the last compile of the scripted compiler.
std::vector<std::string> last_options();
bool has_device();
bool has_compiler();
bool is_emulated();
bool has_checks();
// Checks that have ended, because a process has one running object at a time.
Checks make_ended_checks();

#define NEEDS_FAKE_DRIVER() \
  if (!capi_test::fake_driver()) GTEST_SKIP() << "needs the scripted driver"
#define NEEDS_FAKE_COMPILER() \
  if (!capi_test::fake_nvrtc()) GTEST_SKIP() << "needs the scripted compiler"
#define NEEDS_REAL_COMPILER() \
  if (capi_test::fake_nvrtc() || !capi_test::has_compiler()) GTEST_SKIP() << "needs NVRTC"
#define NEEDS_COMPILER() \
  if (!capi_test::has_compiler()) GTEST_SKIP() << "needs a compiler"
#define NEEDS_CHECKS() \
  if (!capi_test::has_checks()) GTEST_SKIP() << "needs a driver with checks"

// A device and a stream. On the scripted driver each test starts from a fresh script. It must leave
// no object behind and make no call that would crash a real driver.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  fake::Client* fake_ = nullptr;
  Device device_;
  Stream stream_;

 private:
  uint64_t alive_ = 0, executables_ = 0;
};

}  // namespace capi_test
