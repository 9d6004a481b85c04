// SPDX-License-Identifier: Apache-2.0
// Functions of the caller that break their contract: they release objects in use, return no bytes,
// and call back into the cache that calls them.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <mutex>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

// The behaviour of a remote's functions, and the number of their calls.
struct Remote {
  std::function<cucore_cache_answer(cucore_cache_receive_fn, void*)> get;
  std::function<cucore_cache_answer()> put;
  std::function<void()> close;
  std::atomic<int> gets{0}, puts{0}, closed{0};

  cucore_cache_remote table() {
    cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
    remote.context = this;
    remote.get = [](void* self, const char*, cucore_cache_receive_fn receive, void* to) {
      auto& me = *static_cast<Remote*>(self);
      ++me.gets;
      return me.get ? me.get(receive, to) : CUCORE_CACHE_ANSWER_ABSENT;
    };
    remote.put = [](void* self, const char*, const void*, size_t) {
      auto& me = *static_cast<Remote*>(self);
      ++me.puts;
      return me.put ? me.put() : CUCORE_CACHE_ANSWER_DONE;
    };
    remote.close = [](void* self) {
      auto& me = *static_cast<Remote*>(self);
      if (me.close) me.close();
      ++me.closed;
    };
    return remote;
  }
};

class Callbacks : public testing::Test {
 protected:
  void SetUp() override { begin_ = std::chrono::steady_clock::now(); }
  void TearDown() override {
    EXPECT_LT(std::chrono::steady_clock::now() - begin_, 20s) << "something waited for itself";
  }
  Cache open(Remote* remote = nullptr) const {
    Cache cache = open_cache(folder_.path(), [](auto& options) {
      options.signing_key = options.keys = &SECRET;
      options.key_count = 1;
    });
    if (!remote) return cache;
    const cucore_cache_remote table = remote->table();
    MUST(cucore_cache_add_remote, cache, &table);
    return cache;
  }
  static void wait_for(const std::atomic<int>& count, int wanted) {
    for (int i = 0; i < 1000 && count < wanted; ++i) std::this_thread::sleep_for(5ms);
    EXPECT_EQ(count, wanted);
  }

  Folder folder_;
  std::chrono::steady_clock::time_point begin_;
};

cucore_status build_and_release(cucore_objectcode** out, cucore_error**, void* cache) {
  static_cast<Cache*>(cache)->reset();
  *out = cucore_objectcode_retain(make_ptx_code());
  return CUCORE_OK;
}

TEST_F(Callbacks, ABuildMayReleaseItsCache) {
  for (int round = 0; round < 20; ++round) {
    const uint8_t key[32] = {7, static_cast<uint8_t>(round)};
    Cache cache = open();
    Code code;
    cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
    SUCCEEDS(cucore_cache_get_or_build, cache.get(), key, build_and_release, &cache, code.out(),
             &outcome);
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_EQ(bytes_of(code), std::string(PTX, PTX_SIZE));
  }
  EXPECT_EQ(files_in(folder_.path()).size(), 20u) << "what was built is kept";
}

TEST_F(Callbacks, ABuildThatFailsMayReleaseItsCache) {
  Cache cache = open();
  Code code;
  const auto fail = [](cucore_objectcode**, cucore_error**, void* self) {
    static_cast<Cache*>(self)->reset();
    return cucore_status{CUCORE_ERROR_IO};
  };
  FAILS_ONCE(CUCORE_ERROR_IO, "build function", cucore_cache_get_or_build, cache.get(), KEY, fail,
             &cache, code.out(), nullptr);
}

TEST_F(Callbacks, AReportMayReleaseItsCache) {
  {
    const Cache cache = open();
    const Code code = make_ptx_code();
    MUST(cucore_cache_put, cache, KEY, code);
    MUST(cucore_cache_put, cache, OTHER_KEY, code);
  }
  const cucore_cache_report_fn release = [](const cucore_cache_entry_info*, void* cache) {
    static_cast<Cache*>(cache)->reset();
    return int32_t{1};
  };
  Cache cache = open();
  MUST(cucore_cache_query, cache.get(), release, &cache);
  cache = open();
  MUST(cucore_cache_verify, cache.get(), release, &cache, nullptr);
  cache = open();
  MUST(cucore_cache_trim, cache.get(), 0, release, &cache);
}

