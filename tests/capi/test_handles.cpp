// SPDX-License-Identifier: Apache-2.0
// Handles: counted, one per object, dead once released, and not reused for some time.
#include <chrono>
#include <set>
#include <thread>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

TEST(Handles, AreCounted) {
  cucore_program* program = nullptr;
  SUCCEEDS(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, nullptr, &program);
  EXPECT_EQ(cucore_program_retain(program), program);
  cucore_program_release(program);
  EXPECT_EQ(cucore_program_backend(program), CUCORE_BACKEND_NVRTC);
  cucore_program_release(program);
  EXPECT_EQ(cucore_program_backend(program), 0);
  for (int i = 0; i < 10; ++i) cucore_program_release(program);  // once too often: does nothing
  EXPECT_EQ(cucore_program_retain(program), program);            // a dead handle stays dead
  EXPECT_EQ(cucore_program_backend(program), 0);
}

TEST(Handles, RestAfterTheirRelease) {
  cucore_program* released = make_program("").get();
  ASSERT_EQ(cucore_program_backend(released), 0);
  for (int i = 0; i < 4095; ++i) {
    const Program other = make_program("");
    ASSERT_NE(other.get(), released) << "given out again after " << i << " releases";
  }
  EXPECT_EQ(cucore_program_backend(released), 0);
}

TEST(Handles, AreUsedAgainSomeTime) {
  std::set<cucore_program*> handles;
  for (int i = 0; i < 30000; ++i) handles.insert(make_program("").get());
  EXPECT_LT(handles.size(), 20000u);
}

class LiveHandles : public OnDevice {};

TEST_F(LiveHandles, OfOneObjectAreOne) {
  const Code code = make_ptx_code();
  const Kernel first = find_kernel(code, "saxpy"), second = find_kernel(code, "saxpy"),
               other = find_kernel(code, "empty");
  EXPECT_EQ(first.get(), second.get());
  EXPECT_NE(first.get(), other.get());
}

TEST_F(LiveHandles, ChildrenKeepTheirParents) {
  Kernel kernel = find_kernel(make_ptx_code(), "empty");
  const cucore_launch_options options = grid(1, 1);
  SUCCEEDS(cucore_kernel_launch, kernel, stream_, &options, nullptr, 0);
  if (!fake_) return;
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 0u);
  kernel.reset();
  for (int i = 0; i < 20000 && fake_->call_count("cuLibraryUnload") == 0; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  EXPECT_EQ(fake_->call_count("cuLibraryUnload"), 1u);
}

TEST_F(LiveHandles, GoInAnyOrder) {
  Device device = open_device();
  Stream stream = make_stream(device);
  Event event = make_event(device);
  Buffer buffer = make_buffer(device, 16, stream);
  device.reset();
  stream.reset();
  SUCCEEDS(cucore_event_query, event, [] {
    static int32_t done;
    return &done;
  }());
  EXPECT_EQ(cucore_buffer_size(buffer), 16u);
}

}  // namespace
