// SPDX-License-Identifier: Apache-2.0
// A build function that requests the result of its own build is refused at once; other requests are
// not.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>

#include "cache_testing.hpp"

namespace {

using namespace cache_test;
using namespace std::chrono_literals;

using Build = std::function<Code()>;

Code some_code() { return make_code(CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE); }

struct Outcome {
  cucore_status status = CUCORE_OK;
  std::string message;
  Got got;
};

// The build function of every test: it throws a Refused to report a failure.
struct Refused {
  cucore_status status;
  cucore_error* error;
};

cucore_status run(cucore_objectcode** out, cucore_error** error, void* user_data) {
  try {
    *out = cucore_objectcode_retain((*static_cast<Build*>(user_data))());
    return CUCORE_OK;
  } catch (const Refused& refused) {
    *error = refused.error;
    return refused.status;
  }
}

Outcome request(cucore_cache* cache, uint8_t number, Build build) {
  const uint8_t key[32] = {number};
  Outcome outcome;
  Error error;
  outcome.status = cucore_cache_get_or_build(cache, key, run, &build, outcome.got.code.out(),
                                             &outcome.got.outcome, error.out());
  outcome.message = cucore_error_message(error);
  return outcome;
}

// Converts failures to exceptions, as a caller does who passes them on.
Code require(cucore_cache* cache, uint8_t number, Build build) {
  const uint8_t key[32] = {number};
  Code code;
  cucore_error* error = nullptr;
  const cucore_status status =
      cucore_cache_get_or_build(cache, key, run, &build, code.out(), nullptr, &error);
  if (status != CUCORE_OK) throw Refused{status, error};
  return code;
}

void expect_refused(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, CUCORE_ERROR_INVALID_STATE) << outcome.message;
  EXPECT_TRUE(contains(outcome.message, "this thread is already building")) << outcome.message;
  EXPECT_EQ(outcome.got.code.get(), nullptr);
  EXPECT_EQ(outcome.got.outcome, CUCORE_CACHE_OUTCOME_NONE);
}

class Nested : public testing::Test {
 protected:
  void SetUp() override { begin_ = std::chrono::steady_clock::now(); }
  void TearDown() override {
    EXPECT_LT(std::chrono::steady_clock::now() - begin_, 5s) << "something waited for itself";
  }
  Cache open(const Change& change = nullptr) const { return open_cache(folder_.path(), change); }

  Folder folder_;
  std::chrono::steady_clock::time_point begin_;
};