TEST_F(Callbacks, AReportMayNotTrimWhatIsBeingTrimmed) {
  Cache cache = open();
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache, KEY, code);
  MUST(cucore_cache_put, cache, OTHER_KEY, code);
  const cucore_cache_report_fn trim = [](const cucore_cache_entry_info*, void* self) {
    auto* inner = static_cast<Cache*>(self)->get();
    EXPECT_EQ(cucore_cache_trim(inner, 0, nullptr, nullptr, nullptr), CUCORE_ERROR_INVALID_STATE);
    const Code more = make_ptx_code();
    const uint8_t key[32] = {3};
    EXPECT_EQ(cucore_cache_put(inner, key, more, nullptr), CUCORE_OK);
    return int32_t{1};
  };
  alarm(60);
  MUST(cucore_cache_trim, cache.get(), 0, trim, &cache);
  alarm(0);
  EXPECT_EQ(files_in(folder_.path()).size(), 1u) << "the one that was put meanwhile";
}

TEST_F(Callbacks, ARemoteMayReleaseItsCache) {
  Remote remote;
  Cache cache = open(&remote);
  remote.get = [&](cucore_cache_receive_fn, void*) {
    cache.reset();
    return CUCORE_CACHE_ANSWER_ABSENT;
  };
  Code code;
  MUST(cucore_cache_get, cache.get(), KEY, code.out());
  EXPECT_FALSE(code);
  EXPECT_EQ(remote.closed, 1);
}

// The release is on the sending thread, so the cache cannot wait there for the end of that thread.
TEST_F(Callbacks, ARemoteMayReleaseItsCacheWhileItIsSentTo) {
  Remote remote;
  Cache cache = open(&remote);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  remote.put = [&] {
    std::lock_guard wait(mutex);
    cache.reset();
    return CUCORE_CACHE_ANSWER_DONE;
  };
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache.get(), KEY, code);
  lock.unlock();
  wait_for(remote.closed, 1);
  EXPECT_EQ(remote.puts, 1);
}

bool blocks_signals() {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGUSR1) == 1;
}

// One thread sends, and another closes the cache that the remote released.
TEST_F(Callbacks, ARemoteIsCalledOnThreadsThatBlockAllSignals) {
  Remote remote;
  Cache cache = open(&remote);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::atomic<bool> sends_blocked{false}, closes_blocked{false};
  remote.put = [&] {
    std::lock_guard wait(mutex);
    sends_blocked = blocks_signals();
    cache.reset();
    return CUCORE_CACHE_ANSWER_DONE;
  };
  remote.close = [&] { closes_blocked = blocks_signals(); };
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache.get(), KEY, code);
  lock.unlock();
  wait_for(remote.closed, 1);
  EXPECT_TRUE(sends_blocked);
  EXPECT_TRUE(closes_blocked);
}

TEST_F(Callbacks, ARemoteMayGiveNoBytes) {
  for (const size_t size : {size_t{1}, size_t{100}, size_t{1} << 20, SIZE_MAX}) {
    Remote remote;
    remote.get = [&](cucore_cache_receive_fn receive, void* to) {
      receive(nullptr, size, to);
      return CUCORE_CACHE_ANSWER_DONE;
    };
    const Cache cache = open(&remote);
    Code code;
    MUST(cucore_cache_get, cache, KEY, code.out());
    EXPECT_FALSE(code);
    EXPECT_EQ(statistics(cache).remote_errors, 1u) << size;
  }
}

TEST_F(Callbacks, ARemoteMayGiveTooMuchOrNothing) {
  const std::string large((size_t{64} << 20) + 1, 'x');
  for (const std::string& bytes : {large, std::string()}) {
    Remote remote;
    remote.get = [&](cucore_cache_receive_fn receive, void* to) {
      receive(bytes.data(), bytes.size(), to);
      return CUCORE_CACHE_ANSWER_DONE;
    };
    const Cache cache = open(&remote);
    Code code;
    MUST(cucore_cache_get, cache, KEY, code.out());
    EXPECT_FALSE(code);
    EXPECT_EQ(statistics(cache).remote_errors + statistics(cache).remote_refused, 1u);
  }
}

// Every call that takes the cache is refused; the call that queried the remote continues.
TEST_F(Callbacks, ARemoteMayNotUseTheCacheThatAsksIt) {
  Remote remote;
  const Cache cache = open(&remote);
  std::vector<cucore_status> statuses;
  std::string message;
  remote.get = [&](cucore_cache_receive_fn, void*) {
    if (remote.gets > 10) return CUCORE_CACHE_ANSWER_FAILED;
    Code code;
    Error error;
    const Code given = make_ptx_code();
    const Program program = make_program("");
    cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
    statuses = {cucore_cache_get(cache, OTHER_KEY, code.out(), error.out()),
                cucore_cache_find(cache, program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(),
                                  nullptr, nullptr),
                cucore_cache_put(cache, OTHER_KEY, given, nullptr),
                cucore_cache_get_or_build(cache, OTHER_KEY, build_and_release, nullptr, code.out(),
                                          nullptr, nullptr),
                cucore_cache_trim(cache, 0, nullptr, nullptr, nullptr),
                cucore_cache_verify(cache, nullptr, nullptr, nullptr, nullptr),
                cucore_cache_statistics(cache, &info, nullptr)};
    message = cucore_error_message(error);
    return CUCORE_CACHE_ANSWER_ABSENT;
  };
  Code code;
  MUST(cucore_cache_get, cache, KEY, code.out());
  EXPECT_FALSE(code);
  EXPECT_EQ(remote.gets, 1);
  EXPECT_EQ(statuses, std::vector<cucore_status>(7, CUCORE_ERROR_INVALID_STATE));
  EXPECT_TRUE(contains(message, "remote")) << message;
}

