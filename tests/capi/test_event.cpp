// SPDX-License-Identifier: Apache-2.0
// Events: created unrecorded, recorded repeatedly, and the four cases in which two have no time
// between them.
#include <set>
#include <string>
#include <vector>

#include "capi_testing.hpp"
#include "support/idle_events.hpp"

namespace {

using namespace capi_test;

class Events : public OnDevice {};

std::string elapsed_message(const cucore_event* start, const cucore_event* end,
                            cucore_status expected) {
  float milliseconds = 7;
  Error error;
  EXPECT_EQ(cucore_event_elapsed(start, end, &milliseconds, error.out()), expected);
  EXPECT_EQ(milliseconds, 0);
  EXPECT_EQ(cucore_event_elapsed(start, end, &milliseconds, nullptr), expected);
  return cucore_error_message(error);
}

TEST_F(Events, HaveFourBadStatesWithFourMessages) {
  const Event plain = make_event(device_), start = make_event(device_, true),
              end = make_event(device_, true);
  SUCCEEDS(cucore_event_record, plain, stream_);
  std::set<std::string> messages;
  const auto expect = [&](const cucore_event* from, const cucore_event* to, cucore_status status,
                          const char* part) {
    const std::string message = elapsed_message(from, to, status);
    EXPECT_TRUE(contains(message, part)) << message;
    messages.insert(message);
  };
  expect(plain, end, CUCORE_ERROR_INVALID_STATE, "without timing");
  expect(start, end, CUCORE_ERROR_INVALID_STATE, "never recorded");
  if (!fake_) return;
  const Device other = open_device(1);
  const Event there = make_event(other, true);
  SUCCEEDS(cucore_event_record, there, make_stream(other));
  SUCCEEDS(cucore_event_record, start, stream_);
  expect(start, there, CUCORE_ERROR_INVALID_STATE, "different devices");
  fake_->hold_streams(1);
  SUCCEEDS(cucore_event_record, end, stream_);
  expect(start, end, CUCORE_ERROR_NOT_READY, "not complete");
  fake_->hold_streams(0);
  EXPECT_EQ(messages.size(), 4u);
}

TEST_F(Events, SayWhichOfTheTwoIsMeant) {
  const Event start = make_event(device_, true), end = make_event(device_, true);
  EXPECT_TRUE(contains(elapsed_message(start, end, CUCORE_ERROR_INVALID_STATE), "both events"));
  SUCCEEDS(cucore_event_record, start, stream_);
  EXPECT_TRUE(contains(elapsed_message(start, end, CUCORE_ERROR_INVALID_STATE), "the end event"));
  EXPECT_TRUE(contains(elapsed_message(end, start, CUCORE_ERROR_INVALID_STATE), "the start event"));
}

TEST_F(Events, MeasureTime) {
  const Event start = make_event(device_, true), end = make_event(device_, true);
  SUCCEEDS(cucore_event_record, start, stream_);
  SUCCEEDS(cucore_event_record, end, stream_);
  SUCCEEDS(cucore_event_synchronize, end);
  float milliseconds = -1;
  SUCCEEDS(cucore_event_elapsed, start, end, &milliseconds);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Events, NeverRecordedAreComplete) {
  const Event event = make_event(device_);
  int32_t done = 0;
  SUCCEEDS(cucore_event_query, event, &done);
  EXPECT_EQ(done, 1);
  SUCCEEDS(cucore_event_synchronize, event);
}

TEST_F(Events, AreRecordedAgainOnAnyStreamOfTheDevice) {
  const Event event = make_event(device_);
  const Stream other = make_stream(device_);
  Stream legacy;
  SUCCEEDS(cucore_device_default_stream, device_, CUCORE_DEFAULT_STREAM_LEGACY, legacy.out());
  for (const cucore_stream* stream : {stream_.get(), other.get(), legacy.get(), stream_.get()})
    SUCCEEDS(cucore_event_record, event, stream);
  SUCCEEDS(cucore_event_synchronize, event);
}

TEST_F(Events, TellWhetherTheyAreComplete) {
  NEEDS_FAKE_DRIVER();
  const Event event = make_event(device_);
  fake_->hold_streams(1);
  SUCCEEDS(cucore_event_record, event, stream_);
  int32_t done = 7;
  SUCCEEDS(cucore_event_query, event, &done);
  EXPECT_EQ(done, 0);
  fake_->hold_streams(0);
  SUCCEEDS(cucore_event_query, event, &done);
  EXPECT_EQ(done, 1);
}

TEST_F(Events, KnowHowTheyWereMade) {
  EXPECT_EQ(cucore_event_has_timing(make_event(device_)), 0);
  const Event timed = make_event(device_, true);
  EXPECT_EQ(cucore_event_has_timing(timed), 1);
  EXPECT_NE(cucore_event_native(timed), nullptr);
  EXPECT_EQ(cucore_event_is_blocking_sync(timed), 0);
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.blocking_sync = 1;
  Event sleeping;
  SUCCEEDS(cucore_event_create, device_, &options, sleeping.out());
  EXPECT_EQ(cucore_event_is_blocking_sync(sleeping), 1);
  Device device;
  SUCCEEDS(cucore_event_device, timed, device.out());
  EXPECT_EQ(device.get(), device_.get());
}

TEST_F(Events, RefuseOptionsOutOfRange) {
  cucore_event* event = nullptr;
  const struct {
    int32_t cucore_event_options::*field;
    const char* name;
  } fields[] = {{&cucore_event_options::timing, "timing"},
                {&cucore_event_options::blocking_sync, "blocking_sync"},
                {&cucore_event_options::interprocess, "interprocess"},
                {&cucore_event_options::reserved, "reserved"}};
  for (const auto& [field, name] : fields)
    for (const int32_t value : {2, -1}) {
      cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
      options.*field = value;
      FAILS(CUCORE_ERROR_INVALID_ARGUMENT, name, cucore_event_create, device_, &options, &event);
    }
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = options.interprocess = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "interprocess|timing", cucore_event_create, device_,
        &options, &event);
  options.timing = 0;
  options.blocking_sync = 1;
  if (is_emulated()) return;
  Event made;
  SUCCEEDS(cucore_event_create, device_, &options, made.out());
}

