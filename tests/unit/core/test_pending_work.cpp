// SPDX-License-Identifier: Apache-2.0
// The records of pending work, on one thread: the test itself is the query.
#include "core/completion/pending_work.hpp"

#include <map>

#include "loading_testing.hpp"

namespace cucore::core {
namespace {

// Reports the first futures of each stream as ended, as many as the test has set.
class EndedWork final : public CompletionQuery {
 public:
  bool has_ended(const StreamBacklog& backlog, Outcome& outcome) noexcept override {
    if (counts[backlog.stream()] == 0) return false;
    --counts[backlog.stream()];
    outcome = {status, nullptr};
    return true;
  }

  std::map<uint64_t, int> counts;
  Status status = Status::OK;
};

class PendingRecords : public LoadingTest {
 protected:
  void SetUp() override {
    LoadingTest::SetUp();
    if (!device_) return;
    context_ = device_->context();
    queue_ = Queue::create({});
  }

  static CUevent event(uintptr_t number) { return reinterpret_cast<CUevent>(number); }

  Ref<Future> add(uint64_t stream, uint64_t token) { return add(stream, token, queue_); }
  Ref<Future> add(uint64_t stream, uint64_t token, const Ref<Queue>& queue) {
    auto future = make<Future>(queue, token);
    PendingRecord record = work_.open(context_, stream);
    if (!record.event) record.event = event(token);
    EXPECT_TRUE(work_.commit(record, *future));
    return future;
  }

  // The tokens of the completions that are in the queue.
  std::vector<uint64_t> tokens() {
    cucore_completion completions[16];
    const size_t count = queue_->wait(0, completions);
    std::vector<uint64_t> tokens;
    for (size_t i = 0; i < count; ++i) tokens.push_back(completions[i].token);
    return tokens;
  }

