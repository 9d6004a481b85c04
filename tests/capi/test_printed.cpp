// SPDX-License-Identifier: Apache-2.0
// The cost of writing the output of kernels: one call of the driver per piece of work, and none if
// no launched code can print. Tests on devices check that the output is written.
#include "completion_testing.hpp"

namespace capi_test {
namespace {

class PrintedCalls : public WithQueue {
 protected:
  void SetUp() override {
    WithQueue::SetUp();
    if (!IsSkipped()) event_ = make_event(device_);
  }
  void TearDown() override {
    event_.reset();
    WithQueue::TearDown();
  }

  Code make_printing_code() const {
    const std::string text =
        std::string(PTX, PTX_SIZE) +
        "\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";
    return make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
  }
  void launch(const cucore_objectcode* code, const cucore_stream* stream) const {
    const cucore_launch_options options = grid(1, 1);
    MUST(cucore_kernel_launch, find_kernel(code, "empty"), stream, &options, nullptr, 0);
  }
  void query_stream(const cucore_stream* stream) const {
    int32_t done = 0;
    MUST(cucore_stream_query, stream, &done);
    EXPECT_EQ(done, 1);
  }
  void query_event() const {
    int32_t done = 0;
    MUST(cucore_event_query, event_, &done);
    EXPECT_EQ(done, 1);
  }
  // Returns how many calls of the driver wait, and so write, in `calls`.
  template <class Calls>
  uint64_t writes(Calls&& calls) const {
    const auto count = [this] {
      return fake_->call_count("cuStreamSynchronize") + fake_->call_count("cuEventSynchronize");
    };
    const uint64_t before = count();
    calls();
    return count() - before;
  }

  Event event_;
};

TEST_F(PrintedCalls, AreNoneForCodeThatCannotPrint) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_device_reset, device_);  // independent of earlier launches
  const Stream stream = make_stream(device_);
  event_ = make_event(device_);
  const Code code = make_ptx_code();
  EXPECT_EQ(writes([&] {
              for (int i = 0; i < 10; ++i) {
                launch(code, stream);
                MUST(cucore_event_record, event_, stream);
                query_stream(stream);
                query_event();
                MUST(cucore_future_wait, make_future(stream, queue_, 1), TEN_SECONDS);
              }
            }),
            0u);
}

// A wait for other work makes the stream forget that its output was written.
TEST_F(PrintedCalls, AreNoneAfterAWaitForCodeThatCannotPrint) {
  NEEDS_FAKE_DRIVER();
  SUCCEEDS(cucore_device_reset, device_);
  const Stream stream = make_stream(device_), other = make_stream(device_);
  event_ = make_event(device_);
  const Code code = make_ptx_code();
  launch(code, other);
  SUCCEEDS(cucore_event_record, event_, other);
  SUCCEEDS(cucore_stream_wait_event, stream, event_);
  EXPECT_EQ(writes([&] { query_stream(stream), query_event(); }), 0u);
}

TEST_F(PrintedCalls, AreOneForEachPieceOfWork) {
  NEEDS_FAKE_DRIVER();
  const Code code = make_printing_code();
  const Stream stream = make_stream(device_);
  for (int i = 0; i < 10; ++i) {
    launch(code, stream);
    query_stream(stream);
    EXPECT_EQ(writes([&] { query_stream(stream); }), 0u) << "nothing new";
    launch(code, stream);
    fake_->hold_streams(1);
    int32_t done = 1;
    EXPECT_EQ(writes([&] { MUST(cucore_stream_query, stream, &done); }), 0u) << "not done yet";
    EXPECT_EQ(done, 0);
    fake_->hold_streams(0);
    EXPECT_EQ(writes([&] { query_stream(stream), query_stream(stream); }), 1u);
    launch(code, stream);
    MUST(cucore_event_record, event_, stream);
    EXPECT_EQ(writes([&] { query_event(), query_event(); }), 1u);
    EXPECT_EQ(
        writes([&] { MUST(cucore_future_wait, make_future(stream, queue_, 1), TEN_SECONDS); }), 1u);
  }
  launch(code, stream);
  SUCCEEDS(cucore_stream_synchronize, stream);
  EXPECT_EQ(writes([&] { query_stream(stream); }), 0u) << "the wait has written it";
}

// The library does not see launches through a native handle.
TEST_F(PrintedCalls, AreMadeForStreamsThatOthersUse) {
  NEEDS_FAKE_DRIVER();
  const Stream stream = make_stream(device_);
  ASSERT_NE(cucore_stream_native(stream), nullptr);
  EXPECT_EQ(writes([&] { query_stream(stream); }), 1u);
  const Stream waiting = make_stream(device_);
  SUCCEEDS(cucore_stream_wait_stream, waiting, stream);
  EXPECT_EQ(writes([&] { query_stream(waiting); }), 1u);
}

}  // namespace
}  // namespace capi_test