TEST_F(Events, AFailedRecordIsNoRecord) {
  NEEDS_FAKE_DRIVER();
  const Event start = make_event(device_, true);
  fake_->fail_call("cuEventRecord", 1, 999);
  FAILS_ONCE(CUCORE_ERROR_CUDA, "record an event", cucore_event_record, start, stream_);
  EXPECT_TRUE(
      contains(elapsed_message(start, start, CUCORE_ERROR_INVALID_STATE), "never recorded"));
}

// All that the library keeps of this form, so that each new event shows whether another was kept.
std::vector<Event> take_idle_events(const cucore_device* device, bool timing) {
  std::vector<Event> taken;
  for (uint64_t i = 0; i < test_support::IDLE_EVENTS_OF_ONE_KIND; ++i)
    taken.push_back(make_event(device, timing));
  return taken;
}

TEST_F(Events, AreMadeOfReleasedOnesWithoutTheDriver) {
  NEEDS_FAKE_DRIVER();
  const Event timed = make_event(device_, true);
  for (int i = 0; i < 100; ++i) {
    const Event event = make_event(device_, true);
    SUCCEEDS(cucore_event_record, event, stream_);
    if (i % 3 == 0) {
      SUCCEEDS(cucore_event_synchronize, event);
    } else if (i % 3 == 1) {
      int32_t done = 0;
      SUCCEEDS(cucore_event_query, event, &done);
    } else {
      float milliseconds = 0;
      SUCCEEDS(cucore_event_record, timed, stream_);
      SUCCEEDS(cucore_event_elapsed, event, timed, &milliseconds);
    }
  }
  EXPECT_EQ(fake_->call_count("cuEventCreate"), 0u);
  EXPECT_EQ(fake_->call_count("cuEventDestroy"), 0u);
}