  using Tokens = std::vector<uint64_t>;
  Ref<Context> context_;
  Ref<Queue> queue_;
  PendingWork work_;
  EndedWork query_;
};

TEST_F(PendingRecords, AreIncomingUntilTheyAreAbsorbed) {
  EXPECT_TRUE(work_.is_empty());
  EXPECT_FALSE(work_.absorb());
  const auto future = add(1, 10);
  EXPECT_TRUE(work_.has_incoming());
  EXPECT_EQ(work_.any_backlog(), nullptr);
  EXPECT_TRUE(work_.absorb());
  EXPECT_FALSE(work_.has_incoming());
  EXPECT_FALSE(work_.is_empty());
  ASSERT_NE(work_.any_backlog(), nullptr);
  EXPECT_EQ(&work_.any_backlog()->first(), future.get());
  EXPECT_FALSE(work_.absorb());
  query_.counts[1] = 1;
  work_.sweep(query_);
}

TEST_F(PendingRecords, EndInTheOrderOfTheStream) {
  const auto first = add(1, 10), second = add(1, 11), third = add(1, 12);
  query_.counts[1] = 2;
  const auto swept = work_.sweep(query_);
  EXPECT_TRUE(swept.has_news);
  EXPECT_TRUE(swept.has_pending);
  EXPECT_EQ(tokens(), (Tokens{10, 11}));
  EXPECT_FALSE(work_.sweep(query_).has_news);
  query_.counts[1] = 1;
  EXPECT_FALSE(work_.sweep(query_).has_pending);
  EXPECT_EQ(tokens(), Tokens{12});
  EXPECT_TRUE(work_.is_empty());
}

TEST_F(PendingRecords, OfOneStreamDoNotWaitForAnother) {
  const auto slow = add(1, 10), fast = add(2, 20);
  query_.counts[2] = 1;
  EXPECT_TRUE(work_.sweep(query_).has_pending);
  EXPECT_EQ(tokens(), Tokens{20});
  EXPECT_EQ(work_.any_backlog()->stream(), 1u);
  query_.counts[1] = 1;
  EXPECT_FALSE(work_.sweep(query_).has_pending);
}

TEST_F(PendingRecords, OfOneBacklogEndWithoutTheOthers) {
  const auto first = add(1, 10), second = add(2, 20);
  work_.absorb();
  query_.counts = {{1, 1}, {2, 1}};
  auto& backlog = const_cast<StreamBacklog&>(*work_.any_backlog());
  const uint64_t token = backlog.first().token();
  EXPECT_TRUE(work_.sweep(backlog, query_));
  EXPECT_EQ(tokens(), Tokens{token});
  EXPECT_TRUE(backlog.is_empty());
  EXPECT_FALSE(work_.is_empty());
  EXPECT_FALSE(work_.sweep(query_).has_pending);
  EXPECT_EQ(tokens().size(), 1u);
}

TEST_F(PendingRecords, ComeAgainAfterTheirBacklogWasEmpty) {
  auto& backlog = [&]() -> StreamBacklog& {
    add(1, 10);
    work_.absorb();
    return const_cast<StreamBacklog&>(*work_.any_backlog());
  }();
  query_.counts[1] = 1;
  work_.sweep(backlog, query_);
  const auto next = add(1, 11);
  query_.counts[1] = 1;
  EXPECT_FALSE(work_.sweep(query_).has_pending);
  EXPECT_EQ(tokens(), (Tokens{10, 11}));
}

TEST_F(PendingRecords, EndWithTheOutcomeOfTheQuery) {
  const auto future = add(1, 10);
  query_.counts[1] = 1;
  query_.status = Status::KERNEL_FAULT;
  work_.sweep(query_);
  expect_error(Status::KERNEL_FAULT, "awaited work failed", [&] { future->require_success(); });
}

TEST_F(PendingRecords, HoldAFutureThatNobodyElseHolds) {
  add(1, 10);
  work_.absorb();
  EXPECT_EQ(queue_->counts().pending, 1u);
  query_.counts[1] = 1;
  work_.sweep(query_);
  EXPECT_EQ(queue_->counts().pending, 0u);
  EXPECT_EQ(tokens(), Tokens{10});
}

TEST_F(PendingRecords, UseEventsAgain) {
  EXPECT_FALSE(work_.has_idle_events());
  add(1, 10);
  query_.counts[1] = 1;
  work_.sweep(query_);
  EXPECT_TRUE(work_.has_idle_events());
  const PendingRecord record = work_.open(context_, 2);
  EXPECT_EQ(record.event, event(10));
  EXPECT_FALSE(work_.has_idle_events());
  work_.cancel(record);
  EXPECT_TRUE(work_.has_idle_events());
  const EventPool::Rest rest = work_.take_idle_events();
  EXPECT_EQ(rest.context, context_);
  EXPECT_EQ(rest.events, std::vector<CUevent>{event(10)});
  EXPECT_FALSE(work_.has_idle_events());
}

TEST_F(PendingRecords, KeepTheEventsWhileOneIsInUse) {
  add(1, 10);
  const auto pending = add(2, 20);
  query_.counts[1] = 1;
  work_.sweep(query_);
  EXPECT_TRUE(work_.take_idle_events().events.empty());
  query_.counts[2] = 1;
  work_.sweep(query_);
  EXPECT_EQ(work_.take_idle_events().events.size(), 2u);
}

TEST_F(PendingRecords, ThatAreCancelledLeaveNothing) {
  const PendingRecord record = work_.open(context_, 1);
  EXPECT_EQ(record.event, nullptr);
  work_.cancel(record);
  EXPECT_TRUE(work_.is_empty());
  EXPECT_FALSE(work_.has_idle_events());
  EXPECT_FALSE(work_.sweep(query_).has_pending);
  // The pool counts no event for it: those of others are idle all the same.
  add(1, 10);
  query_.counts[1] = 1;
  work_.sweep(query_);
  EXPECT_EQ(work_.take_idle_events().events.size(), 1u);
}

TEST_F(PendingRecords, OfALostContextLeaveNoEvent) {
  add(1, 10);
  query_.counts[1] = 1;
  work_.sweep(query_);
  work_.forget_events(*context_);
  EXPECT_FALSE(work_.has_idle_events());
}

TEST_F(PendingRecords, AreRefusedAfterTheClose) {
  work_.close();
  EXPECT_TRUE(work_.is_closed());
  const auto future = make<Future>(queue_, 10);
  const PendingRecord record = work_.open(context_, 1);
  EXPECT_FALSE(work_.commit(record, *future));
  work_.cancel(record);
  EXPECT_TRUE(work_.is_empty());
}

TEST_F(PendingRecords, HaveThePaceOfTheMostEagerQueue) {
  EXPECT_FALSE(work_.pace().has_value());
  const auto spinning = Queue::create({900, 5000}), sweeping = Queue::create({100, 300});
  const auto one = add(1, 10, spinning), other = add(2, 20, sweeping);
  EXPECT_FALSE(work_.pace().has_value());
  work_.absorb();
  ASSERT_TRUE(work_.pace().has_value());
  EXPECT_EQ(work_.pace()->spin_ns, 900);
  EXPECT_EQ(work_.pace()->sweep_ns, 300);
  query_.counts[2] = 1;
  work_.sweep(query_);
  EXPECT_EQ(work_.pace()->sweep_ns, 5000);
  query_.counts[1] = 1;
  work_.sweep(query_);
}

TEST_F(PendingRecords, EndWithoutAQueryOfTheDriverOnceTheyAreClosed) {
  const auto future = add(1, 10);
  work_.absorb();
  work_.close();
  EventQuery query(*device_, work_);
  EXPECT_FALSE(work_.sweep(query).has_pending);
  expect_error(Status::INVALID_STATE, "exiting", [&] { future->require_success(); });
}

TEST_F(PendingRecords, EndAsLostWithTheirContext) {
  context_ = make<Context>(*device_, nullptr);
  const auto future = add(1, 10);
  context_->set_lost();
  EventQuery query(*device_, work_);
  EXPECT_FALSE(work_.sweep(query).has_pending);
  expect_error(Status::INVALID_STATE, "awaited work", [&] { future->require_success(); });
}

}  // namespace
}  // namespace cucore::core