TEST_F(Nested, TheSameKeyIsRefused) {
  for (const std::string& folder : {folder_.path(), std::string()}) {
    const Cache cache = open_cache(folder);
    const Outcome outer = request(cache, 1, [&] {
      expect_refused(request(cache, 1, some_code));
      return some_code();
    });
    EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
    EXPECT_EQ(outer.got.outcome, CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_EQ(request(cache, 1, some_code).got.outcome, CUCORE_CACHE_OUTCOME_HIT_MEMORY);
  }
}

TEST_F(Nested, ACycleOfKeysIsRefused) {
  const Cache cache = open();
  int calls = 0;
  const std::function<Code(uint8_t)> build = [&](uint8_t number) -> Code {
    ++calls;
    const uint8_t next = number == 3 ? 1 : static_cast<uint8_t>(number + 1);
    return require(cache, next, [&, next] { return build(next); });
  };
  expect_refused(request(cache, 1, [&] { return build(1); }));
  EXPECT_EQ(calls, 3);
  // The refusal leaves no state: each key can be built now, also inside another build.
  const Outcome later = request(cache, 1, [&] { return require(cache, 3, some_code); });
  EXPECT_EQ(later.status, CUCORE_OK) << later.message;
}

TEST_F(Nested, OtherThreadsWaitAsBefore) {
  const Cache cache = open();
  std::vector<std::thread> threads;
  std::atomic<int> joined{0};
  const Outcome outer = request(cache, 1, [&] {
    expect_refused(request(cache, 1, some_code));
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const Outcome got = request(cache, 1, some_code);
        joined += got.status == CUCORE_OK && got.got.outcome == CUCORE_CACHE_OUTCOME_JOINED;
      });
    std::this_thread::sleep_for(100ms);
    return some_code();
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(outer.status, CUCORE_OK);
  EXPECT_EQ(joined, 4);
}

// A failure of this thread alone is not that of the others.
TEST_F(Nested, TheRefusalIsNotGivenToThoseWhoWait) {
  const Cache cache = open();
  std::thread other;
  Outcome waited;
  expect_refused(request(cache, 1, [&] {
    other = std::thread([&] { waited = request(cache, 1, some_code); });
    std::this_thread::sleep_for(100ms);
    return require(cache, 1, some_code);
  }));
  other.join();
  EXPECT_EQ(waited.status, CUCORE_OK) << waited.message;
}

TEST_F(Nested, CachesOfOneFolderAreOne) {
  const Folder apart;
  const Cache one = open(), two = open(), other = open_cache(apart.path()),
              space = open([](auto&options) { options.name_space = "other"; }),
              reader = open([](auto&options) { options.read_only = 1; }),
              unlocked = open([](auto&options) { options.locking = CUCORE_TOGGLE_OFF; });
  const Outcome outer = request(one, 1, [&] {
    expect_refused(request(two, 1, some_code));
    for (cucore_cache* elsewhere : {other.get(), space.get(), reader.get(), unlocked.get()}) {
      const Outcome inner = request(elsewhere, 1, some_code);
      EXPECT_EQ(inner.status, CUCORE_OK) << inner.message;
    }
    return some_code();
  });
  EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
}

TEST_F(Nested, SwitchedOffItIsRefusedToo) {
  setenv("CUCORE_CACHE", "off", 1);
  const Cache cache = open();
  unsetenv("CUCORE_CACHE");
  const Outcome outer = request(cache, 1, [&] {
    expect_refused(request(cache, 1, some_code));
    return require(cache, 2, some_code);
  });
  EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
}

TEST_F(Nested, ACompileInsideABuildGoesOn) {
  NEEDS_COMPILER();
  const Cache cache = open();
  const Program program = make_program(SAXPY_SOURCE);
  const Outcome outer = request(cache, 1, [&] { return std::move(compile(cache, program).code); });
  EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
}

struct Reported {
  cucore_cache* cache;
  std::atomic<int> refused{0};
};

// The caller of a batch waits for its threads, so its builds are their builds.
TEST_F(Nested, ThreadsOfABatchBuildForTheirCaller) {
  NEEDS_COMPILER();
  const Cache cache = open();
  std::vector<Program> programs;
  std::vector<cucore_batch_item> items;
  for (int i = 0; i < 8; ++i) {
    programs.push_back(make_program(SAXPY_SOURCE + std::string(i, '\n')));
    items.push_back({programs.back(), CUCORE_CODE_TYPE_PTX, 0, nullptr, 0});
  }
  Reported reported{cache};
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = 4;
  options.cache = cache;
  options.user_data = &reported;
  options.report = [](size_t, size_t, size_t, const cucore_error*, void* user_data) {
    auto& self = *static_cast<Reported*>(user_data);
    self.refused += request(self.cache, 1, some_code).status == CUCORE_ERROR_INVALID_STATE;
  };
  const Outcome outer = request(cache, 1, [&] {
    std::vector<cucore_objectcode*> out(items.size());
    MUST(cucore_program_compile_batch, items.data(), items.size(), &options, out.data(), nullptr);
    for (cucore_objectcode* code : out) {
      EXPECT_NE(code, nullptr);
      cucore_objectcode_release(code);
    }
    return some_code();
  });
  EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
  EXPECT_EQ(reported.refused, 8);
}

// Another process builds for itself: it waits as any other does, and builds after the time limit.
TEST_F(Nested, AChildOfAForkIsAnotherProcess) {
  const Cache cache = open([](auto& options) { options.lock_timeout_ms = 100; });
  const Outcome outer = request(cache, 1, [&] {
    const pid_t child = fork();
    if (child == 0) _exit(request(cache, 1, some_code).status == CUCORE_OK ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    return some_code();
  });
  EXPECT_EQ(outer.status, CUCORE_OK) << outer.message;
}

}  // namespace
