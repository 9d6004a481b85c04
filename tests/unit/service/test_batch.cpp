// SPDX-License-Identifier: Apache-2.0
#include "service/batch.hpp"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "core/compile/batch.hpp"
#include "service_testing.hpp"

namespace cucore::service {
namespace {

// The reports of one batch. Each checks that no other is under way.
struct Reports {
  explicit Reports(size_t count) : results(count), counts(count) {}

  BatchReport receiver() {
    return [this](size_t index, size_t done, const BatchResult& result) {
      EXPECT_FALSE(is_busy.exchange(true)) << "two reports at once";
      results.at(index) = result;
      ++counts.at(index);
      order.push_back(done);
      std::this_thread::yield();
      is_busy = false;
    };
  }

  std::vector<BatchResult> results;
  std::vector<int> counts;
  std::vector<size_t> order;
  std::atomic<bool> is_busy{false};
};

std::vector<CompileRequest> requests(size_t count) {
  std::vector<CompileRequest> items;
  for (size_t i = 0; i < count; ++i) items.push_back(request_for("k" + std::to_string(i)));
  return items;
}

TEST(ServiceBatch, ReportsEachItemOnce) {
  const auto items = requests(8);
  Reports reports(items.size());
  compile_batch(items, {nullptr, 3}, reports.receiver());
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(reports.counts[i], 1);
    ASSERT_TRUE(reports.results[i].code);
    EXPECT_FALSE(reports.results[i].failure);
    const auto& bytes = reports.results[i].code->code().bytes;
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_NE(text.find("k" + std::to_string(i)), std::string::npos);
  }
  EXPECT_EQ(reports.order, (std::vector<size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ServiceBatch, ReportsAFailureOfOneItem) {
  auto items = requests(3);
  items[1].target = image::CodeType::LIBRARY;  // no compile makes one
  Reports reports(items.size());
  compile_batch(items, {nullptr, 2}, reports.receiver());
  EXPECT_TRUE(reports.results[0].code);
  EXPECT_TRUE(reports.results[2].code);
  EXPECT_FALSE(reports.results[1].code);
  ASSERT_TRUE(reports.results[1].failure);
  EXPECT_THROW(std::rethrow_exception(reports.results[1].failure), Error);
}

TEST(ServiceBatch, UsesTheCache) {
  const auto cache = make_cache();
  const auto items = requests(4);
  Reports first(items.size()), second(items.size());
  compile_batch(items, {cache.get(), 2}, first.receiver());
  compile_batch(items, {cache.get(), 2}, second.receiver());
  EXPECT_EQ(count(*cache, cache::Event::BUILDS), 4u);
  for (size_t i = 0; i < items.size(); ++i)
    EXPECT_EQ(first.results[i].code.get(), second.results[i].code.get());
}

// No thread starts while each would get a stack of the whole address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

TEST(ServiceBatch, NeedsNoThreadBesidesTheCallers) {
  const auto items = requests(4);
  Reports reports(items.size());
  {
    const NoThreads none;
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    compile_batch(items, {nullptr, 3}, reports.receiver());
  }
  for (const BatchResult& result : reports.results) EXPECT_TRUE(result.code);
}

TEST(ServiceBatch, HasThreadsThatBlockAllSignals) {
  const auto caller = std::this_thread::get_id();
  std::latch both(2);
  std::atomic<bool> blocks{false};
  core::run_batch(2, 2, {}, [&](size_t, core::NvrtcRunner&) {
    both.arrive_and_wait();
    if (std::this_thread::get_id() == caller) return;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    blocks = sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGUSR1) == 1;
  });
  EXPECT_TRUE(blocks);
}

TEST(ServiceBatch, NeedsTheWorkersProgramForItemsAlone) {
  const char* chosen = getenv("CUCORE_WORKER");
  const std::string before = chosen ? chosen : "";
  setenv("CUCORE_WORKER", "/no/such/worker", 1);
  Reports reports(1);
  EXPECT_NO_THROW(compile_batch({}, {}, reports.receiver()));
  const auto items = requests(1);
  expect_error(Status::NOT_FOUND, "/no/such/worker",
               [&] { compile_batch(items, {}, reports.receiver()); });
  EXPECT_EQ(reports.counts[0], 0);
  setenv("CUCORE_WORKER", before.c_str(), 1);
}

}  // namespace
}  // namespace cucore::service