TEST_F(Callbacks, TwoCachesMayNotAskEachOther) {
  Remote first, second;
  const Cache one = open(&first), two = open(&second);
  cucore_status status = CUCORE_OK;
  first.get = [&](cucore_cache_receive_fn, void*) {
    Code code;
    EXPECT_EQ(cucore_cache_get(two, KEY, code.out(), nullptr), CUCORE_OK) << "another cache it may";
    return CUCORE_CACHE_ANSWER_ABSENT;
  };
  second.get = [&](cucore_cache_receive_fn, void*) {
    if (second.gets > 10) return CUCORE_CACHE_ANSWER_FAILED;
    Code code;
    status = cucore_cache_get(one, KEY, code.out(), nullptr);
    return CUCORE_CACHE_ANSWER_ABSENT;
  };
  Code code;
  MUST(cucore_cache_get, one, KEY, code.out());
  EXPECT_EQ(status, CUCORE_ERROR_INVALID_STATE);
  EXPECT_EQ(first.gets, 1);
  EXPECT_EQ(second.gets, 1);
}

TEST_F(Callbacks, ARemoteMayNotPutWhatItIsSent) {
  Remote remote;
  Cache cache = open(&remote);
  cucore_cache* const handle = cache;  // the reset changes the owner while the remote runs
  std::atomic<int> status{-1};
  remote.put = [&] {
    if (remote.puts > 10) return CUCORE_CACHE_ANSWER_DONE;
    const uint8_t key[32] = {3, static_cast<uint8_t>(remote.puts)};
    const Code code = make_ptx_code();
    status = cucore_cache_put(handle, key, code, nullptr);
    return CUCORE_CACHE_ANSWER_DONE;
  };
  const Code code = make_ptx_code();
  MUST(cucore_cache_put, cache, KEY, code);
  wait_for(remote.puts, 1);
  cache.reset();
  EXPECT_EQ(remote.puts, 1);
  EXPECT_EQ(status, CUCORE_ERROR_INVALID_STATE);
}

// The remote that a compile queries releases the program and the cache of that compile.
TEST_F(Callbacks, ARemoteMayReleaseWhatIsCompiled) {
  NEEDS_COMPILER();
  Remote remote;
  Cache cache = open(&remote);
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.arch = "compute_80";
  Program program = make_program("extern \"C\" __global__ void k(int* p) { *p = 1; }\n", &options);
  remote.get = [&](cucore_cache_receive_fn, void*) {
    program.reset();
    cache.reset();
    return CUCORE_CACHE_ANSWER_ABSENT;
  };
  Code code;
  SUCCEEDS(cucore_cache_compile, cache.get(), program.get(), CUCORE_CODE_TYPE_PTX, nullptr, 0,
           code.out(), nullptr);
  EXPECT_GT(bytes_of(code).size(), 0u);
}

// Entries wait in memory for a remote that accepts none: at most 128 MiB of them, and the one that
// is being sent.
TEST_F(Callbacks, ASlowRemoteDoesNotCollectEntriesInMemory) {
  constexpr size_t SIZE = size_t{24} << 20;
  constexpr uint8_t COUNT = 9;
  std::atomic<bool> waits{true};
  Remote remote;
  remote.put = [&] {
    while (waits) std::this_thread::sleep_for(1ms);
    return CUCORE_CACHE_ANSWER_DONE;
  };
  {
    const Cache cache = open(&remote);
    const std::string text = std::string(PTX, PTX_SIZE) + std::string(SIZE, ' ');
    const Code code = make_code(CUCORE_CODE_TYPE_PTX, text.data(), text.size());
    for (uint8_t number = 1; number <= COUNT; ++number) {
      const uint8_t key[32] = {number};
      MUST(cucore_cache_put, cache, key, code);
      if (number == 1) wait_for(remote.puts, 1);
    }
    begin_ = std::chrono::steady_clock::now();  // the entries are large and take long
    waits = false;
  }
  EXPECT_EQ(remote.puts, 1 + 5);
}

}  // namespace