TEST_F(Events, MayBeMoreThanTheLibraryKeeps) {
  NEEDS_FAKE_DRIVER();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 3 * test_support::IDLE_EVENTS_OF_ONE_KIND; ++i)
    events.push_back(make_event(device_));
  events.clear();
  EXPECT_EQ(fake_->call_count("cuEventDestroy"), 2 * test_support::IDLE_EVENTS_OF_ONE_KIND);
}

// A new event is complete and measures nothing, whatever the released one was used for.
TEST_F(Events, WithWorkAreNotMadeAgain) {
  NEEDS_FAKE_DRIVER();
  const auto taken = take_idle_events(device_, false);
  const struct {
    const char* name;
    void (*use)(cucore_event*, const cucore_stream*);
  } uses[] = {
      {"pending", [](cucore_event* event,
                     const cucore_stream* stream) { MUST(cucore_event_record, event, stream); }},
      {"queried while it was pending",
       [](cucore_event* event, const cucore_stream* stream) {
         int32_t done = 7;
         MUST(cucore_event_record, event, stream);
         MUST(cucore_event_query, event, &done);
         EXPECT_EQ(done, 0);
       }},
      {"handed out", [](cucore_event* event,
                        const cucore_stream*) { EXPECT_NE(cucore_event_native(event), nullptr); }},
  };
  fake_->hold_streams(1);
  for (const auto& [name, use] : uses) {
    SCOPED_TRACE(name);
    use(make_event(device_), stream_);
    const auto made = fake_->call_count("cuEventCreate");
    const Event next = make_event(device_);
    EXPECT_EQ(fake_->call_count("cuEventCreate"), made + 1);
    int32_t done = 0;
    SUCCEEDS(cucore_event_query, next, &done);
    EXPECT_EQ(done, 1);
    MUST(cucore_event_record, next, stream_);  // not kept either
  }
  fake_->hold_streams(0);
}

TEST_F(Events, RecordedAgainAfterAWaitAreNotMadeAgain) {
  NEEDS_FAKE_DRIVER();
  const auto taken = take_idle_events(device_, false);
  Event event = make_event(device_);
  SUCCEEDS(cucore_event_record, event, stream_);
  SUCCEEDS(cucore_event_synchronize, event);
  fake_->hold_streams(1);
  SUCCEEDS(cucore_event_record, event, stream_);
  event.reset();
  int32_t done = 0;
  SUCCEEDS(cucore_event_query, make_event(device_), &done);
  EXPECT_EQ(done, 1);
  fake_->hold_streams(0);
}

TEST_F(Events, AreMadeOfThoseWithTheSameOptions) {
  NEEDS_FAKE_DRIVER();
  const auto plain = take_idle_events(device_, false);
  make_event(device_, true).reset();
  const Event event = make_event(device_);
  EXPECT_EQ(fake_->call_count("cuEventCreate"), 1u);
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.interprocess = 1;
  Event shared;
  SUCCEEDS(cucore_event_create, device_, &options, shared.out());
  shared.reset();
  EXPECT_EQ(fake_->call_count("cuEventDestroy"), 1u);
}

// The driver finds the context by the handles; one that does not is called again with the context.
TEST_F(Events, NeedNoCurrentContextButGetOneIfTheDriverDoes) {
  NEEDS_FAKE_DRIVER();
  constexpr int INVALID_CONTEXT = 201;
  const Event event = make_event(device_);
  int32_t done = 0;
  fake_->reset();
  MUST(cucore_event_record, event, stream_);
  MUST(cucore_event_query, event, &done);
  EXPECT_EQ(fake_->log(), (std::vector<std::string>{"cuEventRecord", "cuEventQuery"}));
  for (const char* call : {"cuEventRecord", "cuEventQuery", "cuEventSynchronize"})
    fake_->fail_call(call, 1, INVALID_CONTEXT);
  SUCCEEDS(cucore_event_record, event, stream_);
  SUCCEEDS(cucore_event_query, event, &done);
  EXPECT_EQ(done, 1);
  SUCCEEDS(cucore_event_synchronize, event);
}

}  // namespace
