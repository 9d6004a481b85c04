// SPDX-License-Identifier: Apache-2.0
// Work on streams whose capture another thread is ending: the session has closed its gate, and the
// driver still captures.
#include "core/objects/captured_work.hpp"

#include "core/graph/capture.hpp"
#include "loading_testing.hpp"

namespace cucore::core {
namespace {

class CapturedWorks : public LoadingTest {
 protected:
  void SetUp() override {
    LoadingTest::SetUp();
    if (!device_) return;
    origin_ = Stream::create(*device_, true, 0);
    fork_ = Stream::create(*device_, true, 0);
    begin_capture(*origin_, {});
    fork_->wait(*origin_);
    origin_->wait(*fork_);
    session_ = find_capture(origin_->begun_capture());
    ASSERT_TRUE(session_);
  }
  void TearDown() override {
    if (origin_) abort_capture(*origin_);
  }

  static void expect_refused(const Stream& stream) {
    expect_error(
        Status::INVALID_STATE,
        "cannot add work to a stream of device 0, because another thread ends its capture; "
        "add the work before the end, or after it",
        [&] { const CapturedWork work(stream); });
  }
  void expect_taken(const Stream& stream) const {
    const CapturedWork work(stream);
    EXPECT_TRUE(work.is_captured());
    EXPECT_EQ(work.capture(), session_->id());
  }

  Ref<Stream> origin_, fork_;
  Ref<CaptureSession> session_;
};

TEST_F(CapturedWorks, AreTakenWhileTheGateIsOpen) {
  expect_taken(*origin_);
  expect_taken(*fork_);
}

TEST_F(CapturedWorks, AreRefusedAtTheEndOfTheCapture) {
  session_->close_gate();
  expect_refused(*origin_);
  expect_refused(*fork_);
  session_->open_gate();  // the driver has refused the end
  expect_taken(*origin_);
  expect_taken(*fork_);
}

TEST_F(CapturedWorks, AreNodesOfCapturesOfOtherCode) {
  remove_capture(*session_);  // as if other code had begun it
  expect_taken(*fork_);
  add_capture(session_);
}

}  // namespace
}  // namespace cucore::core
